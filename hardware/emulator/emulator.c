/* Runs the real firmware in a simulated ATmega328P, with a simulated board around it.
 *
 *   emulator FIRMWARE.elf [--line LINK] [--speed X|max] [--boot MS] [--loader FILE.hex] [--seed N]
 *            [--tolerance PERCENT]
 *
 * With --line, the serial line is a pseudo terminal to which LINK points, and time passes as on the
 * wall clock, X times as fast, or as fast as possible. Without it, time passes only in `run`, and
 * the line is part of the control channel: the same commands always give the same answers.
 *
 * --boot: each opening of the line resets the board, which is then deaf for MS, like an Arduino's
 * boot loader. --loader: each opening of the line starts this boot loader, which runs as on a real
 * controller and can write its memory. --seed: chooses the random resistors and noise. --tolerance: that of the resistors,
 * 1 by default.
 *
 * Commands are lines on standard input; the program ends with it. The answer to each command is
 * `ok TIME …` or `error WHY`; TIME is simulated milliseconds.
 *
 *   set SQUARE PIECE [MS]   a piece, `-` for none, or `!` for a plug that the board cannot read;
 *                           the contact bounces for MS
 *   fen PLACEMENT           sets all holes at once
 *   feel SQUARE MS          the contact opens for MS and closes again
 *   fault SQUARE            shorts the contact
 *   resistance SQUARE OHMS  adds so much to the contact's resistance
 *   damp SQUARE OHMS        joins the tip and ground by so much
 *   mend SQUARE             ends all three, as does the next `set` there
 *   lever SIDE down|up, press SIDE [MS]     SIDE is white or black
 *   fit motor, fit lamp     builds it in, to be noticed when the board boots
 *   buzzer, motor, lamp     the times when it went on and off since the last question: TIME+, TIME-
 *   hang                    catches the firmware in a loop
 *   unplug, plug, reset     plugging in and resetting take the boot loader's time
 *   noise OUT IN            flips so many bits in a million, from and to the board
 *   lose N, garble N        loses the next N frames from the board, or flips one bit of each
 *   say HEX                 these bytes reach the host, as if the board had sent them
 *   hear HEX                these bytes reach the board, as if the host had sent them
 *   run MS                  first answers `said TIME HEX` for each part that the board sent, where
 *                           TIME is that of the last bit, and then `ok TIME`
 *   stack                   the bytes of memory that the stack has never reached
 *   time, quit
 */
#define _GNU_SOURCE
#include "emulator.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sim_elf.h>
#include <sim_hex.h>

/* Registers of the ATmega328P, by address. */
#define R_MCUSR 0x54
#define R_SPL 0x5D
#define R_SPH 0x5E
#define RAM_START 0x100

avr_t *avr;
bool powered = true, lockstep = true;
uint64_t deaf_until;
static double speed = 1;
static long boot_ms = -1;

/* --- chance ------------------------------------------------------------------------------ */

static uint64_t dice = 88172645463325252ull;

double chance(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (double)(dice >> 11) / 9007199254740992.0;
}

double within(double low, double high)
{
    return low + (high - low) * chance();
}

/* --- power and time ---------------------------------------------------------------------- */

/* After each reset, also by the watchdog, the pins have to be set again. */
static bool was_reset;

static void processor_resets(struct avr_io_t *io)
{
    (void)io;
    was_reset = true;
}

static void show_inputs(void)
{
    show_levers();
    show_fitted();
}

static avr_io_t surroundings = {.kind = "board", .reset = processor_resets};

void reset_board(uint8_t cause)
{
    avr_reset(avr);
    avr->data[R_MCUSR] = cause;
    silence_line();
    show_inputs();
    deaf_until = avr->cycle + (boot_ms > 0 ? (uint64_t)boot_ms * MS : 0);
}

/* Write a jump to itself behind the firmware, and go there. */
void hang(void)
{
    const avr_flashaddr_t at = 0x7000;

    avr->flash[at] = 0xFF;
    avr->flash[at + 1] = 0xCF;
    avr->codeend = avr->flashend;
    avr->pc = at;
    avr->state = cpu_Running;
}

/* The stack grows down towards the firmware's data. */
static uint16_t data_end;
uint16_t stack_free = UINT16_MAX;

static void check_stack(void)
{
    static uint16_t last;
    static int steady;
    uint16_t stack = (uint16_t)(avr->data[R_SPL] | avr->data[R_SPH] << 8);

    /* Its two bytes are written one after the other. Before it is set up it is 0. */
    steady = stack == last ? steady + 1 : 0;
    last = stack;
    if (steady == 4 && stack >= data_end && stack - data_end < stack_free)
        stack_free = (uint16_t)(stack - data_end);
    if (steady == 4 && stack > RAM_START && stack < data_end) {
        fprintf(stderr, "The firmware's stack met its data at %.3f ms.\n", (double)avr->cycle / MS);
        exit(3);
    }
}

static avr_cycle_count_t wake(avr_t *it, avr_cycle_count_t when, void *nothing)
{
    (void)it, (void)when, (void)nothing;
    return 0;
}

void run_until(uint64_t end)
{
    while (avr->cycle < end) {
        uint64_t stop = avr->cycle + MS < end ? avr->cycle + MS : end;

        if (!powered || avr->cycle < deaf_until) {
            if (powered && deaf_until < stop)
                stop = deaf_until;
            avr->cycle = stop;
            continue;
        }
        deliver_to_board();
        /* A sleeping processor goes straight to its next timer, so set one at `stop`. */
        avr_cycle_timer_register(avr, stop - avr->cycle, wake, NULL);
        while (avr->cycle < stop) {
            int state = avr_run(avr);
            check_stack();
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "The firmware crashed at %.3f ms.\n", (double)avr->cycle / MS);
                exit(3);
            }
        }
        if (was_reset)
            show_inputs();
        was_reset = false;
        spring_levers();
        deliver_to_host();
    }
}

