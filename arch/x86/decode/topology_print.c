#include "arch/x86/decode/topology_print.h"

#include <stddef.h>

static const char *const type_names[] = {
    [CPU_UNIFORM] = "uniform",
    [CPU_PERFORMANCE] = "performance",
    [CPU_EFFICIENCY] = "efficiency",
};

static const char *const shares_names[] = {
    [SHARES_NONE] = "none",
    [SHARES_SMT] = "smt",
    [SHARES_MODULE] = "module",
};

static const char *const cache_type_names[] = {
    [CACHE_NONE] = "none",
    [CACHE_DATA] = "data",
    [CACHE_INSTRUCTION] = "instruction",
    [CACHE_UNIFIED] = "unified",
};

/* key="text"; what would break the record, as hardware may well have it, becomes '?'. */
static void print_quoted(text_sink *sink, void *ctx, const char *key, const char *text)
{
    format_to(sink, ctx, "%s=\"", key);
    for (; *text; text++) {
        bool plain = *text >= ' ' && *text <= '~' && *text != '"' && *text != '\\';
        format_to(sink, ctx, "%c", plain ? *text : '?');
    }
    format_to(sink, ctx, "\"");
}

/* A list of CPU numbers is built one by one: no comma before the first. */
static void print_list_item(text_sink *sink, void *ctx, unsigned cpu, bool *first)
{
    format_to(sink, ctx, *first ? "%u" : ",%u", cpu);
    *first = false;
}

void topology_print_cpu(text_sink *sink, void *ctx, unsigned cpu, uint32_t apic_id,
                        const struct cpu_place *place, const char *state, const char *reason)
{
    format_to(sink, ctx, "cpu: cpu=%u apic_id=0x%x package=%d core=%d thread=%d", cpu,
              (unsigned)apic_id, place ? place->package : -1, place ? place->core : -1,
              place ? place->thread : -1);
    format_to(sink, ctx, " type=%s state=%s", type_names[place ? place->type : CPU_UNIFORM], state);
    print_quoted(sink, ctx, " reason", reason);
    format_to(sink, ctx, "\n");
}

/* What the CPUs of this core share: on a hybrid it may be nothing where other cores have threads.
 */
static enum core_shares core_shares(const struct topology *topology, unsigned cpus)
{
    if (topology->shares == SHARES_SMT && cpus < 2)
        return SHARES_NONE;
    return topology->shares;
}

void topology_print_cores(text_sink *sink, void *ctx, const struct topology *topology,
                          const struct cpu_place *places)
{
    for (unsigned core = 0; core < topology->cores; core++) {
        const struct cpu_place *place = NULL;
        unsigned cpus = 0;
        bool first = true;

        for (unsigned cpu = 0; cpu < topology->cpus; cpu++) {
            if (places[cpu].core != core)
                continue;
            if (!place) {
                place = &places[cpu];
                format_to(sink, ctx, "core: core=%u package=%u cpus=", core, place->package);
            }
            print_list_item(sink, ctx, places[cpu].cpu, &first);
            cpus++;
        }
        if (!place)
            continue;
        format_to(sink, ctx, " shares=%s", shares_names[core_shares(topology, cpus)]);
        if (topology->shares == SHARES_MODULE)
            format_to(sink, ctx, " module=%u", place->module);
        format_to(sink, ctx, "\n");
    }
}

/* The CPUs that share cache number `cache` of CPU `owner`, if that is the first of them. */
static void print_cache(text_sink *sink, void *ctx, const struct topology *topology,
                        const struct topology_scan *scans, const struct cpu_place *places,
                        unsigned owner, unsigned cache)
{
    const struct topology_cache *what = &scans[owner].caches[cache];
    bool first = true;

    for (unsigned cpu = 0; cpu < topology->cpus; cpu++) {
        if (!topology_shares_cache(topology, scans, places, owner, cache, cpu))
            continue;
        if (first && cpu < owner)
            return;
        if (first)
            format_to(sink, ctx, "cache: level=%u type=%s kib=%u cpus=", what->level,
                      cache_type_names[what->type], (unsigned)what->kib);
        print_list_item(sink, ctx, places[cpu].cpu, &first);
    }
    format_to(sink, ctx, "\n");
}

void topology_print_caches(text_sink *sink, void *ctx, const struct topology *topology,
                           const struct topology_scan *scans, const struct cpu_place *places)
{
    if (topology->method == TOPOLOGY_OVERRIDE)
        return;
    for (unsigned cpu = 0; cpu < topology->cpus; cpu++) {
        for (unsigned cache = 0; cache < scans[cpu].cache_count; cache++)
            print_cache(sink, ctx, topology, scans, places, cpu, cache);
    }
}

void topology_print_summary(text_sink *sink, void *ctx, const struct topology *topology,
                            const struct cpu_ident *ident)
{
    format_to(sink, ctx, "topology: packages=%u cores=%u cpus=%u threads_per_core=%u",
              topology->packages, topology->cores, topology->cpus, topology->threads_per_core);
    format_to(sink, ctx, " shares=%s method=%s", shares_names[topology->shares],
              topology_method_name(topology->method));
    print_quoted(sink, ctx, " vendor", ident->vendor_name);
    print_quoted(sink, ctx, " model_name", ident->model_name);
    format_to(sink, ctx, "\n");
}
