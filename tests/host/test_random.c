/* kernel/lib/random: reproducible, unbiased, within its bound. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/lib/random.h"

static void test_known_sequence(void **state)
{
    /* The high halves of SplitMix64's published outputs for seed 1234567. */
    static const uint32_t expected[] = {0x599ed017, 0x2c73f084, 0x883ebce5, 0x3fbef740, 0xe3b83467};
    struct random random;

    (void)state;
    random_seed(&random, 1234567);
    for (size_t i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        assert_int_equal(random_next(&random), expected[i]);
    }
}

static void test_equal_seeds_give_equal_draws(void **state)
{
    struct random a, b, other;
    unsigned equal_to_other = 0;

    (void)state;
    random_seed(&a, 7);
    random_seed(&b, 7);
    random_seed(&other, 8);
    for (unsigned i = 0; i < 1000; i++) {
        uint32_t bound = 1 + i % 50;
        uint32_t number = random_below(&a, bound);

        assert_int_equal(number, random_below(&b, bound));
        equal_to_other += number == random_below(&other, bound);
    }
    assert_true(equal_to_other < 300);
}

static void test_draws_stay_below_the_bound(void **state)
{
    static const uint32_t bounds[] = {1, 2, 3, 7, 256, 0x80000000, 0x80000001, UINT32_MAX};
    struct random random;

    (void)state;
    random_seed(&random, 0);
    assert_int_equal(random_below(&random, 0), 0);
    for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
        for (unsigned turn = 0; turn < 1000; turn++) {
            assert_true(random_below(&random, bounds[i]) < bounds[i]);
        }
    }
}

static void test_draws_are_even(void **state)
{
    uint32_t counts[6] = {0};
    struct random random;
    double chi_square = 0;

    (void)state;
    random_seed(&random, 1);
    for (unsigned i = 0; i < 600000; i++) {
        counts[random_below(&random, 6)]++;
    }
    for (unsigned i = 0; i < 6; i++) {
        chi_square += (counts[i] - 100000.0) * (counts[i] - 100000.0) / 100000.0;
    }
    assert_true(chi_square < 20.5); /* 99.9 % quantile with 5 degrees of freedom */
}

/* With this bound, plain scaling would make every third number twice as likely as the others. */
static void test_large_bounds_are_not_biased(void **state)
{
    const uint32_t bound = 0xc0000000;
    uint32_t counts[3] = {0};
    struct random random;

    (void)state;
    random_seed(&random, 3);
    for (unsigned i = 0; i < 300000; i++) {
        counts[random_below(&random, bound) % 3]++;
    }
    for (unsigned i = 0; i < 3; i++) {
        assert_in_range(counts[i], 98500, 101500);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_sequence),
        cmocka_unit_test(test_equal_seeds_give_equal_draws),
        cmocka_unit_test(test_draws_stay_below_the_bound),
        cmocka_unit_test(test_draws_are_even),
        cmocka_unit_test(test_large_bounds_are_not_biased),
    };

    return cmocka_run_group_tests_name("random", tests, NULL, NULL);
}
