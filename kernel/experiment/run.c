#include "kernel/experiment/run.h"

#include <stdarg.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/reliability.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/main.h"
#include "kernel/panic.h"

/* Two tasks that begin or end a moment apart are not together in that. */
#define ALONE_PERCENT 10
#define SHARING_PERCENT 50

struct variant *run_add_variant(struct run *run, const char *name, uint32_t busy)
{
    struct variant *variant = &run->variants[run->variant_count++];

    ASSERT(run->variant_count <= RUN_MAX_VARIANTS);
    *variant = (struct variant){
        .busy = busy, .slice_us = main_options.slice_us, .solo_us = harness_solo_us, .per_us = 1};
    format_buffer(variant->name, sizeof variant->name, "%s", name);
    return variant;
}

void run_add_key(struct variant *variant, const char *fmt, ...)
{
    size_t length = strlen(variant->keys);
    va_list arguments;

    va_start(arguments, fmt);
    format_buffer_v(variant->keys + length, sizeof variant->keys - length, fmt, arguments);
    va_end(arguments);
}

void run_add_sample(struct run *run, const struct variant *variant, enum series series,
                    uint32_t value)
{
    if (run->sample_count == RUN_MAX_SAMPLES) {
        run->samples_dropped++;
        return;
    }
    run->samples[run->sample_count++] =
        (struct run_sample){.value = value,
                            .round = (uint16_t)run->round,
                            .variant = (uint8_t)(variant - run->variants),
                            .series = (uint8_t)series};
}

void run_add_accounts(struct variant *variant, uint64_t run_ns, uint64_t wait_ns,
                      uint64_t shared_ns)
{
    variant->run_ns += run_ns;
    variant->wait_ns += wait_ns;
    variant->shared_ns += shared_ns;
    variant->tasks++;
    variant->tasks_alone += shared_ns * 100 <= run_ns * ALONE_PERCENT;
    variant->tasks_sharing += shared_ns * 100 > run_ns * SHARING_PERCENT;
}

void run_spoil_round(struct run *run)
{
    for (uint32_t i = run->sample_count; i-- > 0 && run->samples[i].round == run->round;)
        run->samples[i].unclean = true;
}

const uint32_t *run_sorted(const struct run *run, const struct variant *variant, enum series series,
                           uint32_t *count)
{
    static uint32_t values[RUN_MAX_SAMPLES];

    *count = 0;
    for (uint32_t i = 0; i < run->sample_count; i++) {
        const struct run_sample *sample = &run->samples[i];

        if (&run->variants[sample->variant] == variant && sample->series == series &&
            !(run->clean_only && sample->unclean))
            values[(*count)++] = sample->value;
    }
    stats_of(values, *count);
    return values;
}

uint32_t run_median(const struct run *run, const struct variant *variant, enum series series)
{
    uint32_t count;
    const uint32_t *values = run_sorted(run, variant, series, &count);

    return count == 0 ? 0 : values[(count - 1) / 2];
}

uint32_t run_mean(const struct run *run, const struct variant *variant, enum series series)
{
    uint32_t count;
    const uint32_t *values = run_sorted(run, variant, series, &count);
    uint64_t sum = 0;

    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return count == 0 ? 0 : (uint32_t)div_u64_u32(sum, count, NULL);
}

/* ---- What comes of it ---- */

static uint32_t spread_of(const struct run *run, const struct variant *variant)
{
    enum series series = variant->spread == SPREAD_TURNS ? SERIES_MAKESPAN : SERIES_TIME;
    uint32_t count;
    const uint32_t *sorted = run_sorted(run, variant, series, &count);
    struct stats stats = stats_of_sorted(sorted, count);

    /* Only naive draws. What lies apart under the others has another reason than luck. */
    if (variant->spread == SPREAD_DRAWN && run->policy == &policy_naive)
        return stats_spread_of_peaks(sorted, count);
    return stats_spread_percent(&stats);
}

static void evaluate(struct run *run, struct variant *variant)
{
    const uint32_t *sorted = run_sorted(run, variant, SERIES_TIME, &variant->samples);

    variant->times = stats_of_sorted(sorted, variant->samples);
    if (variant->solo_of != NULL)
        variant->solo_us = variant->solo_of->us;
    if (run->experiment == &exp_solo && variant->solo_us == 0)
        variant->solo_us = harness_solo_us = variant->times.median;
    variant->ratio = (struct stats){stats_percent(variant->times.min, variant->solo_us),
                                    stats_percent(variant->times.median, variant->solo_us),
                                    stats_percent(variant->times.max, variant->solo_us)};
    variant->spread_percent = spread_of(run, variant);
    variant->shared_percent = stats_percent(variant->shared_ns, variant->run_ns);
    variant->makespan_us = run_median(run, variant, SERIES_MAKESPAN);
    variant->unreliable = reliability_problem(run, variant);
}

/* A record that names a part is as good as that. */
static const char *problem_of_parts(const struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++)
        if (run->variants[i].is_part && run->variants[i].unreliable != NULL)
            return run->variants[i].unreliable;
    return NULL;
}

void run_evaluate(struct run *run)
{
    for (uint32_t i = 0; i < run->variant_count; i++)
        evaluate(run, &run->variants[i]);
    for (uint32_t i = 0; i < run->variant_count; i++)
        if (run->variants[i].unreliable == NULL)
            run->variants[i].unreliable = problem_of_parts(run);
}
