#include "kernel/sched_cpus.h"

#include "kernel/cpu.h"
#include "kernel/lib/options.h"

struct bitmap sched_cpus_collect(const struct options *options, struct cpu_place *places)
{
    struct bitmap usable = {{0}}, seen_cores = {{0}};

    for (unsigned i = 0; i < cpu_count; i++) {
        bool first;

        places[i] = cpus[i].place;
        if (options->module == OPTIONS_MODULE_SHARED)
            places[i].core = places[i].module; /* the same number but on AMD family 15h */
        first = !bitmap_test(&seen_cores, places[i].core);
        if (!cpu_is_online(&cpus[i]) || (!options->smt && !first))
            continue;
        bitmap_set(&seen_cores, places[i].core);
        bitmap_set(&usable, i);
    }
    return usable;
}
