/* Tests of the portable core on the host: make -C hardware check. The first failure stops them. */
#include "../board.h"
#include "../cpp.h"
#include "../device.h"
#include "../frame.h"
#include "../ladder.h"
#include "../port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #claim);      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

/* --- a host that takes the place of the hardware ----------------------------------------- */

static struct receiver host;
static uint8_t said[64][FRAME_ENCODED_MAX];
static uint8_t said_length[64];
static int said_count;
/* All bytes from the board since the last question, ended by a zero. */
static char raw[1024];
static int raw_count;
static bool buzzer, motor, lamp, room = true;
static struct settings kept;
static uint16_t converter;

void port_send(const uint8_t *bytes, uint8_t count)
{
    if (!room)
        return;
    if (raw_count + count < (int)sizeof raw) {
        memcpy(raw + raw_count, bytes, count);
        raw[raw_count += count] = 0;
    }
    for (uint8_t i = 0; i < count; i++) {
        uint8_t length = frame_receive(&host, bytes[i]);
        if (length > 0) {
            CLAIM(said_count < 64);
            memcpy(said[said_count], host.bytes, length);
            said_length[said_count++] = length;
        }
    }
}

uint16_t port_room(void)
{
    return room ? 511 : 0;
}

uint16_t port_convert(uint8_t square)
{
    return (uint16_t)(converter + square);
}

void port_buzzer(bool on)
{
    buzzer = on;
}

void port_motor(bool on)
{
    motor = on;
}

void port_lamp(bool on)
{
    lamp = on;
}

void port_save(const struct settings *settings)
{
    kept = *settings;
}

/* The memory that survives a loss of power. Power is lost at the moment of write number `power`,
 * which leaves any value; later writes do nothing. */
static uint8_t memory[KEPT_BYTES];
static int power = 1000, written;

uint8_t port_kept(uint8_t at)
{
    CLAIM(at < sizeof memory);
    return memory[at];
}

static uint8_t roll(void);

void port_keep(uint8_t at, uint8_t value)
{
    CLAIM(at < sizeof memory);
    if (written < power)
        memory[at] = value;
    else if (written == power)
        memory[at] = roll();
    written++;
}

static void tell(struct device *device, const char *body, uint8_t length, uint32_t now)
{
    uint8_t frame[FRAME_BODY_MAX + FRAME_OVERHEAD];
    uint8_t count = frame_encode((const uint8_t *)body, length, frame);

    said_count = 0;
    for (uint8_t i = 0; i < count; i++)
        device_hear(device, frame[i], now);
}

static const struct settings usual = DEFAULT_SETTINGS;

static void power_on(struct device *device)
{
    device_begin(device, &usual, 0x1234, 1, CAN_MOTOR | CAN_LAMP);
    for (uint8_t square = 0; square < SQUARES; square++)
        board_begin_hole(&device->board, square, square < 16 ? 1 : EMPTY);
    said_count = 0;
}

static uint32_t number(const uint8_t *bytes, uint8_t count)
{
    uint32_t value = 0;

    while (count-- > 0)
        value = value << 8 | bytes[count];
    return value;
}

/* --- frames ------------------------------------------------------------------------------ */

static void the_crc_has_the_published_check_value(void)
{
    uint16_t crc = 0xFFFF;

    for (const char *c = "123456789"; *c; c++)
        crc = crc16(crc, (uint8_t)*c);
    CLAIM(crc == 0x6F91);
}

static void a_ping_request_has_exactly_these_bytes(void)
{
    static const uint8_t expected[] = {0x00, 0x02, 0x70, 0x02, 0x7C, 0x00};
    uint8_t frame[FRAME_OVERHEAD + 1];

    CLAIM(frame_encode((const uint8_t *)"p", 1, frame) == sizeof expected);
    CLAIM(memcmp(frame, expected, sizeof expected) == 0);
}

static uint32_t dice = 1;

static uint8_t roll(void)
{
    dice = dice * 1664525u + 1013904223u;
    return (uint8_t)(dice >> 24);
}

static void any_body_survives_the_line(void)
{
    struct receiver receiver = {0};

    for (int i = 0; i < 20000; i++) {
        uint8_t body[FRAME_BODY_MAX], frame[FRAME_BODY_MAX + FRAME_OVERHEAD];
        uint8_t length = (uint8_t)(1 + roll() % FRAME_BODY_MAX), got = 0, count;

        for (uint8_t k = 0; k < length; k++)
            body[k] = roll() % 3 ? roll() : 0;
        count = frame_encode(body, length, frame);
        CLAIM(count == length + FRAME_OVERHEAD);
        for (uint8_t k = 0; k < count; k++) {
            CLAIM(got == 0);
            CLAIM((frame[k] == 0) == (k == 0 || k == count - 1));
            got = frame_receive(&receiver, frame[k]);
        }
        CLAIM(got == length && memcmp(receiver.bytes, body, length) == 0);
    }
    CLAIM(receiver.errors == 0);
}

