/*
 * Starting the other CPUs, arch/x86/smp.c with the real local APIC driver on a recording fake: who
 * is sent what, in which order, with which waits. Test names carry the hazard of docs/hazards.md.
 */
#define _GNU_SOURCE /* barriers of threads */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <pthread.h>
#include <string.h>
#include <cmocka.h>

#include "tests/host/fake_lapic.h"

#include "arch/x86/smp.c"

#define PAGE 0x9a000u
#define NS_PER_LOOK 100000u /* the clock goes on with every look at it */
#define SIPI (ICR_STARTUP | 0x9a)

struct cpu cpus[MAX_CPUS];
unsigned cpu_count;

static uint64_t now_ns;
static unsigned warning_count, ticket_count;
static uint32_t installed_page;

/* How each CPU behaves: it comes online with this STARTUP, counted from 1; 0: never. */
static unsigned answers_to[MAX_CPUS];

/* ---- The rest of the kernel ---- */

static void answer(void)
{
    for (unsigned i = 0; i < cpu_count; i++) {
        unsigned startups = 0;

        for (unsigned e = 1; e < fake_event_count; e++) {
            const struct fake_event *high = &fake_events[e - 1], *low = &fake_events[e];

            startups += low->value == SIPI && low->where == LAPIC_ICR_LOW &&
                        high->value == cpus[i].apic_id << 24;
            startups +=
                low->where == 0x830 && low->value == ((uint64_t)cpus[i].apic_id << 32 | SIPI);
        }
        if (answers_to[i] != 0 && startups >= answers_to[i])
            cpu_change_state(&cpus[i], CPU_STARTING, CPU_ONLINE);
    }
}

void clock_delay_us(uint32_t us)
{
    fake_record(DELAY_US, 0, us);
    now_ns += us * NS_PER_US;
    answer();
}

uint64_t arch_now_ns(void)
{
    answer();
    return now_ns += NS_PER_LOOK;
}

struct cpu *arch_this_cpu(void)
{
    return &cpus[0];
}

void log_warning(const char *where, const char *fmt, ...)
{
    (void)where;
    (void)fmt;
    warning_count++;
}

void log_print(const char *fmt, ...)
{
    (void)fmt;
    assert_int_equal(fake_event_count, 0); /* it is said before the first IPI */
}

void ap_install_trampoline(uint32_t page)
{
    installed_page = page;
}

bool ap_add_tickets(unsigned count)
{
    ticket_count += count;
    return true;
}

const char *ap_lacking(void)
{
    return NULL;
}

void ap_tell_time(uint64_t now)
{
    assert_int_equal(now, now_ns);
}

/* ---- Cases ---- */

/* The boot CPU, ID 0, and listed ones with these IDs that answer to their first STARTUP. */
static void begin(enum apic_mode mode, unsigned count, const uint32_t *apic_ids)
{
    fake_lapic_begin(mode);
    memset(cpus, 0, sizeof(cpus));
    now_ns = 0;
    warning_count = ticket_count = installed_page = 0;
    cpu_count = count + 1;
    cpus[0].state = CPU_ONLINE;
    for (unsigned i = 1; i < cpu_count; i++) {
        cpus[i].cpu = i;
        cpus[i].apic_id = apic_ids[i - 1];
        cpus[i].state = CPU_LISTED;
        cpus[i].reason = "";
        answers_to[i] = 1;
    }
}

#define BEGIN(mode, ...)                                                    \
    begin(mode, sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t), \
          (const uint32_t[]){__VA_ARGS__})
#define SENT(apic_id, command)                               \
    {MMIO_WRITE, LAPIC_ICR_HIGH, (uint64_t)(apic_id) << 24}, \
    {                                                        \
        MMIO_WRITE, LAPIC_ICR_LOW, command                   \
    }
#define WAITED(us)      \
    {                   \
        DELAY_US, 0, us \
    }

static void test_s05_init_10_ms_startup_200_us(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1);
    smp_start(PAGE);
    FAKE_EXPECT(SENT(1, 0x4500), WAITED(10000), SENT(1, 0x469a), WAITED(200));
    assert_int_equal(cpus[1].state, CPU_ONLINE);
    assert_int_equal(warning_count, 0);
    assert_int_equal(ticket_count, 1);
    assert_int_equal(installed_page, PAGE);
}

static void test_s05_second_startup_goes_to_silent_cpus_only(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 2, 4);
    answers_to[2] = 2;
    smp_start(PAGE);
    FAKE_EXPECT(SENT(2, 0x4500), SENT(4, 0x4500), WAITED(10000), SENT(2, 0x469a), SENT(4, 0x469a),
                WAITED(200), SENT(4, 0x469a));
    assert_int_equal(cpus[2].state, CPU_ONLINE);
    assert_int_equal(warning_count, 0);
}

static void test_s04_init_is_deasserted_for_the_discrete_apic_only(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1);
    fake_version = VERSION_DISCRETE;
    smp_start(PAGE);
    FAKE_EXPECT(SENT(1, 0x4500), WAITED(10000), SENT(1, 0x8500), SENT(1, 0x469a), WAITED(200));
    BEGIN(APIC_MODE_XAPIC, 1);
    fake_version = 0x00030010; /* the first integrated one */
    smp_start(PAGE);
    FAKE_EXPECT(SENT(1, 0x4500), WAITED(10000), SENT(1, 0x469a), WAITED(200));
}

