/*
 * schedsim: runs the kernel's scheduling policies, the same sources, on a simulated machine, and
 * prints `task:` and `result:` records as the kernel does. Status 0 if all tasks ended, 1 if not or
 * if a check failed or a limit was reached, 2 if called wrongly or if it cannot write.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lib/clock_math.h"
#include "tools/sim/options.h"
#include "tools/sim/trace.h"
#include "tools/sim/watch.h"

struct totals {
    uint64_t *samples_us, *makespans_us;
    size_t sample_count, makespan_count, unfinished;
    uint32_t broken;
    unsigned __int128 run_ns, shared_ns, forced_idle_ns; /* of many rounds */
    uint64_t events, migrations;
};

/* kernel/lib/stats.h is for times of at most 4295 s. */
struct times {
    uint64_t min, median, max;
};

static unsigned long long to_us(unsigned __int128 ns)
{
    return (unsigned long long)(ns / NS_PER_US);
}

static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

/* As stats_of. */
static struct times times_of(uint64_t *samples, size_t count)
{
    if (count == 0)
        return (struct times){0, 0, 0};
    qsort(samples, count, sizeof *samples, compare);
    return (struct times){samples[0], samples[(count - 1) / 2], samples[count - 1]};
}

/* 100 * part / whole, rounded to nearest; 0 if whole is 0. */
static unsigned long long percent_of(unsigned __int128 part, unsigned __int128 whole)
{
    return whole == 0 ? 0 : (unsigned long long)((200 * part / whole + 1) / 2);
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
    printf(" wall_us=%llu run_us=%llu wait_us=%llu blocked_us=%llu shared_us=%llu switches=%u "
           "migrations=%u sibling_migrations=%u ok=%d\n",
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

static void print_ratio(const char *key, uint64_t part, uint64_t whole)
{
    unsigned long long percent = percent_of(part, whole);

    printf(" %s=%llu.%02llu", key, percent / 100, percent % 100);
}

static void print_time(const char *key, uint64_t us)
{
    printf(" %s=%llu", key, (unsigned long long)us);
}

static void print_result(const struct sim_options *options, struct totals *totals)
{
    const struct sim_config *config = &options->config;
    struct times times = times_of(totals->samples_us, totals->sample_count);
    struct times makespans = times_of(totals->makespans_us, totals->makespan_count);
    unsigned long long solo = to_us(config->tasks[0].work_ns);

    printf("result: experiment=schedsim sched=%s tasks=%u rounds=%u solo_us=%llu",
           config->policy->name, config->task_count, options->rounds, solo);
    print_time("min_us", times.min);
    print_time("median_us", times.median);
    print_time("max_us", times.max);
    print_time("makespan_us", makespans.median);
    print_time("makespan_max_us", makespans.max);
    print_ratio("ratio_min", times.min, solo);
    print_ratio("ratio_median", times.median, solo);
    print_ratio("ratio_max", times.max, solo);
    print_ratio("ratio_makespan", makespans.median, solo);
    printf(" shared_percent=%llu migrations=%llu forced_idle_us=%llu failed=%zu slice_us=%llu "
           "topology=%s events=%llu reliable=1\n",
           percent_of(totals->shared_ns, totals->run_ns), (unsigned long long)totals->migrations,
           to_us(totals->forced_idle_ns), totals->unfinished, to_us(config->slice_ns),
           options->topology, (unsigned long long)totals->events);
}

static void print_error(struct totals *totals, const char *what, uint64_t ns)
{
    printf("error: where=sched what=\"%s\" ns=%llu\n", what, (unsigned long long)ns);
    totals->broken++;
}

static struct sim_outcome run_watched(struct sim_options *options, struct totals *totals)
{
    struct watch watch;
    struct sim_outcome outcome;
    const char *what;

    watch_init(&watch, &options->config);
    outcome = sim_run(&options->config);
    what = watch_verdict(&watch, &outcome);
    if (what != NULL)
        print_error(totals, what, watch.what != NULL ? watch.at_ns : outcome.end_ns);
    watch_free(&watch);
    return outcome;
}

static void run_all(struct sim_options *options, struct totals *totals)
{
    for (uint32_t round = 1; round <= options->rounds; round++) {
        struct sim_outcome outcome;

        sim_trace_begin(&options->config, round);
        outcome = options->check ? run_watched(options, totals) : sim_run(&options->config);
        if (outcome.limit != NULL)
            print_error(totals, outcome.limit, outcome.end_ns);
        sim_trace_end(&options->config, outcome.end_ns, outcome.finished);
        for (uint32_t i = 0; i < options->config.task_count; i++)
            print_task(&options->config, round, i);
        add(totals, &options->config, &outcome);
        options->config.seed++;
    }
}

static uint64_t *allocate(size_t count)
{
    uint64_t *numbers = calloc(count, sizeof *numbers);

    if (numbers == NULL) {
        fprintf(stderr, "schedsim: no memory\n");
        exit(2);
    }
    return numbers;
}

/* Ends the program if what has been written to a file did not get there. */
static void finish_file(FILE *file, const char *name)
{
    bool failed = ferror(file) != 0;

    if (fclose(file) != 0 || failed) {
        fprintf(stderr, "schedsim: %s: cannot be written\n", name);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    struct sim_options options;
    struct totals totals = {0};

    sim_options_read(argc, argv, &options);
    if (options.trace != NULL && (options.config.trace = fopen(options.trace, "w")) == NULL) {
        fprintf(stderr, "schedsim: %s: cannot be written: %s\n", options.trace, strerror(errno));
        return 2;
    }
    totals.samples_us = allocate((size_t)options.rounds * options.config.task_count);
    totals.makespans_us = allocate(options.rounds);
    run_all(&options, &totals);
    print_result(&options, &totals);
    if (options.config.trace != NULL)
        finish_file(options.config.trace, options.trace);
    finish_file(stdout, "standard output");
    free(totals.samples_us);
    free(totals.makespans_us);
    sim_options_free(&options);
    return totals.unfinished == 0 && totals.broken == 0 ? 0 : 1;
}
