/* The board around the processor: holes with resistors, two levers, a buzzer, a motor, a lamp. */
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
    double ohms, before, worn, damp;
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
    hole->worn = 0;
    hole->damp = OPEN_OHM;
}

static bool motor_disturbs(void);

/* What the contact alone has. */
static double contact_at(const struct hole *hole)
{
    if (hole->faulty)
        return SHORT_OHM;
    if (avr->cycle < hole->open_until)
        return OPEN_OHM;
    if (avr->cycle < hole->bounces_until && chance() < 0.5)
        return hole->before;
    return hole->ohms + hole->worn;
}

static double ohms_at(const struct hole *hole)
{
    return 1 / (1 / contact_at(hole) + 1 / hole->damp);
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
    double mv = motor_disturbs() ? within(0, SUPPLY_MV) :
                SUPPLY_MV * ohms / (ohms + pull_up[input.mux.src]) + within(-5, 5);
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

void set_fault(int square)
{
    holes[square].faulty = true;
}

void set_resistance(int square, double ohms)
{
    holes[square].worn = ohms;
}

void set_damp(int square, double ohms)
{
    holes[square].damp = ohms;
}

void mend(int square)
{
    holes[square].faulty = false;
    holes[square].worn = 0;
    holes[square].damp = OPEN_OHM;
}

/* --- levers ------------------------------------------------------------------------------- */

static struct {
    bool down;
    uint64_t springs_at;
} levers[2];

/* The firmware writes to the same port all the time, after which simavr takes the inputs from
 * the values set here. */
static void set_inputs(char port, uint8_t mask, uint8_t value)
{
    avr_ioport_external_t pins = {.name = (unsigned)port, .mask = mask, .value = value};

    avr_ioctl(avr, AVR_IOCTL_IOPORT_SET_EXTERNAL(port), &pins);
    for (int i = 0; i < 8; i++) {
        avr_irq_t *pin = avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ(port), i);
        if (!(mask >> i & 1))
            continue;
        /* A reset clears the pin, but simavr passes on only changes: change the pin twice. */
        avr_raise_irq(pin, !(value >> i & 1));
        avr_raise_irq(pin, value >> i & 1);
    }
}

void show_levers(void)
{
    uint8_t up = 0;

    for (int lever = 0; lever < 2; lever++)
        if (!levers[lever].down)
            up |= (uint8_t)(4 << lever);
    set_inputs('D', 0x0C, up);
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

/* --- buzzer, motor and lamp --------------------------------------------------------------- */

/* A motor that stands still for a moment runs on: it is switched off while holes are read. */
#define RUNS_ON (10 * MS)
/* So long after it is switched off, its coil still disturbs what is measured. */
#define DISTURBS (HZ / 20000)

#define OUTPUTS 3
static struct output {
    const char *name;
    int pin;       /* of port B */
    int sense_pin; /* to ground if it is there; -1 if it always is */
    bool fitted, on;
    uint64_t off_at;
    int count;
    struct {
        uint64_t at;
        bool on;
    } edges[64];
} outputs[OUTPUTS] = {{.name = "buzzer", .pin = 3, .sense_pin = -1},
                      {.name = "motor", .pin = 1, .sense_pin = 0},
                      {.name = "lamp", .pin = 2, .sense_pin = 4}};
#define MOTOR (outputs + 1)

static void output_changes(struct avr_irq_t *irq, uint32_t value, void *which)
{
    struct output *it = which;
    int last = it->count - 1;

    (void)irq;
    if (it->on == (value & 1) || !(it->fitted || it->sense_pin < 0))
        return;
    it->on = value & 1;
    if (!it->on)
        it->off_at = avr->cycle;
    if (it->on && last >= 0 && avr->cycle - it->edges[last].at < RUNS_ON) {
        it->count--;
    } else if (it->count < 64) {
        it->edges[it->count].at = avr->cycle;
        it->edges[it->count++].on = it->on;
    }
}

static bool motor_disturbs(void)
{
    return MOTOR->on || (MOTOR->off_at != 0 && avr->cycle - MOTOR->off_at < DISTURBS);
}

static struct output *output_of(const char *name)
{
    for (int i = 0; i < OUTPUTS; i++)
        if (!strcmp(outputs[i].name, name))
            return outputs + i;
    return NULL;
}

bool fit(const char *name)
{
    struct output *it = output_of(name);

    if (it == NULL)
        return false;
    it->fitted = true;
    show_fitted();
    return true;
}

/* Print when it went on and off since the last call. */
void print_edges(const char *name)
{
    struct output *it = output_of(name);
    int told = it->count;

    /* It may only stand still for a moment. */
    if (told > 0 && !it->on && avr->cycle - it->edges[told - 1].at < RUNS_ON)
        told--;
    for (int i = 0; i < told; i++)
        printf(" %.3f%c", (double)it->edges[i].at / MS, it->edges[i].on ? '+' : '-');
    it->count -= told;
    if (it->count > 0)
        it->edges[0] = it->edges[told];
}

void show_fitted(void)
{
    uint8_t open = 0x11;

    for (int i = 0; i < OUTPUTS; i++)
        if (outputs[i].fitted)
            open &= (uint8_t)~(1 << outputs[i].sense_pin);
    set_inputs('B', 0x11, open);
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
    for (int i = 0; i < OUTPUTS; i++)
        avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_IOPORT_GETIRQ('B'), outputs[i].pin),
                                output_changes, outputs + i);
    avr_irq_register_notify(avr_io_getirq(avr, AVR_IOCTL_ADC_GETIRQ, ADC_IRQ_OUT_TRIGGER),
                            converter_starts, NULL);
}
