#include "arch/x86/decode/apic_mode.h"

/* Intel SDM, Enabling or Disabling the Local APIC, and x2APIC State Transitions. */
#define BASE_EXTD (1ull << 10)
#define BASE_EN (1ull << 11)
#define BASE_FLAGS 0xfffull
#define BASE_DEFAULT 0xfee00000ull

/* IA32_APIC_BASE without the mode bits, and with registers where a 32-bit kernel reaches them. */
static uint64_t plain_base(const struct apic_cpu *cpu)
{
    uint64_t flags = cpu->apic_base & BASE_FLAGS & ~(BASE_EN | BASE_EXTD);
    uint64_t address = cpu->apic_base & ~BASE_FLAGS;

    return flags | (address == 0 || address > UINT32_MAX ? BASE_DEFAULT : address);
}

static void add_write(struct apic_plan *plan, uint64_t value)
{
    plan->writes[plan->write_count++] = value;
}

static bool x2apic_on(const struct apic_cpu *cpu)
{
    return (cpu->apic_base & (BASE_EN | BASE_EXTD)) == (BASE_EN | BASE_EXTD);
}

/* From x2APIC mode there is no direct way: the APIC is switched off in between. */
static struct apic_plan enter_xapic(const struct apic_cpu *cpu)
{
    uint64_t wanted = plain_base(cpu) | BASE_EN;
    struct apic_plan plan = {.mode = APIC_MODE_XAPIC, .base = (uint32_t)(wanted & ~BASE_FLAGS)};

    if (x2apic_on(cpu))
        add_write(&plan, plain_base(cpu));
    if (cpu->apic_base != wanted)
        add_write(&plan, wanted);
    return plan;
}

/* Into x2APIC mode only from xAPIC mode: a dark APIC is switched on first. */
static struct apic_plan enter_x2apic(const struct apic_cpu *cpu)
{
    uint64_t xapic = plain_base(cpu) | BASE_EN;
    struct apic_plan plan = {.mode = APIC_MODE_X2APIC};

    if (x2apic_on(cpu))
        return plan;
    if ((cpu->apic_base & BASE_EN) == 0)
        add_write(&plan, xapic);
    add_write(&plan, xapic | BASE_EXTD);
    return plan;
}

/* CPUID hides an APIC that is switched off; if it is hidden while on, there is none. */
static struct apic_plan reveal(const struct apic_cpu *cpu)
{
    struct apic_plan plan = {.mode = APIC_MODE_NONE};

    if ((cpu->apic_base & BASE_EN) == 0) {
        add_write(&plan, plain_base(cpu) | BASE_EN);
        plan.look_again = true;
    }
    return plan;
}

struct apic_plan apic_mode_plan(const struct apic_cpu *cpu)
{
    if (!cpu->has_apic)
        return reveal(cpu);
    if (cpu->has_x2apic && (x2apic_on(cpu) || cpu->legacy_xapic_disabled))
        return enter_x2apic(cpu);
    if (cpu->legacy_xapic_disabled)
        return (struct apic_plan){.mode = APIC_MODE_NONE};
    return enter_xapic(cpu);
}

struct apic_plan apic_mode_join(const struct apic_cpu *cpu, enum apic_mode boot_mode)
{
    if (boot_mode == APIC_MODE_NONE)
        return (struct apic_plan){.mode = APIC_MODE_NONE};
    if (!cpu->has_apic)
        return reveal(cpu);
    if (boot_mode == APIC_MODE_X2APIC && cpu->has_x2apic)
        return enter_x2apic(cpu);
    if (boot_mode == APIC_MODE_XAPIC && !cpu->legacy_xapic_disabled)
        return enter_xapic(cpu);
    return (struct apic_plan){.mode = APIC_MODE_NONE};
}
