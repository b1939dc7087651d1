/*
 * Where an entity is placed, on a made-up machine in which every step away from where it ran last
 * is another one: 2 packages of 2 caches of 2 cores of 2 threads. All first threads are numbered
 * before all second ones, and entities ran last on the highest number, so that the lowest number of
 * a set is never by chance the nearest.
 *
 *     package    0                       1
 *     cache      0           1           2           3
 *     core       0     1     2     3     4     5     6     7
 *     CPUs       0 8   1 9   2 10  3 11  4 12  5 13  6 14  7 15
 *
 * Where a test says so, odd cores are performance cores and even ones efficiency cores.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/place.h"

#define CPUS 16u
#define CORES 8u
#define PREVIOUS 15u /* CPU on which `mover` ran last; its sibling is 7 */
#define ENTITIES_MAX 64u

static struct sched sched;
static struct sched_entity entities[ENTITIES_MAX], mover;
static uint32_t entity_count;

static void set_up(bool hybrid)
{
    struct cpu_place places[CPUS];
    struct bitmap all;

    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        uint16_t core = cpu % CORES;
        enum cpu_type type = core % 2 == 1 ? CPU_PERFORMANCE : CPU_EFFICIENCY;

        places[cpu] = (struct cpu_place){.cpu = (uint16_t)cpu,
                                         .package = core / 4,
                                         .cache = core / 2,
                                         .core = core,
                                         .module = core,
                                         .thread = (uint16_t)(cpu / CORES),
                                         .type = hybrid ? type : CPU_UNIFORM};
    }
    bitmap_set_first(&all, CPUS);
    dispatch_init(&sched, places, CPUS, &all, 1, 0);
    dispatch_set_policy(&sched, &policy_smt, 0);
    entity_count = 0;
    entity_init(&mover, &all);
    mover.has_run = true;
    mover.cpu = PREVIOUS;
}

/* One more entity that may use this CPU only: it runs there, or else waits for it. */
static void load(uint32_t cpu)
{
    struct sched_entity *entity = &entities[entity_count++];
    struct bitmap only = {{0}};

    assert_in_range(entity_count, 1, ENTITIES_MAX);
    bitmap_set(&only, cpu);
    entity_init(entity, &only);
    dispatch_wake(&sched, entity, 0);
    dispatch_next(&sched, cpu, 0, DISPATCH_KICK);
}

static uint32_t idle_place(void)
{
    return place_on_idle(&sched, &mover, &sched.idle_cpus);
}

static uint32_t shortest_place(const struct bitmap *allowed)
{
    return place_in_shortest(&sched, &mover, allowed);
}

/* ---- Distance ---- */

static void test_nearest_goes_from_cpu_to_core_to_cache_to_package(void **state)
{
    /* The nearest of what is left, one after the other; those at one distance by number. */
    static const uint32_t order[CPUS] = {15, 7, 6, 14, 4, 5, 12, 13, 0, 1, 2, 3, 8, 9, 10, 11};
    struct bitmap set;

    (void)state;
    set_up(false);
    bitmap_set_first(&set, CPUS);
    for (uint32_t i = 0; i < CPUS; i++) {
        assert_int_equal(place_nearest(&sched, PREVIOUS, &set), order[i]);
        bitmap_clear(&set, order[i]);
    }
    assert_int_equal(place_nearest(&sched, PREVIOUS, &set), NO_CPU);
}

static void test_nearest_is_the_same_seen_from_each_cpu(void **state)
{
    (void)state;
    set_up(false);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        uint32_t core = cpu % CORES, sibling = (cpu + CORES) % CPUS;
        struct bitmap set;

        bitmap_set_first(&set, CPUS);
        assert_int_equal(place_nearest(&sched, cpu, &set), cpu);
        bitmap_clear(&set, cpu);
        assert_int_equal(place_nearest(&sched, cpu, &set), sibling);
        bitmap_clear(&set, sibling);
        assert_int_equal(place_nearest(&sched, cpu, &set), core ^ 1);
        bitmap_clear(&set, core ^ 1);
        bitmap_clear(&set, (core ^ 1) + CORES);
        assert_int_equal(place_nearest(&sched, cpu, &set), (core & ~1u) ^ 2);
    }
}

/* ---- Idle CPUs ---- */

