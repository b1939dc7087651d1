/*
 * What kernel/arch.h promises and the scheduler calls all the time, as inline functions: a call
 * would be most of their cost.
 */
#ifndef ARCH_X86_INLINE_H
#define ARCH_X86_INLINE_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "kernel/cpu.h"
#include "kernel/lib/clock_math.h"

/* How the time stamp counter becomes time. [I] */
struct clock_base {
    struct clock_scale scale;
    uint64_t start;
};
extern struct clock_base clock_base;

static inline struct cpu *arch_this_cpu(void)
{
    struct cpu *cpu;

    /* Volatile: without, the compiler takes it for the same before and after a context switch. */
    __asm__ volatile("movl %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

static inline bool arch_irq_save(void)
{
    uint32_t flags;

    __asm__ volatile("pushfl\n\tpopl %0\n\tcli" : "=r"(flags) : : "memory");
    return (flags & EFLAGS_IF) != 0;
}

static inline void arch_irq_restore(bool were_on)
{
    if (were_on)
        __asm__ volatile("sti" : : : "memory");
}

static inline uint64_t arch_now_here_ns(const struct cpu *cpu)
{
    return clock_scale_apply(&clock_base.scale, tsc_read() - clock_base.start) +
           (uint64_t)cpu->clock_offset_ns;
}

static inline void arch_relax(void)
{
    __asm__ volatile("pause" : : : "memory");
}

#endif
