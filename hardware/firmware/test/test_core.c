/* Tests of the portable core on the host: make -C hardware check. The first failure stops them. */
#include "../board.h"
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
static bool buzzer, room = true;
static struct settings kept;
static uint16_t converter;

void port_send(const uint8_t *bytes, uint8_t count)
{
    if (!room)
        return;
    for (uint8_t i = 0; i < count; i++) {
        uint8_t length = frame_receive(&host, bytes[i]);
        if (length > 0) {
            CLAIM(said_count < 64);
            memcpy(said[said_count], host.bytes, length);
            said_length[said_count++] = length;
        }
    }
}

uint16_t port_convert(uint8_t square)
{
    return (uint16_t)(converter + square);
}

void port_buzzer(bool on)
{
    buzzer = on;
}

void port_save(const struct settings *settings)
{
    kept = *settings;
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
    device_begin(device, &usual, 0x1234, 1);
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
    static const uint8_t expected[] = {'H', 1, 0, 1, 7, 64, 0x34, 0x12, 1, 0x78, 0x56, 0, 0};
    struct device device;

    power_on(&device);
    tell(&device, "h", 1, 0x5678);
    CLAIM(said_count == 1 && said_length[0] == sizeof expected);
    CLAIM(memcmp(said[0], expected, sizeof expected) == 0);
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
    CLAIM(said[0][0] == 'N' && !device.native);
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
                  said[0][9] == 3);
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
        if (now % BUZZER_STEP_MS == 50)
            heard |= (unsigned)buzzer << now / BUZZER_STEP_MS;
    }
    CLAIM(heard == 0x15 && !buzzer);
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
    a_dump_and_a_ping_are_followed_by_the_presses();
    it_pings_each_second_until_the_host_is_silent();
    settings_are_kept_within_their_limits();
    what_is_no_command_is_refused_with_the_reason();
    events_and_levers_count_in_one_sequence();
    a_full_line_loses_the_frame_and_not_the_count();
    the_buzzer_sounds_its_bits_lowest_first();
    puts("The firmware's portable core does what it should.");
    return 0;
}
