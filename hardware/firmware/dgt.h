/* DGT's serial protocol, as far as a board of pegs can speak it: positions and single changes, but
 * no touches, clocks or levers. This part knows no hardware. */
#ifndef DGT_H
#define DGT_H

#include "board.h"

#include <stdbool.h>
#include <stdint.h>

/* Whether a byte from the host is a command that stands alone. */
#define IS_DGT_COMMAND(byte) ((byte) >= 0x40 && (byte) <= 0x5F)
/* Whether the byte begins a message to a clock or to lamps: the number of bytes that follow comes
 * next. A board without them passes over the message. */
#define IS_DGT_MESSAGE(byte) ((byte) == 0x2B || (byte) == 0x60)

/* `updates`: the host wants to hear of single changes. */
struct dgt {
    bool updates;
};

void dgt_obey(struct dgt *dgt, const struct board *board, uint8_t command);

/* A square changed. */
void dgt_changed(const struct dgt *dgt, const struct board *board, uint8_t square);

#endif
