#include "tools/sim/sim.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/slice.h"
#include "tools/sim/trace.h"
#include "tools/sim/units.h"

struct sim_cpu {
    struct slice slice;
    sim_units rate; /* per nanosecond, of what runs there */
};

struct sim {
    const struct sim_config *config;
    uint64_t now_ns;
    sim_units unit;
    struct sched *sched;
    struct sim_cpu *cpus;
    uint64_t *core_updated_ns; /* progress of what runs on a core is counted up to here */
    struct heap heap;
    struct bitmap kicked; /* CPUs whose kick is under way */
    struct random random;
    uint32_t next_action, left;
    uint64_t events, direct_kicks;
    const char *limit; /* that has been reached, or NULL */
    bool stopped;
};

/* Numbers of events: timers of CPUs, kicks of CPUs, wake-ups of tasks, the next action. */
static uint32_t kick_event(const struct sim *sim, uint32_t cpu)
{
    return sim->config->machine->cpu_count + cpu;
}

static uint32_t wake_event(const struct sim *sim, uint32_t task)
{
    return 2 * sim->config->machine->cpu_count + task;
}

static uint32_t action_event(const struct sim *sim)
{
    return 2 * sim->config->machine->cpu_count + sim->config->task_count;
}

/* ---- Progress ---- */

/* Counts what has been done on a core since the last time. */
static void advance_core(struct sim *sim, uint32_t core)
{
    uint64_t passed = sim->now_ns - sim->core_updated_ns[core];

    sim->core_updated_ns[core] = sim->now_ns;
    if (passed == 0)
        return;
    CORE_FOR_EACH(cpu, sim->sched, &sim->sched->cores[core])
    {
        struct sim_task *task = sim_task_of(sim->sched->cpus[cpu].current);

        if (task == NULL)
            continue;
        task->done += sim->cpus[cpu].rate * passed;
        if (task->done > task->goal)
            task->done = task->goal; /* it was done within the last nanosecond */
    }
}

static void arm_timer(struct sim *sim, uint32_t cpu)
{
    const struct sim_task *task = sim_task_of(sim->sched->cpus[cpu].current);
    sim_units rate = sim->cpus[cpu].rate, left_ns;
    uint64_t at = HEAP_NEVER;

    if (task != NULL) {
        left_ns = (task->goal - task->done + rate - 1) / rate;
        at = left_ns > SIM_MAX_NS ? SIM_MAX_NS + 1 : (uint64_t)left_ns;
        at += sim->core_updated_ns[sim->sched->cpus[cpu].core];
        if (slice_deadline_ns(&sim->cpus[cpu].slice) < at)
            at = slice_deadline_ns(&sim->cpus[cpu].slice);
    }
    heap_set(&sim->heap, cpu, at);
}

/* What runs on the core has changed, and with it how fast. */
static void renew_core(struct sim *sim, uint32_t core)
{
    CORE_FOR_EACH(cpu, sim->sched, &sim->sched->cores[core])
    {
        if (sim->sched->cpus[cpu].current != NULL)
            sim->cpus[cpu].rate = units_rate(sim->config, sim->sched, sim->unit, cpu);
        arm_timer(sim, cpu);
    }
}

/* ---- Steps ---- */

static void observe(struct sim *sim)
{
    const struct sim_config *config = sim->config;

    if (config->observe != NULL && !sim->stopped)
        sim->stopped = !config->observe(config->context, sim->sched, &sim->kicked);
}

static void begin_call(struct sim *sim)
{
    if (sim->config->before != NULL)
        sim->config->before(sim->config, sim->sched);
}

static void end_call(struct sim *sim, uint32_t swapper)
{
    if (sim->config->after != NULL)
        sim->config->after(sim->config, sim->sched, swapper);
}

static struct sched_entity *swap(struct sim *sim, uint32_t cpu, enum dispatch_event event)
{
    struct sched_entity *next;

    begin_call(sim);
    next = dispatch_swap(sim->sched, cpu, sim->now_ns, event);
    end_call(sim, cpu);
    sim->sched->now_ns = sim->now_ns; /* for those who observe */
    return next;
}

/* First what concerns nobody but the core, as in kernel/sched.c. */
static struct sched_entity *decide(struct sim *sim, uint32_t cpu, enum dispatch_event event)
{
    struct sched_entity *next = NULL;

    if (event == DISPATCH_SLICE_END || event == DISPATCH_YIELD)
        next = swap(sim, cpu, event);
    if (next != NULL)
        return next;
    begin_call(sim);
    next = dispatch_next(sim->sched, cpu, sim->now_ns, event);
    end_call(sim, NO_CPU);
    return next;
}

