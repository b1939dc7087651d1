/*
 * What the processor does on an exception, interrupt or system call, in C: the saved registers and
 * the dispatch by vector. The entry code is traps.asm, the vector numbers are in idt.h.
 */
#ifndef ARCH_X86_TRAP_H
#define ARCH_X86_TRAP_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/syscall.h"

/* The stack as traps.asm builds it, lowest address first. */
struct trap_frame {
    uint32_t edi, esi, ebp, esp_ignored; /* PUSHA, like the next four */
    union {
        struct {
            uint32_t ebx, edx, ecx, eax;
        };
        struct syscall_registers call;
    };
    uint32_t gs, fs, es, ds;
    uint32_t vector, error;
    uint32_t eip, cs, eflags;   /* pushed by the processor */
    uint32_t user_esp, user_ss; /* only when the trap came from ring 3 */
};

static inline bool trap_from_user(const struct trap_frame *frame)
{
    return (frame->cs & 3) == 3;
}

/* Called by traps.asm with interrupts off; returns to what was interrupted (or to what the
 * scheduler made of it). */
void trap_dispatch(struct trap_frame *frame);

/* Called through the double fault task gate; never returns. */
__attribute__((noreturn)) void trap_double_fault(void);

#endif
