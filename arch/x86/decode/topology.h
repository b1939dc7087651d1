/*
 * Who shares what: from the CPUID leaves of every CPU to packages, cores, threads and caches.
 *
 * Two phases. topology_scan runs on each CPU and writes down what its leaves say, one candidate
 * answer per leaf. topology_build looks at the scans of all CPUs that started, takes the first leaf
 * whose answers fit together, and numbers the machine. A leaf that contradicts itself, another
 * leaf or the local APIC is passed over with a warning; in the end each CPU is a core of its own.
 * Sharing is never guessed: threads and siblings are counted among started CPUs only.
 *
 * Printing is topology_print.h, the vendor and the feature bits are cpu_ident.h. Pure.
 */
#ifndef ARCH_X86_DECODE_TOPOLOGY_H
#define ARCH_X86_DECODE_TOPOLOGY_H

#include <stdbool.h>
#include <stdint.h>

#include "arch/x86/decode/cpuid_reader.h"
#include "kernel/lib/warnings.h"
#include "kernel/machine_info.h"

/* The leaf the answer came from, the most trusted first. */
enum topology_method {
    TOPOLOGY_LEAF_1F,
    TOPOLOGY_LEAF_80000026,
    TOPOLOGY_LEAF_0B,
    TOPOLOGY_LEAF_8000001E,
    TOPOLOGY_LEAF_80000008,
    TOPOLOGY_LEAF_04,
    TOPOLOGY_LEAF_01,
    TOPOLOGY_SINGLE,   /* no leaf was usable: every CPU stands alone */
    TOPOLOGY_OVERRIDE, /* topology_override, not CPUID */
};

#define TOPOLOGY_CANDIDATES (TOPOLOGY_SINGLE + 1)
#define TOPOLOGY_CACHES_MAX 8

/* What one leaf says about the layout of APIC IDs, high to low: package, [module,] core, thread. */
struct topology_candidate {
    uint32_t id;           /* the APIC ID according to this leaf */
    uint8_t id_bits;       /* how many low bits of that ID the leaf can hold */
    uint8_t smt_shift;     /* IDs equal above this many bits are one core */
    uint8_t module_shift;  /* the same for AMD compute units; elsewhere equal to smt_shift */
    uint8_t package_shift; /* the same for packages */
    uint8_t unit;          /* number of the core (unit) where the leaf gives one, else 0 */
    uint8_t flaw;          /* enum topology_flaw: why this candidate cannot be used */
    uint8_t note;          /* enum topology_flaw: what to warn about if it is used all the same */
};

enum topology_cache_type { CACHE_NONE, CACHE_DATA, CACHE_INSTRUCTION, CACHE_UNIFIED };

struct topology_cache {
    uint8_t level;
    uint8_t type; /* enum topology_cache_type */
    uint16_t
        apic_ids; /* so many consecutive APIC IDs, counted from the package's first, share it */
    uint32_t kib;
};

/* What one CPU says about itself. */
struct topology_scan {
    uint32_t apic_id;
    uint8_t type;        /* enum cpu_type */
    uint8_t max_threads; /* more threads than this in a core are not believed */
    uint8_t cache_count;
    struct topology_candidate candidates[TOPOLOGY_CANDIDATES];
    struct topology_cache caches[TOPOLOGY_CACHES_MAX];
};

/* The machine as a whole; where each CPU sits is in its cpu_place. */
struct topology {
    unsigned packages, cores, modules, cpus;
    unsigned threads_per_core; /* of the core that has most */
    enum core_shares shares;   /* SHARES_SMT if any core has two CPUs */
    enum topology_method method;
    unsigned smt_shift, package_shift; /* of the CPU with the lowest APIC ID */
    struct warning_list warnings;
};

/*
 * Reads the leaves of the CPU it runs on. apic_id is the ID of its local APIC, as read from the
 * APIC and not from CPUID, which firmware and hypervisors let differ. Never fails.
 */
void topology_scan(cpuid_reader *read, void *ctx, uint32_t apic_id, struct topology_scan *out);

/* The APIC ID as CPUID has it, for those who cannot read the local APIC. */
uint32_t topology_cpuid_apic_id(cpuid_reader *read, void *ctx);

/*
 * Places all started CPUs: scans[i] and places[i] are those of CPU i. The result does not depend
 * on their order: packages, cores and modules are numbered by ascending APIC ID. Fills all of
 * places[0..count-1] but the member `cpu`, which is the caller's (and uses it as scratch space
 * meanwhile). count <= 65535; of 0 CPUs nothing is known and all counts are 0. A machine of one CPU
 * gives no warnings.
 */
void topology_build(const struct topology_scan *scans, unsigned count, struct cpu_place *places,
                    struct topology *out);

/*
 * Replaces the result of topology_build by what the user says: PACKAGESxCORESxTHREADS, for example
 * 1x2x2 (cores per package, threads per core), CPUs in the order of their index with siblings
 * adjacent, or all first threads before all second threads with ":far" behind it. With fewer CPUs
 * than the product the places are filled in that order and the last ones stay empty.
 *
 * Keeps apic_id and type of each place; nothing is assumed about caches beyond the core. Adds one
 * warning in any case. Returns false, having changed nothing else, if the text is malformed or the
 * machine has more CPUs than the product.
 */
bool topology_override(const char *text, unsigned count, struct cpu_place *places,
                       struct topology *out);

/*
 * How far apart two CPUs are: 0 the same CPU, 1 the same core (on AMD family 15h the same compute
 * unit), 2 the same last-level cache, 3 the same package, 4 none of these.
 */
unsigned topology_distance(const struct cpu_place *a, const struct cpu_place *b);

/*
 * Whether CPU b shares cache number `cache` of CPU a, after topology_build of these scans. CPUs of
 * one core share all their caches, whatever the leaf says.
 */
bool topology_shares_cache(const struct topology *topology, const struct topology_scan *scans,
                           const struct cpu_place *places, unsigned a, unsigned cache, unsigned b);

/* The word of the `topology:` record: leaf_1f, leaf_80000026, ..., leaf_01, single, override. */
const char *topology_method_name(enum topology_method method);

#endif
