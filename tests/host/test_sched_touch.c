/*
 * What the scheduler's calls change, against what they say they do. The kernel has a lock for each
 * core, and takes those that sched_touch names; so what a core guards (kernel/sched/policy.h) may
 * change only if that core was touched, and dispatch_swap, which runs under the lock of its own
 * core alone, may change nothing but a few members of that core.
 *
 * Random workloads, with a copy of everything before each call. That a call reads without touching
 * does not show here; tests/threads finds it.
 */
#include "tests/host/sched_case.h"

#include "kernel/sched/dispatch.h"
#include "tools/sim/options.h"
#include "tools/sim/workload.h"

#define CASES 3000

/* What was before the call in progress. */
static struct sched old;
static struct sched_entity old_entities[WORKLOAD_MAX_TASKS];

static struct bitmap touched;
static struct sched *watched; /* NULL between calls */
static const char *broken;    /* the first rule that was, or NULL */
static uint32_t broken_core, calls, swaps;

static struct workload workload;

static void complain(const char *what, uint32_t core)
{
    if (broken == NULL)
        broken_core = core;
    if (broken == NULL)
        broken = what;
}

/* ---- Calls under the placement lock ---- */

/* The core that guards an entity, or NO_CPU: then the placement lock does. */
static uint32_t guard_of(const struct sched_entity *entity)
{
    bool on_core = entity->where == ENTITY_QUEUED || entity->where == ENTITY_CLAIMED ||
                   entity->where == ENTITY_RUNNING;

    return on_core ? entity->core : NO_CPU;
}

static bool is_untouched(uint32_t core)
{
    return core != NO_CPU && !bitmap_test(&touched, core);
}

static void compare_cpu(const struct sched *sched, uint32_t cpu)
{
    const struct sched_cpu *a = &old.cpus[cpu], *b = &sched->cpus[cpu];

    if (is_untouched(a->core) &&
        (a->current != b->current || a->incoming != b->incoming || a->push_to != b->push_to ||
         a->leaves != b->leaves || a->awaits != b->awaits || a->busy != b->busy ||
         a->preempt != b->preempt || a->queue != b->queue))
        complain("a CPU was changed whose core had not been touched", a->core);
}

static void compare_queue(const struct sched *sched, uint32_t queue)
{
    const struct run_queue *a = &old.queues[queue], *b = &sched->queues[queue];

    if (is_untouched(sched_queue_core(&old, queue)) &&
        (a->waiting.next != b->waiting.next || a->waiting.previous != b->waiting.previous ||
         a->length != b->length || a->width != b->width))
        complain("a queue was changed whose core had not been touched", queue);
}

static void compare_entity(const struct sched_entity *a, const struct sched_entity *b)
{
    if (memcmp(a, b, sizeof *a) == 0)
        return;
    if (is_untouched(guard_of(a)))
        complain("an entity was changed whose core had not been touched", guard_of(a));
    if (is_untouched(guard_of(b)))
        complain("an entity came to a core that had not been touched", guard_of(b));
}

/* What may not have changed yet, since its core is not touched. */
static void compare_untouched(const struct sched *sched)
{
    bool everywhere =
        sched->policy != old.policy || memcmp(&sched->usable, &old.usable, sizeof old.usable) != 0;

    for (uint32_t core = 0; core < sched->cpu_count; core++) {
        if (!is_untouched(core))
            continue;
        if (memcmp(&old.cores[core], &sched->cores[core], sizeof old.cores[core]) != 0)
            complain("a core was changed that had not been touched", core);
        if (everywhere)
            complain("a rule for all cores was changed, and one had not been touched", core);
    }
    for (uint32_t i = 0; i < sched->cpu_count; i++) {
        compare_cpu(sched, i);
        compare_queue(sched, i);
    }
    for (uint32_t i = 0; i < workload.config.task_count; i++)
        compare_entity(&old_entities[i], &workload.tasks[i].entity);
}

