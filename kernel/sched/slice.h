/*
 * When slices end. A task's slices follow each other from when it is put on its CPU, whether or not
 * there is anybody to pass the CPU on to. While there is nobody the ends are not looked at and
 * need no timer; but who comes then waits for the next of them as if they had always been, half a
 * slice on average, and not for a whole one. Pure.
 */
#ifndef KERNEL_SCHED_SLICE_H
#define KERNEL_SCHED_SLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/clock_math.h"

struct slice {
    uint64_t end_ns; /* of the one in progress when this was last looked at */
    bool is_awaited; /* somebody has to be told when it ends */
};

/* A slice of this length begins. */
static inline void slice_begin(struct slice *slice, uint64_t now_ns, uint64_t length_ns)
{
    slice->end_ns = now_ns + length_ns;
}

/* How long the slice in progress goes on, if nobody has kept count since one ended at end_ns, or if
 * slices were longer then. */
static inline uint64_t slice_rest_ns(const struct slice *slice, uint64_t now_ns, uint64_t length_ns)
{
    uint64_t past;

    if (slice->end_ns > now_ns) {
        div_u64(slice->end_ns - now_ns - 1, length_ns, &past);
        return past + 1;
    }
    div_u64(now_ns - slice->end_ns, length_ns, &past);
    return length_ns - past;
}

/* Whether somebody waits for the end of the slice in progress. */
static inline void slice_await(struct slice *slice, bool is_awaited, uint64_t now_ns,
                               uint64_t length_ns)
{
    if (is_awaited && !slice->is_awaited)
        slice->end_ns = now_ns + slice_rest_ns(slice, now_ns, length_ns);
    slice->is_awaited = is_awaited;
}

/* When to look again; UINT64_MAX: not for the slice's sake. */
static inline uint64_t slice_deadline_ns(const struct slice *slice)
{
    return slice->is_awaited ? slice->end_ns : UINT64_MAX;
}

#endif
