#include "tools/sim/workload.h"

#include <string.h>

#include "kernel/lib/clock_math.h"
#include "tools/sim/watch.h"

#define MAX_EVENTS 20000
#define SPAN_US 20000 /* in which tasks arrive and things happen */

static const char *const topologies[] = {"1x1x1", "1x1x2", "1x2x1",    "1x2x2",     "1x2x2:far",
                                         "1x3x2", "2x2x2", "1x1x4",    "1x2x2+2x1", "1x2x2",
                                         "1x4x2", "1x2x4", "2x1x2:far"};

/* ---- Making one ---- */

static bool chance(struct random *random, uint32_t percent)
{
    return random_below(random, 100) < percent;
}

static uint64_t random_ns(struct random *random, uint32_t limit_us)
{
    return (uint64_t)(1 + random_below(random, limit_us)) * NS_PER_US;
}

static struct bitmap random_cpus(struct random *random, uint32_t count)
{
    struct bitmap set = {{0}};

    for (uint32_t i = 1 + random_below(random, 2); i > 0; i--)
        bitmap_set(&set, random_below(random, count));
    return set;
}

static void make_tasks(struct workload *w, struct random *random)
{
    bool together = chance(random, 20), pins = chance(random, 40), sleeps = chance(random, 50);
    uint32_t groups = 1 + random_below(random, 3);

    for (uint32_t i = 0; i < w->config.task_count; i++) {
        struct sim_task *task = &w->tasks[i];

        *task = (struct sim_task){.work_ns = random_ns(random, 12000),
                                  .arrive_ns = together ? 0 : random_ns(random, SPAN_US),
                                  .group = random_below(random, groups)};
        bitmap_set_first(&task->affinity, w->machine.cpu_count);
        if (pins && chance(random, 40))
            task->affinity = random_cpus(random, w->machine.cpu_count);
        if (sleeps && chance(random, 50)) {
            task->burst_ns = 100 * NS_PER_US + random_ns(random, 3000);
            task->sleep_ns = random_ns(random, 2000);
        }
    }
}

static void add_action(struct workload *w, struct sim_action action)
{
    uint32_t place = w->config.action_count++;

    for (; place > 0 && w->actions[place - 1].at_ns > action.at_ns; place--)
        w->actions[place] = w->actions[place - 1];
    w->actions[place] = action;
}

/* An action, and the one that takes it back. */
static void add_random_action(struct workload *w, struct random *random)
{
    static const struct sched_policy *const policies[] = {&policy_naive, &policy_smt, &policy_nosmt,
                                                          &policy_core};
    struct sim_action action = {.at_ns = random_ns(random, SPAN_US)};
    uint32_t dice = random_below(random, 10);

    action.number = random_below(random, dice < 6 ? w->config.task_count : w->machine.cpu_count);
    action.type = dice < 3 ? SIM_PAUSE : dice < 6 ? SIM_PIN : dice < 8 ? SIM_OFF : SIM_POLICY;
    action.policy = policies[random_below(random, 4)];
    action.affinity = random_cpus(random, w->machine.cpu_count);
    add_action(w, action);
    action.at_ns += random_ns(random, 5000);
    action.type = action.type == SIM_PAUSE ? SIM_RESUME
                  : action.type == SIM_OFF ? SIM_ON
                                           : action.type;
    bitmap_set_first(&action.affinity, w->machine.cpu_count);
    if (action.type != SIM_POLICY)
        add_action(w, action);
}

static void point(struct workload *w)
{
    w->config.machine = &w->machine;
    w->config.tasks = w->tasks;
    w->config.actions = w->actions;
}

void workload_make(struct workload *w, uint64_t seed)
{
    static const struct sched_policy *const policies[] = {
        &policy_smt, &policy_smt, &policy_naive, &policy_nosmt, &policy_core, &policy_core};
    static const struct sim_ratio slowdowns[] = {{3, 2}, {23, 20}, {2, 1}, {1, 1}};
    struct random random;
    uint32_t actions;

    random_seed(&random, seed);
    w->topology = topologies[random_below(&random, sizeof topologies / sizeof topologies[0])];
    machine_parse(w->topology, &w->machine);
    sim_defaults(&w->config, &w->machine, slowdowns[random_below(&random, 4)]);
    point(w);
    w->config.policy = policies[random_below(&random, 6)];
    w->config.seed = random_next(&random);
    w->config.slice_ns = 500 * NS_PER_US + random_ns(&random, 2500);
    w->config.kick_ns = chance(&random, 50) ? 0 : 1 + random_below(&random, 100000);
    w->config.max_events = MAX_EVENTS;
    w->config.task_count = 1 + random_below(&random, WORKLOAD_MAX_TASKS);
    make_tasks(w, &random);
    actions = chance(&random, 50) ? 0 : random_below(&random, WORKLOAD_MAX_ACTIONS / 2);
    for (uint32_t i = 0; i < actions; i++)
        add_random_action(w, &random);
}

