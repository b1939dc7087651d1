/*
 * Phase two: the scans of all started CPUs to packages, cores and threads. The one mechanism is a
 * list of CPUs sorted by APIC ID in which each either continues the package and core of the one
 * before it or begins a new one; a leaf is judged by walking the same list.
 */
#include "arch/x86/decode/topology.h"

#include <stddef.h>

#include "arch/x86/decode/topology_parts.h"
#include "kernel/lib/bits.h"
#include "kernel/lib/string.h"

static const struct {
    const char *name, *id_field, *shift_field;
} methods[] = {
    [TOPOLOGY_LEAF_1F] = {"leaf_1f", "leaf_1f.edx", "leaf_1f.eax"},
    [TOPOLOGY_LEAF_80000026] = {"leaf_80000026", "leaf_80000026.edx", "leaf_80000026.eax"},
    [TOPOLOGY_LEAF_0B] = {"leaf_0b", "leaf_0b.edx", "leaf_0b.eax"},
    [TOPOLOGY_LEAF_8000001E] = {"leaf_8000001e", "leaf_8000001e.eax", "leaf_8000001e.ebx"},
    [TOPOLOGY_LEAF_80000008] = {"leaf_80000008", "leaf_01.ebx", "leaf_80000008.ecx"},
    [TOPOLOGY_LEAF_04] = {"leaf_04", "leaf_01.ebx", "leaf_04.eax"},
    [TOPOLOGY_LEAF_01] = {"leaf_01", "leaf_01.ebx", "leaf_01.ebx"},
    [TOPOLOGY_SINGLE] = {"single", "leaf_01.ebx", "leaf_01.ebx"},
    [TOPOLOGY_OVERRIDE] = {"override", NULL, NULL},
};

static const char *const flaw_texts[FLAW_COUNT] = {
    [FLAW_SOME_ABSENT] = "only some CPUs have the leaf; it is not used",
    [FLAW_FIRST_LEVEL] = "the first level is not the thread level; the leaf is not used",
    [FLAW_LEVEL_ORDER] = "a level is narrower than the one inside it; the leaf is not used",
    [FLAW_SHIFT_SMALL] = "narrower than the CPU count in leaf 1; the leaf is not used",
    [FLAW_SHIFT_DIFFERS] = "the package width differs between CPUs; the leaf is not used",
    [FLAW_APIC_ID] = "not the ID of the local APIC; the leaf is not used",
    [FLAW_UNIT] = "one core by APIC ID, two by core number; the leaf is not used",
    [FLAW_WIDER] = "threads share more than by a better leaf; the leaf is not used",
    [FLAW_THREADS] = "more threads in one core than it can have; the leaf is not used",
    [FLAW_HTT_CLEAR] = "several cores although HTT is clear; the leaf is not used",
    [FLAW_CORE_FIELD] = "more CPUs in leaf 1 than its core field can count; the leaf is not used",
    [NOTE_CORES_ABOVE_COUNT] = "more cores than CPUs in leaf 1; taken as cores without threads",
    [NOTE_LEAF_04_HIDDEN] = "leaf 4 is hidden (CPUID limited by firmware?); taken as threads",
    [NOTE_NO_TOPOEXT] = "nothing usable on sharing in a package; each CPU taken as a core",
    [NOTE_ONE_PER_PACKAGE] = "only leaf 1 tells, with HTT clear; each CPU taken as a package",
    [NOTE_NO_SHARING_KNOWN] = "no leaf tells threads from cores; each CPU taken as a core",
};

/* The CPUs by ascending APIC ID: places[rank].apic_id holds a CPU index until the end. */
struct machine {
    const struct topology_scan *scans;
    struct cpu_place *places;
    unsigned count;
    bool ids_repeat; /* two CPUs have one ID: nothing can be said about any */
};

static const struct topology_scan *scan_at(const struct machine *machine, unsigned rank)
{
    return &machine->scans[machine->places[rank].apic_id];
}

/* Moves the entry at root down until no child has a higher APIC ID: the step of heapsort. */
static void sift_down(const struct machine *machine, unsigned root, unsigned end)
{
    struct cpu_place *order = machine->places;

    while (2 * root + 1 < end) {
        unsigned child = 2 * root + 1;
        uint32_t moved = order[root].apic_id;

        if (child + 1 < end &&
            scan_at(machine, child)->apic_id < scan_at(machine, child + 1)->apic_id)
            child++;
        if (scan_at(machine, root)->apic_id >= scan_at(machine, child)->apic_id)
            return;
        order[root].apic_id = order[child].apic_id;
        order[child].apic_id = moved;
        root = child;
    }
}

