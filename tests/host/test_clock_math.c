/* kernel/lib/clock_math against the host's 128-bit arithmetic, and the calibrator's hard cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/lib/clock_math.h"
#include "kernel/lib/random.h"

typedef unsigned __int128 wide;

static const uint64_t edges[] = {0,
                                 1,
                                 2,
                                 3,
                                 10,
                                 0xffff,
                                 0x10000,
                                 0x10001,
                                 999999999,
                                 1000000000,
                                 0x7fffffff,
                                 0x80000000,
                                 0xffffffff,
                                 0x100000000,
                                 0x100000001,
                                 0xffffffff00000000,
                                 0x7fffffffffffffff,
                                 0x8000000000000000,
                                 0xfffffffffffffffe,
                                 UINT64_MAX};

#define EDGES (sizeof(edges) / sizeof(edges[0]))
#define DRAWS 200000

/* A number whose bit length is random too, so that small ones occur. */
static uint64_t draw(struct random *random)
{
    uint64_t high = random_next(random);

    return (high << 32 | random_next(random)) >> random_below(random, 64);
}

static void check_division(uint64_t dividend, uint64_t divisor)
{
    uint64_t quotient = divisor == 0 ? UINT64_MAX : dividend / divisor;
    uint64_t expected_rest = divisor == 0 ? 0 : dividend % divisor;
    uint64_t rest = 1;
    uint32_t small_rest = 1;

    assert_true(div_u64(dividend, divisor, &rest) == quotient && rest == expected_rest);
    assert_true(div_u64(dividend, divisor, NULL) == quotient);
    if (divisor <= UINT32_MAX) {
        assert_true(div_u64_u32(dividend, (uint32_t)divisor, &small_rest) == quotient);
        assert_true(small_rest == expected_rest);
        assert_true(div_u64_u32(dividend, (uint32_t)divisor, NULL) == quotient);
    }
}

static void check_mul_div(uint64_t a, uint64_t b, uint64_t c)
{
    wide exact = c == 0 ? UINT64_MAX : (wide)a * b / c;

    assert_true(mul_div_u64(a, b, c) == (exact > UINT64_MAX ? UINT64_MAX : (uint64_t)exact));
}

static void test_division_edges(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGES; i++) {
        for (size_t j = 0; j < EDGES; j++) {
            check_division(edges[i], edges[j]);
            for (size_t k = 0; k < EDGES; k++) {
                check_mul_div(edges[i], edges[j], edges[k]);
            }
        }
    }
}

static void test_division_random(void **state)
{
    struct random random;

    (void)state;
    random_seed(&random, 1);
    for (unsigned i = 0; i < DRAWS; i++) {
        uint64_t a = draw(&random);
        uint64_t b = draw(&random);

        check_division(a, b);
        check_mul_div(a, b, draw(&random));
    }
}

static void check_scale(uint64_t from_hz, uint64_t to_hz, struct random *random)
{
    struct clock_scale scale;

    assert_int_equal(clock_scale_init(&scale, from_hz, to_hz), OK);
    assert_true(scale.multiplier >= 1u << 31 && scale.shift <= 62);
    for (unsigned i = 0; i < 200; i++) {
        uint64_t count = draw(random);
        wide exact = (wide)count * to_hz / from_hz;
        wide tolerance = exact / 1000000000 + 1; /* 1e-9, and the rounding down */
        uint64_t scaled = clock_scale_apply(&scale, count);

        if (exact > (wide)UINT64_MAX - tolerance) {
            assert_true(scaled >= UINT64_MAX - (uint64_t)tolerance);
        } else {
            assert_true(scaled <= exact + tolerance && scaled + tolerance >= exact);
        }
    }
}

static void test_scale_is_exact_to_a_billionth(void **state)
{
    static const uint64_t hz[] = {3579545,    14318180,   1193182,    32768,      1000000, 50000000,
                                  1662500000, 2999999999, 3000000000, 9999999999, 100,     1000};
    struct random random;

    (void)state;
    random_seed(&random, 2);
    for (size_t i = 0; i < sizeof(hz) / sizeof(hz[0]); i++) {
        check_scale(hz[i], NS_PER_SECOND, &random);
        check_scale(NS_PER_SECOND, hz[i], &random);
        check_scale(hz[i], hz[i], &random);
    }
}

static void test_scale_holds_for_a_century(void **state)
{
    const uint64_t century_s = 100ull * 36525 * 864;
    struct clock_scale scale;

    (void)state;
    assert_int_equal(clock_scale_init(&scale, 5000000000, NS_PER_SECOND), OK);

    uint64_t ns = clock_scale_apply(&scale, century_s * 5000000000);

    assert_true(difference_ppm(ns, century_s * NS_PER_SECOND) == 0);
    assert_true(ns > century_s * NS_PER_SECOND - 4 * (uint64_t)NS_PER_SECOND);
}

