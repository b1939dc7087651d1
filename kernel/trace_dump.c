#include "kernel/trace_dump.h"

#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/log.h"
#include "kernel/trace.h"

#define RECORD_BYTES 160
#define AHEAD_NS NS_PER_MS /* more than other CPUs' clocks are ahead of ours */

/* What `other` is called in the record of each kind; NULL: it has none. */
static const struct {
    const char *name, *other, *text;
} kinds[TRACE_KINDS] = {
    [TRACE_START] = {"start", NULL, "task"},
    [TRACE_WAKE] = {"wake", "to", NULL},
    [TRACE_DISPATCH] = {"dispatch", "from", NULL},
    [TRACE_PREEMPT] = {"preempt", NULL, NULL},
    [TRACE_BLOCK] = {"block", NULL, NULL},
    [TRACE_END] = {"end", NULL, NULL},
    [TRACE_MIGRATE] = {"migrate", "from", NULL},
    [TRACE_IDLE] = {"idle", NULL, NULL},
    [TRACE_IPI] = {"ipi", "to", NULL},
    [TRACE_FAULT] = {"fault", "vector", NULL},
    [TRACE_MARK] = {"mark", NULL, "what"},
};

static void print_event(uint32_t cpu, const struct trace_event *event, const char *text)
{
    char line[RECORD_BYTES];
    size_t length = format_buffer(line, sizeof line, "trace: cpu=%u ns=%llu event=%s", cpu,
                                  (unsigned long long)event->ns, kinds[event->kind].name);

    if (event->pid != 0)
        length += format_buffer(line + length, sizeof line - length, " pid=%u", event->pid);
    if (kinds[event->kind].other != NULL && event->other != TRACE_ABSENT)
        length += format_buffer(line + length, sizeof line - length, " %s=%u",
                                kinds[event->kind].other, event->other);
    if (kinds[event->kind].text != NULL)
        format_buffer(line + length, sizeof line - length, " %s=\"%s\"", kinds[event->kind].text,
                      text);
    log_print("%s\n", line);
}

static void print_drops(void)
{
    for (unsigned cpu = 0; cpu < cpu_count; cpu++) {
        uint32_t dropped = trace_ring_drops(&trace_rings()[cpu]);

        if (dropped > 0)
            log_print("tracedrop: cpu=%u dropped=%u\n", cpu, dropped);
    }
}

/* One record at a time, so that the log, which is as slow as its outputs, never holds more. What
 * other CPUs go on to record meanwhile is later than until_ns, and is left for the next time. */
static void dump(uint64_t until_ns)
{
    struct trace_event event;
    char text[TRACE_TEXT_BYTES];
    uint32_t cpu;

    while ((cpu = trace_merge_next(trace_rings(), cpu_count, until_ns, &event, text)) !=
           TRACE_NO_RING)
        print_event(cpu, &event, text);
    print_drops();
}

void trace_begin_round(const char *experiment, const char *sched, uint32_t round)
{
    char what[TRACE_TEXT_BYTES];

    if (!trace_on)
        return;
    format_buffer(what, sizeof what, "%s %s round %u", experiment, sched, round);
    trace_mark(what);
}

void trace_end_round(void)
{
    if (trace_on)
        dump(trace_mark("end"));
}

void trace_dump(void)
{
    if (trace_on)
        dump(arch_now_ns() + AHEAD_NS);
}
