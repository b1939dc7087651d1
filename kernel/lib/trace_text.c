#include "kernel/lib/trace_text.h"

#include "kernel/lib/format.h"

/* What `other` and the text are called in the record of each kind; NULL: it has none. */
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

size_t trace_format(char *buffer, size_t size, uint32_t cpu, const struct trace_event *event,
                    const char *text)
{
    size_t length = format_buffer(buffer, size, "trace: cpu=%u ns=%llu event=%s", cpu,
                                  (unsigned long long)event->ns, kinds[event->kind].name);

    if (event->pid != 0)
        length += format_buffer(buffer + length, size - length, " pid=%u", event->pid);
    if (kinds[event->kind].other != NULL && event->other != TRACE_ABSENT)
        length += format_buffer(buffer + length, size - length, " %s=%u", kinds[event->kind].other,
                                event->other);
    if (kinds[event->kind].text != NULL)
        length += format_buffer(buffer + length, size - length, " %s=\"%s\"",
                                kinds[event->kind].text, text);
    return length;
}
