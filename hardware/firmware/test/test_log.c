/* Tests of log.c on the host: power is lost at every moment of every writing and erasing. */
#include "../log.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLAIM(claim)                                                                               \
    do {                                                                                           \
        if (!(claim)) {                                                                            \
            fprintf(stderr, "%s:%d: %s: not so: %s\n", __FILE__, __LINE__, __func__, #claim);      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static uint8_t flash[LOG_SECTORS][LOG_SECTOR_BYTES];
static int erased[LOG_SECTORS];
/* Power is lost in the middle of this deed from now; then nothing happens until it is back. */
static long power = -1;

static uint32_t dice = 1;

static uint8_t roll(void)
{
    dice = dice * 1664525u + 1013904223u;
    return (uint8_t)(dice >> 24);
}

/* 1 with power, 0 in the moment when it is lost, -1 without. */
static int powered(void)
{
    if (power < 0)
        return 1;
    if (power == 0)
        return -1;
    return --power > 0;
}

const uint8_t *flash_sector(uint8_t sector)
{
    return flash[sector];
}

void flash_erase(uint8_t sector)
{
    int how = powered();

    erased[sector] += how > 0;
    for (int i = 0; i < LOG_SECTOR_BYTES && how >= 0; i++)
        flash[sector][i] |= how ? 0xFF : roll();
}

void flash_write(uint8_t sector, uint16_t at, const uint8_t *bytes)
{
    int how = powered();

    CLAIM(at % LOG_RECORD == 0 && at + LOG_RECORD <= LOG_SECTOR_BYTES);
    for (int i = 0; i < LOG_RECORD && how >= 0; i++) {
        if (how)
            CLAIM(flash[sector][at + i] == 0xFF);
        flash[sector][at + i] &= how ? bytes[i] : (uint8_t)(bytes[i] | roll());
    }
}

static void new_memory(void)
{
    memset(flash, 0xFF, sizeof flash);
    memset(erased, 0, sizeof erased);
    power = -1;
    log_begin();
}

static void a_new_memory_has_nothing(void)
{
    new_memory();
    for (uint8_t at = 0; at < LOG_BYTES; at++)
        CLAIM(log_read(at) == 0xFF);
}

static void what_was_written_is_there_after_a_loss_of_power(void)
{
    uint8_t wanted[LOG_BYTES];

    new_memory();
    memset(wanted, 0xFF, sizeof wanted);
    for (int i = 0; i < 20000; i++) {
        uint8_t at = roll() % LOG_BYTES;
        log_write(at, wanted[at] = roll());
        if (i % 17 == 0)
            log_begin();
        CLAIM(log_read(at) == wanted[at]);
    }
    for (uint8_t at = 0; at < LOG_BYTES; at++)
        CLAIM(log_read(at) == wanted[at]);
    /* Each sector is erased as seldom as its records allow. */
    CLAIM(erased[0] <= 12 && erased[1] <= 12 && erased[1] > 8);
}

static void a_loss_of_power_leaves_the_old_value_or_the_new_one(void)
{
    uint8_t wanted[LOG_BYTES];

    new_memory();
    memset(wanted, 0xFF, sizeof wanted);
    for (int i = 0; i < 20000; i++) {
        uint8_t at = roll() % LOG_BYTES, value = roll();

        power = i % 3 ? -1 : 1 + roll() % 3;
        log_write(at, value);
        power = -1;
        log_begin();
        CLAIM(log_read(at) == value || log_read(at) == wanted[at]);
        wanted[at] = log_read(at);
        for (uint8_t other = 0; other < LOG_BYTES; other++)
            CLAIM(log_read(other) == wanted[other]);
    }
}

static void power_may_be_lost_anywhere_while_the_other_sector_is_begun(void)
{
    for (long lost = 1; lost < LOG_BYTES + 4; lost++) {
        new_memory();
        for (uint8_t at = 0; at < LOG_BYTES; at++)
            log_write(at, at);
        for (int i = LOG_BYTES + 1; i < LOG_SECTOR_BYTES / LOG_RECORD; i++)
            log_write(5, (uint8_t)(i & 1));
        power = lost;
        log_write(6, 99);
        power = -1;
        log_begin();
        for (uint8_t at = 0; at < LOG_BYTES; at++)
            CLAIM(log_read(at) == at || at == 5 || (at == 6 && log_read(at) == 99));
        log_write(7, 77);
        log_begin();
        CLAIM(log_read(7) == 77 && log_read(8) == 8);
    }
}

int main(void)
{
    a_new_memory_has_nothing();
    what_was_written_is_there_after_a_loss_of_power();
    a_loss_of_power_leaves_the_old_value_or_the_new_one();
    power_may_be_lost_anywhere_while_the_other_sector_is_begun();
    puts("The log keeps what it should.");
    return 0;
}
