/* Runs the real firmware in a simulated ATmega328P, with a simulated board around it.
 *
 *   emulator FIRMWARE.elf [--line LINK] [--speed X|max] [--boot MS] [--seed N] [--tolerance PERCENT]
 *
 * With --line, the serial line is a pseudo terminal to which LINK points, and time passes as on the
 * wall clock, X times as fast, or as fast as possible. Without it, time passes only in `run`, and
 * the line is part of the control channel: the same commands always give the same answers.
 *
 * --boot: each opening of the line resets the board, which is then deaf for MS, like an Arduino's
 * boot loader. --seed: chooses the random resistors and noise. --tolerance: that of the resistors,
 * 1 by default.
 *
 * Commands are lines on standard input; the program ends with it. The answer to each command is
 * `ok TIME …` or `error WHY`; TIME is simulated milliseconds.
 *
 *   set SQUARE PIECE [MS]   a piece, `-` for none, or `!` for a plug that the board cannot read;
 *                           the contact bounces for MS
 *   fen PLACEMENT           sets all holes at once
 *   feel SQUARE MS          the contact opens for MS and closes again
 *   fault SQUARE, mend SQUARE    shorts the contact, until `mend` or the next `set`
 *   lever SIDE down|up, press SIDE [MS]     SIDE is white or black
 *   buzzer                  the times when it went on and off since the last question: TIME+, TIME-
 *   hang                    catches the firmware in a loop
 *   unplug, plug, reset     plugging in and resetting take the boot loader's time
 *   noise OUT IN            flips so many bits in a million, from and to the board
 *   lose N, garble N        loses the next N frames from the board, or flips one bit of each
 *   say HEX                 these bytes reach the host, as if the board had sent them
 *   hear HEX                these bytes reach the board, as if the host had sent them
 *   run MS                  first answers `said TIME HEX` for each part that the board sent, where
 *                           TIME is that of the last bit, and then `ok TIME`
 *   time, quit
 */
#define _GNU_SOURCE
#include "../firmware/ladder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include <avr_adc.h>
#include <avr_ioport.h>
#include <avr_uart.h>
#include <sim_avr.h>
#include <sim_elf.h>
#include <sim_io.h>

#define HZ 16000000ull
#define MS (HZ / 1000)
#define SUPPLY_MV 5000

/* Registers of the ATmega328P, by address. */
#define R_MCUSR 0x54
#define R_UCSR0A 0xC0
#define R_UBRR0L 0xC4
#define R_UBRR0H 0xC5
#define PORF 1
#define EXTRF 2
#define U2X 2

static avr_t *avr;
static bool powered = true, lockstep = true;
static double speed = 1;
static long boot_ms = -1;
static uint64_t deaf_until;

/* --- chance ------------------------------------------------------------------------------ */

static uint64_t dice = 88172645463325252ull;

static double chance(void)
{
    dice ^= dice << 13;
    dice ^= dice >> 7;
    dice ^= dice << 17;
    return (double)(dice >> 11) / 9007199254740992.0;
}

static double within(double low, double high)
{
    return low + (high - low) * chance();
}

/* --- holes ------------------------------------------------------------------------------- */

#define OPEN_OHM 1e12
#define SHORT_OHM 0.001

static const char PIECES[] = "-PRNBKQprnbkq";
static const int OHMS[] = LADDER_OHMS;

static struct hole {
    double ohms, before;
    uint64_t bounces_until, open_until;
    bool faulty;
} holes[64];

static double pull_up[4];
static double tolerance = 0.01;
static uint8_t channel;

static void put(int square, char piece, double bounce_ms)
{
    struct hole *hole = &holes[square];
    long code = strchr(PIECES, piece) - PIECES;

    hole->before = hole->ohms;
    if (piece == '-')
        hole->ohms = OPEN_OHM;
    else if (piece == '!')
        hole->ohms = SHORT_OHM;
    else
        hole->ohms = OHMS[code] * within(1 - tolerance, 1 + tolerance);
    hole->bounces_until = avr->cycle + (uint64_t)(bounce_ms * MS);
    hole->faulty = false;
}

