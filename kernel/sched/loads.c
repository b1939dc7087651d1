#include "kernel/sched/loads.h"

/* ---- Filing ---- */

static void leave(struct load_digit *digit, uint32_t value, uint32_t cpu)
{
    bitmap_clear(&digit->cpus[value], cpu);
    if (--digit->counts[value] == 0)
        digit->used &= ~(1ull << value);
}

static void enter(struct load_digit *digit, uint32_t value, uint32_t cpu)
{
    bitmap_set(&digit->cpus[value], cpu);
    if (++digit->counts[value] == 1)
        digit->used |= 1ull << value;
}

void loads_file(struct sched *sched, uint32_t cpu, uint16_t load)
{
    uint32_t old = sched->cpus[cpu].load;
    bool was_filed = old != LOADS_NONE, is_filed = load != LOADS_NONE;
    bool same_high = was_filed && is_filed && old / LOADS_BASE == load / LOADS_BASE;

    if (was_filed)
        leave(&sched->load_low, old % LOADS_BASE, cpu);
    if (was_filed && !same_high)
        leave(&sched->load_high, old / LOADS_BASE, cpu);
    if (is_filed)
        enter(&sched->load_low, load % LOADS_BASE, cpu);
    if (is_filed && !same_high)
        enter(&sched->load_high, load / LOADS_BASE, cpu);
    sched->filed += (is_filed ? 1u : 0u) - (was_filed ? 1u : 0u);
    sched->cpus[cpu].load = load;
}

struct bitmap loads_waiting(const struct sched *sched)
{
    struct bitmap empty = bitmap_and(&sched->load_low.cpus[0], &sched->load_high.cpus[0]);

    return bitmap_without(&sched->usable, &empty);
}

/* ---- Searching ---- */

/* The lowest value from `from` on, or the highest up to `from`, that a digit has anywhere;
 * LOADS_BASE if there is none. In halves, since the searches for 64 bits are in libgcc. */
static uint32_t next_value(uint64_t used, uint32_t from, bool up)
{
    uint32_t high, low;

    used &= up ? ~0ull << from : ~0ull >> (LOADS_BASE - 1 - from);
    high = (uint32_t)(used >> 32);
    low = (uint32_t)used;
    if (used == 0)
        return LOADS_BASE;
    if (up)
        return low != 0 ? (uint32_t)__builtin_ctz(low) : 32 + (uint32_t)__builtin_ctz(high);
    return high != 0 ? 63 - (uint32_t)__builtin_clz(high) : 31 - (uint32_t)__builtin_clz(low);
}

struct loads_range loads_range(const struct sched *sched)
{
    const struct load_digit *high = &sched->load_high, *low = &sched->load_low;
    struct loads_range range = {0, 0};

    if (sched->filed == 0)
        return range;
    range.least = (uint16_t)(next_value(high->used, 0, true) * LOADS_BASE);
    range.most = (uint16_t)(next_value(high->used, LOADS_BASE - 1, false) * LOADS_BASE);
    if (range.least == range.most) {
        range.least += (uint16_t)next_value(low->used, 0, true);
        range.most += (uint16_t)next_value(low->used, LOADS_BASE - 1, false);
    } else {
        range.most += LOADS_BASE - 1;
    }
    return range;
}

/* The next value of a digit, from *value on, that one of `within` has; `filed` CPUs are filed. */
static bool next_of(const struct load_digit *digit, uint32_t filed, const struct bitmap *within,
                    uint32_t *value, bool up, struct bitmap *set)
{
    uint32_t from = *value;

    for (;;) {
        *value = next_value(digit->used, from, up);
        if (*value == LOADS_BASE)
            return false;
        if (digit->counts[*value] == filed) { /* most often */
            *set = *within;
            return true;
        }
        *set = bitmap_and(within, &digit->cpus[*value]);
        if (!bitmap_is_empty(set))
            return true;
        if (*value == (up ? LOADS_BASE - 1 : 0))
            return false;
        from = up ? *value + 1 : *value - 1;
    }
}

static bool next(const struct sched *sched, const struct bitmap *within, uint32_t *load, bool up,
                 struct bitmap *set)
{
    uint32_t first_low = up ? 0 : LOADS_BASE - 1, last_high = up ? LOADS_BASE - 1 : 0;
    uint32_t high = *load / LOADS_BASE, low = *load % LOADS_BASE, from = high;

    for (;;) {
        struct bitmap same_high;

        if (!next_of(&sched->load_high, sched->filed, within, &high, up, &same_high))
            return false;
        if (high != from)
            low = first_low;
        if (next_of(&sched->load_low, sched->filed, &same_high, &low, up, set)) {
            *load = high * LOADS_BASE + low;
            return true;
        }
        if (high == last_high)
            return false;
        high = from = up ? high + 1 : high - 1;
        low = first_low;
    }
}

bool loads_next_up(const struct sched *sched, const struct bitmap *within, uint32_t *load,
                   struct bitmap *set)
{
    return next(sched, within, load, true, set);
}

bool loads_next_down(const struct sched *sched, const struct bitmap *within, uint32_t *load,
                     struct bitmap *set)
{
    return next(sched, within, load, false, set);
}
