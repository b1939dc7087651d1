#include "kernel/sched/check.h"

#include <stddef.h>

#include "kernel/sched/dispatch.h"
#include "kernel/sched/loads.h"
#include "kernel/sched/occupancy.h"
#include "kernel/sched/queue.h"

#define VERIFY(condition, text, number)                 \
    do {                                                \
        if (!(condition))                               \
            return (struct check_result){text, number}; \
    } while (0)

#define VERIFY_ALL(check)                    \
    do {                                     \
        struct check_result result_ = check; \
        if (result_.what != NULL)            \
            return result_;                  \
    } while (0)

static const struct check_result well = {NULL, NO_CPU};

static bool on_its_way(const struct sched *sched, const struct bitmap *kicked, uint32_t cpu)
{
    return bitmap_test(&sched->kicks, cpu) || (kicked != NULL && bitmap_test(kicked, cpu));
}

/* ---- One CPU ---- */

static struct check_result check_entities(const struct sched *sched, uint32_t cpu)
{
    const struct sched_entity *current = sched->cpus[cpu].current;
    const struct sched_entity *incoming = sched->cpus[cpu].incoming;

    if (current != NULL) {
        VERIFY(current != incoming, "what runs is also claimed", cpu);
        VERIFY(current->where == ENTITY_RUNNING, "what runs is elsewhere", cpu);
        VERIFY(current->cpu == cpu, "what runs is on two CPUs", cpu);
        VERIFY(current->core == sched->cpus[cpu].core, "what runs has the wrong core", cpu);
        VERIFY(current->runnable && current->started, "what runs is not runnable", cpu);
    }
    if (incoming != NULL) {
        VERIFY(incoming->where == ENTITY_CLAIMED, "what is claimed is elsewhere", cpu);
        VERIFY(incoming->at == cpu, "what is claimed is claimed for two CPUs", cpu);
        VERIFY(!incoming->paused, "what is claimed is paused", cpu);
        VERIFY(dispatch_allowed(sched, incoming, cpu), "what is claimed is not allowed there", cpu);
    }
    return well;
}

static struct check_result check_requests(const struct sched *sched, uint32_t cpu,
                                          const struct bitmap *kicked)
{
    const struct sched_cpu *c = &sched->cpus[cpu];

    VERIFY(c->push_to != cpu, "a CPU is asked to hand over to itself", cpu);
    VERIFY(c->push_to == NO_CPU || sched->cpus[c->push_to].awaits,
           "a CPU is asked for something that nobody awaits", cpu);
    VERIFY(c->push_to != NO_CPU || !c->leaves, "something leaves to nowhere", cpu);
    if (c->push_to != NO_CPU)
        VERIFY(on_its_way(sched, kicked, cpu), "a CPU was not told what it is asked for", cpu);
    if (c->incoming != NULL)
        VERIFY(on_its_way(sched, kicked, cpu), "a CPU was not told that it is claimed", cpu);
    return well;
}

/* Rules on who runs there: in force once the CPU has looked. */
static struct check_result check_permission(const struct sched *sched, uint32_t cpu)
{
    const struct sched_entity *current = sched->cpus[cpu].current;

    if (current == NULL)
        return well;
    VERIFY(!current->paused, "a paused entity runs", cpu);
    VERIFY(dispatch_allowed(sched, current, cpu), "an entity runs where it is not allowed", cpu);
    if (sched->policy->sharing != SHARING_ANY)
        CORE_FOR_EACH(other, sched, &sched->cores[sched->cpus[cpu].core])
        {
            const struct sched_entity *beside = sched->cpus[other].current;

            if (other == cpu || beside == NULL)
                continue;
            VERIFY(sched->policy->sharing == SHARING_GROUP, "two share a core under nosmt", cpu);
            VERIFY(beside->group == current->group, "two groups share a core", cpu);
        }
    return well;
}

static struct check_result check_ticks(const struct sched *sched, uint32_t cpu)
{
    if (bitmap_test(&sched->tickless, cpu)) {
        VERIFY(sched->cpus[cpu].current != NULL, "a CPU that runs nothing has no slice", cpu);
        VERIFY(!sched->policy->needs_slice(sched, cpu), "a CPU needs slices but has none", cpu);
    }
    return well;
}