static void test_idle_core_is_the_previous_one_or_the_nearest(void **state)
{
    /* CPUs that become busy one after the other, and the place that is best then. */
    static const uint32_t rows[][2] = {{7, 6}, {14, 4}, {4, 5}, {13, 0}, {8, 1}, {1, 2}, {2, 3}};

    (void)state;
    set_up(false);
    assert_int_equal(idle_place(), PREVIOUS);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        load(rows[i][0]);
        assert_int_equal(idle_place(), rows[i][1]);
    }
}

static void test_performance_comes_before_efficiency_before_a_sibling(void **state)
{
    static const uint32_t rows[][2] = {
        {7, 5},   {13, 1}, {1, 3}, /* performance: of the same package, elsewhere */
        {3, 6},   {6, 4},  {4, 0}, /* efficiency: of the same cache, of the same package */
        {0, 2},   {2, 15},         /* siblings: where it ran last */
        {15, 14}, {14, 5}, {5, 12} /* of the same cache, of the same package */
    };

    (void)state;
    set_up(true);
    assert_int_equal(idle_place(), PREVIOUS);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        load(rows[i][0]);
        assert_int_equal(idle_place(), rows[i][1]);
    }
}

static void test_who_ran_on_an_efficiency_core_moves_to_a_performance_core(void **state)
{
    (void)state;
    set_up(true);
    mover.cpu = 14;
    assert_int_equal(idle_place(), 7);
    load(7);
    assert_int_equal(idle_place(), 5);
}

static void test_who_has_not_run_yet_gets_the_first_performance_core(void **state)
{
    (void)state;
    set_up(true);
    mover.has_run = false;
    assert_int_equal(idle_place(), 1);
    load(9);
    assert_int_equal(idle_place(), 3);
}

static void test_only_idle_cpus_that_are_offered_are_taken(void **state)
{
    struct bitmap offered = {{0}};

    (void)state;
    set_up(true);
    bitmap_set(&offered, 2);
    bitmap_set(&offered, 12);
    assert_int_equal(place_on_idle(&sched, &mover, &offered), 12);
    load(4);
    assert_int_equal(place_on_idle(&sched, &mover, &offered), 2); /* core 4 is not idle now */
}

/* ---- Queues ---- */

static void test_shortest_queue_is_the_previous_one_or_the_nearest(void **state)
{
    /* As above, with CPUs whose core gets one to wait. */
    static const uint32_t rows[][2] = {{15, 6}, {6, 4},  {12, 5}, {5, 0}, {0, 1},
                                       {9, 2},  {10, 3}, {3, 15}, {7, 6}};
    struct bitmap all;

    (void)state;
    set_up(true);
    bitmap_set_first(&all, CPUS);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        load(cpu);
    assert_int_equal(sched.waiting, 0);
    assert_int_equal(shortest_place(&all), PREVIOUS);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        load(rows[i][0]);
        assert_int_equal(sched.waiting, i + 1);
        assert_int_equal(shortest_place(&all), rows[i][1]);
    }
}

static void test_shortest_queue_is_one_that_is_allowed(void **state)
{
    struct bitmap allowed = {{0}};

    (void)state;
    set_up(false);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        load(cpu);
    load(7);
    bitmap_set(&allowed, 15);
    assert_int_equal(shortest_place(&allowed), 15);
    bitmap_set(&allowed, 3);
    assert_int_equal(shortest_place(&allowed), 3);
    mover.has_run = false;
    bitmap_set(&allowed, 1);
    assert_int_equal(shortest_place(&allowed), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearest_goes_from_cpu_to_core_to_cache_to_package),
        cmocka_unit_test(test_nearest_is_the_same_seen_from_each_cpu),
        cmocka_unit_test(test_idle_core_is_the_previous_one_or_the_nearest),
        cmocka_unit_test(test_performance_comes_before_efficiency_before_a_sibling),
        cmocka_unit_test(test_who_ran_on_an_efficiency_core_moves_to_a_performance_core),
        cmocka_unit_test(test_who_has_not_run_yet_gets_the_first_performance_core),
        cmocka_unit_test(test_only_idle_cpus_that_are_offered_are_taken),
        cmocka_unit_test(test_shortest_queue_is_the_previous_one_or_the_nearest),
        cmocka_unit_test(test_shortest_queue_is_one_that_is_allowed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
