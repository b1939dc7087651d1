/*
 * One MADT under construction and what the decoder makes of it, for test_madt*.c.
 */
#ifndef TESTS_HOST_MADT_CASE_H
#define TESTS_HOST_MADT_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "arch/x86/decode/madt.h"
#include "tests/host/table_builder.h"

#define CPU(uid, id, flags) 0x00, 0x08, uid, id, flags, 0, 0, 0
#define X2APIC_CPU(uid, id0, id1, flags) \
    0x09, 0x10, 0, 0, id0, id1, 0, 0, flags, 0, 0, 0, uid, 0, 0, 0

static struct madt madt;
static struct table_builder table;

/* A new table, up to its entries. */
static inline void begin(void)
{
    table_begin(&table, "APIC", 3);
    table_add_u32(&table, 0xfee00000);
    table_add_u32(&table, 1);
}

/* Decodes the bytes as they are. */
static inline enum error parse_raw(void)
{
    uint8_t *bytes = table_copy(&table);
    enum error error = madt_parse(bytes, table.length, &madt);

    free(bytes);
    return error;
}

static inline void parse(void)
{
    table_end(&table);
    assert_int_equal(parse_raw(), OK);
}

static inline void expect_usable(unsigned count, const uint32_t *apic_ids)
{
    assert_int_equal(madt.usable_count, count);
    for (unsigned i = 0; i < count; i++) {
        assert_int_equal(madt.cpus[i].apic_id, apic_ids[i]);
        assert_int_equal(madt.cpus[i].state, MADT_CPU_USABLE);
        assert_string_equal(madt.cpus[i].reason, "");
    }
    for (unsigned i = count; i < madt.cpu_count; i++)
        assert_int_not_equal(madt.cpus[i].state, MADT_CPU_USABLE);
}

/* The usable CPUs are these, in this order. */
#define EXPECT_USABLE(...)                                                    \
    expect_usable(sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
                  (const uint32_t[]){__VA_ARGS__})

static inline void expect_warning(const char *where)
{
    for (unsigned i = 0; i < madt.warnings.count; i++) {
        if (strcmp(madt.warnings.entries[i].where, where) == 0)
            return;
    }
    fail_msg("no warning at %s", where);
}

#endif
