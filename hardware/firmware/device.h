/* The board as the host sees it: commands in, frames out. This part reaches the hardware only
 * through port.h. */
#ifndef DEVICE_H
#define DEVICE_H

#include "board.h"
#include "frame.h"

#define PROTOCOL_VERSION 1
#define FIRMWARE_VERSION 0x0100

#define CAN_IDENTITY 1
#define CAN_LEVERS 2
#define CAN_BUZZER 4

/* After so long without a command from the host, the board falls silent. */
#define HOST_SILENCE_MS 10000
#define PING_MS 1000
#define BUZZER_STEP_MS 100

/* Why the board refused a command. */
#define WHY_UNKNOWN_COMMAND 3
#define WHY_BAD_ARGUMENT 5

struct device {
    struct board board;
    struct receiver receiver;
    uint16_t nonce;
    uint8_t cause;
    /* Whether the host has said hello and sent commands since. */
    bool native;
    uint32_t heard_at, pinged_at;
    /* The remaining bits of the buzzer pattern, lowest first. */
    uint8_t buzzer_bits;
    bool buzzing;
    uint32_t buzzer_at;
    /* For the ping. The hardware layer keeps them up to date. */
    uint8_t overruns;
    uint16_t scan_us;
};

/* Begin. board_begin_hole and board_begin_lever then set the holes and levers. `nonce` differs from
 * that of the last boot. `cause` holds the reset flags of the processor. */
void device_begin(struct device *device, const struct settings *settings, uint16_t nonce,
                  uint8_t cause);

/* Take a byte from the host. */
void device_hear(struct device *device, uint8_t byte, uint32_t now);

/* Take a reading of a hole or of a lever. */
void device_read(struct device *device, uint8_t square, uint16_t reading, uint32_t now);
void device_lever(struct device *device, uint8_t lever, bool down, uint32_t now);

/* Do what is due by now: send a ping, sound the buzzer, fall silent. */
void device_tick(struct device *device, uint32_t now);

#endif