static void sort_by_apic_id(const struct machine *machine)
{
    struct cpu_place *order = machine->places;

    for (unsigned i = 0; i < machine->count; i++)
        order[i].apic_id = i;
    for (unsigned root = machine->count / 2; root-- > 0;)
        sift_down(machine, root, machine->count);
    for (unsigned end = machine->count; end-- > 1;) {
        uint32_t highest = order[0].apic_id;
        order[0].apic_id = order[end].apic_id;
        order[end].apic_id = highest;
        sift_down(machine, 0, end);
    }
}

/* Whether two IDs are equal above the width that both CPUs give. */
static bool same_above(uint32_t id_a, uint8_t shift_a, uint32_t id_b, uint8_t shift_b)
{
    return shift_a == shift_b && shift_right(id_a, shift_a) == shift_right(id_b, shift_b);
}

struct relation {
    bool package, module, core;
};

/* What two CPUs have in common according to one leaf. */
static struct relation relate(const struct topology_scan *a, const struct topology_scan *b,
                              enum topology_method method)
{
    const struct topology_candidate *x = &a->candidates[method];
    const struct topology_candidate *y = &b->candidates[method];
    struct relation same;

    same.package = same_above(a->apic_id, x->package_shift, b->apic_id, y->package_shift);
    same.module =
        same.package && same_above(a->apic_id, x->module_shift, b->apic_id, y->module_shift);
    same.core = same.module && same_above(a->apic_id, x->smt_shift, b->apic_id, y->smt_shift);
    return same;
}

/* Whether a leaf passed over before this one leaves fewer ID bits to the threads. */
static bool is_wider(const struct topology_scan *scan, enum topology_method method)
{
    for (unsigned i = 0; i < method; i++) {
        if (scan->candidates[i].flaw != FLAW_ABSENT &&
            scan->candidates[i].smt_shift < scan->candidates[method].smt_shift)
            return true;
    }
    return false;
}

/*
 * Judges one CPU's candidate beside that of the CPU before it; `threads` counts the CPUs of the
 * core so far. IDs must agree with the local APIC below the package: firmware may move a package
 * to other IDs as a whole (AMD family 15h), and 8-bit IDs lose their top.
 */
static enum topology_flaw judge_cpu(const struct topology_scan *before,
                                    const struct topology_scan *scan, enum topology_method method,
                                    unsigned *threads)
{
    const struct topology_candidate *own = &scan->candidates[method];
    uint32_t checked_bits = topology_low_bits(own->package_shift) & topology_low_bits(own->id_bits);
    struct relation same = {false, false, false};

    if (own->flaw != FLAW_NONE)
        return own->flaw == FLAW_ABSENT ? FLAW_SOME_ABSENT : own->flaw;
    if ((own->id ^ scan->apic_id) & checked_bits)
        return FLAW_APIC_ID;
    if (is_wider(scan, method))
        return FLAW_WIDER;
    if (before) {
        const struct topology_candidate *other = &before->candidates[method];

        if (other->package_shift != own->package_shift)
            return FLAW_SHIFT_DIFFERS;
        same = relate(before, scan, method);
        if (same.module && other->unit != own->unit)
            return FLAW_UNIT;
    }
    *threads = same.core ? *threads + 1 : 1;
    return *threads > scan->max_threads ? FLAW_THREADS : FLAW_NONE;
}

static bool leaf_is_absent(const struct machine *machine, enum topology_method method)
{
    for (unsigned i = 0; i < machine->count; i++) {
        if (machine->scans[i].candidates[method].flaw != FLAW_ABSENT)
            return false;
    }
    return true;
}

static void warn(struct warning_list *warnings, enum topology_method method,
                 enum topology_flaw flaw, const struct topology_candidate *candidate)
{
    bool about_id = flaw == FLAW_APIC_ID;

    warnings_add(warnings, about_id ? methods[method].id_field : methods[method].shift_field,
                 flaw_texts[flaw], about_id ? candidate->id : candidate->package_shift);
}

/* Judges a leaf over the whole machine; warns if it is there but cannot be used. */
static bool leaf_is_usable(const struct machine *machine, enum topology_method method,
                           struct warning_list *warnings)
{
    unsigned threads = 0;