/* One CPU enters the scheduler. */
static void enter(struct sim *sim, uint32_t cpu, enum dispatch_event event)
{
    struct sim_cpu *c = &sim->cpus[cpu];
    struct sched_entity *before = sim->sched->cpus[cpu].current, *after;
    uint32_t core = sim->sched->cpus[cpu].core;

    advance_core(sim, core);
    bitmap_clear(&sim->kicked, cpu);
    after = decide(sim, cpu, event);
    if (after != before || event == DISPATCH_SLICE_END)
        slice_begin(&c->slice, sim->now_ns, sim->config->slice_ns);
    slice_await(&c->slice, dispatch_needs_slice(sim->sched, cpu), sim->now_ns,
                sim->config->slice_ns);
    sim_trace_decided(sim->config, sim->sched, cpu, sim_task_of(before), sim_task_of(after), event);
    if (after != before) {
        renew_core(sim, core);
    } else {
        arm_timer(sim, cpu);
    }
    observe(sim);
}

static void set_goal(struct sim *sim, struct sim_task *task)
{
    sim_units total = task->work_ns * sim->unit;

    task->goal = task->burst_ns == 0 ? total : task->done + task->burst_ns * sim->unit;
    if (task->goal > total)
        task->goal = total;
}

/* The task on a CPU has done what it wanted to do before it sleeps, or all of it. */
static void reach_goal(struct sim *sim, uint32_t cpu, struct sim_task *task)
{
    if (task->done < task->work_ns * sim->unit) {
        heap_set(&sim->heap, wake_event(sim, (uint32_t)(task - sim->config->tasks)),
                 sim->now_ns + task->sleep_ns);
    } else {
        task->ended = true;
        task->end_ns = sim->now_ns;
        sim->left--;
    }
    enter(sim, cpu, DISPATCH_BLOCK);
}

/* What is done by the time that the kick arrives ends here, and is not moved elsewhere to end. */
static void receive_kick(struct sim *sim, uint32_t cpu)
{
    struct sim_task *task = sim_task_of(sim->sched->cpus[cpu].current);

    advance_core(sim, sim->sched->cpus[cpu].core);
    if (task != NULL && task->done >= task->goal)
        reach_goal(sim, cpu, task);
    else
        enter(sim, cpu, DISPATCH_KICK);
}

/* Kicks that take no time, and what they lead to. */
static void kick_at_once(struct sim *sim)
{
    uint64_t most = sim->config->max_events;

    for (uint32_t cpu; (cpu = bitmap_first(&sim->sched->kicks)) != BITMAP_NONE;) {
        if (most != 0 && sim->direct_kicks >= most)
            return;
        sim->direct_kicks++;
        bitmap_clear(&sim->sched->kicks, cpu);
        receive_kick(sim, cpu);
    }
}

static void send_kicks(struct sim *sim)
{
    if (sim->config->kick_ns == 0) {
        kick_at_once(sim);
        return;
    }
    BITMAP_FOR_EACH(cpu, &sim->sched->kicks)
    {
        uint64_t late = random_below(&sim->random, (uint32_t)sim->config->kick_ns + 1);

        if (!bitmap_test(&sim->kicked, cpu))
            heap_set(&sim->heap, kick_event(sim, cpu), sim->now_ns + sim->config->kick_ns + late);
        bitmap_set(&sim->kicked, cpu);
    }
    bitmap_clear_all(&sim->sched->kicks);
    sim->sched->any_kicks = false;
}

static void timer(struct sim *sim, uint32_t cpu)
{
    struct sim_task *task = sim_task_of(sim->sched->cpus[cpu].current);

    advance_core(sim, sim->sched->cpus[cpu].core);
    if (task != NULL && task->done >= task->goal)
        reach_goal(sim, cpu, task);
    else if (slice_deadline_ns(&sim->cpus[cpu].slice) <= sim->now_ns)
        enter(sim, cpu, DISPATCH_SLICE_END);
    else
        arm_timer(sim, cpu);
}

static void wake(struct sim *sim, struct sim_task *task)
{
    bool first = !task->entity.started;

    if (first)
        task->wake_ns = sim->now_ns;
    set_goal(sim, task);
    begin_call(sim);
    dispatch_wake(sim->sched, &task->entity, sim->now_ns);
    sim_trace_wake(sim->config, sim->sched, task, first);
    end_call(sim, NO_CPU);
    observe(sim);
}

static const char *const action_names[] = {"pause", "resume", "pin", "off", "on", "policy"};

static void act(struct sim *sim, const struct sim_action *action)
{
    struct sched *sched = sim->sched;
    struct sched_entity *entity = &sim->config->tasks[action->number].entity;
    bool of_task = action->type <= SIM_PIN;

    sim_trace_action(sim->config, sim->now_ns, action_names[action->type],
                     of_task ? &sim->config->tasks[action->number] : NULL, action->number);
    begin_call(sim);
    if (action->type == SIM_PAUSE)
        dispatch_pause(sched, entity, sim->now_ns);
    else if (action->type == SIM_RESUME)
        dispatch_resume(sched, entity, sim->now_ns);
    else if (action->type == SIM_PIN)
        dispatch_set_affinity(sched, entity, &action->affinity, sim->now_ns);
    else if (action->type == SIM_POLICY)
        dispatch_set_policy(sched, action->policy, sim->now_ns);
    else
        dispatch_set_usable(sched, action->number, action->type == SIM_ON, sim->now_ns);
    end_call(sim, NO_CPU);
    observe(sim);
}

