#define _GNU_SOURCE
#include "tests/threads/machine.h"

#include <linux/futex.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kernel/arch.h"
#include "kernel/cpu.h"
#include "kernel/lib/clock_math.h"
#include "kernel/task.h"

#define MACHINE_CPUS 16u
#define CLOCK_STEP_NS 2000u /* the clock of each next CPU is so much ahead */
#define STUMBLE_ONE_IN 40u  /* looks at the clock */
#define STUMBLE_US 60u
#define LATE_ONE_IN 2u /* steps before which interrupts that are pending do not come yet */

/* How the loop of a CPU is come to. */
enum { FIRST_TIME, TO_TASK, TO_CONDUCTOR };

struct cpu cpus[MAX_CPUS];
unsigned cpu_count;

/* [o] of its CPU but for `kicked`. */
struct machine_cpu {
    pthread_t thread;
    jmp_buf loop;
    struct registers registers;
    uint64_t deadline_ns;
    uint64_t still_since_ns; /* its task waits for an interrupt, to pay stalls; 0: it does not */
    bool interrupts_on;
    uint32_t kicked; /* [a] an interrupt is pending; also what an idle CPU sleeps on */
    struct task idle;
};

static struct machine_cpu machine[MACHINE_CPUS];
static struct machine_hooks hooks;
static bool stopping; /* [a] */
static __thread unsigned self;
static __thread struct random chance;

/* CPU 0 has two threads, of which one runs: the conductor's, or the one for all others. */
static pthread_mutex_t turn_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static bool conductors_turn = true;

/* ---- What goes wrong ---- */

/* Looks at the others without asking, which is not to be reported instead. */
__attribute__((no_sanitize_thread)) void machine_fail(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
    for (unsigned cpu = 0; cpu < cpu_count; cpu++) /* pid 0: idle, or the conductor */
        printf("  cpu %u: pid %u, kicked %u\n", cpu, cpus[cpu].running->pid, machine[cpu].kicked);
    fflush(stdout);
    _exit(1);
}

static void *wait_for_limit(void *seconds)
{
    sleep((unsigned)(uintptr_t)seconds);
    machine_fail("time limit: somebody waits for ever");
}

void machine_set_limit(unsigned seconds)
{
    pthread_t thread;

    pthread_create(&thread, NULL, wait_for_limit, (void *)(uintptr_t)seconds);
    pthread_detach(thread);
}

/* ---- This CPU ---- */

/* Stops now and then, as a CPU does for its firmware or a hypervisor, in the midst of something. */
static void stumble(void)
{
    if (random_below(&chance, STUMBLE_ONE_IN) == 0)
        usleep(random_below(&chance, STUMBLE_US));
}

struct cpu *arch_this_cpu(void)
{
    return &cpus[self];
}

bool arch_irq_save(void)
{
    bool were_on = machine[self].interrupts_on;

    machine[self].interrupts_on = false;
    return were_on;
}

/* Interrupts come only where they are turned on; but then each that is pending. */
static void take_interrupts(void)
{
    struct machine_cpu *m = &machine[self];

    m->interrupts_on = false;
    if (__atomic_exchange_n(&m->kicked, 0, __ATOMIC_RELAXED) != 0)
        hooks.kicked();
    if (arch_now_ns() >= m->deadline_ns) {
        m->deadline_ns = UINT64_MAX;
        hooks.timer();
    }
}

void arch_irq_restore(bool were_on)
{
    if (!were_on)
        return;
    take_interrupts();
    machine[self].interrupts_on = true;
}