    if (leaf_is_absent(machine, method))
        return false;
    for (unsigned rank = 0; rank < machine->count; rank++) {
        const struct topology_scan *scan = scan_at(machine, rank);
        const struct topology_scan *before = rank > 0 ? scan_at(machine, rank - 1) : NULL;
        enum topology_flaw flaw = judge_cpu(before, scan, method, &threads);

        if (flaw == FLAW_NONE)
            continue;
        if (machine->count > 1)
            warn(warnings, method, flaw, &scan->candidates[method]);
        return false;
    }
    return true;
}

/* Looks for an ID that two CPUs have. */
static bool find_repeated_id(const struct machine *machine, struct warning_list *warnings)
{
    for (unsigned rank = 1; rank < machine->count; rank++) {
        uint32_t apic_id = scan_at(machine, rank)->apic_id;

        if (apic_id != scan_at(machine, rank - 1)->apic_id)
            continue;
        warnings_add(warnings, "local_apic.id",
                     "two CPUs have this ID; each CPU taken as a package", apic_id);
        return true;
    }
    return false;
}

/* The most trusted usable leaf; TOPOLOGY_SINGLE if there is none. */
static enum topology_method choose_method(const struct machine *machine,
                                          struct warning_list *warnings)
{
    enum topology_method method = TOPOLOGY_LEAF_1F;
    const struct topology_candidate *chosen;

    if (machine->ids_repeat)
        return TOPOLOGY_SINGLE;
    while (method < TOPOLOGY_SINGLE && !leaf_is_usable(machine, method, warnings))
        method++;
    chosen = &scan_at(machine, 0)->candidates[method];
    if (chosen->note != FLAW_NONE && machine->count > 1)
        warn(warnings, method, (enum topology_flaw)chosen->note, chosen);
    return method;
}

/* Walks the CPUs by ascending APIC ID and gives out the numbers. */
static void number_cpus(const struct machine *machine, enum topology_method method,
                        struct topology *out)
{
    for (unsigned rank = 0; rank < machine->count; rank++) {
        const struct topology_scan *scan = scan_at(machine, rank);
        struct cpu_place *place = &machine->places[machine->places[rank].apic_id];
        struct relation same = {false, false, false};
        unsigned thread = 0;

        if (rank > 0 && !machine->ids_repeat)
            same = relate(scan_at(machine, rank - 1), scan, method);
        if (same.core)
            thread = machine->places[machine->places[rank - 1].apic_id].thread + 1u;
        out->packages += !same.package;
        out->modules += !same.module;
        out->cores += !same.core;
        place->package = (uint16_t)(out->packages - 1);
        place->module = (uint16_t)(out->modules - 1);
        place->core = (uint16_t)(out->cores - 1);
        place->thread = (uint16_t)thread;
        place->type = (enum cpu_type)scan->type;
        if (thread >= out->threads_per_core)
            out->threads_per_core = thread + 1;
    }
}

static enum core_shares what_is_shared(const struct topology *topology)
{
    if (topology->threads_per_core > 1)
        return SHARES_SMT;
    return topology->modules < topology->cores ? SHARES_MODULE : SHARES_NONE;
}

void topology_build(const struct topology_scan *scans, unsigned count, struct cpu_place *places,
                    struct topology *out)
{
    struct machine machine = {.scans = scans, .places = places, .count = count};
    enum topology_method method;

    memset(out, 0, sizeof(*out));
    out->method = TOPOLOGY_SINGLE;
    if (count == 0)
        return;
    sort_by_apic_id(&machine);
    machine.ids_repeat = find_repeated_id(&machine, &out->warnings);
    method = choose_method(&machine, &out->warnings);
    out->cpus = count;
    out->smt_shift = scan_at(&machine, 0)->candidates[method].smt_shift;
    out->package_shift = scan_at(&machine, 0)->candidates[method].package_shift;
    number_cpus(&machine, method, out);
    out->shares = what_is_shared(out);
    topology_number_caches(scans, count, places, out->package_shift);
    /* If the last resort found packages of several CPUs, that was by the count in leaf 1. */
    out->method = method == TOPOLOGY_SINGLE && out->packages < count ? TOPOLOGY_LEAF_01 : method;
    for (unsigned i = 0; i < count; i++)
        places[i].apic_id = scans[i].apic_id;
}

unsigned topology_distance(const struct cpu_place *a, const struct cpu_place *b)
{
    if (a->module == b->module)
        return a->core == b->core && a->thread == b->thread ? 0 : 1;
    if (a->cache == b->cache)
        return 2;
    return a->package == b->package ? 3 : 4;
}

const char *topology_method_name(enum topology_method method)
{
    return methods[method].name;
}
