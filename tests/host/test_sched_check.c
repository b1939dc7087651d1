/*
 * The checker of the scheduler's state, against states that are broken on purpose: a checker that
 * finds nothing looks like one that has nothing to find. Every rule of kernel/sched/check.c has a
 * row in the table below, which starts from a state that dispatch has made and breaks one thing.
 */
#include "tests/host/sched_damage.h"

#include "kernel/sched/check.h"

/* ---- The rules ---- */

#define BY_CPU 1u  /* check_cpu finds it as well, */
#define BY_SWAP 2u /* and check_swap */
#define EARLY 4u   /* it may be so while a CPU has been told and has not looked yet */

static const struct row {
    void (*set_up)(void);
    void (*damage)(void);
    const char *what; /* that is found */
    uint32_t where;
    uint32_t cpu; /* for BY_CPU and BY_SWAP */
    uint32_t found;
} rows[] = {
    {busy, claim_what_runs, "what runs is also claimed", 2, 2, BY_CPU | BY_SWAP},
    {busy, queue_what_runs, "what runs is elsewhere", 2, 2, BY_CPU | BY_SWAP},
    {busy, run_twice, "what runs is on two CPUs", 0, 0, BY_CPU | BY_SWAP},
    {busy, run_on_wrong_core, "what runs has the wrong core", 2, 2, BY_CPU | BY_SWAP},
    {busy, run_what_sleeps, "what runs is not runnable", 2, 2, BY_CPU | BY_SWAP},
    {busy, run_what_never_woke, "what runs is not runnable", 2, 2, BY_CPU | BY_SWAP},
    {claimed, forget_claim, "what is claimed is elsewhere", 0, 0, BY_CPU | BY_SWAP},
    {claimed, claim_elsewhere, "what is claimed is claimed for two CPUs", 0, 0, BY_CPU | BY_SWAP},
    {claimed, pause_claimed, "what is claimed is paused", 0, 0, BY_CPU | BY_SWAP},
    {claimed, forbid_claimed, "what is claimed is not allowed there", 0, 0, BY_CPU | BY_SWAP},

    {busy, ask_itself, "a CPU is asked to hand over to itself", 2, 2, BY_CPU},
    {busy, ask_for_nobody, "a CPU is asked for something that nobody awaits", 2, 2, BY_CPU},
    {busy, leave_to_nowhere, "something leaves to nowhere", 2, 2, BY_CPU},
    {asked, forget_kicks, "a CPU was not told what it is asked for", 4, 4, BY_CPU | EARLY},
    {claimed, forget_kicks, "a CPU was not told that it is claimed", 0, 0, BY_CPU | EARLY},

    {busy, count_idle_as_busy, "a CPU is wrongly counted as busy or idle", 0, 0, BY_CPU},
    {busy, count_busy_as_idle, "a CPU is wrongly counted as busy or idle", 2, 2, BY_CPU},
    {busy, hide_idle_cpu, "idle_cpus is wrong", 3, 3, BY_CPU},
    {busy, offer_busy_cpu, "idle_cpus is wrong", 2, 2, BY_CPU},
    {stranded, offer_cpu_that_is_off, "idle_cpus is wrong", 1, 1, BY_CPU},
    {busy, hide_idle_core, "idle_core_cpus is wrong", 0, 0, BY_CPU},
    {busy, offer_busy_core, "idle_core_cpus is wrong", 3, 3, BY_CPU},
    {busy, hide_sharer, "sharers is wrong", 4, 4, BY_CPU},
    {busy, line_up_single, "sharers is wrong", 2, 2, BY_CPU},

    {busy, miscount_busy, "the busy CPUs of a core are miscounted", 2, 4, BY_CPU | BY_SWAP},
    {busy, miscount_running, "the running CPUs of a core are miscounted", 0, 1, BY_CPU | BY_SWAP},
    {busy, miscount_leaving, "the leaving CPUs of a core are miscounted", 0, 1, BY_CPU | BY_SWAP},
    {busy, leave_from_idle_core, "more leave a core than are on it", 0, 0, BY_CPU | BY_SWAP},

    {busy, pause_what_runs, "a paused entity runs", 2, 2, BY_CPU | BY_SWAP | EARLY},
    {busy, forbid_what_runs, "an entity runs where it is not allowed", 2, 2,
     BY_CPU | BY_SWAP | EARLY},
    {busy, switch_cpu_off, "an entity runs where it is not allowed", 2, 2, BY_CPU | BY_SWAP},
    {busy, change_policy_to_nosmt, "two share a core under nosmt", 4, 5, BY_CPU | BY_SWAP | EARLY},
    {busy_by_core, make_strangers, "two groups share a core", 4, 5, BY_CPU | BY_SWAP | EARLY},

    {busy, stop_slices_of_idle, "a CPU that runs nothing has no slice", 0, 0, BY_CPU | EARLY},
    {busy, stop_slices, "a CPU needs slices but has none", 2, 2, BY_CPU | EARLY},
    {sharing, unpin_sharer, "a CPU needs slices but has none", 5, 5, BY_CPU | EARLY},

    {busy, miscount_queue_down, "a queue is longer than its count", 2, 4, BY_SWAP},
    {busy, queue_what_is_out, "what waits is elsewhere", 2, 4, BY_SWAP},
    {busy, queue_elsewhere, "what waits is elsewhere", 2, 4, BY_SWAP},
    {busy, queue_on_wrong_core, "what waits has the wrong core", 2, 4, BY_SWAP},
    {busy, queue_what_sleeps, "what waits is not runnable", 2, 4, BY_SWAP},
    {busy, queue_what_is_paused, "what waits is not runnable", 2, 4, BY_SWAP},
    {busy, queue_where_forbidden, "what waits is in a queue nobody serves", 2, 4, BY_SWAP},
    {busy, miscount_queue_up, "a queue is shorter than its count", 2, 4, BY_SWAP},

    {busy, let_idle_cpu_take_it, "a CPU is idle while an entity that it may run waits", 0, 0,
     EARLY},
    {busy, miscount_waiting, "the waiting entities are miscounted", NO_CPU, 0, 0},

    {busy, miscount_low_digit, "the CPUs with a load are miscounted", 1, 0, 0},
    {busy, miscount_high_digit, "the CPUs with a load are miscounted", 0, 0, 0},
    {busy, use_empty_low_digit, "a load is misfiled", 5, 0, 0},
    {busy, forget_high_digit, "a load is misfiled", 0, 0, 0},
    {busy, mistake_load, "a CPU has the wrong load", 4, 0, 0},
    {stranded, load_what_is_off, "a CPU has the wrong load", 1, 0, 0},
    {busy, misfile_low_digit, "a queue is misfiled", 4, 0, 0},
    {busy, misfile_high_digit, "a queue is misfiled", 4, 0, 0},
    {busy, file_low_digit_twice, "CPUs are filed under two loads", CPUS, 0, 0},
    {busy, file_high_digit_twice, "CPUs are filed under two loads", CPUS, 0, 0},
    {busy, miscount_filed, "CPUs are filed under two loads", CPUS, 0, 0},

    {busy, await_nobody, "a CPU awaits what nobody was asked for", NO_CPU, 0, 0},
    {busy, list_stray_sharer, "a CPU is listed as sharing and does not", NO_CPU, 0, 0},
    {busy, list_sharer_elsewhere, "a CPU that shares its core is not listed", NO_CPU, 0, 0},
    {stranded, forget_stranded, "what is stranded is elsewhere", NO_CPU, 0, 0},
    {stranded, strand_needlessly, "an entity is stranded although a CPU may run it", NO_CPU, 0, 0},
};

