/*
 * The three reference clocks of a PC behind one interface: pit.c, hpet.c, pmtimer.c. They tell
 * how fast the time stamp counter runs (clock.c); nobody tells the time by them afterwards.
 */
#ifndef ARCH_X86_CLOCK_SOURCE_H
#define ARCH_X86_CLOCK_SOURCE_H

#include <stdint.h>

struct clock_source {
    const char *name; /* as the `timer:` record names it */
    uint64_t hz;
    unsigned width_bits;    /* the counter wraps at 2^width_bits */
    void (*restart)(void);  /* NULL, or begins a new run of a counter that stops at its end */
    uint32_t (*read)(void); /* counts up */
};

struct fadt;
struct hpet;

/* Each returns the clock, or NULL if this machine does not have it (it need not tick, though). */
const struct clock_source *pit_clock(void);
const struct clock_source *hpet_clock(const struct hpet *table);
const struct clock_source *pmtimer_clock(const struct fadt *table);

/* The PIT as event timer, for machines without a local APIC: one interrupt on IRQ 0 after about
 * `ns`, at most 50 ms ahead. */
void pit_arm(uint64_t ns);

#endif