const char *workload_run(struct workload *w)
{
    struct watch watch;
    struct sim_outcome outcome;
    const char *what;

    watch_init(&watch, &w->config);
    outcome = sim_run(&w->config);
    what = watch_verdict(&watch, &outcome);
    w->gains = watch.moves.gains;
    w->exchanges = watch.moves.exchanges;
    watch_free(&watch);
    return what;
}

/* ---- Making it smaller ---- */

/* Whether all that is paused or off comes back, the last word being that it does. */
static bool can_end(const struct workload *w)
{
    for (uint32_t i = 0; i < w->config.action_count; i++) {
        const struct sim_action *action = &w->actions[i];
        enum sim_action_type back = action->type == SIM_PAUSE ? SIM_RESUME : SIM_ON;
        bool found = action->type != SIM_PAUSE && action->type != SIM_OFF;

        for (uint32_t j = i + 1; j < w->config.action_count; j++)
            found = found || (w->actions[j].type == back && w->actions[j].number == action->number);
        if (!found)
            return false;
    }
    return true;
}

/* Keeps a change if the same rule is still broken. */
static bool keep_if_broken(struct workload *w, const struct workload *changed, const char *what)
{
    static struct workload attempt;
    const char *now;

    attempt = *changed;
    point(&attempt);
    if (attempt.config.task_count == 0 || !can_end(&attempt))
        return false;
    now = workload_run(&attempt);
    if (now == NULL || strcmp(now, what) != 0)
        return false;
    *w = attempt;
    point(w);
    return true;
}

static void remove_action(struct workload *w, uint32_t number)
{
    w->config.action_count--;
    memmove(&w->actions[number], &w->actions[number + 1],
            (w->config.action_count - number) * sizeof w->actions[0]);
}

/* With all that is done to it. */
static void remove_task(struct workload *w, uint32_t number)
{
    w->config.task_count--;
    memmove(&w->tasks[number], &w->tasks[number + 1],
            (w->config.task_count - number) * sizeof w->tasks[0]);
    for (uint32_t i = w->config.action_count; i-- > 0;) {
        if (w->actions[i].type > SIM_PIN)
            continue;
        if (w->actions[i].number == number)
            remove_action(w, i);
        else if (w->actions[i].number > number)
            w->actions[i].number--;
    }
}

static bool leave_out(struct workload *w, const char *what)
{
    static struct workload changed;
    bool any = false;

    for (uint32_t i = w->config.task_count; i-- > 0;) {
        changed = *w;
        remove_task(&changed, i);
        any = keep_if_broken(w, &changed, what) || any;
    }
    for (uint32_t i = w->config.action_count; i-- > 0;) {
        changed = *w;
        remove_action(&changed, i);
        if (keep_if_broken(w, &changed, what)) {
            any = true;
            continue;
        }
        for (uint32_t j = i + 1; j < w->config.action_count; j++) { /* it and what takes it back */
            changed = *w;
            remove_action(&changed, j);
            remove_action(&changed, i);
            if (keep_if_broken(w, &changed, what)) {
                any = true;
                break;
            }
        }
        if (i > w->config.action_count)
            i = w->config.action_count;
    }
    return any;
}

/* One way to make a task simpler; false if it is as simple as that already. */
static bool simplify_task(struct sim_task *task, uint32_t way, const struct machine *machine)
{
    struct sim_task before = *task;

    if (way == 0)
        task->burst_ns = task->sleep_ns = 0;
    else if (way == 1)
        bitmap_set_first(&task->affinity, machine->cpu_count);
    else if (way == 2)
        task->group = 0;
    else if (way == 3)
        task->arrive_ns = 0;
    else
        task->work_ns = (task->work_ns / NS_PER_US + 1) / 2 * NS_PER_US;
    return memcmp(&before, task, sizeof before) != 0;
}

static bool simplify(struct workload *w, const char *what)
{
    static struct workload changed;
    bool any = false;

    for (uint32_t i = 0; i < w->config.task_count; i++)
        for (uint32_t way = 0; way < 5; way++) {
            changed = *w;
            if (simplify_task(&changed.tasks[i], way, &w->machine))
                any = keep_if_broken(w, &changed, what) || any;
        }
    if (w->config.kick_ns != 0) {
        changed = *w;
        changed.config.kick_ns = 0;
        any = keep_if_broken(w, &changed, what) || any;
    }
    return any;
}

void workload_shrink(struct workload *w, const char *what)
{
    for (uint32_t i = 0; i < 20; i++) {
        bool smaller = leave_out(w, what);
        bool simpler = simplify(w, what);

        if (!smaller && !simpler)
            return;
    }
}
