#include "arch/x86/cpu.h"

#include <stddef.h>

#include "arch/x86/fpu.h"
#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "kernel/arch.h"

/* SDM volume 1, "EFLAGS Register": this bit can be changed if and only if CPUID exists. */
#define EFLAGS_ID (1u << 21)

struct cpu cpus[MAX_CPUS];
unsigned cpu_count;
struct cpu_ident boot_cpu_ident;

struct cpuid_regs cpu_live_cpuid(void *unused, uint32_t leaf, uint32_t subleaf)
{
    struct cpuid_regs r;

    (void)unused;
    __asm__ volatile("cpuid"
                     : "=a"(r.eax), "=b"(r.ebx), "=c"(r.ecx), "=d"(r.edx)
                     : "a"(leaf), "c"(subleaf));
    return r;
}

bool cpu_has_cpuid(void)
{
    uint32_t before, after;

    __asm__ volatile("pushfl\n\t"
                     "popl %0\n\t"
                     "movl %0, %1\n\t"
                     "xorl %2, %1\n\t"
                     "pushl %1\n\t"
                     "popfl\n\t"
                     "pushfl\n\t"
                     "popl %1\n\t"
                     "pushl %0\n\t"
                     "popfl"
                     : "=&r"(before), "=&r"(after)
                     : "i"(EFLAGS_ID));
    return ((before ^ after) & EFLAGS_ID) != 0;
}

void cpu_features_enable(void)
{
    struct cpu_ident ident;
    uint32_t cr4 = cr4_read();

    cpu_identify(cpu_live_cpuid, NULL, &ident);
    if (ident.smep)
        cr4 |= CR4_SMEP;
    if (ident.umip)
        cr4 |= CR4_UMIP;
    cr4_write(cr4);
    cr0_write(cr0_read() | CR0_WP);
    fpu_enable();
}

void arch_wait_for_interrupt(void)
{
    cpu_enable_interrupts_and_halt();
    __asm__ volatile("cli" : : : "memory");
}
