#include "arch/x86/firmware.h"

#include <stddef.h>

#include "kernel/lib/string.h"
#include "kernel/log.h"

/* BIOS data area. */
#define BDA_EBDA_SEGMENT 0x40e
#define BDA_BASE_KIB 0x413

struct firmware firmware;

/* Paging is off: physical memory is simply there, up to 4 GiB. */
static const void *read_physical(void *unused, uint64_t phys, size_t bytes)
{
    (void)unused;
    if (phys > UINT32_MAX || bytes > UINT32_MAX - phys)
        return NULL;
    return (const void *)(uint32_t)phys;
}

static uint16_t read_bda(uint32_t address)
{
    uint16_t word;

    memcpy(&word, read_physical(NULL, address, sizeof word), sizeof word);
    return word;
}

void firmware_read_boot(uint32_t magic, uint32_t boot_information)
{
    firmware.boot_known =
        bootinfo_parse(read_physical, NULL, magic, boot_information, &firmware.boot) == OK;
    firmware.ebda_segment = read_bda(BDA_EBDA_SEGMENT);
    firmware.base_kib = read_bda(BDA_BASE_KIB);
}

static bool decode_madt(const struct acpi_table *table)
{
    enum error error =
        madt_parse(read_physical(NULL, table->phys, table->length), table->length, &firmware.madt);

    log_warnings(&firmware.madt.warnings);
    if (error != OK)
        log_warning("madt", "not usable (error %d): going on with one CPU", error);
    return error == OK;
}

static void decode_tables(void)
{
    const struct acpi_tables *acpi = &firmware.acpi;
    struct warning_list warnings = {.count = 0};

    if (acpi->madt.length > 0)
        firmware.has_madt = decode_madt(&acpi->madt);
    if (acpi->fadt.length > 0)
        firmware.has_fadt = fadt_parse(read_physical(NULL, acpi->fadt.phys, acpi->fadt.length),
                                       acpi->fadt.length, &firmware.fadt, &warnings) == OK;
    if (acpi->hpet.length > 0)
        firmware.has_hpet = hpet_parse(read_physical(NULL, acpi->hpet.phys, acpi->hpet.length),
                                       acpi->hpet.length, &firmware.hpet, &warnings) == OK;
    log_warnings(&warnings);
}

void firmware_read_acpi(void)
{
    static const char *const roots[] = {"none", "rsdt", "xsdt"};
    const struct acpi_tables *acpi = &firmware.acpi;
    const void *copy = firmware.boot.rsdp_length > 0 ? firmware.boot.rsdp : NULL;

    firmware.has_acpi =
        acpi_find(read_physical, NULL, copy, firmware.boot.rsdp_length, &firmware.acpi) == OK;
    log_warnings(&acpi->warnings);
    if (!firmware.has_acpi) {
        log_print("acpi: rsdp=0x0 revision=0 root=none madt=0x0 entries=0 enabled=0 disabled=0 "
                  "online_capable=0\n");
        log_warning("acpi", "no usable ACPI tables: going on with one CPU");
        return;
    }
    firmware.emulator_firmware = memcmp(acpi->oem_id, "BOCHS ", 6) == 0;
    decode_tables();
    log_print("acpi: rsdp=0x%x revision=%u root=%s madt=0x%x entries=%u enabled=%u disabled=%u "
              "online_capable=%u oem=\"%s\"\n",
              acpi->rsdp_phys, acpi->revision, roots[acpi->root], acpi->madt.phys,
              firmware.madt.entries, firmware.madt.enabled, firmware.madt.disabled,
              firmware.madt.online_capable, acpi->oem_id);
    if (!firmware.has_madt)
        log_warning("acpi", "no usable MADT: going on with one CPU");
}
