#include "kernel/lib/stats.h"

#include "kernel/lib/clock_math.h"

/* Shell sort (Knuth, "The Art of Computer Programming", volume 3): short, no stack, fast enough
 * for some thousand samples. */
static void sort(uint32_t *samples, uint32_t count)
{
    uint32_t gap = 1;

    while (gap < count / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3)
        for (uint32_t i = gap; i < count; i++) {
            uint32_t value = samples[i], j = i;

            for (; j >= gap && samples[j - gap] > value; j -= gap)
                samples[j] = samples[j - gap];
            samples[j] = value;
        }
}

struct stats stats_of(uint32_t *samples, uint32_t count)
{
    if (count == 0)
        return (struct stats){0, 0, 0};
    sort(samples, count);
    return (struct stats){samples[0], samples[(count - 1) / 2], samples[count - 1]};
}

uint32_t stats_percent(uint64_t part, uint64_t whole)
{
    uint64_t percent;

    if (whole == 0)
        return 0;
    percent = mul_div_u64(200, part, whole);
    return percent >= UINT32_MAX ? UINT32_MAX / 2 : (uint32_t)((percent + 1) / 2);
}
