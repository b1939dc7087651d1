/* How far apart the samples of a variant are, by what is expected of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/reliability.h"
#include "kernel/main.h"
#include "kernel/panic.h"

/* ---- What it asks of the kernel ---- */

struct options main_options;
uint32_t harness_solo_us = 100;
const struct experiment exp_solo = {.name = "solo"};

const char *reliability_problem(const struct run *run, const struct variant *variant)
{
    (void)run, (void)variant;
    return NULL;
}

void panic(const char *where, const char *fmt, ...)
{
    fprintf(stderr, "%s: %s\n", where, fmt);
    abort();
}

/* ---- Tests ---- */

static struct run run;

/* The spread of three rounds of two tasks, which had other luck in the last one and of which the
 * first to end did so a fifth earlier, as `rule` has it. */
static uint32_t spread_of(const struct sched_policy *policy, enum spread_rule rule)
{
    static const uint32_t makespans[] = {100, 101, 202};
    struct variant *variant;

    run = (struct run){.experiment = &(const struct experiment){.name = "any"}, .policy = policy};
    variant = run_add_variant(&run, "", 2);
    variant->spread = rule;
    for (unsigned i = 0; i < 3; i++) {
        run_add_sample(&run, variant, SERIES_TIME, makespans[i] * 4 / 5);
        run_add_sample(&run, variant, SERIES_TIME, makespans[i]);
        run_add_sample(&run, variant, SERIES_MAKESPAN, makespans[i]);
    }
    run_evaluate(&run);
    assert_int_equal(variant->times.min, 80);
    assert_int_equal(variant->times.median, 100);
    assert_int_equal(variant->times.max, 202);
    return variant->spread_percent;
}

static void test_only_who_draws_has_two_kinds_of_luck(void **state)
{
    (void)state;
    assert_int_equal(spread_of(&policy_naive, SPREAD_DRAWN), 26); /* 80-101, and 161-202 */
    assert_int_equal(spread_of(&policy_smt, SPREAD_DRAWN), 122);
    assert_int_equal(spread_of(&policy_nosmt, SPREAD_DRAWN), 122);
    assert_int_equal(spread_of(&policy_core, SPREAD_DRAWN), 122);
    assert_int_equal(spread_of(&policy_naive, SPREAD_EQUAL), 122);
}

static void test_tasks_that_take_turns_are_judged_by_the_last(void **state)
{
    (void)state;
    assert_int_equal(spread_of(&policy_naive, SPREAD_TURNS), 101); /* no draw, no luck */
    assert_int_equal(spread_of(&policy_smt, SPREAD_TURNS), 101);
}

static void test_nothing_measured_has_no_spread(void **state)
{
    (void)state;
    run = (struct run){.experiment = &exp_solo, .policy = &policy_naive};
    run_add_variant(&run, "", 1);
    run_add_variant(&run, "drawn", 1)->spread = SPREAD_DRAWN;
    run_evaluate(&run);
    for (unsigned i = 0; i < run.variant_count; i++)
        assert_int_equal(run.variants[i].spread_percent, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_who_draws_has_two_kinds_of_luck),
        cmocka_unit_test(test_tasks_that_take_turns_are_judged_by_the_last),
        cmocka_unit_test(test_nothing_measured_has_no_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