static void test_s06_a_silent_cpu_is_started_again(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1);
    answers_to[1] = 3;
    smp_start(PAGE);
    FAKE_EXPECT(SENT(1, 0x4500), WAITED(10000), SENT(1, 0x469a), WAITED(200), SENT(1, 0x469a),
                SENT(1, 0x4500), WAITED(10000), SENT(1, 0x469a), WAITED(200));
    assert_int_equal(cpus[1].state, CPU_ONLINE);
    assert_int_equal(ticket_count, 2); /* the first stack may still be in use */
}

static void test_s06_only_the_cpu_that_never_answers_fails(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1, 9, 3);
    answers_to[2] = 0;
    smp_start(PAGE);
    assert_int_equal(cpus[1].state, CPU_ONLINE);
    assert_int_equal(cpus[2].state, CPU_FAILED);
    assert_int_equal(cpus[3].state, CPU_ONLINE);
    assert_string_not_equal(cpus[2].reason, "");
    assert_int_equal(warning_count, 1);
    assert_in_range(now_ns, 100 * NS_PER_MS, 3000 * NS_PER_MS);
}

static void test_s10_disabled_and_running_cpus_are_sent_nothing(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1, 2);
    cpus[1].state = CPU_SKIPPED;
    smp_start(PAGE);
    FAKE_EXPECT(SENT(2, 0x4500), WAITED(10000), SENT(2, 0x469a), WAITED(200));
    assert_int_equal(cpus[1].state, CPU_SKIPPED);
}

static void test_s01_without_a_page_all_fail_and_nothing_is_sent(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1, 2);
    smp_start(0);
    assert_int_equal(fake_event_count, 0);
    assert_int_equal(installed_page, 0);
    assert_int_equal(cpus[1].state, CPU_FAILED);
    assert_int_equal(cpus[2].state, CPU_FAILED);
}

static void test_d06_x2apic_starts_ids_above_254(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_X2APIC, 0xff, 0x100, 0x12345);
    smp_start(PAGE);
    FAKE_EXPECT({MSR_WRITE, 0x830, 0xff00004500u}, {MSR_WRITE, 0x830, 0x10000004500u},
                {MSR_WRITE, 0x830, 0x1234500004500u}, WAITED(10000),
                {MSR_WRITE, 0x830, 0xff0000469au}, {MSR_WRITE, 0x830, 0x1000000469au},
                {MSR_WRITE, 0x830, 0x123450000469au}, WAITED(200));
    for (unsigned i = 1; i < cpu_count; i++)
        assert_int_equal(cpus[i].state, CPU_ONLINE);
}

static void test_p04_an_ipi_that_does_not_leave_is_said(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1);
    fake_pending_reads = UINT64_MAX;
    smp_start(PAGE);
    assert_int_equal(cpus[1].state, CPU_FAILED);
    assert_true(warning_count > 1);
}

static void test_k04_only_online_cpus_are_stopped(void **state)
{
    (void)state;
    BEGIN(APIC_MODE_XAPIC, 1, 2, 3);
    cpus[2].state = CPU_ONLINE;
    arch_stop_other_cpus();
    FAKE_EXPECT(SENT(2, 0x4400));
    assert_int_equal(smp_stopping, 1);
}

/* ---- A CPU that answers at the very moment at which it is given up ---- */

static pthread_barrier_t both_ready;

static void *come_online(void *cpu)
{
    pthread_barrier_wait(&both_ready);
    return cpu_change_state(cpu, CPU_STARTING, CPU_ONLINE) ? cpu : NULL;
}

static void test_s08_a_late_cpu_is_online_or_failed_never_both(void **state)
{
    (void)state;
    pthread_barrier_init(&both_ready, NULL, 2);
    for (unsigned round = 0; round < 2000; round++) {
        struct cpu cpu = {.state = CPU_STARTING};
        pthread_t late;
        void *came;
        bool given_up;

        assert_int_equal(pthread_create(&late, NULL, come_online, &cpu), 0);
        pthread_barrier_wait(&both_ready);
        given_up = cpu_change_state(&cpu, CPU_STARTING, CPU_FAILED);
        pthread_join(late, &came);
        assert_int_not_equal(given_up, came != NULL);
        assert_int_equal(cpu.state, given_up ? CPU_FAILED : CPU_ONLINE);
    }
    pthread_barrier_destroy(&both_ready);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_s05_init_10_ms_startup_200_us),
        cmocka_unit_test(test_s05_second_startup_goes_to_silent_cpus_only),
        cmocka_unit_test(test_s04_init_is_deasserted_for_the_discrete_apic_only),
        cmocka_unit_test(test_s06_a_silent_cpu_is_started_again),
        cmocka_unit_test(test_s06_only_the_cpu_that_never_answers_fails),
        cmocka_unit_test(test_s10_disabled_and_running_cpus_are_sent_nothing),
        cmocka_unit_test(test_s01_without_a_page_all_fail_and_nothing_is_sent),
        cmocka_unit_test(test_d06_x2apic_starts_ids_above_254),
        cmocka_unit_test(test_p04_an_ipi_that_does_not_leave_is_said),
        cmocka_unit_test(test_k04_only_online_cpus_are_stopped),
        cmocka_unit_test(test_s08_a_late_cpu_is_online_or_failed_never_both),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
