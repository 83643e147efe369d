/* Written by ../ladder.py: change and run that instead of this file. */
#ifndef LADDER_H
#define LADDER_H

#include <stdint.h>

#define LADDER_PULL_UP_OHM 10000

/* By piece code. 0 is the open hole. */
#define LADDER_OHMS {0, 820, 15000, 3300, 6800, 82000, 33000, 1800, 22000, 4700, 10000, 180000, 47000}

/* By rising reading. A reading between two windows is a fault. */
static const struct ladder_window {
    uint16_t low, high;
    uint8_t code;
} LADDER[] = {
    {69, 108, 1}, /* white pawn, 820 ohm */
    {146, 184, 7}, /* black pawn, 1800 ohm */
    {242, 280, 3}, /* white knight, 3300 ohm */
    {314, 352, 9}, /* black knight, 4700 ohm */
    {400, 437, 4}, /* white bishop, 6800 ohm */
    {497, 532, 10}, /* black bishop, 10000 ohm */
    {599, 632, 2}, /* white rook, 15000 ohm */
    {689, 720, 8}, /* black rook, 22000 ohm */
    {771, 800, 6}, /* white queen, 33000 ohm */
    {830, 857, 12}, /* black queen, 47000 ohm */
    {900, 924, 5}, /* white king, 82000 ohm */
    {958, 980, 11}, /* black king, 180000 ohm */
    {1013, 1023, 0}, /* an open hole */
};

#endif
