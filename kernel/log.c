#include "kernel/log.h"

#include <stdarg.h>

#include "kernel/arch.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/spinlock.h"

#define LOG_RING_BYTES (128u * 1024) /* a power of two */

static struct spinlock log_lock = SPINLOCK("log");
static char ring[LOG_RING_BYTES];     /* guarded by log_lock, like all below */
static uint32_t ring_head, ring_tail; /* bytes ever written in, and out */
static bool log_deferred;
static bool panicking;
static struct log_counts counts;

static void write_out(void)
{
    while (ring_tail != ring_head) {
        uint32_t start = ring_tail % LOG_RING_BYTES;
        uint32_t length = ring_head - ring_tail;

        if (length > LOG_RING_BYTES - start)
            length = LOG_RING_BYTES - start;
        arch_console_write(ring + start, length);
        ring_tail += length;
    }
}

static void append(const char *text, size_t length_bytes)
{
    if (length_bytes > LOG_RING_BYTES - (ring_head - ring_tail))
        write_out(); /* late output beats lost output */
    if (length_bytes > LOG_RING_BYTES) {
        counts.lost_bytes += (uint32_t)(length_bytes - LOG_RING_BYTES);
        length_bytes = LOG_RING_BYTES;
    }
    for (size_t i = 0; i < length_bytes; i++)
        ring[ring_head++ % LOG_RING_BYTES] = text[i];
}

void log_write(const char *text, size_t length_bytes)
{
    bool were_on = arch_irq_save();

    if (!panicking)
        spinlock_acquire(&log_lock);
    append(text, length_bytes);
    if (!log_deferred)
        write_out();
    if (!panicking)
        spinlock_release(&log_lock);
    arch_irq_restore(were_on);
}

void log_sink(void *unused, const char *text, size_t length_bytes)
{
    (void)unused;
    log_write(text, length_bytes);
}

static void print_v(const char *fmt, va_list arguments)
{
    char line[LOG_LINE_BYTES];
    size_t length = format_buffer_v(line, sizeof line, fmt, arguments);

    if (length >= sizeof line) {
        __atomic_fetch_add(&counts.lost_bytes, length - (sizeof line - 1), __ATOMIC_RELAXED);
        length = sizeof line - 1;
        line[length - 1] = '\n';
    }
    log_write(line, length);
}

void log_print(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    print_v(fmt, arguments);
    va_end(arguments);
}

/* `what` comes from format strings of our own but may contain firmware's text: no quotes inside. */
static void print_problem(const char *tag, const char *where, const char *fmt, va_list arguments)
{
    char what[256];

    format_buffer_v(what, sizeof what, fmt, arguments);
    for (char *c = what; *c != '\0'; c++)
        if (*c == '"' || *c < ' ' || *c > '~')
            *c = '\'';
    log_print("%s: where=%s what=\"%s\"\n", tag, where, what);
}

void log_warning(const char *where, const char *fmt, ...)
{
    va_list arguments;

    __atomic_fetch_add(&counts.warnings, 1, __ATOMIC_RELAXED);
    va_start(arguments, fmt);
    print_problem("warning", where, fmt, arguments);
    va_end(arguments);
}

void log_error(const char *where, const char *fmt, ...)
{
    va_list arguments;

    __atomic_fetch_add(&counts.errors, 1, __ATOMIC_RELAXED);
    va_start(arguments, fmt);
    print_problem("error", where, fmt, arguments);
    va_end(arguments);
}

void log_warnings(const struct warning_list *list)
{
    for (unsigned i = 0; i < list->count; i++)
        log_warning(list->entries[i].where, "%s (0x%x)", list->entries[i].what,
                    list->entries[i].value);
    if (list->dropped > 0)
        log_warning("log", "%u more warnings of this kind", list->dropped);
}

void log_defer(bool deferred)
{
    bool were_on = spinlock_acquire_irq(&log_lock);
    log_deferred = deferred;
    spinlock_release_irq(&log_lock, were_on);
}

void log_flush(void)
{
    bool were_on = spinlock_acquire_irq(&log_lock);
    write_out();
    spinlock_release_irq(&log_lock, were_on);
}

void log_panic_mode(void)
{
    panicking = true;
    log_deferred = false;
}

struct log_counts log_counts(void)
{
    return counts;
}
