#include "kernel/sched.h"

#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/panic.h"
#include "kernel/sched_steps.h"
#include "kernel/sched_watch.h"
#include "kernel/sleepers.h"
#include "kernel/trace.h"

#define SKEW_SHARE 8u

struct sched scheduler;
uint32_t slice_ns;

static inline uint32_t slice_length_ns(void)
{
    return __atomic_load_n(&slice_ns, __ATOMIC_RELAXED);
}

/* ---- Timer ---- */

/* What this CPU has to be interrupted for next; UINT64_MAX: nothing. */
static inline uint64_t next_deadline_ns(const struct cpu *cpu)
{
    uint64_t deadline = sleepers_next_ns(cpu), slice_ends = slice_deadline_ns(&cpu->slice);

    if (slice_ends < deadline)
        deadline = slice_ends;
    if (cpu->stall_at_ns != 0 && cpu->stall_at_ns < deadline)
        deadline = cpu->stall_at_ns;
    if (cpu == conductor.cpu && conductor.wake_ns < deadline)
        deadline = conductor.wake_ns;
    return deadline;
}

static inline void set_timer(struct cpu *cpu, uint64_t deadline, uint64_t now)
{
    cpu->armed_ns = deadline;
    cpu->armed = deadline != UINT64_MAX;
    arch_arm_timer(!cpu->armed ? UINT64_MAX : deadline > now ? deadline - now : 0);
}

void sched_arm_timer(struct cpu *cpu)
{
    uint64_t deadline = next_deadline_ns(cpu);

    ASSERT(cpu == arch_this_cpu()); /* whoever went on elsewhere has to ask again who it is */
    /* Telling the hardware costs more than all of the above. A timer that fires early only looks
     * and is set again, which is rarer than switches; but a CPU without tasks is left alone. */
    if (deadline == cpu->armed_ns ||
        (deadline != UINT64_MAX && cpu->armed_ns != 0 && cpu->armed_ns < deadline))
        return;
    set_timer(cpu, deadline, arch_now_ns());
}

/* ---- Deciding ---- */

static void kick(unsigned cpu)
{
    watch_kicked(cpu);
    trace_kicked(cpu);
    arch_kick(cpu);
}

static void send_kicks(struct cpu *self)
{
    if (!scheduler.any_kicks)
        return;
    scheduler.any_kicks = false;
    bitmap_clear(&scheduler.kicks, self->cpu);
    BITMAP_FOR_EACH(cpu, &scheduler.kicks)
    {
        bitmap_clear(&scheduler.kicks, cpu);
        kick(cpu);
    }
}

static void wake_sleepers(struct cpu *cpu, uint64_t now)
{
    for (struct task *task; (task = sleepers_take_due(cpu, now)) != NULL;) {
        dispatch_wake(&scheduler, &task->entity, now);
        trace_woken(cpu->cpu, now, &scheduler, task);
    }
}

/* CPUs that begin to run something together would end their slices together, and then wait for each
 * other's turn with a lock, slice after slice. So the first of an idle CPU is a little shorter, on
 * each by another time. */
static void renew_slice(struct cpu *cpu, uint64_t now, bool was_idle)
{
    uint32_t length_ns = slice_length_ns();
    uint32_t skew_ns = length_ns / (SKEW_SHARE * cpu_count);

    slice_begin(&cpu->slice, now, was_idle ? length_ns - cpu->cpu * skew_ns : length_ns);
}

struct task *sched_decide(struct cpu *cpu, enum dispatch_event event)
{
    struct task *before = task_of(scheduler.cpus[cpu->cpu].current), *after;
    uint64_t now = arch_now_ns();

    if (event != DISPATCH_BLOCK) /* who is going to sleep does that before it wakes up */
        wake_sleepers(cpu, now);
    after = task_of(dispatch_next(&scheduler, cpu->cpu, now, event));
    watch_decided(&scheduler, cpu->cpu, now, event, after == NULL ? 0 : after->pid);
    trace_decided(cpu->cpu, before, after, event);

    if (after != before || event == DISPATCH_SLICE_END)
        renew_slice(cpu, now, before == NULL);
    slice_await(&cpu->slice, dispatch_needs_slice(&scheduler, cpu->cpu), now, slice_length_ns());
    if (after != before)
        cpu->stall_at_ns = 0;
    send_kicks(cpu);
    return after;
}

/* ---- Switching ---- */

/* The conductor frees tasks that have ended, so it may know only now. */
static void report_end(struct cpu *cpu)
{
    __atomic_fetch_add(&conductor.ends, 1, __ATOMIC_SEQ_CST);
    if (cpu == conductor.cpu)
        return; /* it is what runs now: see sched_exit */
    __atomic_store_n(&conductor.ready, true, __ATOMIC_SEQ_CST);
    kick(conductor.cpu->cpu);
}

static inline void finish_switch(struct cpu *cpu)
{
    struct task *left = cpu->left;
    bool ended = left->state == TASK_ENDED;

    if (ended)
        left->end_ns = left->entity.since_ns;
    __atomic_store_n(&left->on_cpu, false, __ATOMIC_RELEASE);
    if (ended)
        report_end(cpu);
}

void sched_finish_switch(void)
{
    finish_switch(arch_this_cpu());
}

/* Another CPU has decided to hand `next` over, but is still on its stack: for a few instructions,
 * unless that one has to wait, too; in the end for one that waits for nobody, since everybody waits
 * for who decided earlier. On a host with fewer CPUs than the machine that can take longer than a
 * slice, so the slice begins only now; else it would be over before the task does anything. */
static __attribute__((noinline)) void await_handover(struct cpu *cpu, struct task *next)
{
    while (__atomic_load_n(&next->on_cpu, __ATOMIC_ACQUIRE))
        arch_relax();
    slice_begin(&cpu->slice, arch_now_ns(), slice_length_ns());
    sched_arm_timer(cpu);
}

