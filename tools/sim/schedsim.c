/*
 * schedsim: runs the kernel's scheduling policies, the same sources, on a simulated machine, and
 * prints `task:` and `result:` records as the kernel does. Status 0 if all tasks ended, 1 if not or
 * if a check failed, 2 if called wrongly.
 */
#include <stdlib.h>
#include <string.h>

#include "kernel/lib/clock_math.h"
#include "kernel/lib/stats.h"
#include "tools/sim/options.h"
#include "tools/sim/trace.h"
#include "tools/sim/watch.h"

struct totals {
    uint32_t *samples_us, *makespans_us;
    uint32_t sample_count, makespan_count, unfinished, broken;
    uint64_t run_ns, shared_ns, forced_idle_ns, events;
    uint32_t migrations;
};

static uint32_t to_us(uint64_t ns)
{
    return (uint32_t)(ns / NS_PER_US);
}

static void print_cpus(const struct bitmap *set)
{
    const char *comma = "";

    BITMAP_FOR_EACH(cpu, set)
    {
        printf("%s%u", comma, cpu);
        comma = ",";
    }
    if (*comma == '\0')
        printf("none");
}

static void print_task(const struct sim_config *config, uint32_t round, uint32_t number)
{
    const struct sim_task *task = &config->tasks[number];
    const struct sched_entity *e = &task->entity;

    printf("task: experiment=schedsim sched=%s round=%u task=\"task %u\" pid=%u cpus=",
           config->policy->name, round, number, number + 1);
    print_cpus(&e->ran_on);
    printf(" wall_us=%u run_us=%u wait_us=%u blocked_us=%u shared_us=%u switches=%u migrations=%u "
           "sibling_migrations=%u ok=%d\n",
           task->ended ? to_us(task->end_ns - task->wake_ns) : 0, to_us(e->run_ns),
           to_us(e->wait_ns), to_us(e->blocked_ns), to_us(e->shared_ns), e->switches, e->migrations,
           e->sibling_migrations, task->ended);
}

static void add(struct totals *totals, const struct sim_config *config,
                const struct sim_outcome *outcome)
{
    for (uint32_t i = 0; i < config->task_count; i++) {
        const struct sim_task *task = &config->tasks[i];

        totals->run_ns += task->entity.run_ns;
        totals->shared_ns += task->entity.shared_ns;
        totals->migrations += task->entity.migrations;
        totals->unfinished += !task->ended;
        if (task->ended)
            totals->samples_us[totals->sample_count++] = to_us(task->end_ns - task->wake_ns);
    }
    totals->makespans_us[totals->makespan_count++] = to_us(outcome->makespan_ns);
    totals->forced_idle_ns += outcome->forced_idle_ns;
    totals->events += outcome->events;
}

static void print_ratio(const char *key, uint32_t part, uint32_t whole)
{
    uint32_t percent = stats_percent(part, whole);

    printf(" %s=%u.%02u", key, percent / 100, percent % 100);
}

static void print_result(const struct sim_options *options, struct totals *totals)
{
    const struct sim_config *config = &options->config;
    struct stats times = stats_of(totals->samples_us, totals->sample_count);
    struct stats makespans = stats_of(totals->makespans_us, totals->makespan_count);
    uint32_t solo = to_us(config->tasks[0].work_ns);

    printf("result: experiment=schedsim sched=%s tasks=%u rounds=%u solo_us=%u min_us=%u "
           "median_us=%u max_us=%u makespan_us=%u makespan_max_us=%u",
           config->policy->name, config->task_count, options->rounds, solo, times.min, times.median,
           times.max, makespans.median, makespans.max);
    print_ratio("ratio_min", times.min, solo);
    print_ratio("ratio_median", times.median, solo);
    print_ratio("ratio_max", times.max, solo);
    print_ratio("ratio_makespan", makespans.median, solo);
    printf(" shared_percent=%u migrations=%u forced_idle_us=%u failed=%u slice_us=%u topology=%s "
           "events=%llu reliable=1\n",
           stats_percent(totals->shared_ns, totals->run_ns), totals->migrations,
           to_us(totals->forced_idle_ns), totals->unfinished, to_us(config->slice_ns),
           options->topology, (unsigned long long)totals->events);
}

static struct sim_outcome run_watched(struct sim_options *options, struct totals *totals)
{
    struct watch watch;
    struct sim_outcome outcome;
    const char *what;

    watch_init(&watch, &options->config);
    outcome = sim_run(&options->config);
    what = watch_verdict(&watch, &outcome);
    if (what != NULL) {
        printf("error: where=sched what=\"%s\" ns=%llu\n", what, (unsigned long long)watch.at_ns);
        totals->broken++;
    }
    watch_free(&watch);
    return outcome;
}

static uint64_t last_end_ns(const struct sim_config *config)
{
    uint64_t last = 0;

    for (uint32_t i = 0; i < config->task_count; i++)
        if (config->tasks[i].ended && config->tasks[i].end_ns > last)
            last = config->tasks[i].end_ns;
    return last;
}

static void run_all(struct sim_options *options, struct totals *totals)
{
    for (uint32_t round = 1; round <= options->rounds; round++) {
        struct sim_outcome outcome;

        sim_trace_begin(&options->config, round);
        outcome = options->check ? run_watched(options, totals) : sim_run(&options->config);
        sim_trace_end(&options->config, last_end_ns(&options->config), outcome.finished);
        for (uint32_t i = 0; i < options->config.task_count; i++)
            print_task(&options->config, round, i);
        add(totals, &options->config, &outcome);
        options->config.seed++;
    }
}

static uint32_t *allocate(size_t count)
{
    uint32_t *numbers = calloc(count, sizeof *numbers);

    if (numbers == NULL) {
        fprintf(stderr, "schedsim: no memory\n");
        exit(2);
    }
    return numbers;
}

int main(int argc, char **argv)
{
    struct sim_options options;
    struct totals totals = {0};

    sim_options_read(argc, argv, &options);
    if (options.trace != NULL && (options.config.trace = fopen(options.trace, "w")) == NULL) {
        perror(options.trace);
        return 2;
    }
    totals.samples_us = allocate((size_t)options.rounds * options.config.task_count);
    totals.makespans_us = allocate(options.rounds);
    run_all(&options, &totals);
    print_result(&options, &totals);
    if (options.config.trace != NULL)
        fclose(options.config.trace);
    free(totals.samples_us);
    free(totals.makespans_us);
    sim_options_free(&options);
    return totals.unfinished == 0 && totals.broken == 0 ? 0 : 1;
}