static double ohms_at(const struct hole *hole)
{
    if (hole->faulty)
        return SHORT_OHM;
    if (avr->cycle < hole->open_until)
        return OPEN_OHM;
    if (avr->cycle < hole->bounces_until && chance() < 0.5)
        return hole->before;
    return hole->ohms;
}

static void select_changes(struct avr_irq_t *irq, uint32_t value, void *bit)
{
    (void)irq;
    if (value)
        channel |= (uint8_t)(1 << (intptr_t)bit);
    else
        channel &= (uint8_t)~(1 << (intptr_t)bit);
}

/* The converter starts: give it the voltage of the divider in the selected hole. */
static void converter_starts(struct avr_irq_t *irq, uint32_t value, void *nothing)
{
    union {
        avr_adc_mux_t mux;
        uint32_t value;
    } input = {.value = value};

    (void)irq, (void)nothing;
    if (input.mux.kind != ADC_MUX_SINGLE || input.mux.src > 3)
        return;
    double multiplexer = within(40, 160), contact = within(0, 20);
    double ohms = ohms_at(&holes[input.mux.src * 16 + channel]) + multiplexer + contact;
    double mv = SUPPLY_MV * ohms / (ohms + pull_up[input.mux.src]) + within(-5, 5);
    mv = fmin(fmax(mv, 0), SUPPLY_MV);
    avr_raise_irq(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_ADC0 + input.mux.src),
                  (uint32_t)lround(mv));
}

/* --- levers and buzzer ------------------------------------------------------------------- */

static struct {
    bool down;
    uint64_t springs_at;
} levers[2];

/* The firmware writes to the same port all the time, after which simavr takes the inputs from
 * the values set here. */
static void show_levers(void)
{
    avr_ioport_external_t pins = {.name = 'D', .mask = 0x0C, .value = 0};

    for (int lever = 0; lever < 2; lever++)
        if (!levers[lever].down)
            pins.value |= 4 << lever;
    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL('D'), &pins);
    for (int lever = 0; lever < 2; lever++) {
        avr_irq_t *pin = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 2 + lever);
        /* A reset clears the pin, but simavr passes on only changes: change the pin twice. */
        avr_raise_irq(pin, levers[lever].down);
        avr_raise_irq(pin, !levers[lever].down);
    }
}

static void move_lever(int lever, bool down, uint64_t springs_at)
{
    levers[lever].down = down;
    levers[lever].springs_at = springs_at;
    show_levers();
}

static void spring_levers(void)
{
    for (int lever = 0; lever < 2; lever++)
        if (levers[lever].springs_at != 0 && avr->cycle >= levers[lever].springs_at)
            move_lever(lever, false, 0);
}

static struct {
    uint64_t at;
    bool on;
} sounds[64];
static int sound_count;
static bool sounding;

static void buzzer_changes(struct avr_irq_t *irq, uint32_t value, void *nothing)
{
    (void)irq, (void)nothing;
    if (sounding == (value & 1))
        return;
    sounding = value & 1;
    if (sound_count < 64) {
        sounds[sound_count].at = avr->cycle;
        sounds[sound_count++].on = sounding;
    }
}

/* --- the serial line --------------------------------------------------------------------- */

static int terminal = -1;
static const char *link_path;
static bool host_present;

#define QUEUE 4096
/* From the board: each byte with the time of its last bit. To the board: bytes only. */
static struct {
    uint8_t byte;
    uint64_t at;
} from_board[QUEUE];
static uint8_t to_board[QUEUE];
static unsigned from_head, from_tail, to_head, to_tail;

static double flip_out, flip_in;
static int lose, garble;

