/*
 * The I/O APICs. Nothing here is driven by device interrupts, so all there is to do is to make
 * sure that firmware left none switched on.
 */
#ifndef ARCH_X86_IOAPIC_H
#define ARCH_X86_IOAPIC_H

#include <stdint.h>

/* Masks every input of the I/O APIC at `phys`. Start-up only. */
void ioapic_mask_all(uint32_t phys);

#endif
