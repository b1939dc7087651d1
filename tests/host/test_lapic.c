/*
 * The order in which arch/x86/lapic.c reads and writes the local APIC, in both modes. Silicon is
 * strict about it where emulators are not. Test names carry the hazard of docs/hazards.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "tests/host/fake_lapic.h"

#define KICK (ICR_FIXED | VECTOR_KICK)

/* Intel SDM volume 3, "Interrupt Command Register (ICR)": bit 14 is level, 1 is assert. */
static void test_s03_commands_have_the_level_bit(void **state)
{
    (void)state;
    assert_int_equal(ICR_INIT, 0x4500);
    assert_int_equal(ICR_STARTUP | 0x9a, 0x469a);
    assert_int_equal(ICR_INIT_DEASSERT, 0x8500);
    assert_int_equal(KICK, 0x4041);
    assert_int_equal(ICR_NMI, 0x4400);
}

static void test_p04_xapic_writes_the_destination_first(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    assert_true(lapic_send_ipi(5, KICK));
    FAKE_EXPECT({MMIO_WRITE, LAPIC_ICR_HIGH, 5u << 24}, {MMIO_WRITE, LAPIC_ICR_LOW, KICK});
}

/* Whole words: what was in the ICR before is not read back into it. */
static void test_p04_destination_holds_nothing_but_the_id(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    assert_true(lapic_send_ipi(0xfe, ICR_INIT));
    assert_true(lapic_send_ipi(0, ICR_INIT));
    FAKE_EXPECT({MMIO_WRITE, LAPIC_ICR_HIGH, 0xfe000000}, {MMIO_WRITE, LAPIC_ICR_LOW, 0x4500},
                {MMIO_WRITE, LAPIC_ICR_HIGH, 0}, {MMIO_WRITE, LAPIC_ICR_LOW, 0x4500});
}

static void test_p04_a_busy_icr_is_waited_for(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    fake_pending_reads = 3;
    assert_true(lapic_send_ipi(1, KICK));
    assert_int_equal(fake_reads, 4);
    assert_int_equal(fake_event_count, 2);
}

static void test_p04_the_wait_is_bounded_and_sends_nothing(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    fake_pending_reads = UINT64_MAX;
    assert_false(lapic_send_ipi(1, KICK));
    assert_in_range(fake_reads, 1000, 10000000);
    assert_int_equal(fake_event_count, 0);
}

/* One 64-bit write, the ID in the upper half, nothing to wait for. */
static void test_p04_x2apic_writes_once(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_X2APIC);
    fake_pending_reads = UINT64_MAX;
    assert_true(lapic_send_ipi(0x12345, KICK));
    FAKE_EXPECT({MSR_WRITE, 0x830, 0x0001234500000000u | KICK});
    assert_int_equal(fake_reads, 0);
}

static void test_p03_own_id_is_the_registers(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    fake_id = 0x10123456; /* the low bits are reserved */
    assert_int_equal(lapic_id(), 0x10);
    fake_lapic_begin(APIC_MODE_X2APIC);
    fake_id = 0x10123456;
    assert_int_equal(lapic_id(), 0x10123456);
}

/* All sources are masked before the APIC is enabled: firmware may have left any of them open. */
static void check_enable(enum apic_mode mode, enum fake_event_kind kind, bool has_msr)
{
    static const uint32_t lvts[] = {LAPIC_LVT_TIMER, LAPIC_LVT_THERMAL, LAPIC_LVT_PERFORMANCE,
                                    LAPIC_LVT_LINT0, LAPIC_LVT_LINT1,   LAPIC_LVT_ERROR};
    unsigned enabled;

    fake_lapic_begin(mode);
    lapic_enable();
    enabled = fake_find_write(kind, has_msr ? MSR(LAPIC_SVR) : LAPIC_SVR);
    for (unsigned i = 0; i < sizeof(lvts) / sizeof(lvts[0]); i++) {
        unsigned at = fake_find_write(kind, has_msr ? MSR(lvts[i]) : lvts[i]);

        assert_true(at < enabled);
        assert_int_equal(fake_events[at].value, 0x10000);
    }
    assert_int_equal(fake_events[fake_find_write(kind, has_msr ? 0x808 : LAPIC_TPR)].value, 0);
    assert_int_equal(fake_events[fake_find_write(kind, has_msr ? 0x828 : LAPIC_ESR)].value, 0);
    assert_int_equal(fake_events[fake_find_write(kind, has_msr ? 0x80b : LAPIC_EOI)].value, 0);
    for (unsigned i = 0; i < fake_event_count; i++)
        assert_int_equal(fake_events[i].kind, kind);
}

static void test_p05_everything_is_masked_before_it_is_enabled(void **state)
{
    (void)state;
    check_enable(APIC_MODE_XAPIC, MMIO_WRITE, false);
    check_enable(APIC_MODE_X2APIC, MSR_WRITE, true);
}

static bool writes(uint32_t offset)
{
    for (unsigned i = 0; i < fake_event_count; i++)
        if (fake_events[i].where == offset)
            return true;
    return false;
}

