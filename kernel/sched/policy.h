/*
 * The scheduler's state and the interface between its mechanism (dispatch.c, the same for all) and
 * its policies (one file each: naive.c, smt.c). Pure: no lock, no clock, no hardware. The caller
 * (kernel/sched.c, or a simulator) holds one lock around every call and passes the time in.
 *
 * An entity is what is scheduled. It is in exactly one place: out (blocked, not started or ended),
 * queued, claimed (promised to a CPU that has not taken it yet), or running.
 */
#ifndef KERNEL_SCHED_POLICY_H
#define KERNEL_SCHED_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/lib/bitmap.h"
#include "kernel/lib/list.h"
#include "kernel/lib/random.h"
#include "kernel/machine_info.h"

#define NO_CPU UINT32_MAX

enum entity_where { ENTITY_OUT, ENTITY_QUEUED, ENTITY_CLAIMED, ENTITY_RUNNING };

struct sched_entity {
    struct list_node node;  /* in a run queue while queued */
    enum entity_where where;
    uint16_t cpu;           /* where it runs, or ran last */
    bool has_run;           /* `cpu` means something */
    uint32_t turn;          /* when it last had a core to itself, as a serial number; 0: never */
    struct bitmap affinity; /* CPUs it may run on */
    struct bitmap ran_on;   /* CPUs it has run on */

    /* Accounts. run + wait + blocked is the time since the first wake-up, to the nanosecond. */
    uint64_t since_ns;      /* when `where` last changed */
    uint64_t run_ns, wait_ns, blocked_ns;
    uint64_t shared_ns;     /* of run_ns, while another CPU of the core was running something */
    uint32_t switches;      /* times it was put on a CPU */
    uint32_t migrations;    /* of these, on another core than before */
    uint32_t sibling_migrations; /* on another CPU of the same core */
};

struct run_queue {
    struct list_node waiting;
    uint32_t length;
};

struct sched_cpu {
    struct sched_entity *current;  /* running */
    struct sched_entity *incoming; /* claimed this CPU and will run next */
    uint32_t push_to;  /* CPU that waits for `current` to be handed over, or NO_CPU */
    bool leaves;       /* ... and nothing comes back in exchange */
    bool awaits;       /* some CPU's push_to names this one: as good as busy */
    uint16_t core, cache, package; /* indices below */
    uint16_t queue;    /* the run queue it serves: one per core or per CPU, as the policy likes */
    enum cpu_type type;
};

struct sched_core {
    struct bitmap cpus;
    uint32_t busy;     /* CPUs that run, are claimed or await */
    uint32_t leaving;  /* of these, CPUs about to give away what they run */
    uint32_t running;  /* CPUs with a current entity */
    uint64_t since_ns; /* accounts of its entities are settled up to here */
};

struct sched;

struct sched_policy {
    const char *name;      /* as on the command line */
    bool queue_per_core;   /* else one per CPU */

    /* A CPU for an entity that became runnable: an idle one, which is then claimed for it, or a
     * busy one, whose queue it then joins. Only CPUs in `candidates`, which is not empty. */
    uint32_t (*place)(struct sched *sched, const struct sched_entity *entity,
                      const struct bitmap *candidates);

    /* What `cpu` shall run now. `previous` is what it has been running when its slice ended, or
     * NULL if it has nothing. Returns an entity taken off a queue, `previous`, or NULL for idle. */
    struct sched_entity *(*pick)(struct sched *sched, uint32_t cpu, struct sched_entity *previous,
                                 uint64_t now_ns);
};

extern const struct sched_policy policy_naive, policy_smt;

/* All policies, ended by NULL. */
extern const struct sched_policy *const sched_policies[];

struct sched {
    const struct sched_policy *policy;
    uint32_t cpu_count;
    struct bitmap usable;         /* CPUs that may run anything */
    struct bitmap idle_cpus;      /* usable, not busy */
    struct bitmap idle_core_cpus; /* usable CPUs of cores in which nothing is busy */
    struct bitmap shared_cpus;    /* CPUs of cores in which two or more are, and stay, busy */
    struct bitmap performance;    /* CPUs that are not of the efficiency type */
    struct bitmap kicks;          /* out: CPUs that must call dispatch_next soon */
    struct bitmap waiting_queues; /* queues that are not empty */
    uint32_t waiting;             /* entities in all queues */
    uint32_t turns;               /* serial numbers given out */
    bool kick_sharers;            /* also kick CPUs whose core began or ceased to be shared */
    struct random random;
    struct sched_cpu cpus[MAX_CPUS];
    struct sched_core cores[MAX_CPUS];
    struct bitmap caches[MAX_CPUS], packages[MAX_CPUS]; /* CPUs in each */
    struct run_queue queues[MAX_CPUS];
};

#endif
