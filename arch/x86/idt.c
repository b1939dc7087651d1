#include "arch/x86/idt.h"

#include <stdint.h>

#include "arch/x86/regs.h"

/* SDM volume 3, "IDT Descriptors". */
#define GATE_INTERRUPT 0x8e00u /* present, 32-bit, interrupts off on entry */
#define GATE_TASK 0x8500u
#define GATE_USER 0x6000u /* ring 3 may use it with INT n */

struct idt_gate {
    uint32_t low, high;
};
_Static_assert(sizeof(struct idt_gate) == 8, "the processor reads this");

static struct idt_gate idt[IDT_VECTORS];

/* Entry points, one per vector (traps.asm). */
extern const uint32_t trap_stubs[IDT_VECTORS];

static struct idt_gate gate(uint32_t selector, uint32_t offset, uint32_t flags)
{
    return (struct idt_gate){selector << 16 | (offset & 0xffff), (offset & 0xffff0000) | flags};
}

void idt_init(void)
{
    for (unsigned vector = 0; vector < IDT_VECTORS; vector++)
        idt[vector] = gate(SELECTOR_KERNEL_CODE, trap_stubs[vector], GATE_INTERRUPT);
    /* INT3, INTO and the system call are the three that a task may raise by instruction. */
    idt[VECTOR_BREAKPOINT].high |= GATE_USER;
    idt[VECTOR_OVERFLOW].high |= GATE_USER;
    idt[VECTOR_SYSCALL].high |= GATE_USER;
    /* A double fault usually means a bad stack, so it gets another one by a task switch. */
    idt[VECTOR_DOUBLE_FAULT] = gate(SELECTOR_DOUBLE_FAULT_TSS, 0, GATE_TASK);
    idt_load();
}

void idt_load(void)
{
    const struct __attribute__((packed)) {
        uint16_t limit;
        uint32_t base;
    } pointer = {sizeof idt - 1, (uint32_t)idt};
    __asm__ volatile("lidt %0" : : "m"(pointer));
}
