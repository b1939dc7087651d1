#include "tools/sim/trace.h"

#include "kernel/lib/format.h"
#include "kernel/lib/trace_text.h"

static uint32_t pid_of(const struct sim_config *config, const struct sim_task *task)
{
    return (uint32_t)(task - config->tasks) + 1;
}

_Static_assert((uint16_t)NO_CPU == TRACE_ABSENT, "no CPU is no CPU in an event, too");

static void record(const struct sim_config *config, uint32_t cpu, uint64_t ns, enum trace_kind kind,
                   uint32_t pid, uint32_t other, const char *text)
{
    struct trace_event event = {
        .ns = ns, .pid = pid, .other = (uint16_t)other, .kind = (uint8_t)kind};
    char line[TRACE_RECORD_BYTES];

    trace_format(line, sizeof line, cpu, &event, text);
    fprintf(config->trace, "%s\n", line);
}

/* ---- The boot around it ---- */

static void print_cpu(FILE *file, const struct machine *machine, uint32_t cpu)
{
    static const char *const types[] = {"uniform", "performance", "efficiency"};
    const struct cpu_place *place = &machine->places[cpu];

    fprintf(file,
            "cpu: cpu=%u apic_id=0x%x package=%u core=%u thread=%u type=%s state=online "
            "reason=\"\"\n",
            cpu, cpu, place->package, place->core, place->thread, types[place->type]);
}

void sim_trace_begin(const struct sim_config *config, uint32_t round)
{
    char name[TRACE_TEXT_BYTES];

    if (config->trace == NULL)
        return;
    fprintf(config->trace, "tandem: version=simulated arch=none log_format=1\n");
    for (uint32_t cpu = 0; cpu < config->machine->cpu_count; cpu++)
        print_cpu(config->trace, config->machine, cpu);
    format_buffer(name, sizeof name, "schedsim %s round %u", config->policy->name, round);
    record(config, 0, 0, TRACE_MARK, 0, TRACE_ABSENT, name);
}

void sim_trace_end(const struct sim_config *config, uint64_t end_ns, bool ok)
{
    if (config->trace == NULL)
        return;
    record(config, 0, end_ns, TRACE_MARK, 0, TRACE_ABSENT, "end");
    fprintf(config->trace, "end: status=%s code=%d\n", ok ? "ok" : "failed", !ok);
}

/* ---- Events ---- */

void sim_trace_wake(const struct sim_config *config, const struct sched *sched,
                    const struct sim_task *task, bool first)
{
    char name[TRACE_TEXT_BYTES];
    uint32_t pid = pid_of(config, task);

    if (config->trace == NULL)
        return;
    format_buffer(name, sizeof name, "task %u", pid - 1);
    if (first)
        record(config, 0, sched->now_ns, TRACE_START, pid, TRACE_ABSENT, name);
    record(config, 0, sched->now_ns, TRACE_WAKE, pid, dispatch_place_of(sched, &task->entity),
           NULL);
}

static enum trace_kind end_of_run(const struct sim_task *task, enum dispatch_event event)
{
    if (task->ended)
        return TRACE_END;
    return event == DISPATCH_BLOCK || task->entity.paused ? TRACE_BLOCK : TRACE_PREEMPT;
}

static void record_dispatch(const struct sim_config *config, const struct sched *sched,
                            uint32_t cpu, struct sim_task *task)
{
    uint32_t from = task->traced_switches == 0 ? TRACE_ABSENT : task->traced_cpu;

    if (from != TRACE_ABSENT && sched->cpus[from].core != sched->cpus[cpu].core)
        record(config, cpu, sched->now_ns, TRACE_MIGRATE, pid_of(config, task), from, NULL);
    record(config, cpu, sched->now_ns, TRACE_DISPATCH, pid_of(config, task), from, NULL);
    task->traced_switches = task->entity.switches;
    task->traced_cpu = cpu;
}

void sim_trace_decided(const struct sim_config *config, const struct sched *sched, uint32_t cpu,
                       struct sim_task *before, struct sim_task *after, enum dispatch_event event)
{
    /* What was taken off and put back within one decision has been dispatched again. */
    bool dispatched = after != NULL && after->entity.switches != after->traced_switches;

    if (config->trace == NULL || (before == after && !dispatched))
        return;
    if (before != NULL)
        record(config, cpu, sched->now_ns, end_of_run(before, event), pid_of(config, before),
               TRACE_ABSENT, NULL);
    if (dispatched)
        record_dispatch(config, sched, cpu, after);
    else
        record(config, cpu, sched->now_ns, TRACE_IDLE, 0, TRACE_ABSENT, NULL);
}

void sim_trace_action(const struct sim_config *config, uint64_t now_ns, const char *what,
                      const struct sim_task *task, uint32_t number)
{
    if (config->trace == NULL)
        return;
    fprintf(config->trace, "From outside, after %llu ns: %s %s %u.\n", (unsigned long long)now_ns,
            what, task != NULL ? "task" : "CPU", task != NULL ? pid_of(config, task) - 1 : number);
}