static void switch_to(struct cpu *cpu, struct task *next)
{
    struct task *previous = cpu->running;

    if (__atomic_load_n(&conductor.ready, __ATOMIC_ACQUIRE) && cpu == conductor.cpu)
        next = &conductor.task;
    if (next == NULL)
        next = cpu->idle;
    if (next == previous)
        return;
    task_check_stack(previous);
    if (__atomic_load_n(&next->on_cpu, __ATOMIC_ACQUIRE))
        await_handover(cpu, next);
    __atomic_store_n(&next->on_cpu, true, __ATOMIC_RELAXED);
    cpu->running = next;
    cpu->left = previous;
    arch_switch(previous, next);
    finish_switch(arch_this_cpu()); /* maybe not the one that was left */
}

/* Passes this CPU on within its core, which needs no placement lock; false if that is not enough.
 * The common end of a slice, and yielding: every instruction in here counts. */
static inline __attribute__((always_inline)) bool take_turns(struct cpu *cpu,
                                                             enum dispatch_event event)
{
    uint32_t core = scheduler.cpus[cpu->cpu].core;
    struct sched_entity *before, *next = NULL;
    uint64_t now;

    spinlock_acquire_for(&core_locks[core], cpu);
    now = arch_now_here_ns(cpu);
    before = scheduler.cpus[cpu->cpu].current;
    if (!watch_on || !watch_is_due())
        next = dispatch_swap(&scheduler, cpu->cpu, now, event);
    if (next != NULL && next != before && (watch_on || trace_on)) {
        watch_swapped(&scheduler, cpu->cpu, now, event, task_of(next)->pid);
        trace_decided(cpu->cpu, task_of(before), task_of(next), event);
    }
    core_unlock(core);
    if (next == NULL)
        return false;
    if (next == before)
        return true;
    slice_begin(&cpu->slice, now, slice_length_ns());
    cpu->stall_at_ns = 0;
    if (!cpu->armed) /* else it comes before that in any case */
        sched_arm_timer(cpu);
    switch_to(cpu, task_of(next));
    return true;
}

void sched_reschedule(struct cpu *cpu, enum dispatch_event event)
{
    struct task *next;

    if (scheduler.cpu_count == 0)
        return; /* an early interrupt: there is no scheduler yet */
    placement_lock();
    next = sched_decide(cpu, event);
    placement_unlock();
    sched_arm_timer(cpu);
    switch_to(cpu, next);
}

void sched_idle_loop(void *unused)
{
    (void)unused;
    /* No check before the halt: whoever has work for this CPU interrupts it, and the interrupt
     * itself switches away from here. So no wake-up can be lost. */
    arch_irq_save();
    for (;;)
        arch_wait_for_interrupt();
}

struct task *sched_current(void)
{
    struct cpu *cpu = arch_this_cpu();
    struct task *task = cpu->running;

    return task == NULL || task == cpu->idle || task == &conductor.task ? NULL : task;
}

/* ---- Events ---- */

void sched_yield(void)
{
    struct cpu *cpu = arch_this_cpu();

    if (!take_turns(cpu, DISPATCH_YIELD))
        sched_reschedule(cpu, DISPATCH_YIELD);
}

void sched_kicked(void)
{
    sched_reschedule(arch_this_cpu(), DISPATCH_KICK);
}

void sched_sleep(uint64_t ns)
{
    struct cpu *cpu = arch_this_cpu();

    cpu->running->wake_ns = arch_now_ns() + ns;
    sleepers_add(cpu, cpu->running);
    sched_reschedule(cpu, DISPATCH_BLOCK);
}

/* A slice ends, somebody wakes up, or only the model of a shared core wants to look again. */
static void timer_due(struct cpu *cpu, uint64_t now)
{
    bool slice_over = now >= slice_deadline_ns(&cpu->slice);
    bool due = now >= sleepers_next_ns(cpu);

    if (cpu == conductor.cpu && now >= conductor.wake_ns) {
        conductor.wake_ns = UINT64_MAX;
        __atomic_store_n(&conductor.ready, true, __ATOMIC_RELAXED);
        due = true;
    }
    /* A deadline that has passed must not be armed again: the next interrupt would come before
     * whoever waits for this one gets a chance to run. */
    if (now >= cpu->stall_at_ns)
        cpu->stall_at_ns = 0;
    if (slice_over && !due && take_turns(cpu, DISPATCH_SLICE_END))
        return;
    if (slice_over || due)
        sched_reschedule(cpu, slice_over ? DISPATCH_SLICE_END : DISPATCH_KICK);
    else
        sched_arm_timer(cpu); /* nothing to decide */
}

void sched_timer(void)
{
    struct cpu *cpu = arch_this_cpu();
    uint64_t now = arch_now_here_ns(cpu), deadline = next_deadline_ns(cpu);

    cpu->armed_ns = UINT64_MAX; /* it fires once */
    cpu->armed = false;
    __atomic_store_n(&cpu->timer_count, cpu->timer_count + 1, __ATOMIC_RELAXED);
    if (now >= deadline)
        timer_due(cpu, now);
    else if (deadline != UINT64_MAX)
        set_timer(cpu, deadline, now); /* it came early */
}

void sched_exit(void)
{
    struct cpu *cpu = arch_this_cpu();

    __atomic_store_n(&cpu->running->state, TASK_ENDED, __ATOMIC_RELEASE);
    if (cpu == conductor.cpu)
        __atomic_store_n(&conductor.ready, true, __ATOMIC_RELAXED);
    sched_reschedule(cpu, DISPATCH_BLOCK);
    panic("sched", "an ended task was run");
}
