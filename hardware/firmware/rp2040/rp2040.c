/* The hardware layer: RP2040 (Raspberry Pi Pico), with its crystal's 12 MHz and without interrupts.
 *
 *   GP2 to GP5    select lines S0 to S3, shared by the four multiplexers
 *   GP6 to GP9    EN of the multiplexers of ranks 1 and 2, 3 and 4, 5 and 6, 7 and 8: low enables
 *   GP26          their four commons, joined, with one pull-up of 10 kilo-ohms to 3V3
 *   GP10, GP11    White's and Black's clock lever, pressed to ground
 *   GP12          buzzer with its own oscillator, high sounds
 *   GP13          vibration motor, if there is one: high runs it
 *   GP14          to ground if the motor is there
 *   GP15          signal lamp, if there is one: high lights it
 *   GP16          to ground if the signal lamp is there
 *   GP25          the Pico's own lamp: lit while a host listens
 *   GP0, GP1      the serial line, 3.3 V: TX, RX
 */
#include "../device.h"
#include "../identity.h"
#include "../log.h"
#include "../port.h"

#include <string.h>

#ifndef BAUD
#define BAUD 9600
#endif

#define CLOCK 12000000u
#define SCAN_MS 4
/* The joined commons need this time to follow through the largest resistor. */
#define SETTLE_US 20
#define MOTOR_SCAN_MS 8
#define MOTOR_OFF_US 100
#define WATCHDOG_US 1000000u

#define TEXT_OF(value) #value
#define AS_TEXT(value) TEXT_OF(value)
static const char mark[] __attribute__((used, section(".mark"))) =
    "BlindPlay firmware " AS_TEXT(FIRMWARE_VERSION) " for rp2040 at " AS_TEXT(BAUD) " baud";

/* --- registers (RP2040 datasheet, by section) ---------------------------------------------- */

#define REGISTER(address) (*(volatile uint32_t *)(address))
#define CLEAR 0x3000 /* 2.1.2: writing here clears these bits */

#define RESETS_RESET 0x4000C000 /* 2.14 */
#define RESETS_DONE REGISTER(0x4000C008)
#define RESET_ADC (1u << 0)
#define RESET_IO (1u << 5)
#define RESET_PADS (1u << 8)
#define RESET_TIMER (1u << 21)
#define RESET_UART0 (1u << 22)

#define CLK_REF_CTRL REGISTER(0x40008030) /* 2.15 */
#define CLK_REF_SELECTED REGISTER(0x40008038)
#define CLK_PERI_CTRL REGISTER(0x40008048)
#define CLK_ADC_CTRL REGISTER(0x40008060)
#define CLK_ENABLE (1u << 11)
#define XOSC_CTRL REGISTER(0x40024000) /* 2.16 */
#define XOSC_STATUS REGISTER(0x40024004)
#define XOSC_STARTUP REGISTER(0x4002400C)
#define ROSC_RANDOMBIT REGISTER(0x4006001C) /* 2.17 */

#define GPIO_CTRL(pin) REGISTER(0x40014004 + 8 * (pin)) /* 2.19 */
#define FOR_UART 2
#define FOR_US 5
#define FOR_NOTHING 31
#define PAD(pin) REGISTER(0x4001C004 + 4 * (pin))
#define PAD_INPUT 0x42u /* input, Schmitt trigger */
#define PAD_UP 0x4Au    /* and pulled up */
#define PAD_OUTPUT 0x52u
#define PAD_ANALOG 0x80u

#define GPIO_IN REGISTER(0xD0000004) /* 2.3.1 */
#define GPIO_SET REGISTER(0xD0000014)
#define GPIO_CLR REGISTER(0xD0000018)
#define GPIO_OUTPUTS_SET REGISTER(0xD0000024)

#define UART_DATA REGISTER(0x40034000) /* 4.2 */
#define UART_OVERRUN (1u << 11)
#define UART_FLAGS REGISTER(0x40034018)
#define UART_RX_EMPTY (1u << 4)
#define UART_TX_FULL (1u << 5)
#define UART_IBRD REGISTER(0x40034024)
#define UART_FBRD REGISTER(0x40034028)
#define UART_LCR REGISTER(0x4003402C)
#define UART_CR REGISTER(0x40034030)

#define TIMER_NOW REGISTER(0x40054028)  /* 4.6 */
#define WATCHDOG_CTRL REGISTER(0x40058000) /* 4.7 */
#define WATCHDOG_LOAD REGISTER(0x40058004)
#define WATCHDOG_REASON REGISTER(0x40058008)
#define WATCHDOG_TICK REGISTER(0x4005802C)
#define PSM_WDSEL REGISTER(0x40010008)

