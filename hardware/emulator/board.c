/* The board around the processor: holes with resistors, two levers, a buzzer. */
#include "emulator.h"

#include "../firmware/ladder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <avr_adc.h>
#include <avr_ioport.h>
#include <sim_io.h>

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
double tolerance = 0.01;
static uint8_t channel;

void put(int square, char piece, double bounce_ms)
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

bool is_piece(const char *text)
{
    return text[0] != 0 && text[1] == 0 && strchr("-!PRNBKQprnbkq", text[0]) != NULL;
}

bool set_up(const char *placement)
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

void feel(int square, double ms)
{
    holes[square].open_until = avr->cycle + (uint64_t)(ms * MS);
}

void set_fault(int square, bool faulty)
{
    holes[square].faulty = faulty;
}

/* --- levers and buzzer ------------------------------------------------------------------- */

static struct {
    bool down;
    uint64_t springs_at;
} levers[2];

/* The firmware writes to the same port all the time, after which simavr takes the inputs from
 * the values set here. */
void show_levers(void)
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

void move_lever(int lever, bool down, uint64_t springs_at)
{
    levers[lever].down = down;
    levers[lever].springs_at = springs_at;
    show_levers();
}

void spring_levers(void)
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

/* Print when the buzzer went on and off since the last call. */
void print_sounds(void)
{
    for (int i = 0; i < sound_count; i++)
        printf(" %.3f%c", (double)sounds[i].at / MS, sounds[i].on ? '+' : '-');
    sound_count = 0;
}

/* --- all together ------------------------------------------------------------------------ */

/* Make the board with empty holes, and join it to the processor. */
void build_board(void)
{
    for (int i = 0; i < 4; i++)
        pull_up[i] = LADDER_PULL_UP_OHM * within(1 - tolerance, 1 + tolerance);
    for (int square = 0; square < 64; square++)
        put(square, '-', 0);
    for (int i = 0; i < 4; i++)
        avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('D'), 4 + i),
                                select_changes, (void *)(intptr_t)i);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), 3), buzzer_changes,
                            NULL);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER),
                            converter_starts, NULL);
}
