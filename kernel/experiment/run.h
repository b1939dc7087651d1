/*
 * One experiment under one policy: what it measures, kept apart by variant (what is compared with
 * what within the experiment), and the figures that come of it.
 */
#ifndef KERNEL_EXPERIMENT_RUN_H
#define KERNEL_EXPERIMENT_RUN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/random.h"
#include "kernel/lib/rounds.h"
#include "kernel/lib/stats.h"
#include "kernel/sched.h"

#define RUN_MAX_SAMPLES 16384
#define RUN_MAX_GROUP 512
#define RUN_MAX_VARIANTS 20
#define RUN_NAME_BYTES 24
#define RUN_KEYS_BYTES 192

struct experiment;
struct work;

/* What a sample is a sample of. */
enum series {
    SERIES_TIME,     /* what the variant is about: its times and ratios; microseconds, as are all */
    SERIES_MAKESPAN, /* from the first start of a round to its last end */
    SERIES_WAIT,     /* runnable, but not running */
    SERIES_RESPONSE, /* mean of a round's tasks, start to end */
    SERIES_SWITCHES, /* of a round's tasks together; a count */
    SERIES_WARM,     /* a pass over a working set that is in the caches */
    SERIES_SECOND,   /* the second pass after a move */
};

/* How samples of one kind are expected to lie. */
enum spread_rule {
    SPREAD_EQUAL, /* all about equal */
    SPREAD_DRAWN, /* where the policy draws, of two kinds, equal within each; else all equal */
    SPREAD_TURNS, /* who goes first ends a slice earlier; equal is when all have ended */
    SPREAD_ANY,   /* they depend on the moment */
};

/* What some emulators lack. */
enum hardware {
    HARDWARE_ANY,
    HARDWARE_CACHES,
    HARDWARE_PIPELINES, /* that overlap instructions, and units that two threads can share */
};

struct variant {
    char name[RUN_NAME_BYTES]; /* variant= of its records; "": the experiment has only one kind */
    char keys[RUN_KEYS_BYTES]; /* more keys for its `result:` record, as they are printed */
    const char *row;           /* its name in the closing table; NULL: it is not there */
    const char *article;       /* the article's figure, for the closing table */
    uint32_t busy;             /* CPUs that have something to do, if there are so many */
    uint32_t slice_us;
    const struct work *solo_of; /* that work, if it is measured all along; NULL: solo_us says it */
    uint32_t solo_us;           /* what its ratios are to: the same work alone */
    uint32_t per_us;            /* its samples and solo_us count so many to the microsecond */
    const char *own_problem;    /* why it means nothing on this machine, or NULL */
    enum spread_rule spread;
    enum hardware needs; /* what its numbers mean nothing without */
    bool is_part;        /* a comparison within another variant's record, without its own */

    uint64_t run_ns, wait_ns, shared_ns;        /* of all its tasks */
    uint32_t tasks, tasks_alone, tasks_sharing; /* and how they ran: run_add_accounts */

    /* What came of it: run_evaluate. */
    struct stats times, ratio;
    uint32_t samples, makespan_us, spread_percent, shared_percent;
    const char *unreliable; /* why, or NULL */
};

/* A task that an experiment has added, and what is to be made of it. */
struct run_task {
    struct task *task;
    struct work *work;
    struct variant *variant;
};

struct run_sample {
    uint32_t value;
    uint16_t round;
    uint8_t variant;
    uint8_t series : 7;
    bool unclean : 1;
};

struct run {
    const struct experiment *experiment;
    const struct sched_policy *policy;
    uint32_t tasks; /* that run at the same time */
    uint32_t round;
    struct rounds rounds;
    struct random random; /* draws of the experiment, not of the policy */

    struct run_task group[RUN_MAX_GROUP]; /* added and not yet finished */
    uint32_t group_count;
    uint32_t next_group; /* of tasks that trust each other: they are dealt in turn */

    struct variant variants[RUN_MAX_VARIANTS];
    uint32_t variant_count;
    struct run_sample samples[RUN_MAX_SAMPLES];
    uint32_t sample_count, samples_dropped;
    bool clean_only; /* samples of rounds that were disturbed are not used */
    uint64_t forced_idle_ns;
    uint32_t ended, failed;
};

/* Adds a variant whose tasks keep `busy` CPUs busy; its ratios are to the solo time of md5 -t. */
struct variant *run_add_variant(struct run *run, const char *name, uint32_t busy);

/* Appends a key to the variant's record. */
__attribute__((format(printf, 2, 3))) void run_add_key(struct variant *variant, const char *fmt,
                                                       ...);

void run_add_sample(struct run *run, const struct variant *variant, enum series series,
                    uint32_t value);

/* Adds an ended task's accounts to its variant's, and counts it: as one that was alone on its core
 * for next to all of its running time, as one that shared it for most of that, or as neither. */
void run_add_accounts(struct variant *variant, uint64_t run_ns, uint64_t wait_ns,
                      uint64_t shared_ns);

/* Marks the samples of the round in progress as disturbed by something else. */
void run_spoil_round(struct run *run);

/* Copies a variant's samples of one kind, sorted, to an array of the module's own, good until the
 * next call. */
const uint32_t *run_sorted(const struct run *run, const struct variant *variant, enum series series,
                           uint32_t *count);

/* The median of these, and their mean; 0 without any. */
uint32_t run_median(const struct run *run, const struct variant *variant, enum series series);
uint32_t run_mean(const struct run *run, const struct variant *variant, enum series series);

/* Fills in what came of every variant. */
void run_evaluate(struct run *run);

#endif
