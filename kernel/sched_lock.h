/*
 * The scheduler's locks. Letters, as used in kernel/sched/policy.h and kernel/task.h (what
 * kernel/cpu.h has is its CPU's own, or atomic):
 *
 * [c] guarded by the lock of one core: what its CPUs run, the order in the queues they serve, the
 *     accounts of these entities. Taken alone for what concerns the core only: the end of a slice,
 *     yielding, accounts.
 * [p] guarded by the placement lock: masks of idle CPUs and cores, lengths of queues, promises
 *     between CPUs. Taken for what concerns more than one core: to place, take, pull and pause.
 * [pc] changed only with both held, so that either is enough to read.
 *
 * Who holds the placement lock also takes the locks of the cores it touches, one by one, and keeps
 * them to the end; nobody else holds more than one. So they can not wait for each other in a
 * circle. Inside of these come the watch's lock and the log's. No lock is held across a context
 * switch. Interrupts are off as long as any is held.
 */
#ifndef KERNEL_SCHED_LOCK_H
#define KERNEL_SCHED_LOCK_H

#include <stdint.h>

#include "kernel/spinlock.h"

extern struct spinlock core_locks[MAX_CPUS];

/* For what concerns one core. */
static inline void core_lock(uint32_t core)
{
    spinlock_acquire(&core_locks[core]);
}

static inline void core_unlock(uint32_t core)
{
    spinlock_release(&core_locks[core]);
}

/* For what concerns more. */
void placement_lock(void);
void placement_unlock(void);

/* Locks a core until placement_unlock, unless that is done already: struct sched's `touch`. */
void placement_touch(uint32_t core);

#endif
