/*
 * Who this CPU is and what it can do: vendor, family, model, name, the feature bits the kernel
 * asks about, and the hypervisor it runs under. What it shares with other CPUs is topology.h. Pure.
 */
#ifndef ARCH_X86_DECODE_CPU_IDENT_H
#define ARCH_X86_DECODE_CPU_IDENT_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/cpuid_reader.h"

/* VENDOR_VIA: Centaur and its successor Zhaoxin. */
enum cpu_vendor { VENDOR_OTHER, VENDOR_INTEL, VENDOR_AMD, VENDOR_HYGON, VENDOR_VIA };

/* PLATFORM_BOCHS is never found here: Bochs does not show in CPUID, its firmware tells. */
enum cpu_platform {
    PLATFORM_BARE,
    PLATFORM_QEMU, /* its own emulation (TCG); with KVM it reads as PLATFORM_KVM */
    PLATFORM_KVM,
    PLATFORM_BOCHS,
    PLATFORM_VMWARE,
    PLATFORM_HYPERV,
    PLATFORM_VIRTUALBOX,
    PLATFORM_OTHER,
};

#define CPU_VENDOR_LENGTH 12
#define CPU_MODEL_NAME_LENGTH 48

struct cpu_ident {
    char vendor_name[CPU_VENDOR_LENGTH + 1];     /* as CPUID gives it, e.g. GenuineIntel */
    char hypervisor_name[CPU_VENDOR_LENGTH + 1]; /* empty on bare metal */
    char model_name[CPU_MODEL_NAME_LENGTH + 1];  /* trimmed; empty if the CPU has none */
    enum cpu_vendor vendor;
    enum cpu_platform platform;
    uint32_t max_leaf;          /* highest basic leaf */
    uint32_t max_extended_leaf; /* highest 0x8000xxxx leaf, 0 if there is none */
    uint16_t family;            /* display family and model: extended fields added in */
    uint8_t model;
    uint8_t stepping;
    bool pae, apic, tsc, msr, pge; /* leaf 1 EDX */
    bool fpu, fxsr, sse;
    bool htt;                  /* leaf 1 EBX[23:16] means something, no more than that */
    bool x2apic, tsc_deadline; /* leaf 1 ECX */
    bool hypervisor;
    bool arat;                     /* leaf 6: the APIC timer runs on in deep sleep */
    bool smep, smap, umip, hybrid; /* leaf 7 */
    bool nx, topoext;              /* leaf 0x80000001 */
    bool tsc_invariant;            /* leaf 0x80000007 */
    bool fpu_pointers; /* leaf 0x80000008, AMD: FXRSTOR always loads the error pointers */
};

/* Reads one CPU: call it on that CPU. Never fails; what the CPU does not tell stays zero. */
void cpu_identify(cpuid_reader *read, void *ctx, struct cpu_ident *out);

/* One leaf of the CPU described by ident; all zero if it lies above that CPU's maximum leaf. */
struct cpuid_regs cpu_ident_leaf(const struct cpu_ident *ident, cpuid_reader *read, void *ctx,
                                 uint32_t leaf, uint32_t subleaf);

/*
 * What this CPU lacks of the features that the kernel switches on for all if the boot CPU has them;
 * NULL if nothing. Boards with unequal CPUs exist.
 */
const char *cpu_ident_lacks(const struct cpu_ident *cpu, const struct cpu_ident *boot_cpu);

/* The word the `boot:` record uses: bare, qemu, kvm, bochs, vmware, hyperv, virtualbox, other. */
const char *cpu_platform_name(enum cpu_platform platform);

#endif
