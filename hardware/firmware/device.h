/* The board as the host sees it: commands in, frames out. This part reaches the hardware only
 * through port.h. */
#ifndef DEVICE_H
#define DEVICE_H

#include "board.h"
#include "cpp.h"
#include "dgt.h"
#include "frame.h"
#include "identity.h"

#define PROTOCOL_VERSION 1
/* Tests build an older firmware with other values of these two. */
#ifndef FIRMWARE_VERSION
#define FIRMWARE_VERSION 0x0102
#endif

#define CAN_IDENTITY 1
#define CAN_LEVERS 2
#define CAN_BUZZER 4
#define CAN_DGT 8
#define CAN_CPP 16
#define CAN_MOTOR 32
#define CAN_LAMP 64
/* It tells its id and its name before each hello. */
#ifndef CAN_NAME
#define CAN_NAME 128
#endif

/* After so long without a command from the host, the board falls silent. */
#define HOST_SILENCE_MS 10000
#define PING_MS 1000
/* The time of each bit of a pattern. */
#define STEP_MS 100
/* The bytes of a frame, and of a message to a DGT clock, follow each other at once. */
#define PAUSE_MS 50

/* Why the board refused a command. */
#define WHY_UNKNOWN_COMMAND 3
#define WHY_BAD_ARGUMENT 5
#define WHY_NOT_KEPT 6

/* What the host speaks: frames after a hello, until it has been silent for long; the others until
 * it speaks something else. */
enum language { NO_LANGUAGE, FRAMES, DGT, CPP };

/* What the next byte may belong to, if it belongs to no frame of a host that has said hello. */
enum within { NOTHING, FRAME, DGT_COUNT, DGT_REST, LINE };

/* A pattern that is shown bit by bit, the lowest first. */
struct output {
    uint16_t bits;
    bool busy;
    uint32_t at;
};

struct device {
    struct board board;
    struct receiver receiver;
    uint16_t nonce;
    uint8_t cause, capabilities;
    enum language language;
    uint32_t heard_at, pinged_at;
    struct dgt dgt;
    struct cpp cpp;
    enum within within;
    uint8_t last_byte, dgt_rest;
    uint32_t byte_at;
    struct output buzzer, motor, lamp;
    /* The number of the last signal, 0 before the first. */
    uint8_t signal;
    /* For the ping. The hardware layer keeps them up to date. */
    uint8_t overruns;
    uint16_t scan_us;
};

/* Begin. board_begin_hole and board_begin_lever then set the holes and levers. `nonce` differs from
 * that of the last boot. `cause` holds the reset flags of the processor, and `fitted` those of
 * CAN_MOTOR and CAN_LAMP that the board has. */
void device_begin(struct device *device, const struct settings *settings, uint16_t nonce,
                  uint8_t cause, uint8_t fitted);

/* Take a byte from the host. */
void device_hear(struct device *device, uint8_t byte, uint32_t now);

/* Take a reading of a hole or of a lever. */
void device_read(struct device *device, uint8_t square, uint16_t reading, uint32_t now);
void device_lever(struct device *device, uint8_t lever, bool down, uint32_t now);

/* Do what is due by now: tell what is new, send a ping, sound the buzzer, run the
 * motor, fall silent. */
void device_tick(struct device *device, uint32_t now);

#endif
