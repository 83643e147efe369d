/* The second stage of the boot, which the RP2040's own program copies from the first 256 bytes of the
 * flash memory and starts: it lets flash memory be read as memory (command 03h, which every chip
 * knows), and starts the firmware behind itself. image.py adds its checksum. */
    .syntax unified
    .cpu cortex-m0plus
    .thumb
    .section .boot2, "ax"
    .global boot2
    .thumb_func
boot2:
    ldr r3, =0x18000000     /* SSI */
    movs r1, #0
    str r1, [r3, #0x08]     /* SSIENR: off, to be set up */
    movs r1, #2
    str r1, [r3, #0x14]     /* BAUDR: half the clock, at most 6 MHz */
    ldr r1, =0x001F0300     /* 32 bits, read as from an EEPROM */
    str r1, [r3, #0x00]     /* CTRLR0 */
    ldr r1, =0x03000218     /* command 03h of 8 bits, address of 24 bits, on one line */
    ldr r0, =0x180000F4
    str r1, [r0]            /* SPI_CTRLR0 */
    movs r1, #0
    str r1, [r3, #0x04]     /* CTRLR1: one word at a time */
    movs r1, #1
    str r1, [r3, #0x08]     /* SSIENR: on */
    ldr r0, =0x10000100     /* the firmware's vectors */
    ldr r1, =0xE000ED08     /* VTOR */
    str r0, [r1]
    ldr r1, [r0, #0]
    ldr r2, [r0, #4]
    msr msp, r1
    bx r2
    .ltorg
