/*
 * Which CPUs share which cache: leaf 4, and on AMD and Hygon leaf 0x8000001D in the same format.
 * Intel SDM volume 2, "INPUT EAX = 04H"; AMD APM volume 3, "CPUID Fn8000_001D".
 */
#include "arch/x86/decode/topology_parts.h"

#include <stddef.h>

#include "kernel/lib/bits.h"

#define SUBLEAVES_MAX 16

static uint32_t cache_kib(const struct cpuid_regs *regs)
{
    uint64_t bytes = (uint64_t)(field(regs->ebx, 31, 22) + 1) * (field(regs->ebx, 21, 12) + 1) *
                     (field(regs->ebx, 11, 0) + 1) * ((uint64_t)regs->ecx + 1);
    uint64_t kib = bytes >> 10;

    return kib > UINT32_MAX ? UINT32_MAX : (uint32_t)kib;
}

/*
 * EAX[25:14] counts CPUs that share the cache. The IDs set aside for them are that count rounded up
 * to a power of two; but before Zen AMD numbered the CPUs of a package without gaps, so that six
 * CPUs of a twelve-core package take six IDs and not eight.
 */
static uint16_t cache_ids(const struct topology_source *source, uint32_t eax)
{
    uint32_t sharing = field(eax, 25, 14) + 1;
    bool without_gaps = topology_is_amd(source) && source->ident.family < 0x17;

    return (uint16_t)(without_gaps ? sharing : 1u << ceil_log2(sharing));
}

void topology_scan_caches(const struct topology_source *source, struct topology_scan *out)
{
    uint32_t leaf = topology_is_amd(source) ? 0x8000001d : 4;

    if (topology_is_amd(source) && !topology_amd_has_topoext(source))
        return;
    for (unsigned i = 0; i < SUBLEAVES_MAX && out->cache_count < TOPOLOGY_CACHES_MAX; i++) {
        struct cpuid_regs regs = topology_leaf(source, leaf, i);
        uint32_t type = field(regs.eax, 4, 0);

        if (type == CACHE_NONE)
            return;
        if (type > CACHE_UNIFIED)
            continue;
        out->caches[out->cache_count++] = (struct topology_cache){
            .level = (uint8_t)field(regs.eax, 7, 5),
            .type = (uint8_t)type,
            .apic_ids = cache_ids(source, regs.eax),
            .kib = cache_kib(&regs),
        };
    }
}

/* The largest cache on the way to memory, or NULL if none is known. */
static const struct topology_cache *last_level(const struct topology_scan *scan)
{
    const struct topology_cache *last = NULL;

    for (unsigned i = 0; i < scan->cache_count; i++) {
        const struct topology_cache *cache = &scan->caches[i];
        if (cache->type != CACHE_INSTRUCTION && (!last || cache->level > last->level))
            last = cache;
    }
    return last;
}

/* Whether two CPUs of one package have the cache in common; NULL is a cache nothing is known of. */
static bool same_cache(const struct topology_scan *a, const struct topology_cache *cache_a,
                       const struct topology_scan *b, const struct topology_cache *cache_b,
                       unsigned package_shift)
{
    uint32_t id_bits = topology_low_bits(package_shift);

    return cache_a && cache_b && cache_a->level == cache_b->level &&
           cache_a->type == cache_b->type && cache_a->apic_ids == cache_b->apic_ids &&
           (a->apic_id & id_bits) / cache_a->apic_ids == (b->apic_id & id_bits) / cache_b->apic_ids;
}

/*
 * A CPU of lower rank that has its last-level cache in common with the one at `rank`, or that one
 * itself. All of the package must be tried: hybrids have cores without the cache between those
 * that share it.
 */
static unsigned find_sharer(const struct topology_scan *scans, const struct cpu_place *places,
                            unsigned rank, unsigned package_shift)
{
    unsigned cpu = places[rank].apic_id;
    const struct topology_cache *own = last_level(&scans[cpu]);

    while (rank-- > 0) {
        unsigned other = places[rank].apic_id;

        if (places[other].package != places[cpu].package)
            break;
        if (places[other].core == places[cpu].core ||
            same_cache(&scans[cpu], own, &scans[other], last_level(&scans[other]), package_shift))
            return other;
    }
    return cpu;
}

void topology_number_caches(const struct topology_scan *scans, unsigned count,
                            struct cpu_place *places, unsigned package_shift)
{
    uint16_t next = 0;

    for (unsigned rank = 0; rank < count; rank++) {
        unsigned cpu = places[rank].apic_id;
        unsigned sharer = find_sharer(scans, places, rank, package_shift);

        places[cpu].cache = sharer == cpu ? next++ : places[sharer].cache;
    }
}

bool topology_shares_cache(const struct topology *topology, const struct topology_scan *scans,
                           const struct cpu_place *places, unsigned a, unsigned cache, unsigned b)
{
    const struct topology_cache *wanted = &scans[a].caches[cache];

    if (places[a].package != places[b].package)
        return false;
    if (places[a].core == places[b].core)
        return true;
    for (unsigned i = 0; i < scans[b].cache_count; i++) {
        if (same_cache(&scans[a], wanted, &scans[b], &scans[b].caches[i], topology->package_shift))
            return true;
    }
    return false;
}
