/* When slices end: whether or not anybody has kept count of those that nobody waited for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel/sched/slice.h"

#define LENGTH 10000u
#define START 123456u

static struct slice begun(void)
{
    struct slice slice = {.is_awaited = false};

    slice_begin(&slice, START, LENGTH);
    return slice;
}

static void test_nobody_waits_for_the_end(void **state)
{
    struct slice slice = begun();

    (void)state;
    assert_true(slice_deadline_ns(&slice) == UINT64_MAX);
    slice_await(&slice, true, START + 1, LENGTH);
    assert_true(slice_deadline_ns(&slice) == START + LENGTH);
    slice_await(&slice, false, START + 2, LENGTH);
    assert_true(slice_deadline_ns(&slice) == UINT64_MAX);
}

/* Whoever comes at whatever time: the ends are where they would have been. */
static void test_slices_go_on_uncounted(void **state)
{
    (void)state;
    for (uint64_t now = START; now < START + 5 * LENGTH; now += 7) {
        struct slice slice = begun();
        uint64_t end = START + LENGTH;

        while (end <= now)
            end += LENGTH;
        slice_await(&slice, true, now, LENGTH);
        assert_true(slice_deadline_ns(&slice) == end);
    }
}

static void test_an_end_that_is_awaited_stays(void **state)
{
    struct slice slice = begun();

    (void)state;
    slice_await(&slice, true, START, LENGTH);
    slice_await(&slice, true, START + 3 * LENGTH, LENGTH); /* the timer is late */
    assert_true(slice_deadline_ns(&slice) == START + LENGTH);
}

/* What was begun as a long slice does not keep anybody waiting for longer than a short one. */
static void test_shorter_slices_hold_at_once(void **state)
{
    (void)state;
    for (uint64_t now = START; now < START + 2 * LENGTH; now += 3) {
        struct slice slice = begun();

        slice_await(&slice, true, now, LENGTH / 10);
        assert_in_range(slice_deadline_ns(&slice) - now, 1, LENGTH / 10);
        assert_int_equal((slice_deadline_ns(&slice) - START) % (LENGTH / 10), 0);
    }
}

static void test_years_later(void **state)
{
    struct slice slice = begun();
    uint64_t now = START + 1000000007ull * LENGTH * LENGTH + 1;

    (void)state;
    slice_await(&slice, true, now, LENGTH);
    assert_true(slice_deadline_ns(&slice) == now - 1 + LENGTH);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nobody_waits_for_the_end),
        cmocka_unit_test(test_slices_go_on_uncounted),
        cmocka_unit_test(test_an_end_that_is_awaited_stays),
        cmocka_unit_test(test_shorter_slices_hold_at_once),
        cmocka_unit_test(test_years_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
