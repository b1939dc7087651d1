/*
 * Ways to break the states of sched_states.h, each in one thing. A name says what the scheduler
 * would have done wrong.
 */
#ifndef TESTS_HOST_SCHED_DAMAGE_H
#define TESTS_HOST_SCHED_DAMAGE_H

#include "tests/host/sched_states.h"

static inline void claim_what_runs(void)
{
    sched.cpus[2].incoming = &single;
}

static inline void queue_what_runs(void)
{
    single.where = ENTITY_QUEUED;
}

static inline void run_twice(void)
{
    sched.cpus[0].current = &single;
}

static inline void run_on_wrong_core(void)
{
    single.core = 0;
}

static inline void run_what_sleeps(void)
{
    single.runnable = false;
}

static inline void run_what_never_woke(void)
{
    single.started = false;
}

static inline void forget_claim(void)
{
    late.where = ENTITY_OUT;
}

static inline void claim_elsewhere(void)
{
    late.at = 1;
}

static inline void pause_claimed(void)
{
    late.paused = true;
}

static inline void forbid_claimed(void)
{
    late.affinity = only(1);
}

static inline void ask_itself(void)
{
    sched.cpus[2].push_to = 2;
}

static inline void ask_for_nobody(void)
{
    sched.cpus[2].push_to = 0;
}

static inline void leave_to_nowhere(void)
{
    sched.cpus[2].leaves = true;
}

static inline void forget_kicks(void)
{
    bitmap_clear_all(&sched.kicks);
}

static inline void count_idle_as_busy(void)
{
    sched.cpus[0].busy = true;
}

static inline void count_busy_as_idle(void)
{
    sched.cpus[2].busy = false;
}

static inline void hide_idle_cpu(void)
{
    bitmap_clear(&sched.idle_cpus, 3);
}

static inline void offer_busy_cpu(void)
{
    bitmap_set(&sched.idle_cpus, 2);
}

static inline void offer_cpu_that_is_off(void)
{
    bitmap_set(&sched.idle_cpus, 1);
}

static inline void hide_idle_core(void)
{
    bitmap_clear(&sched.idle_core_cpus, 0);
}

static inline void offer_busy_core(void)
{
    bitmap_set(&sched.idle_core_cpus, 3);
}

static inline void hide_sharer(void)
{
    list_remove(&sched.cpus[4].sharing);
}

static inline void line_up_single(void)
{
    list_insert_last(&sched.sharers, &sched.cpus[2].sharing);
}

static inline void miscount_busy(void)
{
    sched.cores[2].busy++;
}

static inline void miscount_running(void)
{
    sched.cores[0].running++;
}

static inline void miscount_leaving(void)
{
    sched.cores[0].leaving++;
}

static inline void leave_from_idle_core(void)
{
    sched.cpus[0].push_to = 2;
    sched.cpus[0].leaves = true;
    sched.cores[0].leaving = 1;
    sched.cpus[2].awaits = true;
    bitmap_set(&sched.kicks, 0);
}

static inline void pause_what_runs(void)
{
    single.paused = true;
}

static inline void forbid_what_runs(void)
{
    single.affinity = only(3);
}

static inline void switch_cpu_off(void)
{
    bitmap_clear(&sched.usable, 2);
}

static inline void change_policy_to_nosmt(void)
{
    sched.policy = &policy_nosmt;
}

static inline void make_strangers(void)
{
    second.group = 1;
}

static inline void stop_slices_of_idle(void)
{
    bitmap_set(&sched.tickless, 0);
}

static inline void stop_slices(void)
{
    bitmap_set(&sched.tickless, 2);
}

static inline void unpin_sharer(void)
{
    bitmap_set(&second.affinity, 0);
}

static inline void miscount_queue_down(void)
{
    sched.queues[2].length--;
}

static inline void miscount_queue_up(void)
{
    sched.queues[2].length++;
}

static inline void queue_what_is_out(void)
{
    waiter.where = ENTITY_OUT;
}

static inline void queue_elsewhere(void)
{
    waiter.at = 1;
}

static inline void queue_on_wrong_core(void)
{
    waiter.core = 1;
}

static inline void queue_what_sleeps(void)
{
    waiter.runnable = false;
}

static inline void queue_what_is_paused(void)
{
    waiter.paused = true;
}

static inline void queue_where_forbidden(void)
{
    waiter.affinity = only(2);
}

static inline void let_idle_cpu_take_it(void)
{
    bitmap_set(&waiter.affinity, 0);
}

static inline void miscount_waiting(void)
{
    sched.waiting++;
}

static inline void miscount_low_digit(void)
{
    sched.load_low.counts[1]--;
}

static inline void miscount_high_digit(void)
{
    sched.load_high.counts[0]++;
}

static inline void use_empty_low_digit(void)
{
    sched.load_low.used |= 1u << 5;
}

static inline void forget_high_digit(void)
{
    sched.load_high.used = 0;
}

static inline void mistake_load(void)
{
    sched.cpus[4].load = 0;
}

static inline void load_what_is_off(void)
{
    sched.cpus[1].load = 0;
}

static inline void enter_digit(struct load_digit *digit, uint32_t value, uint32_t cpu)
{
    bitmap_set(&digit->cpus[value], cpu);
    digit->counts[value]++;
    digit->used |= 1ull << value;
}

static inline void misfile_low_digit(void)
{
    bitmap_clear(&sched.load_low.cpus[1], 4);
    sched.load_low.counts[1]--;
    enter_digit(&sched.load_low, 2, 4);
}

static inline void misfile_high_digit(void)
{
    bitmap_clear(&sched.load_high.cpus[0], 4);
    sched.load_high.counts[0]--;
    enter_digit(&sched.load_high, 1, 4);
}

static inline void file_low_digit_twice(void)
{
    enter_digit(&sched.load_low, 1, 0);
}

static inline void file_high_digit_twice(void)
{
    enter_digit(&sched.load_high, 1, 0);
}

static inline void miscount_filed(void)
{
    sched.filed--;
}

static inline void await_nobody(void)
{
    sched.cpus[2].awaits = true;
}

static inline void list_stray_sharer(void)
{
    static struct list_node stray;

    list_insert_last(&sched.sharers, &stray);
}

static inline void list_sharer_elsewhere(void)
{
    static struct list_node elsewhere;

    list_init(&elsewhere);
    list_remove(&sched.cpus[4].sharing);
    list_insert_last(&elsewhere, &sched.cpus[4].sharing);
}

static inline void forget_stranded(void)
{
    late.where = ENTITY_OUT;
}

static inline void strand_needlessly(void)
{
    bitmap_set(&late.affinity, 0);
}

#endif
