/*
 * The topology decoder: what is special to AMD and Hygon, Centaur and Zhaoxin, the Xeon Phi, and
 * hybrids.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/fake_cpuid.h"

#define ZEN 0x800f12
#define BULLDOZER 0x600f12
#define K10 0x100f52
#define ALDER_LAKE 0x906a3

/* An AMD CPU: EAX..EDX of 0x80000001 hold topoext, 0x80000008 the width and count of the package.
 */
static void begin_amd(uint32_t signature, uint32_t count, uint32_t topoext, uint32_t size)
{
    fake_begin(0xd, AMD, signature, count, 0, HTT);
    fake_put(0x80000000, 0, 0x8000001e, AMD);
    fake_put(0x80000001, 0, signature, 0, topoext, 0);
    fake_put(0x80000008, 0, 0x3030, 0, size << 12 | (count - 1), 0);
}

static void test_c03_amd_size_zero(void **state)
{
    (void)state;
    begin_amd(K10, 3, 0, 0);
    fake_cpus(0, 1, 2, 4, 5, 6);
    fake_expect(2, 6, 6, "leaf_80000008", "");
}

static void test_c03_amd_size_above_count(void **state)
{
    (void)state;
    begin_amd(K10, 2, 0, 3);
    fake_cpus(0, 7, 8);
    fake_expect(2, 3, 3, "leaf_80000008", "");
}

/* Leaf 0x8000001E answers, but topoext is clear: threads are not believed. */
static void test_c10_amd_8000001e_without_topoext(void **state)
{
    (void)state;
    begin_amd(ZEN, 4, 0, 2);
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 4, 4, "leaf_80000008", "leaf_80000008.ecx");
}

static void test_amd_8000001e(void **state)
{
    (void)state;
    begin_amd(ZEN, 4, TOPOEXT, 2);
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    fake_cpus(0, 1, 2, 3, 4, 5);
    fake_expect(2, 3, 6, "leaf_8000001e", "");
    assert_int_equal(fake.topology.shares, SHARES_SMT);
}

static void test_amd_80000026_before_0b(void **state)
{
    (void)state;
    fake_begin(0xb, AMD, 0xa10f11, 8, 0, HTT);
    fake_put(0x80000000, 0, 0x80000026, AMD);
    fake_put(0x80000026, 0, 1, 2, 0x100, 0);
    fake_put(0x80000026, 1, 2, 4, 0x201, 0);
    fake_put(0x80000026, 2, 3, 8, 0x302, 0);
    fake_put(0x80000026, 3, 4, 16, 0x403, 0);
    fake_levels(0xb, 0, 1, 4, 16);
    fake_cpus(0, 1, 8, 16, 17);
    fake_expect(2, 3, 5, "leaf_80000026", "");
    /* The same leaf of an Intel CPU is none. */
    fake.leaves[0].regs = (struct cpuid_regs){0xb, INTEL};
    fake_expect(2, 5, 5, "leaf_0b", "");
}

static void test_amd_units_against_ids(void **state)
{
    (void)state;
    begin_amd(ZEN, 4, TOPOEXT, 2);
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    fake_cpus(0, 1, 2, 3);
    fake.cpus[1].own[0] = (struct fake_leaf){0x8000001e, 0, {0, 0x101, 0, 0}};
    fake_expect(1, 4, 4, "leaf_80000008", "leaf_8000001e.ebx");
}

/* Family 15h: local APIC IDs start at 16 and leaf 1's at 0; also with topoext switched off. */
static void test_amd_modules(void **state)
{
    (void)state;
    for (uint32_t topoext = 0; topoext <= TOPOEXT; topoext += TOPOEXT) {
        begin_amd(BULLDOZER, 6, topoext, 4);
        for (uint32_t i = 0; i < 6; i++) {
            struct fake_cpu *cpu = fake_cpu(16 + i);
            cpu->cpuid_apic_id = i;
            cpu->own[0] = (struct fake_leaf){0x8000001e, 0, {0, 0x100 | i / 2, 0, 0}};
        }
        /* The fake fills in leaf 1's ID: equal below the package, so lifted as a whole. */
        fake_expect(1, 6, 6, "leaf_8000001e", "");
        assert_int_equal(fake.topology.shares, SHARES_MODULE);
        assert_int_equal(fake.topology.modules, 3);
        assert_int_equal(fake.places[0].module, fake.places[1].module);
        assert_int_not_equal(fake.places[1].module, fake.places[2].module);
        assert_int_equal(fake.topology.threads_per_core, 1);
        fake_check_order();
    }
}

static void test_hygon(void **state)
{
    (void)state;
    begin_amd(0x900f00, 8, TOPOEXT, 6);
    fake.leaves[0].regs = (struct cpuid_regs){0xd, HYGON};
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    fake_cpus(0, 1, 0x12, 0x13, 0x40, 0x41);
    fake_expect(2, 3, 6, "leaf_8000001e", "");
}

