/*
 * The model of a shared core (kernel/smt_model.h), applied: a task that shares its core stands
 * still for a part of that time. Declared in sched.h.
 */
#include "kernel/arch.h"
#include "kernel/sched.h"
#include "kernel/sched_steps.h"
#include "kernel/smt_model.h"

/* What the running task owes now, in nanoseconds of standing still, and when to look again. */
static uint64_t stall_due(struct cpu *cpu, struct task *task)
{
    uint32_t core = scheduler.cpus[cpu->cpu].core;
    uint64_t now, due;
    bool shared;

    core_lock(core);
    now = arch_now_ns();
    dispatch_settle(&scheduler, cpu->cpu, now);
    shared = scheduler.cores[core].running >= 2;
    due = smt_model_due_ns(task->entity.shared_ns, task->stalled_ns);
    core_unlock(core);
    /* While it stands still and the core stays shared, the debt grows. */
    due = shared ? smt_model_stall_ns(due) : due;
    cpu->stall_at_ns = due != 0 ? now + due : shared ? now + SMT_MODEL_PERIOD_NS : 0;
    sched_arm_timer(cpu);
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

    while (!__atomic_load_n(&task->doomed, __ATOMIC_RELAXED) &&
           stall_due(arch_this_cpu(), task) != 0) {
        /* It may be taken off the CPU in there, and continue on another. */
        arch_wait_for_interrupt();
        after = run_time_of(task);
        task->stalled_ns += after - before;
        before = after;
    }
}

void sched_pay_dues(void)
{
    struct task *task = arch_this_cpu()->running;

    if (smt_model_percent != 0)
        pay_stalls(task);
    /* Last: who ends it while it pays interrupts it there, and then no more. */
    if (__atomic_load_n(&task->doomed, __ATOMIC_RELAXED))
        sched_exit();
}
