/* kernel/lib/rounds: how often a round is repeated, for every sequence of verdicts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/lib/rounds.h"

/* Plays rounds to their end; bit i of `verdicts` says whether round i is disturbed. */
static struct rounds play(uint32_t wanted, uint32_t verdicts)
{
    struct rounds rounds = {.wanted = wanted};

    for (unsigned i = 0; rounds_go_on(&rounds); i++) {
        assert_in_range(i, 0, 30);
        if ((verdicts >> i & 1) == 0)
            rounds.clean++;
        else
            rounds.disturbed++;
    }
    return rounds;
}

static void test_clean_rounds_are_not_repeated(void **state)
{
    struct rounds rounds;

    (void)state;
    for (uint32_t wanted = 1; wanted <= 20; wanted++) {
        rounds = play(wanted, 0);
        assert_int_equal(rounds.clean, wanted);
        assert_true(rounds_suffice(&rounds));
    }
    rounds = (struct rounds){.wanted = 10000, .clean = 9999};
    assert_true(rounds_go_on(&rounds));
    rounds.clean++;
    assert_false(rounds_go_on(&rounds));
}

static void test_each_disturbed_round_is_repeated(void **state)
{
    struct rounds rounds = play(10, 0x5);

    (void)state;
    assert_int_equal(rounds.clean, 10);
    assert_int_equal(rounds.disturbed, 2);
}

static void test_repeats_are_bounded(void **state)
{
    static const struct {
        uint32_t wanted, limit;
    } rows[] = {{1, 3}, {2, 4}, {3, 5}, {4, 6}, {5, 7}, {6, 9}, {10, 15}, {20, 30}};

    (void)state;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct rounds rounds = play(rows[i].wanted, UINT32_MAX);

        assert_int_equal(rounds.disturbed, rows[i].limit);
        assert_false(rounds_suffice(&rounds));
    }
}

static void test_every_sequence_of_verdicts(void **state)
{
    (void)state;
    for (uint32_t wanted = 1; wanted <= 8; wanted++) {
        uint32_t limit = wanted + (wanted / 2 > 2 ? wanted / 2 : 2);

        for (uint32_t verdicts = 0; verdicts < 1u << 12; verdicts++) {
            struct rounds rounds = play(wanted, verdicts);

            assert_int_equal(rounds_suffice(&rounds), rounds.clean >= (wanted + 1) / 2);
            assert_true(rounds.clean == wanted || rounds.clean + rounds.disturbed == limit);
            assert_true(rounds.clean <= wanted && rounds.clean + rounds.disturbed <= limit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean_rounds_are_not_repeated),
        cmocka_unit_test(test_each_disturbed_round_is_repeated),
        cmocka_unit_test(test_repeats_are_bounded),
        cmocka_unit_test(test_every_sequence_of_verdicts),
    };

    return cmocka_run_group_tests_name("rounds", tests, NULL, NULL);
}