#define ADC_CS REGISTER(0x4004C000) /* 4.9 */
#define ADC_RESULT REGISTER(0x4004C004)
#define ADC_ON 1u
#define ADC_START 4u
#define ADC_READY (1u << 8)

#define PIN_SELECT 2
#define PIN_ENABLE 6
#define PIN_LEVER 10
#define PIN_BUZZER 12
#define PIN_MOTOR 13
#define PIN_HAS_MOTOR 14
#define PIN_LAMP 15
#define PIN_HAS_LAMP 16
#define PIN_LED 25
#define PIN_ANALOG 26
#define ALL_ENABLES (15u << PIN_ENABLE)

static struct device device;

/* --- time ---------------------------------------------------------------------------------- */

/* Milliseconds since boot. It is called far more often than once in 71 minutes, in which the
 * microseconds go round. */
static uint32_t now(void)
{
    static uint32_t milliseconds, counted_us;

    while (TIMER_NOW - counted_us >= 1000) {
        counted_us += 1000;
        milliseconds++;
    }
    return milliseconds;
}

static void wait_us(uint32_t us)
{
    uint32_t start = TIMER_NOW;

    while (TIMER_NOW - start <= us)
        ;
}

static void feed_watchdog(void)
{
    /* 4.7.1, erratum E1: it counts twice in each microsecond. */
    WATCHDOG_LOAD = 2 * WATCHDOG_US;
}

static void start_clocks(void)
{
    XOSC_CTRL = 0xAA0; /* 1 to 15 MHz */
    XOSC_STARTUP = 47;
    XOSC_CTRL = 0xFABAA0;
    while (!(XOSC_STATUS >> 31))
        ;
    CLK_REF_CTRL = 2; /* the crystal; the processor follows it */
    while (!(CLK_REF_SELECTED & 4))
        ;
    CLK_PERI_CTRL = CLK_ENABLE | 4u << 5;
    CLK_ADC_CTRL = CLK_ENABLE | 3u << 5;
    WATCHDOG_TICK = 1u << 9 | 12;
}

static void start_peripherals(void)
{
    const uint32_t needed = RESET_ADC | RESET_IO | RESET_PADS | RESET_TIMER | RESET_UART0;

    REGISTER(RESETS_RESET + CLEAR) = needed;
    while ((RESETS_DONE & needed) != needed)
        ;
}

static void start_watchdog(void)
{
    PSM_WDSEL = 0x1FFFC; /* everything but the oscillators */
    feed_watchdog();
    WATCHDOG_CTRL = 1u << 30;
}

/* --- serial line ----------------------------------------------------------------------------- */

#define TX_SIZE 512

static uint8_t tx[TX_SIZE];
static uint16_t tx_head, tx_tail;

static void start_serial(void)
{
    const uint32_t divisor = (4 * CLOCK + BAUD / 2) / BAUD; /* in 64ths */

    UART_IBRD = divisor >> 6;
    UART_FBRD = divisor & 63;
    UART_LCR = 3u << 5 | 1u << 4; /* eight bits, FIFOs */
    UART_CR = 0x301;
    for (uint8_t pin = 0; pin < 2; pin++) {
        PAD(pin) = pin ? PAD_UP : PAD_OUTPUT;
        GPIO_CTRL(pin) = FOR_UART;
    }
}

static bool receive(uint8_t *byte)
{
    uint32_t data;

    if (UART_FLAGS & UART_RX_EMPTY)
        return false;
    data = UART_DATA;
    if (data & UART_OVERRUN && device.overruns < 255)
        device.overruns++;
    *byte = (uint8_t)data;
    return true;
}

static void pass_on(void)
{
    while (tx_tail != tx_head && !(UART_FLAGS & UART_TX_FULL)) {
        UART_DATA = tx[tx_tail];
        tx_tail = (tx_tail + 1) % TX_SIZE;
    }
}

uint16_t port_room(void)
{
    return (uint16_t)(TX_SIZE - 1 - (tx_head + TX_SIZE - tx_tail) % TX_SIZE);
}

void port_send(const uint8_t *bytes, uint8_t count)
{
    if (count > port_room())
        return;
    for (uint8_t i = 0; i < count; i++) {
        tx[tx_head] = bytes[i];
        tx_head = (tx_head + 1) % TX_SIZE;
    }
}

/* --- holes and levers -------------------------------------------------------------------------- */

static void set_pin(uint8_t pin, bool on)
{
    if (on)
        GPIO_SET = 1u << pin;
    else
        GPIO_CLR = 1u << pin;
}

static bool is_low(uint8_t pin)
{
    return !(GPIO_IN >> pin & 1);
}

static void use_pin(uint8_t pin, uint32_t pad)
{
    PAD(pin) = pad;
    GPIO_CTRL(pin) = FOR_US;
    if (pad == PAD_OUTPUT)
        GPIO_OUTPUTS_SET = 1u << pin;
}

