#include "tools/sim/watch.h"

#include <stdlib.h>

#include "kernel/sched/check.h"

/* A kick takes up to twice kick_ns; what is on the move may need some of them, one after another.
 */
#define KICKS 8

static bool fail(struct watch *watch, const struct sched *sched, const char *what)
{
    watch->what = what;
    watch->at_ns = sched->now_ns;
    return false;
}

static uint64_t grace_ns(const struct watch *watch)
{
    return 2 * KICKS * watch->config->kick_ns;
}

/* ---- Accounts ---- */

static uint64_t run_ns(const struct sched *sched, const struct sched_entity *e)
{
    return e->run_ns + (e->where == ENTITY_RUNNING ? sched->now_ns - e->since_ns : 0);
}

static uint64_t shared_ns(const struct sched *sched, const struct sched_entity *e)
{
    const struct sched_core *core = &sched->cores[sched->cpus[e->cpu].core];
    bool shares = e->where == ENTITY_RUNNING && core->running >= 2;

    return e->shared_ns + (shares ? sched->now_ns - core->since_ns : 0);
}

/* To the nanosecond, all time since the first wake-up is accounted as one of three. */
static bool accounts_are_right(const struct sched *sched, const struct sim_task *task)
{
    const struct sched_entity *e = &task->entity;
    uint64_t total = e->run_ns + e->wait_ns + e->blocked_ns + (sched->now_ns - e->since_ns);

    if (!e->started)
        return e->run_ns + e->wait_ns + e->blocked_ns == 0;
    return total == sched->now_ns - task->wake_ns && shared_ns(sched, e) <= run_ns(sched, e);
}

/* What a task must have got done by its accounts, times the slowdown's numerator. */
static sim_units work_by_accounts(struct sim_ratio slowdown, uint64_t run, uint64_t shared)
{
    return (sim_units)(run - shared) * slowdown.numerator +
           (sim_units)shared * slowdown.denominator;
}

/* ---- Rules about time ---- */

/* smt: no core keeps two busy threads while another allowed core is idle, for longer than a slice.
 */
static bool is_well_placed(struct watch *watch, const struct sched *sched, uint32_t number)
{
    const struct sched_entity *e = &watch->config->tasks[number].entity;
    struct watch_task *task = &watch->tasks[number];
    bool misplaced = sched->policy == &policy_smt && e->where == ENTITY_RUNNING && !e->paused &&
                     sched->cores[sched->cpus[e->cpu].core].running >= 2 &&
                     bitmap_first_and(&sched->idle_core_cpus, &e->affinity) != BITMAP_NONE;

    if (!misplaced) {
        task->misplaced_ns = 0;
        return true;
    }
    if (task->misplaced_ns == 0)
        task->misplaced_ns = sched->now_ns;
    return sched->now_ns - task->misplaced_ns <= watch->config->slice_ns + grace_ns(watch);
}

/* smt: what has just been claimed beside something busy had no idle core to go to. */
static bool was_well_placed(const struct watch *watch, const struct sched *sched, uint32_t number)
{
    const struct sched_entity *e = &watch->config->tasks[number].entity;
    struct bitmap choice = bitmap_and(&watch->idle_cores, &sched->idle_core_cpus);

    if (sched->policy != &policy_smt || e->where != ENTITY_CLAIMED ||
        watch->tasks[number].where != ENTITY_OUT)
        return true;
    return sched->cores[sched->cpus[e->at].core].busy == 1 ||
           bitmap_first_and(&choice, &e->affinity) == BITMAP_NONE;
}

/* With no more tasks than cores, a task changes its core only when it wakes up. */
static bool stays(struct watch *watch, uint32_t number)
{
    const struct sched_entity *e = &watch->config->tasks[number].entity;
    struct watch_task *task = &watch->tasks[number];
    bool moved = e->migrations != task->migrations;
    bool well = !moved || task->was_out || !watch->few;

    task->migrations = e->migrations;
    if (e->where == ENTITY_RUNNING)
        task->was_out = false;
    else if (e->where == ENTITY_OUT)
        task->was_out = true;
    return well;
}

/* Equal tasks, more than cores and fewer than CPUs: the work done differs by no more than what an
 * own core brings in a slice. */
static bool is_fair(const struct watch *watch, const struct sched *sched)
{
    const struct sim_config *config = watch->config;
    struct sim_ratio slowdown = config->slowdown[0][0];
    sim_units least = ~(sim_units)0, most = 0, gain = slowdown.numerator - slowdown.denominator;

    if (!watch->equal)
        return true;
    for (uint32_t i = 0; i < config->task_count; i++) {
        const struct sched_entity *e = &config->tasks[i].entity;
        sim_units work = work_by_accounts(slowdown, run_ns(sched, e), shared_ns(sched, e));

        if (config->tasks[i].ended)
            return true;
        least = work < least ? work : least;
        most = work > most ? work : most;
    }
    return most - least <= gain * config->slice_ns;
}

/* ---- Steps ---- */

static const char *check_task(struct watch *watch, const struct sched *sched, uint32_t number)
{
    const struct sim_task *task = &watch->config->tasks[number];
    const struct sched_entity *e = &task->entity;

    if (!accounts_are_right(sched, task))
        return "the times of a task do not add up";
    if (!is_well_placed(watch, sched, number))
        return "a task shares a core for more than a slice while another is idle";
    if (!was_well_placed(watch, sched, number))
        return "a task was placed beside another while a core was idle";
    if (!stays(watch, number))
        return "a task was moved although there are enough cores";
    if (e->where == ENTITY_QUEUED && sched->now_ns - e->since_ns > watch->longest_wait_ns)
        watch->longest_wait_ns = sched->now_ns - e->since_ns;
    watch->tasks[number].where = e->where;
    return NULL;
}

