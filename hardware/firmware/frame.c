#include "frame.h"

uint16_t crc16(uint16_t crc, uint8_t byte)
{
    byte ^= (uint8_t)crc;
    byte ^= (uint8_t)(byte << 4);
    return (uint16_t)(((uint16_t)byte << 8 | crc >> 8) ^ (byte >> 4) ^ ((uint16_t)byte << 3));
}

uint8_t frame_encode(const uint8_t *body, uint8_t length, uint8_t *out)
{
    uint16_t crc = 0xFFFF;
    uint8_t written = 0, code_at;

    out[written++] = 0;
    code_at = written++;
    for (uint8_t i = 0; i < length + 2; i++) {
        uint8_t byte;
        if (i < length) {
            byte = body[i];
            crc = crc16(crc, byte);
        } else {
            byte = i == length ? (uint8_t)crc : (uint8_t)(crc >> 8);
        }
        if (byte == 0) {
            out[code_at] = (uint8_t)(written - code_at);
            code_at = written++;
        } else {
            out[written++] = byte;
        }
    }
    out[code_at] = (uint8_t)(written - code_at);
    out[written++] = 0;
    return written;
}

/* Undo COBS in place. Return the length, or 0 if a code points beyond the end. */
static uint8_t uncobs(uint8_t *bytes, uint8_t length)
{
    uint8_t from = 0, to = 0;

    while (from < length) {
        uint8_t code = bytes[from++];
        if (code - 1 > length - from)
            return 0;
        for (uint8_t i = 1; i < code; i++)
            bytes[to++] = bytes[from++];
        /* Only a code of 255 stands for no zero, and no frame is so long. */
        if (from < length)
            bytes[to++] = 0;
    }
    return to;
}

static uint8_t finish(struct receiver *receiver)
{
    uint16_t crc = 0xFFFF;
    uint8_t length = uncobs(receiver->bytes, receiver->length);

    if (length < 3)
        return 0;
    length -= 2;
    for (uint8_t i = 0; i < length; i++)
        crc = crc16(crc, receiver->bytes[i]);
    if (receiver->bytes[length] != (uint8_t)crc || receiver->bytes[length + 1] != crc >> 8)
        return 0;
    return length;
}

static void count(uint8_t *errors)
{
    if (*errors < 255)
        (*errors)++;
}

uint8_t frame_receive(struct receiver *receiver, uint8_t byte)
{
    uint8_t length = 0;

    if (byte != 0) {
        if (receiver->skipping)
            return 0;
        if (receiver->length == FRAME_ENCODED_MAX) {
            receiver->skipping = true;
            receiver->length = 0;
            count(&receiver->errors);
            return 0;
        }
        receiver->bytes[receiver->length++] = byte;
        return 0;
    }
    if (receiver->length > 0) {
        length = finish(receiver);
        if (length == 0)
            count(&receiver->errors);
    }
    receiver->length = 0;
    receiver->skipping = false;
    return length;
}
