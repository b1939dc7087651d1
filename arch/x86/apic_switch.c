#include "arch/x86/apic_switch.h"

#include <stddef.h>

#include "arch/x86/cpu.h"
#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "kernel/lib/bits.h"

#define LEAF7_EDX_ARCH_CAPABILITIES 29
#define ARCH_CAPABILITIES_XAPIC_DISABLE 21
#define LOOKS_MAX 2 /* CPUID shows an APIC only after it was switched on */

static enum apic_mode boot_apic_mode;

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

static struct apic_plan carry_out_plan(bool is_boot_cpu)
{
    struct apic_plan plan;
    unsigned looks = 0;

    do {
        struct apic_cpu cpu = look_at_apic();

        plan = is_boot_cpu ? apic_mode_plan(&cpu) : apic_mode_join(&cpu, boot_apic_mode);
        for (unsigned i = 0; i < plan.write_count; i++)
            msr_write(MSR_APIC_BASE, plan.writes[i]);
    } while (plan.look_again && ++looks < LOOKS_MAX);
    return plan;
}

struct apic_plan apic_switch_boot_cpu(void)
{
    struct apic_plan plan = carry_out_plan(true);

    boot_apic_mode = plan.mode;
    return plan;
}

bool apic_switch_other_cpu(void)
{
    return carry_out_plan(false).mode == boot_apic_mode;
}
