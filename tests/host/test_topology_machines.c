/*
 * The topology decoder on machines that exist, typed in from their registers: silicon from the
 * Pentium 4 to hybrids, what QEMU shows, and what Bochs gets wrong. Numbers in test names are those
 * of docs/hazards.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/fake_cpuid.h"

#define IDS_MAX 33
#define IDS_END 0xffffffff

/* Registers that one CPU of each machine showed; a zero is a leaf that is empty or not there. */
struct row {
    const char *name;
    uint32_t vendor[3];
    uint32_t max_leaf, signature, leaf1_ebx, leaf1_ecx, leaf1_edx;
    uint32_t leaf4_eax;
    uint32_t levels[2][3]; /* leaf 0xB: EAX, EBX, ECX of two levels */
    uint32_t ext8_ecx, ext1_ecx, ext1e_ebx;
    uint32_t ids[IDS_MAX];
    unsigned packages, cores;
    const char *method;
    const char *warning;
};

/* clang-format off */
#define IDS(...) {__VA_ARGS__, IDS_END}
#define LEVELS(a, b, c, d, e, f) {{a, b, c}, {d, e, f}}
#define NO_LEVELS LEVELS(0, 0, 0, 0, 0, 0)

static const struct row silicon[] = {
    {"Atom N270", {INTEL}, 0xa, 0x106c2, 0x00020800, 0, HTT, 0x00004121, NO_LEVELS, 0, 0, 0,
     IDS(0, 1), 1, 1, "leaf_04", ""},
    {"Atom 330", {INTEL}, 0xa, 0x106c2, 0x00040800, 0, HTT, 0x04004121, NO_LEVELS, 0, 0, 0,
     IDS(0, 2, 1, 3), 1, 2, "leaf_04", ""},
    {"Atom D2500, no threads", {INTEL}, 0xa, 0x30661, 0x00020800, 0, HTT, 0x04000121, NO_LEVELS,
     0, 0, 0, IDS(0, 1), 1, 2, "leaf_04", ""},
    {"Atom N2600", {INTEL}, 0xa, 0x30661, 0x00040800, 0, HTT, 0x04004121, NO_LEVELS, 0, 0, 0,
     IDS(0, 1, 2, 3), 1, 2, "leaf_04", ""},
    {"Atom Medfield, one thread started", {INTEL}, 0xa, 0x20672, 0x00020800, 0, HTT, 0x00004121,
     NO_LEVELS, 0, 0, 0, IDS(0), 1, 1, "leaf_04", ""},
    {"Bay Trail", {INTEL}, 0xb, 0x30673, 0x00100800, 0, HTT, 0x1c000121,
     LEVELS(1, 1, 0x100, 4, 4, 0x201), 0, 0, 0, IDS(0, 2, 4, 6), 1, 4, "leaf_0b", ""},
    {"Pentium 4 Willamette", {INTEL}, 2, 0xf24, 0x00010809, 0, HTT, 0, NO_LEVELS, 0, 0, 0, IDS(0),
     1, 1, "leaf_01", ""},
    {"Pentium 4 Northwood with threads", {INTEL}, 2, 0xf29, 0x00020809, 0, HTT, 0, NO_LEVELS, 0,
     0, 0, IDS(0, 1), 1, 1, "leaf_01", ""},
    {"Core 2 Conroe", {INTEL}, 0xa, 0x6fb, 0x00020800, 0, HTT, 0x04000121, NO_LEVELS, 0, 0, 0,
     IDS(0, 1), 1, 2, "leaf_04", ""},
    {"Penryn, leaf 0xB empty", {INTEL}, 0xd, 0x1067a, 0x00020800, 0, HTT, 0x04000121, NO_LEVELS,
     0, 0, 0, IDS(0, 1), 1, 2, "leaf_04", ""},
    {"Lakefield", {INTEL}, 0x1b, 0x806a1, 0x00100800, 0, HTT, 0x1c000121,
     LEVELS(1, 1, 0x100, 4, 5, 0x201), 0, 0, 0, IDS(0, 2, 4, 6, 8), 1, 5, "leaf_0b", ""},
    {"Alder Lake-P", {INTEL}, 0x20, 0x906a3, 0x00800800, 0, HTT, 0xfc004121,
     LEVELS(1, 2, 0x100, 7, 0x14, 0x201), 0, 0, 0, IDS(0, 1, 8, 9, 16, 17, 24, 25, 32, 33, 40, 41,
     48, 50, 52, 54, 56, 58, 60, 62), 1, 14, "leaf_0b", ""},
    {"K8 Manchester", {AMD}, 1, 0x20fb1, 0x00020800, 0, HTT, 0, NO_LEVELS, 0x1, 0x2, 0, IDS(0, 1),
     1, 2, "leaf_80000008", ""},
    {"K10, three cores", {AMD}, 5, 0x100f52, 0x00030800, 0, HTT, 0, NO_LEVELS, 0x2002, 0x837ff, 0,
     IDS(0, 1, 2), 1, 3, "leaf_80000008", ""},
    {"K10, six cores", {AMD}, 6, 0x100fa0, 0x00060800, 0, HTT, 0, NO_LEVELS, 0x3005, 0x37ff, 0,
     IDS(0, 1, 3, 5, 2, 4), 1, 6, "leaf_80000008", ""},
    {"FX, six cores", {AMD}, 0xd, 0x600f12, 0x00060800, 0, HTT, 0, NO_LEVELS, 0x4005, TOPOEXT,
     0x100, IDS(0, 1, 2, 3, 4, 5), 1, 6, "leaf_8000001e", ""},
    {"two Opterons of 16 cores", {AMD}, 0xd, 0x600f12, 0x00100800, 0, HTT, 0, NO_LEVELS, 0x500f,
     TOPOEXT, 0x100, IDS(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 32, 33, 34, 35, 36,
     37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47), 2, 32, "leaf_8000001e", ""},
    {"threads off, width kept", {INTEL}, 0xb, 0x306a9, 0x00100800, 0, HTT, 0x1c004121,
     LEVELS(1, 1, 0x100, 4, 4, 0x201), 0, 0, 0, IDS(0, 2, 4, 6), 1, 4, "leaf_0b", ""},
};

