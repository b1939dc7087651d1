/* The FADT and HPET decoders of acpi_tables.h; finding the tables is acpi_tables.c. */

#include "arch/x86/decode/acpi_tables.h"

#include "kernel/lib/string.h"

/* ACPI Specification, Fixed ACPI Description Table (FADT): offsets of the fields used. */
#define FADT_PM_TMR_BLK 76
#define FADT_IAPC_BOOT_ARCH 109
#define FADT_FLAGS 112
#define FADT_RESET_REG 116
#define FADT_RESET_VALUE 128
#define FADT_X_PM_TMR_BLK 208

/* The revision from which the boot flags were no longer reserved bytes. */
#define FADT_REVISION_BOOT_FLAGS 2

/* ACPI Specification, Fixed ACPI Description Table Fixed Feature Flags. */
#define FLAG_TMR_VAL_EXT (1u << 8)
#define FLAG_RESET_REG_SUP (1u << 10)
#define FLAG_HW_REDUCED_ACPI (1u << 20)

/* ACPI Specification, Fixed ACPI Description Table Boot IA-PC Boot Architecture Flags. */
#define BOOT_LEGACY_DEVICES (1u << 0)
#define BOOT_8042 (1u << 1)
#define BOOT_VGA_NOT_PRESENT (1u << 2)

/* IA-PC HPET Specification, The ACPI 2.0 HPET Description Table (HPET). */
#define HPET_BASE 40
#define HPET_NUMBER 52
#define HPET_MINIMUM_TICK 53
#define HPET_BYTES 56u

/* IA-PC HPET Specification, General Capabilities and ID Register. */
#define HPET_PERIOD_MAX_FS 100000000u

#define IO_PORT_MAX 0xffffu

struct table {
    const uint8_t *bytes;
    size_t length;
};

/* Checks the head of the table at `bytes`; its length is then the one the header gives. */
static enum error open_table(const void *bytes, size_t length, const char *signature,
                             struct table *table, struct warning_list *warnings)
{
    const struct acpi_header *header = bytes;

    if (length < sizeof(*header))
        return ERROR_TRUNCATED;
    if (memcmp(header->signature, signature, sizeof(header->signature)) != 0)
        return ERROR_BAD_VALUE;
    if (header->length < sizeof(*header) || header->length > ACPI_TABLE_MAX_BYTES)
        return ERROR_BAD_LENGTH;
    if (header->length > length)
        return ERROR_TRUNCATED;
    if (acpi_sum(bytes, header->length) != 0)
        warnings_add(warnings, signature, "wrong checksum: table used all the same",
                     header->checksum);
    *table = (struct table){bytes, header->length};
    return OK;
}

/* The little-endian number at `offset`; 0, "not there", if the table does not cover all of it. */
static uint64_t number_at(const struct table *table, size_t offset, size_t size)
{
    uint64_t number = 0;

    if (offset + size <= table->length)
        memcpy(&number, table->bytes + offset, size);
    return number;
}

/* ACPI Specification, Generic Address Structure: one that the kernel can reach, or address 0. */
static struct acpi_register register_at(const struct table *table, size_t offset)
{
    uint64_t address = number_at(table, offset + 4, 8);
    uint64_t space = number_at(table, offset, 1);

    if ((space == ACPI_SPACE_IO && address <= IO_PORT_MAX) ||
        (space == ACPI_SPACE_MEMORY && address <= UINT32_MAX) || space == ACPI_SPACE_PCI_CONFIG)
        return (struct acpi_register){(enum acpi_space)space, address};
    return (struct acpi_register){ACPI_SPACE_MEMORY, 0};
}

/* The extended block is preferred, but only where it names something the kernel can reach. */
static struct acpi_register pm_timer_register(const struct table *table)
{
    struct acpi_register extended = register_at(table, FADT_X_PM_TMR_BLK);
    uint64_t port = number_at(table, FADT_PM_TMR_BLK, 4);

    if (extended.address != 0 && extended.space != ACPI_SPACE_PCI_CONFIG)
        return extended;
    return (struct acpi_register){ACPI_SPACE_IO, port <= IO_PORT_MAX ? port : 0};
}

enum error fadt_parse(const void *bytes, size_t length, struct fadt *out,
                      struct warning_list *warnings)
{
    struct table table;
    enum error error = open_table(bytes, length, "FACP", &table, warnings);
    uint64_t flags, boot_flags;

    memset(out, 0, sizeof(*out));
    if (error != OK)
        return error;
    flags = number_at(&table, FADT_FLAGS, 4);
    out->hardware_reduced = (flags & FLAG_HW_REDUCED_ACPI) != 0;
    if (!out->hardware_reduced)
        out->pm_timer = pm_timer_register(&table);
    if (out->pm_timer.address != 0)
        out->pm_timer_bits = flags & FLAG_TMR_VAL_EXT ? 32 : 24;
    if (flags & FLAG_RESET_REG_SUP && table.length > FADT_RESET_VALUE) {
        out->reset = register_at(&table, FADT_RESET_REG);
        out->reset_value = (uint8_t)number_at(&table, FADT_RESET_VALUE, 1);
    }
    out->has_boot_flags =
        table.bytes[offsetof(struct acpi_header, revision)] >= FADT_REVISION_BOOT_FLAGS &&
        table.length >= FADT_FLAGS;
    boot_flags = out->has_boot_flags ? number_at(&table, FADT_IAPC_BOOT_ARCH, 2)
                                     : BOOT_LEGACY_DEVICES | BOOT_8042;
    out->has_legacy_devices = (boot_flags & BOOT_LEGACY_DEVICES) != 0;
    out->has_8042 = (boot_flags & BOOT_8042) != 0;
    out->vga_absent = (boot_flags & BOOT_VGA_NOT_PRESENT) != 0;
    return OK;
}

enum error hpet_parse(const void *bytes, size_t length, struct hpet *out,
                      struct warning_list *warnings)
{
    struct table table;
    enum error error = open_table(bytes, length, "HPET", &table, warnings);
    struct acpi_register base;

    memset(out, 0, sizeof(*out));
    if (error != OK)
        return error;
    if (table.length < HPET_BYTES)
        return ERROR_BAD_LENGTH;
    base = register_at(&table, HPET_BASE);
    if (base.space != ACPI_SPACE_MEMORY || base.address == 0)
        return ERROR_BAD_VALUE;
    out->phys = (uint32_t)base.address;
    out->number = (uint8_t)number_at(&table, HPET_NUMBER, 1);
    out->minimum_tick = (uint16_t)number_at(&table, HPET_MINIMUM_TICK, 2);
    return OK;
}

uint32_t hpet_period_fs(uint64_t capabilities)
{
    uint32_t period = (uint32_t)(capabilities >> 32);

    return period <= HPET_PERIOD_MAX_FS ? period : 0;
}
