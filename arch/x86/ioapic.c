#include "arch/x86/ioapic.h"

#include <stddef.h>

#include "arch/x86/io.h"
#include "arch/x86/paging.h"
#include "kernel/lib/bits.h"
#include "kernel/log.h"

/* Intel 82093AA data sheet, "I/O APIC Registers". */
#define IOAPIC_SELECT 0x00
#define IOAPIC_WINDOW 0x10
#define IOAPIC_BYTES 0x20
#define IOAPIC_VERSION 0x01
#define IOAPIC_REDIRECTION 0x10 /* two registers per input, the low one first */
#define REDIRECTION_MASKED (1u << 16)
#define INPUTS_MAX 240

void ioapic_mask_all(uint32_t phys)
{
    volatile void *registers = paging_map_device(phys, IOAPIC_BYTES);
    uint32_t last;

    if (registers == NULL)
        return;
    mmio_write32(registers, IOAPIC_SELECT, IOAPIC_VERSION);
    last = field(mmio_read32(registers, IOAPIC_WINDOW), 23, 16);
    if (last >= INPUTS_MAX) { /* nothing answers there */
        log_warning("ioapic.version", "no I/O APIC at 0x%x", phys);
        return;
    }
    for (uint32_t input = 0; input <= last; input++) {
        mmio_write32(registers, IOAPIC_SELECT, IOAPIC_REDIRECTION + 2 * input);
        mmio_write32(registers, IOAPIC_WINDOW, REDIRECTION_MASKED);
    }
}
