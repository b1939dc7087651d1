/*
 * A lock for short sections. The holder keeps interrupts off, so that an interrupt on the same CPU
 * can not wait for it. Lock order, outermost first: placement, then locks of cores (both in
 * kernel/sched_lock.c), watch (kernel/sched_watch.c), log (kernel/log.c). Who holds no placement
 * lock holds the lock of one core at most. Memory (kernel/memory.c) is on its own: it is never
 * taken inside of another, nor is another taken inside of it. Sleepers and traces have no lock:
 * they belong to their CPU.
 */
#ifndef KERNEL_SPINLOCK_H
#define KERNEL_SPINLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/arch.h"

struct spinlock {
    const char *name;
    uint32_t owner_plus_1; /* [a] 0: free, else the owner's CPU index + 1 */
};

#define SPINLOCK(lock_name)                    \
    {                                          \
        .name = (lock_name), .owner_plus_1 = 0 \
    }

/* Tries once, for `self`, which is the CPU that calls. Interrupts must be off. */
static inline bool spinlock_try(struct spinlock *lock, const struct cpu *self)
{
    uint32_t expected = 0;
    return __atomic_compare_exchange_n(&lock->owner_plus_1, &expected, self->cpu + 1, false,
                                       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* The same until it succeeds. Interrupts must stay off until spinlock_release. */
static inline void spinlock_acquire_for(struct spinlock *lock, const struct cpu *self)
{
    while (!spinlock_try(lock, self))
        while (__atomic_load_n(&lock->owner_plus_1, __ATOMIC_RELAXED) != 0)
            arch_relax();
}

static inline void spinlock_acquire(struct spinlock *lock)
{
    spinlock_acquire_for(lock, arch_this_cpu());
}

static inline void spinlock_release(struct spinlock *lock)
{
    __atomic_store_n(&lock->owner_plus_1, 0, __ATOMIC_RELEASE);
}

/* True if the CPU that calls holds the lock; for assertions. */
static inline bool spinlock_held(const struct spinlock *lock)
{
    return __atomic_load_n(&lock->owner_plus_1, __ATOMIC_RELAXED) == arch_this_cpu()->cpu + 1;
}

/* The two together with saving the interrupt state. */
static inline bool spinlock_acquire_irq(struct spinlock *lock)
{
    bool were_on = arch_irq_save();
    spinlock_acquire(lock);
    return were_on;
}

static inline void spinlock_release_irq(struct spinlock *lock, bool were_on)
{
    spinlock_release(lock);
    arch_irq_restore(were_on);
}

#endif