static void one_flipped_bit_is_no_frame(void)
{
    uint8_t frame[FRAME_BODY_MAX + FRAME_OVERHEAD], body[] = {'s', 1, 200, 0};
    uint8_t count = frame_encode(body, sizeof body, frame);

    for (uint8_t at = 1; at < count - 1; at++)
        for (uint8_t bit = 0; bit < 8; bit++) {
            struct receiver receiver = {0};

            frame[at] ^= (uint8_t)(1 << bit);
            for (uint8_t k = 0; k < count; k++)
                CLAIM(frame_receive(&receiver, frame[k]) == 0);
            CLAIM(receiver.errors > 0);
            frame[at] ^= (uint8_t)(1 << bit);
        }
}

static void garbage_is_counted_and_the_next_frame_is_heard(void)
{
    struct receiver receiver = {0};
    uint8_t frame[FRAME_OVERHEAD + 1], got = 0;
    uint8_t count = frame_encode((const uint8_t *)"h", 1, frame);

    for (int round = 0; round < 400; round++) {
        for (int i = roll(); i > 0; i--)
            frame_receive(&receiver, 0xFF);
        for (uint8_t k = 0; k < count; k++)
            got = frame_receive(&receiver, frame[k]);
        CLAIM(got == 1 && receiver.bytes[0] == 'h');
    }
    CLAIM(receiver.errors == 255);
}

/* --- holes and levers -------------------------------------------------------------------- */

static void every_window_gives_its_piece_and_what_lies_between_is_a_fault(void)
{
    unsigned count = sizeof LADDER / sizeof *LADDER, faults = 0;
    bool seen[16] = {false};

    for (uint16_t reading = 0; reading <= 1023; reading++) {
        uint8_t code = classify(reading), expected = FAULT;

        for (unsigned i = 0; i < count; i++)
            if (reading >= LADDER[i].low && reading <= LADDER[i].high)
                expected = LADDER[i].code;
        CLAIM(code == expected);
        faults += code == FAULT;
        seen[code] = true;
    }
    for (uint8_t code = 0; code <= 12; code++)
        CLAIM(seen[code]);
    CLAIM(faults > 400);
    CLAIM(classify(0) == FAULT && classify(1023) == EMPTY);
}

static struct board fresh(void)
{
    struct board board;

    board_begin(&board, &usual);
    board_begin_hole(&board, 12, 1);
    return board;
}

/* Read hole 12 every `step` ms from `from` until before `to`. Return the number of changes. */
static int read_for(struct board *board, uint8_t code, uint32_t from, uint32_t to, uint32_t step,
                    struct change *change)
{
    int changes = 0;

    for (uint32_t now = from; now != to; now += step)
        changes += board_read(board, 12, code, now, change);
    return changes;
}

static void a_lift_is_believed_after_its_time_and_tells_the_first_opening(void)
{
    struct board board = fresh();
    struct change change;

    CLAIM(read_for(&board, EMPTY, 1000, 1151, 1, &change) == 0);
    CLAIM(board_read(&board, 12, EMPTY, 1151, &change));
    CLAIM(change.at == 1000 && change.square == 12 && change.old == 1 && change.new == EMPTY);
    CLAIM(board.sequence == 1 && board.wobbles == 0);
    CLAIM(read_for(&board, EMPTY, 1152, 5000, 1, &change) == 0);
}

static void a_contact_that_opens_for_the_time_set_or_less_is_a_wobble(void)
{
    struct change change;

    for (uint16_t lift = 50; lift <= 300; lift += 50)
        for (uint32_t open = 1; open <= lift; open++) {
            struct board board = fresh();

            board.settings.lift_ms = lift;
            /* The contact opened at 999.001, for example, and closed `open` ms later. */
            CLAIM(read_for(&board, EMPTY, 1000, 1000 + open, 1, &change) == 0);
            CLAIM(read_for(&board, 1, 1000 + open, 2000, 1, &change) == 0);
            CLAIM(board.wobbles == 1 && board.sequence == 0);
        }
}

static void bounce_moves_the_beginning_but_makes_one_event(void)
{
    struct board board = fresh();
    struct change change;

    for (uint32_t now = 1000; now < 1006; now += 2) {
        CLAIM(!board_read(&board, 12, EMPTY, now, &change));
        CLAIM(!board_read(&board, 12, 1, now + 1, &change));
    }
    CLAIM(read_for(&board, EMPTY, 1006, 1200, 1, &change) == 1);
    CLAIM(change.at == 1006);
}

static void a_piece_must_read_the_same_to_be_believed(void)
{
    struct board board = fresh();
    struct change change;

    CLAIM(read_for(&board, EMPTY, 0, 400, 4, &change) == 1);
    for (uint32_t now = 400; now < 600; now += 8) {
        CLAIM(!board_read(&board, 12, 3, now, &change));
        CLAIM(!board_read(&board, 12, 9, now + 4, &change));
    }
    CLAIM(read_for(&board, 9, 600, 640, 4, &change) == 1);
    CLAIM(change.at == 400 && change.old == EMPTY && change.new == 9);
}

static void pieces_exchanged_faster_than_a_lift_are_one_event(void)
{
    struct board board = fresh();
    struct change change;

    CLAIM(read_for(&board, EMPTY, 0, 100, 4, &change) == 0);
    CLAIM(read_for(&board, 8, 100, 140, 4, &change) == 1);
    CLAIM(change.at == 0 && change.old == 1 && change.new == 8);
}

