/* CPUs filed by load: the search finds what looking at all of them finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "kernel/sched/loads.h"

#define CPUS 200u
#define STEPS 20000u

static struct sched *sched;
static struct random dice;

static int set_up(void **state)
{
    (void)state;
    sched = calloc(1, sizeof *sched);
    assert_non_null(sched);
    sched->cpu_count = CPUS;
    bitmap_set_first(&sched->usable, CPUS);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        sched->cpus[cpu].load = LOADS_NONE;
        loads_file(sched, cpu, 0);
    }
    random_seed(&dice, 1);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(sched);
    return 0;
}

/* Of many that are nearly alike, some far off, and some of all. */
static uint16_t random_load(void)
{
    switch (random_below(&dice, 8)) {
    case 0:
        return (uint16_t)random_below(&dice, LOADS_MAX + 1);
    case 1:
        return LOADS_MAX;
    case 2:
        return 0;
    default:
        return (uint16_t)(62 + random_below(&dice, 5));
    }
}

/* Of CPUs that are filed: some, many, or all. */
static struct bitmap random_set(void)
{
    struct bitmap set = {{0}};
    uint32_t density = random_below(&dice, 11);

    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        if (sched->cpus[cpu].load != LOADS_NONE && random_below(&dice, 10) < density)
            bitmap_set(&set, cpu);
    return set;
}

/* The load next to `from` that one of the set has; LOADS_NONE if there is none. */
static uint32_t look_at_all(const struct bitmap *set, uint32_t from, bool up)
{
    uint32_t best = LOADS_NONE;

    BITMAP_FOR_EACH(cpu, set)
    {
        uint32_t load = sched->cpus[cpu].load;

        if (load == LOADS_NONE || (up ? load < from : load > from))
            continue;
        if (best == LOADS_NONE || (up ? load < best : load > best))
            best = load;
    }
    return best;
}

static void expect(const struct bitmap *within, uint32_t from, bool up)
{
    uint32_t wanted = look_at_all(within, from, up), load = from;
    struct bitmap set;
    bool found = up ? loads_next_up(sched, within, &load, &set)
                    : loads_next_down(sched, within, &load, &set);

    assert_int_equal(found, wanted != LOADS_NONE);
    if (!found)
        return;
    assert_int_equal(load, wanted);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        assert_int_equal(bitmap_test(&set, cpu),
                         bitmap_test(within, cpu) && sched->cpus[cpu].load == load);
}

static void test_search_finds_what_looking_at_all_finds(void **state)
{
    (void)state;
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t from = random_load();
        struct bitmap within;

        if (step % 1000 < 100) /* all alike, now and then */
            loads_file(sched, step % 1000 * 2, 64);
        else
            loads_file(sched, random_below(&dice, CPUS),
                       random_below(&dice, 16) == 0 ? LOADS_NONE : random_load());
        within = random_set();
        if (bitmap_is_empty(&within))
            continue;
        expect(&within, from, true);
        expect(&within, from, false);
    }
}

static void test_who_has_something_waiting(void **state)
{
    struct bitmap waiting;

    (void)state;
    loads_file(sched, 3, 1);
    loads_file(sched, 70, LOADS_BASE); /* the low digit is 0, and so is the high one of CPU 3 */
    waiting = loads_waiting(sched);
    assert_int_equal(bitmap_count(&waiting), 2);
    assert_true(bitmap_test(&waiting, 3) && bitmap_test(&waiting, 70));
}

static void expect_range(uint32_t least, uint32_t most)
{
    struct loads_range range = loads_range(sched);

    assert_int_equal(range.least, least);
    assert_int_equal(range.most, most);
}

static void test_range_of_all(void **state)
{
    (void)state;
    expect_range(0, 0);
    expect(&sched->usable, 0, true);
    expect(&sched->usable, 1, true);
    expect(&sched->usable, LOADS_MAX, false);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        loads_file(sched, cpu, 130);
    expect_range(130, 130);
    expect(&sched->usable, 0, true);
    expect(&sched->usable, LOADS_MAX, false);
    loads_file(sched, 5, 191);
    expect_range(130, 191);
    loads_file(sched, 5, 192); /* another high digit: bounds */
    expect_range(128, 255);
    loads_file(sched, 5, LOADS_NONE);
    expect_range(130, 130);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++)
        loads_file(sched, cpu, LOADS_NONE);
    expect_range(0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_search_finds_what_looking_at_all_finds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(test_who_has_something_waiting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_range_of_all, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
