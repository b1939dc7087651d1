/*
 * The work of `int`, `x87` and `simd`, user/work/: what it computes, step by step, and that it
 * makes no difference how the steps are cut into calls.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "user/work/compute.h"
#include "user/work/simd_steps.h"

static uint32_t rotate_left(uint32_t value, unsigned bits)
{
    return value << bits | value >> (32 - bits);
}

static void test_int_steps(void **state)
{
    struct int_work work, expected;

    (void)state;
    int_work_start(&work);
    expected = work;
    for (unsigned i = 0; i < COMPUTE_STREAMS; i++)
        for (unsigned step = 0; step < 1000; step++)
            expected.streams[i] = rotate_left(expected.streams[i] * 0x2c1b3c6du, 13) + 0x6b79f0e5u;
    int_work_run(&work, 1000);
    assert_memory_equal(&work, &expected, sizeof work);
}

/* SDM volume 2, "PMADDWD". */
static uint32_t multiply_halves(uint32_t a, uint32_t b)
{
    int32_t low = (int16_t)a * (int16_t)b, high = (int16_t)(a >> 16) * (int16_t)(b >> 16);

    return (uint32_t)low + (uint32_t)high;
}

static void step_by_hand(struct simd_work *work)
{
    for (unsigned i = 0; i < COMPUTE_STREAMS; i++) {
        for (unsigned lane = 0; lane < COMPUTE_LANES; lane++) {
            uint32_t *x = &work->streams[i][lane];

            *x = (rotate_left(*x, 7) ^ multiply_halves(*x, SIMD_FACTOR)) + SIMD_SUMMAND;
        }
    }
}

static void test_vectors_of_both_kinds_do_the_same(void **state)
{
    struct simd_work sse2, mmx, expected;

    (void)state;
    simd_work_start(&sse2);
    mmx = expected = sse2;
    for (unsigned step = 0; step < 2000; step++) {
        step_by_hand(&expected);
        simd_work_run_sse2(&sse2, 1);
        simd_work_run_mmx(&mmx, 1);
        assert_memory_equal(&sse2, &expected, sizeof sse2);
        assert_memory_equal(&mmx, &expected, sizeof mmx);
    }
    simd_work_start(&sse2);
    simd_work_run_sse2(&sse2, 2000);
    assert_memory_equal(&sse2, &expected, sizeof sse2);
    simd_work_start(&mmx);
    simd_work_run_mmx(&mmx, 2000);
    assert_memory_equal(&mmx, &expected, sizeof mmx);
}

/* A bit lost in any lane must show. */
static void test_simd_checksum_covers_all(void **state)
{
    uint32_t clean[COMPUTE_LANES], sum[COMPUTE_LANES];
    struct simd_work work;

    (void)state;
    simd_work_start(&work);
    simd_work_run_sse2(&work, 10);
    simd_work_checksum(&work, clean);
    for (unsigned i = 0; i < sizeof work * 8; i++) {
        ((uint8_t *)&work)[i / 8] ^= 1u << i % 8;
        simd_work_checksum(&work, sum);
        assert_memory_not_equal(sum, clean, sizeof sum);
        ((uint8_t *)&work)[i / 8] ^= 1u << i % 8;
    }
}

static void test_streams_of_x87_stay_alive(void **state)
{
    struct x87_work work, before;

    (void)state;
    x87_work_start(&work);
    for (unsigned i = 0; i < 1000; i++) {
        before = work;
        x87_work_run(&work, 1000);
        for (unsigned k = 0; k < COMPUTE_STREAMS; k++) {
            assert_true(work.streams[k] > 0.0L && work.streams[k] < 1.0L);
            assert_true(work.streams[k] != before.streams[k]);
        }
    }
}

static void test_steps_of_x87_may_be_cut(void **state)
{
    struct x87_work whole, parts;
    uint64_t first[2], second[2];

    (void)state;
    x87_work_start(&whole);
    parts = whole;
    x87_work_run(&whole, 1000);
    for (unsigned i = 0; i < 1000; i += 8)
        x87_work_run(&parts, 8);
    x87_work_checksum(&whole, first);
    x87_work_checksum(&parts, second);
    assert_memory_equal(first, second, sizeof first);
}

/* Each of the 80 bits of each stream. */
static void test_checksum_of_x87_covers_all(void **state)
{
    struct x87_work work;
    uint64_t clean[2], sum[2];

    (void)state;
    x87_work_start(&work);
    x87_work_run(&work, 10);
    x87_work_checksum(&work, clean);
    for (unsigned i = 0; i < COMPUTE_STREAMS; i++) {
        for (unsigned place = 0; place < 80; place++) {
            uint8_t *byte = (uint8_t *)&work.streams[i] + place / 8;

            *byte ^= 1u << place % 8;
            x87_work_checksum(&work, sum);
            assert_memory_not_equal(sum, clean, sizeof sum);
            *byte ^= 1u << place % 8;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_int_steps),
        cmocka_unit_test(test_vectors_of_both_kinds_do_the_same),
        cmocka_unit_test(test_simd_checksum_covers_all),
        cmocka_unit_test(test_streams_of_x87_stay_alive),
        cmocka_unit_test(test_steps_of_x87_may_be_cut),
        cmocka_unit_test(test_checksum_of_x87_covers_all),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