static struct check_result check_masks(const struct sched *sched, uint32_t cpu)
{
    const struct sched_cpu *c = &sched->cpus[cpu];
    const struct sched_core *core = &sched->cores[c->core];
    bool usable = bitmap_test(&sched->usable, cpu);
    bool busy = c->current != NULL || c->incoming != NULL || c->awaits;

    VERIFY(c->busy == busy, "a CPU is wrongly counted as busy or idle", cpu);
    VERIFY(bitmap_test(&sched->idle_cpus, cpu) == (usable && !busy), "idle_cpus is wrong", cpu);
    VERIFY(bitmap_test(&sched->idle_core_cpus, cpu) == (usable && core->busy == 0),
           "idle_core_cpus is wrong", cpu);
    VERIFY(occupancy_shares(sched, cpu) == (c->current != NULL && core->busy - core->leaving >= 2),
           "sharers is wrong", cpu);
    return well;
}

static struct check_result check_core(const struct sched *sched, uint32_t core)
{
    const struct sched_core *c = &sched->cores[core];
    uint32_t busy = 0, running = 0, leaving = 0;

    CORE_FOR_EACH(cpu, sched, c)
    {
        busy += sched->cpus[cpu].busy;
        running += sched->cpus[cpu].current != NULL;
        leaving += sched->cpus[cpu].leaves;
    }
    VERIFY(c->busy == busy, "the busy CPUs of a core are miscounted", core);
    VERIFY(c->running == running, "the running CPUs of a core are miscounted", core);
    VERIFY(c->leaving == leaving, "the leaving CPUs of a core are miscounted", core);
    VERIFY(leaving <= busy, "more leave a core than are on it", core);
    return well;
}

struct check_result check_cpu(const struct sched *sched, uint32_t cpu, const struct bitmap *kicked)
{
    if (sched->cores[sched->cpus[cpu].core].first == NO_CPU)
        return well; /* it belongs to no core: never used */
    VERIFY_ALL(check_entities(sched, cpu));
    VERIFY_ALL(check_requests(sched, cpu, kicked));
    VERIFY_ALL(check_masks(sched, cpu));
    if (!on_its_way(sched, kicked, cpu)) {
        VERIFY_ALL(check_permission(sched, cpu));
        VERIFY_ALL(check_ticks(sched, cpu));
    }
    return check_core(sched, sched->cpus[cpu].core);
}

/* ---- Queues ---- */

static bool is_served(const struct sched *sched, const struct sched_entity *entity, uint32_t queue)
{
    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++)
        if (sched->cpus[cpu].queue == queue && dispatch_allowed(sched, entity, cpu))
            return true;
    return false;
}

static struct check_result check_queue(const struct sched *sched, uint32_t queue)
{
    const struct run_queue *q = &sched->queues[queue];
    uint32_t length = 0;

    LIST_FOR_EACH(node, &q->waiting)
    {
        const struct sched_entity *e = LIST_ENTRY(node, struct sched_entity, node);

        VERIFY(++length <= q->length, "a queue is longer than its count", queue);
        VERIFY(e->where == ENTITY_QUEUED && e->at == queue, "what waits is elsewhere", queue);
        VERIFY(e->core == sched_queue_core(sched, queue), "what waits has the wrong core", queue);
        VERIFY(e->runnable && !e->paused, "what waits is not runnable", queue);
        VERIFY(is_served(sched, e, queue), "what waits is in a queue nobody serves", queue);
    }
    VERIFY(length == q->length, "a queue is shorter than its count", queue);
    return well;
}

struct check_result check_swap(const struct sched *sched, uint32_t cpu)
{
    VERIFY_ALL(check_entities(sched, cpu));
    VERIFY_ALL(check_permission(sched, cpu));
    VERIFY_ALL(check_core(sched, sched->cpus[cpu].core));
    return check_queue(sched, sched->cpus[cpu].queue);
}

/* An idle CPU that could run a waiting entity. */
static struct check_result check_waiting(const struct sched *sched, uint32_t queue,
                                         const struct bitmap *kicked)
{
    LIST_FOR_EACH(node, &sched->queues[queue].waiting)
    {
        const struct sched_entity *e = LIST_ENTRY(node, struct sched_entity, node);
        struct bitmap idle = bitmap_and(&sched->idle_cpus, &e->affinity);

        BITMAP_FOR_EACH(cpu, &idle)
        {
            VERIFY(!occupancy_may_join(sched, e, cpu) || on_its_way(sched, kicked, cpu),
                   "a CPU is idle while an entity that it may run waits", cpu);
        }
    }
    return well;
}

