/* kernel/lib/stats: order statistics, and how far apart samples are that ought to be equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/lib/random.h"
#include "kernel/lib/stats.h"

static void test_min_median_max(void **state)
{
    uint32_t odd[] = {5, 1, 9}, even[] = {4, 3, 2, 1}, one[] = {7};
    struct stats stats = stats_of(odd, 3);

    (void)state;
    assert_int_equal(stats.min, 1);
    assert_int_equal(stats.median, 5);
    assert_int_equal(stats.max, 9);
    assert_int_equal(stats_of(even, 4).median, 2); /* the lower of the two */
    assert_int_equal(stats_of(one, 1).median, 7);
    assert_int_equal(stats_of(NULL, 0).max, 0);
}

static void test_sorts_whatever_there_is(void **state)
{
    static uint32_t samples[1000];
    struct random random;

    (void)state;
    random_seed(&random, 1);
    for (unsigned i = 0; i < 1000; i++)
        samples[i] = random_below(&random, 300);
    stats_of(samples, 1000);
    for (unsigned i = 1; i < 1000; i++)
        assert_true(samples[i - 1] <= samples[i]);
}

static void test_percent_rounds_and_saturates(void **state)
{
    (void)state;
    assert_int_equal(stats_percent(1, 3), 33);
    assert_int_equal(stats_percent(2, 3), 67);
    assert_int_equal(stats_percent(5, 0), 0);
    assert_int_equal(stats_percent(UINT64_MAX, 1), UINT32_MAX / 2);
    assert_int_equal(stats_percent(UINT64_MAX, UINT64_MAX), 100);
}

static void test_spread_is_of_the_median(void **state)
{
    const struct stats equal = {5, 5, 5}, apart = {90, 100, 130}, none = {0, 0, 0};

    (void)state;
    assert_int_equal(stats_spread_percent(&equal), 0);
    assert_int_equal(stats_spread_percent(&apart), 40);
    assert_int_equal(stats_spread_percent(&none), 0);
}

static void test_two_kinds_are_judged_apart(void **state)
{
    static const uint32_t two[] = {100, 102, 104, 150, 156}, one[] = {100, 101, 102, 103};
    static const uint32_t smeared[] = {100, 120, 140, 160}, single[] = {100};

    (void)state;
    assert_int_equal(stats_spread_of_peaks(two, 5), 4);   /* 100-104, and 150-156 */
    assert_true(stats_spread_of_peaks(one, 4) <= 3);      /* cutting one kind does no harm */
    assert_true(stats_spread_of_peaks(smeared, 4) >= 20); /* three kinds are not two */
    assert_int_equal(stats_spread_of_peaks(single, 1), 0);
    assert_int_equal(stats_spread_of_peaks(NULL, 0), 0);
}

static void test_few_samples_are_no_two_kinds(void **state)
{
    static const uint32_t two[] = {100, 150}, three[] = {100, 150, 151},
                          four[] = {100, 101, 150, 151}, rare[] = {100, 101, 102, 150},
                          five[] = {100, 101, 150, 151, 152};

    (void)state;
    assert_int_equal(stats_spread_of_peaks(two, 2), 50);
    assert_int_equal(stats_spread_of_peaks(three, 3), 34);
    assert_int_equal(stats_spread_of_peaks(four, 4), 50);
    assert_int_equal(stats_spread_of_peaks(rare, 4), 2); /* luck may be rare */
    assert_int_equal(stats_spread_of_peaks(five, 5), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_min_median_max),
        cmocka_unit_test(test_sorts_whatever_there_is),
        cmocka_unit_test(test_percent_rounds_and_saturates),
        cmocka_unit_test(test_spread_is_of_the_median),
        cmocka_unit_test(test_two_kinds_are_judged_apart),
        cmocka_unit_test(test_few_samples_are_no_two_kinds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
