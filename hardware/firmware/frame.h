/* Frames on the wire: 00 COBS(body, CRC-16) 00. No hardware in here. */
#ifndef FRAME_H
#define FRAME_H

#include <stdbool.h>
#include <stdint.h>

/* The longest run of bytes between two delimiters that either side accepts. */
#define FRAME_ENCODED_MAX 64
/* The longest body (type and payload) that is ever sent: a dump. */
#define FRAME_BODY_MAX 39
/* Both delimiters, the one COBS byte that so short a frame needs, and the CRC. */
#define FRAME_OVERHEAD 5

/* CRC-16/MCRF4XX, one byte on; start from 0xFFFF. */
uint16_t crc16(uint16_t crc, uint8_t byte);

/* Write the frame of a body of at most FRAME_BODY_MAX bytes, delimiters included, and return its
 * length, which is `length` + FRAME_OVERHEAD. */
uint8_t frame_encode(const uint8_t *body, uint8_t length, uint8_t *out);

/* Cuts received bytes into bodies. `errors` counts, up to 255, the stretches between delimiters
 * that were no whole frame. Zero it to begin. */
struct receiver {
    uint8_t bytes[FRAME_ENCODED_MAX];
    uint8_t length;
    bool skipping;
    uint8_t errors;
};

/* Take a byte. Return the length of the body that it completes, which then stands at the start of
 * `bytes` until the next call, or 0. */
uint8_t frame_receive(struct receiver *receiver, uint8_t byte);

#endif
