/*
 * The policies under random workloads: arrivals, lengths, sleeps, pins, groups, pauses, CPUs going
 * off and on, changes of policy, and interrupts that take their time. After every step all rules
 * are checked. A workload that breaks one is made smaller and printed as a command of schedsim.
 *
 * SCHED_CASES and SCHED_SEED in the environment choose how many, and which.
 */
#include "tests/host/sched_case.h"

#include "kernel/sched/check.h"
#include "kernel/sched/dispatch.h"
#include "tools/sim/options.h"
#include "tools/sim/watch.h"
#include "tools/sim/workload.h"

#define CASES 10000

static struct workload workload;
static struct sched_case c;

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 10) : otherwise;
}

static void test_random_workloads(void **state)
{
    uint64_t first = from_environment("SCHED_SEED", 1);
    uint64_t cases = from_environment("SCHED_CASES", CASES), gains = 0, exchanges = 0;

    (void)state;
    for (uint64_t seed = first; seed < first + cases; seed++) {
        const char *what;

        workload_make(&workload, seed);
        what = workload_run(&workload);
        gains += workload.gains;
        exchanges += workload.exchanges;
        if (what == NULL)
            continue;
        printf("seed %llu: %s\n", (unsigned long long)seed, what);
        sim_options_print(stdout, workload.topology, &workload.config);
        workload_shrink(&workload, what);
        printf("made smaller:\n");
        sim_options_print(stdout, workload.topology, &workload.config);
        fflush(stdout);
        fail();
    }
    print_message("moves between cores: %llu for less load, %llu in exchange\n",
                  (unsigned long long)gains, (unsigned long long)exchanges);
    assert_true(cases < CASES || (gains > 0 && exchanges > 0)); /* or they were not looked at */
}

static void test_same_workload_same_end(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 300; seed++) {
        uint64_t ends[WORKLOAD_MAX_TASKS];

        workload_make(&workload, seed);
        sim_run(&workload.config);
        for (uint32_t i = 0; i < workload.config.task_count; i++)
            ends[i] = workload.tasks[i].end_ns;
        sim_run(&workload.config);
        for (uint32_t i = 0; i < workload.config.task_count; i++)
            assert_int_equal(workload.tasks[i].end_ns, ends[i]);
    }
}

/* Runs the case under a watch, which must find nothing. */
static struct watch run_watched(void)
{
    struct watch watch;
    struct sim_outcome outcome;
    const char *what;

    watch_init(&watch, &c.config);
    outcome = sim_run(&c.config);
    what = watch_verdict(&watch, &outcome);
    if (what != NULL)
        print_message("%u tasks: %s\n", c.config.task_count, what);
    assert_null(what);
    watch_free(&watch);
    return watch;
}

/* The watch recognizes such cases, and checks that progress differs by (1 - 1/s) q at most. */
static void test_rotation_is_fair(void **state)
{
    static const char *const topologies[] = {"1x2x2", "1x3x2", "2x2x2", "1x4x2:far"};

    (void)state;
    for (uint32_t t = 0; t < 4; t++) {
        assert_true(machine_parse(topologies[t], &c.machine));
        for (uint32_t n = c.machine.core_count + 1; n <= c.machine.cpu_count; n++) {
            sched_case_init(&c, topologies[t], n, slowdown_i7);
            assert_true(run_watched().equal);
            sched_case_init(&c, topologies[t], n, slowdown_atom);
            assert_true(run_watched().equal);
        }
    }
}

/* With balanced queues a task waits for (n / 2C - 1) slices at most. */
static void test_waits_are_bounded(void **state)
{
    (void)state;
    for (uint32_t rounds = 2; rounds <= 5; rounds++) {
        sched_case_init(&c, "1x2x2", 4 * rounds, slowdown_atom);
        assert_in_range(run_watched().longest_wait_ns, SLICE_NS, (rounds - 1) * SLICE_NS);
        sched_case_init(&c, "2x4x2", 16 * rounds, slowdown_atom);
        assert_in_range(run_watched().longest_wait_ns, SLICE_NS, (rounds - 1) * SLICE_NS);
    }
}

/* However long the queues are and however the tasks divide up: the last of equal tasks ends within
 * one per cent of the time of the first. */
