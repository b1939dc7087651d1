/*
 * A started CPU's side of its start: a stack to wake up on and its first steps in C. The very first
 * instructions are boot/ap_trampoline.asm; who is started when is smp.h.
 */
#ifndef ARCH_X86_AP_H
#define ARCH_X86_AP_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/topology.h"

/* Copies the trampoline to its page below 1 MiB. */
void ap_install_trampoline(uint32_t page);

/* One stack and idle task for each CPU about to be started; false if memory ran out. */
bool ap_add_tickets(unsigned count);

/* A CPU's clock must not start behind the boot CPU's: which tells it while it waits. */
void ap_tell_time(uint64_t now_ns);

/* What every online CPU found out about its own place; indexed by CPU. The boot CPU fills in its
 * own. */
extern struct topology_scan ap_scans[MAX_CPUS];

/* A feature that a started CPU lacks although the boot CPU has it, so that it could not join; NULL
 * if there was none. */
const char *ap_lacking(void);

/* First C code of a started CPU, from the trampoline, paging off. Never returns. */
__attribute__((noreturn)) void ap_entry(uint32_t ticket);

#endif
