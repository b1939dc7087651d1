/*
 * The text of the log records about CPUs, the same in the kernel and on a host: `cpu:`, `core:`,
 * `cache:` and `topology:` lines, each complete with its newline, into a sink. Warnings are left
 * to the caller, who counts them. Pure.
 */
#ifndef ARCH_X86_DECODE_TOPOLOGY_PRINT_H
#define ARCH_X86_DECODE_TOPOLOGY_PRINT_H

#include "arch/x86/decode/cpu_ident.h"
#include "arch/x86/decode/topology.h"
#include "kernel/lib/format.h"

/*
 * One `cpu:` line. place is NULL for a CPU that is not online: its place reads -1. state is online,
 * failed or skipped; reason may be empty.
 */
void topology_print_cpu(text_sink *sink, void *ctx, unsigned cpu, uint32_t apic_id,
                        const struct cpu_place *place, const char *state, const char *reason);

/*
 * One `core:` line for each core. On AMD family 15h the record is that of an integer core, and
 * module= names the compute unit in which it shares.
 */
void topology_print_cores(text_sink *sink, void *ctx, const struct topology *topology,
                          const struct cpu_place *places);

/* One `cache:` line for each cache; none under an override, for CPUID is not believed then. */
void topology_print_caches(text_sink *sink, void *ctx, const struct topology *topology,
                           const struct topology_scan *scans, const struct cpu_place *places);

/* The `topology:` line; ident is that of the boot CPU. */
void topology_print_summary(text_sink *sink, void *ctx, const struct topology *topology,
                            const struct cpu_ident *ident);

#endif