/* Without this, simavr sleeps in real time whenever the firmware sleeps. */
static void sleep_at_once(avr_t *it, avr_cycle_count_t cycles)
{
    (void)it, (void)cycles;
}

/* --- all together ------------------------------------------------------------------------ */

static double wall(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void look_at_terminal(short happened)
{
    bool present = !(happened & POLLHUP);
    uint8_t bytes[256];
    ssize_t got;

    if (terminal_was_opened() && boot_ms >= 0)
        reset_board(EXTRF);
    host_present = present;
    if (!(happened & POLLIN))
        return;
    got = read(terminal, bytes, sizeof bytes);
    for (ssize_t i = 0; i < got; i++)
        to_board_later(bytes[i]);
}

static void live(void)
{
    double begun = wall();
    uint64_t begun_at = avr->cycle;

    for (;;) {
        int wait_ms = -1;
        if (!lockstep) {
            wait_ms = 0;
            run_until(avr->cycle + MS);
            if (speed > 0) {
                double ahead = (double)(avr->cycle - begun_at) / HZ / speed - (wall() - begun);
                /* The computer is too slow: go on from here instead of catching up. */
                if (ahead < -0.5) {
                    begun = wall();
                    begun_at = avr->cycle;
                }
                wait_ms = ahead > 0 ? (int)ceil(ahead * 1000) : 0;
            }
        }
        struct pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {terminal, POLLIN, 0}};
        /* Without a host the terminal always reports a hang-up, so do not wait for it. */
        bool glance = terminal >= 0 && !host_present;
        if (glance)
            sources[1].fd = -1;
        poll(sources, 2, wait_ms);
        if (sources[0].revents && !listen_to_control()) {
            close_terminal();
            return;
        }
        if (terminal >= 0 && sources[0].revents == 0) {
            sources[1].fd = terminal;
            if (glance)
                poll(sources + 1, 1, 0);
            look_at_terminal(sources[1].revents);
        }
    }
}

static void make_processor(const char *path)
{
    elf_firmware_t firmware;
    int control = dup(STDOUT_FILENO);

    /* simavr reports on standard output what it loads, but only answers belong there. */
    dup2(STDERR_FILENO, STDOUT_FILENO);
    memset(&firmware, 0, sizeof firmware);
    if (elf_read_firmware(path, &firmware) != 0) {
        fprintf(stderr, "There is no firmware at %s: build it with make -C hardware.\n", path);
        exit(2);
    }
    firmware.frequency = HZ;
    avr = avr_make_mcu_by_name("atmega328p");
    avr_init(avr);
    avr_load_firmware(avr, &firmware);
    data_end = (uint16_t)(RAM_START + firmware.datasize + firmware.bsssize);
    fflush(stdout);
    dup2(control, STDOUT_FILENO);
    close(control);
    avr->log = LOG_ERROR;
    avr->frequency = HZ;
    avr->vcc = avr->avcc = avr->aref = SUPPLY_MV;
    avr->sleep = sleep_at_once;
    avr_register_io(avr, &surroundings);
    connect_line();
}

/* Put a boot loader behind the firmware. It starts at each reset, and then the firmware. */
static void load_loader(const char *path)
{
    ihex_chunk_p chunks = NULL;
    int count = read_ihex_chunks(path, &chunks);

    if (count <= 0) {
        fprintf(stderr, "There is no boot loader at %s.\n", path);
        exit(2);
    }
    avr->reset_pc = chunks[0].baseaddr;
    for (int i = 0; i < count; i++) {
        memcpy(avr->flash + chunks[i].baseaddr, chunks[i].data, chunks[i].size);
        if (chunks[i].baseaddr < avr->reset_pc)
            avr->reset_pc = chunks[i].baseaddr;
    }
    free_ihex_chunks(chunks);
    avr->codeend = avr->flashend;
    boot_ms = 0;
}

int main(int count, char **arguments)
{
    const char *loader = NULL;

    if (count < 2 || count % 2 != 0) {
        fprintf(stderr, "Usage: emulator FIRMWARE.elf [--line LINK] [--speed X|max] [--boot MS] "
                        "[--loader FILE.hex] [--seed N] [--tolerance PERCENT]\n");
        return 2;
    }
    for (int i = 2; i < count; i += 2) {
        const char *option = arguments[i], *value = arguments[i + 1];

        if (!strcmp(option, "--line")) {
            link_path = value;
            lockstep = false;
        } else if (!strcmp(option, "--speed")) {
            speed = strcmp(value, "max") ? atof(value) : 0;
        } else if (!strcmp(option, "--boot")) {
            boot_ms = atol(value);
        } else if (!strcmp(option, "--loader")) {
            loader = value;
        } else if (!strcmp(option, "--seed")) {
            dice ^= strtoull(value, NULL, 0) * 0x9E3779B97F4A7C15ull;
        } else if (!strcmp(option, "--tolerance")) {
            tolerance = atof(value) / 100;
        } else {
            fprintf(stderr, "%s is not an option.\n", option);
            return 2;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    make_processor(arguments[1]);
    if (loader != NULL)
        load_loader(loader);
    build_board();
    reset_board(PORF);
    if (link_path != NULL && !open_terminal()) {
        fprintf(stderr, "No pseudo terminal can be opened at %s.\n", link_path);
        return 2;
    }
    /* This lets the holes be filled before the board first reads them. */
    say_ok();
    fflush(stdout);
    live();
    return 0;
}