/* QEMU sets the hypervisor bit, and leaf 0x80000008 ECX on Intel models too. */
static const struct row qemu[] = {
    {"Nehalem,level=3", {INTEL}, 3, 0x106a3, 0x00040800, HYPERVISOR, HTT, 0, NO_LEVELS, 0x2003, 0,
     0, IDS(0, 1, 2, 3), 1, 4, "leaf_01", "leaf_01.ebx"},
    {"Nehalem,cpuid-0xb=off", {INTEL}, 0xb, 0x106a3, 0x00040800, HYPERVISOR, HTT, 0x04000121,
     NO_LEVELS, 0x2003, 0, 0, IDS(0, 1, 2, 3), 1, 2, "leaf_04", ""},
    {"n270", {INTEL}, 0xa, 0x106c2, 0x00020800, HYPERVISOR, HTT, 0x00000121, NO_LEVELS, 0x1001, 0,
     0, IDS(0, 1), 1, 1, "leaf_04", ""},
    {"n270, 1x2x2", {INTEL}, 0xa, 0x106c2, 0x00040800, HYPERVISOR, HTT, 0x04000121, NO_LEVELS,
     0x2003, 0, 0, IDS(0, 1, 2, 3), 1, 2, "leaf_04", ""},
    {"n270, 2 sockets", {INTEL}, 0xa, 0x106c2, 0x00000800, HYPERVISOR, 0, 0x00000121, NO_LEVELS,
     0, 0, 0, IDS(0, 1), 2, 2, "leaf_04", ""},
    {"qemu32, 1x2x2", {INTEL}, 4, 0x663, 0x00040800, HYPERVISOR, HTT, 0x04000121, NO_LEVELS,
     0x2003, 0, 0, IDS(0, 1, 2, 3), 1, 2, "leaf_04", ""},
    {"pentium3", {INTEL}, 3, 0x673, 0x00020800, HYPERVISOR, HTT, 0, NO_LEVELS, 0, 0, 0, IDS(0, 1),
     1, 2, "leaf_01", "leaf_01.ebx"},
    {"pentium3, 4 sockets", {INTEL}, 3, 0x673, 0x00000800, HYPERVISOR, 0, 0, NO_LEVELS, 0, 0, 0,
     IDS(0, 1, 2, 3), 4, 4, "leaf_01", "leaf_01.ebx"},
    {"Nehalem, 1x2x2", {INTEL}, 0xb, 0x106a3, 0x00040800, HYPERVISOR, HTT, 0x04000121,
     LEVELS(1, 2, 0x100, 2, 4, 0x201), 0x2003, 0, 0, IDS(0, 1, 2, 3), 1, 2, "leaf_0b", ""},
    {"Nehalem, 2x3x1", {INTEL}, 0xb, 0x106a3, 0x00030800, HYPERVISOR, HTT, 0x08000121,
     LEVELS(0, 1, 0x100, 2, 3, 0x201), 0x2002, 0, 0, IDS(0, 1, 2, 4, 5, 6), 2, 6, "leaf_0b", ""},
    {"EPYC, topoext clear", {AMD}, 0xd, 0x800f12, 0x00040800, HYPERVISOR, HTT, 0,
     LEVELS(1, 2, 0x100, 2, 4, 0x201), 0x2003, 0, 0x100, IDS(0, 1, 2, 3), 1, 2, "leaf_0b", ""},
    {"EPYC, topoext and leaf 0xB clear", {AMD}, 0xd, 0x800f12, 0x00040800, HYPERVISOR, HTT, 0,
     NO_LEVELS, 0x2003, 0, 0x100, IDS(0, 1, 2, 3), 1, 4, "leaf_80000008", "leaf_80000008.ecx"},
    {"max, 1x3x2", {AMD}, 0xd, 0x60fb1, 0x00060800, HYPERVISOR, HTT, 0,
     LEVELS(1, 2, 0x100, 3, 6, 0x201), 0x3005, 0x2, 0, IDS(0, 1, 2, 3, 4, 5), 1, 3, "leaf_0b",
     ""},
    {"qemu64, 4 sockets", {AMD}, 0xd, 0x60fb1, 0x00000800, HYPERVISOR, 0, 0,
     LEVELS(0, 1, 0x100, 0, 1, 0x201), 0, 0, 0, IDS(0, 1, 2, 3), 4, 4, "leaf_0b", ""},
    {"Opteron_G5, 1x2x2", {AMD}, 0xd, 0x600f20, 0x00040800, HYPERVISOR, HTT, 0,
     LEVELS(1, 2, 0x100, 2, 4, 0x201), 0x2003, 0x2, 0, IDS(0, 1, 2, 3), 1, 2, "leaf_0b", ""},
    {"1x4x2 of which two cores are online", {AMD}, 0xd, 0x60fb1, 0x00080800, HYPERVISOR, HTT, 0,
     LEVELS(1, 2, 0x100, 3, 8, 0x201), 0x3007, 0x2, 0, IDS(0, 4), 1, 2, "leaf_0b", ""},
};

