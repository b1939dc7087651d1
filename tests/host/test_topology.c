/*
 * The topology decoder: which leaf is used, and what is not believed. Also
 * test_topology_vendors.c (AMD, hybrids, others), test_topology_machines.c (machines that exist)
 * and test_topology_places.c (caches, distances, the override, the records).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/fake_cpuid.h"

#define CORE_I7 0x906a3

/* An Intel CPU of a kind that has every leaf; the tests add what the leaves say. */
static void begin_intel(uint32_t max_leaf, uint32_t count)
{
    fake_begin(max_leaf, INTEL, CORE_I7, count, 0, HTT);
}

static void test_no_cpus(void **state)
{
    (void)state;
    begin_intel(0x1f, 2);
    fake_expect(0, 0, 0, "single", "");
}

static void test_leaf_1f_before_0b(void **state)
{
    (void)state;
    begin_intel(0x1f, 4);
    fake_levels(0x1f, 1, 2, 2, 4);
    fake_levels(0xb, 0, 1, 2, 4);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 2, 4, "leaf_1f", "");
    assert_int_equal(fake.topology.shares, SHARES_SMT);
    assert_int_equal(fake.topology.threads_per_core, 2);
}

static void test_c06_leaf_1f_zero(void **state)
{
    (void)state;
    begin_intel(0x1f, 4);
    fake_put(0x1f, 0, 0, 0, 0, 0);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 2, 4, "leaf_0b", "");
}

/* A level type without a count of CPUs is as empty as none. */
static void test_c06_level_without_count(void **state)
{
    (void)state;
    begin_intel(0x1f, 4);
    fake_levels(0x1f, 1, 0, 2, 0);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 2, 4, "leaf_0b", "");
}

/* Thread, core, module, tile, die, die group, one type of the future: only two widths matter. */
static void test_c07_many_levels(void **state)
{
    (void)state;
    begin_intel(0x1f, 0x80);
    fake_put(0x1f, 0, 1, 2, 0x100, 0);
    fake_put(0x1f, 1, 3, 8, 0x201, 0);
    fake_put(0x1f, 2, 4, 16, 0x302, 0);
    fake_put(0x1f, 3, 5, 32, 0x403, 0);
    fake_put(0x1f, 4, 6, 64, 0x504, 0);
    fake_put(0x1f, 5, 7, 128, 0x605, 0);
    fake_put(0x1f, 6, 8, 256, 0x906, 0);
    fake_cpus(0, 1, 2, 8, 9, 0x80, 0x81, 0x100);
    fake_expect(2, 5, 8, "leaf_1f", "");
    assert_int_equal(fake.topology.package_shift, 8);
    assert_int_equal(fake.places[2].module, fake.places[2].core);
}

/* More levels than there are types: the list is not followed for ever. */
static void test_c07_endless_levels(void **state)
{
    (void)state;
    begin_intel(0xb, 2);
    for (uint32_t i = 0; i < 20; i++)
        fake_put(0xb, i, 1, 2, 0x100 | i, 0);
    fake_cpus(0, 1);
    fake_expect(1, 1, 2, "leaf_0b", "");
}

static void test_reserved_bits(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_put(0xb, 0, 0xffffffe1, 0xffff0002, 0xffff0100, 0);
    fake_put(0xb, 1, 0xabcdefe2, 0x12340004, 0x55550201, 0);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 2, 4, "leaf_0b", "");
}

/* Leaf 1 names 64 IDs, leaf 4 room for 32 cores: one bit is left for threads. */
static void test_leaf_04_against_leaf_01(void **state)
{
    (void)state;
    begin_intel(0xa, 0x40);
    fake_put(4, 0, 0x7c004121, 0, 0, 0);
    fake_cpus(0, 1, 2, 0x20, 0x40);
    fake_expect(2, 4, 5, "leaf_04", "");
    assert_int_equal(fake.topology.smt_shift, 1);
    assert_int_equal(fake.topology.package_shift, 6);
}

/* QEMU with 100 cores on a model without leaf 0xB: 99 does not fit the field and reads 35. */
static void test_leaf_04_core_field_too_small_for_leaf_01(void **state)
{
    (void)state;
    fake_begin(4, INTEL, CORE_I7, 100, HYPERVISOR, HTT);
    fake_put(4, 0, 35u << 26 | 0x121, 0, 0, 0);
    fake_cpu_range(0, 100, 1);
    fake_expect(1, 100, 100, "leaf_01", "leaf_04.eax");
}

static void test_leaf_04_above_leaf_01(void **state)
{
    (void)state;
    begin_intel(0xa, 4);
    fake_put(4, 0, 0x1c000121, 0, 0, 0);
    fake_cpus(0, 1, 2, 3, 4, 5, 6, 7);
    fake_expect(1, 8, 8, "leaf_04", "leaf_04.eax");
}