static void a_bad_contact_is_no_lift(void)
{
    struct board board = fresh();
    struct change change;

    CLAIM(read_for(&board, FAULT, 0, 200, 4, &change) == 0);
    CLAIM(read_for(&board, FAULT, 200, 1000, 4, &change) == 1);
    CLAIM(change.old == 1 && change.new == FAULT);
    CLAIM(read_for(&board, EMPTY, 1000, 2000, 4, &change) == 1);
    CLAIM(change.old == FAULT && change.new == EMPTY);
    /* A contact that is open and bad in turn is neither for long enough. */
    board = fresh();
    for (uint32_t now = 0; now < 4000; now += 200) {
        CLAIM(read_for(&board, EMPTY, now, now + 100, 4, &change) == 0);
        CLAIM(read_for(&board, FAULT, now + 100, now + 200, 4, &change) == 0);
    }
}

static void times_and_counters_go_round(void)
{
    struct board board = fresh();
    struct change change;

    board.sequence = 0xFFFF;
    CLAIM(read_for(&board, EMPTY, 0xFFFFFFB0u, 200, 4, &change) == 1);
    CLAIM(change.at == 0xFFFFFFB0u && board.sequence == 0);
    board.wobbles = 0xFFFF;
    CLAIM(read_for(&board, 1, 1000, 1012, 4, &change) == 0);
    CLAIM(read_for(&board, EMPTY, 1012, 1020, 4, &change) == 0);
    CLAIM(board.wobbles == 0xFFFF);
}

static void a_lever_counts_presses_and_not_bounces(void)
{
    struct board board = fresh();
    uint32_t at = 0, now;

    for (now = 0; now < 9; now++)
        CLAIM(!board_lever(&board, 1, now & 1, now, &at));
    for (now = 10; now <= 20; now++)
        CLAIM(!board_lever(&board, 1, true, now, &at));
    CLAIM(board_lever(&board, 1, true, 21, &at));
    CLAIM(at == 10 && board.levers[1].presses == 1 && board.levers[1].pressed_at == 10);
    for (now = 22; now < 100; now++)
        CLAIM(!board_lever(&board, 1, true, now, &at));
    for (; now <= 110; now++)
        CLAIM(!board_lever(&board, 1, false, now, &at));
    CLAIM(board_lever(&board, 1, false, 111, &at));
    CLAIM(at == 100 && board.levers[1].presses == 1 && board.sequence == 2);
    CLAIM(board.levers[0].presses == 0);
}

/* --- commands ---------------------------------------------------------------------------- */

static void nothing_is_said_unasked_before_hello(void)
{
    struct device device;

    power_on(&device);
    for (uint32_t now = 0; now < 30000; now += 4) {
        device_read(&device, 8, now % 1000 < 500 ? 88 : 1023, now);
        device_lever(&device, 0, now % 2000 < 500, now);
        device_tick(&device, now);
    }
    CLAIM(device.board.sequence > 50 && said_count == 0);
}

static void hello_says_who_it_is(void)
{
    static const uint8_t expected[] = {'H', 1, 2, 1, 255, 64, 0x34, 0x12, 1, 0x78, 0x56, 0, 0};
    struct device device;

    power_on(&device);
    tell(&device, "h", 1, 0x5678);
    CLAIM(said_count == 2 && said_length[1] == sizeof expected);
    CLAIM(memcmp(said[1], expected, sizeof expected) == 0);
}

/* --- id and name ------------------------------------------------------------------------- */

static bool told(struct device *device, const char *identity, uint8_t length)
{
    tell(device, "h", 1, 0);
    CLAIM(said_count == 2 && said[0][0] == 'I' && said[1][0] == 'H');
    return said_length[0] == length + 1 && !memcmp(said[0] + 1, identity, length);
}

static void a_board_keeps_the_id_and_the_name_that_it_is_given(void)
{
    static const char longest[] = "i\1\2\3\4Brett mit 24 Buchstaben.";
    struct device device;

    memset(memory, 0xFF, sizeof memory);
    power_on(&device);
    CLAIM(told(&device, "\0\0\0\0", 4));
    tell(&device, "i\1\2\3\4Brett 3", 12, 0);
    CLAIM(said_count == 1 && said[0][0] == 'A');
    CLAIM(told(&device, "\1\2\3\4Brett 3", 11));
    CLAIM(identity_id() == 0x04030201);
    power_on(&device);
    CLAIM(told(&device, "\1\2\3\4Brett 3", 11));
    tell(&device, "i\5\6\7\x8", 5, 0);
    CLAIM(told(&device, "\5\6\7\x8", 4));
    CLAIM(sizeof longest - 1 == 1 + IDENTITY_MAX);
    tell(&device, longest, sizeof longest - 1, 0);
    CLAIM(said[0][0] == 'A' && told(&device, longest + 1, IDENTITY_MAX));
    tell(&device, "i\1\2\3", 4, 0);
    CLAIM(said[0][0] == 'N' && said[0][1] == WHY_BAD_ARGUMENT);
    tell(&device, "i\1\2\3\4ein Name, der zu lang ist", 30, 0);
    CLAIM(said[0][0] == 'N' && said[0][1] == WHY_BAD_ARGUMENT);
    CLAIM(told(&device, longest + 1, IDENTITY_MAX));
}

