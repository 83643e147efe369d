/* The board as the host sees it: commands in, frames out. No hardware in here; what it needs of
 * the hardware it asks of port.h. */
#ifndef DEVICE_H
#define DEVICE_H

#include "board.h"
#include "frame.h"

#define PROTOCOL_VERSION 1
#define FIRMWARE_VERSION 0x0100

#define CAN_IDENTITY 1
#define CAN_LEVERS 2
#define CAN_BUZZER 4

/* Without a word from the host for so long, the board falls silent. */
#define HOST_SILENCE_MS 10000
#define PING_MS 1000
#define BUZZER_STEP_MS 100

/* Why a command was not obeyed. */
#define WHY_UNKNOWN_COMMAND 3
#define WHY_BAD_ARGUMENT 5

struct device {
    struct board board;
    struct receiver receiver;
    uint16_t nonce;
    uint8_t cause;
    /* Whether the host has said hello and has been heard since. */
    bool native;
    uint32_t heard_at, pinged_at;
    /* The bits still to be sounded, lowest first. */
    uint8_t buzzer_bits;
    bool buzzing;
    uint32_t buzzer_at;
    /* For the ping; the hardware layer keeps them up to date. */
    uint8_t overruns;
    uint16_t scan_us;
};

/* Begin; the holes and levers are then set with board_begin_hole and board_begin_lever. `nonce`
 * differs from that of the last boot, `cause` is the processor's own reset flags. */
void device_begin(struct device *device, const struct settings *settings, uint16_t nonce,
                  uint8_t cause);

/* A byte came from the host. */
void device_hear(struct device *device, uint8_t byte, uint32_t now);

/* A hole was read, a lever was looked at. */
void device_read(struct device *device, uint8_t square, uint16_t reading, uint32_t now);
void device_lever(struct device *device, uint8_t lever, bool down, uint32_t now);

/* Whatever is due by now: pings, the buzzer, falling silent. */
void device_tick(struct device *device, uint32_t now);

#endif
