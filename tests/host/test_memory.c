/*
 * Physical memory, kernel/memory.c: runs of pages, and the aligned 2 MiB blocks that arenas are
 * made of. Memory here is numbers only: nothing is written to the pages.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kernel/memory.c"

#define MIB 0x100000u

static struct cpu this_cpu;
static uint32_t zeroed_pages;
static uintptr_t last_zeroed;

/* ---- The rest of the kernel ---- */

struct cpu *arch_this_cpu(void)
{
    return &this_cpu;
}

bool arch_irq_save(void)
{
    return true;
}

void arch_irq_restore(bool were_on)
{
    assert_true(were_on);
}

void arch_relax(void)
{
}

void arch_zero_pages(void *pages, uint32_t count)
{
    last_zeroed = (uintptr_t)pages;
    zeroed_pages += count;
}

void panic(const char *where, const char *fmt, ...)
{
    fprintf(stderr, "panic at %s: %s\n", where, fmt);
    abort();
}

/* ---- Tests ---- */

static int no_memory(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < PAGES / 32; i++)
        free_bits[i] = 0;
    counts = (struct memory_counts){0, 0};
    search_hint = zeroed_pages = 0;
    return 0;
}

/* What a PC of 16 MiB has left: 5 to 15.9 MiB, so four whole blocks: at 6, 8, 10 and 12. */
static void add_small_machine(void)
{
    memory_add(5 * MIB, 16 * MIB - 0x20000);
}

static void test_large_blocks_are_aligned_and_whole(void **state)
{
    (void)state;
    add_small_machine();
    assert_int_equal(memory_count_large(), 4);
    for (uint32_t mib = 12; mib >= 6; mib -= 2)
        assert_ptr_equal(memory_allocate_large(), (void *)(uintptr_t)(mib * MIB));
    assert_null(memory_allocate_large());
    assert_int_equal(memory_count_large(), 0);
}

static void test_large_blocks_are_zeroed(void **state)
{
    void *block;

    (void)state;
    add_small_machine();
    block = memory_allocate_large();
    assert_int_equal(zeroed_pages, 512);
    assert_int_equal(last_zeroed, (uintptr_t)block);
}

static void test_large_blocks_come_back(void **state)
{
    uint32_t free_pages;
    void *block;

    (void)state;
    add_small_machine();
    free_pages = memory_counts().free_pages;
    block = memory_allocate_large();
    assert_int_equal(memory_counts().free_pages, free_pages - 512);
    memory_free_large(block);
    assert_int_equal(memory_counts().free_pages, free_pages);
    assert_ptr_equal(memory_allocate_large(), block);
}

static void test_a_block_with_a_used_page_is_none(void **state)
{
    void *page;

    (void)state;
    memory_add(6 * MIB, 8 * MIB);
    page = memory_allocate(1);
    assert_non_null(page);
    assert_null(memory_allocate_large());
    memory_free(page, 1);
    assert_non_null(memory_allocate_large());
    assert_null(memory_allocate(1));
}

static void test_small_pages_leave_the_far_blocks_alone(void **state)
{
    (void)state;
    add_small_machine();
    for (unsigned i = 0; i < 256 + 512; i++) /* 5 to 8 MiB */
        assert_non_null(memory_allocate(1));
    assert_int_equal(memory_count_large(), 3);
}

static void test_runs_are_adjacent_and_within_memory(void **state)
{
    (void)state;
    memory_add(5 * MIB, 5 * MIB + 4 * PAGE_BYTES);
    memory_add(6 * MIB, 6 * MIB + 8 * PAGE_BYTES);
    assert_ptr_equal(memory_allocate(6), (void *)(uintptr_t)(6 * MIB));
    assert_null(memory_allocate(6));
    assert_ptr_equal(memory_allocate(4), (void *)(uintptr_t)(5 * MIB));
    assert_ptr_equal(memory_allocate(2), (void *)(uintptr_t)(6 * MIB + 6 * PAGE_BYTES));
    assert_null(memory_allocate(1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_large_blocks_are_aligned_and_whole, no_memory),
        cmocka_unit_test_setup(test_large_blocks_are_zeroed, no_memory),
        cmocka_unit_test_setup(test_large_blocks_come_back, no_memory),
        cmocka_unit_test_setup(test_a_block_with_a_used_page_is_none, no_memory),
        cmocka_unit_test_setup(test_small_pages_leave_the_far_blocks_alone, no_memory),
        cmocka_unit_test_setup(test_runs_are_adjacent_and_within_memory, no_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
