#include "kernel/sched.h"

#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/options.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/panic.h"
#include "kernel/sched/dispatch.h"
#include "kernel/sched_cpus.h"
#include "kernel/sched_watch.h"
#include "kernel/sleepers.h"
#include "kernel/smt_model.h"
#include "kernel/spinlock.h"
#include "kernel/trace.h"

#define SKEW_SHARE 8u

/* One lock for all of it, held across context switches. Everything below is guarded by it. */
static struct spinlock sched_lock = SPINLOCK("sched");
static struct sched sched;
static bool sched_ready;
static uint64_t slice_ns;
static uint64_t skew_ns; /* how much earlier the first slice of each next CPU ends */
static uint32_t ended_count;

static struct task conductor;
static struct cpu *conductor_cpu;
static bool conductor_ready = true;
static uint64_t conductor_wake_ns = UINT64_MAX;

/* ---- Switching ---- */

static void send_kicks(struct cpu *self)
{
    if (!sched.any_kicks)
        return;
    sched.any_kicks = false;
    bitmap_clear(&sched.kicks, self->cpu);
    BITMAP_FOR_EACH(cpu, &sched.kicks)
    {
        bitmap_clear(&sched.kicks, cpu);
        watch_kicked(cpu);
        trace_kicked(cpu);
        arch_kick(cpu);
    }
}

/* Everything this CPU has to be interrupted for. */
static void arm_timer(struct cpu *cpu)
{
    uint64_t deadline = sleepers_next_ns(cpu);

    if (cpu->slice_end_ns != 0 && cpu->slice_end_ns < deadline)
        deadline = cpu->slice_end_ns;
    if (cpu->stall_at_ns != 0 && cpu->stall_at_ns < deadline)
        deadline = cpu->stall_at_ns;
    if (cpu == conductor_cpu && conductor_wake_ns < deadline)
        deadline = conductor_wake_ns;
    /* Telling the hardware costs more than all of the above. A timer that fires early only looks
     * and is set again, which is rarer than switches; but a CPU without tasks is left alone. */
    if (deadline == cpu->armed_ns ||
        (deadline != UINT64_MAX && cpu->armed_ns != 0 && cpu->armed_ns < deadline))
        return;
    cpu->armed_ns = deadline;
    arch_arm_timer(deadline);
}

/* The time for everything that is accounted: the lock makes it one sequence for all CPUs, however
 * their counters differ. */
static uint64_t locked_now(void)
{
    static uint64_t last;
    uint64_t now = arch_now_ns();

    ASSERT(spinlock_held(&sched_lock));
    if (now > last)
        last = now;
    return last;
}

/* Lets the policy decide what this CPU runs, and sets its timer to match. */
static struct task *decide(struct cpu *cpu, uint64_t now, enum dispatch_event event)
{
    struct task *before = task_of(sched.cpus[cpu->cpu].current);
    struct task *after = task_of(dispatch_next(&sched, cpu->cpu, now, event));

    watch_decided(&sched, cpu->cpu, now, event, after == NULL ? 0 : after->pid);
    trace_decided(cpu->cpu, now, before, after, event);

    if (!dispatch_needs_slice(&sched, cpu->cpu))
        cpu->slice_end_ns = 0;
    else if (cpu->slice_end_ns == 0)
        cpu->slice_end_ns = now + slice_ns - cpu->cpu * skew_ns;
    else if (after != before || event == DISPATCH_SLICE_END)
        cpu->slice_end_ns = now + slice_ns;
    if (after != before)
        cpu->stall_at_ns = 0;
    send_kicks(cpu);
    arm_timer(cpu);
    return after;
}

/*
 * Decides what this CPU runs and switches to it. The lock is held, interrupts are off; both still
 * hold when the caller's context continues, maybe on another CPU and much later.
 */
static void reschedule(struct cpu *cpu, uint64_t now, enum dispatch_event event)
{
    struct task *previous = cpu->running, *next;

    if (!sched_ready)
        return;
    next = decide(cpu, now, event);
    if (cpu == conductor_cpu && conductor_ready)
        next = &conductor;
    if (next == NULL)
        next = cpu->idle;
    if (next == previous)
        return;
    task_check_stack(previous);
    cpu->running = next;
    arch_switch(previous, next);
}

/* The same for callers that hold no lock. */
static void reschedule_unlocked(enum dispatch_event event)
{
    struct cpu *cpu = arch_this_cpu();

    spinlock_acquire(&sched_lock);
    reschedule(cpu, locked_now(), event);
    spinlock_release(&sched_lock);
}

