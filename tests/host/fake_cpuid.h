/*
 * Machines made up for the topology tests: one list of leaves for all CPUs, into which the APIC ID
 * of each is filled in where CPUID shows it. Include after cmocka.h.
 */
#ifndef TESTS_HOST_FAKE_CPUID_H
#define TESTS_HOST_FAKE_CPUID_H

#include <string.h>

#include "arch/x86/decode/topology.h"

#define FAKE_CPUS_MAX 4096
#define FAKE_LEAVES_MAX 24

#define INTEL 0x756e6547, 0x6c65746e, 0x49656e69
#define AMD 0x68747541, 0x444d4163, 0x69746e65
#define HYGON 0x6f677948, 0x656e6975, 0x6e65476e
#define CENTAUR 0x746e6543, 0x736c7561, 0x48727561
#define SHANGHAI 0x68532020, 0x20206961, 0x68676e61
#define NOBODY 0x65746e49, 0x2121216c, 0x6574216c

#define HTT (1u << 28)
#define HYPERVISOR (1u << 31)
#define TOPOEXT (1u << 22)
#define HYBRID (1u << 15)

struct fake_leaf {
    uint32_t leaf, subleaf;
    struct cpuid_regs regs;
};

struct fake_cpu {
    uint32_t apic_id;        /* of the local APIC */
    uint32_t cpuid_apic_id;  /* what CPUID says instead */
    struct fake_leaf own[4]; /* leaves that differ from the machine's; leaf 0 ends the list */
    const struct fake_machine *machine;
};

struct fake_machine {
    struct fake_leaf leaves[FAKE_LEAVES_MAX];
    unsigned leaf_count;
    unsigned cpu_count;
    struct fake_cpu cpus[FAKE_CPUS_MAX];
    struct topology_scan scans[FAKE_CPUS_MAX];
    struct cpu_place places[FAKE_CPUS_MAX];
    struct topology topology;
};

/* One machine is enough, and too large for a stack. */
static struct fake_machine fake;

static inline void fake_put(uint32_t leaf, uint32_t subleaf, uint32_t eax, uint32_t ebx,
                            uint32_t ecx, uint32_t edx)
{
    assert_true(fake.leaf_count < FAKE_LEAVES_MAX);
    fake.leaves[fake.leaf_count++] = (struct fake_leaf){leaf, subleaf, {eax, ebx, ecx, edx}};
}

/* Begins a new machine: vendor in the order EBX, ECX, EDX; leaf 1 count in EBX[23:16]. */
static inline void fake_begin(uint32_t max_leaf, uint32_t ebx, uint32_t ecx, uint32_t edx,
                              uint32_t signature, uint32_t count, uint32_t leaf1_ecx,
                              uint32_t leaf1_edx)
{
    memset(&fake, 0, sizeof(fake));
    fake_put(0, 0, max_leaf, ebx, ecx, edx);
    fake_put(1, 0, signature, count << 16 | 0x800, leaf1_ecx, leaf1_edx);
}

/* The level list of leaf 0xB, 0x1F or 0x80000026: EAX and EBX of thread and core level. */
static inline void fake_levels(uint32_t leaf, uint32_t smt_shift, uint32_t smt_count,
                               uint32_t core_shift, uint32_t core_count)
{
    fake_put(leaf, 0, smt_shift, smt_count, 0x100, 0);
    fake_put(leaf, 1, core_shift, core_count, 0x201, 0);
    fake_put(leaf, 2, 0, 0, 2, 0);
}

static inline struct fake_cpu *fake_cpu(uint32_t apic_id)
{
    struct fake_cpu *cpu = &fake.cpus[fake.cpu_count++];

    assert_true(fake.cpu_count <= FAKE_CPUS_MAX);
    cpu->apic_id = cpu->cpuid_apic_id = apic_id;
    cpu->machine = &fake;
    return cpu;
}

