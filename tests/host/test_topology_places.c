/*
 * What the topology decoder says about caches and distances, the override from the command line,
 * and the text of the records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "arch/x86/decode/topology_print.h"
#include "tests/host/fake_cpuid.h"

#define TEXT_BYTES 8192

/* EAX of leaf 4 or 0x8000001D, and EBX of an 8-way cache of 64-byte lines. */
#define CACHE(level, type, sharing) (((sharing)-1u) << 14 | (level) << 5 | (type))
#define WAYS_8 0x01c0003f

static char text[TEXT_BYTES];

/* What the caller of the decoders does: says which CPU each place belongs to. */
static void number_places(void)
{
    for (unsigned i = 0; i < fake.cpu_count; i++)
        fake.places[i].cpu = (uint16_t)i;
}

static void to_text(void *unused, const char *piece, size_t length)
{
    size_t used = strlen(text);

    (void)unused;
    assert_true(used + length < sizeof(text));
    memcpy(text + used, piece, length);
    text[used + length] = '\0';
}

/* One performance core of two threads, four efficiency cores on one L2, all on one L3. */
static void begin_hybrid(void)
{
    fake_begin(0x1f, INTEL, 0x906a4, 0x20, 0, HTT);
    fake_put(7, 0, 0, 0, 0, HYBRID);
    fake_put(0x1a, 0, 0x40000001, 0, 0, 0);
    fake_levels(0x1f, 1, 2, 5, 6);
    fake_put(4, 0, CACHE(1, CACHE_DATA, 2), WAYS_8, 63, 0);
    fake_put(4, 1, CACHE(1, CACHE_INSTRUCTION, 2), WAYS_8, 63, 0);
    fake_put(4, 2, CACHE(2, CACHE_UNIFIED, 8), WAYS_8, 2047, 0);
    fake_put(4, 3, CACHE(3, CACHE_UNIFIED, 32), WAYS_8, 16383, 0);
    fake_cpus(0, 1);
    for (uint32_t id = 8; id < 16; id += 2)
        fake_cpu(id)->own[0] = (struct fake_leaf){0x1a, 0, {0x20000001, 0, 0, 0}};
}

static void test_caches_of_a_hybrid(void **state)
{
    (void)state;
    begin_hybrid();
    fake_expect(1, 5, 6, "leaf_1f", "");
    assert_int_equal(fake.scans[0].cache_count, 4);
    assert_int_equal(fake.scans[0].caches[0].kib, 32);
    assert_int_equal(fake.scans[0].caches[3].kib, 8192);
    for (unsigned i = 0; i < 6; i++) {
        assert_int_equal(fake.places[i].cache, 0);
        assert_int_equal(topology_shares_cache(&fake.topology, fake.scans, fake.places, 2, 2, i),
                         i >= 2);
    }
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[0]), 0);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[1]), 1);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[2]), 2);
}

/* Two cores with the L3 on either side of one without: theirs is still one cache. */
static void test_core_without_the_last_level(void **state)
{
    (void)state;
    begin_hybrid();
    fake.cpus[3].own[1] = (struct fake_leaf){4, 2, {CACHE(2, CACHE_UNIFIED, 1), WAYS_8, 63, 0}};
    fake.cpus[3].own[2] = (struct fake_leaf){4, 3, {0, 0, 0, 0}};
    fake_expect(1, 5, 6, "leaf_1f", "");
    assert_int_equal(fake.places[0].cache, fake.places[5].cache);
    assert_int_not_equal(fake.places[0].cache, fake.places[3].cache);
    assert_int_equal(topology_distance(&fake.places[2], &fake.places[3]), 3);
    fake_check_order();
}

/* One L3 for each group of four IDs, two packages. */
static void test_last_level_smaller_than_package(void **state)
{
    (void)state;
    fake_begin(0xb, AMD, 0x800f12, 8, 0, HTT);
    fake_put(0x80000000, 0, 0x8000001e, AMD);
    fake_put(0x80000001, 0, 0, 0, TOPOEXT, 0);
    fake_put(0x8000001d, 0, CACHE(3, CACHE_UNIFIED, 3), WAYS_8, 1023, 0);
    fake_levels(0xb, 1, 2, 3, 8);
    fake_cpu_range(0, 16, 1);
    fake_expect(2, 8, 16, "leaf_0b", "");
    for (unsigned i = 0; i < 16; i++)
        assert_int_equal(fake.places[i].cache, i / 4);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[2]), 2);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[4]), 3);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[8]), 4);
}

