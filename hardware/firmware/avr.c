/* The hardware layer: ATmega328P at 16 MHz (Arduino Nano or Uno).
 *
 *   A0 to A3  PC0-PC3  commons of the four multiplexers, each with its pull-up;
 *                      A0 has squares a1-h2, A1 a3-h4, A2 a5-h6, A3 a7-h8
 *   D4 to D7  PD4-PD7  select lines S0 to S3, shared: 0 is a, 7 is h of the lower rank,
 *                      8 is a, 15 is h of the upper one
 *   D2, D3    PD2, PD3 White's and Black's clock lever, pressed to ground
 *   D11       PB3      buzzer with its own oscillator, high sounds
 *   D9        PB1      vibration motor, if there is one: high runs it
 *   D8        PB0      to ground if the motor is there
 *   D10       PB2      signal lamp, if there is one: high lights it
 *   D12       PB4      to ground if the signal lamp is there
 *   D13       PB5      the controller's own lamp: lit while a host listens
 *   D0, D1    PD0, PD1 the serial line
 */
#include "device.h"
#include "port.h"

#include <avr/eeprom.h>
#include <avr/interrupt.h>
#include <avr/io.h>
#include <avr/pgmspace.h>
#include <avr/sleep.h>
#include <avr/wdt.h>
#include <util/delay.h>

#ifndef BAUD
#define BAUD 9600
#endif

#define SCAN_MS 4
/* The common line needs this time to follow the multiplexer through the largest resistor. */
#define SETTLE_US 10
/* While the motor runs, holes are read more seldom: it stands still for each reading, and its coil
 * needs some time until it has no more current. */
#define MOTOR_SCAN_MS 8
#define MOTOR_OFF_US 100

static struct device device;

/* What this firmware is, for `blindplay board flash`, which reads it in files and in boards. */
#define TEXT_OF(value) #value
#define AS_TEXT(value) TEXT_OF(value)
static const char mark[] PROGMEM __attribute__((used)) = "BlindPlay firmware " AS_TEXT(
    FIRMWARE_VERSION) " for atmega328p at " AS_TEXT(BAUD) " baud";

/* --- reset cause ------------------------------------------------------------------------- */

/* Optiboot clears the reset flags and passes them on in r2. After a watchdog reset the watchdog
 * stays on with its shortest time. Handle both before anything else. */
static uint8_t flags_of_loader __attribute__((section(".noinit")));
static uint8_t flags_of_reset __attribute__((section(".noinit")));

void keep_loader_flags(void) __attribute__((naked, used, section(".init0")));
void keep_loader_flags(void)
{
    __asm__ volatile("sts %0, r2" : : "i"(&flags_of_loader));
}

void keep_reset_flags(void) __attribute__((naked, used, section(".init3")));
void keep_reset_flags(void)
{
    flags_of_reset = MCUSR;
    MCUSR = 0;
    wdt_disable();
}

/* This restarts a firmware that hangs, without a reset: the boot loader of older Nanos leaves the
 * watchdog on, which would reset it again and again. keep_loader_flags then finds the flag in r2.
 * If interrupts are off, the watchdog resets the processor. */
ISR(WDT_vect, ISR_NAKED)
{
    __asm__ volatile("ldi r24, %0\n\tmov r2, r24\n\tjmp 0" : : "M"(_BV(WDRF)));
}

static void start_watchdog(void)
{
    wdt_enable(WDTO_500MS);
    WDTCSR |= _BV(WDIE);
}

/* --- time -------------------------------------------------------------------------------- */

static volatile uint32_t milliseconds;

ISR(TIMER0_COMPA_vect)
{
    milliseconds++;
}

static uint32_t now(void)
{
    uint8_t flags = SREG;
    uint32_t time;

    cli();
    time = milliseconds;
    SREG = flags;
    return time;
}

static void start_timers(void)
{
    /* Timer 0: 16 MHz / 64 / 250 = 1 kHz. Timer 1: free running, half a microsecond a tick. */
    TCCR0A = _BV(WGM01);
    OCR0A = 249;
    TIMSK0 = _BV(OCIE0A);
    TCCR0B = _BV(CS01) | _BV(CS00);
    TCCR1B = _BV(CS11);
}

/* --- serial line ------------------------------------------------------------------------- */

/* Powers of two. The sending buffer holds about thirty events, more than hands lift at once. */
#define RX_SIZE 128
#define TX_SIZE 512

