/*
 * Work that tasks are given: a program of user/ with its arguments, how much of it, and what it
 * must come to. The amount of a piece of work can be fitted to a time at run time, so that every
 * experiment takes a tolerable time on every machine.
 */
#ifndef KERNEL_EXPERIMENT_WORK_H
#define KERNEL_EXPERIMENT_WORK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/bitmap.h"
#include "kernel/task.h"

#define WORK_MAX_TIMES 31

struct work {
    const char *name;        /* as the log calls a task that does it */
    const char *program;     /* in the image */
    const char *mode;        /* first argument, or NULL */
    const char *flag;        /* of the amount */
    uint32_t amount;         /* change it by work_set_amount */
    uint32_t kib;            /* size of the buffer, argument -k and arena of the task; 0: none */
    uint32_t us;             /* what it takes alone, the median so far; 0: not measured */
    uint32_t spread_percent; /* of these times */
    uint32_t alone_us[WORK_MAX_TIMES], times; /* the last ones of them, and their number */

    /* What the task must return: known beforehand, or what the first one returned. A part of it may
     * be measurements. */
    uint8_t expected[TASK_RESULT_BYTES];
    uint32_t expected_bytes;                /* 0: not known yet */
    uint32_t compared_from, compared_bytes; /* the part that must be the same; 0 bytes: all */
};

/* `md5 -t` of so many blocks. Those of OpenBSD's number have OpenBSD's digest to return. */
struct work work_md5(uint32_t blocks);

/* The other programs, with the least amount: a job of some microseconds; dependent loads through a
 * buffer of `kib` KiB; the same and MD5 in turns; integer, vector and x87 work. */
struct work work_job(void);
struct work work_chase(uint32_t kib);
struct work work_mixed(uint32_t kib);
struct work work_units(const char *program);

/* Changes how much is to be done; what is known about it is forgotten. */
void work_set_amount(struct work *work, uint32_t amount);

/* A task that will do it on the CPUs of `affinity`, not started. NULL, with an `error:` record,
 * without memory. */
struct task *work_task(const struct work *work, const struct bitmap *affinity);

/* Whether an ended task ended well and returned what it must. */
bool work_is_right(struct work *work, const struct task *task);

/* Does the work alone, unrecorded, `times` times more; work->us is the median of all. False if that
 * failed. */
bool work_measure(struct work *work, uint32_t times);

/* Sets the amount, at most `maximum`, so that the work takes about `target_us` alone, or, where the
 * program takes half of that however little it is told to do, so much longer; measures it and
 * prints a `work:` record. False, with *why, if the program cannot do it here. */
bool work_calibrate(struct work *work, uint32_t target_us, uint32_t maximum, const char **why);

#endif
