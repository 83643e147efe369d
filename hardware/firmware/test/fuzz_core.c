/* Garbage for the portable core on the host: make -C hardware fuzz.
 *
 *   fuzz_core [INPUTS [SEED]]
 *
 * The address sanitizer stops it at a read or a write beyond an object. Most texts lie in longer
 * buffers, so each input is also given to a second board, whose buffers hold other bytes behind
 * their ends: both boards must say and know the same. And no host, whatever it sends, may move a piece or a
 * lever, or make a setting invalid. */
#include "../board.h"
#include "../cpp.h"
#include "../device.h"
#include "../frame.h"
#include "../identity.h"
#include "../port.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: not so in input %lu of seed %lu: %s\n", __FILE__, __LINE__,    \
                    input, seed, #claim);                                                          \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static unsigned long input, seed = 1;

/* --- chance ------------------------------------------------------------------------------ */

static uint64_t dice;

static unsigned roll(unsigned below)
{
    dice = dice * 6364136223846793005ull + 1442695040888963407ull;
    return (unsigned)(dice >> 33) % below;
}

/* --- a line without hardware ------------------------------------------------------------- */

static uint8_t said[2][1 << 16];
static struct device boards[2];
static size_t said_count[2];
static int board; /* 0 and 1: the two boards that hear the same */
static uint16_t room;

void port_send(const uint8_t *bytes, uint8_t count)
{
    CLAIM(said_count[board] + count <= sizeof *said);
    memcpy(said[board] + said_count[board], bytes, count);
    said_count[board] += count;
}

uint16_t port_room(void)
{
    return room;
}

uint16_t port_convert(uint8_t square)
{
    CLAIM(square < SQUARES);
    return (uint16_t)(13 * square);
}

void port_buzzer(bool on)
{
    (void)on;
}

void port_motor(bool on)
{
    (void)on;
}

void port_lamp(bool on)
{
    (void)on;
}

void port_save(const struct settings *settings)
{
    CLAIM(settings_valid(settings));
}

static uint8_t memory[2][KEPT_BYTES];

uint8_t port_kept(uint8_t at)
{
    CLAIM(at < sizeof *memory);
    return memory[board][at];
}

void port_keep(uint8_t at, uint8_t value)
{
    CLAIM(at < sizeof *memory);
    memory[board][at] = value;
}

/* --- what hosts send, and what is nearly that ---------------------------------------------- */

static uint8_t stream[4096];
static size_t length;

static void add(const void *bytes, size_t count)
{
    if (length + count > sizeof stream)
        count = sizeof stream - length;
    memcpy(stream + length, bytes, count);
    length += count;
}

static void add_text(const char *text)
{
    add(text, strlen(text));
}

static void add_byte(unsigned byte)
{
    uint8_t it = (uint8_t)byte;

    add(&it, 1);
}

/* The pieces on both boards: on square S, a1 first, that of the code S modulo 13. */
#define STANDING "BKQprnbk/nbkq1PRN/PRNBKQpr/Qprnbkq1/kq1PRNBK/NBKQprnb/rnbkq1PR/1PRNBKQp"

static void add_position(void)
{
    static const char LETTERS[] = "PRNBKQprnbkq12345678/ ";

    if (roll(3) == 0) {
        add_text(STANDING);
        return;
    }
    for (unsigned rank = 0; rank < 8 - (roll(8) == 0); rank++) {
        for (unsigned file = 0; file < 8 + (roll(32) == 0); file++)
            add_byte((unsigned char)LETTERS[roll(roll(32) ? 12 : sizeof LETTERS)]);
        add_byte('/');
    }
}

static void add_line(void)
{
    static const char *const WORDS[] = {"begin",   "move",        "ok",        "nok",  "promote",
                                        "end",     "feature",     "get_state", "err",  "variant",
                                        "move e2", "promote e7e", "set_variant"};
    static const char *const FEATURES[] = {"state_stream", "moved", "get_state", "standard", ""};
    size_t begun = length;

    add_text(WORDS[roll(sizeof WORDS / sizeof *WORDS)]);
    if (roll(4))
        add_byte(' ');
    switch (roll(5)) {
    case 0:
        add_position();
        break;
    case 1:
        add_text(FEATURES[roll(sizeof FEATURES / sizeof *FEATURES)]);
        break;
    case 2:
        break;
    default:
        for (unsigned i = 0, count = roll(7); i < count; i++)
            add_byte((i % 2 ? '1' : 'a') + roll(9));
    }
    /* Cut off anywhere. */
    if (roll(4) == 0)
        length = begun + roll((unsigned)(length - begun) + 1);
    add_byte(roll(8) ? '\n' : '\r');
}

