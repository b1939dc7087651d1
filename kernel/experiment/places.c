#include "kernel/experiment/places.h"

#include "kernel/cpu.h"
#include "kernel/sched.h"

struct bitmap places_all(void)
{
    return sched_usable_cpus();
}

uint32_t places_cpu_count(void)
{
    struct bitmap usable = sched_usable_cpus();
    return bitmap_count(&usable);
}

struct bitmap places_first_threads(void)
{
    struct bitmap usable = sched_usable_cpus(), first = {{0}}, cores = {{0}};

    BITMAP_FOR_EACH(cpu, &usable)
    {
        if (bitmap_test(&cores, sched_core_of(cpu)))
            continue;
        bitmap_set(&cores, sched_core_of(cpu));
        bitmap_set(&first, cpu);
    }
    return first;
}

uint32_t places_core_count(void)
{
    struct bitmap first = places_first_threads();
    return bitmap_count(&first);
}

static enum places_distance distance_of(uint32_t a, uint32_t b)
{
    if (a == b)
        return PLACES_SAME_CPU;
    if (sched_core_of(a) == sched_core_of(b))
        return PLACES_SIBLING;
    return cpus[a].place.package == cpus[b].place.package ? PLACES_CORE : PLACES_PACKAGE;
}

static bool has_distance(uint32_t a, uint32_t b, enum places_distance distance)
{
    return distance_of(a, b) == distance;
}

static bool are_mates(uint32_t a, uint32_t b, enum places_distance unused)
{
    (void)unused;
    return a != b && cpus[a].place.module == cpus[b].place.module;
}

static bool find_pair(bool (*fits)(uint32_t, uint32_t, enum places_distance),
                      enum places_distance distance, struct bitmap *first, struct bitmap *second)
{
    struct bitmap usable = sched_usable_cpus();

    bitmap_clear_all(first);
    bitmap_clear_all(second);
    BITMAP_FOR_EACH(a, &usable)
    {
        for (uint32_t b = a; b != BITMAP_NONE; b = bitmap_next(&usable, b + 1)) {
            if (!fits(a, b, distance))
                continue;
            bitmap_set(first, a);
            bitmap_set(second, b);
            return true;
        }
    }
    return false;
}

bool places_pair(enum places_distance distance, struct bitmap *first, struct bitmap *second)
{
    return find_pair(has_distance, distance, first, second);
}

bool places_mates(struct bitmap *first, struct bitmap *second)
{
    return find_pair(are_mates, PLACES_SIBLING, first, second);
}

const char *places_distance_name(enum places_distance distance)
{
    static const char *const names[] = {"same_cpu", "sibling", "core", "package"};
    return names[distance];
}

const char *places_lacking(enum places_distance distance)
{
    static const char *const reasons[] = {"no CPU", "no core has two threads", "no second core",
                                          "no second package"};
    return reasons[distance];
}