/* Several cores in leaf 4, but no HTT: a hypervisor that handed on the host's leaf. */
static void test_leaf_04_without_htt(void **state)
{
    (void)state;
    fake_begin(0xa, INTEL, CORE_I7, 4, 0, 0);
    fake_put(4, 0, 0x0c000121, 0, 0, 0);
    fake_cpus(0, 1, 2, 3);
    fake_expect(4, 4, 4, "leaf_01", "leaf_04.eax");
}

static void test_c01_htt_without_smt(void **state)
{
    (void)state;
    begin_intel(0xa, 2);
    fake_put(4, 0, 0x04000121, 0, 0, 0);
    fake_cpus(0, 1);
    fake_expect(1, 2, 2, "leaf_04", "");
    assert_int_equal(fake.topology.shares, SHARES_NONE);
}

/* Room for two threads in the IDs, one of them started in each core. */
static void test_c08_one_thread_of_each_core(void **state)
{
    (void)state;
    begin_intel(0xb, 16);
    fake_levels(0xb, 1, 2, 4, 8);
    fake_cpus(0, 2, 4, 6);
    fake_expect(1, 4, 4, "leaf_0b", "");
    assert_int_equal(fake.topology.threads_per_core, 1);
}

static void test_c06_leaves_claimed_but_zero(void **state)
{
    (void)state;
    begin_intel(0x1f, 4);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 4, 4, "leaf_01", "leaf_01.ebx");
}

/* Leaf 0xB above the maximum answers with leaf 2: not a list of levels. */
static void test_c11_leaf_above_maximum(void **state)
{
    (void)state;
    fake_begin(2, INTEL, 0xf29, 2, 0, HTT);
    fake_put(2, 0, 1, 2, 0x100, 0);
    fake_levels(0xb, 0, 1, 1, 2);
    fake_cpus(0, 1);
    fake_expect(1, 1, 2, "leaf_01", "");
}

static void test_c05_cpuid_limited_to_3(void **state)
{
    (void)state;
    begin_intel(3, 4);
    fake_cpus(0, 1, 2, 3);
    fake_expect(1, 4, 4, "leaf_01", "leaf_01.ebx");
    /* On a Pentium 4 the manual takes them for threads. */
    fake_begin(3, INTEL, 0xf34, 2, 0, HTT);
    fake_cpus(0, 1);
    fake_expect(1, 1, 2, "leaf_01", "leaf_01.ebx");
}

static void test_no_cpuid(void **state)
{
    (void)state;
    fake_begin(0, 0, 0, 0, 0, 0, 0, 0);
    fake_cpus(0);
    fake_expect(1, 1, 1, "single", "");
    fake_cpus(1);
    fake_expect(2, 2, 2, "single", "leaf_01.ebx");
}

static void test_single_cpu_is_silent(void **state)
{
    (void)state;
    begin_intel(0x1f, 0x10);
    fake_levels(0xb, 1, 2, 1, 2);
    fake_cpu(5)->cpuid_apic_id = 0;
    fake_expect(1, 1, 1, "single", "");
}

static void test_ids_above_255(void **state)
{
    (void)state;
    begin_intel(0xb, 0x40);
    fake_levels(0xb, 1, 2, 6, 64);
    fake_cpus(0x100, 0x101, 0x13e, 0x13f, 0xfffffffe, 0xffffffff);
    fake_expect(2, 3, 6, "leaf_0b", "");
    fake_check_order();
}

static void test_id_zero_everywhere(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_put(4, 0, 0x04000121, 0, 0, 0);
    for (uint32_t i = 0; i < 4; i++)
        fake_cpu(i)->cpuid_apic_id = 0;
    fake_expect(1, 4, 4, "leaf_01", "leaf_0b.edx");
    fake_check_order();
}

/* Two CPUs show the same x2APIC ID; leaf 1 is right. */
static void test_x2apic_id_repeated(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_put(4, 0, 0x04000121, 0, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        fake_cpu(i)->own[0] = (struct fake_leaf){1, 0, {CORE_I7, 4 << 16, 0, HTT}};
        fake.cpus[i].own[0].regs.ebx |= i << 24;
    }
    fake.cpus[3].cpuid_apic_id = 2;
    fake.cpus[3].own[0].regs.ebx &= ~(2u << 24); /* the fake will put it in again */
    fake_expect(1, 2, 4, "leaf_04", "leaf_0b.edx");
}

static void test_p03_local_apic_id_repeated(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_cpus(0, 1, 1, 3);
    fake_expect(4, 4, 4, "single", "local_apic.id");
}

