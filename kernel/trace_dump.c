#include "kernel/trace_dump.h"

#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/timeline.h"
#include "kernel/lib/trace_text.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/sched.h"
#include "kernel/trace.h"

#define AHEAD_NS NS_PER_MS /* more than other CPUs' clocks are ahead of ours */

static struct timeline *timeline; /* NULL: no memory for it, or nothing was printed yet */
static char round_name[TRACE_TEXT_BYTES];
static uint64_t round_begin_ns;

static void print_event(uint32_t cpu, const struct trace_event *event, const char *text)
{
    char line[TRACE_RECORD_BYTES];

    trace_format(line, sizeof line, cpu, event, text);
    log_print("%s\n", line);
}

/* True if there were any. */
static bool print_drops(void)
{
    bool any = false;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++) {
        uint32_t dropped = trace_ring_drops(&trace_rings()[cpu]);

        if (dropped > 0 && timeline != NULL)
            timeline_lost(timeline, cpu);
        if (dropped > 0)
            log_print("tracedrop: cpu=%u dropped=%u\n", cpu, dropped);
        any = any || dropped > 0;
    }
    return any;
}

/* One record at a time, so that the log, which is as slow as its outputs, never holds more. What
 * other CPUs go on to record meanwhile is later than until_ns, and is left for the next time. True
 * if events have been lost. */
static bool dump(uint64_t until_ns)
{
    struct trace_event event;
    char text[TRACE_TEXT_BYTES];
    uint32_t cpu;

    while ((cpu = trace_merge_next(trace_rings(), cpu_count, until_ns, &event, text)) !=
           TRACE_NO_RING) {
        print_event(cpu, &event, text);
        if (timeline != NULL)
            timeline_event(timeline, cpu, &event, text);
    }
    return print_drops();
}

/* ---- The picture ---- */

static void create_timeline(void)
{
    struct bitmap usable = sched_usable_cpus();

    if (timeline != NULL)
        return;
    timeline = memory_allocate((sizeof *timeline + PAGE_BYTES - 1) / PAGE_BYTES);
    if (timeline == NULL)
        return;
    timeline_init(timeline);
    BITMAP_FOR_EACH(cpu, &usable)
    {
        timeline_add_cpu(timeline, cpu, sched_core_of(cpu));
    }
}

/* When the last task ended, which is when the round was over: to say so took longer. */
static uint64_t last_end_ns(uint64_t until_ns)
{
    uint64_t last = 0;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++) {
        uint64_t ns = trace_ring_last_ns(&trace_rings()[cpu], TRACE_END, until_ns);

        if (ns > last)
            last = ns;
    }
    return last > round_begin_ns ? last : until_ns;
}

static void print_picture(bool gaps)
{
    log_print("\nTimeline of %s%s\n", round_name,
              gaps ? ", with gaps where events found no room:" : ":");
    timeline_end(timeline);
    timeline_print(timeline, log_sink, NULL);
    log_print("\n");
}

/* ---- Rounds ---- */

void trace_begin_round(const char *experiment, const char *sched, uint32_t round)
{
    if (!trace_on)
        return;
    format_buffer(round_name, sizeof round_name, "%s %s round %u", experiment, sched, round);
    round_begin_ns = trace_mark(round_name);
}

void trace_end_round(bool draw)
{
    uint64_t end_ns;
    bool gaps;

    if (!trace_on)
        return;
    end_ns = trace_mark("end");
    create_timeline();
    draw = draw && timeline != NULL;
    if (draw)
        timeline_begin(timeline, round_begin_ns, last_end_ns(end_ns));
    gaps = dump(end_ns);
    if (draw)
        print_picture(gaps);
}

void trace_dump(void)
{
    if (trace_on)
        dump(arch_now_ns() + AHEAD_NS);
}
