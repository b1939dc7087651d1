/* Why a result is not to be relied on: every reason, in the order in which they are looked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/arch.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/places.h"
#include "kernel/experiment/reliability.h"
#include "kernel/experiment/work.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/smt_model.h"

/* ---- What it asks of the kernel ---- */

struct options main_options;
uint32_t smt_model_percent;
const struct experiment exp_solo = {.name = "solo"};

static const char *platform;
static bool clock_is_invariant;
static uint32_t cpus_here, cores_here;

const char *arch_platform(void)
{
    return platform;
}

bool arch_clock_is_invariant(void)
{
    return clock_is_invariant;
}

uint32_t places_cpu_count(void)
{
    return cpus_here;
}

uint32_t places_core_count(void)
{
    return cores_here;
}

void log_print(const char *fmt, ...)
{
    (void)fmt;
}

/* ---- A result without fault, on two cores of two threads ---- */

static const struct experiment experiment = {.name = "pair"};
static struct run run;
static struct variant variant;
static struct work work;

static void set_up(const char *name, uint32_t host_cpus, enum options_sharing sharing)
{
    platform = name;
    clock_is_invariant = true;
    cpus_here = 4;
    cores_here = 2;
    smt_model_percent = 0;
    main_options = (struct options){.host_cpus = host_cpus, .sharing = sharing};
    work = (struct work){.spread_percent = 10};
    variant = (struct variant){.busy = 2, .samples = 20, .spread_percent = 10, .solo_of = &work};
    run = (struct run){.experiment = &experiment, .clean_only = true};
}

static void expect(const char *reason)
{
    const char *problem = reliability_problem(&run, &variant);

    if (reason == NULL)
        assert_null(problem);
    else
        assert_string_equal(problem == NULL ? "none" : problem, reason);
}

/* ---- Reasons, the first that holds ---- */

#define FEWER_CPUS "the emulator has fewer CPUs than the guest keeps busy"
#define MORE_CORES "the machine has more cores than the emulator has CPUs"
#define NOTHING_SHARED "in this emulator the CPUs of one core share nothing"

static void measure_nothing(void)
{
    variant.samples = 0;
}

static void say_nothing(void)
{
    main_options.host_cpus = 0;
}

static void keep_too_many_busy(void)
{
    main_options.sharing = OPTIONS_SHARING_NONE;
    main_options.host_cpus = 2;
    variant.busy = 3;
}

static void have_too_many_cores(void)
{
    main_options.sharing = OPTIONS_SHARING_HOST_CPU;
    main_options.host_cpus = 1;
}

static void share_nothing(void)
{
    main_options.sharing = OPTIONS_SHARING_NONE;
    main_options.host_cpus = 4;
    smt_model_percent = 0;
}

static void share_twice(void)
{
    main_options.sharing = OPTIONS_SHARING_HOST_SMT;
    smt_model_percent = 150;
}

static void have_a_clock_that_changes(void)
{
    platform = "kvm";
    clock_is_invariant = false;
}

static void need_caches(void)
{
    variant.needs = HARDWARE_CACHES;
}

static void have_a_problem(void)
{
    variant.own_problem = "no room for buffers";
}

static void be_disturbed(void)
{
    run.clean_only = false;
}

/* It is remembered to the end of the boot. */
static void spread_solo(void)
{
    struct variant good = variant;

    variant.spread_percent = 11;
    run.experiment = &exp_solo;
    reliability_problem(&run, &variant);
    run.experiment = &experiment;
    variant = good;
}

static void spread_work(void)
{
    work.spread_percent = 11;
}

static void spread_samples(void)
{
    variant.spread_percent = 11;
}

static const struct {
    void (*cause)(void);
    const char *reason;
} cases[] = {
    {measure_nothing, "nothing was measured"},
    {say_nothing, "nobody said how many CPUs the emulator has"},
    {keep_too_many_busy, FEWER_CPUS},
    {have_too_many_cores, MORE_CORES},
    {share_nothing, NOTHING_SHARED},
    {share_twice, "the model of a shared core on top of real sharing"},
    {have_a_clock_that_changes, "the time stamp counter may change its rate with the CPU"},
    {need_caches, "this emulator has no caches of its own"},
    {have_a_problem, "no room for buffers"},
    {be_disturbed, "something else ran on the host"},
    {spread_solo, "the solo times differ too much: is the machine busy with something else?"},
    {spread_work, "times of the same work alone differ by more than 10 percent"},
    {spread_samples, "times that should be equal differ by more than 10 percent"},
};