/* Old boards: leaf 1 shows ID 0 on every CPU, the local APICs are right. */
static void test_p03_initial_id_of_old_boards(void **state)
{
    (void)state;
    fake_begin(2, INTEL, 0x673, 0, 0, 0);
    fake_cpus(0, 1);
    fake.cpus[1].cpuid_apic_id = 0;
    fake_expect(2, 2, 2, "leaf_01", "leaf_01.ebx");
}

static void test_one_core_of_many(void **state)
{
    (void)state;
    /* A hypervisor may be asked for four threads in a core, but there is no core with eight. */
    fake_begin(0xb, INTEL, CORE_I7, 4, HYPERVISOR, HTT);
    fake_levels(0xb, 2, 4, 2, 4);
    fake_cpu_range(0, 4, 1);
    fake_expect(1, 1, 4, "leaf_0b", "");
    fake_begin(0xb, INTEL, CORE_I7, 8, HYPERVISOR, HTT);
    fake_levels(0xb, 3, 8, 3, 8);
    fake_put(4, 0, 0x00000121, 0, 0, 0);
    fake_cpu_range(0, 8, 1);
    fake_expect(1, 8, 8, "leaf_01", "leaf_0b.eax");
    fake_check_order();
}

/* Leaf 0xB has no thread bits but the wrong package width: leaf 4 must not make up threads. */
static void test_no_wider_than_a_better_leaf(void **state)
{
    (void)state;
    fake_begin(0xb, INTEL, CORE_I7, 16, HYPERVISOR, HTT);
    fake_levels(0xb, 0, 1, 1, 2);
    fake_put(4, 0, 0x00000121, 0, 0, 0);
    fake_cpus(0, 1);
    fake_expect(1, 2, 2, "leaf_01", "leaf_0b.eax");
}

static void test_leaf_on_some_cpus_only(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_put(4, 0, 0x04000121, 0, 0, 0);
    fake_cpus(0, 1, 2, 3);
    fake.cpus[2].own[0] = (struct fake_leaf){0xb, 0, {0, 0, 0, 0}};
    fake_expect(1, 2, 4, "leaf_04", "leaf_0b.eax");
    fake_check_order();
}

static void test_package_width_differs(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_put(4, 0, 0x04000121, 0, 0, 0);
    fake_cpus(0, 1, 2, 3);
    fake.cpus[3].own[0] = (struct fake_leaf){0xb, 1, {3, 4, 0x201, 0}};
    fake_expect(1, 2, 4, "leaf_04", "leaf_0b.eax");
}

static void test_levels_that_shrink(void **state)
{
    (void)state;
    begin_intel(0xb, 2);
    fake_levels(0xb, 2, 2, 1, 2);
    fake_put(4, 0, 0x04000121, 0, 0, 0);
    fake_cpus(0, 1);
    fake_expect(1, 2, 2, "leaf_04", "leaf_0b.eax");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_cpus),
        cmocka_unit_test(test_leaf_1f_before_0b),
        cmocka_unit_test(test_c06_leaf_1f_zero),
        cmocka_unit_test(test_c06_level_without_count),
        cmocka_unit_test(test_c07_many_levels),
        cmocka_unit_test(test_c07_endless_levels),
        cmocka_unit_test(test_reserved_bits),
        cmocka_unit_test(test_leaf_04_against_leaf_01),
        cmocka_unit_test(test_leaf_04_core_field_too_small_for_leaf_01),
        cmocka_unit_test(test_leaf_04_above_leaf_01),
        cmocka_unit_test(test_leaf_04_without_htt),
        cmocka_unit_test(test_c01_htt_without_smt),
        cmocka_unit_test(test_c08_one_thread_of_each_core),
        cmocka_unit_test(test_c06_leaves_claimed_but_zero),
        cmocka_unit_test(test_c11_leaf_above_maximum),
        cmocka_unit_test(test_c05_cpuid_limited_to_3),
        cmocka_unit_test(test_no_cpuid),
        cmocka_unit_test(test_single_cpu_is_silent),
        cmocka_unit_test(test_ids_above_255),
        cmocka_unit_test(test_id_zero_everywhere),
        cmocka_unit_test(test_x2apic_id_repeated),
        cmocka_unit_test(test_p03_local_apic_id_repeated),
        cmocka_unit_test(test_p03_initial_id_of_old_boards),
        cmocka_unit_test(test_one_core_of_many),
        cmocka_unit_test(test_no_wider_than_a_better_leaf),
        cmocka_unit_test(test_leaf_on_some_cpus_only),
        cmocka_unit_test(test_package_width_differs),
        cmocka_unit_test(test_levels_that_shrink),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