static void test_crowds_make_equal_progress(void **state)
{
    static const struct {
        const char *topology;
        uint32_t tasks;
    } crowds[] = {{"1x2x2", 9},   {"1x2x2", 13},  {"1x2x2", 21}, {"1x2x2", 37},  {"1x2x2", 64},
                  {"1x3x2", 31},  {"2x4x2", 65},  {"1x8x2", 97}, {"1x8x2", 131}, {"1x2x2:far", 21},
                  {"1x2x2", 150}, {"1x2x2", 255}, {"1x4x1", 37}};

    (void)state;
    for (uint32_t i = 0; i < sizeof crowds / sizeof crowds[0]; i++) {
        uint64_t first = UINT64_MAX, last = 0;

        sched_case_init(&c, crowds[i].topology, crowds[i].tasks, slowdown_atom);
        for (uint32_t t = 0; t < crowds[i].tasks; t++)
            c.tasks[t].work_ns = 5ull * NS_PER_SECOND;
        assert_true(sim_run(&c.config).finished);
        for (uint32_t t = 0; t < crowds[i].tasks; t++) {
            first = c.tasks[t].end_ns < first ? c.tasks[t].end_ns : first;
            last = c.tasks[t].end_ns > last ? c.tasks[t].end_ns : last;
        }
        if ((last - first) * 100 > last)
            fail_msg("%s, %u tasks: the first ends after %llu ns, the last after %llu",
                     crowds[i].topology, crowds[i].tasks, (unsigned long long)first,
                     (unsigned long long)last);
    }
}

/* Nobody who has a core is moved, and who has one needs no timer. */
static void test_enough_cores_are_left_alone(void **state)
{
    (void)state;
    for (uint32_t n = 1; n <= 8; n++) {
        struct sim_outcome outcome;

        sched_case_init(&c, "2x4x2", n, slowdown_atom);
        outcome = sim_run(&c.config);
        assert_int_equal(outcome.makespan_ns, WORK_NS);
        assert_int_equal(outcome.events, 2 * n); /* arrivals and ends */
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(c.tasks[i].entity.switches, 1);
    }
}

/* Idle performance core, idle efficiency core, idle sibling; although efficiency cores come first
 * in the list of some machines. */
static void test_order_on_a_hybrid(void **state)
{
    (void)state;
    sched_case_init(&c, "1x2x2+2x1", 5, slowdown_atom);
    c.config.slice_ns = 100ull * NS_PER_SECOND; /* where they are placed, they stay */
    for (uint32_t cpu = 0; cpu < 6; cpu++) {    /* cores 0, 1 of one thread, then 2, 3 of two */
        struct cpu_place *place = &c.machine.places[cpu];
        bool small = cpu < 2;

        place->core = (uint16_t)(small ? cpu : 2 + (cpu - 2) / 2);
        place->type = small ? CPU_EFFICIENCY : CPU_PERFORMANCE;
    }
    for (uint32_t i = 0; i < 5; i++)
        c.tasks[i].work_ns = (50 - i * 10) * NS_PER_MS; /* the one that shares ends first */
    sim_run(&c.config);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t cpu = bitmap_first(&c.tasks[i].entity.ran_on);

        assert_int_equal(bitmap_count(&c.tasks[i].entity.ran_on), 1);
        assert_int_equal(c.machine.places[cpu].type == CPU_EFFICIENCY, i == 2 || i == 3);
    }
    assert_int_equal(c.tasks[4].entity.shared_ns, c.tasks[4].entity.run_ns);
}

/* Two groups of two on one core: each runs as a pair, the other waits. */
static void test_core_keeps_groups_apart(void **state)
{
    (void)state;
    sched_case_init(&c, "1x1x2", 4, slowdown_atom);
    c.config.policy = &policy_core;
    for (uint32_t i = 0; i < 4; i++)
        c.tasks[i].group = i / 2;
    run_watched();
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(c.tasks[i].entity.shared_ns, c.tasks[i].entity.run_ns);
}

/* Two strangers on one core: one thread is always empty while the other waits. */
static void test_core_accounts_forced_idle(void **state)
{
    struct sim_outcome outcome;

    (void)state;
    sched_case_init(&c, "1x1x2", 2, slowdown_atom);
    c.config.policy = &policy_core;
    c.tasks[1].group = 1;
    outcome = sim_run(&c.config);
    assert_int_equal(outcome.makespan_ns, 2 * WORK_NS);
    assert_int_equal(outcome.forced_idle_ns, c.tasks[0].entity.wait_ns + c.tasks[1].entity.wait_ns);
    assert_int_equal(c.tasks[0].entity.shared_ns, 0);
}

