#include "device.h"

#include "port.h"

#include <string.h>

/* --- messages to the host ---------------------------------------------------------------- */

struct body {
    uint8_t bytes[FRAME_BODY_MAX];
    uint8_t length;
};

static void put8(struct body *body, uint8_t value)
{
    body->bytes[body->length++] = value;
}

static void put16(struct body *body, uint16_t value)
{
    put8(body, (uint8_t)value);
    put8(body, (uint8_t)(value >> 8));
}

static void put32(struct body *body, uint32_t value)
{
    put16(body, (uint16_t)value);
    put16(body, (uint16_t)(value >> 16));
}

static void begin(struct body *body, char kind)
{
    body->length = 0;
    put8(body, (uint8_t)kind);
}

static void send(const struct body *body)
{
    uint8_t frame[FRAME_BODY_MAX + FRAME_OVERHEAD];

    port_send(frame, frame_encode(body->bytes, body->length, frame));
}

static void say_hello(const struct device *device, uint32_t now)
{
    struct body body;

    begin(&body, 'H');
    put8(&body, PROTOCOL_VERSION);
    put16(&body, FIRMWARE_VERSION);
    put8(&body, CAN_IDENTITY | CAN_LEVERS | CAN_BUZZER);
    put8(&body, SQUARES);
    put16(&body, device->nonce);
    put8(&body, device->cause);
    put32(&body, now);
    send(&body);
}

/* How often each lever was pressed, and when last. So a press counts in the game even if its frame
 * is lost on the line. This follows each dump and each ping. */
static void say_presses(const struct device *device, uint32_t now)
{
    struct body body;

    begin(&body, 'K');
    put32(&body, now);
    for (uint8_t lever = 0; lever < LEVERS; lever++) {
        put8(&body, device->board.levers[lever].presses);
        put32(&body, device->board.levers[lever].pressed_at);
    }
    send(&body);
}

static void say_dump(const struct device *device, uint32_t now)
{
    struct body body;

    begin(&body, 'B');
    put16(&body, device->board.sequence);
    put32(&body, now);
    for (uint8_t square = 0; square < SQUARES; square += 2) {
        const struct hole *hole = &device->board.holes[square];
        put8(&body, (uint8_t)(hole[0].believed | hole[1].believed << 4));
    }
    send(&body);
    say_presses(device, now);
}

static void say_ping(const struct device *device, uint32_t now)
{
    struct body body;

    begin(&body, 'P');
    put16(&body, device->board.sequence);
    put32(&body, now);
    put16(&body, board_crc(&device->board));
    put8(&body, device->overruns);
    put8(&body, device->receiver.errors);
    put16(&body, device->board.wobbles);
    put16(&body, device->scan_us);
    send(&body);
    say_presses(device, now);
}

static void say_raw(uint8_t square)
{
    struct body body;

    begin(&body, 'R');
    put8(&body, square);
    put16(&body, port_convert(square));
    send(&body);
}

static void say_done(void)
{
    struct body body;

    begin(&body, 'A');
    send(&body);
}

static void say_refused(uint8_t why)
{
    struct body body;

    begin(&body, 'N');
    put8(&body, why);
    send(&body);
}

/* --- commands from the host -------------------------------------------------------------- */

static bool set(struct device *device, uint8_t key, uint16_t value)
{
    struct settings wanted = device->board.settings;

    if (key == 1)
        wanted.lift_ms = value;
    else if (key == 2)
        wanted.place_ms = value;
    else
        return false;
    if (!settings_valid(&wanted))
        return false;
    device->board.settings = wanted;
    port_save(&wanted);
    return true;
}

static void buzz(struct device *device, uint8_t pattern, uint32_t now)
{
    device->buzzer_bits = pattern;
    device->buzzing = true;
    device->buzzer_at = now - BUZZER_STEP_MS;
}

/* The number of bytes in a command's body. 0 for an unknown command. */
static uint8_t command_length(uint8_t kind)
{
    switch (kind) {
    case 'h':
    case 'b':
    case 'p':
    case 'x':
        return 1;
    case 'r':
    case 'z':
        return 2;
    case 's':
        return 4;
    default:
        return 0;
    }
}

static void obey(struct device *device, const uint8_t *body, uint8_t length, uint32_t now)
{
    uint8_t expected = command_length(body[0]);

    device->heard_at = now;
    if (expected == 0) {
        say_refused(WHY_UNKNOWN_COMMAND);
        return;
    }
    if (length != expected || (body[0] == 'r' && body[1] >= SQUARES)) {
        say_refused(WHY_BAD_ARGUMENT);
        return;
    }
    switch (body[0]) {
    case 'h':
        if (!device->native)
            device->pinged_at = now;
        device->native = true;
        say_hello(device, now);
        break;
    case 'b':
        say_dump(device, now);
        break;
    case 'p':
        say_ping(device, now);
        break;
    case 'r':
        say_raw(body[1]);
        break;
    case 's':
        if (set(device, body[1], (uint16_t)(body[2] | body[3] << 8)))
            say_done();
        else
            say_refused(WHY_BAD_ARGUMENT);
        break;
    case 'z':
        buzz(device, body[1], now);
        say_done();
        break;
    case 'x':
        device->native = false;
        break;
    }
}

/* --- calls from the hardware layer ------------------------------------------------------- */

void device_begin(struct device *device, const struct settings *settings, uint16_t nonce,
                  uint8_t cause)
{
    memset(device, 0, sizeof *device);
    board_begin(&device->board, settings);
    device->nonce = nonce;
    device->cause = cause;
}

void device_hear(struct device *device, uint8_t byte, uint32_t now)
{
    uint8_t length = frame_receive(&device->receiver, byte);

    if (length > 0)
        obey(device, device->receiver.bytes, length, now);
}

void device_read(struct device *device, uint8_t square, uint16_t reading, uint32_t now)
{
    struct change change;
    struct body body;

    if (!board_read(&device->board, square, classify(reading), now, &change) || !device->native)
        return;
    begin(&body, 'E');
    put16(&body, device->board.sequence);
    put32(&body, change.at);
    put8(&body, change.square);
    put8(&body, change.old);
    put8(&body, change.new);
    send(&body);
}

void device_lever(struct device *device, uint8_t lever, bool down, uint32_t now)
{
    struct body body;
    uint32_t at;

    if (!board_lever(&device->board, lever, down, now, &at) || !device->native)
        return;
    begin(&body, 'L');
    put16(&body, device->board.sequence);
    put32(&body, at);
    put8(&body, lever);
    put8(&body, down);
    send(&body);
}

static void sound(struct device *device, uint32_t now)
{
    if (!device->buzzing || now - device->buzzer_at < BUZZER_STEP_MS)
        return;
    device->buzzer_at += BUZZER_STEP_MS;
    port_buzzer(device->buzzer_bits & 1);
    device->buzzing = device->buzzer_bits != 0;
    device->buzzer_bits >>= 1;
}

void device_tick(struct device *device, uint32_t now)
{
    sound(device, now);
    if (now - device->heard_at > HOST_SILENCE_MS)
        device->native = false;
    if (device->native && now - device->pinged_at >= PING_MS) {
        device->pinged_at = now;
        say_ping(device, now);
    }
}
