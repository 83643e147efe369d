/* The id and the name of a board. They survive a loss of power, also one while they are written:
 * there are two copies, and the older one is written. This part knows no hardware. */
#ifndef IDENTITY_H
#define IDENTITY_H

#include <stdbool.h>
#include <stdint.h>

/* The id has four bytes, the lowest first; 0 is none. The name is UTF-8. */
#define ID_BYTES 4
#define NAME_MAX 24
#define IDENTITY_MAX (ID_BYTES + NAME_MAX)
/* The bytes that port_kept and port_keep must have: two copies with their turns and CRCs. */
#define KEPT_BYTES (2 * (IDENTITY_MAX + 3))

/* Write id and name to `out`, which has room for IDENTITY_MAX bytes, and return their length. A
 * board that was given neither has the id 0 and no name. */
uint8_t identity_read(uint8_t *out);

/* The id alone. */
uint32_t identity_id(void);

/* Keep id and name, ID_BYTES to IDENTITY_MAX bytes. False if the memory did not keep them. */
bool identity_keep(const uint8_t *bytes, uint8_t length);

#endif
