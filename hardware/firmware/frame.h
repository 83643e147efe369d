/* Frames on the wire: 00 COBS(body, CRC-16) 00. This part knows no hardware. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* The longest run of bytes between two delimiters that a receiver accepts. */
#define FRAME_ENCODED_MAX 64
/* The longest body (type and payload): a dump. */
#define FRAME_BODY_MAX 39
/* Both delimiters, the one COBS byte of a short frame, and the CRC. */
#define FRAME_OVERHEAD 5

/* Add one byte to a CRC-16/MCRF4XX. It starts at 0xFFFF. */
uint16_t crc16(uint16_t crc, uint8_t byte);

/* Write the frame of a body of FRAME_BODY_MAX bytes at most, with both delimiters. Return its
 * length, which is `length` + FRAME_OVERHEAD. */
uint8_t frame_encode(const uint8_t *body, uint8_t length, uint8_t *out);

/* Cuts received bytes into bodies. `errors` counts the stretches between delimiters that were no
 * good frame, up to 255. All zeros is the beginning. */
struct receiver {
    uint8_t bytes[FRAME_ENCODED_MAX];
    uint8_t length;
    bool skipping;
    uint8_t errors;
};

/* Take a byte. If it completes a body, return the body's length; the body is at the start of
 * `bytes` until the next call. Otherwise return 0. */
uint8_t frame_receive(struct receiver *receiver, uint8_t byte);

#endif
