#include "tests/threads/trace_checks.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/arch.h"
#include "kernel/lib/options.h"
#include "kernel/memory.h"
#include "kernel/trace.h"
#include "tests/threads/machine.h"

#define PAGES 16384u /* that the machine has: enough for the largest rings */

/* What the events of one CPU have told so far. */
struct story {
    uint32_t running;  /* PID; 0: nothing */
    uint64_t since_ns; /* of the dispatch */
    bool has_left;     /* the event before was the end of a task's time here */
    uint64_t left_ns;  /* when that was */
    uint64_t ran_ns;
};

/* ---- Memory for the rings ---- */

struct memory_counts memory_counts(void)
{
    return (struct memory_counts){PAGES, PAGES};
}

void *memory_allocate(unsigned count)
{
    return aligned_alloc(PAGE_BYTES, (size_t)count * PAGE_BYTES);
}

void *memory_allocate_zeroed(unsigned count)
{
    return memset(memory_allocate(count), 0, (size_t)count * PAGE_BYTES);
}

void memory_free(void *pages, unsigned count)
{
    (void)count;
    free(pages);
}

void trace_checks_begin(void)
{
    const struct options options = {.trace = true};

    for (unsigned cpu = 0; trace_on && cpu < cpu_count; cpu++)
        free(trace_rings()[cpu].slots);
    free(trace_rings());
    trace_init(&options);
}

/* ---- The story ---- */

static void expect(bool holds, const char *what, uint32_t cpu, const struct trace_event *event)
{
    if (!holds)
        machine_fail("trace: %s: cpu %u, kind %u, pid %u, %llu ns", what, cpu, event->kind,
                     event->pid, (unsigned long long)event->ns);
}

/* What has left a CPU is followed, at the same time, by what comes or by nothing. */
static void expect_successor(const struct story *story, uint32_t cpu,
                             const struct trace_event *event)
{
    expect(event->ns == story->left_ns, "a gap after a task has left", cpu, event);
    expect(event->kind == TRACE_MIGRATE || event->kind == TRACE_DISPATCH ||
               event->kind == TRACE_IDLE,
           "nothing follows a task that has left", cpu, event);
}

static void tell(struct story *story, uint32_t cpu, const struct trace_event *event)
{
    if (story->has_left)
        expect_successor(story, cpu, event);
    story->has_left = false;
    switch (event->kind) {
    case TRACE_DISPATCH:
        expect(story->running == 0, "two tasks at a time", cpu, event);
        story->running = event->pid;
        story->since_ns = event->ns;
        break;
    case TRACE_IDLE:
        expect(story->running == 0, "idle while a task runs", cpu, event);
        break;
    case TRACE_PREEMPT:
    case TRACE_BLOCK:
    case TRACE_END:
        expect(story->running == event->pid, "a task leaves that was not there", cpu, event);
        story->running = 0;
        story->ran_ns += event->ns - story->since_ns;
        story->has_left = true;
        story->left_ns = event->ns;
        break;
    default:
        break;
    }
}

uint32_t trace_checks_end(uint64_t run_ns)
{
    uint64_t ran_ns = 0;
    uint32_t count = 0;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++) {
        struct story story = {0};
        struct trace_event event;
        char text[TRACE_TEXT_BYTES];

        while (trace_merge_next(&trace_rings()[cpu], 1, UINT64_MAX, &event, text) !=
               TRACE_NO_RING) {
            tell(&story, cpu, &event);
            count++;
        }
        if (story.running != 0 || trace_ring_drops(&trace_rings()[cpu]) > 0)
            machine_fail("trace: cpu %u: pid %u at the end, or events dropped", cpu, story.running);
        ran_ns += story.ran_ns;
    }
    if (ran_ns != run_ns)
        machine_fail("trace: tasks ran for %llu ns, by their accounts for %llu",
                     (unsigned long long)ran_ns, (unsigned long long)run_ns);
    return count;
}
