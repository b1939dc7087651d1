/*
 * CPU identification: vendor, family and model, names, feature bits, hypervisors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "arch/x86/decode/cpu_ident.h"

#define LEAVES_MAX 16

struct leaf {
    uint32_t leaf;
    struct cpuid_regs regs;
};

/* The leaves of one CPU; a leaf of 0 after the first ends the list. */
static struct leaf leaves[LEAVES_MAX];
static unsigned leaf_count;

static void put(uint32_t leaf, uint32_t eax, uint32_t ebx, uint32_t ecx, uint32_t edx)
{
    assert_true(leaf_count < LEAVES_MAX);
    leaves[leaf_count++] = (struct leaf){leaf, {eax, ebx, ecx, edx}};
}

static void put_text(uint32_t leaf, const char *text16)
{
    struct cpuid_regs regs;

    memcpy(&regs, text16, sizeof(regs));
    put(leaf, regs.eax, regs.ebx, regs.ecx, regs.edx);
}

static void begin(uint32_t max_leaf, const char *vendor)
{
    uint32_t words[3];

    memcpy(words, vendor, sizeof(words));
    leaf_count = 0;
    put(0, max_leaf, words[0], words[2], words[1]);
}

/* Repeats the first leaf, as a CPU of the 1990s may, for what it does not know. */
static struct cpuid_regs reader(void *ctx, uint32_t leaf, uint32_t subleaf)
{
    (void)ctx;
    (void)subleaf;
    for (unsigned i = 0; i < leaf_count; i++) {
        if (leaves[i].leaf == leaf)
            return leaves[i].regs;
    }
    return leaves[0].regs;
}

static struct cpu_ident identify(void)
{
    struct cpu_ident ident;

    cpu_identify(reader, NULL, &ident);
    return ident;
}

static void test_vendors(void **state)
{
    static const struct {
        const char *name;
        enum cpu_vendor vendor;
    } known[] = {
        {"GenuineIntel", VENDOR_INTEL}, {"AuthenticAMD", VENDOR_AMD},
        {"HygonGenuine", VENDOR_HYGON}, {"CentaurHauls", VENDOR_VIA},
        {"  Shanghai  ", VENDOR_VIA},   {"GenuineIotel", VENDOR_OTHER},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        begin(0, known[i].name);
        assert_string_equal(identify().vendor_name, known[i].name);
        assert_int_equal(identify().vendor, known[i].vendor);
    }
}

static void expect_family(uint32_t signature, unsigned family, unsigned model, unsigned stepping)
{
    struct cpu_ident ident;

    begin(1, "GenuineIntel");
    put(1, signature, 0, 0, 0);
    ident = identify();
    assert_int_equal(ident.family, family);
    assert_int_equal(ident.model, model);
    assert_int_equal(ident.stepping, stepping);
}

/* The extended model counts in families 6 and 15 only, the extended family in 15 only. */
static void test_families(void **state)
{
    (void)state;
    expect_family(0x00000673, 0x6, 0x7, 3);
    expect_family(0x000106c2, 0x6, 0x1c, 2);
    expect_family(0x00000f29, 0xf, 0x2, 9);
    expect_family(0x00600f12, 0x15, 0x1, 2);
    expect_family(0x00b20f40, 0x1a, 0x24, 0);
    expect_family(0x000307b1, 0x7, 0xb, 1);
    expect_family(0x01200543, 0x5, 0x4, 3);
    expect_family(0xffffffff, 0x10e, 0xff, 15);
}

static void test_model_name(void **state)
{
    (void)state;
    begin(1, "GenuineIntel");
    put(0x80000000, 0x80000004, 0, 0, 0);
    put_text(0x80000002, "        Intel(R)");
    put_text(0x80000003, " Core(TM)   i7-2");
    put_text(0x80000004, "600  @ 3.40GHz  ");
    assert_string_equal(identify().model_name, "Intel(R) Core(TM) i7-2600 @ 3.40GHz");
    /* All 48 characters used, and no terminator. */
    leaf_count = 2;
    for (uint32_t i = 2; i <= 4; i++)
        put_text(0x80000000 + i, "0123456789abcdef");
    assert_int_equal(strlen(identify().model_name), CPU_MODEL_NAME_LENGTH);
    /* Leaves beyond the maximum are not asked for. */
    leaves[1].regs.eax = 0x80000003;
    assert_int_equal(strlen(identify().model_name), 32);
}

static void test_no_extended_leaves(void **state)
{
    (void)state;
    begin(2, "GenuineIntel");
    put(1, 0x673, 0, 0, 0);
    put(0x80000000, 0x03020101, 0, 0, 0x0c040842);
    assert_int_equal(identify().max_extended_leaf, 0);
    assert_string_equal(identify().model_name, "");
    assert_false(identify().nx);
}

static void test_no_cpuid(void **state)
{
    struct cpu_ident ident;

    (void)state;
    leaf_count = 0;
    put(0, 0, 0, 0, 0);
    ident = identify();
    assert_string_equal(ident.vendor_name, "");
    assert_int_equal(ident.vendor, VENDOR_OTHER);
    assert_int_equal(ident.family, 0);
    assert_false(ident.pae || ident.apic || ident.tsc || ident.msr || ident.hypervisor);
    assert_int_equal(ident.platform, PLATFORM_BARE);
}

