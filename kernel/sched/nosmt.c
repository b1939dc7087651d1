/*
 * nosmt: believes that a core is one CPU and that its other threads had better not exist, which is
 * what hw.smt=0 does. Unlike switching them off it leaves every task the choice of thread, so a
 * task pinned to a second thread still runs; it is alone on the core then.
 */
#include <stddef.h>

#include "kernel/sched/exclusive.h"
#include "kernel/sched/place.h"

static bool needs_slice(const struct sched *sched, uint32_t cpu)
{
    (void)cpu;
    return sched->waiting > 0;
}

const struct sched_policy policy_nosmt = {.name = "nosmt",
                                          .queue_per_core = true,
                                          .evens_out = true,
                                          .sharing = SHARING_NONE,
                                          .place = place_on_idle,
                                          .join = place_in_shortest,
                                          .pick = exclusive_pick,
                                          .needs_slice = needs_slice};