static void a_loss_of_power_while_a_name_is_written_leaves_the_old_one_or_the_new_one(void)
{
    static const char *const names[] = {"\1\0\0\1One", "\2\0\0\1Another one", "\3\0\0\1Third"};
    static const uint8_t lengths[] = {7, 15, 9};
    struct device device;

    memset(memory, 0xFF, sizeof memory);
    power_on(&device);
    CLAIM(identity_keep((const uint8_t *)names[0], lengths[0]));
    for (int round = 1; round < 3000; round++) {
        int last = (round - 1) % 3, next = round % 3;
        bool done;

        written = 0;
        power = round % 40;
        done = identity_keep((const uint8_t *)names[next], lengths[next]);
        CLAIM(done || power < written);
        power = 1000;
        CLAIM(told(&device, names[last], lengths[last]) || told(&device, names[next], lengths[next]));
        CLAIM(!done || told(&device, names[next], lengths[next]));
        CLAIM(identity_keep((const uint8_t *)names[next], lengths[next]));
    }
}

static void a_memory_that_keeps_nothing_is_told(void)
{
    struct device device;

    memset(memory, 0xFF, sizeof memory);
    power_on(&device);
    power = written = 0;
    tell(&device, "i\1\2\3\4", 5, 0);
    power = 1000;
    CLAIM(said[0][0] == 'N' && said[0][1] == WHY_NOT_KEPT);
    CLAIM(told(&device, "\0\0\0\0", 4));
}

static void a_dump_and_a_ping_are_followed_by_the_presses(void)
{
    struct device device;
    uint16_t crc = 0xFFFF;

    power_on(&device);
    tell(&device, "h", 1, 0);
    for (uint32_t now = 100; now < 120; now++)
        device_lever(&device, 0, true, now);
    for (int square = 0; square < SQUARES; square++)
        crc = crc16(crc, square < 16);
    tell(&device, "b", 1, 300);
    CLAIM(said_count == 2 && said[0][0] == 'B' && said_length[0] == 39);
    CLAIM(number(said[0] + 1, 2) == 1 && number(said[0] + 3, 4) == 300);
    CLAIM(said[0][7] == 0x11 && said[0][14] == 0x11 && said[0][15] == 0);
    CLAIM(said[1][0] == 'K' && said_length[1] == 15 && number(said[1] + 1, 4) == 300);
    CLAIM(said[1][5] == 1 && number(said[1] + 6, 4) == 100);
    CLAIM(said[1][10] == 0 && number(said[1] + 11, 4) == 0);
    tell(&device, "p", 1, 300);
    CLAIM(said_count == 2 && said[0][0] == 'P' && said_length[0] == 15 && said[1][0] == 'K');
    CLAIM(number(said[0] + 7, 2) == crc);
}

static void it_pings_each_second_until_the_host_is_silent(void)
{
    struct device device;
    int pings = 0;

    power_on(&device);
    tell(&device, "h", 1, 50);
    for (uint32_t now = 50; now < 60000; now++) {
        said_count = 0;
        device_tick(&device, now);
        CLAIM(said_count == 0 || said[0][0] == 'P');
        pings += said_count > 0;
    }
    CLAIM(pings == 10);
    tell(&device, "h", 1, 60000);
    tell(&device, "x", 1, 60001);
    device_tick(&device, 62000);
    CLAIM(said_count == 0);
}

static void settings_are_kept_within_their_limits(void)
{
    struct device device;

    power_on(&device);
    tell(&device, "s\1\x2c\1", 4, 0);
    CLAIM(said[0][0] == 'A' && said_length[0] == 1);
    CLAIM(device.board.settings.lift_ms == 300 && kept.lift_ms == 300 && kept.place_ms == 25);
    tell(&device, "s\1\x2d\1", 4, 0);
    CLAIM(said[0][0] == 'N' && said[0][1] == WHY_BAD_ARGUMENT);
    tell(&device, "s\1\x31\0", 4, 0);
    CLAIM(said[0][0] == 'N');
    tell(&device, "s\2\x05\0", 4, 0);
    CLAIM(said[0][0] == 'A' && kept.place_ms == 5);
    tell(&device, "s\2\x04\0", 4, 0);
    CLAIM(said[0][0] == 'N');
    tell(&device, "s\3\x64\0", 4, 0);
    CLAIM(said[0][0] == 'N');
    CLAIM(device.board.settings.lift_ms == 300 && device.board.settings.place_ms == 5);
}

static void what_is_no_command_is_refused_with_the_reason(void)
{
    struct device device;

    power_on(&device);
    tell(&device, "q", 1, 0);
    CLAIM(said_count == 1 && said[0][0] == 'N' && said[0][1] == WHY_UNKNOWN_COMMAND);
    tell(&device, "r\x40", 2, 0);
    CLAIM(said[0][0] == 'N' && said[0][1] == WHY_BAD_ARGUMENT);
    tell(&device, "hh", 2, 0);
    CLAIM(said[0][0] == 'N' && device.language == NO_LANGUAGE);
    converter = 700;
    tell(&device, "r\x3f", 2, 0);
    CLAIM(said[0][0] == 'R' && said[0][1] == 63 && number(said[0] + 2, 2) == 763);
}