/* The CPUs that have each value of a digit, and which values there are. */
static struct check_result check_digit(const struct load_digit *digit)
{
    for (uint32_t value = 0; value < LOADS_BASE; value++) {
        uint32_t count = bitmap_count(&digit->cpus[value]);

        VERIFY(count == digit->counts[value], "the CPUs with a load are miscounted", value);
        VERIFY((count != 0) == (digit->used >> value & 1), "a load is misfiled", value);
    }
    return well;
}

static uint32_t count_all(const struct load_digit *digit)
{
    uint32_t count = 0;

    for (uint32_t value = 0; value < LOADS_BASE; value++)
        count += digit->counts[value];
    return count;
}

/* The load of each CPU's queue, and where that is filed. */
static struct check_result check_loads(const struct sched *sched)
{
    uint32_t filed = 0;

    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++) {
        uint32_t load = queue_load(sched, sched->cpus[cpu].queue);

        load = load < LOADS_MAX ? load : LOADS_MAX;
        if (!bitmap_test(&sched->usable, cpu))
            load = LOADS_NONE;
        VERIFY(sched->cpus[cpu].load == load, "a CPU has the wrong load", cpu);
        if (load == LOADS_NONE)
            continue;
        filed++;
        VERIFY(bitmap_test(&sched->load_low.cpus[load % LOADS_BASE], cpu) &&
                   bitmap_test(&sched->load_high.cpus[load / LOADS_BASE], cpu),
               "a queue is misfiled", cpu);
    }
    VERIFY(count_all(&sched->load_low) == filed && count_all(&sched->load_high) == filed &&
               sched->filed == filed,
           "CPUs are filed under two loads", filed);
    return well;
}

/* ---- All ---- */

/* What awaits was asked for exactly once, and who shares is listed. */
static struct check_result check_lists(const struct sched *sched)
{
    uint32_t awaiting = 0, asked = 0, listed = 0, shared = 0;

    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++) {
        const struct sched_cpu *c = &sched->cpus[cpu];

        awaiting += c->awaits;
        asked += c->push_to != NO_CPU;
        shared += occupancy_shares(sched, cpu);
    }
    VERIFY(awaiting == asked, "a CPU awaits what nobody was asked for", NO_CPU);
    LIST_FOR_EACH(node, &sched->sharers)
    {
        VERIFY(++listed <= shared, "a CPU is listed as sharing and does not", NO_CPU);
    }
    VERIFY(listed == shared, "a CPU that shares its core is not listed", NO_CPU);
    return well;
}

static struct check_result check_stranded(const struct sched *sched)
{
    LIST_FOR_EACH(node, &sched->stranded)
    {
        const struct sched_entity *e = LIST_ENTRY(node, struct sched_entity, node);

        VERIFY(e->where == ENTITY_STRANDED, "what is stranded is elsewhere", NO_CPU);
        VERIFY(bitmap_first_and(&e->affinity, &sched->usable) == BITMAP_NONE,
               "an entity is stranded although a CPU may run it", NO_CPU);
    }
    return well;
}

struct check_result check_sched(const struct sched *sched, const struct bitmap *kicked)
{
    uint32_t waiting = 0;

    for (uint32_t core = 0; core < sched->cpu_count; core++)
        sched_touch(sched, core);
    for (uint32_t cpu = 0; cpu < sched->cpu_count; cpu++)
        VERIFY_ALL(check_cpu(sched, cpu, kicked));
    for (uint32_t queue = 0; queue < sched->cpu_count; queue++) {
        VERIFY_ALL(check_queue(sched, queue));
        VERIFY_ALL(check_waiting(sched, queue, kicked));
        waiting += sched->queues[queue].length;
    }
    VERIFY(waiting == sched->waiting, "the waiting entities are miscounted", NO_CPU);
    VERIFY_ALL(check_digit(&sched->load_low));
    VERIFY_ALL(check_digit(&sched->load_high));
    VERIFY_ALL(check_loads(sched));
    VERIFY_ALL(check_lists(sched));
    return check_stranded(sched);
}
