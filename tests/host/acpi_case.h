/*
 * A PC's low memory with ACPI tables in it, and what acpi_find makes of it.
 */
#ifndef TESTS_HOST_ACPI_CASE_H
#define TESTS_HOST_ACPI_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "arch/x86/decode/acpi_tables.h"
#include "tests/host/fake_memory.h"
#include "tests/host/table_builder.h"

#define LOW_BYTES 0x100000u
#define ROM_RSDP 0xf59d0u
#define RSDT 0x7fe0000u
#define XSDT 0x7fe1000u
#define MADT 0x7fe2000u
#define MADT_2 0x7fe3000u
#define FADT 0x7fe4000u
#define HPET 0x7fe5000u

static struct fake_memory memory;
static uint8_t *low; /* the first MiB */
static struct acpi_tables found;

static inline int setup_memory(void **state)
{
    (void)state;
    low = fake_memory_add(&memory, 0, LOW_BYTES);
    return 0;
}

static inline int free_memory(void **state)
{
    (void)state;
    fake_memory_free(&memory);
    return 0;
}

/* Writes an RSDP to `at`; bytes 20 and on only for revision 2 and up. */
static inline void put_rsdp(uint8_t *at, uint8_t revision, uint32_t rsdt, uint64_t xsdt)
{
    uint32_t length = 36;

    memcpy(at, "RSD PTR \0TANDEM", 15);
    at[15] = revision;
    memcpy(at + 16, &rsdt, 4);
    table_fix_sum(at, 20, 8);
    if (revision < 2)
        return;
    memcpy(at + 20, &length, 4);
    memcpy(at + 24, &xsdt, 8);
    table_fix_sum(at, 36, 32);
}

/* Puts a table of `length` bytes, all zero behind its header, at `phys`. */
static inline uint8_t *put_table(const char *signature, uint32_t phys, size_t length)
{
    struct table_builder table;
    uint8_t *bytes = fake_memory_add(&memory, phys, length);

    table_begin(&table, signature, 1);
    memcpy(bytes, table.bytes, table.length);
    memcpy(bytes + 4, &length, 4);
    table_fix_sum(bytes, length, 9);
    return bytes;
}

/* Puts a root table with these entries of 4 or 8 bytes each. */
static inline uint8_t *put_root(const char *signature, uint32_t phys, size_t entry_bytes,
                                unsigned count, const uint64_t *entries)
{
    struct table_builder table;

    table_begin(&table, signature, 1);
    for (unsigned i = 0; i < count; i++)
        table_add(&table, &entries[i], entry_bytes);
    table_end(&table);
    fake_memory_put(&memory, phys, table.bytes, table.length);
    return memory.areas[memory.count - 1].bytes;
}

#define PUT_RSDT(...)                                                      \
    put_root("RSDT", RSDT, 4, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, \
             (const uint64_t[]){__VA_ARGS__})
#define PUT_XSDT(...)                                                      \
    put_root("XSDT", XSDT, 8, sizeof((const uint64_t[]){__VA_ARGS__}) / 8, \
             (const uint64_t[]){__VA_ARGS__})

/* A test with such a memory of its own. */
#define WITH_MEMORY(test) cmocka_unit_test_setup_teardown(test, setup_memory, free_memory)

static inline enum error find(void)
{
    return acpi_find(fake_memory_read, &memory, NULL, 0, &found);
}

static inline bool warned(const char *where)
{
    for (unsigned i = 0; i < found.warnings.count; i++) {
        if (strcmp(found.warnings.entries[i].where, where) == 0)
            return true;
    }
    return false;
}

#endif
