/*
 * The mechanism under all policies: the one state machine that moves entities between queues and
 * CPUs, keeps the masks and the accounts. Which CPU and which entity is the policy's business.
 * Pure; the caller serializes all calls and passes the time. Of CPUs whose clocks differ a little,
 * accounts believe the one that is ahead. (Calls that concern one core only need less: see
 * dispatch_swap.)
 *
 * After every call the CPUs in sched->kicks have to be made to call dispatch_next(DISPATCH_KICK),
 * and the mask to be emptied, with sched->any_kicks (which, if clear, says that there are none).
 * The CPU that is calling dispatch_next is never among them. Claiming a CPU is the last step of a
 * placement and happens within the call, so two wakers can not claim the same one.
 */
#ifndef KERNEL_SCHED_DISPATCH_H
#define KERNEL_SCHED_DISPATCH_H

#include "kernel/sched/policy.h"

enum dispatch_event {
    DISPATCH_KICK,      /* look: something may have been claimed or asked for */
    DISPATCH_SLICE_END, /* the running entity's slice is over */
    DISPATCH_YIELD,     /* the running entity lets others go first */
    DISPATCH_BLOCK,     /* the running entity stops being runnable */
};

/* Builds the state for `count` CPUs at `places`, of which `usable` may be used, now or later. The
 * policy is naive until another is set. */
void dispatch_init(struct sched *sched, const struct cpu_place *places, uint32_t count,
                   const struct bitmap *usable, uint64_t seed, uint64_t now_ns);

/* Prepares an entity that may run on `affinity`, of group 0. */
void entity_init(struct sched_entity *entity, const struct bitmap *affinity);

/* Asks for `cpu` to call dispatch_next; until then dispatch_swap is not enough for it. */
static inline void dispatch_kick(struct sched *sched, uint32_t cpu)
{
    __atomic_store_n(&sched->cpus[cpu].called, true, __ATOMIC_RELAXED);
    bitmap_set(&sched->kicks, cpu);
    sched->any_kicks = true;
}

/* ---- What happens to CPUs and entities ---- */

/* The entity (blocked or new) becomes runnable; if it is paused, it will once that ends. */
void dispatch_wake(struct sched *sched, struct sched_entity *entity, uint64_t now_ns);

/* Decides what `cpu`, which calls, runs from now on; NULL: nothing. */
struct sched_entity *dispatch_next(struct sched *sched, uint32_t cpu, uint64_t now_ns,
                                   enum dispatch_event event);

/* Whether `cpu` must call DISPATCH_SLICE_END when what dispatch_next has just told it to run had
 * its slice. If the answer changes from no to yes, the CPU is kicked. */
bool dispatch_needs_slice(const struct sched *sched, uint32_t cpu);

/*
 * dispatch_next for the common case, in which nothing changes but who of the core's own runs and
 * who waits: returns what `cpu`, which calls, runs from now on, or NULL (and then nothing has
 * changed) if more is concerned or there is nothing to decide. For the end of a slice and for
 * yielding. Reads and changes only what sched_touch speaks of, so the caller needs to hold just the
 * core's lock; it need not look at sched->kicks, and dispatch_needs_slice does not change.
 */
struct sched_entity *dispatch_swap(struct sched *sched, uint32_t cpu, uint64_t now_ns,
                                   enum dispatch_event event);

/* Brings shared_ns of what runs on the CPU's core up to date; the same holds for it. */
void dispatch_settle(struct sched *sched, uint32_t cpu, uint64_t now_ns);

/* Keeps an entity from running until dispatch_resume. If it runs, its CPU is kicked and takes it
 * off then. It may block, or be woken, meanwhile. */
void dispatch_pause(struct sched *sched, struct sched_entity *entity, uint64_t now_ns);
void dispatch_resume(struct sched *sched, struct sched_entity *entity, uint64_t now_ns);

/* Changes where an entity may run. If it runs elsewhere, its CPU is kicked and takes it off then.
 */
void dispatch_set_affinity(struct sched *sched, struct sched_entity *entity,
                           const struct bitmap *affinity, uint64_t now_ns);

/* Switches a CPU, one of those dispatch_init was told to be usable, off or on again. What it runs
 * leaves when it is kicked; what can run nowhere else waits until it may. */
void dispatch_set_usable(struct sched *sched, uint32_t cpu, bool usable, uint64_t now_ns);

/* Starts to schedule by another policy. Running entities stay where they are unless the policy
 * forbids it, waiting ones join the queues anew in their old order. */
void dispatch_set_policy(struct sched *sched, const struct sched_policy *policy, uint64_t now_ns);

/* The CPU that will run an entity which waits, as far as that is known, or one that serves the
 * queue it is in; NO_CPU if it is in neither case. */
uint32_t dispatch_place_of(const struct sched *sched, const struct sched_entity *entity);

/* ---- For policies ---- */

/* Whether the entity may ever run on the CPU. */
bool dispatch_allowed(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu);

/* Whether it may do so now, with what the other CPUs of the core, which has been touched, run. */
bool dispatch_may_run(const struct sched *sched, const struct sched_entity *entity, uint32_t cpu);

/* Promises a queued entity to a CPU that is not `caller`, runs nothing and may run it. */
void dispatch_hand_over(struct sched *sched, struct sched_entity *entity, uint32_t cpu);

/* Ends the slice of what a CPU runs, or is about to. */
void dispatch_preempt(struct sched *sched, uint32_t cpu);

/* Whether `victim` runs something that could be asked for: movable, and not already promised. */
bool dispatch_can_pull(const struct sched *sched, uint32_t cpu, uint32_t victim);

/* Asks `victim` to hand what it runs over to `cpu`, which is idle and counts as busy from now on.
 * If the entity is gone by then, `cpu` is kicked instead and looks again. */
void dispatch_pull(struct sched *sched, uint32_t cpu, uint32_t victim);

/* Swaps what `cpu` and `victim` run. `cpu`, which calls, stays empty until the other half comes. */
void dispatch_exchange(struct sched *sched, uint32_t cpu, uint32_t victim);

/* Takes what `cpu` runs off it and places it anew, as if it had just woken up. */
void dispatch_replace(struct sched *sched, uint32_t cpu);

#endif
