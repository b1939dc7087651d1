/*
 * The topology decoder on machines of any size and order, and on noise: what must hold whatever the
 * registers say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/host/fake_cpuid.h"

#define CORE_I7 0x906a3

/* An Intel CPU of a kind that has every leaf; the tests add what the leaves say. */
static void begin_intel(uint32_t max_leaf, uint32_t count)
{
    fake_begin(max_leaf, INTEL, CORE_I7, count, 0, HTT);
}

/* Numbers follow the APIC IDs, whatever order the CPUs come in. */
static void test_order_of_cpus(void **state)
{
    (void)state;
    begin_intel(0xb, 4);
    fake_levels(0xb, 1, 2, 2, 4);
    fake_cpus(5, 0, 7, 3, 6, 1, 4, 2);
    fake_expect(2, 4, 8, "leaf_0b", "");
    fake_check_order();
    for (unsigned i = 0; i < 8; i++) {
        assert_int_equal(fake.places[i].package, fake.places[i].apic_id / 4);
        assert_int_equal(fake.places[i].core, fake.places[i].apic_id / 2);
        assert_int_equal(fake.places[i].thread, fake.places[i].apic_id % 2);
    }
}

static void test_4096_cpus(void **state)
{
    (void)state;
    begin_intel(0xb, 0x80);
    fake_levels(0xb, 1, 2, 7, 128);
    for (uint32_t i = 0; i < 4096; i++)
        fake_cpu((i * 1021u) % 4096);
    fake_expect(32, 2048, 4096, "leaf_0b", "");
    assert_int_equal(fake.places[1].core, 1021 / 2);
}

/* The invariants of any result, whatever the registers hold. */
static void check_invariants(void)
{
    const struct topology *topology = &fake.topology;
    unsigned in_core[16] = {0};

    assert_in_range(topology->packages, 1, topology->cores);
    assert_in_range(topology->cores, topology->packages, topology->cpus);
    assert_in_range(topology->modules, topology->packages, topology->cores);
    assert_in_range(topology->threads_per_core, 1, 4);
    for (unsigned i = 0; i < topology->cpus; i++) {
        assert_true(fake.places[i].package < topology->packages);
        assert_true(fake.places[i].core < topology->cores);
        assert_true(fake.places[i].cache < topology->cpus);
        assert_true(fake.places[i].thread < topology->threads_per_core);
        in_core[fake.places[i].core]++;
    }
    for (unsigned core = 0; core < topology->cores; core++)
        assert_in_range(in_core[core], 1, topology->threads_per_core);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 17;
    return *seed ^= *seed << 5;
}

/* Machines of noise in the right places; every other one tells the truth about its IDs. */
static void test_noise(void **state)
{
    static const uint32_t leaves[] = {4,          7,          0xb,        0x1a,       0x1f,
                                      0x80000001, 0x80000008, 0x8000001d, 0x8000001e, 0x80000026};
    static const uint32_t vendors[][3] = {{INTEL}, {AMD}, {HYGON}, {CENTAUR}, {NOBODY}};
    uint32_t seed = 1;

    (void)state;
    for (unsigned round = 0; round < 20000; round++) {
        const uint32_t *vendor = vendors[next_random(&seed) % 5];

        fake.leaf_count = fake.cpu_count = 0;
        fake_put(0, 0, next_random(&seed) % 0x24, vendor[0], vendor[1], vendor[2]);
        fake_put(1, 0, next_random(&seed), next_random(&seed) & 0x00070000, next_random(&seed),
                 next_random(&seed));
        fake_put(0x80000000, 0, 0x80000000 + next_random(&seed) % 0x28, 0, 0, 0);
        for (unsigned i = 0; i < 20; i++)
            fake_put(leaves[i % 10], i / 10, next_random(&seed) & next_random(&seed),
                     next_random(&seed) % 0x400, (next_random(&seed) & 0x77f) | (i / 10 + 1) << 8,
                     next_random(&seed));
        for (uint32_t i = 0; i < 1 + round % 9; i++) {
            struct fake_cpu *cpu = fake_cpu(i * (1 + round % 3));
            memset(cpu->own, 0, sizeof(cpu->own));
            if (round % 2)
                cpu->cpuid_apic_id = next_random(&seed) % 4;
        }
        fake_decode();
        check_invariants();
        if (round % 16 == 0)
            fake_check_order();
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_of_cpus),
        cmocka_unit_test(test_4096_cpus),
        cmocka_unit_test(test_noise),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
