/* Which CPUs the scheduler gets, and which share a core for it: module= and smt=, on a machine like
 * AMD's family 15h, where two integer cores are one compute unit, and on one with plain threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/cpu.h"
#include "kernel/lib/options.h"
#include "kernel/sched_cpus.h"

#define CPUS 6u

/* ---- What it asks of the kernel ---- */

struct cpu cpus[MAX_CPUS];
unsigned cpu_count;

/* ---- Set-up ---- */

static struct options options;
static struct cpu_place places[MAX_CPUS];

/* Cores 0 to 5 in compute units 0 to 2, or, as on other machines, cores 0 to 2 of two threads. */
static void set_up(bool compute_units)
{
    memset(cpus, 0, sizeof cpus);
    memset(places, 0xff, sizeof places);
    cpu_count = CPUS;
    for (uint16_t i = 0; i < CPUS; i++) {
        uint16_t pair = i / 2;

        cpus[i] = (struct cpu){.cpu = i, .apic_id = 0x10u + i, .state = CPU_ONLINE};
        cpus[i].place = (struct cpu_place){.apic_id = 0x10u + i,
                                           .cpu = i,
                                           .core = compute_units ? i : pair,
                                           .thread = compute_units ? 0 : i % 2,
                                           .module = pair};
    }
    options_parse("", &options);
}

static void assert_collects(uint32_t usable, const uint16_t *cores)
{
    struct bitmap set = sched_cpus_collect(&options, places);

    assert_int_equal(set.words[0], usable);
    assert_int_equal(bitmap_count(&set), (uint32_t)__builtin_popcount(usable));
    for (unsigned i = 0; i < CPUS; i++) {
        assert_int_equal(places[i].core, cores[i]);
        assert_int_equal(places[i].apic_id, cpus[i].apic_id);
    }
}

static const uint16_t in_pairs[CPUS] = {0, 0, 1, 1, 2, 2}, apart[CPUS] = {0, 1, 2, 3, 4, 5};

/* ---- Tests ---- */

static void test_compute_unit_is_a_core_unless_told_otherwise(void **state)
{
    (void)state;
    set_up(true);
    assert_collects(0x3f, in_pairs);
    options.module = OPTIONS_MODULE_SHARED;
    assert_collects(0x3f, in_pairs);
}

static void test_module_core_takes_integer_cores_for_cores(void **state)
{
    (void)state;
    set_up(true);
    options_parse("module=core", &options);
    assert_collects(0x3f, apart);
}

static void test_smt_off_leaves_one_cpu_of_what_counts_as_a_core(void **state)
{
    (void)state;
    set_up(true);
    options_parse("smt=off module=shared", &options);
    assert_collects(0x15, in_pairs);
    options_parse("smt=off module=core", &options);
    assert_collects(0x3f, apart);
}

static void test_module_makes_no_difference_to_threads(void **state)
{
    (void)state;
    set_up(false);
    for (int shared = 0; shared < 2; shared++) {
        options_parse(shared ? "module=shared" : "module=core", &options);
        assert_collects(0x3f, in_pairs);
        options_parse(shared ? "module=shared smt=off" : "module=core smt=off", &options);
        assert_collects(0x15, in_pairs);
    }
}

static void test_cpu_that_is_not_online_is_not_used(void **state)
{
    static const enum cpu_state states[] = {CPU_LISTED, CPU_STARTING, CPU_FAILED, CPU_SKIPPED};

    (void)state;
    for (unsigned i = 0; i < sizeof states / sizeof states[0]; i++) {
        set_up(true);
        cpus[2].state = states[i];
        assert_collects(0x3b, in_pairs);
        options_parse("smt=off", &options);
        assert_collects(0x19, in_pairs); /* the other one of its unit stands in for it */
        options_parse("smt=off module=core", &options);
        assert_collects(0x3b, apart);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compute_unit_is_a_core_unless_told_otherwise),
        cmocka_unit_test(test_module_core_takes_integer_cores_for_cores),
        cmocka_unit_test(test_smt_off_leaves_one_cpu_of_what_counts_as_a_core),
        cmocka_unit_test(test_module_makes_no_difference_to_threads),
        cmocka_unit_test(test_cpu_that_is_not_online_is_not_used),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
