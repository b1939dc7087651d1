/*
 * The scheduler's state, and the interface between its mechanism (dispatch, queue, occupancy: the
 * same for all) and its policies (one file each, named as on the command line). Pure: no lock, no
 * clock, no hardware. The caller (kernel/sched.c, or a simulator) holds one lock around every call
 * and passes the time in.
 *
 * An entity is what is scheduled. It is in exactly one place: out (blocked, paused, not started or
 * ended), queued, stranded (runnable, but no CPU it may use is on), claimed (promised to a CPU that
 * has not taken it yet), or running.
 */
#ifndef KERNEL_SCHED_POLICY_H
#define KERNEL_SCHED_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/lib/bitmap.h"
#include "kernel/lib/list.h"
#include "kernel/lib/random.h"
#include "kernel/machine_info.h"

#define NO_CPU UINT32_MAX

#define LOADS_BASE 64u        /* of the digits of a load */
#define LOADS_NONE UINT16_MAX /* of a CPU that is not usable */

enum entity_where { ENTITY_OUT, ENTITY_QUEUED, ENTITY_STRANDED, ENTITY_CLAIMED, ENTITY_RUNNING };

struct sched_entity {
    struct list_node node; /* in a run queue, or among the stranded */
    enum entity_where where;
    uint16_t core; /* while queued, claimed or running: the core it is on, whose lock guards it */
    uint16_t at;   /* the queue it is in, or the CPU it is claimed for */
    uint16_t cpu;  /* where it runs, or ran last */
    bool has_run;  /* `cpu` means something */
    bool started;  /* has been woken once: the accounts below have begun */
    bool runnable; /* woken and not blocked since; a paused one may be runnable and out */
    bool anywhere; /* `affinity` has all CPUs there are */
    bool paused;
    uint32_t group;         /* entities of one group trust each other */
    struct bitmap affinity; /* CPUs it may run on */
    struct bitmap ran_on;   /* CPUs it has run on */

    /* Accounts. run + wait + blocked is the time since the first wake-up, to the nanosecond; a
     * pause counts as blocked. */
    uint64_t since_ns; /* when `where` last changed */
    uint64_t run_ns, wait_ns, blocked_ns;
    uint64_t shared_ns;  /* of run_ns, while another CPU of the core was running something */
    uint32_t switches;   /* times it was put on a CPU */
    uint32_t migrations; /* of these, on another core than before */
    uint32_t sibling_migrations; /* on another CPU of the same core */
};

struct run_queue {
    struct list_node waiting;
    uint32_t length;
    uint32_t width; /* usable CPUs it feeds */
    uint16_t load;  /* that its CPUs are filed under */
    uint32_t turns; /* slices passed on within its core since it took something off another */
};

struct sched_cpu {
    struct sched_entity *current;  /* running */
    struct sched_entity *incoming; /* claimed this CPU and will run next */
    uint32_t push_to;              /* CPU that waits for `current` to be handed over, or NO_CPU */
    bool leaves;                   /* ... and nothing comes back in exchange */
    bool awaits;                   /* some CPU's push_to names this one: as good as busy */
    bool busy;                     /* has one of these; kept by occupancy.c */
    bool preempt;                  /* its slice is over early: somebody needs the core */
    bool called;   /* somebody wants something of it: kicked, and has not looked yet */
    uint16_t load; /* of its queue, that it is filed under */
    uint16_t core, cache, package; /* indices below */
    uint16_t queue; /* the run queue it serves: one per core or per CPU, as the policy likes */
    struct list_node sharing; /* in sched->sharers while it runs something and its core is shared */
    uint32_t next;            /* another CPU of the core, or NO_CPU: see CORE_FOR_EACH */
    enum cpu_type type;
};

struct sched_core {
    uint32_t first;          /* of its CPUs, linked by `next` */
    uint32_t busy;           /* CPUs that run, are claimed or await */
    uint32_t leaving;        /* of these, CPUs about to give away what they run */
    uint32_t running;        /* CPUs with a current entity */
    bool yielding;           /* being emptied for somebody who must not share it: exclusive.c */
    uint64_t since_ns;       /* accounts of its entities are settled up to here */
    uint64_t forced_idle_ns; /* CPU time left empty since who waits must not share the core */
};

/* Walks the CPUs of a core. */
#define CORE_FOR_EACH(number, sched, core) \
    for (uint32_t number = (core)->first; number != NO_CPU; number = (sched)->cpus[number].next)

