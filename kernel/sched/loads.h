/*
 * CPUs filed by their load, which is how much waits in the queue they serve: by its two digits to
 * the base of 64, so that those with the least or the most of any set are found in a few steps over
 * the words of a bitmap, however many CPUs and entities there are. Pure.
 */
#ifndef KERNEL_SCHED_LOADS_H
#define KERNEL_SCHED_LOADS_H

#include "kernel/sched/policy.h"

#define LOADS_MAX (LOADS_BASE * LOADS_BASE - 1) /* larger ones count as this */

/* Files a CPU under a load, or, for LOADS_NONE, nowhere. */
void loads_file(struct sched *sched, uint32_t cpu, uint16_t load);

/* The least and the most that any CPU is filed under. If the two differ in their high digit they
 * are at most a digit too far apart. */
struct loads_range {
    uint16_t least, most;
};
struct loads_range loads_range(const struct sched *sched);

/* The CPUs that are filed under a load other than 0. */
struct bitmap loads_waiting(const struct sched *sched);

/* Looks from *load on, upwards or down, for the next load that CPUs of `within` are filed under:
 * *load becomes that, *set those CPUs. False if there is none. All of `within` are filed, and there
 * is one at least. */
bool loads_next_up(const struct sched *sched, const struct bitmap *within, uint32_t *load,
                   struct bitmap *set);
bool loads_next_down(const struct sched *sched, const struct bitmap *within, uint32_t *load,
                     struct bitmap *set);

#endif
