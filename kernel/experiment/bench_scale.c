/*
 * What the scheduler's decisions cost on machines of many CPUs with many tasks: the same functions
 * that schedule this machine, on a state made up for a larger one. Declared in bench.h.
 */
#include <stddef.h>

#include "kernel/arch.h"
#include "kernel/experiment/bench.h"
#include "kernel/lib/clock_math.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/panic.h"
#include "kernel/sched/dispatch.h"

#define MAX_TASKS 4000u
#define DECISIONS 1024u

/* What is measured, on made-up time: a slice passes between two decisions. */
struct scale {
    struct sched sched;
    struct cpu_place places[MAX_CPUS];
    struct sched_entity entities[MAX_TASKS];
};

#define SCALE_PAGES ((sizeof(struct scale) + PAGE_BYTES - 1) / PAGE_BYTES)

static void answer_kicks(struct sched *sched)
{
    for (uint32_t cpu; (cpu = bitmap_first(&sched->kicks)) != BITMAP_NONE;) {
        bitmap_clear(&sched->kicks, cpu);
        dispatch_next(sched, cpu, sched->now_ns, DISPATCH_KICK);
    }
}

/* `cpu_total` CPUs, two on a core, and `tasks` tasks, all of them awake. */
static void build(struct scale *scale, uint32_t cpu_total, uint32_t tasks)
{
    struct bitmap all;

    bitmap_set_first(&all, cpu_total);
    for (uint32_t cpu = 0; cpu < cpu_total; cpu++)
        scale->places[cpu] = (struct cpu_place){.core = (uint16_t)(cpu / 2)};
    dispatch_init(&scale->sched, scale->places, cpu_total, &all, 1, 0);
    dispatch_set_policy(&scale->sched, &policy_smt, 0);
    answer_kicks(&scale->sched);
    for (uint32_t i = 0; i < tasks; i++) {
        entity_init(&scale->entities[i], &all);
        dispatch_wake(&scale->sched, &scale->entities[i], i);
        answer_kicks(&scale->sched);
    }
}

/* The first CPU from `cpu` on that runs something; one always does, since most tasks are awake.
 * Only such a CPU has slices that end, and a task that can block. */
static uint32_t running_from(const struct scale *scale, uint32_t cpu)
{
    for (uint32_t i = 0; i < scale->sched.cpu_count; i++) {
        uint32_t candidate = (cpu + i) % scale->sched.cpu_count;

        if (scale->sched.cpus[candidate].current != NULL)
            return candidate;
    }
    panic("bench", "no task runs");
}

/* The end of a slice, on one running CPU after the other, as kernel/sched.c decides it. Where there
 * are more cores than tasks it would not come, and finds nothing to do. */
static uint64_t time_slice_ends(struct scale *scale)
{
    uint64_t sum = 0;
    uint32_t cpu = 0;

    for (uint32_t i = 0; i < DECISIONS; i++) {
        uint64_t now = scale->sched.now_ns + NS_PER_MS, start;

        cpu = running_from(scale, cpu);
        start = arch_ticks();
        if (dispatch_swap(&scale->sched, cpu, now, DISPATCH_SLICE_END) == NULL)
            dispatch_next(&scale->sched, cpu, now, DISPATCH_SLICE_END);
        sum += arch_ticks() - start;
        scale->sched.now_ns = now;
        answer_kicks(&scale->sched);
        cpu++;
    }
    return sum;
}

/* One that runs blocks, and is woken again. */
static uint64_t time_wakes(struct scale *scale)
{
    uint64_t sum = 0;
    uint32_t cpu = 0;

    for (uint32_t i = 0; i < DECISIONS; i++) {
        struct sched_entity *entity;
        uint64_t now = scale->sched.now_ns + NS_PER_MS, start;

        cpu = running_from(scale, cpu);
        entity = scale->sched.cpus[cpu].current;
        dispatch_next(&scale->sched, cpu, now, DISPATCH_BLOCK);
        answer_kicks(&scale->sched);
        start = arch_ticks();
        dispatch_wake(&scale->sched, entity, now);
        sum += arch_ticks() - start;
        answer_kicks(&scale->sched);
        cpu++;
    }
    return sum;
}

static void report(const char *what, uint32_t cpu_total, uint32_t tasks, uint64_t ticks)
{
    log_print("bench: what=%s cpus=%u tasks=%u instructions=%u\n", what, cpu_total, tasks,
              (uint32_t)div_u64_u32(ticks, DECISIONS, NULL));
}

void bench_scale(void)
{
    static const uint32_t cpu_totals[] = {1, 4, 16, 255}, tasks[] = {10, 100, 1000, MAX_TASKS};
    struct scale *scale = memory_allocate(SCALE_PAGES);

    if (scale == NULL) {
        log_warning("bench", "no memory for %u pages: nothing on large machines",
                    (unsigned)SCALE_PAGES);
        return;
    }
    for (unsigned c = 0; c < sizeof cpu_totals / sizeof cpu_totals[0]; c++)
        for (unsigned t = 0; t < sizeof tasks / sizeof tasks[0]; t++) {
            build(scale, cpu_totals[c], tasks[t]);
            report("dispatch", cpu_totals[c], tasks[t], time_slice_ends(scale));
            report("place", cpu_totals[c], tasks[t], time_wakes(scale));
        }
    memory_free(scale, SCALE_PAGES);
}
