#include "kernel/smt_model.h"

#include "kernel/lib/clock_math.h"

#define SMALLEST_STALL_NS 2000u

/* Fixed while tasks run. Ratios instead of divisions: a charge must be short against a period. */
uint32_t smt_model_percent;
static struct clock_scale owed_of_shared, stall_of_due;

void smt_model_set(uint32_t percent)
{
    smt_model_percent = percent;
    if (percent == 0)
        return;
    /* Of a shared time t, t/S is progress; the rest must have been spent standing still. For
     * S = 1 the first ratio is no ratio, and the scale turns everything into 0, as it should. */
    clock_scale_init(&owed_of_shared, percent, percent - 100);
    /* due + d * (1 - 1/S) = d */
    clock_scale_init(&stall_of_due, 100, percent);
}

uint64_t smt_model_due_ns(uint64_t shared_ns, uint64_t stalled_ns)
{
    uint64_t owed;

    if (smt_model_percent == 0)
        return 0;
    owed = clock_scale_apply(&owed_of_shared, shared_ns);
    return owed > stalled_ns + SMALLEST_STALL_NS ? owed - stalled_ns : 0;
}

uint64_t smt_model_stall_ns(uint64_t due_ns)
{
    return clock_scale_apply(&stall_of_due, due_ns);
}
