/*
 * What the files of the topology decoder share with each other and nobody else. Pure.
 */
#ifndef ARCH_X86_DECODE_TOPOLOGY_PARTS_H
#define ARCH_X86_DECODE_TOPOLOGY_PARTS_H

#include "arch/x86/decode/cpu_ident.h"
#include "arch/x86/decode/topology.h"

/* Why a candidate is not used, or is used with a warning. Zero, so the default, is ABSENT. */
enum topology_flaw {
    FLAW_ABSENT, /* no such leaf, or it is empty: nothing to warn about */
    FLAW_NONE,
    FLAW_SOME_ABSENT, /* some CPUs have the leaf, some do not */
    FLAW_FIRST_LEVEL, /* the first level is not the thread level */
    FLAW_LEVEL_ORDER, /* a level is narrower than the one inside it */
    FLAW_SHIFT_SMALL, /* leaf 1 counts more IDs per package than the shift has room for */
    FLAW_SHIFT_DIFFERS,
    FLAW_APIC_ID,
    FLAW_UNIT,       /* APIC IDs of one core, but two core numbers */
    FLAW_WIDER,      /* a leaf passed over before this one leaves fewer bits to threads */
    FLAW_THREADS,    /* more threads in a core than there can be */
    FLAW_HTT_CLEAR,  /* several cores, but leaf 1 says one CPU per package */
    FLAW_CORE_FIELD, /* leaf 1 counts more IDs than leaf 4 can count cores */
    NOTE_CORES_ABOVE_COUNT,
    NOTE_LEAF_04_HIDDEN,
    NOTE_NO_TOPOEXT,
    NOTE_ONE_PER_PACKAGE,
    NOTE_NO_SHARING_KNOWN,
    FLAW_COUNT,
};

/* The `bits` low bits set, for up to 32. */
static inline uint32_t topology_low_bits(unsigned bits)
{
    return bits >= 32 ? UINT32_MAX : (1u << bits) - 1;
}

/* One CPU while it is scanned. */
struct topology_source {
    cpuid_reader *read;
    void *ctx;
    struct cpu_ident ident;
    uint32_t leaf1_ebx;
    unsigned ids_per_package; /* leaf 1 EBX[23:16] where HTT makes it valid, else 1 */
};

/* One leaf of that CPU; zeros above its maximum. */
static inline struct cpuid_regs topology_leaf(const struct topology_source *source, uint32_t leaf,
                                              uint32_t subleaf)
{
    return cpu_ident_leaf(&source->ident, source->read, source->ctx, leaf, subleaf);
}

static inline bool topology_is_amd(const struct topology_source *source)
{
    return source->ident.vendor == VENDOR_AMD || source->ident.vendor == VENDOR_HYGON;
}

/* Whether leaves 0x8000001D and 0x8000001E mean anything (topology_amd.c). */
bool topology_amd_has_topoext(const struct topology_source *source);

/* Fills the candidates of leaves 0x8000001E and 0x80000008 (topology_amd.c). */
void topology_scan_amd(const struct topology_source *source, struct topology_scan *out);

/* Fills out->caches (topology_caches.c). */
void topology_scan_caches(const struct topology_source *source, struct topology_scan *out);

/*
 * Fills places[].cache, once package and core are filled in; places[n].apic_id must hold the index
 * of the CPU with the n-th lowest APIC ID (topology_caches.c).
 */
void topology_number_caches(const struct topology_scan *scans, unsigned count,
                            struct cpu_place *places, unsigned package_shift);

#endif
