/* What the parts of the emulator share. Times are cycles of the simulated processor. */
#ifndef EMULATOR_H
#define EMULATOR_H

#include <stdbool.h>
#include <stdint.h>

#include <sim_avr.h>

#define HZ 16000000ull
#define MS (HZ / 1000)
#define SUPPLY_MV 5000

/* Bits of MCUSR, the cause of a reset. */
#define PORF 1
#define EXTRF 2

/* --- emulator.c: the processor, its power, and time ----------------------------------------- */

extern avr_t *avr;
extern bool powered;
/* Time passes only in `run`. */
extern bool lockstep;
/* Until then the boot loader runs and hears nothing. */
extern uint64_t deaf_until;
extern uint16_t stack_free;

double chance(void); /* 0 to 1 */
double within(double low, double high);
void reset_board(uint8_t cause);
void hang(void);
void run_until(uint64_t end);

/* --- board.c: holes, levers, buzzer, motor, lamp -------------------------------------------- */

/* Of the resistors, 0.01 is 1 %. */
extern double tolerance;

void build_board(void);
bool is_piece(const char *text);
void put(int square, char piece, double bounce_ms);
bool set_up(const char *placement);
void feel(int square, double ms);
/* The contact is shorted or, with `ohms`, has so much resistance. */
void set_fault(int square);
void set_resistance(int square, double ohms);
void set_damp(int square, double ohms);
void mend(int square);
void show_levers(void);
void move_lever(int lever, bool down, uint64_t springs_at);
void spring_levers(void);
/* Build in the `motor` or the `lamp`. The board notices when it boots. */
bool fit(const char *name);
void show_fitted(void);
void print_edges(const char *name);

/* --- line.c: the serial line and its pseudo terminal ---------------------------------------- */

extern const char *link_path;
extern int terminal; /* -1 without one */
extern bool host_present;
/* The probability that a bit flips on its way from the board, and to it. */
extern double flip_out, flip_in;
/* The next so many frames from the board are lost, or have one bit flipped. */
extern int lose, garble;

void connect_line(void);
void silence_line(void);
bool open_terminal(void);
/* Whether a host has opened it since the last question. */
bool terminal_was_opened(void);
void close_terminal(void);
void to_host(uint8_t byte);
void to_board_later(uint8_t byte);
void deliver_to_host(void);
void deliver_to_board(void);

/* --- control.c: commands on standard input -------------------------------------------------- */

void say_ok(void);
bool listen_to_control(void);

#endif