void sched_finish_switch(void)
{
    spinlock_release(&sched_lock);
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

    return task == NULL || task == cpu->idle || task == &conductor ? NULL : task;
}

/* ---- Blocking and waking ---- */

void sched_yield(void)
{
    reschedule_unlocked(DISPATCH_YIELD);
}

static void wake_conductor(void)
{
    conductor_ready = true;
    conductor_wake_ns = UINT64_MAX;
    dispatch_kick(&sched, conductor_cpu->cpu);
}

void sched_sleep(uint64_t ns)
{
    struct cpu *cpu = arch_this_cpu();
    struct task *task = cpu->running;
    uint64_t now;

    spinlock_acquire(&sched_lock);
    now = locked_now();
    task->wake_ns = now + ns;
    sleepers_add(cpu, task);
    reschedule(cpu, now, DISPATCH_BLOCK);
    spinlock_release(&sched_lock);
}

/* True if that gave this CPU, or others, something to decide. */
static bool wake_sleepers(struct cpu *cpu, uint64_t now)
{
    bool woken = false;

    for (struct task *task; (task = sleepers_take_due(cpu, now)) != NULL; woken = true) {
        dispatch_wake(&sched, &task->entity, now);
        trace_woken(cpu->cpu, now, &sched, task);
    }
    if (cpu == conductor_cpu && conductor_wake_ns <= now) {
        wake_conductor();
        woken = true;
    }
    return woken;
}

void sched_timer(void)
{
    struct cpu *cpu = arch_this_cpu();
    uint64_t now;
    bool slice_over, woken;

    spinlock_acquire(&sched_lock);
    now = locked_now();
    cpu->armed_ns = UINT64_MAX; /* it fires once */
    woken = wake_sleepers(cpu, now);
    slice_over = cpu->slice_end_ns != 0 && now >= cpu->slice_end_ns;
    /* A deadline that has passed must not be armed again: the next interrupt would come before
     * whoever waits for this one gets a chance to run. */
    if (now >= cpu->stall_at_ns)
        cpu->stall_at_ns = 0;
    if (slice_over || woken)
        reschedule(cpu, now, slice_over ? DISPATCH_SLICE_END : DISPATCH_KICK);
    else
        arm_timer(cpu); /* early, or for the model of a shared core: nothing to decide */
    spinlock_release(&sched_lock);
}

void sched_kicked(void)
{
    reschedule_unlocked(DISPATCH_KICK);
}

void sched_exit(void)
{
    struct cpu *cpu = arch_this_cpu();
    struct task *task = cpu->running;

    spinlock_acquire(&sched_lock);
    task->end_ns = locked_now();
    task->state = TASK_ENDED;
    ended_count++;
    wake_conductor();
    /* The conductor may look at the task once this lock is free, that is, once we are off its
     * stack. */
    reschedule(cpu, task->end_ns, DISPATCH_BLOCK);
    panic("sched", "an ended task was run");
}

/* ---- The model of a shared core ---- */

/* What the running task owes now, in nanoseconds of standing still, and when to look again. */
static uint64_t stall_due(struct cpu *cpu, struct task *task)
{
    uint64_t now, due;
    bool shared;

    spinlock_acquire(&sched_lock);
    now = locked_now();
    dispatch_settle(&sched, cpu->cpu, now);
    shared = sched.cores[sched.cpus[cpu->cpu].core].running >= 2;
    due = smt_model_due_ns(task->entity.shared_ns, task->stalled_ns);
    /* While it stands still and the core stays shared, the debt grows. */
    due = shared ? smt_model_stall_ns(due) : due;
    cpu->stall_at_ns = due != 0 ? now + due : shared ? now + SMT_MODEL_PERIOD_NS : 0;
    arm_timer(cpu);
    spinlock_release(&sched_lock);
    return due;
}

static uint64_t run_time_of(const struct task *task)
{
    uint64_t now = arch_now_ns(), since = task->entity.since_ns;

    return task->entity.run_ns + (now > since ? now - since : 0);
}

/* All the time in here counts as standing still, the reckoning included. */
static void pay_stalls(struct task *task)
{
    uint64_t before = run_time_of(task), after;

    while (stall_due(arch_this_cpu(), task) != 0) {
        /* It may be taken off the CPU in there, and continue on another. */
        arch_wait_for_interrupt();
        after = run_time_of(task);
        task->stalled_ns += after - before;
        before = after;
    }
}

