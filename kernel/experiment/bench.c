#include "kernel/experiment/bench.h"

#include <stddef.h>

#include "kernel/arch.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/places.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define CALLS 2000u
#define SPIN_ROUNDS 50000000u /* of two instructions: many slices */
#define SHORT_SLICE_US 1000u
#define BENCH_SLEEP_US 100u /* as user/bench.c sleeps */
#define CREATIONS 64u
#define LOOKS 1000000u /* at the clock, until the timer fires: many slices */

static uint32_t per_call(uint64_t ticks, uint32_t calls)
{
    return (uint32_t)div_u64_u32(ticks + calls / 2, calls, NULL);
}

static void report(const char *what, uint32_t instructions)
{
    log_print("bench: what=%s instructions=%u\n", what, instructions);
}

static struct task *create(const char *kind, uint32_t times, const struct bitmap *where)
{
    char count[12];
    const char *const argv[] = {"bench", kind, count, NULL};
    const char *const short_argv[] = {"bench", NULL};

    format_buffer(count, sizeof count, "%u", times);
    return task_create(program_find("bench"), "bench", times == 0 ? short_argv : argv, where);
}

/* Runs tasks to their ends; each one's own time, or its first stamp, goes to ticks[]. */
static void run_all(struct task **tasks, uint32_t count, uint64_t (*ticks)[2])
{
    for (uint32_t i = 0; i < count; i++)
        sched_start(tasks[i]);
    harness_wait_for(tasks, count);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(ticks[i], tasks[i]->result, sizeof ticks[i]);
        task_destroy(tasks[i]);
    }
}

/* The time of one task that does `times` things alone on its CPU. */
static uint64_t time_alone(const char *kind, uint32_t times, const struct bitmap *where)
{
    struct task *task = create(kind, times, where);
    uint64_t ticks[1][2];

    if (task == NULL)
        return 0;
    run_all(&task, 1, ticks);
    return ticks[0][1] - ticks[0][0];
}

/* The time from the first start to the last end of two tasks on the same CPU. */
static uint64_t time_together(const char *first, uint32_t first_times, const char *second,
                              uint32_t second_times, const struct bitmap *where)
{
    struct task *tasks[2] = {create(first, first_times, where),
                             create(second, second_times, where)};
    uint64_t ticks[2][2], start, end;

    if (tasks[0] == NULL || tasks[1] == NULL)
        return 0;
    run_all(tasks, 2, ticks);
    start = ticks[0][0] < ticks[1][0] ? ticks[0][0] : ticks[1][0];
    end = ticks[0][1] > ticks[1][1] ? ticks[0][1] : ticks[1][1];
    return end - start;
}

/* What it costs to go on with the other task at the end of a slice. A task that has its CPU to
 * itself has no slices, and is what two of them are compared with. */
static void bench_slice_tick(const struct bitmap *where)
{
    uint64_t alone = time_alone("spin", SPIN_ROUNDS, where), together, slices;

    sched_set_slice(SHORT_SLICE_US);
    together = time_together("spin", SPIN_ROUNDS, "spin", SPIN_ROUNDS, where);
    sched_set_slice(main_options.slice_us);
    slices = div_u64_u32(arch_ticks_to_ns(together), SHORT_SLICE_US * NS_PER_US, NULL);
    /* With a CPU that has nothing to do the queues are not equal, and others' may be looked at. */
    report(places_cpu_count() == 1 ? "slice_tick" : "slice_tick_uneven",
           together <= 2 * alone ? 0 : per_call(together - 2 * alone, (uint32_t)slices));
}

/* What a task stands still for when the timer interrupts it and there is nothing to decide. The CPU
 * has been passed on early, so that its new slice goes on when the timer, which is not set anew
 * each time, fires for the end of the old one. */
static uint64_t time_idle_tick(const struct bitmap *where)
{
    struct task *tasks[2] = {create("yield", 1, where), create("tick", LOOKS, where)};
    uint64_t ticks[2][2];

    if (tasks[0] == NULL || tasks[1] == NULL)
        return 0;
    run_all(tasks, 2, ticks);
    return ticks[1][1] - ticks[1][0];
}

static void bench_idle_tick(const struct bitmap *where)
{
    uint64_t sum = 0;

    sched_set_slice(SHORT_SLICE_US);
    for (uint32_t i = 0; i < CREATIONS; i++)
        sum += time_idle_tick(where);
    sched_set_slice(main_options.slice_us);
    report("idle_tick", per_call(sum, CREATIONS));
}

/* Going to sleep and waking up on a CPU that halts meanwhile: what a sleep takes too long. */
static void bench_sleep_wake(const struct bitmap *where)
{
    uint64_t ticks = time_alone("sleep", CALLS, where);
    uint64_t slept_ns = (uint64_t)CALLS * BENCH_SLEEP_US * NS_PER_US;
    uint64_t slept_ticks = mul_div_u64(slept_ns, ticks, arch_ticks_to_ns(ticks));

    report("sleep_wake", ticks <= slept_ticks ? 0 : per_call(ticks - slept_ticks, CALLS));
}

static void bench_create_exit(const struct bitmap *where)
{
    uint64_t start = arch_ticks();

    for (uint32_t i = 0; i < CREATIONS; i++) {
        struct task *task = create("stamp", 0, where);
        uint64_t ticks[1][2];

        if (task == NULL)
            return;
        run_all(&task, 1, ticks);
    }
    report("create_exit", per_call(arch_ticks() - start, CREATIONS));
}

/* From the decision to start a task until its first instruction on another CPU, which halts. */
static void bench_wake_remote(const struct bitmap *where)
{
    uint64_t sum = 0;

    for (uint32_t i = 0; i < CREATIONS; i++) {
        struct task *task = create("stamp", 0, where);
        uint64_t ticks[1][2], start;

        if (task == NULL)
            return;
        harness_sleep_us(1000); /* the other CPU has gone to sleep by then */
        start = arch_ticks();
        run_all(&task, 1, ticks);
        sum += ticks[0][0] - start;
    }
    report("wake_remote", per_call(sum, CREATIONS));
}

void bench_run(void)
{
    struct bitmap one = {{0}}, all = places_all(), last = {{0}};
    uint32_t other = bitmap_first(&all);

    bitmap_set(&one, other);
    sched_use(&policy_smt, main_options.seed);
    report("null_syscall", per_call(time_alone("cpu", CALLS, &one), CALLS));
    report("yield_alone", per_call(time_alone("yield", CALLS, &one), CALLS));
    report("yield_round_trip",
           per_call(time_together("yield", CALLS, "yield", CALLS, &one), CALLS));
    bench_slice_tick(&one);
    bench_idle_tick(&one);
    bench_sleep_wake(&one);
    bench_create_exit(&one);
    BITMAP_FOR_EACH(cpu, &all)
    {
        other = cpu;
    }
    bitmap_set(&last, other);
    if (other != bitmap_first(&all))
        bench_wake_remote(&last);
    bench_scale();
}