static uint64_t board_baud(void)
{
    unsigned divider = avr->data[R_UBRR0L] | (avr->data[R_UBRR0H] & 15) << 8;

    return HZ / ((avr->data[R_UCSR0A] & U2X ? 8 : 16) * (divider + 1));
}

static uint64_t byte_cycles(void)
{
    uint64_t baud = board_baud();

    return 10 * HZ / (baud > 300 ? baud : 300);
}

static double host_baud(void)
{
    static const struct {
        speed_t code;
        double baud;
    } known[] = {{B1200, 1200},   {B2400, 2400},     {B4800, 4800},   {B9600, 9600},
                 {B19200, 19200}, {B38400, 38400},   {B57600, 57600}, {B115200, 115200},
                 {B230400, 230400}};
    struct termios settings;

    if (terminal < 0 || tcgetattr(terminal, &settings) != 0)
        return 0;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (cfgetospeed(&settings) == known[i].code)
            return known[i].baud;
    return 0;
}

/* The byte that a receiver at another speed reads. `ratio` is the sender's bits per bit of the
 * receiver. */
static uint8_t sampled(uint8_t byte, double ratio)
{
    unsigned line = ~0u << 9 | (unsigned)byte << 1;
    uint8_t read = 0;

    for (int bit = 0; bit < 8; bit++) {
        int at = (int)((bit + 1.5) * ratio);
        if (at > 9 || line >> at & 1)
            read |= (uint8_t)(1 << bit);
    }
    return read;
}

static uint8_t over_the_line(uint8_t byte, bool outward)
{
    double host = host_baud(), board = (double)board_baud();
    double flips = outward ? flip_out : flip_in;

    if (host > 0 && fabs(host / board - 1) > 0.04)
        byte = sampled(byte, outward ? board / host : host / board);
    if (flips > 0)
        for (int bit = 0; bit < 8; bit++)
            if (chance() < flips)
                byte ^= (uint8_t)(1 << bit);
    return byte;
}

static void board_sends(struct avr_irq_t *irq, uint32_t value, void *nothing)
{
    static uint64_t last;

    (void)irq, (void)nothing;
    if (from_head - from_tail == QUEUE)
        return;
    /* simavr reports when the byte is written. It goes on the line after the byte before. */
    last = (last > avr->cycle ? last : avr->cycle) + byte_cycles();
    from_board[from_head % QUEUE].byte = (uint8_t)value;
    from_board[from_head++ % QUEUE].at = last;
}

static void flush_said(char *hex, size_t *length, uint64_t at)
{
    if (*length > 0 && lockstep)
        printf("said %.3f %s\n", (double)at / MS, hex);
    *length = 0;
}

static void to_host(uint8_t byte)
{
    if (terminal >= 0 && host_present && write(terminal, &byte, 1) != 1 && errno != EAGAIN)
        host_present = false;
}

/* Pass on what has crossed the line by now, frame by frame in lock-step. */
static void deliver_to_host(void)
{
    static char hex[2 * 128 + 1];
    static size_t length;
    static bool in_frame, losing;
    static int garble_in = -1;
    uint64_t at = avr->cycle;

    while (from_tail != from_head && from_board[from_tail % QUEUE].at <= avr->cycle) {
        uint8_t byte = from_board[from_tail % QUEUE].byte;
        bool ends = byte == 0 && in_frame, lost;

        at = from_board[from_tail++ % QUEUE].at;
        if (byte != 0 && !in_frame) {
            losing = lose > 0;
            lose -= losing;
            garble_in = !losing && garble > 0 ? (int)within(0, 4) : -1;
            garble -= garble_in >= 0;
        }
        in_frame = byte != 0;
        lost = losing;
        losing = losing && !ends;
        if (lost)
            continue;
        if (garble_in >= 0 && garble_in-- == 0)
            byte ^= (uint8_t)(1 << (int)within(0, 8));
        byte = over_the_line(byte, true);
        if (!lockstep) {
            to_host(byte);
            continue;
        }
        sprintf(hex + length, "%02x", byte);
        length += 2;
        if (ends || length == sizeof hex - 1)
            flush_said(hex, &length, at);
    }
    flush_said(hex, &length, at);
}

