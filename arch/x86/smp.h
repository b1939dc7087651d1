/*
 * Starting the other CPUs: the INIT and STARTUP IPIs, each CPU's first steps in C, time limits.
 * The very first instructions are boot/ap_trampoline.asm.
 */
#ifndef ARCH_X86_SMP_H
#define ARCH_X86_SMP_H

#include <stdint.h>

#include "arch/x86/decode/topology.h"

/* Starts every CPU whose state is CPU_LISTED; afterwards each is CPU_ONLINE or CPU_FAILED.
 * `trampoline_page` is a free page below 1 MiB, or 0: then none can be started. */
void smp_start(uint32_t trampoline_page);

/* What every online CPU found out about its own place; indexed by CPU. */
extern struct topology_scan smp_scans[MAX_CPUS];

/* First C code of a started CPU, from the trampoline, paging off. Never returns. */
__attribute__((noreturn)) void smp_ap_entry(uint32_t ticket);

/* Stops every other CPU by a non-maskable interrupt; they halt in smp_stop_here. */
extern uint32_t smp_stopping;

#endif
