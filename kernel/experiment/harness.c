#include "kernel/experiment/harness.h"

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/host.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define RESULT_TEXT_BYTES (2 * TASK_RESULT_BYTES + 1)
#define CPU_LIST_BYTES 128

struct harness_totals harness_totals;
uint32_t harness_solo_us;
struct work harness_md5;
const struct work harness_hog = {.name = "hog", .program = "hog"};

uint32_t harness_to_us(uint64_t ns)
{
    return (uint32_t)div_u64_u32(ns, NS_PER_US, NULL);
}

/* ---- Starting and waiting ---- */

/* Tasks are dealt to the groups that trust each other in turn. */
static void deal(struct run *run, struct task *task)
{
    task->entity.group = run->next_group++ % main_options.groups;
}

bool harness_add(struct run *run, struct variant *variant, struct work *work,
                 const struct bitmap *affinity)
{
    struct task *task;

    if (run->group_count == RUN_MAX_GROUP)
        return false;
    task = work_task(work, affinity);
    if (task == NULL)
        return false;
    deal(run, task);
    run->group[run->group_count++] = (struct run_task){task, work, variant};
    return true;
}

void harness_start(struct run *run)
{
    /* Nothing is written to slow outputs while something is measured. */
    log_defer(true);
    for (uint32_t i = 0; i < run->group_count; i++)
        sched_start(run->group[i].task);
}

void harness_start_in_turn(struct run *run, uint32_t at_once)
{
    uint32_t started = 0, ends_before = sched_ends();

    log_defer(true);
    while (started < run->group_count) {
        uint32_t seen = sched_ends();

        if (started - (seen - ends_before) < at_once)
            sched_start(run->group[started++].task);
        else
            sched_wait(seen, UINT64_MAX);
    }
}

void harness_wait_for(struct task *const *tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t seen = sched_ends();

        if (sched_has_ended(tasks[i]))
            i++;
        else
            sched_wait(seen, UINT64_MAX);
    }
}

struct task *harness_start_background(struct run *run, const struct work *work,
                                      const struct bitmap *affinity)
{
    struct task *task = work_task(work, affinity);

    if (task != NULL) {
        deal(run, task);
        sched_start(task);
    }
    return task;
}

bool harness_stop_background(struct task *task)
{
    bool at_work = !sched_has_ended(task);

    sched_kill(task);
    task_destroy(task);
    return at_work;
}

void harness_sleep_us(uint32_t us)
{
    uint64_t deadline = arch_now_ns() + (uint64_t)us * NS_PER_US;

    while (arch_now_ns() < deadline)
        sched_wait(sched_ends(), deadline);
}

/* ---- Reporting on tasks ---- */

static void result_text(const struct task *task, char *text)
{
    format_buffer(text, RESULT_TEXT_BYTES, "-"); /* of one that was ended by a fault */
    for (unsigned i = 0; i < task->result_bytes; i++)
        format_buffer(text + 2 * i, 3, "%02x", task->result[i]);
}

static void cpu_list(const struct bitmap *set, char *text)
{
    size_t length = 0;

    text[0] = '\0';
    BITMAP_FOR_EACH(cpu, set)
    {
        if (length >= CPU_LIST_BYTES - 8)
            break; /* a task that has been everywhere: the first ones will do */
        length +=
            format_buffer(text + length, CPU_LIST_BYTES - length, length == 0 ? "%u" : ",%u", cpu);
    }
}

static void print_task(const struct run *run, const struct run_task *entry, bool ok,
                       const char *clean_key)
{
    const struct task *task = entry->task;
    const struct sched_entity *e = &task->entity;
    char result[RESULT_TEXT_BYTES], list[CPU_LIST_BYTES];
    const char *variant_key = entry->variant->is_part           ? " part="
                              : entry->variant->name[0] != '\0' ? " variant="
                                                                : "";

    result_text(task, result);
    cpu_list(&e->ran_on, list);
    log_print("task: experiment=%s sched=%s round=%u task=\"%s\" pid=%u cpus=%s wall_us=%u "
              "run_us=%u wait_us=%u blocked_us=%u shared_us=%u stalled_us=%u switches=%u "
              "migrations=%u sibling_migrations=%u group=%u digest=%s ok=%d%s%s%s\n",
              run->experiment->name, run->policy->name, run->round, task->name, task->pid, list,
              harness_to_us(task->end_ns - task->start_ns), harness_to_us(e->run_ns),
              harness_to_us(e->wait_ns), harness_to_us(e->blocked_ns), harness_to_us(e->shared_ns),
              harness_to_us(task->stalled_ns), e->switches, e->migrations, e->sibling_migrations,
              e->group, result, ok, variant_key, entry->variant->name, clean_key);
}

static void account(struct run *run, const struct run_task *entry, bool ok)
{
    const struct sched_entity *e = &entry->task->entity;

    run->ended++;
    run_add_accounts(entry->variant, e->run_ns, e->wait_ns, e->shared_ns);
    harness_totals.tasks++;
    harness_totals.faults += entry->task->faulted;
    if (!ok) {
        run->failed++;
        harness_totals.failed++;
    }
}

static void take_samples(struct run *run, const struct run_task *entry)
{
    const struct task *task = entry->task;

    run_add_sample(run, entry->variant, SERIES_TIME, harness_to_us(task->end_ns - task->start_ns));
    run_add_sample(run, entry->variant, SERIES_WAIT, harness_to_us(task->entity.wait_ns));
}

static void wait_for_group(struct run *run)
{
    for (uint32_t i = 0; i < run->group_count; i++)
        harness_wait_for(&run->group[i].task, 1);
}

static uint32_t finish(struct run *run, bool sample)
{
    uint64_t first = UINT64_MAX, last = 0;
    const char *clean_key;

    wait_for_group(run);
    clean_key = host_ask(run->experiment->name, run->policy->name, run->round);
    for (uint32_t i = 0; i < run->group_count; i++) {
        const struct run_task *entry = &run->group[i];
        struct task *task = entry->task;
        bool ok = work_is_right(entry->work, task);

        if (task->start_ns < first)
            first = task->start_ns;
        if (task->end_ns > last)
            last = task->end_ns;
        if (sample)
            take_samples(run, entry);
        account(run, entry, ok);
        print_task(run, entry, ok, clean_key);
        task_destroy(task);
    }
    run->group_count = 0;
    log_defer(false);
    log_flush();
    return last > first ? harness_to_us(last - first) : 0;
}

uint32_t harness_finish(struct run *run)
{
    return finish(run, false);
}

uint32_t harness_finish_with_samples(struct run *run)
{
    struct variant *variant = run->group_count > 0 ? run->group[0].variant : NULL;
    uint32_t makespan = finish(run, true);

    if (variant != NULL)
        run_add_sample(run, variant, SERIES_MAKESPAN, makespan);
    return makespan;
}