static void to_board_later(uint8_t byte)
{
    if (to_head - to_tail < QUEUE && powered && avr->cycle >= deaf_until)
        to_board[to_head++ % QUEUE] = byte;
}

static avr_cycle_count_t deliver_to_board(avr_t *it, avr_cycle_count_t when, void *nothing)
{
    (void)nothing;
    if (to_tail == to_head)
        return 0;
    uint8_t byte = over_the_line(to_board[to_tail++ % QUEUE], false);
    avr_raise_irq(avr_io_getirq(it, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), byte);
    return when + byte_cycles();
}

/* --- power and time ---------------------------------------------------------------------- */

static void silence_line(void)
{
    from_head = from_tail = to_head = to_tail = 0;
}

/* After each reset, also by the watchdog, the pins have to be set again. */
static bool was_reset;

static void processor_resets(struct avr_io_t *io)
{
    (void)io;
    was_reset = true;
}

static avr_io_t surroundings = {.kind = "board", .reset = processor_resets};

static void reset_board(uint8_t cause)
{
    avr_reset(avr);
    avr->data[R_MCUSR] = cause;
    silence_line();
    show_levers();
    deaf_until = avr->cycle + (boot_ms > 0 ? (uint64_t)boot_ms * MS : 0);
}

/* Write a jump to itself behind the firmware, and go there. */
static void hang(void)
{
    const avr_flashaddr_t at = 0x7000;

    avr->flash[at] = 0xFF;
    avr->flash[at + 1] = 0xCF;
    avr->codeend = avr->flashend;
    avr->pc = at;
    avr->state = cpu_Running;
}

static bool open_terminal(void)
{
    char name[PATH_MAX], beside[PATH_MAX + 8];
    struct termios settings;
    int slave;

    terminal = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    if (terminal < 0 || grantpt(terminal) != 0 || unlockpt(terminal) != 0 ||
        ptsname_r(terminal, name, sizeof name) != 0)
        return false;
    /* Make it raw before a host opens it, or it would echo the first bytes. After this first
     * opening and closing it reports a hang-up until a host opens it. */
    slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (slave < 0 || tcgetattr(slave, &settings) != 0)
        return false;
    cfmakeraw(&settings);
    tcsetattr(slave, TCSANOW, &settings);
    close(slave);
    host_present = false;
    snprintf(beside, sizeof beside, "%s.new", link_path);
    unlink(beside);
    return symlink(name, beside) == 0 && rename(beside, link_path) == 0;
}

static void close_terminal(void)
{
    if (terminal >= 0) {
        close(terminal);
        unlink(link_path);
    }
    terminal = -1;
    host_present = false;
}

static avr_cycle_count_t wake(avr_t *it, avr_cycle_count_t when, void *nothing)
{
    (void)it, (void)when, (void)nothing;
    return 0;
}

