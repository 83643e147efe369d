/* The holes and the levers: from single readings to confirmed changes. This part knows no hardware.
 * Times are milliseconds since boot. `believed` is the confirmed state, `reading` the last one
 * read. */
#ifndef BOARD_H
#define BOARD_H

#include <stdbool.h>
#include <stdint.h>

#define SQUARES 64
#define LEVERS 2

/* Codes of a hole: 1 to 12 are P R N B K Q p r n b k q. */
#define EMPTY 0
/* Neither a piece nor an open hole: a bad contact, a short circuit, a wrong plug. */
#define FAULT 15

#define FAULT_MS 200
#define LEVER_MS 10

struct settings {
    uint16_t lift_ms, place_ms;
};

#define DEFAULT_SETTINGS {150, 25}

/* A confirmed change. `at` is the time of the first reading that differed. */
struct change {
    uint32_t at;
    uint8_t square, old, new;
};

/* `piece` is the last state that was not a fault: a bad contact proves nothing. Memory is scarce, so
 * `since` and `first` are the low halves of times that passed less than 65 s ago. */
struct hole {
    uint8_t believed, reading : 4, piece : 4;
    uint16_t since, first;
};

/* `presses` counts modulo 256 since boot. `pressed_at` is the time of the last press. */
struct lever {
    bool believed, reading;
    uint8_t presses;
    uint32_t first, pressed_at;
};

struct board {
    struct settings settings;
    struct hole holes[SQUARES];
    struct lever levers[LEVERS];
    uint16_t sequence;
    uint16_t wobbles;
};

/* The code of a converter reading, 0 to 1023. */
uint8_t classify(uint16_t reading);

/* Whether the values are allowed: lift 50 to 300 ms, place 5 to 300 ms. */
bool settings_valid(const struct settings *settings);

/* Begin with every lever up and every hole empty. board_begin_hole and board_begin_lever then set
 * the real state. */
void board_begin(struct board *board, const struct settings *settings);
void board_begin_hole(struct board *board, uint8_t square, uint8_t code);
void board_begin_lever(struct board *board, uint8_t lever, bool down);

/* Take one reading. If it confirms a change, fill in `change` and return true.
 *
 * An open hole must read the same for more than lift_ms, a piece for more than place_ms, and a
 * fault for more than FAULT_MS, without any other reading between. "More than", because times are
 * whole milliseconds rounded down: a contact that opens for exactly the set time is not a lift. */
bool board_read(struct board *board, uint8_t square, uint8_t code, uint32_t now,
                struct change *change);

/* Take one reading of a lever. If it has moved, return true; `at` is then the time of the first
 * contact. */
bool board_lever(struct board *board, uint8_t lever, bool down, uint32_t now, uint32_t *at);

/* The CRC over the confirmed codes, a1 first. */
uint16_t board_crc(const struct board *board);

#endif