static uint8_t rx[RX_SIZE], tx[TX_SIZE];
static volatile uint8_t rx_head, rx_tail, overruns;
static volatile uint16_t tx_head, tx_tail;

ISR(USART_RX_vect)
{
    uint8_t status = UCSR0A, byte = UDR0, next = (rx_head + 1) % RX_SIZE;

    if ((status & _BV(DOR0) || next == rx_tail) && overruns < 255)
        overruns++;
    if (next == rx_tail)
        return;
    rx[rx_head] = byte;
    rx_head = next;
}

ISR(USART_UDRE_vect)
{
    UDR0 = tx[tx_tail];
    tx_tail = (tx_tail + 1) % TX_SIZE;
    if (tx_tail == tx_head)
        UCSR0B &= ~_BV(UDRIE0);
}

static void start_serial(void)
{
    UCSR0A = _BV(U2X0);
    UBRR0 = (F_CPU / 4 / BAUD - 1) / 2;
    UCSR0C = _BV(UCSZ01) | _BV(UCSZ00);
    UCSR0B = _BV(RXEN0) | _BV(TXEN0) | _BV(RXCIE0);
}

static bool receive(uint8_t *byte)
{
    if (rx_head == rx_tail)
        return false;
    *byte = rx[rx_tail];
    rx_tail = (rx_tail + 1) % RX_SIZE;
    return true;
}

uint16_t port_room(void)
{
    uint16_t used;

    cli();
    used = (uint16_t)(tx_head - tx_tail) % TX_SIZE;
    sei();
    return TX_SIZE - 1 - used;
}

void port_send(const uint8_t *bytes, uint8_t count)
{
    uint16_t head = tx_head;

    if (count > port_room())
        return;
    for (uint8_t i = 0; i < count; i++) {
        tx[head] = bytes[i];
        head = (head + 1) % TX_SIZE;
    }
    cli();
    tx_head = head;
    UCSR0B |= _BV(UDRIE0);
    sei();
}

/* --- holes and levers -------------------------------------------------------------------- */

static void start_inputs(void)
{
    DDRD = _BV(PD1) | 0xF0;
    PORTD = _BV(PD2) | _BV(PD3);
    PORTB = _BV(PB0) | _BV(PB4);
    DDRB = _BV(PB3) | _BV(PB5);
    DIDR0 = 0x0F;
    /* The supply is the reference, since it also feeds the pull-ups. At 500 kHz the converter is
     * wrong by one reading; the ladder allows three. */
    ADMUX = _BV(REFS0);
    ADCSRA = _BV(ADEN) | _BV(ADPS2) | _BV(ADPS0);
}

/* Which of motor and lamp are there. Pins that lead nowhere stay inputs. */
static uint8_t find_fitted(void)
{
    uint8_t fitted = 0;

    if (!(PINB & _BV(PB0))) {
        fitted |= CAN_MOTOR;
        DDRB |= _BV(PB1);
    }
    if (!(PINB & _BV(PB4))) {
        fitted |= CAN_LAMP;
        DDRB |= _BV(PB2);
    }
    return fitted;
}

static void set_pin(uint8_t pin, bool on)
{
    if (on)
        PORTB |= _BV(pin);
    else
        PORTB &= (uint8_t)~_BV(pin);
}

static bool motor_on;

static void rest_motor(void)
{
    if (!motor_on)
        return;
    set_pin(PB1, false);
    _delay_us(MOTOR_OFF_US);
}

static void select_channel(uint8_t channel)
{
    PORTD = (uint8_t)((PORTD & 0x0F) | channel << 4);
    _delay_us(SETTLE_US);
}

static void start_conversion(uint8_t multiplexer)
{
    ADMUX = _BV(REFS0) | multiplexer;
    ADCSRA |= _BV(ADSC);
}

static uint16_t conversion(void)
{
    while (ADCSRA & _BV(ADSC))
        ;
    return ADC;
}

uint16_t port_convert(uint8_t square)
{
    uint16_t reading;

    rest_motor();
    select_channel(square % 16);
    start_conversion(square / 16);
    reading = conversion();
    set_pin(PB1, motor_on);
    return reading;
}

static bool lever_down(uint8_t lever)
{
    return !(PIND & (lever ? _BV(PD3) : _BV(PD2)));
}

static void first_look(void)
{
    for (uint8_t square = 0; square < SQUARES; square++)
        board_begin_hole(&device.board, square, classify(port_convert(square)));
    for (uint8_t lever = 0; lever < LEVERS; lever++)
        board_begin_lever(&device.board, lever, lever_down(lever));
}