static void run_until(uint64_t end)
{
    while (avr->cycle < end) {
        uint64_t stop = avr->cycle + MS < end ? avr->cycle + MS : end;

        if (!powered || avr->cycle < deaf_until) {
            if (powered && deaf_until < stop)
                stop = deaf_until;
            avr->cycle = stop;
            continue;
        }
        /* A reset, also one by the watchdog, removes simavr's timers. */
        if (to_tail != to_head && !avr_cycle_timer_status(avr, deliver_to_board, NULL))
            avr_cycle_timer_register(avr, byte_cycles(), deliver_to_board, NULL);
        /* A sleeping processor goes straight to its next timer, so set one at `stop`. */
        avr_cycle_timer_register(avr, stop - avr->cycle, wake, NULL);
        while (avr->cycle < stop) {
            int state = avr_run(avr);
            if (state == cpu_Done || state == cpu_Crashed) {
                fprintf(stderr, "The firmware crashed at %.3f ms.\n", (double)avr->cycle / MS);
                exit(3);
            }
        }
        if (was_reset)
            show_levers();
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

/* --- control ----------------------------------------------------------------------------- */

static void say_ok(void)
{
    printf("ok %.3f\n", (double)avr->cycle / MS);
}

static void say_error(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("error ", stdout);
    vprintf(format, arguments);
    putchar('\n');
    va_end(arguments);
}

static int square_of(const char *name)
{
    if (name[0] < 'a' || name[0] > 'h' || name[1] < '1' || name[1] > '8' || name[2] != 0)
        return -1;
    return name[0] - 'a' + 8 * (name[1] - '1');
}

static bool is_piece(const char *text)
{
    return text[0] != 0 && text[1] == 0 && strchr("-!PRNBKQprnbkq", text[0]) != NULL;
}

static bool set_up(const char *placement)
{
    char pieces[64];
    int rank = 7, file = 0;

    memset(pieces, '-', sizeof pieces);
    for (const char *c = placement; *c; c++) {
        if (*c == '/') {
            if (file != 8 || rank-- == 0)
                return false;
            file = 0;
        } else if (*c >= '1' && *c <= '8') {
            file += *c - '0';
        } else if (*c != '-' && strchr(PIECES, *c) && file < 8) {
            pieces[8 * rank + file++] = *c;
        } else {
            return false;
        }
        if (file > 8)
            return false;
    }
    if (rank != 0 || file != 8)
        return false;
    for (int square = 0; square < 64; square++)
        put(square, pieces[square], 0);
    return true;
}

static void say_sounds(void)
{
    printf("ok %.3f", (double)avr->cycle / MS);
    for (int i = 0; i < sound_count; i++)
        printf(" %.3f%c", (double)sounds[i].at / MS, sounds[i].on ? '+' : '-');
    putchar('\n');
    sound_count = 0;
}

static void bytes_of(const char *hex, void (*take)(uint8_t))
{
    unsigned byte;

    for (; sscanf(hex, "%2x", &byte) == 1; hex += 2) {
        take((uint8_t)byte);
        if (hex[1] == 0)
            return;
    }
}

static void obey(char *line)
{
    char *words[5] = {NULL}, *rest = NULL;
    int count = 0;

    for (char *word = strtok_r(line, " \r\n", &rest); word != NULL && count < 5;
         word = strtok_r(NULL, " \r\n", &rest))
        words[count++] = word;
    if (count == 0)
        return;

    const char *command = words[0], *first = count > 1 ? words[1] : "";
    const char *second = count > 2 ? words[2] : "", *third = count > 3 ? words[3] : "0";
    int square = square_of(first);
    int side = !strcmp(first, "white") ? 0 : !strcmp(first, "black") ? 1 : -1;
    bool by_square = !strcmp(command, "set") || !strcmp(command, "feel") ||
                     !strcmp(command, "fault") || !strcmp(command, "mend");

    if (by_square && square < 0) {
        say_error("%s is no square", first);
        return;
    }
    if ((!strcmp(command, "lever") || !strcmp(command, "press")) && side < 0) {
        say_error("%s has no lever: write white or black", first);
        return;
    }
    if (!strcmp(command, "set")) {
        if (!is_piece(second)) {
            say_error("%s is no piece", second);
            return;
        }
        put(square, second[0], atof(third));
    } else if (!strcmp(command, "fen")) {
        if (!set_up(first)) {
            say_error("%s is no position", first);
            return;
        }
    } else if (!strcmp(command, "feel")) {
        holes[square].open_until = avr->cycle + (uint64_t)(atof(second) * MS);
    } else if (!strcmp(command, "fault") || !strcmp(command, "mend")) {
        holes[square].faulty = command[0] == 'f';
    } else if (!strcmp(command, "lever")) {
        move_lever(side, !strcmp(second, "down"), 0);
    } else if (!strcmp(command, "press")) {
        move_lever(side, true, avr->cycle + (uint64_t)((count > 2 ? atof(second) : 80) * MS));
    } else if (!strcmp(command, "buzzer")) {
        say_sounds();
        return;
    } else if (!strcmp(command, "unplug")) {
        powered = false;
        silence_line();
        close_terminal();
    } else if (!strcmp(command, "plug")) {
        if (!powered) {
            powered = true;
            reset_board(PORF);
            if (link_path != NULL && !open_terminal()) {
                say_error("no pseudo terminal can be opened");
                return;
            }
        }
    } else if (!strcmp(command, "reset")) {
        reset_board(EXTRF);
    } else if (!strcmp(command, "hang")) {
        hang();
    } else if (!strcmp(command, "noise")) {
        flip_out = atof(first) / 1e6;
        flip_in = atof(second) / 1e6;
    } else if (!strcmp(command, "lose")) {
        lose = atoi(first);
    } else if (!strcmp(command, "garble")) {
        garble = atoi(first);
    } else if (!strcmp(command, "say")) {
        bytes_of(first, to_host);
    } else if (!strcmp(command, "hear")) {
        bytes_of(first, to_board_later);
    } else if (!strcmp(command, "run")) {
        if (!lockstep) {
            say_error("time goes by itself with --line");
            return;
        }
        run_until(avr->cycle + (uint64_t)(atof(first) * MS));
    } else if (!strcmp(command, "quit")) {
        close_terminal();
        exit(0);
    } else if (strcmp(command, "time") != 0) {
        say_error("%s is no command", command);
        return;
    }
    say_ok();
}

/* Read from standard input and obey each whole line. False at its end. */
static bool listen_to_control(void)
{
    static char lines[16384];
    static size_t length;
    ssize_t got = read(STDIN_FILENO, lines + length, sizeof lines - 1 - length);
    char *end;

    if (got <= 0)
        return false;
    length += (size_t)got;
    lines[length] = 0;
    while ((end = strchr(lines, '\n')) != NULL) {
        *end = 0;
        obey(lines);
        length -= (size_t)(end + 1 - lines);
        memmove(lines, end + 1, length + 1);
    }
    fflush(stdout);
    return length < sizeof lines - 1;
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

    if (present && !host_present && boot_ms >= 0)
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
    uint32_t flags = 0;
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
    fflush(stdout);
    dup2(control, STDOUT_FILENO);
    close(control);
    avr->log = LOG_ERROR;
    avr->frequency = HZ;
    avr->vcc = avr->avcc = avr->aref = SUPPLY_MV;
    avr->sleep = sleep_at_once;
    avr_register_io(avr, &surroundings);
    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    for (int i = 0; i < 4; i++)
        avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 4 + i),
                                select_changes, (void *)(intptr_t)i);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 3), buzzer_changes,
                            NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER),
                            converter_starts, NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            board_sends, NULL);
}

int main(int count, char **arguments)
{
    if (count < 2 || count % 2 != 0) {
        fprintf(stderr, "Usage: emulator FIRMWARE.elf [--line LINK] [--speed X|max] [--boot MS] "
                        "[--seed N] [--tolerance PERCENT]\n");
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
        } else if (!strcmp(option, "--seed")) {
            dice ^= strtoull(value, NULL, 0) * 0x9E3779B97F4A7C15ull;
        } else if (!strcmp(option, "--tolerance")) {
            tolerance = atof(value) / 100;
        } else {
            fprintf(stderr, "%s is no option.\n", option);
            return 2;
        }
    }
    signal(SIGPIPE, SIG_IGN);
    make_processor(arguments[1]);
    for (int i = 0; i < 4; i++)
        pull_up[i] = LADDER_PULL_UP_OHM * within(1 - tolerance, 1 + tolerance);
    for (int square = 0; square < 64; square++)
        put(square, '-', 0);
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
