#include "kernel/smt_model.h"

#include "kernel/lib/clock_math.h"

#define SMALLEST_STALL_NS 2000u

static uint32_t model_percent; /* fixed while tasks run */

void smt_model_set(uint32_t percent)
{
    model_percent = percent;
}

uint32_t smt_model_percent(void)
{
    return model_percent;
}

uint64_t smt_model_due_ns(uint64_t shared_ns, uint64_t stalled_ns)
{
    /* Of a shared time t, t/S is progress; the rest must have been spent standing still. */
    uint64_t owed;

    if (model_percent == 0)
        return 0;
    owed = mul_div_u64(shared_ns, model_percent - 100, model_percent);
    return owed > stalled_ns + SMALLEST_STALL_NS ? owed - stalled_ns : 0;
}

uint64_t smt_model_stall_ns(uint64_t due_ns)
{
    /* due + d * (1 - 1/S) = d */
    return mul_div_u64(due_ns, model_percent, 100);
}
