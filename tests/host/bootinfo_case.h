/*
 * A boot loader's information block of either kind, built up, and what the decoder makes of it.
 */
#ifndef TESTS_HOST_BOOTINFO_CASE_H
#define TESTS_HOST_BOOTINFO_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "arch/x86/decode/bootinfo.h"
#include "tests/host/fake_memory.h"
#include "tests/host/table_builder.h"

#define INFO 0x9500u

static struct fake_memory memory;
static struct bootinfo info;

static inline int free_memory(void **state)
{
    (void)state;
    fake_memory_free(&memory);
    return 0;
}

#define WITH_MEMORY(test) cmocka_unit_test_setup_teardown(test, NULL, free_memory)

static inline void put_text(uint32_t phys, const char *text)
{
    fake_memory_put(&memory, phys, text, strlen(text) + 1);
}

static inline void expect_range(unsigned index, uint64_t base, uint64_t length, uint32_t type)
{
    assert_true(index < info.memory_count);
    assert_int_equal(info.memory[index].base, base);
    assert_int_equal(info.memory[index].length_bytes, length);
    assert_int_equal(info.memory[index].type, type);
}

/* Every byte of the range is in some reserved range. */
static inline void expect_reserved(uint64_t base, uint64_t length)
{
    for (unsigned i = 0; i < info.reserved_count; i++) {
        const struct memory_range *range = &info.reserved[i];

        if (range->base <= base && base + length <= range->base + range->length_bytes)
            return;
    }
    fail_msg("%llx is not reserved", (unsigned long long)base);
}

static inline void expect_warning(const char *where)
{
    for (unsigned i = 0; i < info.warnings.count; i++) {
        if (strcmp(info.warnings.entries[i].where, where) == 0)
            return;
    }
    fail_msg("no warning at %s", where);
}

#endif