/* A write to an LVT entry that is not there is an error, in x2APIC mode a fault. */
static void test_p05_only_lvt_entries_that_exist_are_written(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    fake_version = VERSION_DISCRETE;
    lapic_enable();
    assert_true(writes(LAPIC_LVT_ERROR));
    assert_false(writes(LAPIC_LVT_PERFORMANCE) || writes(LAPIC_LVT_THERMAL));
    fake_lapic_begin(APIC_MODE_X2APIC);
    lapic_enable();
    assert_true(writes(MSR(LAPIC_LVT_THERMAL)));
    assert_false(writes(MSR(LAPIC_LVT_CMCI)));
    fake_lapic_begin(APIC_MODE_X2APIC);
    fake_version = VERSION_CURRENT;
    lapic_enable();
    assert_true(writes(MSR(LAPIC_LVT_CMCI)));
}

/* SDM volume 3, "APIC Timer": the initial count starts it, so it comes last. */
static void test_p05_timer_is_divide_then_lvt_then_count(void **state)
{
    unsigned divide, lvt;

    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    lapic_enable();
    divide = fake_find_write(MMIO_WRITE, LAPIC_TIMER_DIVIDE);
    assert_int_equal(fake_events[divide].value, 0x0b);
    lvt = fake_event_count;
    assert_true(divide < lvt);
    lapic_timer_enable();
    lapic_timer_arm(12345);
    fake_check_events(lvt,
                      (const struct fake_event[]){{MMIO_WRITE, LAPIC_TIMER_INITIAL, 0},
                                                  {MMIO_WRITE, LAPIC_LVT_TIMER, VECTOR_TIMER},
                                                  {MMIO_WRITE, LAPIC_TIMER_INITIAL, 12345}},
                      3);
}

static void test_p05_free_running_timer_is_masked(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_X2APIC);
    lapic_timer_start_free();
    FAKE_EXPECT({MSR_WRITE, 0x832, 0x10000}, {MSR_WRITE, 0x838, 0xffffffff});
    assert_int_equal(lapic_timer_elapsed(), 1000);
}

/* On the boot CPU the NMI pin opens; the pin of the 8259 stays shut everywhere. */
static void test_p05_extint_stays_masked(void **state)
{
    unsigned lint0;

    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    lapic_enable();
    lapic_enable_nmi();
    lint0 = fake_find_write(MMIO_WRITE, LAPIC_LVT_LINT0);
    assert_int_equal(fake_events[lint0].value, 0x10000);
    assert_int_equal(fake_events[fake_event_count - 1].where, LAPIC_LVT_LINT1);
    assert_int_equal(fake_events[fake_event_count - 1].value, 0x400);
}

/* Up to the P6 family the low four bits of the spurious vector are fixed to one. */
static void test_p06_spurious_vector_ends_in_f(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_XAPIC);
    lapic_enable();
    assert_int_equal(VECTOR_SPURIOUS & 0xf, 0xf);
    assert_int_equal(fake_events[fake_find_write(MMIO_WRITE, LAPIC_SVR)].value,
                     0x100 | VECTOR_SPURIOUS);
}

/* In x2APIC mode the page in memory is not there, and the upper half of the ICR is no register. */
static void test_p01_x2apic_touches_msrs_only(void **state)
{
    (void)state;
    fake_lapic_begin(APIC_MODE_X2APIC);
    fake_mmio_read = NULL;
    lapic_enable();
    assert_true(lapic_send_ipi(300, ICR_INIT));
    lapic_timer_arm(1);
    for (unsigned i = 0; i < fake_event_count; i++) {
        assert_int_equal(fake_events[i].kind, MSR_WRITE);
        assert_true(fake_events[i].where >= 0x800 && fake_events[i].where <= 0x83f);
        assert_int_not_equal(fake_events[i].where, MSR(LAPIC_ICR_HIGH));
    }
}

static void test_p02_without_a_mode_nothing_is_touched(void **state)
{
    (void)state;
    fake_io_reset();
    ops = NULL;
    assert_false(lapic_init(APIC_MODE_NONE, 0));
    assert_false(lapic_present());
    lapic_eoi();
    assert_int_equal(fake_event_count + fake_reads, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_s03_commands_have_the_level_bit),
        cmocka_unit_test(test_p04_xapic_writes_the_destination_first),
        cmocka_unit_test(test_p04_destination_holds_nothing_but_the_id),
        cmocka_unit_test(test_p04_a_busy_icr_is_waited_for),
        cmocka_unit_test(test_p04_the_wait_is_bounded_and_sends_nothing),
        cmocka_unit_test(test_p04_x2apic_writes_once),
        cmocka_unit_test(test_p03_own_id_is_the_registers),
        cmocka_unit_test(test_p05_everything_is_masked_before_it_is_enabled),
        cmocka_unit_test(test_p05_only_lvt_entries_that_exist_are_written),
        cmocka_unit_test(test_p05_timer_is_divide_then_lvt_then_count),
        cmocka_unit_test(test_p05_free_running_timer_is_masked),
        cmocka_unit_test(test_p05_extint_stays_masked),
        cmocka_unit_test(test_p06_spurious_vector_ends_in_f),
        cmocka_unit_test(test_p01_x2apic_touches_msrs_only),
        cmocka_unit_test(test_p02_without_a_mode_nothing_is_touched),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
