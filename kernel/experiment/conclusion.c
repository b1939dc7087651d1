#include "kernel/experiment/conclusion.h"

#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/findings.h"
#include "kernel/experiment/places.h"
#include "kernel/experiment/say.h"
#include "kernel/experiment/table.h"
#include "kernel/log.h"
#include "kernel/main.h"

void conclusion_print_question(void)
{
    uint32_t cpus_here = places_cpu_count(), cores = places_core_count();

    log_print("\nThis machine has %u logical CPUs on %u cores. ", cpus_here, cores);
    if (cpus_here == cores)
        log_print("Each CPU is a core of its own, so\nnobody has to share; scheduling by cores "
                  "should make no difference.\n");
    else
        log_print("CPUs of one core share what\nis inside it, so two tasks on one core run slower "
                  "than on two cores. How much\nslower, and which scheduler knows?\n");
    log_print("naive: all CPUs are alike, an idle one is drawn.\n"
              "smt:   idle cores first, then idle threads; sharing is shared.\n\n");
}

/* Two tasks and room for both: did the policy see it? */
static void conclude_pair(const char *policy)
{
    const struct table_row *pair = table_find("pair", policy, "");

    if (pair == NULL || places_core_count() < 2)
        return;
    if (!pair->has_shared)
        log_print("- %s never put two tasks on one core while another was idle", policy);
    else if (pair->shared_percent == 0)
        log_print("- %s had two tasks share a core, with another idle, for less than 1 %%\n"
                  "  of their time",
                  policy);
    else
        log_print("- %s had two tasks share a core, with another idle, for %u %% of their time",
                  policy, pair->shared_percent);
    log_print(pair->reliable ? ".\n" : "\n  (but its times are not to be relied on).\n");
}

/* What a second thread costs the first, against waiting for one's turn. */
static void conclude_siblings(void)
{
    const struct table_row *siblings = findings_row("siblings", ""), *same;

    if (siblings == NULL || !siblings->reliable)
        return;
    same = table_find("same_cpu", siblings->policy->name, "");
    say_hundredths("- Sharing a core costs a task ", siblings->ratio.median,
                   " times its time alone");
    if (same != NULL && same->reliable)
        say_hundredths(",\n  taking turns on one CPU ", same->ratio.max, "");
    log_print(".\n");
}

/* What was measured with all CPUs at work, by a policy that uses them all; or NULL. */
static const struct table_row *all_at_work(void)
{
    const struct table_row *fill = findings_row("fill", "");

    return fill != NULL && fill->ratio.median != 0 && fill->tasks >= places_cpu_count() ? fill
                                                                                        : NULL;
}

static void conclude_fill(void)
{
    const struct table_row *fill = all_at_work(), *batches;

    if (fill == NULL || !fill->reliable || places_cpu_count() == places_core_count())
        return;
    batches = table_find("fill", fill->policy->name, "batches");
    if (batches == NULL)
        return;
    log_print("- %u tasks took ", fill->tasks);
    say_hundredths("", fill->ratio.median, " solo times all at once,\n  ");
    say_hundredths("", batches->ratio.median, " in batches of one a core: ");
    if (fill->ratio.median * 105ull < batches->ratio.median * 100ull)
        log_print("second threads are\n  worth having. Keep all CPUs busy, cores first.\n");
    else if (batches->ratio.median * 105ull < fill->ratio.median * 100ull)
        log_print("here second threads do harm.\n");
    else
        log_print("here second threads bring nothing.\n");
}

/* What all logical CPUs together are worth, in CPUs that have a core to themselves. */
static void print_capacity(void)
{
    const struct table_row *fill = all_at_work();
    uint32_t hundredths;

    if (fill == NULL)
        return;
    hundredths = fill->tasks * 10000 / fill->ratio.median;
    log_print("capacity: logical=%u cores=%u measured=%u.%02u reliable=%d\n", places_cpu_count(),
              places_core_count(), hundredths / 100, hundredths % 100, fill->reliable);
}

void conclusion_print(void)
{
    for (unsigned i = 0; i < main_options.sched.count; i++)
        conclude_pair(main_options.sched.names[i]);
    conclude_siblings();
    conclude_fill();
    findings_print();
    print_capacity();
}
