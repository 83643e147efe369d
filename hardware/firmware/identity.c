#include "identity.h"

#include "frame.h"
#include "port.h"

/* A copy: its turn, id and name, CRC. The turns 0, 1 and 2 follow each other and tell which copy is
 * newer. A copy has no turn while it is written. */
#define COPY (IDENTITY_MAX + 3)
#define TURNS 3
#define NO_TURN 0xFF
#define NO_COPY 2

static uint8_t kept(uint8_t copy, uint8_t at)
{
    return port_kept((uint8_t)(copy * COPY + at));
}

/* A CRC over data and their CRC is 0. */
static bool is_whole(uint8_t copy)
{
    uint16_t crc = 0xFFFF;

    for (uint8_t at = 0; at < COPY; at++)
        crc = crc16(crc, kept(copy, at));
    return crc == 0 && kept(copy, 0) < TURNS;
}

static uint8_t next_turn(uint8_t copy)
{
    return (uint8_t)((kept(copy, 0) + 1) % TURNS);
}

static uint8_t newest(void)
{
    bool first = is_whole(0), second = is_whole(1);

    if (first && second)
        return kept(1, 0) == next_turn(0) ? 1 : 0;
    return first ? 0 : second ? 1 : NO_COPY;
}

uint8_t identity_read(uint8_t *out)
{
    uint8_t copy = newest(), length = ID_BYTES;

    for (uint8_t i = 0; i < IDENTITY_MAX; i++) {
        out[i] = copy == NO_COPY ? 0 : kept(copy, i + 1);
        if (out[i] != 0 && i >= ID_BYTES)
            length = i + 1;
    }
    return length;
}

uint32_t identity_id(void)
{
    uint8_t identity[IDENTITY_MAX];
    uint32_t id = 0;

    identity_read(identity);
    for (uint8_t i = ID_BYTES; i-- > 0;)
        id = id << 8 | identity[i];
    return id;
}

bool identity_keep(const uint8_t *bytes, uint8_t length)
{
    uint8_t last = newest(), copy = last == 0, start = (uint8_t)(copy * COPY), at = start;
    uint8_t turn = last == NO_COPY ? 0 : next_turn(last);
    uint16_t crc = crc16(0xFFFF, turn);

    port_keep(at++, NO_TURN);
    for (uint8_t i = 0; i < IDENTITY_MAX; i++) {
        uint8_t byte = i < length ? bytes[i] : 0;
        crc = crc16(crc, byte);
        port_keep(at++, byte);
    }
    port_keep(at++, (uint8_t)crc);
    port_keep(at, (uint8_t)(crc >> 8));
    port_keep(start, turn);
    return newest() == copy;
}
