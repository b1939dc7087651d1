/*
 * The FPU, MMX and SSE registers of tasks. They are saved and loaded at every switch away from a
 * task and to one, never later: registers left for the task that comes next, behind a flag that
 * makes its first use fault, can be read by speculation before the fault (LazyFP, CVE-2018-3665).
 * The kernel itself uses none of them, so its own threads have nothing to save.
 */
#ifndef ARCH_X86_FPU_H
#define ARCH_X86_FPU_H

#include "arch/x86/decode/fpu_state.h"
#include "kernel/arch.h"

/* The way of all CPUs: that of the boot CPU. */
extern enum fpu_kind fpu_kind;

/* Decides it, and says so in the log. Boot CPU only, before fpu_enable. */
void fpu_init(const struct cpu_ident *boot_cpu);

/* Sets the control registers of the CPU that calls to match, and clears its FPU. */
void fpu_enable(void);

/* What a new task's registers hold. */
void fpu_prepare(struct fpu_state *state);

/* The two for CPUs other than those with plain FXSAVE. */
void fpu_save_otherwise(struct fpu_state *state);
void fpu_load_otherwise(const struct fpu_state *state);

/* SDM volume 3, "Saving and Restoring the SSE State". Interrupts off; few instructions, since every
 * switch comes through here. */
static inline void fpu_save(struct fpu_state *state)
{
    if (__builtin_expect(fpu_kind == FPU_FXSAVE, true))
        __asm__ volatile("fxsave %0" : "=m"(*state));
    else
        fpu_save_otherwise(state);
}

static inline void fpu_load(const struct fpu_state *state)
{
    if (__builtin_expect(fpu_kind == FPU_FXSAVE, true))
        __asm__ volatile("fxrstor %0" : : "m"(*state));
    else
        fpu_load_otherwise(state);
}

#endif