/* A thread that nobody who waits may use is idle of its own accord. */
static void test_idle_is_not_forced_by_pins(void **state)
{
    (void)state;
    sched_case_init(&c, "1x1x2", 2, slowdown_atom);
    c.config.policy = &policy_core;
    for (uint32_t i = 0; i < 2; i++) {
        bitmap_clear_all(&c.tasks[i].affinity);
        bitmap_set(&c.tasks[i].affinity, 0);
    }
    assert_int_equal(sim_run(&c.config).forced_idle_ns, 0);
}

/* No more threads are idle for somebody's sake than there are who wait. */
static void test_one_who_waits_forces_one_thread_idle(void **state)
{
    struct sim_outcome outcome;

    (void)state;
    sched_case_init(&c, "1x1x4", 2, slowdown_atom);
    c.config.policy = &policy_core;
    c.tasks[1].group = 1;
    outcome = sim_run(&c.config);
    assert_int_equal(outcome.forced_idle_ns, c.tasks[0].entity.wait_ns + c.tasks[1].entity.wait_ns);
}

static void test_paused_sibling_leaves_a_whole_core(void **state)
{
    const uint64_t pause = 60ull * NS_PER_MS, resume = 1000ull * NS_PER_MS;
    struct sim_action actions[] = {{.at_ns = pause, .type = SIM_PAUSE, .number = 1},
                                   {.at_ns = resume, .type = SIM_RESUME, .number = 1}};

    (void)state;
    sched_case_init(&c, "1x1x2", 2, slowdown_atom);
    c.config.actions = actions;
    c.config.action_count = 2;
    run_watched();
    assert_int_equal(c.tasks[0].end_ns, pause + WORK_NS - pause * 2 / 3);
    assert_int_equal(c.tasks[1].entity.blocked_ns, resume - pause);
}

/* Three tasks, each for one of the CPUs of a core, the first of another group than the others. */
static void set_up_strangers(struct sched *sched, struct sched_entity tasks[3], bool others_run)
{
    static const struct cpu_place places[3] = {{.core = 0}};
    struct bitmap all;

    bitmap_set_first(&all, 3);
    dispatch_init(sched, places, 3, &all, 1, 0);
    for (uint32_t i = 0; i < 3; i++) {
        struct bitmap own = {{1u << i}};

        entity_init(&tasks[i], &own);
        tasks[i].group = i == 0;
        dispatch_wake(sched, &tasks[i], 0);
        if (i == 1 || others_run)
            assert_ptr_equal(dispatch_next(sched, i, 0, DISPATCH_KICK), &tasks[i]);
    }
    dispatch_set_policy(sched, &policy_core, 0); /* which keeps groups apart */
}

/* CPU 2 finds that its task does not go with that of CPU 0, which then goes itself. */
static void test_strangers_who_go_free_others(void **state)
{
    static struct sched sched;
    struct sched_entity tasks[3];

    (void)state;
    for (uint32_t way = 0; way < 3;
         way++) { /* it only waits for CPU 0, runs, or runs and is paused */
        set_up_strangers(&sched, tasks, way > 0);
        assert_null(dispatch_next(&sched, 2, 0, DISPATCH_KICK));
        if (way == 2)
            dispatch_pause(&sched, &tasks[0], 0);
        assert_null(dispatch_next(&sched, 0, 0, way == 1 ? DISPATCH_BLOCK : DISPATCH_KICK));
        assert_null(check_sched(&sched, NULL).what);
        assert_ptr_equal(dispatch_next(&sched, 1, 0, DISPATCH_KICK), &tasks[1]);
        assert_ptr_equal(dispatch_next(&sched, 2, 0, DISPATCH_KICK), &tasks[2]);
    }
}

/* Two cores are shared, one has one task, and the other falls idle and asks CPU 0 for what it runs.
 * Before that has come, CPU 1 exchanges what it runs for something not known yet. Still what CPU 0
 * runs goes where it is expected, not beside somebody else. */
