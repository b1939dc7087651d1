/*
 * Starting the other CPUs: the INIT and STARTUP IPIs in their order, time limits, who failed; and
 * what is sent to CPUs later. What a started CPU does is ap.h.
 */
#ifndef ARCH_X86_SMP_H
#define ARCH_X86_SMP_H

#include <stdint.h>

/* How often a silent CPU is started before it counts as failed. */
#define SMP_ATTEMPTS 2

/* Starts every CPU whose state is CPU_LISTED; afterwards each is CPU_ONLINE or CPU_FAILED.
 * `trampoline_page` is a free page below 1 MiB, or 0: then none can be started. */
void smp_start(uint32_t trampoline_page);

/* Stops every other CPU by a non-maskable interrupt; they halt once they find this set. */
extern uint32_t smp_stopping;

#endif