void sched_return_to_user(void)
{
    struct task *task = sched_current();

    if (task != NULL && task->doomed)
        sched_exit();
    if (task != NULL && smt_model_percent() != 0)
        pay_stalls(task);
}

/* ---- The conductor's side ---- */

void sched_adopt_boot_code(struct cpu *boot_cpu)
{
    task_adopt_boot_stack(&conductor, "conductor");
    conductor_cpu = boot_cpu;
    boot_cpu->running = &conductor;
}

bool sched_prepare_boot_cpu(void)
{
    struct task *idle = task_create_idle();

    if (idle == NULL)
        return false;
    arch_prepare_kernel(idle, sched_idle_loop, NULL);
    conductor_cpu->idle = idle;
    return true;
}

uint32_t sched_core_of(uint32_t cpu)
{
    return sched.cpus[cpu].core;
}

/* CPUs that begin to need slices together would end them together, and then wait for each other's
 * turn with the lock, slice after slice. So their first slices differ by up to an eighth. */
static void set_slice(uint32_t slice_us)
{
    slice_ns = (uint64_t)slice_us * NS_PER_US;
    skew_ns = div_u64_u32(slice_ns, SKEW_SHARE * cpu_count, NULL);
}

void sched_init(const struct options *options)
{
    static struct cpu_place places[MAX_CPUS];
    struct bitmap usable = sched_cpus_collect(options, places);

    dispatch_init(&sched, places, cpu_count, &usable, options->seed, arch_now_ns());
    smt_model_set(options->smt_model_percent);
    sched.kick_sharers = options->smt_model_percent != 0;
    set_slice(options->slice_us);
    watch_enable(options->check);
    sched_ready = true;
}

void sched_use(const struct sched_policy *policy, uint64_t seed)
{
    bool were_on = spinlock_acquire_irq(&sched_lock);

    random_seed(&sched.random, seed);
    dispatch_set_policy(&sched, policy, locked_now());
    decide(arch_this_cpu(), locked_now(), DISPATCH_KICK);
    spinlock_release_irq(&sched_lock, were_on);
}

void sched_set_slice(uint32_t slice_us)
{
    bool were_on = spinlock_acquire_irq(&sched_lock);

    set_slice(slice_us);
    spinlock_release_irq(&sched_lock, were_on);
}

struct bitmap sched_usable_cpus(void)
{
    return sched.usable;
}

void sched_start(struct task *task)
{
    bool were_on = spinlock_acquire_irq(&sched_lock);
    struct cpu *cpu = arch_this_cpu();

    task->state = TASK_STARTED;
    task->start_ns = locked_now();
    dispatch_wake(&sched, &task->entity, task->start_ns);
    trace_woken(cpu->cpu, task->start_ns, &sched, task);
    /* If it is for this CPU, it runs as soon as the conductor waits. */
    decide(cpu, task->start_ns, DISPATCH_KICK);
    spinlock_release_irq(&sched_lock, were_on);
}

uint32_t sched_ends(void)
{
    return __atomic_load_n(&ended_count, __ATOMIC_ACQUIRE);
}

void sched_kill(struct task *task)
{
    bool were_on = spinlock_acquire_irq(&sched_lock);

    task->doomed = true;
    /* It may run without a timer, and would not come through the kernel by itself. */
    if (task->entity.where == ENTITY_RUNNING)
        dispatch_kick(&sched, task->entity.cpu);
    decide(arch_this_cpu(), locked_now(), DISPATCH_KICK);
    spinlock_release_irq(&sched_lock, were_on);
    for (;;) {
        uint32_t seen = sched_ends();

        if (__atomic_load_n(&task->state, __ATOMIC_ACQUIRE) == TASK_ENDED)
            return;
        sched_wait(seen, UINT64_MAX); /* it ends when it next leaves the kernel */
    }
}

void sched_wait(uint32_t seen, uint64_t deadline_ns)
{
    bool were_on = spinlock_acquire_irq(&sched_lock);
    struct cpu *cpu = arch_this_cpu();
    uint64_t now = locked_now();

    if (ended_count == seen && now < deadline_ns) {
        conductor_ready = false;
        conductor_wake_ns = deadline_ns;
        reschedule(cpu, now, DISPATCH_KICK);
    }
    spinlock_release_irq(&sched_lock, were_on);
}
