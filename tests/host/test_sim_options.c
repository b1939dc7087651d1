/*
 * What the simulator prints as a command line is read back as the same configuration.
 */
#include "tests/host/sched_case.h"
#include "tools/sim/options.h"
#include "tools/sim/workload.h"

#define CASES 300
#define MAX_WORDS 128
#define MAX_BYTES 4096

static void assert_same_tasks(const struct sim_config *a, const struct sim_config *b)
{
    assert_int_equal(a->task_count, b->task_count);
    for (uint32_t i = 0; i < a->task_count; i++) {
        const struct sim_task *s = &a->tasks[i], *t = &b->tasks[i];

        assert_int_equal(s->arrive_ns, t->arrive_ns);
        assert_int_equal(s->work_ns, t->work_ns);
        assert_int_equal(s->burst_ns, t->burst_ns);
        assert_int_equal(s->sleep_ns, t->sleep_ns);
        assert_int_equal(s->kind, t->kind);
        assert_int_equal(s->group, t->group);
        assert_memory_equal(&s->affinity, &t->affinity, sizeof s->affinity);
    }
}

static void assert_same_actions(const struct sim_config *a, const struct sim_config *b)
{
    assert_int_equal(a->action_count, b->action_count);
    for (uint32_t i = 0; i < a->action_count; i++) {
        const struct sim_action *s = &a->actions[i], *t = &b->actions[i];

        assert_int_equal(s->at_ns, t->at_ns);
        assert_int_equal(s->type, t->type);
        if (s->type == SIM_POLICY)
            assert_ptr_equal(s->policy, t->policy);
        else
            assert_int_equal(s->number, t->number);
        if (s->type == SIM_PIN)
            assert_memory_equal(&s->affinity, &t->affinity, sizeof s->affinity);
    }
}

static void assert_same(const struct sim_config *a, const struct sim_config *b)
{
    assert_ptr_equal(a->policy, b->policy);
    assert_int_equal(a->slice_ns, b->slice_ns);
    assert_int_equal(a->kick_ns, b->kick_ns);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->max_events, b->max_events);
    assert_int_equal(a->machine->cpu_count, b->machine->cpu_count);
    assert_memory_equal(&a->efficiency_speed, &b->efficiency_speed, sizeof a->efficiency_speed);
    assert_int_equal(a->kinds, b->kinds);
    assert_memory_equal(a->slowdown, b->slowdown, sizeof a->slowdown);
    assert_same_tasks(a, b);
    assert_same_actions(a, b);
}

static void print_and_read(const char *topology, const struct sim_config *config)
{
    static struct sim_options options;
    static char text[MAX_BYTES];
    char *words[MAX_WORDS];
    int count = 0;
    FILE *file = tmpfile();

    assert_non_null(file);
    sim_options_print(file, topology, config);
    rewind(file);
    assert_non_null(fgets(text, sizeof text, file));
    fclose(file);
    assert_int_equal(text[strlen(text) - 1], '\n');
    for (char *word = strtok(text, " \n"); word != NULL; word = strtok(NULL, " \n")) {
        assert_true(count < MAX_WORDS);
        words[count++] = word;
    }
    sim_options_read(count, words, &options);
    assert_same(config, &options.config);
    sim_options_free(&options);
}

static void test_random_workloads(void **state)
{
    static struct workload workload;
    (void)state;

    for (uint64_t seed = 1; seed <= CASES; seed++) {
        workload_make(&workload, seed);
        print_and_read(workload.topology, &workload.config);
    }
}

static void test_what_random_workloads_have_not(void **state)
{
    static struct sched_case c;
    (void)state;

    sched_case_init(&c, "1x2x2+2x1", 3, (struct sim_ratio){5617, 5000});
    c.config.efficiency_speed = (struct sim_ratio){3, 5};
    c.config.kinds = 2;
    c.config.slowdown[0][1] = (struct sim_ratio){100, 1};
    c.config.slowdown[1][0] = (struct sim_ratio){1, 1};
    c.config.slowdown[1][1] = (struct sim_ratio){19999, 10000};
    c.tasks[1].kind = 1;
    print_and_read("1x2x2+2x1", &c.config);
}

/* Three kinds, each beside each at another speed. */
static void test_units_of_nine_slowdowns(void **state)
{
    static struct sched_case c;
    static const uint32_t percent[9] = {997, 991, 983, 977, 971, 967, 953, 947, 941};
    (void)state;

    sched_case_init(&c, "1x1x2", 2, slowdown_atom);
    c.config.kinds = 3;
    for (uint32_t i = 0; i < 9; i++)
        c.config.slowdown[i / 3][i % 3] = (struct sim_ratio){percent[i], 100};
    c.tasks[0].work_ns = 4000000000;
    c.tasks[1].work_ns = 4000000000;
    c.tasks[1].kind = 1;
    assert_true(sim_fits(&c.config));
    assert_true(sim_run(&c.config).finished);
    /* The first does 100/991 a nanosecond, the second 100/977, and ends first. */
    assert_int_equal(c.tasks[1].end_ns, 39080000000);
    assert_int_equal(c.tasks[0].end_ns, 39080000000 + 4000000000 - 39080000000 * 100 / 991);
    c.config.efficiency_speed = (struct sim_ratio){1, 10000};
    c.config.slowdown[2][2] = (struct sim_ratio){999983, 10000};
    c.config.slowdown[2][1] = (struct sim_ratio){999979, 10000};
    assert_false(sim_fits(&c.config));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_workloads),
        cmocka_unit_test(test_what_random_workloads_have_not),
        cmocka_unit_test(test_units_of_nine_slowdowns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