static void test_scale_never_runs_backwards(void **state)
{
    struct clock_scale scale;
    uint64_t last = 0;

    (void)state;
    assert_int_equal(clock_scale_init(&scale, 2593906000, NS_PER_SECOND), OK);
    for (uint64_t ticks = 0xffffff00; ticks < 0x100000100; ticks++) {
        uint64_t ns = clock_scale_apply(&scale, ticks);

        assert_true(ns >= last);
        last = ns;
    }
}

static void test_scale_refuses_impossible_ratios(void **state)
{
    static const uint64_t bad[][2] = {{0, 1},          {1, 0},          {0, 0},
                                      {1, 1ull << 32}, {UINT64_MAX, 1}, {1ull << 34, 1}};
    struct clock_scale scale;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_int_equal(clock_scale_init(&scale, bad[i][0], bad[i][1]), ERROR_BAD_VALUE);
        assert_true(clock_scale_apply(&scale, UINT64_MAX) == 0);
    }
}

static void test_counters_wrap(void **state)
{
    (void)state;
    assert_int_equal(counter_delta(0xfffff0, 0x000010, 24), 0x20);
    assert_int_equal(counter_delta(0xabfffff0, 0xcd000010, 24), 0x20); /* rubbish above */
    assert_int_equal(counter_delta(0xfffffff0, 0x10, 32), 0x20);
    assert_int_equal(counter_delta(0xfff0, 0x10, 16), 0x20);
    assert_true(counter_delta(UINT64_MAX, 1, 64) == 2);
    assert_int_equal(counter_delta(5, 5, 24), 0);
    assert_int_equal(counter_delta(1, 0, 1), 1);
}

static void test_difference_ppm(void **state)
{
    (void)state;
    assert_int_equal(difference_ppm(1000000, 1000000), 0);
    assert_int_equal(difference_ppm(1000000, 1000001), 1);
    assert_int_equal(difference_ppm(1200, 1000), 200000);
    assert_int_equal(difference_ppm(0, 1), UINT32_MAX);
    assert_int_equal(difference_ppm(0, 0), UINT32_MAX);
    assert_int_equal(difference_ppm(1, UINT64_MAX), UINT32_MAX);
}

/* ---- calibration ----------------------------------------------------------------------------- */

#define WINDOW_NS 10000000u

/* A window of 10 ms in which a counter of hz was read. */
static struct calibration_sample sample(uint64_t hz, uint64_t uncertainty_ns)
{
    return (struct calibration_sample){hz / 100, WINDOW_NS, uncertainty_ns};
}

static void fill(struct calibration_sample *samples, size_t count, uint64_t hz)
{
    for (size_t i = 0; i < count; i++) {
        samples[i] = sample(hz + i * (hz / 1000000), 1000); /* each 1 ppm above the one before */
    }
}

static enum error pick(const struct calibration_sample *samples, size_t count,
                       struct calibration *out)
{
    return calibrate_pick(samples, count, TSC_MIN_HZ, TSC_MAX_HZ, out);
}

static void test_calibration_of_good_samples(void **state)
{
    struct calibration_sample samples[9];
    struct calibration result;

    (void)state;
    fill(samples, 9, 2000000000);
    assert_int_equal(pick(samples, 9, &result), OK);
    assert_true(difference_ppm(result.hz, 2000000000) <= 4);
    assert_int_equal(result.used, 5);
    assert_int_equal(result.rejected, 0);
    assert_true(result.error_ppm <= 4);
}

static void test_calibration_ignores_one_outlier_anywhere(void **state)
{
    static const uint64_t outliers[] = {0, 1, 1600000000, 2600000000, 9000000000, 43000000000};
    struct calibration_sample samples[5];
    struct calibration result;

    (void)state;
    for (size_t at = 0; at < 5; at++) {
        for (size_t i = 0; i < sizeof(outliers) / sizeof(outliers[0]); i++) {
            fill(samples, 5, 2000000000);
            samples[at] = sample(outliers[i], 0); /* the best looking one, even */

            enum error error = pick(samples, 5, &result);

            assert_int_equal(error, result.rejected == 0 ? OK : ERROR_BAD_VALUE);
            assert_true(difference_ppm(result.hz, 2000000000) <= 5);
            assert_true(result.error_ppm <= 5);
        }
    }
}

static void test_calibration_prefers_quick_reads(void **state)
{
    struct calibration_sample samples[11];
    struct calibration result;

    (void)state;
    fill(samples, 11, 2400000000);
    for (size_t i = 0; i < 5; i++) {
        samples[2 * i] = sample(3000000000, 2000000); /* stretched by an SMI of 2 ms */
    }
    assert_int_equal(pick(samples, 11, &result), OK);
    assert_int_equal(result.used, 6);
    assert_true(difference_ppm(result.hz, 2400000000) <= 10);
}