/* Each flag is set by its bit and by no other. */
static void test_features(void **state)
{
    static const struct {
        uint32_t leaf;
        unsigned reg, bit;
        size_t flag;
    } features[] = {
#define FLAG(name) offsetof(struct cpu_ident, name)
        {1, 3, 0, FLAG(fpu)},
        {1, 3, 4, FLAG(tsc)},
        {1, 3, 5, FLAG(msr)},
        {1, 3, 6, FLAG(pae)},
        {1, 3, 9, FLAG(apic)},
        {1, 3, 13, FLAG(pge)},
        {1, 3, 24, FLAG(fxsr)},
        {1, 3, 25, FLAG(sse)},
        {1, 3, 28, FLAG(htt)},
        {1, 2, 21, FLAG(x2apic)},
        {1, 2, 24, FLAG(tsc_deadline)},
        {1, 2, 31, FLAG(hypervisor)},
        {6, 0, 2, FLAG(arat)},
        {7, 1, 7, FLAG(smep)},
        {7, 1, 20, FLAG(smap)},
        {7, 2, 2, FLAG(umip)},
        {7, 3, 15, FLAG(hybrid)},
        {0x80000001, 3, 20, FLAG(nx)},
        {0x80000001, 2, 22, FLAG(topoext)},
        {0x80000007, 3, 8, FLAG(tsc_invariant)},
        {0x80000008, 1, 2, FLAG(fpu_pointers)},
    };
    static const uint32_t used[] = {1, 6, 7, 0x80000001, 0x80000007, 0x80000008};
    const size_t count = sizeof(features) / sizeof(features[0]);

    (void)state;
    for (size_t i = 0; i < count; i++) {
        struct cpu_ident ident;
        uint32_t regs[4] = {0};

        begin(7, "GenuineIntel");
        put(0x80000000, 0x80000008, 0, 0, 0);
        for (size_t k = 0; k < sizeof(used) / sizeof(used[0]); k++) {
            regs[features[i].reg] = used[k] == features[i].leaf ? 1u << features[i].bit : 0;
            put(used[k], regs[0], regs[1], regs[2], regs[3]);
        }
        ident = identify();
        for (size_t k = 0; k < count; k++)
            assert_int_equal(*((const bool *)&ident + features[k].flag), i == k);
    }
}

static void test_leaf_above_maximum(void **state)
{
    struct cpu_ident ident;

    (void)state;
    begin(5, "GenuineIntel");
    put(6, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    put(7, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
    put(0x80000000, 0x80000006, 0, 0, 0);
    put(0x80000007, 0, 0, 0, 0xffffffff);
    ident = identify();
    assert_false(ident.arat || ident.smep || ident.smap || ident.umip || ident.hybrid);
    assert_false(ident.tsc_invariant);
    assert_int_equal(cpu_ident_leaf(&ident, reader, NULL, 7, 0).ebx, 0);
    assert_int_equal(cpu_ident_leaf(&ident, reader, NULL, 0x80000007, 0).edx, 0);
}

static void expect_platform(const char *signature, const char *second, const char *platform)
{
    struct cpuid_regs regs = {0};

    begin(1, "GenuineIntel");
    put(1, 0, 0, 1u << 31, 0);
    memcpy(&regs.ebx, signature, 12);
    put(0x40000000, 0x40000001, regs.ebx, regs.ecx, regs.edx);
    memcpy(&regs.ebx, second, 12);
    put(0x40000100, 0x40000101, regs.ebx, regs.ecx, regs.edx);
    assert_string_equal(cpu_platform_name(identify().platform), platform);
    /* Without the bit the leaf is not believed. */
    leaves[1].regs.ecx = 0;
    assert_string_equal(cpu_platform_name(identify().platform), "bare");
    assert_string_equal(identify().hypervisor_name, "");
}

static void test_platforms(void **state)
{
    static const char none[13] = "";

    (void)state;
    expect_platform("TCGTCGTCGTCG", none, "qemu");
    expect_platform("KVMKVMKVM\0\0\0", none, "kvm");
    expect_platform("VMwareVMware", none, "vmware");
    expect_platform("Microsoft Hv", none, "hyperv");
    expect_platform("Microsoft Hv", "KVMKVMKVM\0\0\0", "kvm");
    expect_platform("VBoxVBoxVBox", none, "virtualbox");
    expect_platform("XenVMMXenVMM", none, "other");
    expect_platform(none, none, "other");
    assert_string_equal(cpu_platform_name(PLATFORM_BOCHS), "bochs");
}

/* Unequal steppings and hybrids: what the boot CPU has and another lacks must not be switched on.
 */
static void test_s16_unequal_cpus_are_noticed(void **state)
{
    struct cpu_ident boot_cpu = {.tsc = true, .msr = true, .pae = true, .pge = true, .nx = true};
    struct cpu_ident other = boot_cpu;

    (void)state;
    assert_null(cpu_ident_lacks(&other, &boot_cpu));
    other.nx = false;
    assert_string_equal(cpu_ident_lacks(&other, &boot_cpu), "no-execute pages");
    boot_cpu.nx = false;
    assert_null(cpu_ident_lacks(&other, &boot_cpu));
    boot_cpu.sse = true;
    assert_string_equal(cpu_ident_lacks(&other, &boot_cpu), "SSE");
    boot_cpu.sse = false;
    other.nx = true; /* more than the boot CPU has is no trouble */
    assert_null(cpu_ident_lacks(&other, &boot_cpu));
    other.pae = false;
    assert_string_equal(cpu_ident_lacks(&other, &boot_cpu), "PAE");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_vendors),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_model_name),
        cmocka_unit_test(test_no_extended_leaves),
        cmocka_unit_test(test_no_cpuid),
        cmocka_unit_test(test_features),
        cmocka_unit_test(test_leaf_above_maximum),
        cmocka_unit_test(test_platforms),
        cmocka_unit_test(test_s16_unequal_cpus_are_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
