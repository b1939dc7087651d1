/*
 * A short list of things that were odd but did not stop us. Pure code does not print: it collects
 * here, and its caller prints one `warning:` line per entry. Pure.
 */
#ifndef KERNEL_LIB_WARNINGS_H
#define KERNEL_LIB_WARNINGS_H

#include <stdint.h>

#define WARNINGS_MAX 16

struct warning {
    const char *where; /* table or leaf and field, e.g. "madt.entry.length"; static storage */
    const char *what;  /* what is wrong and what is done about it; static storage */
    uint32_t value;    /* the offending value */
};

struct warning_list {
    unsigned count;   /* entries in use */
    unsigned dropped; /* further warnings that found no room */
    struct warning entries[WARNINGS_MAX];
};

/* Appends one warning, or counts it as dropped. Never fails. */
static inline void warnings_add(struct warning_list *list, const char *where, const char *what,
                                uint32_t value)
{
    if (list->count == WARNINGS_MAX) {
        list->dropped++;
        return;
    }
    list->entries[list->count++] = (struct warning){where, what, value};
}

#endif
