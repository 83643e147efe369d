/* Written by ../ladder.py: change and run that instead of this file. */
#ifndef LADDER_H
#define LADDER_H

#include <stdint.h>

#define LADDER_PULL_UP_OHM 10000

/* By piece code. 0 is the open hole. */
#define LADDER_OHMS {0, 10000, 7500, 62000, 27000, 820, 3300, 15000, 20000, 110000, 39000, 1800, 5100}

/* By rising reading. A reading between two windows is a fault. */
static const struct ladder_window {
    uint16_t low, high;
    uint8_t code;
} LADDER[] = {
    {69, 110, 5}, /* white king, 820 ohm */
    {145, 187, 11}, /* black king, 1800 ohm */
    {241, 283, 6}, /* white queen, 3300 ohm */
    {331, 372, 12}, /* black queen, 5100 ohm */
    {423, 463, 2}, /* white rook, 7500 ohm */
    {496, 534, 1}, /* white pawn, 10000 ohm */
    {598, 634, 7}, /* black pawn, 15000 ohm */
    {667, 701, 8}, /* black rook, 20000 ohm */
    {732, 764, 4}, /* white bishop, 27000 ohm */
    {800, 830, 10}, /* black bishop, 39000 ohm */
    {868, 895, 3}, /* white knight, 62000 ohm */
    {925, 950, 9}, /* black knight, 110000 ohm */
    {1013, 1023, 0}, /* an open hole */
};

#endif