/* Bochs has no hypervisor bit: it wants to be the CPU it names. */
static const struct row bochs[] = {
    {"atom_n270 1:1:2", {INTEL}, 0xa, 0x106c2, 0x00020800, 0, HTT, 0x00004121, NO_LEVELS, 0, 0, 0,
     IDS(0, 1), 1, 1, "leaf_04", ""},
    {"atom_n270 1:2:2, one core of four threads", {INTEL}, 0xa, 0x106c2, 0x00040800, 0, HTT,
     0x00004121, NO_LEVELS, 0, 0, 0, IDS(0, 1, 2, 3), 1, 4, "leaf_01", "leaf_04.eax"},
    {"corei7_sandy_bridge_2600k 1:1:2", {INTEL}, 0xd, 0x206a7, 0x00020800, 0, HTT, 0x00004121,
     LEVELS(1, 2, 0x100, 1, 1, 0), 0, 0, 0, IDS(0, 1), 1, 1, "leaf_0b", ""},
    {"corei7_sandy_bridge_2600k 1:2:2, core shift 1", {INTEL}, 0xd, 0x206a7, 0x00040800, 0, HTT,
     0x04004121, LEVELS(1, 2, 0x100, 1, 2, 0x201), 0, 0, 0, IDS(0, 1, 2, 3), 1, 2, "leaf_04",
     "leaf_0b.eax"},
    {"corei7_sandy_bridge_2600k 1:4:1, cores first", {INTEL}, 0xd, 0x206a7, 0x00040800, 0, HTT,
     0x0c000121, LEVELS(2, 4, 0x200, 0, 0, 0), 0, 0, 0, IDS(0, 1, 2, 3), 1, 4, "leaf_04",
     "leaf_0b.eax"},
    {"core2_penryn 1:2:1, leaf 0xB empty", {INTEL}, 0xd, 0x1067a, 0x00020800, 0, HTT, 0x04000121,
     NO_LEVELS, 0, 0, 0, IDS(0, 1), 1, 2, "leaf_04", ""},
};

