/*
 * Switches the local APIC of the CPU that calls on and into the right mode: carries out what
 * decode/apic_mode.h plans, by IA32_APIC_BASE. Its other registers are lapic.h.
 */
#ifndef ARCH_X86_APIC_SWITCH_H
#define ARCH_X86_APIC_SWITCH_H

#include <stdbool.h>

#include "arch/x86/decode/apic_mode.h"

/* Decides, on the boot CPU, how to talk to local APICs, and switches this one to it. */
struct apic_plan apic_switch_boot_cpu(void);

/* Brings another CPU's local APIC into the mode of the boot CPU's; false if it cannot get there. */
bool apic_switch_other_cpu(void);

#endif
