/*
 * The log: lines from all CPUs, whole and in order, to every console output. Text first goes to a
 * ring in memory; it is written out at once, or, while something is being measured, later.
 */
#ifndef KERNEL_LOG_H
#define KERNEL_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/lib/warnings.h"

/* One line or several; a line must end with \n to be complete. At most LOG_LINE_BYTES each call,
 * the rest is cut and counted as lost. Any context. */
#define LOG_LINE_BYTES 1024
__attribute__((format(printf, 1, 2))) void log_print(const char *fmt, ...);

/* Appends text as it is, in one piece. */
void log_write(const char *text, size_t length_bytes);

/* A text_sink (kernel/lib/format.h) that appends to the log; for records built in pieces, so the
 * caller must be the only one printing. */
void log_sink(void *unused, const char *text, size_t length_bytes);

/* A `warning:` or `error:` record; counted for the summary. */
__attribute__((format(printf, 2, 3))) void log_warning(const char *where, const char *fmt, ...);
__attribute__((format(printf, 2, 3))) void log_error(const char *where, const char *fmt, ...);

/* All entries of a decoder's list as `warning:` records. */
void log_warnings(const struct warning_list *list);

/* While deferred, text is only kept; log_flush writes it out. Outputs are slow: a line of 100
 * characters takes 9 ms at 115200 baud, which a measurement must not contain. */
void log_defer(bool deferred);
void log_flush(void);

/* For panic: write at once, without waiting for the lock of a CPU that was stopped. */
void log_panic_mode(void);

struct log_counts {
    uint32_t warnings, errors;
    uint32_t lost_bytes; /* text that found no room in the ring */
};
struct log_counts log_counts(void);

#endif