#define CASES (sizeof cases / sizeof cases[0])

/* From the last one on, each beside all that come after it: so the solo times of the later ones are
 * still good. */
static void test_the_first_reason_is_given(void **state)
{
    (void)state;
    for (size_t first = CASES; first-- > 0;) {
        set_up("qemu", 2, OPTIONS_SHARING_HOST_CPU);
        for (size_t i = CASES; i-- > first;)
            cases[i].cause();
        expect(cases[first].reason);
    }
}

static void test_pipelines_are_missing_where_caches_are(void **state)
{
    (void)state;
    for (unsigned bochs = 0; bochs < 2; bochs++) {
        set_up(bochs ? "bochs" : "qemu", 2, OPTIONS_SHARING_HOST_CPU);
        variant.needs = HARDWARE_PIPELINES;
        expect("this emulator has no pipelines of its own");
    }
    set_up("kvm", 2, OPTIONS_SHARING_HOST_SMT);
    variant.needs = HARDWARE_PIPELINES;
    expect(NULL);
}

/* ---- CPUs ---- */

static void test_cpus_are_counted_under_every_hypervisor(void **state)
{
    static const char *const names[] = {"qemu", "kvm", "vmware", "hyperv", "virtualbox", "other"};

    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        set_up(names[i], 0, OPTIONS_SHARING_UNKNOWN);
        expect("nobody said how many CPUs the emulator has");
        for (unsigned sharing = 0; sharing <= OPTIONS_SHARING_HOST_SMT; sharing++) {
            set_up(names[i], 1, sharing);
            variant.busy = 1;
            expect(MORE_CORES);
        }
    }
}

static void test_sharing_unknown_is_none(void **state)
{
    (void)state;
    for (unsigned sharing = OPTIONS_SHARING_UNKNOWN; sharing <= OPTIONS_SHARING_NONE; sharing++) {
        set_up("qemu", 3, sharing);
        variant.busy = 4;
        expect(FEWER_CPUS);
        set_up("qemu", 4, sharing);
        expect(NOTHING_SHARED);
        smt_model_percent = 150;
        expect(NULL);
        smt_model_percent = 0;
        variant.busy = 1;
        expect(NULL);
        variant.busy = 2;
        cores_here = 4;
        expect(NULL);
    }
}

/* ---- Without fault ---- */

static void test_reliable_machines(void **state)
{
    (void)state;
    set_up("bare", 0, OPTIONS_SHARING_UNKNOWN);
    expect(NULL);
    set_up("bochs", 0, OPTIONS_SHARING_UNKNOWN);
    clock_is_invariant = false;
    smt_model_percent = 150;
    expect(NULL);
    set_up("qemu", 2, OPTIONS_SHARING_HOST_CPU);
    clock_is_invariant = false;
    variant.busy = 4;
    expect(NULL);
    set_up("kvm", 4, OPTIONS_SHARING_HOST_SMT);
    variant.needs = HARDWARE_CACHES;
    expect(NULL);
    set_up("vmware", 2, OPTIONS_SHARING_HOST_SMT);
    expect(NULL);
}

static void test_a_clock_that_changes_spoils_hardware(void **state)
{
    (void)state;
    set_up("bare", 0, OPTIONS_SHARING_UNKNOWN);
    clock_is_invariant = false;
    expect("the time stamp counter may change its rate with the CPU");
}

static void test_times_of_the_moment_may_lie_anywhere(void **state)
{
    (void)state;
    set_up("qemu", 2, OPTIONS_SHARING_HOST_CPU);
    variant.spread = SPREAD_ANY;
    variant.spread_percent = 300;
    expect(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pipelines_are_missing_where_caches_are),
        cmocka_unit_test(test_cpus_are_counted_under_every_hypervisor),
        cmocka_unit_test(test_sharing_unknown_is_none),
        cmocka_unit_test(test_reliable_machines),
        cmocka_unit_test(test_a_clock_that_changes_spoils_hardware),
        cmocka_unit_test(test_times_of_the_moment_may_lie_anywhere),
        cmocka_unit_test(test_the_first_reason_is_given), /* spoils the solo times for good */
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