static void test_zhaoxin(void **state)
{
    (void)state;
    fake_begin(0xb, SHANGHAI, 0x307b2, 8, 0, HTT);
    fake_levels(0xb, 0, 1, 3, 8);
    fake_cpu_range(0, 8, 1);
    fake_expect(1, 8, 8, "leaf_0b", "");
    fake_begin(0xa, CENTAUR, 0x6fe, 4, 0, HTT);
    fake_put(4, 0, 0x0c000121, 0, 0, 0);
    fake_cpu_range(0, 4, 1);
    fake_expect(1, 4, 4, "leaf_04", "");
}

static void test_xeon_phi(void **state)
{
    (void)state;
    fake_begin(0xd, INTEL, 0x50671, 0xff, 0, HTT);
    fake_levels(0xb, 2, 4, 9, 0x120);
    fake_cpu_range(0, 288, 1);
    fake_expect(1, 72, 288, "leaf_0b", "");
    assert_int_equal(fake.topology.threads_per_core, 4);
    assert_int_equal(fake.places[287].thread, 3);
    fake_check_order();
}

/* Threads on the performance cores only; IDs with room for them on all. */
static void test_c09_hybrid(void **state)
{
    (void)state;
    fake_begin(0x1f, INTEL, ALDER_LAKE, 0x80, 0, HTT);
    fake_put(7, 0, 0, 0, 0, HYBRID);
    fake_put(0x1a, 0, 0x40000001, 0, 0, 0);
    fake_levels(0x1f, 1, 2, 7, 6);
    fake_cpus(0, 1, 8, 9);
    for (uint32_t id = 16; id < 32; id += 2) {
        struct fake_cpu *cpu = fake_cpu(id);
        cpu->own[0] = (struct fake_leaf){0x1a, 0, {0x20000001, 0, 0, 0}};
        cpu->own[1] = (struct fake_leaf){0x1f, 0, {1, 1, 0x100, 0}};
    }
    fake_expect(1, 10, 12, "leaf_1f", "");
    assert_int_equal(fake.places[1].type, CPU_PERFORMANCE);
    assert_int_equal(fake.places[4].type, CPU_EFFICIENCY);
    /* Without the hybrid bit leaf 0x1A says nothing. */
    fake.leaves[2].regs.edx = 0;
    fake_expect(1, 10, 12, "leaf_1f", "");
    assert_int_equal(fake.places[4].type, CPU_UNIFORM);
}

/* The manuals want one width for all; if not, no core is made of CPUs that disagree. */
static void test_c09_hybrid_with_two_widths(void **state)
{
    (void)state;
    fake_begin(0xb, INTEL, ALDER_LAKE, 8, 0, HTT);
    fake_levels(0xb, 1, 2, 3, 6);
    fake_cpus(0, 1, 2, 3, 4, 5);
    fake.cpus[4].own[0] = fake.cpus[5].own[0] = (struct fake_leaf){0xb, 0, {0, 1, 0x100, 0}};
    fake_expect(1, 4, 6, "leaf_0b", "");
    fake_check_order();
}

static void test_c09_hybrid_of_amd(void **state)
{
    (void)state;
    fake_begin(0xb, AMD, 0xb20f40, 4, 0, HTT);
    fake_put(0x80000000, 0, 0x80000026, AMD);
    fake_put(0x80000026, 0, 0x60000001, 2, 0x100, 0);
    fake_put(0x80000026, 1, 2, 4, 0x201, 0);
    fake_cpus(0, 1, 2, 3);
    fake.cpus[2].own[0] = fake.cpus[3].own[0] =
        (struct fake_leaf){0x80000026, 0, {0x60000001, 0x10000002, 0x100, 0}};
    fake_expect(1, 2, 4, "leaf_80000026", "");
    assert_int_equal(fake.places[0].type, CPU_PERFORMANCE);
    assert_int_equal(fake.places[2].type, CPU_EFFICIENCY);
}

static void test_unknown_vendor(void **state)
{
    (void)state;
    fake_begin(0xd, NOBODY, 0xf4a, 4, 0, HTT);
    fake_put(0x80000000, 0, 0x80000008, AMD);
    fake_put(0x80000008, 0, 0x2020, 0, 0x2003, 0);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 4, 4, "leaf_01", "leaf_01.ebx");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_c03_amd_size_zero),
        cmocka_unit_test(test_c03_amd_size_above_count),
        cmocka_unit_test(test_c10_amd_8000001e_without_topoext),
        cmocka_unit_test(test_amd_8000001e),
        cmocka_unit_test(test_amd_80000026_before_0b),
        cmocka_unit_test(test_amd_units_against_ids),
        cmocka_unit_test(test_amd_modules),
        cmocka_unit_test(test_hygon),
        cmocka_unit_test(test_zhaoxin),
        cmocka_unit_test(test_xeon_phi),
        cmocka_unit_test(test_c09_hybrid),
        cmocka_unit_test(test_c09_hybrid_with_two_widths),
        cmocka_unit_test(test_c09_hybrid_of_amd),
        cmocka_unit_test(test_unknown_vendor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
