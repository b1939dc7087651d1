/*
 * What the firmware and the boot loader say, gathered while paging is still off and all physical
 * memory can be read: the bytes are read here, interpreted in decode/.
 */
#ifndef ARCH_X86_FIRMWARE_H
#define ARCH_X86_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/decode/bootinfo.h"
#include "arch/x86/decode/madt.h"

struct firmware {
    struct bootinfo boot;
    bool boot_known; /* the loader was a Multiboot one */
    struct acpi_tables acpi;
    bool has_acpi, has_madt, has_fadt, has_hpet;
    struct madt madt;
    struct fadt fadt;
    struct hpet hpet;
    uint16_t ebda_segment, base_kib; /* BIOS data area */
    bool emulator_firmware;          /* tables signed by the BIOS that QEMU and Bochs use */
};

extern struct firmware firmware;

/* Copies the boot information; first of all, before anything is written to free memory. */
void firmware_read_boot(uint32_t magic, uint32_t boot_information);

/* Finds and decodes the ACPI tables; prints the `acpi:` record and all warnings so far. */
void firmware_read_acpi(void);

#endif