#define ROWS (sizeof rows / sizeof rows[0])

/* ---- Tests ---- */

static void assert_found(const struct row *row, struct check_result result)
{
    if (result.what == NULL)
        print_message("not found: %s\n", row->what);
    assert_non_null(result.what);
    assert_string_equal(result.what, row->what);
    assert_int_equal(result.cpu, row->where);
}

static void assert_well(struct check_result result)
{
    if (result.what != NULL)
        print_message("%s (%d)\n", result.what, (int)result.cpu);
    assert_null(result.what);
}

static void test_what_dispatch_makes_is_well(void **state)
{
    static void (*const set_ups[])(void) = {busy, busy_by_core, claimed, sharing, asked, stranded};

    (void)state;
    for (uint32_t i = 0; i < sizeof set_ups / sizeof set_ups[0]; i++) {
        set_ups[i]();
        assert_well(check_sched(&sched, NULL));
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            assert_well(check_cpu(&sched, cpu, NULL));
            assert_well(check_swap(&sched, cpu));
        }
        settle();
        assert_well(check_sched(&sched, NULL));
    }
}

static void test_each_broken_rule_is_found(void **state)
{
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        row->set_up();
        assert_well(check_sched(&sched, NULL));
        row->damage();
        assert_found(row, check_sched(&sched, NULL));
    }
}

static void test_cpu_finds_what_concerns_it(void **state)
{
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        struct row here = *row;

        if ((row->found & BY_CPU) == 0)
            continue;
        row->set_up();
        row->damage();
        if ((row->found & EARLY) != 0)
            here.where = row->cpu; /* of two on a core each finds it itself */
        assert_found(&here, check_cpu(&sched, row->cpu, NULL));
    }
}

static void test_swap_finds_what_it_may_have_done(void **state)
{
    (void)state;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        struct row here = *row;

        if ((row->found & BY_SWAP) == 0)
            continue;
        row->set_up();
        row->damage();
        if ((row->found & EARLY) != 0)
            here.where = row->cpu;
        assert_found(&here, check_swap(&sched, row->cpu));
    }
}

static void test_only_some_may_be_so_until_a_cpu_has_looked(void **state)
{
    struct bitmap told;

    (void)state;
    bitmap_set_first(&told, CPUS);
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        row->set_up();
        row->damage();
        if ((row->found & EARLY) != 0)
            assert_well(check_sched(&sched, &told));
        else if (row->damage != switch_cpu_off)
            assert_found(row, check_sched(&sched, &told));
    }
}

static void test_kick_under_way_is_as_good_as_one_that_was_sent(void **state)
{
    (void)state;
    busy();
    pause_what_runs();
    bitmap_set(&sched.kicks, 2);
    assert_well(check_sched(&sched, NULL));
    busy();
    let_idle_cpu_take_it();
    bitmap_set(&sched.kicks, 1); /* not the one that could take it */
    assert_non_null(check_sched(&sched, NULL).what);
    bitmap_set(&sched.kicks, 0);
    assert_well(check_sched(&sched, NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_dispatch_makes_is_well),
        cmocka_unit_test(test_each_broken_rule_is_found),
        cmocka_unit_test(test_cpu_finds_what_concerns_it),
        cmocka_unit_test(test_swap_finds_what_it_may_have_done),
        cmocka_unit_test(test_only_some_may_be_so_until_a_cpu_has_looked),
        cmocka_unit_test(test_kick_under_way_is_as_good_as_one_that_was_sent),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