static void scan(void)
{
    uint16_t start = TCNT1;
    uint32_t time = now();

    rest_motor();
    for (uint8_t lever = 0; lever < LEVERS; lever++)
        device_lever(&device, lever, lever_down(lever), time);
    for (uint8_t channel = 0; channel < 16; channel++) {
        uint16_t reading;

        select_channel(channel);
        start_conversion(0);
        /* Process each reading during the next conversion. */
        for (uint8_t multiplexer = 0; multiplexer < 4; multiplexer++) {
            reading = conversion();
            if (multiplexer < 3)
                start_conversion(multiplexer + 1);
            device_read(&device, (uint8_t)(16 * multiplexer + channel), reading, time);
        }
    }
    set_pin(PB1, motor_on);
    device.scan_us = (uint16_t)(TCNT1 - start) / 2;
}

void port_buzzer(bool on)
{
    set_pin(PB3, on);
}

void port_motor(bool on)
{
    motor_on = on;
    set_pin(PB1, on);
}

void port_lamp(bool on)
{
    set_pin(PB2, on);
}

/* --- data that survives a loss of power -------------------------------------------------- */

struct kept {
    struct settings settings;
    uint16_t crc;
};

/* The places in the EEPROM are the same in each version, whatever the compiler. */
#define BOOTS_AT 0
#define SETTINGS_AT 1
#define KEPT_AT 64
#define PLACE(at) ((uint8_t *)(uintptr_t)(at))

_Static_assert(SETTINGS_AT + sizeof(struct kept) <= KEPT_AT, "the settings fit before the rest");

uint8_t port_kept(uint8_t at)
{
    return eeprom_read_byte(PLACE(KEPT_AT + at));
}

void port_keep(uint8_t at, uint8_t value)
{
    eeprom_update_byte(PLACE(KEPT_AT + at), value);
    eeprom_busy_wait();
}

static uint16_t crc_of(const struct settings *settings)
{
    const uint8_t *bytes = (const uint8_t *)settings;
    uint16_t crc = 0xFFFF;

    for (uint8_t i = 0; i < sizeof *settings; i++)
        crc = crc16(crc, bytes[i]);
    return crc;
}

void port_save(const struct settings *settings)
{
    struct kept wanted = {*settings, crc_of(settings)};

    eeprom_update_block(&wanted, PLACE(SETTINGS_AT), sizeof wanted);
}

static struct settings saved(void)
{
    const struct settings usual = DEFAULT_SETTINGS;
    struct kept found;

    eeprom_read_block(&found, PLACE(SETTINGS_AT), sizeof found);
    return found.crc == crc_of(&found.settings) && settings_valid(&found.settings) ? found.settings
                                                                                 : usual;
}

/* The low byte differs from that of the last 255 boots. The high byte is noise of the converter,
 * so two boards on one port are unlikely to have the same nonce. */
static uint16_t new_nonce(void)
{
    uint8_t boot = (uint8_t)(eeprom_read_byte(PLACE(BOOTS_AT)) + 1), noise = 0;

    eeprom_update_byte(PLACE(BOOTS_AT), boot);
    for (uint8_t square = 0; square < SQUARES; square++)
        noise = (uint8_t)(noise * 31 + port_convert(square) + TCNT1);
    return (uint16_t)(noise << 8 | boot);
}

/* --- all together ------------------------------------------------------------------------ */

int main(void)
{
    struct settings settings = saved();
    uint32_t scanned_at = 0;
    uint8_t byte;

    start_inputs();
    start_serial();
    start_timers();
    sei();
    device_begin(&device, &settings, new_nonce(),
                 flags_of_reset ? flags_of_reset : flags_of_loader, find_fitted());
    first_look();
    set_sleep_mode(SLEEP_MODE_IDLE);
    start_watchdog();
    for (;;) {
        wdt_reset();
        device.overruns = overruns;
        while (receive(&byte))
            device_hear(&device, byte, now());
        if (now() - scanned_at >= (motor_on ? MOTOR_SCAN_MS : SCAN_MS)) {
            scanned_at = now();
            scan();
        }
        device_tick(&device, now());
        set_pin(PB5, device.language != NO_LANGUAGE);
        /* An interrupt between the check and the sleep would have to wait for up to 1 ms. */
        cli();
        if (rx_head == rx_tail) {
            sleep_enable();
            sei();
            sleep_cpu();
            sleep_disable();
        }
        sei();
    }
}
