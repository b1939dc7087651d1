#include "tools/sim/moves.h"

#include <stdlib.h>
#include <string.h>

#define PACE_UNIT_NS 65536.0
#define QUEUES_LOOKED_AT 8

/* ---- Where everybody is ---- */

static uint32_t core_headed_for(const struct sched *sched, const struct sched_entity *e)
{
    uint32_t target = e->where == ENTITY_RUNNING ? sched->cpus[e->cpu].push_to : e->at;

    if (e->where == ENTITY_QUEUED)
        return e->core;
    return sched->cpus[target != NO_CPU ? target : e->cpu].core;
}

static void note_task(const struct sched *sched, const struct sched_entity *e,
                      struct moves_task *task)
{
    task->there = e->where != ENTITY_OUT && e->where != ENTITY_STRANDED;
    task->waits = e->where == ENTITY_QUEUED;
    task->core = task->there ? core_headed_for(sched, e) : 0;
    task->since_ns = e->since_ns;
}

/* How many tasks each core runs, or is about to. */
static void count_running(const struct moves *moves, const struct moves_task *tasks, uint32_t *runs)
{
    memset(runs, 0, moves->config->machine->cpu_count * sizeof *runs);
    for (uint32_t i = 0; i < moves->config->task_count; i++)
        if (tasks[i].there && !tasks[i].waits)
            runs[tasks[i].core]++;
}

static void note_sharing(const struct moves *moves, const struct sched *sched, uint32_t i)
{
    const struct moves_task *before = &moves->before[i];
    struct moves_task *now = &moves->now[i];
    const struct sched_entity *e = &moves->config->tasks[i].entity;
    bool runs = e->where == ENTITY_RUNNING && now->core == e->core;
    bool ran = before->there && !before->waits;

    now->sharing_ns = 0;
    if (runs && moves->runs_now[now->core] >= 2)
        now->sharing_ns = before->sharing_ns != 0 ? before->sharing_ns : sched->now_ns + 1;
    now->took_turn = runs && (ran ? before->took_turn : sched->waiting > 0);
}

/* ---- The load ---- */

struct load {
    uint64_t waiting, squares;
};

static struct load load_of(const struct moves *moves, const struct moves_task *tasks,
                           const uint32_t *runs)
{
    struct load load = {0, 0};

    for (uint32_t i = 0; i < moves->config->task_count; i++)
        load.waiting += tasks[i].there && tasks[i].waits;
    for (uint32_t core = 0; core < moves->config->machine->cpu_count; core++)
        load.squares += (uint64_t)runs[core] * runs[core];
    return load;
}

static bool is_less(struct load a, struct load b)
{
    return a.waiting < b.waiting || (a.waiting == b.waiting && a.squares < b.squares);
}

/* ---- Exchanges ---- */

static bool has_moved(const struct moves *moves, uint32_t i)
{
    return moves->before[i].there && moves->now[i].there &&
           moves->before[i].core != moves->now[i].core;
}

static bool had_a_slice(const struct moves *moves, const struct sched *sched, uint32_t i)
{
    return sched->now_ns - moves->before[i].since_ns >= moves->config->slice_ns;
}

/* Whether a task waited for a core, and nobody else had come to that queue by then. */
static bool was_first(const struct moves *moves, uint32_t i)
{
    const struct moves_task *task = &moves->before[i];

    for (uint32_t other = 0; other < moves->config->task_count; other++) {
        const struct moves_task *o = &moves->before[other];

        if (other != i && o->there && o->waits && o->core == task->core &&
            o->since_ns <= task->since_ns)
            return false;
    }
    return task->there && task->waits;
}

/* Progress by time since it came, sleep left out, as kernel/sched/queue.c reckons it. */
static double pace_of(const struct moves *moves, const struct sched *sched, uint32_t i)
{
    const struct sched_entity *e = &moves->config->tasks[i].entity;
    double waits = moves->now[i].waits ? (double)(sched->now_ns - moves->before[i].since_ns) : 0;

    return ((double)e->run_ns - (double)e->shared_ns / 4 - PACE_UNIT_NS) /
           ((double)e->run_ns + (double)e->wait_ns + waits + PACE_UNIT_NS);
}

/* Of the first in each queue, the one who came first of all; or the one who is furthest behind, to
 * a rounding error. */
static bool was_in_turn(const struct moves *moves, const struct sched *sched, uint32_t i)
{
    const struct sched_entity *e = &moves->config->tasks[i].entity;
    double rounding = 4 * PACE_UNIT_NS / ((double)e->run_ns + (double)e->wait_ns + PACE_UNIT_NS);
    bool oldest = true, behind = true;

    if (moves->config->machine->core_count > QUEUES_LOOKED_AT)
        return true; /* of so many only some are looked at, each time others */
    for (uint32_t other = 0; other < moves->config->task_count; other++) {
        if (other == i || !was_first(moves, other))
            continue;
        if (moves->before[other].since_ns < moves->before[i].since_ns)
            oldest = false;
        if (pace_of(moves, sched, other) + rounding < pace_of(moves, sched, i))
            behind = false;
    }
    return oldest || behind;
}