static void events_and_levers_count_in_one_sequence(void)
{
    struct device device;
    int events = 0;

    power_on(&device);
    tell(&device, "h", 1, 0);
    for (uint32_t now = 0; now < 900; now += 4) {
        said_count = 0;
        device_read(&device, 3, now < 300 ? 1023 : 260, now);
        device_lever(&device, 1, now > 500, now);
        if (said_count == 0)
            continue;
        CLAIM(number(said[0] + 1, 2) == (uint32_t)++events);
        CLAIM(said[0][0] == (events == 3 ? 'L' : 'E'));
        if (events == 2)
            CLAIM(number(said[0] + 3, 4) == 300 && said[0][7] == 3 && said[0][8] == EMPTY &&
                  said[0][9] == classify(260));
    }
    CLAIM(events == 3);
}

static void a_full_line_loses_the_frame_and_not_the_count(void)
{
    struct device device;

    power_on(&device);
    tell(&device, "h", 1, 0);
    room = false;
    for (uint32_t now = 0; now < 300; now += 4)
        device_read(&device, 3, 1023, now);
    room = true;
    tell(&device, "b", 1, 300);
    CLAIM(number(said[0] + 1, 2) == 1 && said[0][8] == 0x01);
}

static void the_buzzer_sounds_its_bits_lowest_first(void)
{
    struct device device;
    unsigned heard = 0;

    power_on(&device);
    tell(&device, "z\x15", 2, 0);
    CLAIM(said[0][0] == 'A');
    for (uint32_t now = 0; now < 1000; now++) {
        device_tick(&device, now);
        if (now % STEP_MS == 50)
            heard |= (unsigned)buzzer << now / STEP_MS;
    }
    CLAIM(heard == 0x15 && !buzzer);
}

/* --- motor and lamp ---------------------------------------------------------------------- */

static void a_signal_runs_the_motor_once_and_the_lamp_until_the_host_is_silent(void)
{
    struct device device;
    unsigned felt = 0, seen = 0;

    power_on(&device);
    tell(&device, "h", 1, 0);
    tell(&device, "v\1\x0d\x80\xf1", 5, 0);
    CLAIM(said_count == 1 && said[0][0] == 'V' && said[0][1] == 1);
    for (uint32_t now = 0; now < 12000; now++) {
        if (now == 1000) /* the same one again, because its answer was lost */
            tell(&device, "v\1\x0d\x80\xf1", 5, now);
        device_tick(&device, now);
        CLAIM(now < 1700 || !motor);
        CLAIM(now < 11200 || !lamp);
        if (now % STEP_MS == 50 && now < 3200)
            felt |= (unsigned)motor << now / STEP_MS;
        if (now % STEP_MS == 50 && now > 9600 && now < 10400)
            seen |= (unsigned)lamp << (now / STEP_MS - 96);
    }
    CLAIM(felt == 0x800d && seen == 0xf1);
    tell(&device, "h", 1, 12000);
    tell(&device, "v\2\0\0\xff", 5, 12000);
    device_tick(&device, 12000);
    CLAIM(lamp && !motor);
    tell(&device, "x", 1, 12500);
    device_tick(&device, 12600);
    CLAIM(!lamp);
}

static void a_board_without_motor_and_lamp_refuses_signals(void)
{
    struct device device;

    device_begin(&device, &usual, 1, 1, 0);
    tell(&device, "v\1\x0d\0\xf1", 5, 0);
    CLAIM(said[0][0] == 'N' && said[0][1] == WHY_UNKNOWN_COMMAND);
}

/* --- DGT's protocol ---------------------------------------------------------------------- */

static uint32_t clock_ms;

/* Change a hole as hands do, and let it be believed. */
static void put(struct device *device, const char *square, uint16_t reading)
{
    raw_count = 0;
    raw[0] = 0;
    for (uint32_t end = clock_ms + 400; clock_ms < end; clock_ms += 4)
        device_read(device, (uint8_t)(square[0] - 'a' + 8 * (square[1] - '1')), reading, clock_ms);
    device_tick(device, clock_ms);
}

static const char *hear(struct device *device, const char *bytes, int count)
{
    raw_count = 0;
    raw[0] = 0;
    for (int i = 0; i < count; i++)
        device_hear(device, (uint8_t)bytes[i], clock_ms);
    device_tick(device, clock_ms);
    return raw;
}

static uint16_t reading_of(char piece)
{
    uint8_t code = (uint8_t)(strchr(".PRNBKQprnbkq", piece) - ".PRNBKQprnbkq");

    for (unsigned i = 0; i < sizeof LADDER / sizeof *LADDER; i++)
        if (LADDER[i].code == code)
            return LADDER[i].low;
    return 0;
}

static void start_position(struct device *device)
{
    static const uint8_t row[] = {2, 3, 4, 6, 5, 4, 3, 2};

    device_begin(device, &usual, 1, 1, 0);
    for (uint8_t file = 0; file < 8; file++) {
        board_begin_hole(&device->board, file, row[file]);
        board_begin_hole(&device->board, 8 + file, 1);
        board_begin_hole(&device->board, 48 + file, 7);
        board_begin_hole(&device->board, 56 + file, row[file] + 6);
    }
    clock_ms = 0;
    said_count = 0;
}

