/* What the portable core needs of the hardware. avr.c and the tests on the host provide it. */
#ifndef PORT_H
#define PORT_H

#include "board.h"

#include <stdbool.h>
#include <stdint.h>

/* Send all of these bytes, or none if there is no room for all. The host notices the gap. */
void port_send(const uint8_t *bytes, uint8_t count);

/* How many bytes can be sent now. */
uint16_t port_room(void);

/* Read a hole now, 0 to 1023. */
uint16_t port_convert(uint8_t square);

void port_buzzer(bool on);

/* Run the motor. It stands still while holes are read. */
void port_motor(bool on);

void port_lamp(bool on);

/* Save the settings, so that they survive a loss of power. */
void port_save(const struct settings *settings);

/* KEPT_BYTES bytes that survive a loss of power. port_keep returns when the byte is written; a loss
 * of power meanwhile spoils at most this byte. */
uint8_t port_kept(uint8_t at);
void port_keep(uint8_t at, uint8_t value);

#endif
