#include "board.h"

#include "frame.h"
#include "ladder.h"

#include <string.h>

uint8_t classify(uint16_t reading)
{
    for (uint8_t i = 0; i < sizeof LADDER / sizeof *LADDER; i++)
        if (reading <= LADDER[i].high)
            return reading >= LADDER[i].low ? LADDER[i].code : FAULT;
    return FAULT;
}

bool settings_valid(const struct settings *settings)
{
    return settings->lift_ms >= 50 && settings->lift_ms <= 300 && settings->place_ms >= 5 &&
           settings->place_ms <= 300;
}

void board_begin(struct board *board, const struct settings *settings)
{
    memset(board, 0, sizeof *board);
    board->settings = *settings;
}

void board_begin_hole(struct board *board, uint8_t square, uint8_t code)
{
    struct hole *hole = &board->holes[square];

    hole->believed = code;
    hole->reading = code;
    hole->piece = code == FAULT ? EMPTY : code;
}

void board_begin_lever(struct board *board, uint8_t lever, bool down)
{
    board->levers[lever].believed = board->levers[lever].reading = down;
}

static uint16_t needed(const struct settings *settings, uint8_t code)
{
    if (code == EMPTY)
        return settings->lift_ms;
    return code == FAULT ? FAULT_MS : settings->place_ms;
}

bool board_read(struct board *board, uint8_t square, uint8_t code, uint32_t now,
                struct change *change)
{
    struct hole *hole = &board->holes[square];

    if (code == hole->believed) {
        if (hole->reading != code && board->wobbles < UINT16_MAX)
            board->wobbles++;
        hole->reading = code;
        return false;
    }
    if (code != hole->reading) {
        if (hole->reading == hole->believed)
            hole->first = (uint16_t)now;
        hole->reading = code;
        hole->since = (uint16_t)now;
        return false;
    }
    if ((uint16_t)((uint16_t)now - hole->since) <= needed(&board->settings, code))
        return false;
    change->at = now - (uint16_t)((uint16_t)now - hole->first);
    change->square = square;
    change->old = hole->believed;
    change->new = code;
    hole->believed = code;
    if (code != FAULT)
        hole->piece = code;
    board->sequence++;
    return true;
}

bool board_lever(struct board *board, uint8_t lever, bool down, uint32_t now, uint32_t *at)
{
    struct lever *it = &board->levers[lever];

    if (down == it->believed) {
        it->reading = down;
        return false;
    }
    if (down != it->reading) {
        it->reading = down;
        it->first = now;
        return false;
    }
    if (now - it->first <= LEVER_MS)
        return false;
    it->believed = down;
    *at = it->first;
    if (down) {
        it->presses++;
        it->pressed_at = it->first;
    }
    board->sequence++;
    return true;
}

uint16_t board_crc(const struct board *board)
{
    uint16_t crc = 0xFFFF;

    for (uint8_t square = 0; square < SQUARES; square++)
        crc = crc16(crc, board->holes[square].believed);
    return crc;
}
