/*
 * acpi_find on a memory of any bytes, and the decoders on what it finds. Beyond not crashing: a
 * table found is readable as a whole and has its signature.
 */
#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/decode/madt.h"
#include "tests/fuzz/fuzz_memory.h"

#define RSDP_BYTES 36u
#define RSDP_OLD_BYTES 20u

static const void *table_bytes(struct fuzz_memory *memory, struct acpi_table table,
                               const char *signature)
{
    const void *bytes;

    if (table.length == 0)
        return NULL;
    CHECK(table.phys != 0 && table.length >= sizeof(struct acpi_header));
    CHECK(table.length <= ACPI_TABLE_MAX_BYTES);
    bytes = fuzz_memory_read(memory, table.phys, table.length);
    CHECK(bytes != NULL && memcmp(bytes, signature, 4) == 0);
    return bytes;
}

static void check_fields(struct fuzz_memory *memory, struct acpi_tables *tables)
{
    struct fadt fadt;
    struct hpet hpet;
    const void *bytes = table_bytes(memory, tables->fadt, "FACP");

    if (bytes != NULL) {
        CHECK(fadt_parse(bytes, tables->fadt.length, &fadt, &tables->warnings) == OK);
        CHECK((fadt.pm_timer_bits == 0) == (fadt.pm_timer.address == 0));
        CHECK(fadt.pm_timer.address <= UINT32_MAX);
    }
    bytes = table_bytes(memory, tables->hpet, "HPET");
    if (bytes != NULL && hpet_parse(bytes, tables->hpet.length, &hpet, &tables->warnings) == OK)
        CHECK(hpet.phys != 0);
}

/* Most mutations break the checksum; what lies behind it is to be reached all the same. */
static void fix_rsdp(uint8_t *rsdp)
{
    rsdp[8] = 0;
    rsdp[8] = (uint8_t)-acpi_sum(rsdp, RSDP_OLD_BYTES);
    rsdp[32] = 0;
    rsdp[32] = (uint8_t)-acpi_sum(rsdp, RSDP_BYTES);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct madt madt;
    struct fuzz_memory memory = {data, size, NULL};
    struct acpi_tables tables;
    uint8_t rsdp[RSDP_BYTES];
    const void *bytes;

    if (size < RSDP_BYTES)
        return 0;
    memcpy(rsdp, data, RSDP_BYTES);
    fix_rsdp(rsdp);
    if (acpi_find(fuzz_memory_read, &memory, rsdp, RSDP_BYTES, &tables) == OK) {
        CHECK(tables.root != ACPI_ROOT_NONE);
        CHECK(strlen(tables.oem_id) <= 6);
        bytes = table_bytes(&memory, tables.madt, "APIC");
        CHECK(bytes == NULL || madt_parse(bytes, tables.madt.length, &madt) == OK);
        check_fields(&memory, &tables);
    }
    free(memory.served);
    return 0;
}