static void test_who_is_expected_elsewhere_goes_there(void **state)
{
    static const uint32_t on[] = {0, 1, 4, 5, 6};
    static struct sched sched;
    static struct machine machine;
    struct sched_entity tasks[5];
    struct bitmap all;

    (void)state;
    assert_true(machine_parse("1x4x2", &machine));
    bitmap_set_first(&all, machine.cpu_count);
    dispatch_init(&sched, machine.places, machine.cpu_count, &all, 1, 0);
    dispatch_set_policy(&sched, &policy_core, 0);
    for (uint32_t i = 0; i < 5; i++) {
        struct bitmap own = {{1u << on[i]}};

        entity_init(&tasks[i], &own);
        dispatch_wake(&sched, &tasks[i], 0);
        assert_ptr_equal(dispatch_next(&sched, on[i], 0, DISPATCH_KICK), &tasks[i]);
        dispatch_set_affinity(&sched, &tasks[i], &all, 0);
    }
    assert_null(dispatch_next(&sched, 2, 0, DISPATCH_KICK));
    assert_int_equal(sched.cpus[0].push_to, 2);
    assert_null(dispatch_next(&sched, 1, 0, DISPATCH_SLICE_END));
    assert_true(sched.cpus[1].awaits);
    dispatch_next(&sched, 0, 0, DISPATCH_KICK);
    assert_int_equal(tasks[0].where, ENTITY_CLAIMED);
    assert_int_equal(tasks[0].at, 2);
    assert_null(check_sched(&sched, NULL).what);
}

/* CPU 2 empties its core for a task that may not run on itself. CPU 1 takes that one before CPU 3
 * has left, which so goes on; then what CPU 1 ran must not wait while CPU 2 is idle. */
static void test_who_yields_in_vain_looks_again(void **state)
{
    static const struct bitmap first[] = {{{1 << 1}}, {{1 << 2}}, {{1 << 3}}, {{1 << 3}}};
    static const struct bitmap then[] = {
        {{1 << 1 | 1 << 2}}, {{0xf}}, {{1 << 3}}, {{1 << 1 | 1 << 3}}};
    static struct sched sched;
    static struct machine machine;
    struct sched_entity tasks[4];
    struct bitmap all = {{0xf}};

    (void)state;
    assert_true(machine_parse("1x2x2", &machine));
    dispatch_init(&sched, machine.places, machine.cpu_count, &all, 1, 0);
    dispatch_set_policy(&sched, &policy_core, 0);
    for (uint32_t i = 0; i < 4; i++) {
        entity_init(&tasks[i], &first[i]);
        dispatch_wake(&sched, &tasks[i], 0);
        if (i < 3)
            assert_ptr_equal(dispatch_next(&sched, i + 1, 0, DISPATCH_KICK), &tasks[i]);
        dispatch_set_affinity(&sched, &tasks[i], &then[i], 0);
    }
    assert_null(dispatch_next(&sched, 2, 0, DISPATCH_SLICE_END));
    assert_ptr_equal(dispatch_next(&sched, 1, 0, DISPATCH_SLICE_END), &tasks[3]);
    assert_ptr_equal(dispatch_next(&sched, 3, 0, DISPATCH_KICK), &tasks[2]);
    assert_null(check_sched(&sched, NULL).what);
    assert_ptr_equal(dispatch_next(&sched, 2, 0, DISPATCH_KICK), &tasks[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_workloads),
        cmocka_unit_test(test_same_workload_same_end),
        cmocka_unit_test(test_rotation_is_fair),
        cmocka_unit_test(test_waits_are_bounded),
        cmocka_unit_test(test_crowds_make_equal_progress),
        cmocka_unit_test(test_enough_cores_are_left_alone),
        cmocka_unit_test(test_order_on_a_hybrid),
        cmocka_unit_test(test_core_keeps_groups_apart),
        cmocka_unit_test(test_core_accounts_forced_idle),
        cmocka_unit_test(test_idle_is_not_forced_by_pins),
        cmocka_unit_test(test_one_who_waits_forces_one_thread_idle),
        cmocka_unit_test(test_paused_sibling_leaves_a_whole_core),
        cmocka_unit_test(test_strangers_who_go_free_others),
        cmocka_unit_test(test_who_is_expected_elsewhere_goes_there),
        cmocka_unit_test(test_who_yields_in_vain_looks_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
