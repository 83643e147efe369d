#include "log.h"

#include <stdbool.h>
#include <string.h>

/* A record: what it is about, its value, and both again with all bits turned, so that one that was
 * cut off is known. The first record of a sector is its turn: it is written last, when the sector
 * has everything. The turns 0, 1 and 2 follow each other and tell which sector is newer. */
#define TURN 0xF0
#define TURNS 3
#define RECORDS (LOG_SECTOR_BYTES / LOG_RECORD)

static uint8_t values[LOG_BYTES];
static uint8_t sector, turn;
static uint16_t next;

static bool is_record(const uint8_t *record)
{
    return (record[0] ^ record[2]) == 0xFF && (record[1] ^ record[3]) == 0xFF;
}

static bool is_empty(const uint8_t *record)
{
    return (record[0] & record[1] & record[2] & record[3]) == 0xFF;
}

/* The turn of a sector, or TURNS if it has none. */
static uint8_t turn_of(uint8_t which)
{
    const uint8_t *first = flash_sector(which);

    if (!is_record(first) || first[0] != TURN || first[1] >= TURNS)
        return TURNS;
    return first[1];
}

static void append(uint8_t about, uint8_t value, uint16_t record)
{
    const uint8_t bytes[LOG_RECORD] = {about, value, (uint8_t)~about, (uint8_t)~value};

    flash_write(sector, (uint16_t)(record * LOG_RECORD), bytes);
}

/* Go on in the other sector, with what holds now. */
static void begin_other(void)
{
    sector = !sector;
    turn = (uint8_t)((turn + 1) % TURNS);
    next = 1;
    flash_erase(sector);
    for (uint8_t at = 0; at < LOG_BYTES; at++)
        if (values[at] != 0xFF)
            append(at, values[at], next++);
    append(TURN, turn, 0);
}

void log_begin(void)
{
    uint8_t first = turn_of(0), second = turn_of(1);
    const uint8_t *records;

    memset(values, 0xFF, sizeof values);
    if (first == TURNS && second == TURNS) {
        sector = 1;
        turn = TURNS - 1;
        begin_other();
        return;
    }
    sector = first == TURNS || (second != TURNS && second == (first + 1) % TURNS);
    turn = sector ? second : first;
    records = flash_sector(sector);
    for (next = RECORDS; next > 1 && is_empty(records + (next - 1) * LOG_RECORD); next--)
        ;
    for (uint16_t i = 1; i < next; i++) {
        const uint8_t *record = records + i * LOG_RECORD;
        if (is_record(record) && record[0] < LOG_BYTES)
            values[record[0]] = record[1];
    }
}

uint8_t log_read(uint8_t at)
{
    return values[at];
}

void log_write(uint8_t at, uint8_t value)
{
    if (values[at] == value)
        return;
    values[at] = value;
    if (next == RECORDS)
        begin_other();
    else
        append(at, value, next++);
}