/* Before Zen IDs had no gaps: six cores of a twelve-core package share an L3. */
static void test_last_level_without_gaps(void **state)
{
    (void)state;
    fake_begin(0xd, AMD, 0x600f12, 12, 0, HTT);
    fake_put(0x80000000, 0, 0x8000001e, AMD);
    fake_put(0x80000001, 0, 0, 0, TOPOEXT, 0);
    fake_put(0x80000008, 0, 0, 0, 0x500b, 0);
    fake_put(0x8000001d, 0, CACHE(3, CACHE_UNIFIED, 6), WAYS_8, 1023, 0);
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    fake_cpu_range(32, 12, 1);
    fake_cpu_range(64, 12, 1);
    fake_expect(2, 24, 24, "leaf_8000001e", "");
    assert_int_equal(fake.topology.modules, 12);
    for (unsigned i = 0; i < 24; i++)
        assert_int_equal(fake.places[i].cache, i / 6);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[1]), 1);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[5]), 2);
    assert_int_equal(topology_distance(&fake.places[0], &fake.places[6]), 3);
}

/* Nothing known of caches: siblings share, cores do not. */
static void test_no_caches(void **state)
{
    (void)state;
    fake_begin(2, INTEL, 0xf25, 2, 0, HTT);
    fake_cpus(0, 1, 6, 7);
    fake_expect(2, 2, 4, "leaf_01", "");
    assert_int_equal(fake.places[0].cache, fake.places[1].cache);
    assert_int_not_equal(fake.places[0].cache, fake.places[2].cache);
    assert_int_equal(topology_distance(&fake.places[1], &fake.places[2]), 4);
}

/* More caches than there is room for, and the largest sizes a register can name. */
static void test_too_many_caches(void **state)
{
    (void)state;
    fake_begin(4, INTEL, 0x906a4, 2, 0, HTT);
    for (uint32_t i = 0; i < 20; i++)
        fake_put(4, i, CACHE(7, 3 + i % 2, 4096), 0xffffffff, 0xffffffff, 0);
    fake_cpus(0, 1);
    fake_decode();
    assert_int_equal(fake.scans[0].cache_count, TOPOLOGY_CACHES_MAX);
    assert_int_equal(fake.scans[0].caches[0].apic_ids, 4096);
}

/* The place of each CPU as "package.core.thread". */
static void expect_override(const char *words, unsigned cpus, const char *places)
{
    fake_begin(0xb, INTEL, 0x906a4, 1, 0, HTT);
    fake_cpu_range(0, cpus, 1);
    fake_decode();
    text[0] = '\0';
    assert_true(topology_override(words, cpus, fake.places, &fake.topology));
    for (unsigned i = 0; i < cpus; i++)
        format_to(to_text, NULL, "%s%u.%u.%u", i > 0 ? " " : "", fake.places[i].package,
                  fake.places[i].core, fake.places[i].thread);
    assert_string_equal(text, places);
    assert_string_equal(topology_method_name(fake.topology.method), "override");
    assert_string_equal(fake.topology.warnings.entries[fake.topology.warnings.count - 1].where,
                        "cmdline.topology");
}

static void test_override(void **state)
{
    (void)state;
    expect_override("1x2x2", 4, "0.0.0 0.0.1 0.1.0 0.1.1");
    assert_int_equal(fake.topology.shares, SHARES_SMT);
    assert_int_equal(fake.topology.cores, 2);
    assert_int_equal(fake.topology.threads_per_core, 2);
    expect_override("1x2x2:far", 4, "0.0.0 0.1.0 0.0.1 0.1.1");
    expect_override("2x2x1", 4, "0.0.0 0.1.0 1.2.0 1.3.0");
    assert_int_equal(fake.topology.packages, 2);
    assert_int_equal(fake.topology.shares, SHARES_NONE);
    expect_override("2x1x2:far", 4, "0.0.0 1.1.0 0.0.1 1.1.1");
    /* Fewer CPUs than places. */
    expect_override("2x2x2", 3, "0.0.0 0.0.1 0.1.0");
    assert_int_equal(fake.topology.packages, 1);
    assert_int_equal(fake.topology.cores, 2);
    expect_override("1x2x2:far", 3, "0.0.0 0.1.0 0.0.1");
    expect_override("65535x65535x65535", 1, "0.0.0");
}

static void test_override_keeps_ids_and_types(void **state)
{
    (void)state;
    begin_hybrid();
    fake_decode();
    assert_true(topology_override("1x3x2", 6, fake.places, &fake.topology));
    assert_int_equal(fake.places[5].apic_id, 14);
    assert_int_equal(fake.places[5].type, CPU_EFFICIENCY);
    assert_int_equal(topology_distance(&fake.places[4], &fake.places[5]), 1);
    text[0] = '\0';
    topology_print_caches(to_text, NULL, &fake.topology, fake.scans, fake.places);
    assert_string_equal(text, "");
}

