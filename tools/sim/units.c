#include "tools/sim/units.h"

#define MOST_UNITS (~(sim_units)0)

sim_units units_common(sim_units a, sim_units b)
{
    while (a != 0) {
        sim_units rest = b % a;

        b = a;
        a = rest;
    }
    return b;
}

/* a * b, or 0 if it is too large. */
static sim_units product(sim_units a, sim_units b)
{
    return b != 0 && a > MOST_UNITS / b ? 0 : a * b;
}

/* The longest that is counted at once: work and what it is done in parts of, and the nanosecond in
 * which it is done, on a core that is faster than others. */
static uint64_t longest_ns(const struct sim_config *config)
{
    uint64_t longest = 0;

    for (uint32_t i = 0; i < config->task_count; i++) {
        uint64_t ns = config->tasks[i].work_ns + config->tasks[i].burst_ns;

        longest = ns > longest ? ns : longest;
    }
    return longest + 2 * SIM_MAX_RATIO;
}

sim_units units_choose(const struct sim_config *config)
{
    sim_units unit = config->efficiency_speed.denominator;

    /* A multiple of every numerator makes every speed a whole number. */
    for (uint32_t a = 0; a < config->kinds; a++)
        for (uint32_t b = 0; b < config->kinds; b++) {
            uint32_t numerator = config->slowdown[a][b].numerator;
            sim_units base = unit / config->efficiency_speed.denominator;

            unit = product(unit, numerator / units_common(base, numerator));
            if (unit == 0)
                return 0;
        }
    return product(unit, longest_ns(config)) == 0 ? 0 : unit;
}

sim_units units_rate(const struct sim_config *config, const struct sched *sched, sim_units unit,
                     uint32_t cpu)
{
    const struct sim_task *task = sim_task_of(sched->cpus[cpu].current);
    sim_units full = unit, rate;

    if (sched->cpus[cpu].type == CPU_EFFICIENCY)
        full = full / config->efficiency_speed.denominator * config->efficiency_speed.numerator;
    rate = full;
    CORE_FOR_EACH(other, sched, &sched->cores[sched->cpus[cpu].core])
    {
        const struct sim_task *beside = sim_task_of(sched->cpus[other].current);
        const struct sim_ratio *slowdown;
        sim_units slowed;

        if (other == cpu || beside == NULL)
            continue;
        slowdown = &config->slowdown[task->kind][beside->kind];
        slowed = full / slowdown->numerator * slowdown->denominator;
        rate = slowed < rate ? slowed : rate;
    }
    return rate;
}
