/*
 * States of the scheduler on a small machine, made by dispatch, for the test of its checker.
 *
 * The machine has cores 0 to 2 of two CPUs each: 0 and 1, 2 and 3, 4 and 5.
 */
#ifndef TESTS_HOST_SCHED_STATES_H
#define TESTS_HOST_SCHED_STATES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "kernel/sched/dispatch.h"

#define CPUS 6u

static struct sched sched;
static struct sched_entity single, first, second, waiter, late; /* named as in busy() */

static inline void init(const struct sched_policy *policy)
{
    struct cpu_place places[CPUS];
    struct bitmap all;

    for (uint16_t i = 0; i < CPUS; i++)
        places[i] = (struct cpu_place){
            .cpu = i, .core = i / 2, .module = i / 2, .cache = i / 2, .thread = i % 2};
    bitmap_set_first(&all, CPUS);
    dispatch_init(&sched, places, CPUS, &all, 1, 0);
    dispatch_set_policy(&sched, policy, 0);
}

/* Lets the CPUs look that were told to. */
static inline void settle(void)
{
    while (!bitmap_is_empty(&sched.kicks))
        dispatch_next(&sched, bitmap_first(&sched.kicks), 0, DISPATCH_KICK);
}

static inline struct bitmap only(uint32_t cpu)
{
    struct bitmap set = {{0}};

    bitmap_set(&set, cpu);
    return set;
}

static inline void wake(struct sched_entity *entity, uint32_t cpu)
{
    struct bitmap affinity = only(cpu);

    entity_init(entity, &affinity);
    dispatch_wake(&sched, entity, 0);
}

/* Core 0 is idle, `single` runs on CPU 2; `first` on 4 and `second` on 5; `waiter` waits for 4. */
static inline void busy_by(const struct sched_policy *policy)
{
    init(policy);
    wake(&single, 2);
    wake(&first, 4);
    wake(&second, 5);
    settle();
    wake(&waiter, 4);
    settle();
    assert_int_equal(waiter.where, ENTITY_QUEUED);
}

static inline void busy(void)
{
    busy_by(&policy_smt);
}

static inline void busy_by_core(void)
{
    busy_by(&policy_core);
}

/* `late` is claimed for CPU 0, which has not looked yet. */
static inline void claimed(void)
{
    busy();
    wake(&late, 0);
    assert_ptr_equal(sched.cpus[0].incoming, &late);
}

/* `first` and `second` share core 2, without slices since they can not leave. */
static inline void sharing(void)
{
    init(&policy_smt);
    wake(&first, 4);
    wake(&second, 5);
    settle();
    assert_true(bitmap_test(&sched.tickless, 4) && bitmap_test(&sched.tickless, 5));
}

/* `first` may leave by now, and CPU 0 has asked for it; CPU 4 has not looked yet. */
static inline void asked(void)
{
    struct bitmap all;

    sharing();
    bitmap_set_first(&all, CPUS);
    dispatch_set_affinity(&sched, &first, &all, 0);
    settle();
    dispatch_next(&sched, 0, 0, DISPATCH_KICK);
    assert_int_equal(sched.cpus[4].push_to, 0);
}

/* CPU 1 is off, and `late` may run nowhere else. */
static inline void stranded(void)
{
    busy();
    dispatch_set_usable(&sched, 1, false, 0);
    settle();
    wake(&late, 1);
    assert_int_equal(late.where, ENTITY_STRANDED);
}

#endif