static void dgts_commands_are_answered_in_its_protocol(void)
{
    static const uint8_t a8_to_h7[] = {0x86, 0, 67, 8, 9, 10, 12, 11, 10, 9, 8, 7};
    static const uint8_t e2_empty[] = {0x8E, 0, 5, 52, 0}, e4_pawn[] = {0x8E, 0, 5, 36, 1};
    struct device device;

    start_position(&device);
    hear(&device, "\x42", 1);
    CLAIM(raw_count == 67 && !memcmp(raw, a8_to_h7, sizeof a8_to_h7));
    CLAIM(raw[66] == 2 && raw[3 + 52] == 1 && raw[3 + 36] == 0);
    put(&device, "e2", reading_of('.'));
    CLAIM(raw_count == 0); /* nobody has asked for changes */
    put(&device, "e2", reading_of('P'));
    hear(&device, "\x4b", 1);
    put(&device, "e2", reading_of('.'));
    CLAIM(raw_count == sizeof e2_empty && !memcmp(raw, e2_empty, sizeof e2_empty));
    put(&device, "e4", reading_of('P'));
    CLAIM(raw_count == sizeof e4_pawn && !memcmp(raw, e4_pawn, sizeof e4_pawn));
    CLAIM(!memcmp(hear(&device, "\x4d", 1), "\x93\0\5\1\2", 5) && raw_count == 5);
    memset(memory, 0xFF, sizeof memory);
    CLAIM(!memcmp(hear(&device, "\x45", 1), "\x91\0\x08\x30\x30\x30\x30\x30", 8));
    CLAIM(identity_keep((const uint8_t *)"\xff\xff\xff\xff", 4)); /* 4294967295 */
    CLAIM(!memcmp(hear(&device, "\x45", 1), "\x91\0\x08" "67295", 8));
    CLAIM(!memcmp(hear(&device, "\x55", 1), "\xa2\0\x0d" "4294967295", 13));
    CLAIM(!memcmp(hear(&device, "\x41", 1), "\x8d\0\x0a\0\0\0\0\0\0\x20", 10)); /* no clock */
    CLAIM(hear(&device, "\x4e\x50\x51\x52\x53\x54\x5f", 7) && raw_count == 0);
    hear(&device, "\x40", 1);
    put(&device, "e4", reading_of('.'));
    CLAIM(raw_count == 0);
}

static void a_bad_contact_takes_no_piece_from_a_dgt_host(void)
{
    struct device device;

    start_position(&device);
    hear(&device, "\x44", 1);
    put(&device, "e1", 0);
    CLAIM(raw_count == 0);
    hear(&device, "\x42", 1);
    CLAIM(raw[3 + 60] == 5);
    put(&device, "e1", reading_of('.'));
    CLAIM(!memcmp(raw, "\x8e\0\5\x3c\0", 5));
}

static void a_message_to_a_dgt_clock_or_to_lamps_is_passed_over(void)
{
    struct device device;

    start_position(&device);
    hear(&device, "\x2b\x04\x03\x42\x42\0\x60\x04\x01\x42\x43\0", 12);
    CLAIM(raw_count == 0);
    hear(&device, "\x42", 1);
    CLAIM(raw_count == 67);
    /* A stray zero begins no frame for ever. */
    hear(&device, "\0", 1);
    for (int i = 0; i < FRAME_ENCODED_MAX + 1; i++, clock_ms += PAUSE_MS - 1)
        hear(&device, "\x42", 1);
    hear(&device, "\x42", 1);
    CLAIM(raw_count == 67);
    /* One that is cut off ends after a pause. */
    hear(&device, "\x2b\x40\x03", 3);
    clock_ms += PAUSE_MS + 1;
    hear(&device, "\x42", 1);
    CLAIM(raw_count == 67);
}

static void whoever_says_hello_speaks_in_frames_and_is_not_interrupted(void)
{
    struct device device;

    start_position(&device);
    hear(&device, "\x4b", 1);
    tell(&device, "h", 1, 0);
    CLAIM(said_count == 2 && said[1][0] == 'H');
    CLAIM(*hear(&device, "\x42get_state\n", 11) == 0);
    put(&device, "e2", reading_of('.'));
    CLAIM(said[said_count - 1][0] == 'E' && raw_count == 10 + FRAME_OVERHEAD);
    /* Commands in frames are not commands of DGT, even if a byte of them looks so. */
    tell(&device, "x", 1, 0);
    raw_count = 0;
    tell(&device, "b", 1, 0);
    CLAIM(said[0][0] == 'B' && device.language == NO_LANGUAGE);
}

/* --- the Chess Peripheral Protocol -------------------------------------------------------- */

#define START "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR"

/* Say a line, and compare what the board answers. */
#define ASK(line, expected) CLAIM(!strcmp(hear(&device, line "\n", sizeof line), expected))
/* Put a piece into a hole or, with '.', take it out, and compare what the board says. */
#define PUT(square, piece, expected)                                                               \
    put(&device, square, reading_of(piece));                                                       \
    CLAIM(!strcmp(raw, expected))

