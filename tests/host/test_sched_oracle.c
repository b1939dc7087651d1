/*
 * The policies against theory: makespans and distributions known as exact fractions. The table of
 * cases beside the repository is skipped where it is absent; a small one is here.
 */
#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "tests/host/sched_case.h"

#include "tests/host/test_data.h"

#define SEEDS 2000
#define MAX_ROWS 64
#define MAX_LAW 8
#define NO_SLICES (3600ull * NS_PER_SECOND) /* longer than any run: then smt only pulls */
#define ROUNDING_NS 10

static struct sched_case c; /* too big for a stack */

/* ---- Rows ---- */

struct row {
    struct fraction slowdown, rotated, pull, core_pinned, cpu_pinned, mean, mean_finish;
    struct fraction law_value[MAX_LAW], law_share[MAX_LAW];
    uint32_t cores, tasks, law_length;
};

/* What one row says of `smt` and of pinned tasks; a fraction of 0/0 says nothing. */
static void check_row(const struct row *row)
{
    struct sim_ratio slowdown = {(uint32_t)row->slowdown.numerator,
                                 (uint32_t)row->slowdown.denominator};
    char topology[32];

    snprintf(topology, sizeof topology, "1x%ux2", row->cores);
    sched_case_init(&c, topology, row->tasks, slowdown);
    assert_within(sched_case_makespan(&c), fraction_of(row->rotated, WORK_NS), SLICE_NS);
    if (row->pull.denominator != 0) {
        c.config.slice_ns = NO_SLICES;
        assert_within(sched_case_makespan(&c), fraction_of(row->pull, WORK_NS), ROUNDING_NS);
        c.config.slice_ns = SLICE_NS;
    }
    sched_case_pin(&c, false);
    assert_int_equal(sched_case_makespan(&c), fraction_of(row->core_pinned, WORK_NS));
    sched_case_pin(&c, true);
    assert_int_equal(sched_case_makespan(&c), fraction_of(row->cpu_pinned, WORK_NS));
    c.config.policy = &policy_naive;
    assert_int_equal(sched_case_makespan(&c), fraction_of(row->cpu_pinned, WORK_NS));
}

/* Two cores of two threads. */
static void test_two_cores(void **state)
{
    static const struct row rows[] = {
        {{3, 2}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, .cores = 2, .tasks = 2},
        {{3, 2}, {9, 7}, {4, 3}, {3, 2}, {3, 2}, .cores = 2, .tasks = 3},
        {{3, 2}, {3, 2}, {3, 2}, {3, 2}, {3, 2}, .cores = 2, .tasks = 4},
        {{3, 2}, {15, 8}, {0, 0}, {9, 4}, {5, 2}, .cores = 2, .tasks = 5},
        {{3, 2}, {9, 4}, {0, 0}, {9, 4}, {5, 2}, .cores = 2, .tasks = 6},
        {{23, 20}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, .cores = 2, .tasks = 2},
        {{23, 20}, {23, 21}, {26, 23}, {23, 20}, {23, 20}, .cores = 2, .tasks = 3},
        {{23, 20}, {23, 20}, {23, 20}, {23, 20}, {23, 20}, .cores = 2, .tasks = 4},
        {{23, 20}, {23, 16}, {0, 0}, {69, 40}, {43, 20}, .cores = 2, .tasks = 5},
        {{23, 20}, {69, 40}, {0, 0}, {69, 40}, {43, 20}, .cores = 2, .tasks = 6},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_row(&rows[i]);
}

/* ---- Naive: a distribution ---- */

/* Counts how often each value of the law occurs over all seeds, and sums up. */
static void sample_naive(const struct row *row, uint32_t counts[MAX_LAW], double *mean,
                         double *finish)
{
    *mean = *finish = 0;
    c.config.policy = &policy_naive;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t makespan;
        uint32_t value = 0;

        c.config.seed = seed;
        makespan = sched_case_makespan(&c);
        while (value < row->law_length && makespan != fraction_of(row->law_value[value], WORK_NS))
            value++;
        assert_true(value < row->law_length);
        counts[value]++;
        *mean += (double)makespan / WORK_NS / SEEDS;
        for (uint32_t i = 0; i < row->tasks; i++)
            *finish += (double)c.tasks[i].end_ns / WORK_NS / row->tasks / SEEDS;
    }
}

