#include "kernel/main.h"

#include <stddef.h>

#include "kernel/arch.h"
#include "kernel/cpu.h"
#include "kernel/experiment/exec.h"
#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/inject.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/panic.h"
#include "kernel/sched.h"
#include "kernel/sched_watch.h"
#include "kernel/trace.h"
#include "kernel/trace_dump.h"

#ifndef VERSION
#error "the Makefile defines VERSION"
#endif

#define TIMERS_PER_RECORD 16u
#define NUMBER_BYTES 11 /* of a decimal number and what separates it from the next */

struct options main_options;

/* Lists that name what exists are checked here, where it is known. */
static void check_options(void)
{
    const char *policies[8] = {NULL};
    unsigned count = 0;

    for (; sched_policies[count] != NULL; count++)
        policies[count] = sched_policies[count]->name;
    options_check_names(&main_options, "sched", policies);
    options_check_names(&main_options, "run", experiment_choices);
    options_check_names(&main_options, "inject", inject_names);
    if (main_options.end == OPTIONS_END_MONITOR)
        log_warning("cmdline", "end=monitor: this version has no monitor, it halts instead");
    for (unsigned i = 0; i < main_options.warning_count; i++)
        log_warning("cmdline", "%s", main_options.warnings[i].text);
    if (main_options.warnings_dropped > 0)
        log_warning("cmdline", "%u more words are not understood", main_options.warnings_dropped);
}

static uint32_t timer_interrupts(unsigned cpu)
{
    return __atomic_load_n(&cpus[cpu].timer_count, __ATOMIC_RELAXED);
}

/* How often each CPU was interrupted by its timer: that one without work is not belongs to what is
 * checked. */
static void print_timers(void)
{
    for (unsigned first = 0; first < cpu_count; first += TIMERS_PER_RECORD) {
        char list[TIMERS_PER_RECORD * NUMBER_BYTES + 1];
        size_t length = 0;

        for (unsigned cpu = first; cpu < cpu_count && cpu < first + TIMERS_PER_RECORD; cpu++)
            length += format_buffer(list + length, sizeof list - length,
                                    cpu == first ? "%u" : ",%u", timer_interrupts(cpu));
        log_print("timers: cpu=%u interrupts=%s\n", first, list);
    }
}

static bool print_summary(void)
{
    struct log_counts counts = log_counts();
    uint32_t lost = counts.lost_bytes + arch_console_lost(), ticks = 0;
    bool ok = harness_totals.failed == 0 && counts.errors == 0;

    for (unsigned cpu = 0; cpu < cpu_count; cpu++)
        ticks += timer_interrupts(cpu);
    log_print("summary: experiments=%u tasks=%u failed=%u faults=%u warnings=%u errors=%u "
              "unexpected_interrupts=%u timer_interrupts=%u checks=%u lost=%u\n",
              harness_totals.experiments, harness_totals.tasks, harness_totals.failed,
              harness_totals.faults, counts.warnings, counts.errors, arch_unexpected_interrupts(),
              ticks, watch_checks(), lost);
    return ok;
}

static __attribute__((noreturn)) void end_without_memory(void)
{
    log_error("memory", "too little memory to run anything");
    print_summary();
    log_print("end: status=failed code=1\n");
    arch_end(&main_options, false);
}

void kernel_main(void)
{
    bool ok;

    log_print("tandem: version=%s arch=i686 log_format=1\n", VERSION);
    arch_start_boot_cpu(&main_options);
    check_options();
    if (!sched_prepare_boot_cpu())
        end_without_memory();
    arch_start_other_cpus(&main_options);
    trace_init(&main_options);
    sched_init(&main_options);
    inject_failures(&main_options.inject);
    exec_run(main_options.exec);
    experiments_run();
    trace_dump();
    if (main_options.check)
        print_timers();
    ok = print_summary();
    log_print("end: status=%s code=%d\n", ok ? "ok" : "failed", ok ? 0 : 1);
    arch_end(&main_options, ok);
}
