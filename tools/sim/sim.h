/*
 * A simulated machine under the kernel's own scheduler: discrete events, integer arithmetic. Work
 * is counted in units (units.h) of which every task does a whole number in a nanosecond, however
 * slowed down. The only rounding: what ends between two nanoseconds ends at the second.
 *
 * The simulator does what kernel/sched.c does: slices, kicks, sleep. A context switch takes no
 * time; a kick takes as long as it is told to.
 */
#ifndef TOOLS_SIM_SIM_H
#define TOOLS_SIM_SIM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "kernel/sched/policy.h"
#include "tools/sim/heap.h"
#include "tools/sim/machine.h"

#define SIM_KINDS 4
#define SIM_MAX_RATIO 100             /* of slowdowns and speeds */
#define SIM_MAX_NS ((1ull << 52) - 1) /* 52 days: the times of all CPUs add up in 64 bits */

/* Work done; see tools/sim/units.h. */
typedef unsigned __int128 sim_units;

struct sim_ratio {
    uint32_t numerator, denominator;
};

/* A task: what it is to do, and how far it is. */
struct sim_task {
    uint64_t arrive_ns;
    uint64_t work_ns;            /* at the speed of a core of its own */
    uint64_t burst_ns, sleep_ns; /* sleeps so long after so much work; burst 0: never */
    uint32_t kind;               /* row and column of the slowdowns */
    uint32_t group;
    struct bitmap affinity;

    struct sched_entity entity;
    sim_units done;
    sim_units goal;   /* it sleeps or ends when it has done so many */
    uint64_t wake_ns; /* of the first wake-up: when it really arrived */
    uint64_t end_ns;
    bool ended;
    uint32_t traced_switches, traced_cpu; /* of its last dispatch, for the trace */
};

enum sim_action_type { SIM_PAUSE, SIM_RESUME, SIM_PIN, SIM_OFF, SIM_ON, SIM_POLICY };

/* Something done to a task or a CPU from outside. */
struct sim_action {
    uint64_t at_ns;
    enum sim_action_type type;
    uint32_t number;                   /* of the task, or the CPU */
    struct bitmap affinity;            /* SIM_PIN */
    const struct sched_policy *policy; /* SIM_POLICY */
};

struct sim_config {
    const struct machine *machine;
    const struct sched_policy *policy;
    uint64_t slice_ns;
    uint64_t kick_ns; /* how long a kick takes, up to twice that; 0: none at all */
    uint64_t seed;
    uint32_t kinds; /* at least 1 */
    /* slowdown[a][b] >= 1: of kind a beside kind b; beside several, the worst counts. */
    struct sim_ratio slowdown[SIM_KINDS][SIM_KINDS];
    struct sim_ratio efficiency_speed; /* of efficiency cores, against the others */
    struct sim_task *tasks;            /* the caller fills in the first part of each */
    uint32_t task_count;
    const struct sim_action *actions; /* in the order of their times */
    uint32_t action_count;
    uint64_t max_events; /* 0: no limit */
    FILE *trace;         /* NULL: none; see trace.h */
    /* Called after every step with the CPUs whose kick is under way; false ends the run. */
    bool (*observe)(void *context, const struct sched *sched, const struct bitmap *kicked);
    void *context;
    /* Called around each call of the scheduler that the run makes. `swapper` is the CPU that has
     * called dispatch_swap, or NO_CPU if it was something else. */
    void (*before)(const struct sim_config *config, struct sched *sched);
    void (*after)(const struct sim_config *config, const struct sched *sched, uint32_t swapper);
};

/* What a run came to. */
struct sim_outcome {
    bool finished;     /* all tasks ended; else something went on for ever, or stopped */
    const char *limit; /* which limit ended the run, or NULL */
    uint64_t events;
    uint64_t end_ns;      /* when the last event was */
    uint64_t makespan_ns; /* from the first arrival to the last end; 0 if none has ended */
    uint64_t forced_idle_ns;
};

/* NULL for NULL. */
static inline struct sim_task *sim_task_of(struct sched_entity *entity)
{
    return entity == NULL ? NULL : LIST_ENTRY(entity, struct sim_task, entity);
}

/* Whether the work of the tasks can be counted: see units_choose. */
bool sim_fits(const struct sim_config *config);

/* Runs a configuration that fits to the end, or SIM_MAX_NS. The entities and accounts of the tasks
 * are filled in. */
struct sim_outcome sim_run(const struct sim_config *config);

/* One slowdown for all, the whole machine, 10 ms slices, and nothing else. */
void sim_defaults(struct sim_config *config, const struct machine *machine,
                  struct sim_ratio slowdown);

#endif
