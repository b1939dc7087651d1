#include "kernel/inject.h"

#include <stddef.h>

#include "kernel/arch.h"
#include "kernel/experiment/fpu_check.h"
#include "kernel/experiment/harness.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/panic.h"
#include "kernel/sched_watch.h"

#define EARLY_KILLS 200u
#define HOGS 6u
#define DECISIONS 100u /* more than the checker remembers */

const char *const inject_names[] = {"none",        "panic",      "page_fault",  "double_fault",
                                    "task_faults", "early_kill", "small_trace", "fpu",
                                    "sched",       NULL};

/* Each kind of fault the program `crash` knows, one task after the other. */
static void inject_task_faults(void)
{
    static const char *const kinds[] = {"null", "kernel", "text", "stack",   "opcode", "privilege",
                                        "port", "divide", "jump", "syscall", "x87",    "simd"};

    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        harness_expect_fault(kinds[i]);
}

/* Ends tasks that never end by themselves, at once: claimed, about to enter ring 3, or in it. */
static void inject_early_kills(void)
{
    struct bitmap everywhere = places_all();

    for (unsigned i = 0; i < EARLY_KILLS; i++) {
        struct task *hog = work_task(&harness_hog, &everywhere);

        if (hog == NULL)
            return;
        sched_start(hog);
        harness_sleep_us(i % 4 == 3 ? i : 0);
        sched_kill(hog);
        task_destroy(hog);
    }
    log_print("inject: %u tasks were ended at once\n", EARLY_KILLS);
}

/* Breaks a rule of the scheduler while tasks run, until the checker has looked at everything: with
 * a wrong count of who waits CPUs only look in vain. */
static void inject_wrong_count(void)
{
    struct bitmap everywhere = places_all();
    struct task *hogs[HOGS];
    uint32_t count = 0, checks;

    while (count < HOGS && (hogs[count] = work_task(&harness_hog, &everywhere)) != NULL)
        sched_start(hogs[count++]);
    for (unsigned i = 0; i < DECISIONS; i++)
        harness_sleep_us(500);
    sched_miscount(1);
    checks = watch_checks();
    for (unsigned i = 0; i < DECISIONS && watch_checks() == checks; i++)
        harness_sleep_us(500);
    sched_miscount(-1);
    while (count > 0) {
        sched_kill(hogs[--count]);
        task_destroy(hogs[count]);
    }
    log_print("inject: who waits was miscounted by one for a while\n");
}

static void read_page_zero(void)
{
    uint32_t address = 0;

    __asm__("" : "+r"(address)); /* an address the compiler must not reason about */
    log_print("inject: page 0 holds 0x%x\n", *(const volatile uint32_t *)address);
}

void inject_failures(const struct options_names *names)
{
    for (uint32_t i = 0; i < names->count; i++) {
        if (strcmp(names->names[i], "panic") == 0)
            panic("inject", "asked for on the command line");
        if (strcmp(names->names[i], "page_fault") == 0)
            read_page_zero();
        if (strcmp(names->names[i], "double_fault") == 0)
            arch_cause_double_fault();
        if (strcmp(names->names[i], "early_kill") == 0)
            inject_early_kills();
        if (strcmp(names->names[i], "task_faults") == 0)
            inject_task_faults();
        if (strcmp(names->names[i], "fpu") == 0)
            fpu_check();
        if (strcmp(names->names[i], "sched") == 0)
            inject_wrong_count();
    }
}
