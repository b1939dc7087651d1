/*
 * Which way this CPU saves and loads a task's FPU, MMX and SSE registers, and what they hold when a
 * task begins. The instructions themselves are in arch/x86/fpu.h. Pure.
 */
#ifndef ARCH_X86_DECODE_FPU_STATE_H
#define ARCH_X86_DECODE_FPU_STATE_H

#include <stdint.h>

#include "arch/x86/decode/cpu_ident.h"

/* In the order in which the switch tells them apart. */
enum fpu_kind {
    FPU_NONE,            /* no FPU: an instruction for it is a fault */
    FPU_FNSAVE,          /* FNSAVE and FRSTOR: x87 and MMX */
    FPU_FXSAVE,          /* FXSAVE and FXRSTOR: SSE too, if there is any */
    FPU_FXSAVE_POINTERS, /* the same, but FXRSTOR may leave the last task's error pointers */
};

/* Both formats fit. */
#define FPU_STATE_BYTES 512

enum fpu_kind fpu_choose(const struct cpu_ident *ident);

/* Writes the state a task begins with: what FNINIT leaves, all registers zero, and the reset value
 * of MXCSR where there is one. */
void fpu_clean_state(enum fpu_kind kind, const struct cpu_ident *ident, uint8_t *state);

/* The word of the `fpu:` record: none, fnsave or fxsave. */
const char *fpu_kind_name(enum fpu_kind kind);

#endif
