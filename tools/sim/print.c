/* Writes a configuration as a command line of schedsim: declared in tools/sim/options.h. */
#include <stddef.h>

#include "kernel/lib/clock_math.h"
#include "tools/sim/options.h"

static void print_us(FILE *file, uint64_t ns)
{
    fprintf(file, "%llu", (unsigned long long)(ns / NS_PER_US));
}

static void print_cpus(FILE *file, const struct bitmap *set)
{
    const char *comma = "";

    BITMAP_FOR_EACH(cpu, set)
    {
        fprintf(file, "%s%u", comma, cpu);
        comma = ",";
    }
}

static bool is_everywhere(const struct sim_config *config, const struct bitmap *set)
{
    return bitmap_count(set) == config->machine->cpu_count;
}

static void print_list(FILE *file, const char *name, const struct sim_config *config, size_t offset,
                       bool time)
{
    fprintf(file, " --%s ", name);
    for (uint32_t i = 0; i < config->task_count; i++) {
        const char *member = (const char *)&config->tasks[i] + offset;

        if (i > 0)
            fputc(',', file);
        if (time)
            print_us(file, *(const uint64_t *)(const void *)member);
        else
            fprintf(file, "%u", *(const uint32_t *)(const void *)member);
    }
}

static void print_tasks(FILE *file, const struct sim_config *config)
{
    fprintf(file, " --tasks %u", config->task_count);
    print_list(file, "work-us", config, offsetof(struct sim_task, work_ns), true);
    print_list(file, "arrive-us", config, offsetof(struct sim_task, arrive_ns), true);
    print_list(file, "groups", config, offsetof(struct sim_task, group), false);
    if (config->kinds > 1)
        print_list(file, "kinds", config, offsetof(struct sim_task, kind), false);
    for (uint32_t i = 0; i < config->task_count; i++) {
        const struct sim_task *task = &config->tasks[i];

        if (task->burst_ns != 0) {
            fprintf(file, " --sleep %u:", i);
            print_us(file, task->burst_ns);
            fputc(':', file);
            print_us(file, task->sleep_ns);
        }
        if (!is_everywhere(config, &task->affinity)) {
            fprintf(file, " --pin %u:", i);
            print_cpus(file, &task->affinity);
        }
    }
}

static void print_action(FILE *file, const struct sim_action *action)
{
    static const char *const names[] = {"pause", "resume", "pin", "off", "on", "policy"};

    fprintf(file, " --at ");
    print_us(file, action->at_ns);
    fprintf(file, ":%s:", names[action->type]);
    if (action->type == SIM_POLICY)
        fprintf(file, "%s", action->policy->name);
    else
        fprintf(file, "%u", action->number);
    if (action->type == SIM_PIN) {
        fputc(':', file);
        print_cpus(file, &action->affinity);
    }
}

void sim_options_print(FILE *file, const char *topology, const struct sim_config *config)
{
    fprintf(file, "schedsim --check 1 --topology %s --policy %s --seed %llu --kick-ns %llu",
            topology, config->policy->name, (unsigned long long)config->seed,
            (unsigned long long)config->kick_ns);
    fprintf(file, " --slice-us ");
    print_us(file, config->slice_ns);
    fprintf(file, " --slowdown ");
    for (uint32_t i = 0; i < config->kinds * config->kinds; i++) {
        const struct sim_ratio *ratio = &config->slowdown[i / config->kinds][i % config->kinds];
        fprintf(file, "%s%u/%u", i == 0 ? "" : ",", ratio->numerator, ratio->denominator);
    }
    if (config->efficiency_speed.numerator != config->efficiency_speed.denominator)
        fprintf(file, " --efficiency-speed %u/%u", config->efficiency_speed.numerator,
                config->efficiency_speed.denominator);
    if (config->max_events != 0)
        fprintf(file, " --max-events %llu", (unsigned long long)config->max_events);
    print_tasks(file, config);
    for (uint32_t i = 0; i < config->action_count; i++)
        print_action(file, &config->actions[i]);
    fputc('\n', file);
}
