/*
 * The conductor's side of the scheduler: start-up, policies, starting and ending tasks, waiting.
 * Declared in sched.h.
 */
#include <stddef.h>

#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/options.h"
#include "kernel/sched.h"
#include "kernel/sched_cpus.h"
#include "kernel/sched_steps.h"
#include "kernel/sched_watch.h"
#include "kernel/smt_model.h"
#include "kernel/trace.h"

struct conductor conductor = {.ready = true, .wake_ns = UINT64_MAX};

/* ---- Start-up ---- */

void sched_adopt_boot_code(struct cpu *boot_cpu)
{
    task_adopt_boot_stack(&conductor.task, "conductor");
    conductor.cpu = boot_cpu;
    conductor.task.on_cpu = true;
    boot_cpu->running = &conductor.task;
}

bool sched_prepare_boot_cpu(void)
{
    struct task *idle = task_create_idle();

    if (idle == NULL)
        return false;
    arch_prepare_kernel(idle, sched_idle_loop, NULL);
    conductor.cpu->idle = idle;
    return true;
}

void sched_init(const struct options *options)
{
    static struct cpu_place places[MAX_CPUS];
    struct bitmap usable = sched_cpus_collect(options, places);
    bool were_on = arch_irq_save();

    placement_lock();
    dispatch_init(&scheduler, places, cpu_count, &usable, options->seed, arch_now_ns());
    scheduler.touch = placement_touch;
    smt_model_set(options->smt_model_percent);
    scheduler.kick_sharers = options->smt_model_percent != 0;
    sched_set_slice(options->slice_us);
    watch_enable(options->check);
    placement_unlock();
    arch_irq_restore(were_on);
}

uint32_t sched_core_of(uint32_t cpu)
{
    return scheduler.cpus[cpu].core;
}

struct bitmap sched_usable_cpus(void)
{
    return scheduler.usable;
}

/* ---- Changes ---- */

static bool begin_change(void)
{
    bool were_on = arch_irq_save();

    placement_lock();
    return were_on;
}

/* Other CPUs are told; what is for this one runs as soon as the conductor waits. */
static void end_change(bool were_on)
{
    struct cpu *cpu = arch_this_cpu();

    sched_decide(cpu, DISPATCH_KICK);
    placement_unlock();
    sched_arm_timer(cpu);
    arch_irq_restore(were_on);
}

void sched_use(const struct sched_policy *policy, uint64_t seed)
{
    bool were_on = begin_change();

    random_seed(&scheduler.random, seed);
    dispatch_set_policy(&scheduler, policy, arch_now_ns());
    end_change(were_on);
}

void sched_set_slice(uint32_t slice_us)
{
    __atomic_store_n(&slice_ns, slice_us * NS_PER_US, __ATOMIC_RELAXED); /* a second at most */
}

void sched_start(struct task *task)
{
    bool were_on = begin_change();
    uint64_t now = arch_now_ns();

    task->state = TASK_STARTED;
    dispatch_wake(&scheduler, &task->entity, now);
    task->start_ns = task->entity.since_ns;
    trace_woken(arch_this_cpu()->cpu, now, &scheduler, task);
    end_change(were_on);
}

void sched_pause(struct task *task)
{
    bool were_on = begin_change();

    dispatch_pause(&scheduler, &task->entity, arch_now_ns());
    end_change(were_on);
}

void sched_resume(struct task *task)
{
    bool were_on = begin_change();

    dispatch_resume(&scheduler, &task->entity, arch_now_ns());
    end_change(were_on);
}

void sched_set_affinity(struct task *task, const struct bitmap *affinity)
{
    bool were_on = begin_change();

    dispatch_set_affinity(&scheduler, &task->entity, affinity, arch_now_ns());
    end_change(were_on);
}

void sched_miscount(int32_t by)
{
    bool were_on = begin_change();

    scheduler.waiting += (uint32_t)by;
    end_change(were_on);
}

uint64_t sched_forced_idle_ns(void)
{
    bool were_on = begin_change();
    uint64_t now = arch_now_ns(), sum = 0;

    BITMAP_FOR_EACH(cpu, &scheduler.possible)
    {
        placement_touch(scheduler.cpus[cpu].core);
        dispatch_settle(&scheduler, cpu, now);
    }
    for (unsigned core = 0; core < cpu_count; core++)
        sum += scheduler.cores[core].forced_idle_ns;
    end_change(were_on);
    return sum;
}

/* ---- Ends ---- */

uint32_t sched_ends(void)
{
    return __atomic_load_n(&conductor.ends, __ATOMIC_SEQ_CST);
}

bool sched_has_ended(const struct task *task)
{
    return __atomic_load_n(&task->state, __ATOMIC_ACQUIRE) == TASK_ENDED &&
           !__atomic_load_n(&task->on_cpu, __ATOMIC_ACQUIRE);
}

void sched_kill(struct task *task)
{
    bool were_on = begin_change();

    __atomic_store_n(&task->doomed, true, __ATOMIC_RELEASE);
    /* It may run without a timer, and would not come through the kernel by itself. */
    placement_touch(task->entity.core);
    if (task->entity.where == ENTITY_RUNNING)
        dispatch_kick(&scheduler, task->entity.cpu);
    end_change(were_on);
    for (;;) {
        uint32_t seen = sched_ends();

        if (sched_has_ended(task))
            return;
        sched_wait(seen, UINT64_MAX); /* it ends when it next leaves the kernel */
    }
}

void sched_wait(uint32_t seen, uint64_t deadline_ns)
{
    bool were_on = arch_irq_save();

    conductor.wake_ns = deadline_ns;
    /* In this order: who ends a task counts it, and then makes the conductor ready. */
    __atomic_store_n(&conductor.ready, false, __ATOMIC_SEQ_CST);
    if (sched_ends() == seen && arch_now_ns() < deadline_ns)
        sched_reschedule(arch_this_cpu(), DISPATCH_KICK);
    __atomic_store_n(&conductor.ready, true, __ATOMIC_RELAXED);
    conductor.wake_ns = UINT64_MAX;
    arch_irq_restore(were_on);
}