/* CPUs with these APIC IDs. */
#define fake_cpus(...)                                               \
    do {                                                             \
        const uint32_t ids[] = {__VA_ARGS__};                        \
        for (size_t i_ = 0; i_ < sizeof(ids) / sizeof(ids[0]); i_++) \
            fake_cpu(ids[i_]);                                       \
    } while (0)

static inline void fake_cpu_range(uint32_t first, uint32_t count, uint32_t step)
{
    for (uint32_t i = 0; i < count; i++)
        fake_cpu(first + i * step);
}

static inline const struct fake_leaf *fake_find(const struct fake_leaf *leaves, unsigned count,
                                                uint32_t leaf, uint32_t subleaf)
{
    for (unsigned i = 0; i < count; i++) {
        if (leaves[i].leaf == leaf && leaves[i].subleaf == subleaf)
            return &leaves[i];
    }
    return NULL;
}

/* A cpuid_reader; ctx is a struct fake_cpu. Above the highest basic leaf it repeats that leaf. */
static inline struct cpuid_regs fake_reader(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    const struct fake_cpu *cpu = ctx;
    const struct fake_machine *machine = cpu->machine;
    const struct fake_leaf *found = fake_find(cpu->own, 4, leaf, subleaf);
    uint32_t max = machine->leaves[0].regs.eax;
    struct cpuid_regs regs;

    if (!found || leaf == 0)
        found = fake_find(machine->leaves, machine->leaf_count, leaf, subleaf);
    if (!found && leaf > max && leaf < 0x40000000)
        found = fake_find(machine->leaves, machine->leaf_count, max, 0);
    if (!found)
        return (struct cpuid_regs){0};
    regs = found->regs;
    if (leaf == 1)
        regs.ebx |= cpu->cpuid_apic_id << 24;
    if (leaf == 0xb || leaf == 0x1f || leaf == 0x80000026)
        regs.edx = cpu->cpuid_apic_id;
    if (leaf == 0x8000001e)
        regs.eax = cpu->cpuid_apic_id;
    return regs;
}

static inline void fake_decode(void)
{
    for (unsigned i = 0; i < fake.cpu_count; i++)
        topology_scan(fake_reader, &fake.cpus[i], fake.cpus[i].apic_id, &fake.scans[i]);
    topology_build(fake.scans, fake.cpu_count, fake.places, &fake.topology);
}

/* Turns the order of the CPUs round and decodes again: nothing may change. */
static inline void fake_check_order(void)
{
    static struct cpu_place before[FAKE_CPUS_MAX];
    const struct topology topology = fake.topology;
    unsigned count = fake.cpu_count;

    memcpy(before, fake.places, sizeof(before));
    for (unsigned i = 0; i < count / 2; i++) {
        struct fake_cpu moved = fake.cpus[i];
        fake.cpus[i] = fake.cpus[count - 1 - i];
        fake.cpus[count - 1 - i] = moved;
    }
    fake_decode();
    assert_memory_equal(&topology, &fake.topology, sizeof(topology));
    for (unsigned i = 0; i < count; i++)
        assert_memory_equal(&before[i], &fake.places[count - 1 - i], sizeof(before[i]));
    for (unsigned i = 0; i < count / 2; i++) {
        struct fake_cpu moved = fake.cpus[i];
        fake.cpus[i] = fake.cpus[count - 1 - i];
        fake.cpus[count - 1 - i] = moved;
    }
    fake_decode();
}

/* Decodes the machine and checks the counts, the leaf used and the first warning ("" for none). */
#define fake_expect(packages_, cores_, cpus_, method_, warning_)                        \
    do {                                                                                \
        const struct warning_list *list_ = &fake.topology.warnings;                     \
        fake_decode();                                                                  \
        assert_int_equal(fake.topology.packages, packages_);                            \
        assert_int_equal(fake.topology.cores, cores_);                                  \
        assert_int_equal(fake.topology.cpus, cpus_);                                    \
        assert_string_equal(topology_method_name(fake.topology.method), method_);       \
        assert_string_equal(list_->count > 0 ? list_->entries[0].where : "", warning_); \
    } while (0)

#endif
