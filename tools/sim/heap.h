/*
 * What happens next: a heap of events, at most one for each number, whose times can be changed.
 * Events at the same time come in the order of their numbers, so a run can be repeated exactly.
 */
#ifndef TOOLS_SIM_HEAP_H
#define TOOLS_SIM_HEAP_H

#include <stdint.h>

#define HEAP_NEVER UINT64_MAX

struct heap {
    uint64_t *times;    /* by number; HEAP_NEVER: not in the heap */
    uint32_t *order;    /* numbers, as a binary heap */
    uint32_t *position; /* where a number is in `order` */
    uint32_t length;
};

/* A heap for the numbers 0..count-1. Ends the program if there is no memory. */
void heap_init(struct heap *heap, uint32_t count);
void heap_free(struct heap *heap);

/* Sets the time of an event; HEAP_NEVER removes it. */
void heap_set(struct heap *heap, uint32_t number, uint64_t time);

/* The number of the first event, which is removed, and its time; HEAP_NEVER if there is none. */
uint32_t heap_take(struct heap *heap, uint64_t *time);

#endif
