/*
 * The cycle of lines that `chase` and its like walk through, user/work/ring.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <string.h>

#include "user/work/ring.h"

#define MAX_LINES 4096

static struct ring_line lines[MAX_LINES];

static void expect_one_cycle(uint32_t count, uint64_t seed)
{
    static bool seen[MAX_LINES];
    const struct ring_line *at = lines;

    ring_build(lines, count, seed);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        assert_in_range(at - lines, 0, count - 1);
        assert_false(seen[at - lines]);
        seen[at - lines] = true;
        at = at->next;
    }
    assert_ptr_equal(at, lines);
}

static void test_all_lines_are_one_cycle(void **state)
{
    (void)state;
    for (uint32_t count = 1; count <= 64; count++)
        for (uint64_t seed = 0; seed < 20; seed++)
            expect_one_cycle(count, seed);
    for (uint32_t seed = 0; seed < 5; seed++)
        expect_one_cycle(MAX_LINES, seed << 30);
}

static void test_seed_chooses_the_cycle(void **state)
{
    static struct ring_line *first[MAX_LINES];
    uint32_t same = 0, again = 0;

    (void)state;
    ring_build(lines, MAX_LINES, 1);
    for (uint32_t i = 0; i < MAX_LINES; i++)
        first[i] = lines[i].next;
    ring_build(lines, MAX_LINES, 1);
    for (uint32_t i = 0; i < MAX_LINES; i++)
        again += lines[i].next == first[i];
    ring_build(lines, MAX_LINES, 2);
    for (uint32_t i = 0; i < MAX_LINES; i++)
        same += lines[i].next == first[i];
    assert_int_equal(again, MAX_LINES);
    assert_true(same < 20); /* about one is expected */
}

/* All six cycles of four lines come up about as often: chi-squared with 5 degrees of freedom. */
static void test_cycles_are_equally_likely(void **state)
{
    enum { DRAWS = 6000 };
    unsigned counts[64] = {0}, cycles = 0;
    double chi_squared = 0;

    (void)state;
    for (uint64_t seed = 0; seed < DRAWS; seed++) {
        ring_build(lines, 4, seed);
        counts[(lines[0].next - lines) * 16 + (lines[1].next - lines) * 4 +
               (lines[2].next - lines)]++;
    }
    for (unsigned i = 0; i < 64; i++) {
        double off = counts[i] - DRAWS / 6.0;

        if (counts[i] == 0)
            continue;
        cycles++;
        chi_squared += off * off / (DRAWS / 6.0);
    }
    assert_int_equal(cycles, 6);
    assert_true(chi_squared < 20.5); /* one in a thousand */
}

static void test_walk_follows_the_links(void **state)
{
    const struct ring_line *at = lines;

    (void)state;
    ring_build(lines, 100, 3);
    for (uint32_t steps = 0; steps < 250; steps++) {
        assert_ptr_equal(ring_walk(lines, steps), at);
        at = at->next;
    }
}

static void test_two_walks_are_two_walks(void **state)
{
    const struct ring_line *at[2];

    (void)state;
    ring_build(lines, 50, 1);
    ring_build(lines + 50, 50, 2);
    for (uint32_t steps = 0; steps < 120; steps++) {
        at[0] = lines + 3;
        at[1] = lines + 60;
        ring_walk_two(at, steps);
        assert_ptr_equal(at[0], ring_walk(lines + 3, steps));
        assert_ptr_equal(at[1], ring_walk(lines + 60, steps));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_lines_are_one_cycle),
        cmocka_unit_test(test_seed_chooses_the_cycle),
        cmocka_unit_test(test_cycles_are_equally_likely),
        cmocka_unit_test(test_walk_follows_the_links),
        cmocka_unit_test(test_two_walks_are_two_walks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
