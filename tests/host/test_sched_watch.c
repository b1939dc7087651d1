/*
 * The online checker, on a scheduler whose state is broken on purpose: that each CPU reports what
 * it can see at its next decision, that everything is looked at every so often, and what is
 * printed then. The tests follow each other, as in a kernel that goes on after an error.
 */
#include "tests/host/sched_damage.h"

#include <stdio.h>
#include <string.h>

#include "kernel/arch.h"
#include "kernel/cpu.h"
#include "kernel/log.h"
#include "kernel/sched_watch.h"

#define SAMPLE_EVERY 16u /* decisions between two checks of everything */
#define EVENTS_MAX 64u
#define ERRORS_MAX 8u
#define PID 7u

/* ---- What it asks of the kernel ---- */

static struct cpu self;
static uint32_t errors, lines, lines_at_error;
static char last_error[128], last_line[128], first_line[128];

struct cpu *arch_this_cpu(void)
{
    return &self;
}

void arch_relax(void)
{
    fail(); /* nobody else holds a lock */
}

void log_error(const char *where, const char *fmt, ...)
{
    va_list args;

    assert_string_equal(where, "sched.check");
    va_start(args, fmt);
    vsnprintf(last_error, sizeof last_error, fmt, args);
    va_end(args);
    errors++;
    lines_at_error = lines;
}

void log_print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vsnprintf(last_line, sizeof last_line, fmt, args);
    va_end(args);
    if (lines++ == lines_at_error)
        memcpy(first_line, last_line, sizeof first_line);
}

/* ---- Decisions ---- */

static uint64_t now_ns; /* also the number of decisions so far */

static void decide(uint32_t cpu)
{
    watch_decided(&sched, cpu, ++now_ns, DISPATCH_KICK, PID);
}

/* Until everything has just been verified, so that it is not due for a while. */
static void decide_until_verified(void)
{
    uint32_t checks = watch_checks();

    for (uint32_t i = 0; i <= SAMPLE_EVERY && watch_checks() == checks; i++)
        decide(3);
    assert_int_equal(watch_checks(), checks + 1);
    assert_false(watch_is_due());
}

static void assert_reported(uint32_t count, const char *text)
{
    assert_int_equal(errors, count);
    assert_string_equal(last_error, text);
}

/* ---- Tests ---- */

static void test_nothing_is_looked_at_while_it_is_off(void **state)
{
    (void)state;
    watch_enable(false);
    busy();
    pause_what_runs();
    for (uint32_t i = 0; i < 3 * SAMPLE_EVERY; i++)
        decide(2);
    watch_swapped(&sched, 2, ++now_ns, DISPATCH_YIELD, PID);
    assert_false(watch_is_due());
    assert_int_equal(watch_checks(), 0);
    assert_int_equal(errors + lines, 0);
}

static void test_everything_is_verified_every_so_often(void **state)
{
    (void)state;
    watch_enable(true);
    busy();
    for (uint32_t i = 0; i < 5 * (SAMPLE_EVERY + 1); i++) {
        assert_int_equal(watch_checks(), i / (SAMPLE_EVERY + 1));
        decide(i % CPUS);
    }
    assert_int_equal(errors + lines, 0);
}

static void test_first_error_brings_the_last_events(void **state)
{
    char expected[128];

    (void)state;
    busy();
    decide_until_verified();
    pause_what_runs();
    watch_kicked(2);
    for (uint32_t i = 0; i < EVENTS_MAX; i++)
        decide(0); /* all of which let CPU 2 be: it is on its way */
    assert_int_equal(errors, 0);
    watch_decided(&sched, 2, ++now_ns, DISPATCH_SLICE_END, PID);
    assert_reported(1, "a paused entity runs (2)");
    assert_int_equal(lines, EVENTS_MAX);
    snprintf(expected, sizeof expected, "  %llu ns: cpu 0, kick, runs pid 7\n",
             (unsigned long long)(now_ns - EVENTS_MAX + 1));
    assert_string_equal(first_line, expected);
    snprintf(expected, sizeof expected, "  %llu ns: cpu 2, slice_end, runs pid 7\n",
             (unsigned long long)now_ns);
    assert_string_equal(last_line, expected);
}

static void test_cpu_reports_at_once_what_concerns_it(void **state)
{
    (void)state;
    busy();
    decide_until_verified();
    forbid_what_runs();
    decide(2);
    assert_reported(2, "an entity runs where it is not allowed (2)");
}

static void test_swap_reports_at_once_what_concerns_it(void **state)
{
    (void)state;
    busy();
    decide_until_verified();
    queue_what_sleeps();
    watch_swapped(&sched, 2, ++now_ns, DISPATCH_YIELD, PID);
    assert_int_equal(errors, 2);
    watch_swapped(&sched, 4, ++now_ns, DISPATCH_YIELD, PID);
    assert_reported(3, "what waits is not runnable (2)");
}

static void test_rest_is_found_when_everything_is_due(void **state)
{
    (void)state;
    busy();
    decide_until_verified();
    miscount_waiting();
    for (uint32_t i = 0; i < SAMPLE_EVERY; i++) {
        assert_false(watch_is_due());
        if (i % 2 == 0)
            decide(i % CPUS);
        else /* counts as well */
            watch_swapped(&sched, i % CPUS, ++now_ns, DISPATCH_YIELD, PID);
    }
    assert_int_equal(errors, 3);
    assert_true(watch_is_due());
    watch_enable(false);
    assert_false(watch_is_due());
    watch_enable(true);
    decide(0);
    assert_reported(4, "the waiting entities are miscounted (-1)");
}

static void test_state_that_stays_broken_is_reported_a_few_times(void **state)
{
    (void)state;
    busy();
    pause_what_runs();
    for (uint32_t i = 0; i < 3 * ERRORS_MAX; i++)
        decide(2);
    assert_int_equal(errors, ERRORS_MAX);
    assert_int_equal(lines, EVENTS_MAX); /* with the first one only */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_is_looked_at_while_it_is_off),
        cmocka_unit_test(test_everything_is_verified_every_so_often),
        cmocka_unit_test(test_first_error_brings_the_last_events),
        cmocka_unit_test(test_cpu_reports_at_once_what_concerns_it),
        cmocka_unit_test(test_swap_reports_at_once_what_concerns_it),
        cmocka_unit_test(test_rest_is_found_when_everything_is_due),
        cmocka_unit_test(test_state_that_stays_broken_is_reported_a_few_times),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