/* Until there is an interrupt, or the machine stops. */
static void wait_for_interrupt(void)
{
    struct machine_cpu *m = &machine[self];

    while (__atomic_load_n(&m->kicked, __ATOMIC_RELAXED) == 0 &&
           !__atomic_load_n(&stopping, __ATOMIC_ACQUIRE)) {
        uint64_t now = arch_now_ns();
        uint64_t left = m->deadline_ns > now ? m->deadline_ns - now : 0;
        struct timespec limit = {0, (long)(left < NS_PER_MS ? left : NS_PER_MS)};

        if (left == 0)
            return;
        syscall(SYS_futex, &m->kicked, FUTEX_WAIT, 0, &limit, NULL, 0);
    }
}

void arch_wait_for_interrupt(void)
{
    machine[self].still_since_ns = arch_now_ns();
    wait_for_interrupt();
    take_interrupts();
    machine[self].still_since_ns = 0;
}

/* It does not get back to pay_stalls, which would have counted the time. */
static void count_stall(struct task *task)
{
    uint64_t since_ns = machine[self].still_since_ns;

    machine[self].still_since_ns = 0;
    if (since_ns != 0)
        task->stalled_ns += arch_now_ns() - since_ns;
}

void arch_relax(void)
{
    syscall(SYS_sched_yield); /* whoever is waited for may need this very host CPU */
}

uint64_t arch_now_ns(void)
{
    struct timespec now;

    stumble();
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec + self * CLOCK_STEP_NS;
}

uint64_t arch_now_here_ns(const struct cpu *cpu)
{
    (void)cpu;
    return arch_now_ns() - random_below(&chance, CLOCK_STEP_NS); /* goes back now and then */
}

void arch_arm_timer(uint64_t wait_ns)
{
    machine[self].deadline_ns = wait_ns == UINT64_MAX ? UINT64_MAX : arch_now_ns() + wait_ns;
}