/* A core may have changed since it was touched, but not before. */
static void touch(uint32_t core)
{
    if (watched != NULL && is_untouched(core))
        compare_untouched(watched);
    bitmap_set(&touched, core);
}

/* ---- Before a call ---- */

/* Copies what is in use of an array at the end of struct sched. */
#define COPY(array) memcpy(old.array, sched->array, sched->cpu_count * sizeof sched->array[0])
#define SAME(array) (memcmp(old.array, sched->array, sched->cpu_count * sizeof old.array[0]) == 0)

static void remember(const struct sim_config *config, struct sched *sched)
{
    sched->touch = touch;
    watched = sched;
    bitmap_clear_all(&touched);
    memcpy(&old, sched, offsetof(struct sched, cpus));
    COPY(cpus);
    COPY(cores);
    COPY(queues);
    for (uint32_t i = 0; i < config->task_count; i++)
        old_entities[i] = config->tasks[i].entity;
}

/* ---- After dispatch_swap ---- */

/* An entity of the core may have changed its place there and its accounts; any other nothing. */
static void compare_swapped(const struct sched_entity *a, const struct sched_entity *b,
                            uint32_t core)
{
    bool may = guard_of(a) == core && (a->where == ENTITY_RUNNING || a->where == ENTITY_QUEUED);

    if (memcmp(a, b, sizeof *a) == 0)
        return;
    if (!may || guard_of(b) != core)
        complain("a swap changed an entity that is not on its core", core);
    if (b->where != ENTITY_RUNNING && b->where != ENTITY_QUEUED)
        complain("a swap changed more than who runs and who waits", core);
    if (a->started != b->started || a->runnable != b->runnable || a->paused != b->paused ||
        a->group != b->group || memcmp(&a->affinity, &b->affinity, sizeof a->affinity) != 0 ||
        a->blocked_ns != b->blocked_ns)
        complain("a swap changed what only placement may", core);
}

static void compare_swap(const struct sim_config *config, const struct sched *sched, uint32_t cpu)
{
    uint32_t core = sched->cpus[cpu].core, queue = sched->cpus[cpu].queue;

    if (!bitmap_is_empty(&touched))
        complain("a swap touched a core", core);
    for (uint32_t i = 0; i < config->task_count; i++)
        compare_swapped(&old_entities[i], &config->tasks[i].entity, core);
    old.queues[queue].turns = sched->queues[queue].turns;
    if (old.cpus[cpu].current != sched->cpus[cpu].current) { /* else it must have changed nothing */
        swaps++;
        old.cpus[cpu].current = sched->cpus[cpu].current;
        old.cores[core].since_ns = sched->cores[core].since_ns;
        old.cores[core].forced_idle_ns = sched->cores[core].forced_idle_ns;
        old.queues[queue].waiting = sched->queues[queue].waiting;
    }
    if (memcmp(&old, sched, offsetof(struct sched, cpus)) != 0)
        complain("a swap changed what placement guards", core);
    if (!SAME(cpus) || !SAME(cores) || !SAME(queues))
        complain("a swap changed a CPU, core or queue otherwise than it may", core);
}

static void compare(const struct sim_config *config, const struct sched *sched, uint32_t swapper)
{
    calls++;
    if (swapper == NO_CPU)
        compare_untouched(sched);
    else
        compare_swap(config, sched, swapper);
    watched = NULL; /* who checks the state touches everything */
}

/* ---- Tests ---- */

static void test_only_what_was_touched_changes(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= CASES; seed++) {
        workload_make(&workload, seed);
        workload.config.before = remember;
        workload.config.after = compare;
        assert_null(workload_run(&workload));
        if (broken == NULL)
            continue;
        print_message("seed %llu: %s (%u)\n", (unsigned long long)seed, broken, broken_core);
        sim_options_print(stdout, workload.topology, &workload.config);
        fflush(stdout);
        fail();
    }
    print_message("%u calls, %u swaps\n", calls, swaps);
    assert_true(swaps > CASES); /* or it was not looked at */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_what_was_touched_changes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