static void start_pins(void)
{
    GPIO_SET = ALL_ENABLES;
    for (uint8_t pin = PIN_SELECT; pin < PIN_LEVER; pin++)
        use_pin(pin, PAD_OUTPUT);
    use_pin(PIN_LEVER, PAD_UP);
    use_pin(PIN_LEVER + 1, PAD_UP);
    use_pin(PIN_BUZZER, PAD_OUTPUT);
    use_pin(PIN_HAS_MOTOR, PAD_UP);
    use_pin(PIN_HAS_LAMP, PAD_UP);
    use_pin(PIN_LED, PAD_OUTPUT);
    PAD(PIN_ANALOG) = PAD_ANALOG;
    GPIO_CTRL(PIN_ANALOG) = FOR_NOTHING;
    ADC_CS = ADC_ON;
    while (!(ADC_CS & ADC_READY))
        ;
}

/* Which of motor and lamp are there. Pins that lead nowhere stay inputs. */
static uint8_t find_fitted(void)
{
    uint8_t fitted = 0;

    wait_us(SETTLE_US);
    if (is_low(PIN_HAS_MOTOR)) {
        fitted |= CAN_MOTOR;
        use_pin(PIN_MOTOR, PAD_OUTPUT);
    }
    if (is_low(PIN_HAS_LAMP)) {
        fitted |= CAN_LAMP;
        use_pin(PIN_LAMP, PAD_OUTPUT);
    }
    return fitted;
}

static bool motor_on;

static void rest_motor(void)
{
    if (!motor_on)
        return;
    set_pin(PIN_MOTOR, false);
    wait_us(MOTOR_OFF_US);
}

static uint16_t convert(uint8_t square)
{
    GPIO_SET = ALL_ENABLES;
    GPIO_CLR = 15u << PIN_SELECT;
    GPIO_SET = (uint32_t)(square % 16) << PIN_SELECT;
    set_pin((uint8_t)(PIN_ENABLE + square / 16), false);
    wait_us(SETTLE_US);
    ADC_CS = ADC_ON | ADC_START;
    while (!(ADC_CS & ADC_READY))
        ;
    return (uint16_t)(ADC_RESULT >> 2); /* the ladder has 10 bits */
}

uint16_t port_convert(uint8_t square)
{
    uint16_t reading;

    rest_motor();
    reading = convert(square);
    set_pin(PIN_MOTOR, motor_on);
    return reading;
}

static void first_look(void)
{
    for (uint8_t square = 0; square < SQUARES; square++)
        board_begin_hole(&device.board, square, classify(port_convert(square)));
    for (uint8_t lever = 0; lever < LEVERS; lever++)
        board_begin_lever(&device.board, lever, is_low(PIN_LEVER + lever));
}

static void scan(void)
{
    uint32_t start = TIMER_NOW, time = now();

    rest_motor();
    for (uint8_t lever = 0; lever < LEVERS; lever++)
        device_lever(&device, lever, is_low(PIN_LEVER + lever), time);
    for (uint8_t square = 0; square < SQUARES; square++)
        device_read(&device, square, convert(square), time);
    set_pin(PIN_MOTOR, motor_on);
    device.scan_us = (uint16_t)(TIMER_NOW - start);
}

void port_buzzer(bool on)
{
    set_pin(PIN_BUZZER, on);
}

void port_motor(bool on)
{
    motor_on = on;
    set_pin(PIN_MOTOR, on);
}

void port_lamp(bool on)
{
    set_pin(PIN_LAMP, on);
}

/* --- data that survives a loss of power ------------------------------------------------------- */

#define FLASH 0x10000000u
#define LOG_AT (2040u * 1024)
#define FLASH_PAGE 256

/* 2.8.3: the functions of the controller's own program. While flash memory is erased or written, no
 * code runs from it. */
struct rom {
    void (*connect)(void), (*leave)(void), (*flush)(void), (*enter)(void);
    void (*erase)(uint32_t at, uint32_t count, uint32_t block, uint8_t command);
    void (*program)(uint32_t at, const uint8_t *bytes, uint32_t count);
};

static void *function_of(char first, char second)
{
    typedef void *lookup(const uint16_t *table, uint32_t code);
    uintptr_t table = 0x14, find = 0x18;

    __asm__("" : "+r"(table), "+r"(find)); /* the compiler distrusts addresses near 0 */
    return ((lookup *)(uintptr_t) * (const uint16_t *)find)(
        (const uint16_t *)(uintptr_t) * (const uint16_t *)table,
        (uint32_t)(uint8_t)first | (uint32_t)(uint8_t)second << 8);
}

