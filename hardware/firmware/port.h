/* What the portable core needs of the hardware; avr.c has it, and so have the host's tests. */
#ifndef PORT_H
#define PORT_H

#include "board.h"

#include <stdbool.h>
#include <stdint.h>

/* Send all of these bytes or, if there is no room for all, none. The host notices the gap. */
void port_send(const uint8_t *bytes, uint8_t count);

/* Read a hole now, 0 to 1023. */
uint16_t port_convert(uint8_t square);

void port_buzzer(bool on);

/* Keep the settings over a loss of power. */
void port_save(const struct settings *settings);

#endif
