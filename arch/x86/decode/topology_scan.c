/*
 * Phase one: what the leaves of one CPU say about the layout of APIC IDs.
 * Intel SDM volume 3, "Detecting Hardware Multi-Threading Support and Topology"; volume 2, CPUID
 * leaves 1, 4, 0xB, 0x1A and 0x1F; AMD APM volume 3, "Extended CPU Topology" (0x80000026).
 */
#include "arch/x86/decode/topology_parts.h"

#include "kernel/lib/bits.h"
#include "kernel/lib/string.h"

#define LEVELS_MAX 8
#define LEVEL_TYPE_THREAD 1 /* AMD names it "core": the shift is the same, from thread to core */
#define APIC_ID_BITS 8
#define X2APIC_ID_BITS 32
#define LEAF_04_CORE_BITS 6 /* width of its core field */
#define CACHE_PARAMETERS_LEAF 4

/* One for each CPU, in static storage of the kernel. */
_Static_assert(sizeof(struct topology_scan) <= 192, "topology_scan has grown");

#define CORE_TYPE_ATOM 0x20
#define CORE_TYPE_CORE 0x40

/*
 * Leaves 0xB, 0x1F and 0x80000026 have one format: a list of levels from the thread outwards, each
 * with the number of ID bits it and the levels inside it take. What lies between core and package
 * (module, tile, die, die group, complex, and types yet to be invented) only widens the package.
 * EBX counts what is there today and must not be turned into a width (SDM), but a level without it
 * is not there.
 */
static void scan_levels(const struct topology_source *source, uint32_t leaf,
                        struct topology_candidate *out)
{
    for (unsigned i = 0; i < LEVELS_MAX; i++) {
        struct cpuid_regs level = topology_leaf(source, leaf, i);
        uint32_t type = field(level.ecx, 15, 8);
        uint8_t shift = (uint8_t)field(level.eax, 4, 0);

        if (type == 0 || field(level.ebx, 15, 0) == 0)
            return;
        if (i == 0) {
            out->flaw = type == LEVEL_TYPE_THREAD ? FLAW_NONE : FLAW_FIRST_LEVEL;
            out->smt_shift = shift;
        } else if (shift < out->package_shift) {
            out->flaw = FLAW_LEVEL_ORDER;
        }
        out->package_shift = shift;
        out->id = level.edx;
        out->id_bits = X2APIC_ID_BITS;
    }
}

/*
 * Leaf 4 gives room for cores per package, leaf 1 for IDs per package: what remains is for the
 * threads. The sharing of the first-level cache would say the same, but emulators get it wrong.
 */
static void scan_leaf_04(const struct topology_source *source, struct topology_candidate *out)
{
    uint32_t eax = topology_leaf(source, CACHE_PARAMETERS_LEAF, 0).eax;
    unsigned core_bits = ceil_log2(field(eax, 31, 26) + 1);
    unsigned package_bits = ceil_log2(source->ids_per_package);

    if (topology_is_amd(source) || field(eax, 4, 0) == CACHE_NONE)
        return;
    out->flaw = core_bits > 0 && !source->ident.htt ? FLAW_HTT_CLEAR : FLAW_NONE;
    out->note = FLAW_NONE;
    /* Emulators let the core field overflow, and then bits seem to be left for threads. */
    if (source->ident.hypervisor && package_bits > LEAF_04_CORE_BITS)
        out->flaw = FLAW_CORE_FIELD;
    if (core_bits > package_bits) {
        out->note = NOTE_CORES_ABOVE_COUNT;
        package_bits = core_bits;
    }
    out->smt_shift = (uint8_t)(package_bits - core_bits);
    out->package_shift = (uint8_t)package_bits;
}

/*
 * Leaf 1 alone says how many IDs a package has, not whether they are threads or cores. One is
 * clear. More were threads on the Pentium 4, whose models up to 2 have no leaf 4 since they have
 * one core (SDM); on later models and families without it the leaf was hidden by "limit CPUID
 * maximum" in the firmware setup, or never put there by an emulator.
 */
static void scan_leaf_01(const struct topology_source *source, struct topology_candidate *out)
{
    const struct cpu_ident *ident = &source->ident;
    bool pentium_4 = ident->vendor == VENDOR_INTEL && ident->family == 0xf &&
                     ident->max_leaf < CACHE_PARAMETERS_LEAF;
    unsigned bits = ceil_log2(source->ids_per_package);

    if (ident->max_leaf < 1)
        return;
    if (!ident->htt) {
        out->flaw = FLAW_NONE;
        out->note = NOTE_ONE_PER_PACKAGE;
    } else if (bits == 0 || pentium_4) {
        out->flaw = FLAW_NONE;
        out->note = bits > 0 && ident->model > 2 ? NOTE_LEAF_04_HIDDEN : FLAW_NONE;
        out->smt_shift = (uint8_t)bits;
        out->package_shift = (uint8_t)bits;
    }
}

