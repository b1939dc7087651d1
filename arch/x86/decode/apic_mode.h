/*
 * Which way to talk to the local APIC, decided from what CPUID and IA32_APIC_BASE say. Firmware
 * hands over with the APIC off, on, or in x2APIC mode, and the wrong way in reads nothing but
 * zeros or ones. The register accesses themselves are lapic's. Pure.
 */
#ifndef ARCH_X86_DECODE_APIC_MODE_H
#define ARCH_X86_DECODE_APIC_MODE_H

#include <stdbool.h>
#include <stdint.h>

enum apic_mode {
    APIC_MODE_NONE,   /* do not touch it: one CPU, 8259 and 8254 */
    APIC_MODE_XAPIC,  /* registers in memory at `base` of the plan */
    APIC_MODE_X2APIC, /* registers are MSRs */
};

/* What one CPU says of itself. */
struct apic_cpu {
    bool has_apic;              /* CPUID leaf 1, EDX bit 9 */
    bool has_x2apic;            /* CPUID leaf 1, ECX bit 21 */
    bool legacy_xapic_disabled; /* IA32_XAPIC_DISABLE_STATUS bit 0, where that MSR exists */
    uint64_t apic_base;         /* IA32_APIC_BASE */
};

struct apic_plan {
    enum apic_mode mode;
    uint32_t base;      /* physical address of the registers; for APIC_MODE_XAPIC only */
    uint64_t writes[2]; /* into IA32_APIC_BASE, in this order */
    unsigned write_count;
    bool look_again; /* after the writes read `struct apic_cpu` anew and plan once more, once */
};

/* For the boot CPU: keeps the mode firmware left, as far as it works, and turns a dark APIC on. */
struct apic_plan apic_mode_plan(const struct apic_cpu *cpu);

/*
 * For every other CPU: how to get into the mode of the boot CPU. `mode` of the result is
 * APIC_MODE_NONE if it cannot get there.
 */
struct apic_plan apic_mode_join(const struct apic_cpu *cpu, enum apic_mode boot_mode);

#endif
