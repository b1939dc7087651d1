/* Which experiments are run, under which policies, in which order; and their rounds. */
#include "kernel/experiment/experiment.h"

#include <stddef.h>

#include "kernel/experiment/bench.h"
#include "kernel/experiment/conclusion.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/host.h"
#include "kernel/experiment/report.h"
#include "kernel/experiment/table.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/trace_dump.h"

static struct run run; /* too big for a stack; one at a time */

static bool is_asked_for(const struct experiment *experiment)
{
    for (unsigned i = 0; i < main_options.run.count; i++) {
        const char *name = main_options.run.names[i];

        if (strcmp(name, experiment->name) == 0 || strcmp(name, "all") == 0 ||
            (strcmp(name, "demo") == 0 && experiment->in_demo))
            return true;
    }
    return false;
}

static void begin(const struct experiment *experiment, const struct sched_policy *policy)
{
    memset(&run, 0, sizeof run);
    run.experiment = experiment;
    run.policy = policy;
    random_seed(&run.random, main_options.seed);
    sched_use(policy, main_options.seed);
}

/* ---- Rounds ---- */

static void take_verdict(enum host_verdict verdict)
{
    run.rounds.clean += verdict != HOST_DISTURBED;
    run.rounds.disturbed += verdict == HOST_DISTURBED;
    run.rounds.unknown += verdict == HOST_UNKNOWN;
    if (verdict == HOST_DISTURBED)
        run_spoil_round(&run);
    report_round(&run, verdict != HOST_DISTURBED);
}

static void do_round(void)
{
    uint64_t forced_idle_before = sched_forced_idle_ns();

    trace_begin_round(run.experiment->name, run.policy->name, run.round);
    run.experiment->round(&run);
    run.forced_idle_ns += sched_forced_idle_ns() - forced_idle_before;
    take_verdict(host_end_round());
    trace_end_round(!rounds_go_on(&run.rounds));
}

static void do_rounds(void)
{
    run.rounds.wanted = main_options.rounds;
    for (run.round = 1; rounds_go_on(&run.rounds); run.round++)
        do_round();
    run.round--; /* those that were done */
    run.clean_only = rounds_suffice(&run.rounds);
}

static void perform(const struct experiment *experiment, const struct sched_policy *policy)
{
    const char *why = "";

    begin(experiment, policy);
    run.tasks = experiment->prepare(&run, &why);
    if (run.tasks == 0) {
        report_skip(&run, "", why);
        return;
    }
    report_run(&run);
    do_rounds();
    if (experiment->finish != NULL)
        experiment->finish(&run);
    trace_dump();
    report_results(&run);
    harness_totals.experiments++;
}

/* ---- All of them ---- */

/* The first run in a boot warms up caches, and an emulator's translated code; its time is not used.
 * Other programs than md5 are run alone before they are measured, see work_measure. */
static void warm_up(void)
{
    struct bitmap everywhere = places_all();

    begin(&exp_solo, &policy_smt);
    if (harness_add(&run, run_add_variant(&run, "", 1), &harness_md5, &everywhere)) {
        trace_begin_round(run.experiment->name, run.policy->name, run.round);
        harness_start(&run);
        harness_finish(&run);
        trace_end_round(false);
    }
}

static bool bench_is_asked_for(void)
{
    for (unsigned i = 0; i < main_options.run.count; i++)
        if (strcmp(main_options.run.names[i], "bench") == 0)
            return true;
    return false;
}

static void run_all_asked_for(const struct sched_policy *policy, bool solo_needed)
{
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        if (is_asked_for(*e) || (solo_needed && *e == &exp_solo))
            perform(*e, policy);
}

void experiments_run(void)
{
    bool any = false;

    if (bench_is_asked_for())
        bench_run();
    for (const struct experiment *const *e = experiments; *e != NULL; e++)
        any = any || is_asked_for(*e);
    if (!any)
        return;
    harness_md5 = work_md5(main_options.blocks);
    conclusion_print_question();
    harness_self_test();
    warm_up();
    /* All ratios are to the solo time, so that one is measured in any case. */
    for (unsigned i = 0; i < main_options.sched.count; i++)
        run_all_asked_for(sched_policy_find(main_options.sched.names[i]), i == 0);
    host_report();
    table_print();
    conclusion_print();
}
