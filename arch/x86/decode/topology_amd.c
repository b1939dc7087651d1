/*
 * AMD and Hygon CPUs before leaves 0xB and 0x80000026: leaf 0x8000001E (which core or compute unit)
 * and leaf 0x80000008 (how many ID bits a package takes).
 * AMD APM volume 3, "CPUID Fn8000_001E" and "CPUID Fn8000_0008"; BKDG for family 15h.
 */
#include "arch/x86/decode/topology_parts.h"

#include "kernel/lib/bits.h"

#define FAMILY_BULLDOZER 0x15
#define FAMILY_ZEN 0x17 /* the first with SMT; Hygon counts on from here */

/*
 * Hypervisors answer these leaves with leftovers when they do not offer the feature, so its bit
 * decides. On family 15h firmware may have cleared the bit while the leaves go on being right:
 * there the APIC ID in the leaf is the proof.
 */
bool topology_amd_has_topoext(const struct topology_source *source)
{
    const struct cpu_ident *ident = &source->ident;

    return topology_is_amd(source) && (ident->topoext || ident->family == FAMILY_BULLDOZER);
}

/*
 * ECX[15:12] is the width of the ID inside a package. Where it is 0 (K8) the count of CPUs in
 * ECX[7:0] gives the width; it never is less than that count needs.
 */
static void scan_leaf_80000008(const struct topology_source *source, struct topology_candidate *out)
{
    uint32_t ecx = topology_leaf(source, 0x80000008, 0).ecx;
    unsigned size = field(ecx, 15, 12);
    unsigned count_bits = ceil_log2(field(ecx, 7, 0) + 1);

    if (source->ident.max_extended_leaf < 0x80000008)
        return;
    out->flaw = FLAW_NONE;
    out->package_shift = (uint8_t)(size > count_bits ? size : count_bits);
    if (source->ident.family >= FAMILY_BULLDOZER && out->package_shift > 0)
        out->note = NOTE_NO_TOPOEXT;
}

/*
 * Threads per core, or integer cores per compute unit on family 15h: siblings have adjacent IDs.
 * EAX is the ID of the local APIC even where firmware moved that away from leaf 1's.
 */
static void scan_leaf_8000001e(const struct topology_source *source,
                               const struct topology_candidate *package,
                               struct topology_candidate *out)
{
    struct cpuid_regs regs = topology_leaf(source, 0x8000001e, 0);
    uint8_t unit_shift = (uint8_t)ceil_log2(field(regs.ebx, 15, 8) + 1);

    if (!topology_amd_has_topoext(source) || source->ident.max_extended_leaf < 0x8000001e)
        return;
    *out = *package;
    out->note = FLAW_NONE;
    out->id = regs.eax;
    out->id_bits = 32;
    out->unit = (uint8_t)field(regs.ebx, 7, 0);
    if (source->ident.family >= FAMILY_ZEN)
        out->smt_shift = unit_shift;
    else if (source->ident.family == FAMILY_BULLDOZER)
        out->module_shift = unit_shift;
}

void topology_scan_amd(const struct topology_source *source, struct topology_scan *out)
{
    struct topology_candidate *package = &out->candidates[TOPOLOGY_LEAF_80000008];

    if (!topology_is_amd(source))
        return;
    scan_leaf_80000008(source, package);
    scan_leaf_8000001e(source, package, &out->candidates[TOPOLOGY_LEAF_8000001E]);
}