/* Of those who shared a core and were not headed for another. While tasks wait there is no line of
 * those who share, and where they have stopped waiting it begins in the order of CPUs, so who came
 * by turns is left out. */
static bool has_shared_longest(const struct moves *moves, uint32_t i)
{
    for (uint32_t other = 0; other < moves->config->task_count; other++) {
        const struct moves_task *o = &moves->before[other];

        if (o->sharing_ns != 0 && o->sharing_ns < moves->before[i].sharing_ns && !o->took_turn)
            return false;
    }
    return true;
}

/* Somebody who ran on the core waits now. */
static bool was_made_room(const struct moves *moves, const struct sched *sched, uint32_t core)
{
    for (uint32_t i = 0; i < moves->config->task_count; i++) {
        const struct moves_task *before = &moves->before[i];

        if (before->there && !before->waits && before->core == core && moves->now[i].waits)
            return had_a_slice(moves, sched, i);
    }
    return false;
}

/* What is wrong with a task that was moved from where it waited. */
static const char *check_turn(const struct moves *moves, const struct sched *sched, uint32_t i)
{
    if (!was_made_room(moves, sched, moves->now[i].core))
        return "a task that waited took the place of one that had not had its slice";
    if (!was_in_turn(moves, sched, i))
        return "a task that waited was moved before one that had waited longer";
    return NULL;
}

/* What is wrong with a task that was moved from where it ran: *gave counts those that had a core of
 * their own, and those that get one down. */
static const char *check_swap(const struct moves *moves, const struct sched *sched, uint32_t i,
                              int32_t *gave)
{
    const struct moves_task *before = &moves->before[i];
    bool was_alone = moves->runs_before[before->core] == 1;

    *gave += was_alone ? 1 : -1;
    if (was_alone && !had_a_slice(moves, sched, i))
        return "a task lost a core of its own before it had had it for a slice";
    if (!was_alone && !before->took_turn && !has_shared_longest(moves, i))
        return "a task that shared its core was moved before one that had shared longer";
    return NULL;
}

/* What is wrong with moves that leave the load as it is. */
static const char *check_exchange(const struct moves *moves, const struct sched *sched)
{
    const char *what = NULL;
    int32_t gave = 0;

    for (uint32_t i = 0; i < moves->config->task_count && what == NULL; i++)
        if (has_moved(moves, i))
            what = moves->before[i].waits ? check_turn(moves, sched, i)
                                          : check_swap(moves, sched, i, &gave);
    return what != NULL ? what : gave != 0 ? "a task was moved and nothing came of it" : NULL;
}

/* ---- Steps ---- */

/* Whether a task's place says nothing about moves: it has just come, or gone, or made way on a core
 * that is being emptied for strangers, and was placed anew. */
static bool is_new(const struct moves *moves, const struct sched *sched, uint32_t i)
{
    const struct moves_task *before = &moves->before[i], *now = &moves->now[i];

    return !before->there || !now->there || (!before->waits && sched->cores[before->core].yielding);
}

static const char *check_moves(struct moves *moves, const struct sched *sched)
{
    struct load before, now;
    bool any = false;

    for (uint32_t i = 0; i < moves->config->task_count; i++) {
        if (is_new(moves, sched, i))
            moves->before[i] = moves->now[i];
        any = any || has_moved(moves, i);
    }
    if (!any)
        return NULL;
    count_running(moves, moves->before, moves->runs_before);
    before = load_of(moves, moves->before, moves->runs_before);
    now = load_of(moves, moves->now, moves->runs_now);
    if (is_less(now, before)) {
        moves->gains++;
        return NULL;
    }
    if (is_less(before, now))
        return "tasks were moved and the load is higher than before";
    moves->exchanges++;
    /* A core that is handed over as a whole is not had for a slice by each of its tasks. */
    return sched->policy->sharing == SHARING_GROUP ? NULL : check_exchange(moves, sched);
}

const char *moves_step(struct moves *moves, const struct sched *sched)
{
    struct moves_task *swap = moves->before;
    const char *what;

    for (uint32_t i = 0; i < moves->config->task_count; i++)
        note_task(sched, &moves->config->tasks[i].entity, &moves->now[i]);
    count_running(moves, moves->now, moves->runs_now);
    for (uint32_t i = 0; i < moves->config->task_count; i++)
        note_sharing(moves, sched, i);
    what = check_moves(moves, sched);
    moves->before = moves->now;
    moves->now = swap;
    return what;
}

/* ---- Before and after ---- */

static void *allocate(size_t count, size_t bytes)
{
    void *memory = calloc(count + 1, bytes);

    if (memory == NULL)
        abort();
    return memory;
}

void moves_init(struct moves *moves, const struct sim_config *config)
{
    *moves = (struct moves){.config = config,
                            .before = allocate(config->task_count, sizeof *moves->before),
                            .now = allocate(config->task_count, sizeof *moves->now),
                            .runs_before = allocate(config->machine->cpu_count, sizeof(uint32_t)),
                            .runs_now = allocate(config->machine->cpu_count, sizeof(uint32_t))};
}

void moves_free(struct moves *moves)
{
    free(moves->before);
    free(moves->now);
    free(moves->runs_before);
    free(moves->runs_now);
}