/* clang-format on */

static void check_row(const struct row *row)
{
    unsigned count = 0;

    fake_begin(row->max_leaf, row->vendor[0], row->vendor[1], row->vendor[2], row->signature, 0,
               row->leaf1_ecx, row->leaf1_edx);
    fake.leaves[1].regs.ebx = row->leaf1_ebx;
    fake_put(4, 0, row->leaf4_eax, 0, 0, 0);
    for (uint32_t i = 0; i < 2; i++)
        fake_put(0xb, i, row->levels[i][0], row->levels[i][1], row->levels[i][2], 0);
    fake_put(0x80000000, 0, row->ext1e_ebx ? 0x8000001e : 0x80000008, 0, 0, 0);
    fake_put(0x80000001, 0, 0, 0, row->ext1_ecx, 0);
    fake_put(0x80000008, 0, 0, 0, row->ext8_ecx, 0);
    for (; row->ids[count] != IDS_END; count++) {
        struct fake_cpu *cpu = fake_cpu(row->ids[count]);
        cpu->own[0] = (struct fake_leaf){
            0x8000001e, 0, {0, row->ext1e_ebx | (row->ids[count] / 2 & 0x7), 0, 0}};
    }
    print_message("%s\n", row->name);
    fake_expect(row->packages, row->cores, count, row->method, row->warning);
    fake_check_order();
}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        check_row(&rows[i]);
}

static void test_silicon(void **state)
{
    (void)state;
    check_rows(silicon, sizeof(silicon) / sizeof(silicon[0]));
}

/* The machines of one table whose names begin with this. */
static void check_named(const struct row *rows, size_t count, const char *name)
{
    unsigned found = 0;

    for (size_t i = 0; i < count; i++) {
        if (strncmp(rows[i].name, name, strlen(name)) != 0)
            continue;
        check_row(&rows[i]);
        found++;
    }
    assert_true(found > 0);
}

#define CHECK_NAMED(rows, name) check_named(rows, sizeof(rows) / sizeof((rows)[0]), name)

/* HTT promises more CPUs than there are. */
static void test_c01_count_above_what_started(void **state)
{
    (void)state;
    CHECK_NAMED(silicon, "Atom Medfield");
    CHECK_NAMED(silicon, "Pentium 4 Willamette");
    CHECK_NAMED(silicon, "Core 2 Conroe");
}

/* HTT and CmpLegacy: cores, since AMD had no threads before family 17h. */
static void test_c02_amd_htt_is_cores(void **state)
{
    (void)state;
    CHECK_NAMED(silicon, "K8 Manchester");
    CHECK_NAMED(silicon, "FX, six cores");
}

