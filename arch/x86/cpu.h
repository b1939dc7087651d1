/*
 * What this CPU is and how its features are switched on; the same steps on every CPU. Who it is
 * according to CPUID is decode/cpu_ident.c, where it sits is decode/topology.h.
 */
#ifndef ARCH_X86_CPU_H
#define ARCH_X86_CPU_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/cpu_ident.h"

/* The boot CPU's identity; the other CPUs are checked against it. */
extern struct cpu_ident boot_cpu_ident;

/* The cpuid reader of the decoders, for the CPU that calls. */
struct cpuid_regs cpu_live_cpuid(void *unused, uint32_t leaf, uint32_t subleaf);

/* Whether this CPU has the CPUID instruction at all. */
bool cpu_has_cpuid(void);

/* Protection features this CPU has, and the FPU. */
void cpu_features_enable(void);

#endif
