/* The serial line between the board and a host, and the pseudo terminal at its end. */
#define _GNU_SOURCE
#include "emulator.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/inotify.h>
#include <termios.h>
#include <unistd.h>

#include <avr_uart.h>
#include <sim_io.h>

/* Registers of the ATmega328P, by address. */
#define R_UCSR0A 0xC0
#define R_UBRR0L 0xC4
#define R_UBRR0H 0xC5
#define U2X 2

int terminal = -1;
/* Tells of each opening, also of one that follows a closing at once. */
static int openings = -1;
const char *link_path;
bool host_present;

#define QUEUE 4096
/* From the board: each byte with the time of its last bit. To the board: bytes only. */
static struct {
    uint8_t byte;
    uint64_t at;
} from_board[QUEUE];
static uint8_t to_board[QUEUE];
static unsigned from_head, from_tail, to_head, to_tail;

double flip_out, flip_in;
int lose, garble;

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

void to_host(uint8_t byte)
{
    if (terminal >= 0 && host_present && write(terminal, &byte, 1) != 1 && errno != EAGAIN)
        host_present = false;
}

/* Pass on what has crossed the line by now, frame by frame in lock-step. */
void deliver_to_host(void)
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

void to_board_later(uint8_t byte)
{
    if (to_head - to_tail < QUEUE && powered && avr->cycle >= deaf_until)
        to_board[to_head++ % QUEUE] = byte;
}

static avr_cycle_count_t next_byte_arrives(avr_t *it, avr_cycle_count_t when, void *nothing)
{
    (void)nothing;
    if (to_tail == to_head)
        return 0;
    uint8_t byte = over_the_line(to_board[to_tail++ % QUEUE], false);
    avr_raise_irq(avr_io_getirq(it, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_INPUT), byte);
    return when + byte_cycles();
}

/* Let the waiting bytes arrive at the board. A reset, also one by the watchdog, removes simavr's
 * timers, so call this again and again. */
void deliver_to_board(void)
{
    if (to_tail != to_head && !avr_cycle_timer_status(avr, next_byte_arrives, NULL))
        avr_cycle_timer_register(avr, byte_cycles(), next_byte_arrives, NULL);
}

void silence_line(void)
{
    from_head = from_tail = to_head = to_tail = 0;
}

void connect_line(void)
{
    uint32_t flags = 0;

    avr_ioctl(avr, AVR_IOCTL_UART_SET_FLAGS('0'), &flags);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_UART_GETIRQ('0'), UART_IRQ_OUTPUT),
                            board_sends, NULL);
}

bool open_terminal(void)
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
    openings = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (openings < 0 || inotify_add_watch(openings, name, IN_OPEN) < 0)
        return false;
    host_present = false;
    snprintf(beside, sizeof beside, "%s.new", link_path);
    unlink(beside);
    return symlink(name, beside) == 0 && rename(beside, link_path) == 0;
}

bool terminal_was_opened(void)
{
    char events[1024];
    bool any = false;

    while (read(openings, events, sizeof events) > 0)
        any = true;
    return any;
}

void close_terminal(void)
{
    if (terminal >= 0) {
        close(terminal);
        close(openings);
        unlink(link_path);
    }
    terminal = -1;
    host_present = false;
}