/* CPUs by one digit of their load: see loads.h. */
struct load_digit {
    uint64_t used; /* values that any of them has */
    uint32_t counts[LOADS_BASE];
    struct bitmap cpus[LOADS_BASE];
};

struct sched;

/* Who may run on two CPUs of a core at the same time. */
enum sched_sharing { SHARING_ANY, SHARING_GROUP, SHARING_NONE };

struct sched_policy {
    const char *name;           /* as on the command line */
    bool queue_per_core;        /* else one per CPU */
    bool evens_out;             /* unequal queues are everybody's business: see dispatch_swap */
    enum sched_sharing sharing; /* kept by the mechanism, whatever the functions below say */

    /* Which of the `idle` CPUs, one at least, is claimed for an entity that became runnable. */
    uint32_t (*place)(struct sched *sched, const struct sched_entity *entity,
                      const struct bitmap *idle);

    /* If there is none: the CPU, of those it may use, whose queue it joins. */
    uint32_t (*join)(struct sched *sched, const struct sched_entity *entity,
                     const struct bitmap *allowed);

    /* What `cpu` shall run now. `previous` is what it has been running when its slice ended, or
     * NULL if it has nothing. Returns an entity taken off a queue, `previous`, or NULL for idle. */
    struct sched_entity *(*pick)(struct sched *sched, uint32_t cpu, struct sched_entity *previous);

    /* Whether pick could do anything but return `previous` at the end of a slice on `cpu`. */
    bool (*needs_slice)(const struct sched *sched, uint32_t cpu);
};

extern const struct sched_policy policy_naive, policy_smt, policy_nosmt, policy_core;

/* All policies, ended by NULL. */
extern const struct sched_policy *const sched_policies[];

/* The one of that name, or NULL. */
const struct sched_policy *sched_policy_find(const char *name);

struct sched {
    void (*touch)(uint32_t core); /* see sched_touch */
    const struct sched_policy *policy;
    uint64_t now_ns; /* of the call in progress, or the last one */
    uint32_t cpu_count;
    struct bitmap possible;       /* CPUs that may be usable, now or later */
    struct bitmap usable;         /* CPUs that may run anything */
    struct bitmap idle_cpus;      /* usable, not busy */
    struct bitmap idle_core_cpus; /* usable CPUs of cores in which nothing is busy */
    struct bitmap performance;    /* CPUs that are not of the efficiency type */
    struct bitmap kicks;          /* out: CPUs that must call dispatch_next soon */
    struct bitmap tickless;       /* CPUs that run something and were told to need no slice */
    struct bitmap stale;          /* of these, CPUs for which that may have changed */
    bool any_kicks, any_stale;    /* whether the two may be other than empty */
    bool unequal;                 /* some queues are longer than others */
    bool steep;                   /* ... by so much that each slice is worth a look at them */
    uint16_t most;                /* load of the longest */
    struct list_node sharers;     /* CPUs of shared cores, whose entity came the longest time ago
                                   * first */
    struct list_node stranded;
    uint32_t waiting;  /* entities in all queues */
    bool had_waiting;  /* when the call in progress began */
    uint32_t unfiled;  /* a queue whose length has changed since it was filed, or NO_CPU */
    bool kick_sharers; /* also kick CPUs whose core began or ceased to be shared */
    uint32_t widest;   /* width of the widest queue */
    uint32_t filed;    /* CPUs in each of the next two */
    struct load_digit load_low, load_high; /* usable CPUs by the load of their queue */
    struct random random;
    struct sched_cpu cpus[MAX_CPUS];
    struct sched_core cores[MAX_CPUS];
    struct bitmap caches[MAX_CPUS], packages[MAX_CPUS]; /* CPUs in each */
    struct run_queue queues[MAX_CPUS];
};

/*
 * To be called before anything is read or changed that a core's own CPUs change among themselves
 * (dispatch_swap): what they run, the order in the queues they serve, and the accounts of these
 * entities and of the core. The kernel locks the core until the call in progress ends; a simulator,
 * which makes one call at a time, has nothing to do.
 */
static inline void sched_touch(const struct sched *sched, uint32_t core)
{
    if (sched->touch != NULL)
        sched->touch(core);
}

/* The core whose CPUs serve a queue. */
static inline uint32_t sched_queue_core(const struct sched *sched, uint32_t queue)
{
    return sched->policy->queue_per_core ? queue : sched->cpus[queue].core;
}

#endif
