/*
 * MADT decoder: which CPUs firmware offers, where the interrupt controllers are and how legacy
 * interrupts are wired. It sees bytes only, never a physical address, and believes no length or
 * identifier before checking it. The list is one of candidates: whether a CPU answers is found out
 * by starting it. Pure.
 */
#ifndef ARCH_X86_DECODE_MADT_H
#define ARCH_X86_DECODE_MADT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/error.h"
#include "kernel/lib/warnings.h"
#include "kernel/machine_info.h"

#define MADT_MAX_IOAPICS 32
#define MADT_ISA_IRQS 16 /* only these can be overridden */
#define MADT_MAX_LOCAL_NMIS MAX_CPUS
#define MADT_UID_ALL 0xffffffffu     /* struct madt_local_nmi: the line of every CPU */
#define MADT_UID_UNKNOWN 0xffffffffu /* struct madt_cpu: not listed by firmware */

enum madt_cpu_state {
    MADT_CPU_USABLE,
    MADT_CPU_SKIPPED,  /* enabled, but xAPIC mode cannot address it */
    MADT_CPU_DISABLED, /* an empty or hot-plug slot */
};

struct madt_cpu {
    uint32_t apic_id;
    uint32_t acpi_uid;
    enum madt_cpu_state state;
    const char *reason; /* why it is not usable, "" if it is; static storage */
    bool online_capable;
};

struct madt_ioapic {
    uint8_t ioapic_id;
    uint32_t phys;
    uint32_t gsi_base;
};

/* An ISA interrupt that is not wired to the GSI of the same number, or not in the ISA way. */
struct madt_override {
    uint8_t irq;
    uint32_t gsi;
    uint16_t flags; /* ACPI Specification, MPS INTI Flags */
};

struct madt_local_nmi {
    uint32_t acpi_uid;
    uint16_t flags;
    uint8_t lint; /* 0 or 1 */
};

struct madt {
    /* Every APIC ID once: first the usable ones, then skipped, then disabled; each in MADT order.
     */
    struct madt_cpu cpus[MAX_CPUS];
    unsigned cpu_count;
    unsigned usable_count; /* cpus[0] to cpus[usable_count - 1] may be started */
    unsigned dropped;      /* enabled CPUs for which `cpus` had no room */
    /* Processor entries as firmware wrote them, doubles included: entries is the sum of the rest.
     */
    unsigned entries;
    unsigned enabled;
    unsigned online_capable;
    unsigned disabled;
    uint32_t lapic_address; /* a hint: IA32_APIC_BASE decides */
    bool pcat_compat;       /* a pair of 8259s is there and must be masked */
    struct madt_ioapic ioapics[MADT_MAX_IOAPICS];
    unsigned ioapic_count;
    struct madt_override overrides[MADT_ISA_IRQS];
    unsigned override_count;
    struct madt_local_nmi local_nmis[MADT_MAX_LOCAL_NMIS];
    unsigned local_nmi_count;
    struct warning_list warnings;
};

/*
 * Decodes the table at `bytes`, of which `length` bytes are readable. On any error `out` lists no
 * CPU; what can be survived (a bad checksum, a bad entry, no CPU at all) is a warning instead.
 */
enum error madt_parse(const void *bytes, size_t length, struct madt *out);

/*
 * Makes the skipped CPUs usable: for a kernel that runs its local APICs in x2APIC mode. To be
 * called before madt_order_boot_cpu_first.
 */
void madt_accept_x2apic_ids(struct madt *madt);

/*
 * Puts the boot CPU, known by the ID of its own local APIC, into slot 0; the others keep their
 * order. Firmware that does not list it as usable is corrected with a warning.
 * ERROR_BAD_VALUE, and nothing changed, for an ID that addresses every CPU (a dead local APIC).
 */
enum error madt_order_boot_cpu_first(struct madt *madt, uint32_t boot_apic_id);

#endif
