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
    sort(samples, count);
    return stats_of_sorted(samples, count);
}

struct stats stats_of_sorted(const uint32_t *sorted, uint32_t count)
{
    if (count == 0)
        return (struct stats){0, 0, 0};
    return (struct stats){sorted[0], sorted[(count - 1) / 2], sorted[count - 1]};
}

uint32_t stats_spread_percent(const struct stats *stats)
{
    return stats_percent(stats->max - stats->min, stats->median);
}

static uint32_t spread_of_sorted(const uint32_t *sorted, uint32_t count)
{
    struct stats stats = stats_of_sorted(sorted, count);

    return stats_spread_percent(&stats);
}

uint32_t stats_spread_of_peaks(const uint32_t *sorted, uint32_t count)
{
    uint32_t cut = 0, below, above;

    for (uint32_t i = 1; i < count; i++)
        if (cut == 0 || sorted[i] - sorted[i - 1] > sorted[cut] - sorted[cut - 1])
            cut = i;
    if (cut < STATS_PEAK_SAMPLES && count - cut < STATS_PEAK_SAMPLES)
        return spread_of_sorted(sorted, count);
    below = spread_of_sorted(sorted, cut);
    above = spread_of_sorted(sorted + cut, count - cut);
    return below > above ? below : above;
}

uint32_t stats_percent(uint64_t part, uint64_t whole)
{
    uint64_t percent;

    if (whole == 0)
        return 0;
    percent = mul_div_u64(200, part, whole);
    return percent >= UINT32_MAX ? UINT32_MAX / 2 : (uint32_t)((percent + 1) / 2);
}