static void test_override_refused(void **state)
{
    static const char *const bad[] = {"",        "auto",     "1x2",      "1x2x0",         "0x2x2",
                                      "1x2x2:",  "1x2x2:fa", "1x2x2 ",   "-1x2x2",        "1X2X2",
                                      "1x2x2x1", "x2x2",     "1xx2",     "99999x1x1",     "1x1x3",
                                      "3x1x1",   "1x3x1",    "1x2x2far", "4294967297x1x4"};
    struct cpu_place before[4];

    (void)state;
    fake_begin(0xb, INTEL, 0x906a4, 4, 0, HTT);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_cpus(0, 1, 2, 3);
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fake_decode();
        memcpy(before, fake.places, sizeof(before));
        assert_false(topology_override(bad[i], 4, fake.places, &fake.topology));
        assert_memory_equal(before, fake.places, sizeof(before));
        assert_int_equal(fake.topology.method, TOPOLOGY_LEAF_0B);
        assert_int_equal(fake.topology.warnings.count, 1);
    }
}

static void test_records(void **state)
{
    struct cpu_ident ident = {.vendor_name = "GenuineIntel", .model_name = "A \"quoted\"\n name"};

    (void)state;
    begin_hybrid();
    fake.cpu_count = 3;
    fake_decode();
    text[0] = '\0';
    number_places();
    for (unsigned i = 0; i < 3; i++)
        topology_print_cpu(to_text, NULL, i, fake.places[i].apic_id, &fake.places[i], "online", "");
    topology_print_cpu(to_text, NULL, 3, 0xff, NULL, "failed", "no answer");
    topology_print_cores(to_text, NULL, &fake.topology, fake.places);
    topology_print_caches(to_text, NULL, &fake.topology, fake.scans, fake.places);
    topology_print_summary(to_text, NULL, &fake.topology, &ident);
    assert_string_equal(
        text, "cpu: cpu=0 apic_id=0x0 package=0 core=0 thread=0 type=performance state=online "
              "reason=\"\"\n"
              "cpu: cpu=1 apic_id=0x1 package=0 core=0 thread=1 type=performance state=online "
              "reason=\"\"\n"
              "cpu: cpu=2 apic_id=0x8 package=0 core=1 thread=0 type=efficiency state=online "
              "reason=\"\"\n"
              "cpu: cpu=3 apic_id=0xff package=-1 core=-1 thread=-1 type=uniform state=failed "
              "reason=\"no answer\"\n"
              "core: core=0 package=0 cpus=0,1 shares=smt\n"
              "core: core=1 package=0 cpus=2 shares=none\n"
              "cache: level=1 type=data kib=32 cpus=0,1\n"
              "cache: level=1 type=instruction kib=32 cpus=0,1\n"
              "cache: level=2 type=unified kib=1024 cpus=0,1\n"
              "cache: level=3 type=unified kib=8192 cpus=0,1,2\n"
              "cache: level=1 type=data kib=32 cpus=2\n"
              "cache: level=1 type=instruction kib=32 cpus=2\n"
              "cache: level=2 type=unified kib=1024 cpus=2\n"
              "topology: packages=1 cores=2 cpus=3 threads_per_core=2 shares=smt method=leaf_1f "
              "vendor=\"GenuineIntel\" model_name=\"A ?quoted?? name\"\n");
}

static void test_records_of_modules(void **state)
{
    (void)state;
    fake_begin(0xd, AMD, 0x600f12, 4, 0, HTT);
    fake_put(0x80000000, 0, 0x8000001e, AMD);
    fake_put(0x80000001, 0, 0, 0, TOPOEXT, 0);
    fake_put(0x80000008, 0, 0, 0, 0x4003, 0);
    fake_put(0x8000001e, 0, 0, 0x100, 0, 0);
    fake_cpus(16, 17, 18);
    fake_decode();
    text[0] = '\0';
    number_places();
    topology_print_cores(to_text, NULL, &fake.topology, fake.places);
    assert_string_equal(text, "core: core=0 package=0 cpus=0 shares=module module=0\n"
                              "core: core=1 package=0 cpus=1 shares=module module=0\n"
                              "core: core=2 package=0 cpus=2 shares=module module=1\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caches_of_a_hybrid),
        cmocka_unit_test(test_core_without_the_last_level),
        cmocka_unit_test(test_last_level_smaller_than_package),
        cmocka_unit_test(test_last_level_without_gaps),
        cmocka_unit_test(test_no_caches),
        cmocka_unit_test(test_too_many_caches),
        cmocka_unit_test(test_override),
        cmocka_unit_test(test_override_keeps_ids_and_types),
        cmocka_unit_test(test_override_refused),
        cmocka_unit_test(test_records),
        cmocka_unit_test(test_records_of_modules),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
