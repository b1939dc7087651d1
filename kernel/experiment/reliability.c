#include "kernel/experiment/reliability.h"

#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/places.h"
#include "kernel/experiment/work.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/smt_model.h"

#define SPREAD_MAX_PERCENT 10

static uint32_t solo_spread_percent; /* the widest seen in this boot */

static bool platform_is(const char *name)
{
    return strcmp(arch_platform(), name) == 0;
}

static const char *sharing_name(void)
{
    static const char *const names[] = {"unknown", "none", "host_cpu", "host_smt"};
    return names[main_options.sharing];
}

void reliability_print_conditions(uint32_t slice_us)
{
    char model[16] = "off";

    if (smt_model_percent != 0)
        format_buffer(model, sizeof model, "%u.%02u", smt_model_percent / 100,
                      smt_model_percent % 100);
    log_print(" slice_us=%u smt_model=%s blocks=%u groups=%u platform=%s host_cpus=%u sharing=%s",
              slice_us, model, main_options.blocks, main_options.groups, arch_platform(),
              main_options.host_cpus, sharing_name());
}

/* What is wrong with the machine for this. Whoever says nothing about sharing is taken to have none
 * of it. */
static const char *machine_problem(const struct variant *variant)
{
    bool shared = main_options.sharing == OPTIONS_SHARING_HOST_CPU ||
                  main_options.sharing == OPTIONS_SHARING_HOST_SMT;
    uint32_t cpus_here = places_cpu_count(), cores_here = places_core_count();
    uint32_t busy = variant->busy < cpus_here ? variant->busy : cpus_here;

    if (platform_is("bare") || platform_is("bochs"))
        return NULL; /* hardware is itself, and Bochs keeps exact virtual time */
    if (main_options.host_cpus == 0)
        return "nobody said how many CPUs the emulator has";
    if (!shared && busy > main_options.host_cpus)
        return "the emulator has fewer CPUs than the guest keeps busy";
    if (cores_here > main_options.host_cpus)
        return "the machine has more cores than the emulator has CPUs";
    if (!shared && smt_model_percent == 0 && busy > 1 && cpus_here > cores_here)
        return "in this emulator the CPUs of one core share nothing";
    if (shared && smt_model_percent != 0)
        return "the model of a shared core on top of real sharing";
    return NULL;
}

/* Emulators without KVM count time themselves; all others pass the CPU's own counter on. */
static bool clock_may_change(void)
{
    return !arch_clock_is_invariant() && !platform_is("qemu") && !platform_is("bochs");
}

/* What this machine lacks of what the numbers are about. */
static const char *missing_hardware(const struct variant *variant)
{
    if (!platform_is("qemu") && !platform_is("bochs"))
        return NULL;
    if (variant->needs == HARDWARE_CACHES)
        return "this emulator has no caches of its own";
    if (variant->needs == HARDWARE_PIPELINES)
        return "this emulator has no pipelines of its own";
    return NULL;
}

const char *reliability_problem(const struct run *run, const struct variant *variant)
{
    const char *problem = machine_problem(variant);

    /* A task alone on the machine takes the same time again and again, or something else runs. */
    if (run->experiment == &exp_solo && variant->spread_percent > solo_spread_percent)
        solo_spread_percent = variant->spread_percent;
    if (variant->samples == 0)
        return "nothing was measured";
    if (problem != NULL)
        return problem;
    if (clock_may_change())
        return "the time stamp counter may change its rate with the CPU";
    if (missing_hardware(variant) != NULL)
        return missing_hardware(variant);
    if (variant->own_problem != NULL)
        return variant->own_problem;
    if (!run->clean_only)
        return "something else ran on the host";
    if (solo_spread_percent > SPREAD_MAX_PERCENT)
        return "the solo times differ too much: is the machine busy with something else?";
    if (variant->solo_of != NULL && variant->solo_of->spread_percent > SPREAD_MAX_PERCENT)
        return "times of the same work alone differ by more than 10 percent";
    if (variant->spread != SPREAD_ANY && variant->spread_percent > SPREAD_MAX_PERCENT)
        return "times that should be equal differ by more than 10 percent";
    return NULL;
}
