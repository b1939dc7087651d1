/*
 * How the bytes of a MADT are laid out, for its decoder and for code that builds tables. Pure.
 */
#ifndef ARCH_X86_DECODE_MADT_FORMAT_H
#define ARCH_X86_DECODE_MADT_FORMAT_H

#include <stdint.h>

#include "arch/x86/decode/acpi_tables.h"

/* ACPI Specification, Interrupt Controller Structure Types. */
enum madt_entry_type {
    MADT_ENTRY_LOCAL_APIC = 0x0,
    MADT_ENTRY_IOAPIC = 0x1,
    MADT_ENTRY_SOURCE_OVERRIDE = 0x2,
    MADT_ENTRY_LOCAL_NMI = 0x4,
    MADT_ENTRY_LAPIC_ADDRESS = 0x5,
    MADT_ENTRY_LOCAL_X2APIC = 0x9,
    MADT_ENTRY_X2APIC_NMI = 0xa,
};

/* ACPI Specification, Local APIC Flags. */
#define MADT_FLAG_ENABLED 0x1u
#define MADT_FLAG_ONLINE_CAPABLE 0x2u

/* ACPI Specification, Multiple APIC Flags. */
#define MADT_FLAG_PCAT_COMPAT 0x1u

#define MADT_XAPIC_BROADCAST 0xffu /* in type 0: no CPU's own ID */
#define MADT_X2APIC_BROADCAST 0xffffffffu
#define MADT_UID_ALL_SHORT 0xffu /* "all processors" where the UID has one byte */
#define MADT_ISA_BUS 0

/* ACPI Specification, Multiple APIC Description Table (MADT). */
struct madt_head {
    struct acpi_header header;
    uint32_t lapic_address;
    uint32_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_head) == 44, "the entries follow at offset 44");

struct madt_entry {
    uint8_t type;
    uint8_t length;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_entry) == 2, "type and length");

/* ACPI Specification, Processor Local APIC Structure. */
struct madt_local_apic_entry {
    struct madt_entry head;
    uint8_t acpi_uid;
    uint8_t apic_id;
    uint32_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_apic_entry) == 8, "Processor Local APIC Structure");

/* ACPI Specification, I/O APIC Structure. */
struct madt_ioapic_entry {
    struct madt_entry head;
    uint8_t ioapic_id;
    uint8_t reserved;
    uint32_t address;
    uint32_t gsi_base;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_ioapic_entry) == 12, "I/O APIC Structure");

/* ACPI Specification, Interrupt Source Override Structure. */
struct madt_source_override_entry {
    struct madt_entry head;
    uint8_t bus;
    uint8_t source;
    uint32_t gsi;
    uint16_t flags;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_source_override_entry) == 10,
               "Interrupt Source Override Structure");

/* ACPI Specification, Local APIC NMI Structure. */
struct madt_local_nmi_entry {
    struct madt_entry head;
    uint8_t acpi_uid;
    uint16_t flags;
    uint8_t lint;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_nmi_entry) == 6, "Local APIC NMI Structure");

/* ACPI Specification, Local APIC Address Override Structure. */
struct madt_lapic_address_entry {
    struct madt_entry head;
    uint16_t reserved;
    uint64_t address;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_lapic_address_entry) == 12,
               "Local APIC Address Override Structure");

/* ACPI Specification, Processor Local x2APIC Structure. */
struct madt_local_x2apic_entry {
    struct madt_entry head;
    uint16_t reserved;
    uint32_t apic_id;
    uint32_t flags;
    uint32_t acpi_uid;
} __attribute__((packed));
_Static_assert(sizeof(struct madt_local_x2apic_entry) == 16, "Processor Local x2APIC Structure");

/* ACPI Specification, Local x2APIC NMI Structure. */
struct madt_x2apic_nmi_entry {
    struct madt_entry head;
    uint16_t flags;
    uint32_t acpi_uid;
    uint8_t lint;
    uint8_t reserved[3];
} __attribute__((packed));
_Static_assert(sizeof(struct madt_x2apic_nmi_entry) == 12, "Local x2APIC NMI Structure");

#endif
