/*
 * The local APIC of the CPU that calls: enabling, IPIs, its timer. One table of functions per
 * access mode, xAPIC (memory) and x2APIC (MSRs); everything above works with either. Which mode to
 * use is decided in decode/apic_mode.c; when a timer fires is decided in clock.c.
 */
#ifndef ARCH_X86_LAPIC_H
#define ARCH_X86_LAPIC_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/apic_mode.h"

/* SDM volume 3, "Local APIC Register Address Map": byte offsets of the xAPIC page. */
#define LAPIC_ID 0x020
#define LAPIC_VERSION 0x030
#define LAPIC_TPR 0x080
#define LAPIC_EOI 0x0b0
#define LAPIC_SVR 0x0f0
#define LAPIC_ESR 0x280
#define LAPIC_LVT_CMCI 0x2f0
#define LAPIC_ICR_LOW 0x300
#define LAPIC_ICR_HIGH 0x310
#define LAPIC_LVT_TIMER 0x320
#define LAPIC_LVT_THERMAL 0x330
#define LAPIC_LVT_PERFORMANCE 0x340
#define LAPIC_LVT_LINT0 0x350
#define LAPIC_LVT_LINT1 0x360
#define LAPIC_LVT_ERROR 0x370
#define LAPIC_TIMER_INITIAL 0x380
#define LAPIC_TIMER_CURRENT 0x390
#define LAPIC_TIMER_DIVIDE 0x3e0

/* SDM volume 3, "Interrupt Command Register (ICR)". Bit 14 is the level: without it an INIT is a
 * de-assert, which emulators forgive and hardware does not. */
#define ICR_FIXED (0u << 8 | 1u << 14)
#define ICR_NMI (4u << 8 | 1u << 14)
#define ICR_INIT (5u << 8 | 1u << 14)
#define ICR_INIT_DEASSERT (5u << 8 | 1u << 15)
#define ICR_STARTUP (6u << 8 | 1u << 14)

struct lapic_ops {
    const char *name;
    uint32_t (*read)(uint32_t reg);
    void (*write)(uint32_t reg, uint32_t value);
    /* Sends `command` to one CPU; false if the previous one did not leave in time. */
    bool (*send_ipi)(uint32_t apic_id, uint32_t command);
    uint32_t (*apic_id)(void);
};

/* Decides the mode and maps the registers; false if this machine has no usable local APIC. */
bool lapic_init(enum apic_mode mode, uint32_t phys);

/* Whether lapic_init succeeded. */
bool lapic_present(void);

/* Enables the local APIC of the CPU that calls and masks all its sources. */
void lapic_enable(void);

/* The APIC ID of the CPU that calls, from the APIC itself. */
uint32_t lapic_id(void);

/* Version field; below 0x10 it is the discrete 82489DX. */
uint32_t lapic_version(void);

/* End of interrupt; nothing without a local APIC. */
void lapic_eoi(void);

/* False if the IPI could not be sent within a bounded time. */
bool lapic_send_ipi(uint32_t apic_id, uint32_t command);

/* Lets NMIs from the LINT1 pin through (the boot CPU's job on PCs). */
void lapic_enable_nmi(void);

/* Lets the timer of the CPU that calls, which is stopped, interrupt it; once, before the next. */
void lapic_timer_enable(void);

/* One interrupt on VECTOR_TIMER after `ticks` of the timer's clock; 0 disarms. */
void lapic_timer_arm(uint32_t ticks);

/* Starts the timer at its highest value without an interrupt, and reads how far it came. */
void lapic_timer_start_free(void);
uint32_t lapic_timer_elapsed(void);

#endif
