/*
 * Which FPU state a CPU has, and what it holds at the start of a task. Images are compared with
 * what this host's own FNINIT, FNSAVE and FXSAVE write.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "arch/x86/decode/fpu_state.h"

#define FNSAVE_BYTES 108

static const struct cpu_ident none = {.vendor = VENDOR_INTEL};
static const struct cpu_ident pentium_pro = {.vendor = VENDOR_INTEL, .fpu = true};
static const struct cpu_ident pentium_2 = {.vendor = VENDOR_INTEL, .fpu = true, .fxsr = true};
static const struct cpu_ident atom = {
    .vendor = VENDOR_INTEL, .fpu = true, .fxsr = true, .sse = true};
static const struct cpu_ident opteron = {
    .vendor = VENDOR_AMD, .fpu = true, .fxsr = true, .sse = true};

static void test_kinds(void **state)
{
    struct cpu_ident cpu = opteron;

    (void)state;
    assert_int_equal(fpu_choose(&none), FPU_NONE);
    assert_int_equal(fpu_choose(&pentium_pro), FPU_FNSAVE);
    assert_int_equal(fpu_choose(&pentium_2), FPU_FXSAVE);
    assert_int_equal(fpu_choose(&atom), FPU_FXSAVE);
    assert_int_equal(fpu_choose(&cpu), FPU_FXSAVE_POINTERS);
    cpu.vendor = VENDOR_HYGON;
    assert_int_equal(fpu_choose(&cpu), FPU_FXSAVE_POINTERS);
    cpu.fpu_pointers = true; /* Zen */
    assert_int_equal(fpu_choose(&cpu), FPU_FXSAVE);
}

static void test_fxsave_without_fpu_is_not_believed(void **state)
{
    struct cpu_ident cpu = atom;

    (void)state;
    cpu.fpu = false;
    assert_int_equal(fpu_choose(&cpu), FPU_NONE);
}

static uint32_t word(const uint8_t *bytes, unsigned index)
{
    uint32_t value;

    memcpy(&value, bytes + 4 * index, sizeof value);
    return value;
}

static bool is_zero(const uint8_t *bytes, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Stale bytes must not survive. */
static void fill(uint8_t *state)
{
    memset(state, 0xa5, FPU_STATE_BYTES);
}

static void test_clean_fnsave_image(void **state)
{
    uint8_t image[FPU_STATE_BYTES];

    (void)state;
    fill(image);
    fpu_clean_state(FPU_FNSAVE, &pentium_pro, image);
    assert_int_equal(word(image, 0), 0xffff037f);
    assert_int_equal(word(image, 1), 0xffff0000);
    assert_int_equal(word(image, 2), 0xffffffff);
    assert_true(is_zero(image, 12, FPU_STATE_BYTES));
}

static void test_clean_fxsave_area(void **state)
{
    uint8_t image[FPU_STATE_BYTES];

    (void)state;
    fill(image);
    fpu_clean_state(FPU_FXSAVE, &atom, image);
    assert_int_equal(word(image, 0), 0x037f);
    assert_int_equal(word(image, 6), 0x1f80);
    assert_true(is_zero(image, 4, 24));
    assert_true(is_zero(image, 28, FPU_STATE_BYTES));
}

/* Without SSE the MXCSR field is reserved. */
static void test_clean_fxsave_area_without_sse(void **state)
{
    uint8_t image[FPU_STATE_BYTES];

    (void)state;
    fill(image);
    fpu_clean_state(FPU_FXSAVE, &pentium_2, image);
    assert_int_equal(word(image, 0), 0x037f);
    assert_true(is_zero(image, 4, FPU_STATE_BYTES));
}

static void test_without_fpu_all_is_zero(void **state)
{
    uint8_t image[FPU_STATE_BYTES];

    (void)state;
    fill(image);
    fpu_clean_state(FPU_NONE, &none, image);
    assert_true(is_zero(image, 0, FPU_STATE_BYTES));
}

#if defined(__x86_64__) || defined(__i386__)
/* What the processor under us makes of FNINIT is what we call clean: control, status, tags. */
static void test_clean_is_what_fninit_leaves(void **state)
{
    uint8_t saved[FNSAVE_BYTES], fxsaved[FPU_STATE_BYTES] __attribute__((aligned(16)));
    uint8_t image[FPU_STATE_BYTES];

    (void)state;
    __asm__ volatile("fninit\n\tfnsave %0" : "=m"(saved));
    fpu_clean_state(FPU_FNSAVE, &pentium_pro, image);
    for (unsigned i = 0; i < 3; i++)
        assert_int_equal(word(saved, i) & 0xffff, word(image, i) & 0xffff);
    __asm__ volatile("fninit\n\tfxsave %0" : "=m"(fxsaved));
    fpu_clean_state(FPU_FXSAVE, &atom, image);
    assert_int_equal(word(fxsaved, 0), word(image, 0));
    assert_int_equal(fxsaved[4], image[4]);
}

/* And it takes it back: a reserved bit that is set would be a fault. */
static void test_processor_loads_the_clean_states(void **state)
{
    uint8_t image[FPU_STATE_BYTES] __attribute__((aligned(16)));
    uint16_t control = 0;

    (void)state;
    fpu_clean_state(FPU_FNSAVE, &pentium_pro, image);
    __asm__ volatile("frstor %1\n\tfnstcw %0" : "=m"(control) : "m"(image));
    assert_int_equal(control, 0x037f);
    fpu_clean_state(FPU_FXSAVE, &atom, image);
    __asm__ volatile("fxrstor %1\n\tfnstcw %0" : "=m"(control) : "m"(image));
    assert_int_equal(control, 0x037f);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_fxsave_without_fpu_is_not_believed),
        cmocka_unit_test(test_clean_fnsave_image),
        cmocka_unit_test(test_clean_fxsave_area),
        cmocka_unit_test(test_clean_fxsave_area_without_sse),
        cmocka_unit_test(test_without_fpu_all_is_zero),
#if defined(__x86_64__) || defined(__i386__)
        cmocka_unit_test(test_clean_is_what_fninit_leaves),
        cmocka_unit_test(test_processor_loads_the_clean_states),
#endif
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