static double real(struct fraction fraction)
{
    return (double)fraction.numerator / (double)fraction.denominator;
}

/* Within three standard errors. */
static bool is_likely(double value, double expected, double variance)
{
    return (value - expected) * (value - expected) <= 9 * variance + 1e-12;
}

static void check_naive(const struct row *row)
{
    struct sim_ratio slowdown = {(uint32_t)row->slowdown.numerator,
                                 (uint32_t)row->slowdown.denominator};
    uint32_t counts[MAX_LAW] = {0};
    double mean, finish, range = real(row->slowdown) - 1;
    char topology[32];

    snprintf(topology, sizeof topology, "1x%ux2", row->cores);
    sched_case_init(&c, topology, row->tasks, slowdown);
    sample_naive(row, counts, &mean, &finish);
    for (uint32_t i = 0; i < row->law_length; i++) {
        double share = real(row->law_share[i]);

        assert_true(is_likely(counts[i], share * SEEDS, share * (1 - share) * SEEDS));
    }
    /* All times lie between 1 and s, so their standard deviation is at most half of that. */
    assert_true(is_likely(mean, real(row->mean), range * range / 4 / SEEDS));
    assert_true(is_likely(finish, real(row->mean_finish), range * range / 4 / SEEDS));
}

static void test_naive_on_two_cores(void **state)
{
    static const struct row rows[] = {
        {.slowdown = {3, 2},
         .cores = 2,
         .tasks = 2,
         .mean = {7, 6},
         .mean_finish = {7, 6},
         .law_length = 2,
         .law_value = {{1, 1}, {3, 2}},
         .law_share = {{2, 3}, {1, 3}}},
        {.slowdown = {3, 2},
         .cores = 2,
         .tasks = 3,
         .mean = {3, 2},
         .mean_finish = {4, 3},
         .law_length = 1,
         .law_value = {{3, 2}},
         .law_share = {{1, 1}}},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        check_naive(&rows[i]);
}

/* ---- The table beside the repository ---- */

/* Just enough JSON for it: objects of strings, numbers and objects of strings. */
static bool take_string(char **at, char text[32])
{
    char *end, *start = *at + strcspn(*at, "\"}");

    if (*start != '"')
        return false;
    end = strchr(start + 1, '"');
    assert_non_null(end);
    assert_true(end - start < 32);
    snprintf(text, 32, "%.*s", (int)(end - start - 1), start + 1);
    *at = end + 1;
    return true;
}

static struct fraction fraction_at(const char *text)
{
    struct fraction fraction = {0, 1};
    char *end;

    fraction.numerator = strtoull(text, &end, 10);
    if (*end == '/')
        fraction.denominator = strtoull(end + 1, NULL, 10);
    return fraction;
}

static void read_law(char **at, struct row *row)
{
    char value[32], share[32];

    while (take_string(at, value)) {
        assert_true(take_string(at, share));
        if (row == NULL)
            continue;
        assert_true(row->law_length < MAX_LAW);
        row->law_value[row->law_length] = fraction_at(value);
        row->law_share[row->law_length++] = fraction_at(share);
    }
    *at += strcspn(*at, "}") + 1;
}

static void read_value(char **at, const char *key, struct row *row)
{
    const struct {
        const char *key;
        struct fraction *fraction;
    } fractions[] = {{"s", &row->slowdown},
                     {"T_rotated", &row->rotated},
                     {"T_pull", &row->pull},
                     {"T_core_pinned", &row->core_pinned},
                     {"T_cpu_pinned", &row->cpu_pinned},
                     {"naive_distinct_mean", &row->mean},
                     {"mean_task_finish", &row->mean_finish}};
    char text[32];

    *at += strcspn(*at, ":") + 1;
    *at += strspn(*at, " \n");
    if (**at == '{') {
        (*at)++;
        read_law(at, strcmp(key, "naive_distinct_law") == 0 ? row : NULL);
    } else if (**at != '"') {
        *(strcmp(key, "C") == 0 ? &row->cores : &row->tasks) = (uint32_t)strtoul(*at, at, 10);
    } else {
        take_string(at, text);
        for (size_t i = 0; i < sizeof fractions / sizeof fractions[0]; i++)
            if (strcmp(key, fractions[i].key) == 0)
                *fractions[i].fraction = fraction_at(text);
    }
}

static uint32_t read_rows(struct row rows[MAX_ROWS])
{
    size_t length;
    char *bytes = (char *)test_data_load(".", "sched-oracle", ".json", &length), *at;
    char *text = malloc(length + 1), key[32];
    uint32_t count = 0;

    assert_non_null(text);
    memcpy(text, bytes, length);
    text[length] = '\0';
    for (at = text; (at = strchr(at, '{')) != NULL; at++, count++) {
        assert_true(count < MAX_ROWS);
        while (take_string(&at, key))
            read_value(&at, key, &rows[count]);
        at += strcspn(at, "}");
    }
    free(text);
    free(bytes);
    return count;
}

static void test_all_rows(void **state)
{
    static struct row rows[MAX_ROWS];
    uint32_t count = read_rows(rows);

    (void)state;
    assert_int_equal(count, 48);
    for (uint32_t i = 0; i < count; i++) {
        check_row(&rows[i]);
        if (rows[i].law_length > 0)
            check_naive(&rows[i]);
    }
}

/* ---- Optimum ---- */

/* The most work n tasks can get done, as a multiple of one core, times the slowdown's numerator: a
 * core each, and then the sharing kept to as few cores as possible, all of whose threads run at
 * 1/s. Efficiency cores are as fast as the others here, but have one thread. */
static uint64_t best_rate(uint32_t cores, uint32_t wide_cores, uint32_t threads, uint32_t tasks,
                          struct sim_ratio s)
{
    uint32_t all = cores + wide_cores * (threads - 1);
    uint32_t extra = tasks <= cores ? 0 : (tasks < all ? tasks : all) - cores;
    uint32_t full = extra / (threads - 1), rest = extra % (threads - 1);
    uint32_t shared_cores = full + (rest > 0), alone = (tasks < cores ? tasks : cores);

    return (uint64_t)(alone - shared_cores) * s.numerator +
           (uint64_t)(extra + shared_cores) * s.denominator;
}

/* The makespan of 1 to max_tasks tasks is within two percent of the best. */
static void check_near_optimum(const char *topology, uint32_t cores, uint32_t wide_cores,
                               uint32_t threads, uint32_t max_tasks, uint64_t work_ns,
                               struct sim_ratio slowdown)
{
    for (uint32_t tasks = 1; tasks <= max_tasks; tasks++) {
        uint64_t best, makespan;

        sched_case_init(&c, topology, tasks, slowdown);
        for (uint32_t i = 0; i < tasks; i++)
            c.tasks[i].work_ns = work_ns;
        best = tasks * work_ns * slowdown.numerator /
               best_rate(cores, wide_cores, threads, tasks, slowdown);
        makespan = sched_case_makespan(&c);
        assert_in_range(makespan, best, best + best * 2 / 100);
    }
}

static void test_smt_is_within_two_percent_of_the_optimum(void **state)
{
    (void)state;
    check_near_optimum("1x2x2", 2, 2, 2, 8, WORK_NS, slowdown_atom);
    check_near_optimum("1x2x2:far", 2, 2, 2, 8, WORK_NS, slowdown_atom);
    check_near_optimum("2x4x2", 8, 8, 2, 32, WORK_NS, slowdown_atom);
    check_near_optimum("2x4x2:far", 8, 8, 2, 32, WORK_NS, slowdown_atom);
    check_near_optimum("1x8x4", 8, 8, 4, 32, WORK_NS, slowdown_atom);
    check_near_optimum("1x6x2+8x1", 14, 6, 2, 20, WORK_NS, slowdown_atom);
}

/* With more tasks than CPUs all get equal time, and, on a hybrid, must also get equal shares of the
 * CPUs that are cores of their own. With the article's other task of two seconds, since the slice
 * in which a task ends is 2.5 % of WORK_NS. */
static void test_smt_on_a_crowded_hybrid(void **state)
{
    static const struct sim_ratio slowdowns[] = {{23, 20}, {3, 2}, {2, 1}};

    (void)state;
    for (uint32_t i = 0; i < sizeof slowdowns / sizeof slowdowns[0]; i++)
        check_near_optimum("1x6x2+8x1", 14, 6, 2, 56, 5 * WORK_NS, slowdowns[i]);
}

/* ---- More that theory says ---- */

/* With real quanta: W = 1 s, three tasks, s = 1.5. */
static void test_rotation_ends_together(void **state)
{
    (void)state;
    sched_case_init(&c, "1x2x2", 3, slowdown_atom);
    for (uint32_t i = 0; i < 3; i++)
        c.tasks[i].work_ns = NS_PER_SECOND;
    assert_int_equal(sched_case_makespan(&c) / NS_PER_US, 1286666);
    for (uint32_t i = 0; i < 3; i++)
        assert_in_range(c.tasks[i].end_ns / NS_PER_US, 1285000, 1286666);
}

/* A second task that starts on the sibling d later: both take s(W - d) + d. */
static void test_staggered_siblings(void **state)
{
    const uint64_t late = 100ull * NS_PER_MS, expected = (WORK_NS - late) * 3 / 2 + late;

    (void)state;
    sched_case_init(&c, "1x1x2", 2, slowdown_atom);
    c.tasks[1].arrive_ns = late;
    sched_case_makespan(&c);
    assert_int_equal(c.tasks[0].end_ns, expected);
    assert_int_equal(c.tasks[1].end_ns - late, expected);
}

/* The article's experiment: a hog on one CPU, and a task that starts beside it. */
static void test_peg(void **state)
{
    uint32_t slow = 0;

    (void)state;
    sched_case_init(&c, "1x2x2", 2, slowdown_atom);
    c.tasks[0].work_ns = 10ull * NS_PER_SECOND;
    c.tasks[1].arrive_ns = NS_PER_SECOND;
    sched_case_makespan(&c);
    assert_int_equal(c.tasks[1].end_ns - NS_PER_SECOND, WORK_NS);
    c.config.policy = &policy_naive;
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        uint64_t took;

        c.config.seed = seed;
        sched_case_makespan(&c);
        took = c.tasks[1].end_ns - NS_PER_SECOND;
        assert_true(took == WORK_NS || took == WORK_NS * 3 / 2);
        slow += took != WORK_NS;
    }
    assert_true(is_likely(slow, SEEDS / 3.0, SEEDS * 2 / 9.0));
}

static void test_same_seed_same_schedule(void **state)
{
    char *text[2];
    size_t length[2];

    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        sched_case_init(&c, "1x2x2", 7, slowdown_i7);
        c.config.policy = &policy_naive;
        c.config.kick_ns = 1000;
        c.config.trace = open_memstream(&text[i], &length[i]);
        assert_non_null(c.config.trace);
        sched_case_makespan(&c);
        fclose(c.config.trace);
    }
    assert_true(length[0] > 0);
    assert_int_equal(length[0], length[1]);
    assert_memory_equal(text[0], text[1], length[0]);
    free(text[0]);
    free(text[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_two_cores),
        cmocka_unit_test(test_naive_on_two_cores),
        cmocka_unit_test(test_all_rows),
        cmocka_unit_test(test_smt_is_within_two_percent_of_the_optimum),
        cmocka_unit_test(test_smt_on_a_crowded_hybrid),
        cmocka_unit_test(test_rotation_ends_together),
        cmocka_unit_test(test_staggered_siblings),
        cmocka_unit_test(test_peg),
        cmocka_unit_test(test_same_seed_same_schedule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
