/*
 * The pair of 8259 interrupt controllers of the PC: moved out of the way of the exceptions and
 * masked, but for the timer interrupt on a machine without a local APIC.
 */
#ifndef ARCH_X86_PIC_H
#define ARCH_X86_PIC_H

#include <stdbool.h>
#include <stdint.h>

/* Re-programs both chips to vectors VECTOR_PIC and masks all sixteen lines. */
void pic_init(void);

/* Lets IRQ 0 (the PIT) through. */
void pic_enable_timer(void);

/* Handles the end of a PIC interrupt; false if it was spurious (the request vanished before the
 * CPU asked for the vector), which must not be acknowledged as a real one. */
bool pic_end_of_interrupt(uint32_t vector);

#endif
