#include "dgt.h"

#include "device.h"
#include "port.h"

#include <string.h>

/* Commands. */
#define RESET 0x40
#define SEND_CLOCK 0x41
#define SEND_BOARD 0x42
#define SEND_UPDATES 0x43
#define SEND_BOARD_UPDATES 0x44
#define SEND_SERIAL_NUMBER 0x45
#define SEND_BUS_ADDRESS 0x46
#define SEND_TRADEMARK 0x47
#define SEND_UPDATES_NICE 0x4B
#define SEND_VERSION 0x4D
#define SEND_LONG_SERIAL_NUMBER 0x55

/* Messages. */
#define BOARD_DUMP 0x86
#define CLOCK 0x8D
#define FIELD_UPDATE 0x8E
#define BUS_ADDRESS 0x90
#define SERIAL_NUMBER 0x91
#define TRADEMARK 0x92
#define VERSION 0x93
#define LONG_SERIAL_NUMBER 0xA2

#define HEADER 3
/* Of serial numbers. */
#define DIGITS 5
#define LONG_DIGITS 10
#define NO_CLOCK 0x20

/* Field 0 is a8, 7 is h8, 63 is h1. DGT's codes of pieces are those of the holes. */
static uint8_t field_of(uint8_t square)
{
    return square ^ 56;
}

static void send(uint8_t kind, const void *data, uint8_t length)
{
    uint8_t message[HEADER + SQUARES] = {kind, 0, (uint8_t)(HEADER + length)};

    memcpy(message + HEADER, data, length);
    port_send(message, HEADER + length);
}

/* The last digits of the id: the serial number. */
static void send_id(uint8_t kind, uint8_t digits)
{
    char text[LONG_DIGITS];
    uint32_t id = identity_id();

    for (uint8_t i = digits; i-- > 0; id /= 10)
        text[i] = (char)('0' + id % 10);
    send(kind, text, digits);
}

static void send_board(const struct board *board)
{
    uint8_t codes[SQUARES];

    for (uint8_t square = 0; square < SQUARES; square++)
        codes[field_of(square)] = board->holes[square].piece;
    send(BOARD_DUMP, codes, SQUARES);
}

void dgt_obey(struct dgt *dgt, const struct board *board, uint8_t command)
{
    static const uint8_t version[] = {FIRMWARE_VERSION >> 8, FIRMWARE_VERSION & 0x7F};
    static const uint8_t bus_address[2], no_clock[] = {0, 0, 0, 0, 0, 0, NO_CLOCK};

    switch (command) {
    case RESET:
        dgt->updates = false;
        break;
    case SEND_UPDATES:
    case SEND_BOARD_UPDATES:
    case SEND_UPDATES_NICE:
        dgt->updates = true;
        break;
    case SEND_BOARD:
        send_board(board);
        break;
    case SEND_CLOCK:
        send(CLOCK, no_clock, sizeof no_clock);
        break;
    case SEND_VERSION:
        send(VERSION, version, sizeof version);
        break;
    case SEND_SERIAL_NUMBER:
        send_id(SERIAL_NUMBER, DIGITS);
        break;
    case SEND_LONG_SERIAL_NUMBER:
        send_id(LONG_SERIAL_NUMBER, LONG_DIGITS);
        break;
    case SEND_BUS_ADDRESS:
        send(BUS_ADDRESS, bus_address, sizeof bus_address);
        break;
    case SEND_TRADEMARK:
        send(TRADEMARK, "BlindPlay", 9);
        break;
    }
}

void dgt_changed(const struct dgt *dgt, const struct board *board, uint8_t square)
{
    uint8_t update[] = {field_of(square), board->holes[square].piece};

    if (dgt->updates)
        send(FIELD_UPDATE, update, sizeof update);
}
