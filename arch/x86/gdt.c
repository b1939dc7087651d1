#include "arch/x86/gdt.h"

#include <stddef.h>

#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "arch/x86/trap.h"
#include "kernel/machine_info.h"

/* SDM volume 3, "Segment Descriptors": access byte and flags nibble, accessed bit preset. */
#define ACCESS_CODE 0x9b
#define ACCESS_DATA 0x93
#define ACCESS_TSS 0x89
#define ACCESS_RING3 0x60
#define FLAGS_4K_32BIT 0xc
#define FLAGS_BYTES_32BIT 0x4
#define FLAGS_TSS 0x0
#define LIMIT_4GIB 0xfffff

/* Each CPU's GS segment begins here: the record at gs:0 (arch/x86/cpu.c), then the stack in the
 * TSS, which the segment ends with. */
struct gdt_cpu {
    struct cpu *record;
    struct tss tss;
    struct tss double_fault_tss;
    uint64_t gdt[GDT_ENTRIES];
};
#define PERCPU_BYTES (GDT_STACK_OFFSET + sizeof(uint32_t))
_Static_assert(offsetof(struct gdt_cpu, tss.esp0) == GDT_STACK_OFFSET, "gdt_set_kernel_stack");

static struct gdt_cpu gdt_cpus[MAX_CPUS];

static uint64_t descriptor(uint32_t base, uint32_t limit, uint32_t access, uint32_t flags)
{
    return (limit & 0xffff) | (uint64_t)(base & 0xffffff) << 16 | (uint64_t)access << 40 |
           (uint64_t)(limit >> 16 & 0xf) << 48 | (uint64_t)flags << 52 |
           (uint64_t)(base >> 24) << 56;
}

static void fill_descriptors(struct gdt_cpu *g)
{
    g->gdt[GDT_KERNEL_CODE] = descriptor(0, LIMIT_4GIB, ACCESS_CODE, FLAGS_4K_32BIT);
    g->gdt[GDT_KERNEL_DATA] = descriptor(0, LIMIT_4GIB, ACCESS_DATA, FLAGS_4K_32BIT);
    g->gdt[GDT_USER_CODE] = descriptor(0, LIMIT_4GIB, ACCESS_CODE | ACCESS_RING3, FLAGS_4K_32BIT);
    g->gdt[GDT_USER_DATA] = descriptor(0, LIMIT_4GIB, ACCESS_DATA | ACCESS_RING3, FLAGS_4K_32BIT);
    g->gdt[GDT_PERCPU] = descriptor((uint32_t)g, PERCPU_BYTES - 1, ACCESS_DATA, FLAGS_BYTES_32BIT);
    g->gdt[GDT_TSS] = descriptor((uint32_t)&g->tss, sizeof g->tss - 1, ACCESS_TSS, FLAGS_TSS);
    g->gdt[GDT_DOUBLE_FAULT_TSS] =
        descriptor((uint32_t)&g->double_fault_tss, sizeof g->tss - 1, ACCESS_TSS, FLAGS_TSS);
}

static void fill_task_states(struct gdt_cpu *g, void *fault_stack_top)
{
    g->tss.ss0 = SELECTOR_KERNEL_DATA;
    g->tss.io_map_base = sizeof g->tss; /* beyond the limit: ring 3 may use no port */
    g->double_fault_tss = (struct tss){
        .cr3 = cr3_read(),
        .eip = (uint32_t)trap_double_fault,
        .eflags = EFLAGS_FIXED,
        .esp = (uint32_t)fault_stack_top - 16,
        .cs = SELECTOR_KERNEL_CODE,
        .ss = SELECTOR_KERNEL_DATA,
        .ds = SELECTOR_KERNEL_DATA,
        .es = SELECTOR_KERNEL_DATA,
        .gs = SELECTOR_PERCPU,
        .io_map_base = sizeof g->tss,
    };
}

static void load(struct gdt_cpu *g)
{
    const struct __attribute__((packed)) {
        uint16_t limit;
        uint32_t base;
    } pointer = {sizeof g->gdt - 1, (uint32_t)g->gdt};
    __asm__ volatile("lgdt %0\n\t"
                     "ljmp %1, $1f\n"
                     "1:\tmov %2, %%ds\n\t"
                     "mov %2, %%es\n\t"
                     "mov %2, %%ss\n\t"
                     "mov %3, %%fs\n\t"
                     "mov %4, %%gs\n\t"
                     "lldt %w3\n\t"
                     "ltr %w5"
                     :
                     : "m"(pointer), "i"(SELECTOR_KERNEL_CODE), "r"(SELECTOR_KERNEL_DATA), "r"(0),
                       "r"(SELECTOR_PERCPU), "r"(SELECTOR_TSS)
                     : "memory");
}

void gdt_init(unsigned cpu, struct cpu *record, void *fault_stack_top)
{
    struct gdt_cpu *g = &gdt_cpus[cpu];

    g->record = record;
    fill_descriptors(g);
    fill_task_states(g, fault_stack_top);
    load(g);
}

const struct tss *gdt_faulted_state(unsigned cpu)
{
    return &gdt_cpus[cpu].tss;
}