static void arm_action(struct sim *sim)
{
    if (sim->next_action < sim->config->action_count)
        heap_set(&sim->heap, action_event(sim), sim->config->actions[sim->next_action].at_ns);
}

static void step(struct sim *sim, uint32_t event)
{
    uint32_t cpus = sim->config->machine->cpu_count;

    if (event < cpus) {
        timer(sim, event);
    } else if (event < 2 * cpus) {
        receive_kick(sim, event - cpus);
    } else if (event < action_event(sim)) {
        wake(sim, &sim->config->tasks[event - 2 * cpus]);
    } else {
        act(sim, &sim->config->actions[sim->next_action++]);
        arm_action(sim);
    }
    send_kicks(sim);
}

/* ---- A run ---- */

static void *allocate(size_t bytes)
{
    void *memory = calloc(1, bytes);

    if (memory == NULL) {
        fprintf(stderr, "schedsim: no memory\n");
        exit(2);
    }
    return memory;
}

static void set_up(struct sim *sim, const struct sim_config *config)
{
    uint32_t cpus = config->machine->cpu_count;
    struct bitmap usable;

    *sim = (struct sim){.config = config,
                        .left = config->task_count,
                        .unit = units_choose(config),
                        .sched = allocate(sizeof *sim->sched),
                        .cpus = allocate(cpus * sizeof *sim->cpus),
                        .core_updated_ns = allocate(cpus * sizeof *sim->core_updated_ns)};
    random_seed(&sim->random, config->seed);
    bitmap_set_first(&usable, cpus);
    dispatch_init(sim->sched, config->machine->places, cpus, &usable, config->seed, 0);
    dispatch_set_policy(sim->sched, config->policy, 0);
    bitmap_clear_all(&sim->sched->kicks);
    sim->sched->any_kicks = false;
    heap_init(&sim->heap, action_event(sim) + 1);
    for (uint32_t i = 0; i < config->task_count; i++) {
        struct sim_task *task = &config->tasks[i];

        entity_init(&task->entity, &task->affinity);
        task->entity.group = task->group;
        task->done = task->wake_ns = task->end_ns = 0;
        task->ended = false;
        task->traced_switches = 0;
        heap_set(&sim->heap, wake_event(sim, i), task->arrive_ns);
    }
    arm_action(sim);
}

static struct sim_outcome sum_up(struct sim *sim)
{
    const struct sim_config *config = sim->config;
    struct sim_outcome outcome = {.finished = sim->left == 0,
                                  .limit = sim->limit,
                                  .events = sim->events,
                                  .end_ns = sim->now_ns};
    uint64_t first = UINT64_MAX, last = 0;

    for (uint32_t i = 0; i < config->task_count; i++) {
        const struct sim_task *task = &config->tasks[i];

        first = task->arrive_ns < first ? task->arrive_ns : first;
        last = task->end_ns > last ? task->end_ns : last;
    }
    outcome.makespan_ns = last > first ? last - first : 0;
    for (uint32_t core = 0; core < config->machine->core_count; core++)
        outcome.forced_idle_ns += sim->sched->cores[core].forced_idle_ns;
    return outcome;
}

/* Whether an event at this time is one too many. */
static bool is_limited(struct sim *sim, uint64_t time)
{
    uint64_t most = sim->config->max_events;

    if (most != 0 && (sim->events >= most || sim->direct_kicks >= most))
        sim->limit = "the limit of events is reached";
    else if (time > SIM_MAX_NS)
        sim->limit = "the limit of simulated time is reached";
    return sim->limit != NULL;
}

bool sim_fits(const struct sim_config *config)
{
    return units_choose(config) != 0;
}

struct sim_outcome sim_run(const struct sim_config *config)
{
    struct sim sim;
    struct sim_outcome outcome;

    set_up(&sim, config);
    while (sim.left > 0 && !sim.stopped) {
        uint64_t time;
        uint32_t event = heap_take(&sim.heap, &time);

        if (time == HEAP_NEVER || is_limited(&sim, time))
            break;
        sim.now_ns = time;
        sim.events++;
        step(&sim, event);
    }
    outcome = sum_up(&sim);
    heap_free(&sim.heap);
    free(sim.sched);
    free(sim.cpus);
    free(sim.core_updated_ns);
    return outcome;
}

void sim_defaults(struct sim_config *config, const struct machine *machine,
                  struct sim_ratio slowdown)
{
    *config = (struct sim_config){.machine = machine,
                                  .policy = &policy_smt,
                                  .slice_ns = 10000000,
                                  .seed = 1,
                                  .kinds = 1,
                                  .slowdown = {{slowdown}},
                                  .efficiency_speed = {1, 1}};
}
