/* Bytes that survive a loss of power in flash memory, which can be erased only in sectors: each
 * change is appended to one of two sectors. This part knows no hardware. */
#ifndef LOG_H
#define LOG_H

#include <stdint.h>

#define LOG_BYTES 96
#define LOG_SECTORS 2
#define LOG_SECTOR_BYTES 4096
/* What is appended at once. */
#define LOG_RECORD 4

/* Find what was kept. A byte that was never written is 0xFF. */
void log_begin(void);

uint8_t log_read(uint8_t at);

/* Return when the byte is written. A loss of power meanwhile leaves its old value or its new one. */
void log_write(uint8_t at, uint8_t value);

/* The hardware layer provides these. The bytes of a sector, all 0xFF after it was erased; writing
 * LOG_RECORD bytes makes zeros of ones only. */
const uint8_t *flash_sector(uint8_t sector);
void flash_erase(uint8_t sector);
void flash_write(uint8_t sector, uint16_t at, const uint8_t *bytes);

#endif