/* Erase a sector or, with `page`, write a page. */
static void __attribute__((noinline, long_call, section(".ramcode")))
change_flash(const struct rom *rom, uint32_t at, const uint8_t *page)
{
    rom->connect();
    rom->leave();
    if (page)
        rom->program(at, page, FLASH_PAGE);
    else
        rom->erase(at, LOG_SECTOR_BYTES, LOG_SECTOR_BYTES, 0x20);
    rom->flush();
    rom->enter();
}

static void change(uint32_t at, const uint8_t *page)
{
    struct rom rom;

    *(void **)&rom.connect = function_of('I', 'F');
    *(void **)&rom.leave = function_of('E', 'X');
    *(void **)&rom.flush = function_of('F', 'C');
    *(void **)&rom.enter = function_of('C', 'X');
    *(void **)&rom.erase = function_of('R', 'E');
    *(void **)&rom.program = function_of('R', 'P');
    feed_watchdog();
    change_flash(&rom, at, page);
}

const uint8_t *flash_sector(uint8_t sector)
{
    return (const uint8_t *)(FLASH + LOG_AT + sector * LOG_SECTOR_BYTES);
}

void flash_erase(uint8_t sector)
{
    change(LOG_AT + sector * LOG_SECTOR_BYTES, NULL);
}

void flash_write(uint8_t sector, uint16_t at, const uint8_t *bytes)
{
    static uint8_t page[FLASH_PAGE];

    memset(page, 0xFF, sizeof page);
    memcpy(page + at % FLASH_PAGE, bytes, LOG_RECORD);
    change(LOG_AT + sector * LOG_SECTOR_BYTES + at / FLASH_PAGE * FLASH_PAGE, page);
}

uint8_t port_kept(uint8_t at)
{
    return log_read(at);
}

void port_keep(uint8_t at, uint8_t value)
{
    log_write(at, value);
}

/* The settings lie behind id and name. */
#define SETTINGS_AT KEPT_BYTES
_Static_assert(SETTINGS_AT + sizeof(struct settings) + 2 <= LOG_BYTES, "The log is too short.");

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
    const uint8_t *bytes = (const uint8_t *)settings;
    uint16_t crc = crc_of(settings);
    uint8_t at = SETTINGS_AT;

    for (uint8_t i = 0; i < sizeof *settings; i++)
        log_write(at++, bytes[i]);
    log_write(at++, (uint8_t)crc);
    log_write(at, (uint8_t)(crc >> 8));
}

static struct settings saved(void)
{
    const struct settings usual = DEFAULT_SETTINGS;
    struct settings found;
    uint8_t *bytes = (uint8_t *)&found, at = SETTINGS_AT;
    uint16_t crc;

    for (uint8_t i = 0; i < sizeof found; i++)
        bytes[i] = log_read(at++);
    crc = (uint16_t)(log_read(at) | log_read((uint8_t)(at + 1)) << 8);
    return crc == crc_of(&found) && settings_valid(&found) ? found : usual;
}

/* The ring oscillator's noise. */
static uint16_t new_nonce(void)
{
    uint16_t nonce = 0;

    for (uint8_t bit = 0; bit < 64; bit++)
        nonce = (uint16_t)(nonce << 1 ^ nonce >> 15 ^ (ROSC_RANDOMBIT & 1) ^ TIMER_NOW);
    return nonce;
}

/* --- all together ------------------------------------------------------------------------------ */

/* As the ATmega tells it: 1 is power, 8 the watchdog. */
static uint8_t cause_of_reset(void)
{
    return WATCHDOG_REASON & 1 ? 8 : 1;
}

int main(void)
{
    struct settings settings;
    uint32_t scanned_at = 0;
    uint8_t byte;

    start_clocks();
    start_peripherals();
    start_serial();
    start_pins();
    log_begin();
    settings = saved();
    device_begin(&device, &settings, new_nonce(), cause_of_reset(), find_fitted());
    first_look();
    start_watchdog();
    for (;;) {
        feed_watchdog();
        while (receive(&byte))
            device_hear(&device, byte, now());
        if (now() - scanned_at >= (motor_on ? MOTOR_SCAN_MS : SCAN_MS)) {
            scanned_at = now();
            scan();
        }
        device_tick(&device, now());
        pass_on();
        set_pin(PIN_LED, device.language != NO_LANGUAGE);
    }
}

extern uint32_t data_start, data_end, data_from, bss_start, bss_end, stack_top;

static void start(void)
{
    const uint32_t *from = &data_from;

    for (uint32_t *to = &data_start; to < &data_end; to++)
        *to = *from++;
    for (uint32_t *to = &bss_start; to < &bss_end; to++)
        *to = 0;
    main();
}

/* The watchdog ends it. */
static void fail(void)
{
    for (;;)
        ;
}

static const void *const vectors[] __attribute__((used, section(".vectors"))) = {
    &stack_top, (const void *)start, (const void *)fail, (const void *)fail,
};
