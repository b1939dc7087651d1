/*
 * Trace events as `trace:` records: docs/serial-log.md. Pure.
 */
#ifndef KERNEL_LIB_TRACE_TEXT_H
#define KERNEL_LIB_TRACE_TEXT_H

#include <stddef.h>

#include "kernel/lib/trace_ring.h"

#define TRACE_RECORD_BYTES 160 /* that the longest record fits into, terminator included */

/* Writes the record of an event of `cpu`, without the end of the line; `text` is what the event
 * says if it is of a kind that says something. Returns its length, at most size - 1. */
size_t trace_format(char *buffer, size_t size, uint32_t cpu, const struct trace_event *event,
                    const char *text);

#endif