static void test_calibration_refuses_dead_counters(void **state)
{
    struct calibration_sample samples[8] = {{0, 0, 0}};
    struct calibration result;

    (void)state;
    assert_int_equal(pick(samples, 8, &result), ERROR_NOT_FOUND); /* all equal 0 */
    assert_true(result.hz == 0 && result.used == 0 && result.rejected == 8);
    assert_int_equal(result.error_ppm, UINT32_MAX);
    for (size_t i = 0; i < 8; i++) {
        samples[i] = (struct calibration_sample){0, WINDOW_NS, 0}; /* no TSC */
    }
    assert_int_equal(pick(samples, 8, &result), ERROR_NOT_FOUND);
    for (size_t i = 0; i < 8; i++) {
        samples[i] = (struct calibration_sample){20000000, 0, 0}; /* the reference stands still */
    }
    assert_int_equal(pick(samples, 8, &result), ERROR_NOT_FOUND);
    assert_int_equal(pick(samples, 0, &result), ERROR_NOT_FOUND);
}

static void test_calibration_refuses_a_counter_that_runs_backwards(void **state)
{
    struct calibration_sample samples[8];
    struct calibration result;

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        samples[i] = sample(0, 1000);
        samples[i].ticks = counter_delta(5000000, 5000000 - 20000, 64);
    }
    assert_int_equal(pick(samples, 8, &result), ERROR_NOT_FOUND);
    assert_int_equal(result.rejected, 8);
}

static void test_calibration_refuses_implausible_rates(void **state)
{
    struct calibration_sample samples[8];
    struct calibration result;

    (void)state;
    fill(samples, 8, 15000000000);
    assert_int_equal(pick(samples, 8, &result), ERROR_NOT_FOUND);
    fill(samples, 8, TSC_MIN_HZ - 1000000);
    assert_int_equal(pick(samples, 8, &result), ERROR_NOT_FOUND);
    fill(samples, 8, TSC_MIN_HZ);
    assert_int_equal(pick(samples, 8, &result), OK);
}

static void test_calibration_reports_disagreement_and_still_answers(void **state)
{
    struct calibration_sample samples[8];
    struct calibration result;

    (void)state;
    for (size_t i = 0; i < 8; i++) {
        samples[i] = sample(3600000000 - i * 300000000, 1000); /* slows down while measured */
    }
    assert_int_equal(pick(samples, 8, &result), ERROR_BAD_VALUE);
    assert_true(result.hz >= 1500000000 && result.hz <= 3600000000);
    assert_true(result.error_ppm > CALIBRATION_AGREE_PPM / 2);
    fill(samples, 4, 2000000000);
    assert_int_equal(pick(samples, 4, &result), ERROR_BAD_VALUE); /* too few */
    assert_true(difference_ppm(result.hz, 2000000000) <= 4);
}

static void test_calibration_bounds_the_number_of_samples(void **state)
{
    struct calibration_sample samples[CALIBRATION_MAX_SAMPLES + 8];
    struct calibration result;

    (void)state;
    fill(samples, CALIBRATION_MAX_SAMPLES + 8, 2000000000);
    assert_int_equal(pick(samples, CALIBRATION_MAX_SAMPLES + 8, &result), OK);
    assert_int_equal(result.used, CALIBRATION_MAX_SAMPLES / 2);
}

static void test_vote_wants_a_witness(void **state)
{
    static const uint64_t apart[] = {2000000000, 2400000000}; /* 20 % */
    static const uint64_t close[] = {2000000000, 2090000000};
    static const uint64_t third[] = {15000000000, 0, 2000000000, 2001000000};
    static const uint64_t alone[] = {0, 2000000000, 0};

    (void)state;
    assert_int_equal(calibrate_vote(apart, 2), -1);
    assert_int_equal(calibrate_vote(close, 2), 0);
    assert_int_equal(calibrate_vote(third, 4), 2);
    assert_int_equal(calibrate_vote(alone, 3), -1);
    assert_int_equal(calibrate_vote(NULL, 0), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_division_edges),
        cmocka_unit_test(test_division_random),
        cmocka_unit_test(test_scale_is_exact_to_a_billionth),
        cmocka_unit_test(test_scale_holds_for_a_century),
        cmocka_unit_test(test_scale_never_runs_backwards),
        cmocka_unit_test(test_scale_refuses_impossible_ratios),
        cmocka_unit_test(test_counters_wrap),
        cmocka_unit_test(test_difference_ppm),
        cmocka_unit_test(test_calibration_of_good_samples),
        cmocka_unit_test(test_calibration_ignores_one_outlier_anywhere),
        cmocka_unit_test(test_calibration_prefers_quick_reads),
        cmocka_unit_test(test_calibration_refuses_dead_counters),
        cmocka_unit_test(test_calibration_refuses_a_counter_that_runs_backwards),
        cmocka_unit_test(test_calibration_refuses_implausible_rates),
        cmocka_unit_test(test_calibration_reports_disagreement_and_still_answers),
        cmocka_unit_test(test_calibration_bounds_the_number_of_samples),
        cmocka_unit_test(test_vote_wants_a_witness),
    };

    return cmocka_run_group_tests_name("clock_math", tests, NULL, NULL);
}
