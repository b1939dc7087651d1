/*
 * The record of one CPU as the kernel sees it: its numbers, its place in the machine and what runs
 * on it. What the hardware needs per CPU (GDT, TSS) is in arch/x86/gdt.c.
 *
 * Letters: [I] fixed once the CPU is online, [o] only touched by that CPU with interrupts off,
 * [a] atomic. None of this needs the scheduler's locks (kernel/sched_lock.h): what they guard of a
 * CPU is its struct sched_cpu.
 */
#ifndef KERNEL_CPU_H
#define KERNEL_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/machine_info.h"
#include "kernel/sched/slice.h"

struct task;

enum cpu_state {
    CPU_LISTED,   /* the firmware lists it; nothing was tried yet */
    CPU_STARTING, /* told to start; its answer is awaited */
    CPU_ONLINE,
    CPU_FAILED,  /* did not answer in time */
    CPU_SKIPPED, /* deliberately not started; `reason` says why */
};

struct cpu {
    unsigned cpu;            /* [I] index of this record in cpus[] */
    uint32_t apic_id;        /* [I] */
    uint32_t acpi_uid;       /* [I] */
    struct cpu_place place;  /* [I] */
    uint32_t state;          /* [a] enum cpu_state; a late CPU loses the race to CPU_FAILED */
    const char *reason;      /* [I] why it is failed or skipped; static text, or "" */
    struct task *running;    /* [o] whose registers are in the CPU, the idle task included */
    struct task *idle;       /* [I] runs when there is nothing to run */
    struct task *left;       /* [o] what ran before, until its registers are saved */
    struct task *sleepers;   /* [o] tasks to wake by this CPU's timer, earliest first */
    struct slice slice;      /* [o] of the running task */
    uint64_t stall_at_ns;    /* [o] when the model of a shared core looks again; 0: never */
    uint64_t armed_ns;       /* [o] what the timer is set to; UINT64_MAX: off, 0: not known */
    bool armed;              /* [o] it will fire, at armed_ns */
    uint32_t timer_count;    /* [a] times it has fired */
    uint64_t last_now_ns;    /* [o] the clock never goes back on one CPU */
    int64_t clock_offset_ns; /* [I] added to this CPU's own counter to agree with the boot CPU */
};

/* All CPUs the machine lists, in MADT order with the boot CPU first. */
extern struct cpu cpus[MAX_CPUS];
extern unsigned cpu_count;

static inline enum cpu_state cpu_state(const struct cpu *cpu)
{
    return (enum cpu_state)__atomic_load_n(&cpu->state, __ATOMIC_ACQUIRE);
}

static inline bool cpu_is_online(const struct cpu *cpu)
{
    return cpu_state(cpu) == CPU_ONLINE;
}

/* False, and nothing is changed, if it is in another state: of two that compete one wins. */
static inline bool cpu_change_state(struct cpu *cpu, enum cpu_state from, enum cpu_state to)
{
    uint32_t expected = from;

    return __atomic_compare_exchange_n(&cpu->state, &expected, to, false, __ATOMIC_ACQ_REL,
                                       __ATOMIC_ACQUIRE);
}

#endif