static void test_c04_counts_that_are_no_powers_of_two(void **state)
{
    (void)state;
    CHECK_NAMED(silicon, "K10, three cores");
    CHECK_NAMED(silicon, "K10, six cores");
    CHECK_NAMED(silicon, "Alder Lake-P");
    CHECK_NAMED(qemu, "Nehalem, 2x3x1");
    CHECK_NAMED(qemu, "max, 1x3x2");
}

/* Virtual machines with one CPU in each package. */
static void test_c12_flat_machines(void **state)
{
    (void)state;
    CHECK_NAMED(qemu, "pentium3, 4 sockets");
    CHECK_NAMED(qemu, "qemu64, 4 sockets");
    CHECK_NAMED(qemu, "n270, 2 sockets");
}

/* Two threads without leaf 0xB; QEMU's model lacks the sharing of the first-level cache. */
static void test_x01_first_atoms(void **state)
{
    (void)state;
    CHECK_NAMED(silicon, "Atom N270");
    CHECK_NAMED(qemu, "n270");
}

/* IDs in the order 0, 2, 1, 3; two cores with HTT set and no threads. */
static void test_x02_dual_core_atoms(void **state)
{
    (void)state;
    CHECK_NAMED(silicon, "Atom 330");
    CHECK_NAMED(silicon, "Atom D2500");
    CHECK_NAMED(silicon, "Atom N2600");
}

static void test_qemu(void **state)
{
    (void)state;
    check_rows(qemu, sizeof(qemu) / sizeof(qemu[0]));
}

static void test_bochs(void **state)
{
    (void)state;
    check_rows(bochs, sizeof(bochs) / sizeof(bochs[0]));
}

/* An Intel model with dies=2: leaf 0x1F has a die level, leaf 0xB ends above the dies. */
static void test_qemu_with_dies(void **state)
{
    (void)state;
    fake_begin(0x1f, INTEL, 0x106a3, 8, HYPERVISOR, HTT);
    fake_levels(0x1f, 1, 2, 2, 4);
    fake.leaves[fake.leaf_count - 1].regs = (struct cpuid_regs){3, 8, 0x502, 0};
    fake_levels(0xb, 1, 2, 3, 8);
    fake_cpu_range(0, 16, 1);
    fake_expect(2, 8, 16, "leaf_1f", "");
}

/* Bochs' AMD models: 0x8000001E is 0, 0x100, 0 on every CPU. */
static void test_bochs_amd(void **state)
{
    (void)state;
    fake_begin(0xd, AMD, 0x600f12, 4, 0, HTT);
    fake_put(0x80000000, 0, 0x8000001e, AMD);
    fake_put(0x80000001, 0, 0x600f12, 0, TOPOEXT, 0);
    fake_put(0x80000008, 0, 0, 0, 0x2003, 0);
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    for (uint32_t i = 0; i < 4; i++) {
        struct fake_cpu *cpu = fake_cpu(i);
        cpu->cpuid_apic_id = 0;
        cpu->own[0] = (struct fake_leaf){1, 0, {0x600f12, i << 24 | 4 << 16, 0, HTT}};
    }
    fake_expect(1, 4, 4, "leaf_80000008", "leaf_8000001e.eax");
    assert_int_equal(fake.topology.shares, SHARES_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_silicon),
        cmocka_unit_test(test_qemu),
        cmocka_unit_test(test_bochs),
        cmocka_unit_test(test_qemu_with_dies),
        cmocka_unit_test(test_bochs_amd),
        cmocka_unit_test(test_c01_count_above_what_started),
        cmocka_unit_test(test_c02_amd_htt_is_cores),
        cmocka_unit_test(test_c04_counts_that_are_no_powers_of_two),
        cmocka_unit_test(test_c12_flat_machines),
        cmocka_unit_test(test_x01_first_atoms),
        cmocka_unit_test(test_x02_dual_core_atoms),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