static void a_round_goes_as_the_protocol_shows(void)
{
    struct device device;

    start_position(&device);
    ASK("feature last_move", "nok\n");
    ASK("variant standard", "ok\n");
    ASK("variant chess_960", "nok\n");
    ASK("begin " START " w", "sync " START "\n");
    PUT("a2", '.', "");
    PUT("a3", 'P', "move a2a3\n");
    ASK("ok", "");
    PUT("a7", '.', "");
    PUT("a6", 'p', "move a7a6\n");
    ASK("nok", "");
    PUT("a6", '.', "");
    PUT("a7", 'p', "");
    ASK("move e7e5", "");
    PUT("e7", '.', "");
    PUT("e5", 'p', "");
    PUT("b2", '.', "");
    PUT("b3", 'P', "move b2b3\n");
    ASK("ok", "");
    ASK("hurry", "err Unsupported command\n");
    ASK("end resign", "");
    PUT("b3", '.', "");
}

static void a_move_that_is_not_whole_is_none(void)
{
    struct device device;

    start_position(&device);
    ASK("begin " START " w", "sync " START "\n");
    ASK("move", "err No move\n");
    ASK("move ", "err No move\n");
    ASK("move e", "err No move\n");
    ASK("move e7", "err No move\n");
    ASK("move e7e", "err No move\n");
    PUT("a2", '.', "");
    PUT("a3", 'P', "move a2a3\n");
    ASK("promote", "err No move\n");
    ASK("promote a2a", "err No move\n");
    ASK("ok", "");
}

static void a_board_that_shows_something_else_says_so_until_it_fits(void)
{
    struct device device;

    start_position(&device);
    put(&device, "a2", reading_of('.'));
    put(&device, "a3", reading_of('P'));
    ASK("begin " START " w", "unsync rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR\n");
    PUT("a3", '.', "state rnbqkbnr/pppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR\n");
    PUT("a2", 'P', "sync " START "\n");
    /* The cat knocks pieces down. */
    PUT("a2", '.', "");
    PUT("b2", '.', "");
    PUT("c2", '.', "");
    PUT("d2", '.', "");
    PUT("e2", '.', "unsync rnbqkbnr/pppppppp/8/8/8/8/5PPP/RNBQKBNR\n");
    PUT("a2", 'P', "state rnbqkbnr/pppppppp/8/8/8/8/P4PPP/RNBQKBNR\n");
    PUT("b2", 'P', "state rnbqkbnr/pppppppp/8/8/8/8/PP3PPP/RNBQKBNR\n");
    PUT("c2", 'P', "state rnbqkbnr/pppppppp/8/8/8/8/PPP2PPP/RNBQKBNR\n");
    PUT("d2", 'P', "state rnbqkbnr/pppppppp/8/8/8/8/PPPP1PPP/RNBQKBNR\n");
    PUT("e2", 'P', "sync " START "\n");
    /* What stands in a hole that cannot be read is unknown. */
    put(&device, "e1", 0);
    CLAIM(!strcmp(raw, "unsync rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQ?BNR\n"));
    ASK("begin no/position w", "err No position\n");
}

static void castling_en_passant_and_promotion_are_one_move_each(void)
{
    struct device device;

    start_position(&device);
    for (uint8_t square = 0; square < SQUARES; square++)
        board_begin_hole(&device.board, square, EMPTY);
    board_begin_hole(&device.board, 4, 5);
    board_begin_hole(&device.board, 7, 2);
    board_begin_hole(&device.board, 60, 11);
    board_begin_hole(&device.board, 56, 8);
    board_begin_hole(&device.board, 36, 1);
    board_begin_hole(&device.board, 35, 7);
    board_begin_hole(&device.board, 54, 1);
    ASK("feature moved", "ok\n");
    ASK("begin r3k3/6P1/8/3pP3/8/8/8/4K2R w", "sync r3k3/6P1/8/3pP3/8/8/8/4K2R\n");
    PUT("e5", '.', "");
    PUT("d6", 'P', "");
    PUT("d5", '.', "move e5d6\n");
    ASK("ok", "");
    ASK("move e8c8", "");
    PUT("e8", '.', "");
    PUT("c8", 'k', "");
    PUT("a8", '.', "");
    PUT("d8", 'r', "moved\n");
    PUT("e1", '.', "");
    PUT("g1", 'K', "");
    PUT("h1", '.', "");
    PUT("f1", 'R', "move e1g1\n");
    ASK("ok", "");
    PUT("g7", '.', "");
    PUT("g8", 'Q', "move g7g8q\n");
    ASK("promote g7g8n", "");
    PUT("g8", '.', "");
    PUT("g8", 'N', "moved\n");
    ASK("move d8d6", "");
    PUT("d6", '.', "");
    PUT("d8", '.', "");
    PUT("d6", 'r', "moved\n");
}

static void a_move_that_hands_take_back_too_soon_makes_no_other(void)
{
    struct device device;

    start_position(&device);
    ASK("begin " START, "sync " START "\n");
    PUT("e2", '.', "");
    PUT("e4", 'P', "move e2e4\n");
    PUT("e4", '.', "");
    PUT("e2", 'P', "");
    ASK("ok", "");
    PUT("e2", '.', "");
    PUT("e4", 'P', "");
    PUT("e7", '.', "");
    PUT("e5", 'p', "move e7e5\n");
}

