#include "arch/x86/cpu.h"

#include <stddef.h>

#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "kernel/arch.h"
#include "kernel/lib/bits.h"

/* SDM volume 1, "EFLAGS Register": this bit can be changed if and only if CPUID exists. */
#define EFLAGS_ID (1u << 21)
#define LEAF7_EDX_ARCH_CAPABILITIES 29
#define ARCH_CAPABILITIES_XAPIC_DISABLE 21

struct cpu cpus[MAX_CPUS];
unsigned cpu_count;
struct cpu_ident boot_cpu_ident;

static enum apic_mode boot_apic_mode;

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

/* Newer firmware may lock the local APIC in x2APIC mode. SDM volume 3, "Legacy xAPIC Mode Disabled
 * Status": one MSR says whether the MSR that says so exists. */
static bool legacy_xapic_is_disabled(const struct cpu_ident *ident)
{
    struct cpuid_regs leaf7 = cpu_ident_leaf(ident, cpu_live_cpuid, NULL, 7, 0);

    return bit(leaf7.edx, LEAF7_EDX_ARCH_CAPABILITIES) &&
           bit((uint32_t)msr_read(MSR_ARCH_CAPABILITIES), ARCH_CAPABILITIES_XAPIC_DISABLE) &&
           bit((uint32_t)msr_read(MSR_XAPIC_DISABLE_STATUS), 0);
}

static struct apic_cpu look_at_apic(void)
{
    struct cpu_ident ident;

    cpu_identify(cpu_live_cpuid, NULL, &ident);
    return (struct apic_cpu){.has_apic = ident.apic,
                             .has_x2apic = ident.x2apic,
                             .legacy_xapic_disabled = legacy_xapic_is_disabled(&ident),
                             .apic_base = ident.msr ? msr_read(MSR_APIC_BASE) : 0};
}

static void carry_out(const struct apic_plan *plan)
{
    for (unsigned i = 0; i < plan->write_count; i++)
        msr_write(MSR_APIC_BASE, plan->writes[i]);
}

struct apic_plan cpu_choose_apic_mode(void)
{
    struct apic_cpu cpu = look_at_apic();
    struct apic_plan plan = apic_mode_plan(&cpu);

    carry_out(&plan);
    if (plan.look_again) {
        cpu = look_at_apic();
        plan = apic_mode_plan(&cpu);
        carry_out(&plan);
    }
    boot_apic_mode = plan.mode;
    return plan;
}

bool cpu_enable_apic_mode(void)
{
    struct apic_cpu cpu = look_at_apic();
    struct apic_plan plan = apic_mode_join(&cpu, boot_apic_mode);

    carry_out(&plan);
    if (plan.look_again) {
        cpu = look_at_apic();
        plan = apic_mode_join(&cpu, boot_apic_mode);
        carry_out(&plan);
    }
    return plan.mode == boot_apic_mode;
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
    cr0_write((cr0_read() | CR0_EM | CR0_NE | CR0_WP) & ~(CR0_MP | CR0_TS));
}

struct cpu *arch_this_cpu(void)
{
    struct cpu *cpu;

    __asm__("movl %%gs:0, %0" : "=r"(cpu));
    return cpu;
}

bool arch_irq_save(void)
{
    uint32_t flags;

    __asm__ volatile("pushfl\n\tpopl %0\n\tcli" : "=r"(flags) : : "memory");
    return (flags & EFLAGS_IF) != 0;
}

void arch_irq_restore(bool were_on)
{
    if (were_on)
        __asm__ volatile("sti" : : : "memory");
}

void arch_wait_for_interrupt(void)
{
    cpu_enable_interrupts_and_halt();
    __asm__ volatile("cli" : : : "memory");
}

void arch_relax(void)
{
    cpu_pause();
}
