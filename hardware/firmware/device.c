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

    if (device->capabilities & CAN_NAME) {
        begin(&body, 'I');
        body.length += identity_read(body.bytes + 1);
        send(&body);
    }
    begin(&body, 'H');
    put8(&body, PROTOCOL_VERSION);
    put16(&body, FIRMWARE_VERSION);
    put8(&body, device->capabilities);
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

static void say_signalled(uint8_t number)
{
    struct body body;

    begin(&body, 'V');
    put8(&body, number);
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

static void show(struct output *output, uint16_t pattern, uint32_t now)
{
    output->bits = pattern;
    output->busy = true;
    output->at = now - STEP_MS;
}

/* A signal that comes again, because the host has not heard the answer, is shown once. */
static void signal(struct device *device, const uint8_t *body, uint32_t now)
{
    if (body[1] != device->signal) {
        device->signal = body[1];
        show(&device->motor, (uint16_t)(body[2] | body[3] << 8), now);
        show(&device->lamp, body[4], now);
    }
    say_signalled(body[1]);
}

static void forget_host(struct device *device)
{
    device->language = NO_LANGUAGE;
    device->motor.bits = device->lamp.bits = 0;
}

/* The number of bytes in a command's body. 0 for an unknown command. */
static uint8_t command_length(const struct device *device, uint8_t kind)
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
    case 'v':
        return device->capabilities & (CAN_MOTOR | CAN_LAMP) ? 5 : 0;
    case 'i': /* at least */
        return device->capabilities & CAN_NAME ? 1 + ID_BYTES : 0;
    default:
        return 0;
    }
}

static bool fits(const uint8_t *body, uint8_t length, uint8_t expected)
{
    if (body[0] == 'i')
        return length >= expected && length <= 1 + IDENTITY_MAX;
    return length == expected && (body[0] != 'r' || body[1] < SQUARES);
}

static void obey(struct device *device, const uint8_t *body, uint8_t length, uint32_t now)
{
    uint8_t expected = command_length(device, body[0]);

    device->heard_at = now;
    if (expected == 0) {
        say_refused(WHY_UNKNOWN_COMMAND);
        return;
    }
    if (!fits(body, length, expected)) {
        say_refused(WHY_BAD_ARGUMENT);
        return;
    }
    switch (body[0]) {
    case 'h':
        if (device->language != FRAMES) {
            device->pinged_at = now;
            device->dgt.updates = device->cpp.playing = false;
        }
        device->language = FRAMES;
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
        show(&device->buzzer, body[1], now);
        say_done();
        break;
    case 'v':
        signal(device, body, now);
        break;
    case 'i':
        if (identity_keep(body + 1, length - 1))
            say_done();
        else
            say_refused(WHY_NOT_KEPT);
        break;
    case 'x':
        forget_host(device);
        break;
    }
}

/* --- the other languages ------------------------------------------------------------------ */

static void obey_line(struct device *device)
{
    if (cpp_obey(&device->cpp, &device->board))
        device->language = CPP;
    else if (device->language == CPP)
        cpp_refuse();
}

/* A byte that begins something. */
static void hear_first(struct device *device, uint8_t byte)
{
    bool ended;

    device->within = NOTHING;
    if (byte == 0) {
        device->within = FRAME;
    } else if (IS_DGT_COMMAND(byte)) {
        device->language = DGT;
        dgt_obey(&device->dgt, &device->board, byte);
    } else if (IS_DGT_MESSAGE(byte)) {
        device->within = DGT_COUNT;
    } else if (byte >= 'a' && byte <= 'z') {
        device->cpp.length = 0;
        device->within = LINE;
        cpp_hear(&device->cpp, byte, true, &ended);
    }
}

/* Listen for a command of DGT, which is one byte, or a line of text. Whoever has said hello speaks
 * in frames only. */
static void hear_others(struct device *device, uint8_t byte, uint32_t now)
{
    bool paused = now - device->byte_at > PAUSE_MS, follows = device->last_byte != 0, ended;

    device->byte_at = now;
    device->last_byte = byte;
    if (device->language == FRAMES)
        device->within = NOTHING;
    else if (device->within == NOTHING || (paused && device->within != LINE))
        hear_first(device, byte);
    else if (device->within == FRAME)
        device->within =
            (byte == 0 && follows) || device->receiver.skipping ? NOTHING : FRAME;
    else if (device->within == DGT_COUNT) {
        device->dgt_rest = byte;
        device->within = byte ? DGT_REST : NOTHING;
    } else if (device->within == DGT_REST)
        device->within = --device->dgt_rest ? DGT_REST : NOTHING;
    else if (!cpp_hear(&device->cpp, byte, device->language == CPP, &ended))
        hear_first(device, byte);
    else if (ended) {
        device->within = NOTHING;
        obey_line(device);
    }
}

/* --- calls from the hardware layer ------------------------------------------------------- */

void device_begin(struct device *device, const struct settings *settings, uint16_t nonce,
                  uint8_t cause, uint8_t fitted)
{
    memset(device, 0, sizeof *device);
    board_begin(&device->board, settings);
    device->nonce = nonce;
    device->cause = cause;
    device->capabilities =
        CAN_IDENTITY | CAN_LEVERS | CAN_BUZZER | CAN_DGT | CAN_CPP | CAN_NAME | fitted;
}

void device_hear(struct device *device, uint8_t byte, uint32_t now)
{
    uint8_t length = frame_receive(&device->receiver, byte);

    if (length > 0)
        obey(device, device->receiver.bytes, length, now);
    hear_others(device, byte, now);
}

void device_read(struct device *device, uint8_t square, uint16_t reading, uint32_t now)
{
    struct change change;
    struct body body;

    if (!board_read(&device->board, square, classify(reading), now, &change))
        return;
    if (device->language == DGT && change.new != FAULT)
        dgt_changed(&device->dgt, &device->board, square);
    if (device->language == CPP)
        cpp_changed(&device->cpp);
    if (device->language != FRAMES)
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

    if (!board_lever(&device->board, lever, down, now, &at) || device->language != FRAMES)
        return;
    begin(&body, 'L');
    put16(&body, device->board.sequence);
    put32(&body, at);
    put8(&body, lever);
    put8(&body, down);
    send(&body);
}

/* Show the next bit. A pattern that `repeats` has eight. */
static void step(struct output *output, bool repeats, void (*port)(bool), uint32_t now)
{
    bool on = output->bits & 1;

    if (!output->busy || now - output->at < STEP_MS)
        return;
    output->at += STEP_MS;
    port(on);
    output->busy = output->bits != 0;
    output->bits = (uint16_t)(output->bits >> 1 | (repeats && on ? 0x80 : 0));
}

void device_tick(struct device *device, uint32_t now)
{
    step(&device->buzzer, false, port_buzzer, now);
    step(&device->motor, false, port_motor, now);
    step(&device->lamp, true, port_lamp, now);
    if (device->language == CPP)
        cpp_tell(&device->cpp, &device->board);
    if (now - device->heard_at > HOST_SILENCE_MS && device->language == FRAMES)
        forget_host(device);
    if (device->language == FRAMES && now - device->pinged_at >= PING_MS) {
        device->pinged_at = now;
        say_ping(device, now);
    }
}
