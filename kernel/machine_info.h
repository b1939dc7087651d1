/*
 * Plain structs that the decoders fill and the rest of the kernel reads: the CPUs and where they
 * sit, and the memory ranges. Four numbers name a CPU and are never mixed: `cpu` (dense index in
 * MADT order, 0 is the boot CPU), `apic_id` (what interrupts are addressed to), `acpi_uid` (what
 * ACPI calls it) and its place (package, core, thread). Pure.
 */
#ifndef KERNEL_MACHINE_INFO_H
#define KERNEL_MACHINE_INFO_H

#include <stdbool.h>
#include <stdint.h>

/* The simulator of the scheduler is built for more. */
#ifndef MAX_CPUS
#define MAX_CPUS 256
#endif

enum cpu_type { CPU_UNIFORM, CPU_PERFORMANCE, CPU_EFFICIENCY };

/* What the CPUs of one core share. SHARES_MODULE: integer cores of one AMD compute unit. */
enum core_shares { SHARES_NONE, SHARES_SMT, SHARES_MODULE };

/* Where one CPU sits. Package, core and module numbers are dense and unique over the machine. */
struct cpu_place {
    uint32_t apic_id;
    uint16_t cpu; /* its number; set by the caller of the decoders, who pass it on */
    uint16_t package;
    uint16_t core;   /* AMD family 15h: the integer core */
    uint16_t thread; /* rank by APIC ID inside its core, from 0 */
    uint16_t module; /* AMD family 15h: the compute unit; elsewhere equal to core */
    uint16_t cache;  /* CPUs with equal numbers share the last-level cache; dense over machine */
    enum cpu_type type;
};

/* One range of physical memory as the boot loader reports it. */
struct memory_range {
    uint64_t base;
    uint64_t length_bytes;
    uint32_t type; /* 1 is usable RAM, everything else is not ours */
};

#endif
