/*
 * What concerns one core only: declared in dispatch.h. Every slice that ends comes through here, so
 * it is written out rather than put together from the steps of dispatch.c.
 */
#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/queue.h"

void dispatch_settle(struct sched *sched, uint32_t cpu, uint64_t now_ns)
{
    occupancy_settle_at(sched, sched->cpus[cpu].core, now_ns);
}

/* Whether the CPU runs something, and nobody wants anything of it but to go on: whoever claims it,
 * asks for what it runs, pauses that or forbids it there has called it. */
static bool is_undisturbed(const struct sched *sched, const struct sched_cpu *c)
{
    return c->current != NULL && !__atomic_load_n(&c->called, __ATOMIC_RELAXED) &&
           !sched->cores[c->core].yielding;
}

/* Whether `next` may run wherever `previous` may, this CPU included. No CPU is idle for who waits;
 * so then none is for `previous` either, and that one can wait. */
static bool is_as_free(const struct sched *sched, const struct sched_entity *next,
                       const struct sched_entity *previous)
{
    uint32_t words;

    if (next->anywhere)
        return true;
    words = (sched->cpu_count + BITMAP_WORD_BITS - 1) / BITMAP_WORD_BITS;

    for (uint32_t word = 0; word < words; word++)
        if ((previous->affinity.words[word] & ~next->affinity.words[word]) != 0)
            return false;
    return true;
}

/* Whether unequal queues are to be evened out by what a CPU of this queue does next: at once if
 * they are very unequal, else once a round of the shorter ones. */
static __attribute__((noinline)) bool should_even_out(struct sched *sched, uint32_t queue)
{
    if (!sched->policy->evens_out || !__atomic_load_n(&sched->unequal, __ATOMIC_RELAXED))
        return false;
    if (__atomic_load_n(&sched->steep, __ATOMIC_RELAXED))
        return true;
    sched->queues[queue].turns++;
    return queue_takes_over(sched, queue);
}

/* Whether it is this core's own business who is next. */
static bool is_local(const struct sched *sched, uint32_t cpu, const struct sched_entity *next)
{
    const struct sched_policy *policy = sched->policy;
    const struct sched_entity *previous = sched->cpus[cpu].current;

    if (!is_as_free(sched, next, previous))
        return false;
    if (policy->sharing == SHARING_ANY)
        return true;
    /* Another group may suit those who wait for the siblings: they would have to be told. */
    return occupancy_may_join(sched, next, cpu) &&
           (policy->sharing == SHARING_NONE || next->group == previous->group);
}

/* The time of the change, which is not before the last one on this core. */
static uint64_t settle(struct sched *sched, uint32_t core, uint64_t now_ns)
{
    struct sched_core *c = &sched->cores[core];

    if (now_ns < c->since_ns)
        now_ns = c->since_ns;
    if (c->running == 1 && sched->policy->sharing != SHARING_GROUP)
        c->since_ns = now_ns;
    else
        occupancy_settle_at(sched, core, now_ns);
    return now_ns;
}

/* `previous` goes to the end of the queue, and `next` from its front to the CPU. */
static void change_places(struct list_node *waiting, struct sched_entity *previous,
                          struct sched_entity *next, uint64_t at_ns)
{
    previous->run_ns += at_ns - previous->since_ns;
    previous->since_ns = at_ns;
    previous->where = ENTITY_QUEUED;
    next->wait_ns += at_ns - next->since_ns;
    next->since_ns = at_ns;
    list_remove(&next->node);
    list_insert_last(waiting, &previous->node);
}

struct sched_entity *dispatch_swap(struct sched *sched, uint32_t cpu, uint64_t now_ns,
                                   enum dispatch_event event)
{
    struct sched_cpu *c = &sched->cpus[cpu];
    struct list_node *waiting = &sched->queues[c->queue].waiting;
    struct sched_entity *next;

    if (!is_undisturbed(sched, c))
        return NULL;
    if (list_is_empty(waiting))
        return event == DISPATCH_YIELD ? c->current : NULL;
    next = LIST_ENTRY(waiting->next, struct sched_entity, node);
    if (!is_local(sched, cpu, next) ||
        (event != DISPATCH_YIELD && should_even_out(sched, c->queue)))
        return NULL;
    change_places(waiting, c->current, next, settle(sched, c->core, now_ns));
    c->current->at = c->queue;
    c->current = next;
    occupancy_note_dispatch(sched, cpu, next);
    return next;
}