static void add_frame(void)
{
    static const char KINDS[] = "hbprszvxiHBPLEKI";
    uint8_t body[FRAME_BODY_MAX], frame[FRAME_BODY_MAX + FRAME_OVERHEAD];
    uint8_t count = (uint8_t)(1 + roll(roll(4) ? 6 : FRAME_BODY_MAX - 1)), written;

    for (uint8_t i = 0; i < count; i++)
        body[i] = (uint8_t)(roll(2) ? roll(64) : roll(256));
    if (roll(16))
        body[0] = (uint8_t)KINDS[roll(sizeof KINDS - 1)];
    written = frame_encode(body, count, frame);
    add(frame, roll(8) ? written : roll(written));
}

static void compose(void)
{
    length = 0;
    for (unsigned parts = 1 + roll(24); parts > 0; parts--)
        switch (roll(8)) {
        case 0:
            add_byte(0x40 + roll(32)); /* a command of DGT */
            break;
        case 1:
            add_byte(roll(256));
            break;
        case 2:
        case 3:
            add_frame();
            break;
        default:
            add_line();
        }
    for (unsigned flips = roll(3) ? 0 : roll(4); flips > 0 && length > 0; flips--)
        stream[roll((unsigned)length)] ^= (uint8_t)(1 << roll(8));
}

/* --- one input ------------------------------------------------------------------------------ */

/* Fill what lies behind the ends of a line and of a frame that are not whole. */
static void fill_behind(struct device *device, uint8_t byte)
{
    struct cpp *cpp = &device->cpp;
    struct receiver *receiver = &device->receiver;

    memset(cpp->line + cpp->length + 1, byte, sizeof cpp->line - cpp->length - 1);
    memset(receiver->bytes + receiver->length, byte, sizeof receiver->bytes - receiver->length);
}

static void same_pieces(const struct device *device)
{
    for (uint8_t square = 0; square < SQUARES; square++)
        CLAIM(device->board.holes[square].believed == square % 13);
    CLAIM(device->board.sequence == 0 && device->board.levers[0].presses == 0);
    CLAIM(settings_valid(&device->board.settings));
}

static void hear(uint64_t chance, uint8_t behind)
{
    static const struct settings usual = DEFAULT_SETTINGS;
    struct device *device = &boards[board];
    uint32_t now = 0;

    dice = chance;
    said_count[board] = 0;
    memset(memory[board], 0xFF, sizeof *memory);
    device_begin(device, &usual, 1, 1, roll(2) ? CAN_MOTOR | CAN_LAMP : 0);
    for (uint8_t square = 0; square < SQUARES; square++)
        board_begin_hole(&device->board, square, square % 13);
    for (size_t i = 0; i < length; i++) {
        room = roll(16) ? 511 : (uint16_t)roll(512);
        now += roll(64) ? 1 : roll(2 * PAUSE_MS);
        fill_behind(device, (uint8_t)(behind + roll(2)));
        device_hear(device, stream[i], now);
        device_tick(device, now);
    }
    same_pieces(device);
    fill_behind(device, 0);
}

int main(int count, char **arguments)
{
    unsigned long inputs = count > 1 ? strtoul(arguments[1], NULL, 0) : 20000;

    if (count > 2)
        seed = strtoul(arguments[2], NULL, 0);
    for (input = 0; input < inputs; input++) {
        uint64_t chance = seed * 0x9E3779B97F4A7C15ull + input;

        dice = chance;
        compose();
        chance = dice;
        board = 0;
        hear(chance, '1');
        board = 1;
        hear(chance, 'p');
        CLAIM(said_count[0] == said_count[1]);
        CLAIM(!memcmp(said[0], said[1], said_count[0]));
        CLAIM(!memcmp(&boards[0], &boards[1], sizeof *boards));
        CLAIM(!memcmp(memory[0], memory[1], sizeof *memory));
    }
    printf("%lu streams of garbage did no harm.\n", inputs);
    return 0;
}
