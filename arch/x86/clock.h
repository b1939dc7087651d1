/*
 * Time: which clocks this machine has and how fast they run. The time stamp counter tells the time,
 * measured once against a reference clock (clock_source.h); the local APIC timer, or without one
 * the PIT, makes the interrupts.
 */
#ifndef ARCH_X86_CLOCK_H
#define ARCH_X86_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct fadt;
struct hpet;

/* Calibrates; needs paging and, if there is one, the enabled local APIC. NULL for a table the
 * machine does not have. Prints the `timer:` record. Interrupts off. */
void clock_init(const struct fadt *fadt, const struct hpet *hpet, bool tsc_invariant,
                uint32_t slice_us);

/* Busy-waits. Bounded by the time stamp counter itself. */
void clock_delay_us(uint32_t us);

#endif
