#include "kernel/trace.h"

#include "kernel/arch.h"
#include "kernel/lib/options.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/sched.h"

#define RING_PAGES_MAX 256u /* 65536 events */
#define MEMORY_SHARE 4u     /* rings take at most this part of what is free */

bool trace_on;
static struct trace_ring *rings; /* [I] cpu_count of them; each is its CPU's and the reader's */

/* ---- Memory ---- */

static uint32_t pages_for(uint32_t bytes)
{
    return (bytes + PAGE_BYTES - 1) / PAGE_BYTES;
}

static bool is_injected(const struct options *options)
{
    for (uint32_t i = 0; i < options->inject.count; i++)
        if (strcmp(options->inject.names[i], "small_trace") == 0)
            return true;
    return false;
}

/* A power of two. */
static uint32_t choose_ring_pages(const struct options *options)
{
    uint32_t share = memory_counts().free_pages / MEMORY_SHARE / cpu_count;
    uint32_t pages = is_injected(options) ? 1 : RING_PAGES_MAX;

    while (pages > 1 && pages > share)
        pages /= 2;
    return pages;
}

static bool allocate_rings(uint32_t pages)
{
    rings = memory_allocate_zeroed(pages_for(cpu_count * sizeof *rings));
    for (unsigned i = 0; rings != NULL && i < cpu_count; i++) {
        union trace_slot *slots = memory_allocate(pages);

        if (slots == NULL)
            return false;
        trace_ring_init(&rings[i], slots, pages * PAGE_BYTES / sizeof *slots);
    }
    return rings != NULL;
}

static void free_rings(uint32_t pages)
{
    for (unsigned i = 0; rings != NULL && i < cpu_count; i++)
        memory_free(rings[i].slots, pages);
    memory_free(rings, pages_for(cpu_count * sizeof *rings));
    rings = NULL;
}

void trace_init(const struct options *options)
{
    uint32_t pages;

    if (!options->trace)
        return;
    pages = choose_ring_pages(options);
    trace_on = allocate_rings(pages);
    if (trace_on)
        return;
    free_rings(pages);
    log_warning("trace", "no memory for %u pages for each CPU: nothing is traced", pages);
}

struct trace_ring *trace_rings(void)
{
    return rings;
}

/* ---- Events ---- */

_Static_assert((uint16_t)NO_CPU == TRACE_ABSENT, "no CPU is no CPU in an event, too");

static void record(unsigned cpu, uint64_t now_ns, enum trace_kind kind, uint32_t pid,
                   uint32_t other, const char *text)
{
    struct trace_event event = {
        .ns = now_ns, .pid = pid, .other = (uint16_t)other, .kind = (uint8_t)kind};

    trace_ring_push(&rings[cpu], &event, text);
}

/* Why a task has been taken off its CPU. */
static enum trace_kind end_of_run(const struct task *task, enum dispatch_event event)
{
    if (event == DISPATCH_BLOCK)
        return task->state == TASK_ENDED ? TRACE_END : TRACE_BLOCK;
    return task->entity.paused ? TRACE_BLOCK : TRACE_PREEMPT;
}

static void record_dispatch(unsigned cpu, struct task *task)
{
    uint64_t now_ns = task->entity.since_ns;
    uint32_t from = task->traced.switches == 0 ? TRACE_ABSENT : task->traced.cpu;

    if (from != TRACE_ABSENT && sched_core_of(from) != sched_core_of(cpu))
        record(cpu, now_ns, TRACE_MIGRATE, task->pid, from, NULL);
    record(cpu, now_ns, TRACE_DISPATCH, task->pid, from, NULL);
    task->traced.switches = task->entity.switches;
    task->traced.cpu = cpu;
}

void trace_record_decision(unsigned cpu, struct task *before, struct task *after,
                           enum dispatch_event event)
{
    /* What was taken off and put back within one decision has been dispatched again. */
    bool dispatched = after != NULL && after->entity.switches != after->traced.switches;
    /* A task that another CPU has sent here by a clock ahead of ours begins when ours is there. */
    bool gap = dispatched && before != NULL && after->entity.since_ns > before->entity.since_ns;

    if (before != NULL && (before != after || dispatched))
        record(cpu, before->entity.since_ns, end_of_run(before, event), before->pid, TRACE_ABSENT,
               NULL);
    if (gap || (before != NULL && after == NULL))
        record(cpu, before->entity.since_ns, TRACE_IDLE, 0, TRACE_ABSENT, NULL);
    if (dispatched)
        record_dispatch(cpu, after);
}

void trace_record_wake(unsigned cpu, uint64_t now_ns, const struct sched *sched,
                       const struct task *task)
{
    if (!task->entity.has_run)
        record(cpu, now_ns, TRACE_START, task->pid, TRACE_ABSENT, task->name);
    record(cpu, now_ns, TRACE_WAKE, task->pid, dispatch_place_of(sched, &task->entity), NULL);
}

/* For what happens between two readings of the scheduler's clock. That may be ahead of this CPU's
 * own. */
static uint64_t record_here(enum trace_kind kind, uint32_t pid, uint32_t other, const char *text)
{
    unsigned cpu = arch_this_cpu()->cpu;
    uint64_t now = arch_now_ns();

    if (now < rings[cpu].last_ns)
        now = rings[cpu].last_ns;
    record(cpu, now, kind, pid, other, text);
    return now;
}

void trace_record_now(enum trace_kind kind, uint32_t pid, uint32_t other)
{
    record_here(kind, pid, other, NULL);
}

uint64_t trace_mark(const char *text)
{
    bool were_on = arch_irq_save();
    uint64_t now = trace_on ? record_here(TRACE_MARK, 0, TRACE_ABSENT, text) : 0;

    arch_irq_restore(were_on);
    return now;
}
