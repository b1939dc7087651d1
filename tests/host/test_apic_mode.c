/* arch/x86/decode/apic_mode against what firmware is known to leave behind. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "arch/x86/decode/apic_mode.h"

static void expect_plan(struct apic_plan plan, enum apic_mode mode, unsigned count,
                        const uint64_t *writes)
{
    assert_int_equal(plan.mode, mode);
    assert_int_equal(plan.write_count, count);
    for (unsigned i = 0; i < count; i++)
        assert_int_equal(plan.writes[i], writes[i]);
}

/* The plan is this mode after these writes. */
#define EXPECT_PLAN(plan, mode, ...)                                                    \
    expect_plan(plan, mode, sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t), \
                (const uint64_t[]){__VA_ARGS__})

static void test_p02_apic_that_is_on_is_left_alone(void **state)
{
    struct apic_cpu boot = {.has_apic = true, .apic_base = 0xfee00900};
    struct apic_cpu other = {.has_apic = true, .apic_base = 0xfee00800};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&boot), APIC_MODE_XAPIC);
    assert_int_equal(apic_mode_plan(&boot).base, 0xfee00000);
    EXPECT_PLAN(apic_mode_plan(&other), APIC_MODE_XAPIC);
    EXPECT_PLAN(apic_mode_join(&other, APIC_MODE_XAPIC), APIC_MODE_XAPIC);
}

static void test_p02_apic_that_is_off_is_switched_on(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .apic_base = 0xfee00100};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC, 0xfee00900);
    assert_false(apic_mode_plan(&cpu).look_again);
    cpu.apic_base = 0xfed00000; /* base kept, boot CPU bit kept clear */
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC, 0xfed00800);
    assert_int_equal(apic_mode_plan(&cpu).base, 0xfed00000);
}

static void test_p02_cpuid_hides_an_apic_that_is_off(void **state)
{
    struct apic_cpu cpu = {.has_apic = false, .apic_base = 0xfee00100};
    struct apic_plan plan = apic_mode_plan(&cpu);

    (void)state;
    EXPECT_PLAN(plan, APIC_MODE_NONE, 0xfee00900);
    assert_true(plan.look_again);
    cpu.apic_base = plan.writes[0];
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_NONE); /* still hidden: there is none */
    assert_false(apic_mode_plan(&cpu).look_again);
    cpu.has_apic = true;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC);
}

static void test_p02_without_the_cpuid_bit_the_apic_is_not_touched(void **state)
{
    struct apic_cpu cpu = {.has_apic = false, .apic_base = 0xfee00900};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_NONE);
    cpu.has_x2apic = true;
    cpu.apic_base = 0xfee00d00;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_NONE);
}

static void test_p01_x2apic_left_on_is_used(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .has_x2apic = true, .apic_base = 0xfee00d00};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_X2APIC);
    cpu.legacy_xapic_disabled = true;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_X2APIC);
}

static void test_p01_x2apic_that_is_off_stays_off(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .has_x2apic = true, .apic_base = 0xfee00900};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC);
}

static void test_p01_x2apic_that_cpuid_denies_is_left_through_off(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .apic_base = 0xfee00d00};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC, 0xfee00100, 0xfee00900);
    cpu.legacy_xapic_disabled = true;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_NONE);
}

static void test_p01_refused_xapic_means_x2apic(void **state)
{
    struct apic_cpu cpu = {.has_apic = true,
                           .has_x2apic = true,
                           .legacy_xapic_disabled = true,
                           .apic_base = 0xfee00900};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_X2APIC, 0xfee00d00);
    cpu.apic_base = 0xfee00100;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_X2APIC, 0xfee00900, 0xfee00d00);
}

static void test_p01_the_others_follow_the_boot_cpu(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .has_x2apic = true, .apic_base = 0xfee00800};

    (void)state;
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_X2APIC), APIC_MODE_X2APIC, 0xfee00c00);
    cpu.apic_base = 0xfee00c00;
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_X2APIC), APIC_MODE_X2APIC);
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_XAPIC), APIC_MODE_XAPIC, 0xfee00000, 0xfee00800);
    cpu.apic_base = 0xfee00000;
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_X2APIC), APIC_MODE_X2APIC, 0xfee00800, 0xfee00c00);
}

static void test_p01_a_cpu_that_cannot_follow_is_told_apart(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .apic_base = 0xfee00800};

    (void)state;
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_X2APIC), APIC_MODE_NONE);
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_NONE), APIC_MODE_NONE);
    cpu.legacy_xapic_disabled = true;
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_XAPIC), APIC_MODE_NONE);
    cpu.has_apic = false;
    EXPECT_PLAN(apic_mode_join(&cpu, APIC_MODE_XAPIC), APIC_MODE_NONE);
}

static void test_d08_registers_out_of_reach_are_moved(void **state)
{
    struct apic_cpu cpu = {.has_apic = true, .apic_base = 0x1fee00900};

    (void)state;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC, 0xfee00900);
    cpu.apic_base = 0x900;
    EXPECT_PLAN(apic_mode_plan(&cpu), APIC_MODE_XAPIC, 0xfee00900);
    assert_int_equal(apic_mode_plan(&cpu).base, 0xfee00000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_p02_apic_that_is_on_is_left_alone),
        cmocka_unit_test(test_p02_apic_that_is_off_is_switched_on),
        cmocka_unit_test(test_p02_cpuid_hides_an_apic_that_is_off),
        cmocka_unit_test(test_p02_without_the_cpuid_bit_the_apic_is_not_touched),
        cmocka_unit_test(test_p01_x2apic_left_on_is_used),
        cmocka_unit_test(test_p01_x2apic_that_is_off_stays_off),
        cmocka_unit_test(test_p01_x2apic_that_cpuid_denies_is_left_through_off),
        cmocka_unit_test(test_p01_refused_xapic_means_x2apic),
        cmocka_unit_test(test_p01_the_others_follow_the_boot_cpu),
        cmocka_unit_test(test_p01_a_cpu_that_cannot_follow_is_told_apart),
        cmocka_unit_test(test_d08_registers_out_of_reach_are_moved),
    };

    return cmocka_run_group_tests_name("apic_mode", tests, NULL, NULL);
}
