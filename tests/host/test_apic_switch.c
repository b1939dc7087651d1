/*
 * arch/x86/apic_switch.c on a CPU made up here: IA32_APIC_BASE that remembers what is written and
 * faults where the real one does, and CPUID that hides an APIC which is off.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "tests/host/fake_io.h"

#include "arch/x86/apic_switch.c"

#define ON 0x800u
#define X2 0x400u
#define BOOT_CPU 0x100u
#define BASE 0xfee00000u

static struct {
    uint64_t apic_base;
    bool apic, x2apic; /* what CPUID shows while the APIC is on */
    bool locked;       /* in x2APIC mode, by firmware */
} chip;

/* Intel SDM volume 3, "x2APIC State Transitions": these fault. */
static bool is_invalid(uint64_t from, uint64_t to)
{
    bool leaves_x2apic = (from & X2) != 0 && (to & X2) == 0;

    return ((to & X2) != 0 && (to & ON) == 0) || ((from & ON) == 0 && (to & X2) != 0) ||
           (leaves_x2apic && (to & ON) != 0);
}

static uint64_t chip_msr(uint32_t msr)
{
    switch (msr) {
    case 0x1b:
        return chip.apic_base;
    case 0x10a:
        assert_true(chip.locked); /* CPUID shows it only then */
        return 1u << 21;
    case 0xbd:
        assert_true(chip.locked);
        return 1;
    default:
        fail();
        return 0;
    }
}

struct cpuid_regs cpu_live_cpuid(void *unused, uint32_t leaf, uint32_t subleaf)
{
    /* The writes so far have happened: CPUID is read after them. */
    for (unsigned i = 0; i < fake_event_count; i++)
        chip.apic_base = fake_events[i].value;
    (void)unused;
    (void)subleaf;
    if (leaf == 0)
        return (struct cpuid_regs){.eax = 7};
    if (leaf == 1 && chip.apic)
        return (struct cpuid_regs){.ecx = (uint32_t)chip.x2apic << 21,
                                   .edx = 1u << 5 | (uint32_t)(chip.apic_base >> 11 & 1) << 9};
    if (leaf == 1)
        return (struct cpuid_regs){.edx = 1u << 5};
    if (leaf == 7)
        return (struct cpuid_regs){.edx = (uint32_t)chip.locked << 29};
    return (struct cpuid_regs){0};
}

static void power_on(uint64_t apic_base, bool apic, bool x2apic)
{
    fake_io_reset();
    fake_msr_read = chip_msr;
    memset(&chip, 0, sizeof(chip));
    chip.apic_base = apic_base;
    chip.apic = apic;
    chip.x2apic = x2apic;
}

static void check_transitions(uint64_t from)
{
    for (unsigned i = 0; i < fake_event_count; i++) {
        assert_int_equal(fake_events[i].kind, MSR_WRITE);
        assert_int_equal(fake_events[i].where, 0x1b);
        assert_false(is_invalid(from, fake_events[i].value));
        from = fake_events[i].value;
    }
}

#define WROTE(value)           \
    {                          \
        MSR_WRITE, 0x1b, value \
    }

static void test_p02_apic_that_is_on_is_not_written(void **state)
{
    struct apic_plan plan;

    (void)state;
    power_on(BASE | ON | BOOT_CPU, true, true);
    plan = apic_switch_boot_cpu();
    assert_int_equal(plan.mode, APIC_MODE_XAPIC);
    assert_int_equal(plan.base, BASE);
    assert_int_equal(fake_event_count, 0);
}

static void test_p02_hidden_apic_is_switched_on_and_looked_at_again(void **state)
{
    (void)state;
    power_on(BASE | BOOT_CPU, true, false);
    assert_int_equal(apic_switch_boot_cpu().mode, APIC_MODE_XAPIC);
    FAKE_EXPECT(WROTE(BASE | ON | BOOT_CPU));
}

static void test_p02_what_stays_hidden_is_left_alone(void **state)
{
    (void)state;
    power_on(BASE | BOOT_CPU, false, false);
    assert_int_equal(apic_switch_boot_cpu().mode, APIC_MODE_NONE);
    assert_true(fake_event_count <= 1);
    power_on(BASE | ON | BOOT_CPU, false, false);
    assert_int_equal(apic_switch_boot_cpu().mode, APIC_MODE_NONE);
    assert_int_equal(fake_event_count, 0);
}

static void test_p01_x2apic_left_on_is_kept_and_joined(void **state)
{
    (void)state;
    power_on(BASE | ON | X2 | BOOT_CPU, true, true);
    assert_int_equal(apic_switch_boot_cpu().mode, APIC_MODE_X2APIC);
    assert_int_equal(fake_event_count, 0);
    /* Another CPU comes out of INIT in xAPIC mode, or was put there by firmware. */
    power_on(BASE | ON, true, true);
    assert_true(apic_switch_other_cpu());
    FAKE_EXPECT(WROTE(BASE | ON | X2));
    /* One that is off gets there in two steps. */
    power_on(BASE, true, true);
    assert_true(apic_switch_other_cpu());
    check_transitions(BASE);
    assert_int_equal(fake_events[fake_event_count - 1].value, BASE | ON | X2);
    /* One that cannot says so. */
    power_on(BASE | ON, true, false);
    assert_false(apic_switch_other_cpu());
    assert_int_equal(fake_event_count, 0);
}

static void test_p01_locked_x2apic_is_used(void **state)
{
    (void)state;
    power_on(BASE | ON | X2 | BOOT_CPU, true, true);
    chip.locked = true;
    assert_int_equal(apic_switch_boot_cpu().mode, APIC_MODE_X2APIC);
    assert_int_equal(fake_event_count, 0);
}

static void test_p01_others_leave_x2apic_through_off(void **state)
{
    (void)state;
    power_on(BASE | ON | BOOT_CPU, true, true);
    assert_int_equal(apic_switch_boot_cpu().mode, APIC_MODE_XAPIC);
    power_on(BASE | ON | X2, true, true);
    assert_true(apic_switch_other_cpu());
    check_transitions(BASE | ON | X2);
    FAKE_EXPECT(WROTE(BASE), WROTE(BASE | ON));
}

/* Whatever firmware left, no write is one that faults, and there are few. */
static void test_p01_no_start_leads_to_a_fault(void **state)
{
    static const uint32_t modes[] = {0, ON, ON | X2};

    (void)state;
    for (unsigned boot = 0; boot < 3; boot++) {
        for (unsigned other = 0; other < 3; other++) {
            for (unsigned shown = 0; shown < 4; shown++) {
                power_on(BASE | BOOT_CPU | modes[boot], shown & 1, shown & 2);
                apic_switch_boot_cpu();
                check_transitions(BASE | BOOT_CPU | modes[boot]);
                power_on(BASE | modes[other], shown & 1, shown & 2);
                apic_switch_other_cpu();
                check_transitions(BASE | modes[other]);
                assert_true(fake_event_count <= 3);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_p02_apic_that_is_on_is_not_written),
        cmocka_unit_test(test_p02_hidden_apic_is_switched_on_and_looked_at_again),
        cmocka_unit_test(test_p02_what_stays_hidden_is_left_alone),
        cmocka_unit_test(test_p01_x2apic_left_on_is_kept_and_joined),
        cmocka_unit_test(test_p01_locked_x2apic_is_used),
        cmocka_unit_test(test_p01_others_leave_x2apic_through_off),
        cmocka_unit_test(test_p01_no_start_leads_to_a_fault),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
