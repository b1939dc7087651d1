/* Which experiments are run, under which policies, in which order. */
#include "kernel/experiment/experiment.h"

#include <stddef.h>

#include "kernel/experiment/bench.h"
#include "kernel/experiment/conclusion.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/report.h"
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

static const struct sched_policy *find_policy(const char *name)
{
    for (const struct sched_policy *const *policy = sched_policies; *policy != NULL; policy++)
        if (strcmp((*policy)->name, name) == 0)
            return *policy;
    return NULL;
}

static void begin(const struct experiment *experiment, const struct sched_policy *policy)
{
    memset(&run, 0, sizeof run);
    run.experiment = experiment;
    run.policy = policy;
    random_seed(&run.random, main_options.seed);
    sched_use(policy, main_options.seed);
}

static void perform_round(const struct experiment *experiment, const struct sched_policy *policy)
{
    trace_begin_round(experiment->name, policy->name, run.round);
    experiment->round(&run);
    trace_end_round(run.round == main_options.rounds);
}

static void perform(const struct experiment *experiment, const struct sched_policy *policy)
{
    const char *why = "";

    begin(experiment, policy);
    run.tasks = experiment->prepare(&run, &why);
    if (run.tasks == 0) {
        log_print("skip: experiment=%s sched=%s reason=\"%s\"\n", experiment->name, policy->name,
                  why);
        return;
    }
    report_run(&run);
    for (run.round = 1; run.round <= main_options.rounds; run.round++)
        perform_round(experiment, policy);
    if (experiment->finish != NULL)
        experiment->finish(&run);
    trace_dump();
    report_result(&run);
    harness_totals.experiments++;
}

/* The first run warms up caches, and an emulator's translated code; its time is not used. */
static void warm_up(void)
{
    struct bitmap everywhere = harness_all_cpus();

    begin(&experiments[0], find_policy("smt"));
    if (harness_add(&run, &everywhere)) {
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

void experiments_run(void)
{
    bool any = false, solo_asked = false;

    if (bench_is_asked_for())
        bench_run();
    for (const struct experiment *e = experiments; e->name != NULL; e++)
        any = any || is_asked_for(e);
    if (!any)
        return;
    conclusion_print_question();
    harness_self_test();
    warm_up();
    solo_asked = is_asked_for(&experiments[0]);
    for (unsigned i = 0; i < main_options.sched.count; i++) {
        const struct sched_policy *policy = find_policy(main_options.sched.names[i]);

        for (const struct experiment *e = experiments; e->name != NULL; e++) {
            /* All ratios are to the solo time, so that one is measured in any case. */
            bool needed = e == &experiments[0] && !solo_asked && i == 0;
            if (is_asked_for(e) || needed)
                perform(e, policy);
        }
    }
    report_table();
}