/* The last resort, usable whatever happens: packages by leaf 1, every CPU a core of its own. */
static void scan_alone(const struct topology_source *source, struct topology_candidate *out)
{
    out->flaw = FLAW_NONE;
    out->note = NOTE_NO_SHARING_KNOWN;
    out->package_shift = (uint8_t)ceil_log2(source->ids_per_package);
}

/* Leaf 0x1A on Intel hybrids, the core level of leaf 0x80000026 on AMD's. */
static enum cpu_type scan_type(const struct topology_source *source)
{
    if (source->ident.hybrid) {
        switch (field(topology_leaf(source, 0x1a, 0).eax, 31, 24)) {
        case CORE_TYPE_CORE:
            return CPU_PERFORMANCE;
        case CORE_TYPE_ATOM:
            return CPU_EFFICIENCY;
        }
    }
    if (topology_is_amd(source)) {
        struct cpuid_regs core = topology_leaf(source, 0x80000026, 0);
        if (bit(core.eax, 30)) /* heterogeneous cores */
            return field(core.ebx, 31, 28) == 0 ? CPU_PERFORMANCE : CPU_EFFICIENCY;
    }
    return CPU_UNIFORM;
}

/*
 * No x86 core has more than two threads, but for the four of the Xeon Phi (Knights Corner, Landing
 * and Mill). A hypervisor may be asked for four.
 */
static uint8_t scan_max_threads(const struct cpu_ident *ident)
{
    bool phi = ident->vendor == VENDOR_INTEL &&
               (ident->family == 0xb ||
                (ident->family == 6 && (ident->model == 0x57 || ident->model == 0x85)));

    return phi || ident->hypervisor ? 4 : 2;
}

static void open_source(cpuid_reader *read, void *ctx, struct topology_source *out)
{
    *out = (struct topology_source){.read = read, .ctx = ctx, .ids_per_package = 1};
    cpu_identify(read, ctx, &out->ident);
    out->leaf1_ebx = topology_leaf(out, 1, 0).ebx;
    if (out->ident.htt && field(out->leaf1_ebx, 23, 16) > 1)
        out->ids_per_package = field(out->leaf1_ebx, 23, 16);
}

/* What holds for every leaf: a unit is at least a core, a package at least what leaf 1 counts. */
static void finish_candidate(const struct topology_source *source, struct topology_candidate *out)
{
    if (out->module_shift < out->smt_shift)
        out->module_shift = out->smt_shift;
    if (out->flaw == FLAW_NONE && out->module_shift > out->package_shift)
        out->flaw = FLAW_LEVEL_ORDER;
    if (out->flaw == FLAW_NONE && out->package_shift < ceil_log2(source->ids_per_package))
        out->flaw = FLAW_SHIFT_SMALL;
}

void topology_scan(cpuid_reader *read, void *ctx, uint32_t apic_id, struct topology_scan *out)
{
    struct topology_source source;
    struct topology_candidate *candidates = out->candidates;

    open_source(read, ctx, &source);
    memset(out, 0, sizeof(*out));
    out->apic_id = apic_id;
    out->type = (uint8_t)scan_type(&source);
    out->max_threads = scan_max_threads(&source.ident);
    for (unsigned i = 0; i < TOPOLOGY_CANDIDATES; i++) {
        candidates[i].id = field(source.leaf1_ebx, 31, 24);
        candidates[i].id_bits = APIC_ID_BITS;
        candidates[i].note = FLAW_NONE;
    }
    scan_levels(&source, 0x1f, &candidates[TOPOLOGY_LEAF_1F]);
    if (topology_is_amd(&source))
        scan_levels(&source, 0x80000026, &candidates[TOPOLOGY_LEAF_80000026]);
    scan_levels(&source, 0xb, &candidates[TOPOLOGY_LEAF_0B]);
    topology_scan_amd(&source, out);
    scan_leaf_04(&source, &candidates[TOPOLOGY_LEAF_04]);
    scan_leaf_01(&source, &candidates[TOPOLOGY_LEAF_01]);
    scan_alone(&source, &candidates[TOPOLOGY_SINGLE]);
    for (unsigned i = 0; i < TOPOLOGY_CANDIDATES; i++)
        finish_candidate(&source, &candidates[i]);
    topology_scan_caches(&source, out);
}

uint32_t topology_cpuid_apic_id(cpuid_reader *read, void *ctx)
{
    static const uint8_t with_id[] = {TOPOLOGY_LEAF_1F, TOPOLOGY_LEAF_80000026, TOPOLOGY_LEAF_0B,
                                      TOPOLOGY_LEAF_8000001E};
    struct topology_scan scan;

    topology_scan(read, ctx, 0, &scan);
    for (unsigned i = 0; i < sizeof(with_id); i++) {
        if (scan.candidates[with_id[i]].flaw != FLAW_ABSENT)
            return scan.candidates[with_id[i]].id;
    }
    return scan.candidates[TOPOLOGY_LEAF_01].id;
}