/* core, nosmt: not even on the way from one task to the next. */
static bool is_exclusive(const struct watch *watch, const struct sched *sched)
{
    if (!watch->one_policy || sched->policy->sharing == SHARING_ANY)
        return true;
    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++)
        CORE_FOR_EACH(other, sched, &sched->cores[sched->cpus[cpu].core])
        {
            const struct sched_entity *a = sched->cpus[cpu].current;
            const struct sched_entity *b = sched->cpus[other].current;

            if (a != NULL && b != NULL && a != b &&
                (sched->policy->sharing == SHARING_NONE || a->group != b->group))
                return false;
        }
    return true;
}

bool watch_step(void *context, const struct sched *sched, const struct bitmap *kicked)
{
    struct watch *watch = context;
    struct check_result result = check_sched(sched, kicked);
    const char *what;

    if (result.what != NULL)
        return fail(watch, sched, result.what);
    for (uint32_t i = 0; i < watch->config->task_count; i++) {
        what = check_task(watch, sched, i);
        if (what != NULL)
            return fail(watch, sched, what);
    }
    if (!is_exclusive(watch, sched))
        return fail(watch, sched, "strangers share a core");
    if (!is_fair(watch, sched))
        return fail(watch, sched, "equal tasks make unequal progress");
    what = watch->free ? moves_step(&watch->moves, sched) : NULL;
    if (what != NULL)
        return fail(watch, sched, what);
    watch->idle_cores = sched->idle_core_cpus;
    return true;
}

/* ---- Before and after ---- */

/* Whether the rules for few, and for equal, tasks apply to a configuration. */
static void classify(struct watch *watch)
{
    const struct sim_config *config = watch->config;
    bool free = config->action_count == 0, equal;

    equal = config->policy == &policy_smt && config->kick_ns == 0 && config->kinds == 1 &&
            config->machine->cpu_count == 2 * config->machine->core_count &&
            config->task_count > config->machine->core_count &&
            config->task_count <= config->machine->cpu_count;
    for (uint32_t i = 0; i < config->task_count; i++) {
        const struct sim_task *task = &config->tasks[i];

        if (bitmap_count(&task->affinity) != config->machine->cpu_count)
            free = false;
        if (task->arrive_ns != config->tasks[0].arrive_ns || task->burst_ns != 0)
            equal = false;
    }
    watch->free = free;
    watch->few = free && config->task_count <= config->machine->core_count;
    watch->equal = free && equal;
    watch->one_policy = true;
    for (uint32_t i = 0; i < config->action_count; i++)
        if (config->actions[i].type == SIM_POLICY)
            watch->one_policy = false;
}

void watch_init(struct watch *watch, struct sim_config *config)
{
    *watch = (struct watch){.config = config};
    watch->tasks = calloc(config->task_count + 1, sizeof *watch->tasks);
    if (watch->tasks == NULL)
        abort();
    bitmap_set_first(&watch->idle_cores, config->machine->cpu_count);
    for (uint32_t i = 0; i < config->task_count; i++)
        watch->tasks[i].was_out = true;
    config->observe = watch_step;
    config->context = watch;
    moves_init(&watch->moves, config);
    classify(watch);
}

void watch_free(struct watch *watch)
{
    moves_free(&watch->moves);
    free(watch->tasks);
}

static bool is_worse(struct sim_ratio a, struct sim_ratio b)
{
    return (uint64_t)a.numerator * b.denominator > (uint64_t)b.numerator * a.denominator;
}

/* The work done is what the accounts say, but for a nanosecond each time a task stops in between
 * two. They do not say beside which kinds it was: no less than if all had been of the kind that is
 * worst for it, and no more than with the best. */
static bool work_is_right(const struct sim_config *config, const struct sim_task *task)
{
    const struct sim_ratio *slowdowns = config->slowdown[task->kind];
    struct sim_ratio best = slowdowns[0], worst = slowdowns[0];
    uint64_t run = task->entity.run_ns, shared = task->entity.shared_ns;
    uint64_t stops = task->burst_ns == 0 ? 1 : task->work_ns / task->burst_ns + 1;

    for (uint32_t i = 1; i < config->kinds; i++) {
        best = is_worse(best, slowdowns[i]) ? slowdowns[i] : best;
        worst = is_worse(slowdowns[i], worst) ? slowdowns[i] : worst;
    }
    return config->efficiency_speed.numerator != config->efficiency_speed.denominator ||
           (work_by_accounts(best, run, shared) >= (sim_units)task->work_ns * best.numerator &&
            work_by_accounts(worst, run, shared) <=
                (sim_units)(task->work_ns + stops) * worst.numerator);
}

const char *watch_verdict(struct watch *watch, const struct sim_outcome *outcome)
{
    const struct sim_config *config = watch->config;

    if (watch->what != NULL)
        return watch->what;
    if (!outcome->finished)
        return "it did not come to an end";
    for (uint32_t i = 0; i < config->task_count; i++)
        if (!work_is_right(config, &config->tasks[i]))
            return "the work done is not what the accounts say";
    return NULL;
}
