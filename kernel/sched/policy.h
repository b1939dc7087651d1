/*
 * The scheduler's state, and the interface between its mechanism (dispatch, queue, occupancy: the
 * same for all) and its policies (one file each, named as on the command line). Pure: no lock, no
 * clock, no hardware. The caller (kernel/sched.c, or a simulator) sees to it that calls do not
 * disturb each other, and passes the time in.
 *
 * An entity is what is scheduled. It is in exactly one place: out (blocked, paused, not started or
 * ended), queued, stranded (runnable, but no CPU it may use is on), claimed (promised to a CPU that
 * has not taken it yet), or running.
 *
 * Letters say what guards a member in the kernel: [c] the lock of its core, [p] the placement lock,
 * [pc] both, for who changes it (kernel/sched_lock.h); [a] changed under the placement lock, but
 * atomic, since it is read without; [I] fixed once it is set up. dispatch_swap, under the lock of
 * its core alone, changes [c] only; all other calls have the placement lock, and change [c] and
 * [pc] only of cores they have touched. An entity that is out or stranded is on no core: the
 * placement lock alone guards all of it.
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
    struct list_node node;   /* [c] in a run queue, or [p] among the stranded */
    enum entity_where where; /* [c] */
    uint16_t core;  /* [pc] while queued, claimed or running: the core whose lock guards it */
    uint16_t at;    /* [c] the queue it is in, or the CPU it is claimed for */
    uint16_t cpu;   /* [c] where it runs, or ran last */
    bool has_run;   /* [c] `cpu` means something */
    bool started;   /* [pc] has been woken once: the accounts below have begun */
    bool runnable;  /* [pc] woken and not blocked since; a paused one may be runnable and out */
    bool anywhere;  /* [pc] `affinity` has all CPUs there are */
    bool paused;    /* [pc] */
    uint32_t group; /* [I] entities of one group trust each other */
    struct bitmap affinity; /* [pc] CPUs it may run on */
    struct bitmap ran_on;   /* [c] CPUs it has run on */

    /* Accounts. run + wait + blocked is the time since the first wake-up, to the nanosecond; a
     * pause counts as blocked. */
    uint64_t since_ns;        /* [c] when `where` last changed */
    uint64_t run_ns, wait_ns; /* [c] */
    uint64_t blocked_ns;      /* [p] while it is out */
    uint64_t shared_ns;  /* [c] of run_ns, while another CPU of the core was running something */
    uint32_t switches;   /* [c] times it was put on a CPU */
    uint32_t migrations; /* [c] of these, on another core than before */
    uint32_t sibling_migrations; /* [c] on another CPU of the same core */
};

/* A queue belongs to the core whose CPUs serve it: sched_queue_core. */
struct run_queue {
    struct list_node waiting; /* [c] */
    uint32_t length;          /* [pc] */
    uint32_t width;           /* [pc] usable CPUs it feeds */
    uint16_t load;            /* [p] that its CPUs are filed under */
    uint32_t turns; /* [c] slices passed on within its core since it took something off another */
};

struct sched_cpu {
    struct sched_entity *current;  /* [c] running; [pc] whether there is any */
    struct sched_entity *incoming; /* [pc] claimed this CPU and will run next */
    uint32_t push_to; /* [pc] CPU that waits for `current` to be handed over, or NO_CPU */
    bool leaves;      /* [pc] ... and nothing comes back in exchange */
    bool awaits;      /* [pc] some CPU's push_to names this one: as good as busy */
    bool busy;        /* [pc] has one of these; kept by occupancy.c */
    bool preempt;     /* [pc] its slice is over early: somebody needs the core */
    bool called;      /* [a] somebody wants something of it: kicked, and has not looked yet */
    uint16_t load;    /* [p] of its queue, that it is filed under */
    uint16_t core, cache, package; /* [I] indices below */
    uint16_t queue; /* [pc] the run queue it serves: one per core or per CPU, as the policy likes */
    struct list_node sharing; /* [p] in sched->sharers while it runs and its core is shared */
    uint32_t next;            /* [I] another CPU of the core, or NO_CPU: see CORE_FOR_EACH */
    enum cpu_type type;       /* [I] */
};

struct sched_core {
    uint32_t first;    /* [I] of its CPUs, linked by `next` */
    uint32_t busy;     /* [pc] CPUs that run, are claimed or await */
    uint32_t leaving;  /* [pc] of these, CPUs about to give away what they run */
    uint32_t running;  /* [pc] CPUs with a current entity */
    bool yielding;     /* [pc] being emptied for somebody who must not share it: exclusive.c */
    uint64_t since_ns; /* [c] accounts of its entities are settled up to here */
    uint64_t forced_idle_ns; /* [c] CPU time left empty since who waits must not share the core */
};

/* Walks the CPUs of a core. */
#define CORE_FOR_EACH(number, sched, core) \
    for (uint32_t number = (core)->first; number != NO_CPU; number = (sched)->cpus[number].next)

/* CPUs by one digit of their load: see loads.h. [p] */
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

/* Of what is [pc] here every core has to be touched. */
struct sched {
    void (*touch)(uint32_t core);      /* [I] see sched_touch */
    const struct sched_policy *policy; /* [pc] */
    uint64_t now_ns;                   /* [p] of the call in progress, or the last one */
    uint32_t cpu_count;                /* [I] */
    struct bitmap possible;            /* [I] CPUs that may be usable, now or later */
    struct bitmap usable;              /* [pc] CPUs that may run anything */
    struct bitmap idle_cpus;           /* [p] usable, not busy */
    struct bitmap idle_core_cpus;      /* [p] usable CPUs of cores in which nothing is busy */
    struct bitmap performance;         /* [I] CPUs that are not of the efficiency type */
    struct bitmap kicks;               /* [p] out: CPUs that must call dispatch_next soon */
    struct bitmap tickless;    /* [p] CPUs that run something and were told to need no slice */
    struct bitmap stale;       /* [p] of these, CPUs for which that may have changed */
    bool any_kicks, any_stale; /* [p] whether the two may be other than empty */
    bool unequal;              /* [a] some queues are longer than others */
    bool steep;                /* [a] ... by so much that each slice is worth a look at them */
    uint16_t most;             /* [a] load of the longest */
    struct list_node sharers;  /* [p] CPUs of shared cores, whose entity came the longest time ago
                                * first */
    struct list_node stranded; /* [p] */
    uint32_t waiting;          /* [p] entities in all queues */
    bool had_waiting;          /* [p] when the call in progress began */
    uint32_t unfiled;  /* [p] a queue whose length has changed since it was filed, or NO_CPU */
    bool kick_sharers; /* [I] also kick CPUs whose core began or ceased to be shared */
    uint32_t widest;   /* [p] width of the widest queue */
    uint32_t filed;    /* [p] CPUs in each of the next two */
    struct load_digit load_low, load_high; /* [p] usable CPUs by the load of their queue */
    struct random random;                  /* [p] */
    struct sched_cpu cpus[MAX_CPUS];
    struct sched_core cores[MAX_CPUS];
    struct bitmap caches[MAX_CPUS], packages[MAX_CPUS]; /* [I] CPUs in each */
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