void arch_kick(unsigned cpu)
{
    __atomic_store_n(&machine[cpu].kicked, 1, __ATOMIC_RELAXED);
    syscall(SYS_futex, &machine[cpu].kicked, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* ---- Context switches ---- */

void machine_prepare(struct task *task, const struct registers *registers)
{
    memcpy(task->fpu.bytes, registers, sizeof *registers);
    task->stack_pointer = task_stack_top(task);
}

struct registers machine_registers(const struct task *task)
{
    struct registers registers;

    memcpy(&registers, task->fpu.bytes, sizeof registers);
    return registers;
}

/* Whoever is on a task's stack has its pointer; so there is none to be found in the task. */
static void leave(struct task *task)
{
    count_stall(task);
    memcpy(task->fpu.bytes, &machine[self].registers, sizeof machine[self].registers);
    if (__atomic_exchange_n(&task->stack_pointer, task_stack_top(task), __ATOMIC_RELAXED) != NULL)
        machine_fail("cpu %u leaves %s %u, which another CPU has left", self, task->name,
                     task->pid);
}

static void go_on_with(struct task *task)
{
    if (__atomic_exchange_n(&task->stack_pointer, NULL, __ATOMIC_RELAXED) == NULL)
        machine_fail("cpu %u goes on with %s %u, which another CPU runs", self, task->name,
                     task->pid);
    memcpy(&machine[self].registers, task->fpu.bytes, sizeof machine[self].registers);
}

static void await_turn(bool of_conductor)
{
    pthread_mutex_lock(&turn_lock);
    while (conductors_turn != of_conductor && !__atomic_load_n(&stopping, __ATOMIC_ACQUIRE))
        pthread_cond_wait(&turn_changed, &turn_lock);
    pthread_mutex_unlock(&turn_lock);
    if (__atomic_load_n(&stopping, __ATOMIC_ACQUIRE))
        pthread_exit(NULL);
}

/* Hands CPU 0 over to its other thread, and waits to get it back, or for the end. */
static void change_turns(bool to_conductor)
{
    pthread_mutex_lock(&turn_lock);
    conductors_turn = to_conductor;
    pthread_cond_broadcast(&turn_changed);
    pthread_mutex_unlock(&turn_lock);
    await_turn(!to_conductor);
}

void arch_switch(struct task *previous, struct task *next)
{
    leave(previous);
    go_on_with(next);
    if (previous == hooks.conductor) {
        change_turns(false);
        return;
    }
    if (next == hooks.conductor)
        longjmp(machine[self].loop, TO_CONDUCTOR);
    hooks.finish_switch();
    longjmp(machine[self].loop, TO_TASK);
}

/* ---- CPUs ---- */

/* As sched_idle_loop, with an end. */
static void idle(void)
{
    wait_for_interrupt();
    if (__atomic_load_n(&stopping, __ATOMIC_ACQUIRE))
        pthread_exit(NULL);
}

/* As a task sees it: interrupts, then a step, which may end with a system call. */
static void run_tasks(void)
{
    for (;;) {
        struct task *running;

        if (cpus[self].running == cpus[self].idle || random_below(&chance, LATE_ONE_IN) != 0)
            take_interrupts();
        hooks.return_to_user();
        running = cpus[self].running;
        if (running == cpus[self].idle)
            idle();
        else
            hooks.step(running, &machine[self].registers);
    }
}

static void *run_cpu(void *number)
{
    self = (unsigned)(uintptr_t)number;
    random_seed(&chance, self);
    switch (setjmp(machine[self].loop)) {
    case FIRST_TIME:
        if (self != 0)
            break;
        await_turn(false);
        hooks.finish_switch();
        break;
    case TO_CONDUCTOR:
        change_turns(true);
        hooks.finish_switch();
        break;
    case TO_TASK:
        break;
    }
    run_tasks();
    return NULL;
}

void task_adopt_boot_stack(struct task *task, const char *name)
{
    snprintf(task->name, sizeof task->name, "%s", name);
    task->canary = TASK_CANARY;
}

/* Both are on the stack of theirs from the start. */
struct task *task_create_idle(void)
{
    struct task *task = &machine[0].idle;

    memset(task, 0, sizeof *task);
    task_adopt_boot_stack(task, "idle");
    task->stack_pointer = task_stack_top(task);
    return task;
}

void arch_prepare_kernel(struct task *task, void (*function)(void *), void *argument)
{
    (void)task;
    (void)function;
    (void)argument;
}

void machine_build(const struct machine_hooks *with, uint32_t cores, uint32_t threads)
{
    hooks = *with;
    self = 0;
    stopping = false;
    conductors_turn = true;
    cpu_count = cores * threads;
    memset(cpus, 0, sizeof cpus);
    memset(machine, 0, sizeof machine);
    for (unsigned i = 0; i < cpu_count; i++) {
        cpus[i].cpu = i;
        cpus[i].state = CPU_ONLINE;
        cpus[i].armed_ns = UINT64_MAX;
        cpus[i].place = (struct cpu_place){.cpu = (uint16_t)i,
                                           .core = (uint16_t)(i / threads),
                                           .module = (uint16_t)(i / threads),
                                           .thread = (uint16_t)(i % threads)};
        machine[i].deadline_ns = UINT64_MAX;
    }
    machine[0].interrupts_on = true;
}

void machine_start(void)
{
    for (unsigned i = 0; i < cpu_count; i++) {
        if (i != 0) {
            snprintf(machine[i].idle.name, sizeof machine[i].idle.name, "idle");
            machine[i].idle.canary = TASK_CANARY;
            cpus[i].idle = cpus[i].running = &machine[i].idle;
        }
        pthread_create(&machine[i].thread, NULL, run_cpu, (void *)(uintptr_t)i);
    }
}

void machine_stop(void)
{
    pthread_mutex_lock(&turn_lock);
    __atomic_store_n(&stopping, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&turn_changed);
    pthread_mutex_unlock(&turn_lock);
    for (unsigned i = 0; i < cpu_count; i++)
        arch_kick(i);
    for (unsigned i = 0; i < cpu_count; i++)
        pthread_join(machine[i].thread, NULL);
}
