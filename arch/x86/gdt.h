/*
 * Segments: each CPU has a GDT of its own with the same selectors (arch/x86/regs.h), a TSS that
 * names the kernel stack to use on entry from ring 3, a second TSS for double faults, and one
 * segment whose base is that CPU's record, loaded in GS while in the kernel.
 */
#ifndef ARCH_X86_GDT_H
#define ARCH_X86_GDT_H

#include <stdint.h>

struct cpu;

/* Fills and loads the tables of CPU number `cpu` (struct cpu at `record`) on the CPU that calls.
 * `fault_stack_top` is the stack for double faults. */
void gdt_init(unsigned cpu, struct cpu *record, void *fault_stack_top);

/* Where a CPU's segment holds the top of the stack it takes on the next entry from ring 3. */
#define GDT_STACK_OFFSET 8

/* Sets that stack, for the CPU that calls; interrupts off. */
static inline void gdt_set_kernel_stack(void *stack_top)
{
    __asm__ volatile("movl %0, %%gs:%c1" : : "r"(stack_top), "i"(GDT_STACK_OFFSET) : "memory");
}

/* The registers saved when CPU `cpu` double-faulted. */
struct tss;
const struct tss *gdt_faulted_state(unsigned cpu);

/* SDM volume 3, "Task-State Segment (TSS)". */
struct tss {
    uint32_t back_link;
    uint32_t esp0, ss0, esp1, ss1, esp2, ss2;
    uint32_t cr3, eip, eflags, eax, ecx, edx, ebx, esp, ebp, esi, edi;
    uint32_t es, cs, ss, ds, fs, gs, ldt;
    uint16_t trap, io_map_base;
};
_Static_assert(sizeof(struct tss) == 104, "the processor reads this");

#endif