static void each_state_is_told_to_whoever_wants_it(void)
{
    struct device device;

    start_position(&device);
    ASK("get_state", "state " START "\n");
    PUT("a2", '.', "state rnbqkbnr/pppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR\n");
    PUT("a2", 'P', "state " START "\n");
    ASK("feature state_stream", "ok\n");
    ASK("begin " START " w", "sync " START "\n");
    PUT("a2", '.', "state rnbqkbnr/pppppppp/8/8/8/8/1PPPPPPP/RNBQKBNR\n");
    PUT("a3", 'P', "state rnbqkbnr/pppppppp/8/8/8/P7/1PPPPPPP/RNBQKBNR\nmove a2a3\n");
}

static void on_a_full_line_only_the_last_state_is_told(void)
{
    struct device device;

    start_position(&device);
    ASK("begin " START, "sync " START "\n");
    room = false;
    for (char file = 'a'; file <= 'h'; file++)
        PUT(((char[]){file, '1', 0}), '.', "");
    room = true;
    device_tick(&device, clock_ms);
    CLAIM(!strcmp(raw, "unsync rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/8\n"));
    room = false;
    for (char file = 'a'; file <= 'h'; file++)
        PUT(((char[]){file, '1', 0}), "RNBQKBNR"[file - 'a'], "");
    room = true;
    device_tick(&device, clock_ms);
    CLAIM(!strcmp(raw, "sync " START "\n"));
}

/* --- any stream ---------------------------------------------------------------------------- */

static void after_any_stream_each_language_is_understood(void)
{
    static const char PIECES[] = ".PRNBKQprnbkq";
    struct device device;

    start_position(&device);
    for (int round = 0; round < 3000; round++) {
        for (int i = roll(); i > 0; i--) {
            static const char LIKELY[] = "begin move ok\n/8pP\0\x2b\x42\x4bstate";
            char byte = roll() % 4 ? LIKELY[roll() % sizeof LIKELY] : (char)roll();
            hear(&device, &byte, 1);
            clock_ms += roll() % 64 ? 1 : PAUSE_MS + 1;
            device_read(&device, roll() % 64, reading_of(PIECES[roll() % 13]), clock_ms);
        }
        clock_ms += PAUSE_MS + 1;
        hear(&device, "\n", 1);
        CLAIM(!strncmp(hear(&device, "get_state\n", 10), "state ", 6));
        hear(&device, "\x42", 1);
        CLAIM(raw_count == 67);
        tell(&device, "x", 1, clock_ms);
        tell(&device, "h", 1, clock_ms);
        CLAIM(said_count == 2 && said[1][0] == 'H');
        tell(&device, "x", 1, clock_ms);
    }
}

int main(void)
{
    the_crc_has_the_published_check_value();
    a_ping_request_has_exactly_these_bytes();
    any_body_survives_the_line();
    one_flipped_bit_is_no_frame();
    garbage_is_counted_and_the_next_frame_is_heard();
    every_window_gives_its_piece_and_what_lies_between_is_a_fault();
    a_lift_is_believed_after_its_time_and_tells_the_first_opening();
    a_contact_that_opens_for_the_time_set_or_less_is_a_wobble();
    bounce_moves_the_beginning_but_makes_one_event();
    a_piece_must_read_the_same_to_be_believed();
    pieces_exchanged_faster_than_a_lift_are_one_event();
    a_bad_contact_is_no_lift();
    times_and_counters_go_round();
    a_lever_counts_presses_and_not_bounces();
    nothing_is_said_unasked_before_hello();
    hello_says_who_it_is();
    a_board_keeps_the_id_and_the_name_that_it_is_given();
    a_loss_of_power_while_a_name_is_written_leaves_the_old_one_or_the_new_one();
    a_memory_that_keeps_nothing_is_told();
    a_dump_and_a_ping_are_followed_by_the_presses();
    it_pings_each_second_until_the_host_is_silent();
    settings_are_kept_within_their_limits();
    what_is_no_command_is_refused_with_the_reason();
    events_and_levers_count_in_one_sequence();
    a_full_line_loses_the_frame_and_not_the_count();
    the_buzzer_sounds_its_bits_lowest_first();
    a_signal_runs_the_motor_once_and_the_lamp_until_the_host_is_silent();
    a_board_without_motor_and_lamp_refuses_signals();
    dgts_commands_are_answered_in_its_protocol();
    a_bad_contact_takes_no_piece_from_a_dgt_host();
    a_message_to_a_dgt_clock_or_to_lamps_is_passed_over();
    whoever_says_hello_speaks_in_frames_and_is_not_interrupted();
    a_round_goes_as_the_protocol_shows();
    a_move_that_is_not_whole_is_none();
    a_board_that_shows_something_else_says_so_until_it_fits();
    castling_en_passant_and_promotion_are_one_move_each();
    a_move_that_hands_take_back_too_soon_makes_no_other();
    each_state_is_told_to_whoever_wants_it();
    on_a_full_line_only_the_last_state_is_told();
    after_any_stream_each_language_is_understood();
    puts("The firmware's portable core does what it should.");
    return 0;
}
