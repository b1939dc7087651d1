/*
 * ACPI: finds the root pointer (RSDP), the root table behind it and the three tables the kernel
 * reads, and decodes the FADT and HPET tables. The MADT has its own decoder (madt.h).
 * Firmware is not trusted: nothing is followed before its length and checksum were looked at, and
 * only memory below 4 GiB is followed at all. Pure.
 */
#ifndef ARCH_X86_DECODE_ACPI_TABLES_H
#define ARCH_X86_DECODE_ACPI_TABLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arch/x86/decode/phys_reader.h"
#include "kernel/error.h"
#include "kernel/lib/warnings.h"

#define ACPI_TABLE_MAX_BYTES (1u << 20) /* a longer table is taken for garbage */

/* ACPI Specification, System Description Table Header: the first bytes of every table. */
struct acpi_header {
    char signature[4];
    uint32_t length;
    uint8_t revision;
    uint8_t checksum;
    char oem_id[6];
    char oem_table_id[8];
    uint32_t oem_revision;
    uint32_t creator_id;
    uint32_t creator_revision;
} __attribute__((packed));
_Static_assert(sizeof(struct acpi_header) == 36, "System Description Table Header is 36 bytes");

enum acpi_root { ACPI_ROOT_NONE, ACPI_ROOT_RSDT, ACPI_ROOT_XSDT };

/* Where a table lies; its whole length was readable. `length` 0: there is no such table. */
struct acpi_table {
    uint32_t phys;
    uint32_t length;
};

struct acpi_tables {
    uint32_t rsdp_phys;  /* 0: a copy from the boot loader was used */
    uint8_t revision;    /* of the RSDP; 0 is ACPI 1.0 */
    enum acpi_root root; /* the table that named the MADT, or else the first that was usable */
    struct acpi_table madt;
    struct acpi_table fadt;
    struct acpi_table hpet;
    char oem_id[7]; /* zero-terminated, unprintable characters replaced by '?' */
    struct warning_list warnings;
};

enum acpi_space { ACPI_SPACE_MEMORY = 0, ACPI_SPACE_IO = 1, ACPI_SPACE_PCI_CONFIG = 2 };

/* ACPI Specification, Generic Address Structure. `address` 0: no such register. */
struct acpi_register {
    enum acpi_space space;
    uint64_t address;
};

struct fadt {
    struct acpi_register pm_timer; /* I/O port, or memory below 4 GiB */
    unsigned pm_timer_bits;        /* 24 or 32; 0 without a PM timer */
    struct acpi_register reset;
    uint8_t reset_value;     /* to be written to `reset` */
    bool hardware_reduced;   /* no PM timer, and no 8259 or 8254 to be counted on */
    bool has_boot_flags;     /* the next three were told by firmware, not assumed */
    bool has_legacy_devices; /* ISA devices; assumed */
    bool has_8042;           /* keyboard controller; assumed */
    bool vga_absent;         /* VGA text memory must not be touched; assumed not */
};

struct hpet {
    uint32_t phys; /* of the register block */
    uint8_t number;
    uint16_t minimum_tick;
};

/* The sum of all bytes modulo 256: 0 for an intact structure. */
uint8_t acpi_sum(const void *bytes, size_t length);

/*
 * Finds RSDP, root table, MADT, FADT and HPET.
 * rsdp_copy: what the boot loader handed over (Multiboot 2 tags 14 and 15), or NULL; an unusable
 * copy is reported and the BIOS areas are searched as without one.
 * ERROR_NOT_FOUND without a usable RSDP or root table; OK does not promise any one table.
 */
enum error acpi_find(phys_reader *read, void *ctx, const void *rsdp_copy, size_t rsdp_length,
                     struct acpi_tables *out);

/*
 * Decodes a FADT of `length` readable bytes. Older tables are shorter: a field counts only if the
 * table covers it and it is not zero. A bad checksum is a warning.
 */
enum error fadt_parse(const void *bytes, size_t length, struct fadt *out,
                      struct warning_list *warnings);

/* Decodes a HPET table of `length` readable bytes; ERROR_BAD_VALUE if the block is out of reach. */
enum error hpet_parse(const void *bytes, size_t length, struct hpet *out,
                      struct warning_list *warnings);

/*
 * The counter period in femtoseconds from the General Capabilities and ID Register, 0 if it is
 * not one a HPET may have (IA-PC HPET Specification, General Capabilities and ID Register).
 */
uint32_t hpet_period_fs(uint64_t capabilities);

#endif
