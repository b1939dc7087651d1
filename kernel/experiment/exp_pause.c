/*
 * Two tasks on the two threads of a core, one of which is paused for a while: whoever goes on has
 * the core to himself. A task's speed while it is alone follows from its accounts: how much it had
 * got done before, at the speed of two, and how long it took for the rest.
 */
#include <stddef.h>

#include "kernel/experiment/experiment.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/say.h"
#include "kernel/lib/clock_math.h"
#include "kernel/log.h"

enum { TOGETHER, OTHER_PAUSED, RESUMED };

#define SETTLED_RATIO 110 /* slower than that is not "as if alone" */

static uint32_t prepare(struct run *run, const char **why)
{
    struct bitmap first, second;

    run_add_variant(run, "together", 2)->row = "pause: no";
    run_add_variant(run, "other_paused", 2)->row = " one does";
    run_add_variant(run, "resumed", 2)->row = " resumed";
    *why = places_lacking(PLACES_SIBLING);
    return places_pair(PLACES_SIBLING, &first, &second) ? 2 : 0;
}

static bool add_two(struct run *run, struct variant *variant)
{
    struct bitmap first, second;

    return places_pair(PLACES_SIBLING, &first, &second) &&
           harness_add(run, variant, &harness_md5, &first) &&
           harness_add(run, variant, &harness_md5, &second);
}

/* How long the whole work would take at the speed that a task had from `since_ns` to its end, when
 * nothing was beside it; 0 if it had no such time. `together_us` is what it takes all shared. */
static uint32_t time_at_speed_since(const struct task *task, uint64_t since_ns, uint64_t before_ns,
                                    uint32_t together_us)
{
    const struct sched_entity *e = &task->entity;
    uint64_t whole_ns = (uint64_t)harness_solo_us * NS_PER_US;
    uint64_t done_ns = mul_div_u64(e->shared_ns, harness_solo_us, together_us);

    if (before_ns > e->shared_ns)
        done_ns += before_ns - e->shared_ns;
    if (task->end_ns <= since_ns || done_ns >= whole_ns)
        return 0;
    return harness_to_us(mul_div_u64(task->end_ns - since_ns, whole_ns, whole_ns - done_ns));
}

static void sample(struct run *run, uint32_t variant, const struct task *task, uint64_t since_ns,
                   uint64_t pause_ns, uint32_t together_us)
{
    /* Until the pause it ran but for the time in which it had to wait. */
    uint64_t passed = pause_ns - task->start_ns, waited = task->entity.wait_ns;
    uint32_t us =
        time_at_speed_since(task, since_ns, passed > waited ? passed - waited : 0, together_us);

    if (us != 0)
        run_add_sample(run, &run->variants[variant], SERIES_TIME, us);
}

/* One of the two is paused when a third of the work could be done, until the other has ended. */
static void pause_one(struct run *run, uint32_t which, uint32_t together_us)
{
    struct task *paused, *other;
    uint64_t pause_ns, resume_ns;

    if (!add_two(run, &run->variants[OTHER_PAUSED]))
        return;
    paused = run->group[which].task;
    other = run->group[1 - which].task;
    run->group[which].variant = &run->variants[RESUMED];
    harness_start(run);
    harness_sleep_us(harness_solo_us / 3);
    sched_pause(paused);
    pause_ns = arch_now_ns();
    harness_wait_for(&other, 1);
    sched_resume(paused);
    resume_ns = arch_now_ns();
    harness_wait_for(&paused, 1);
    sample(run, OTHER_PAUSED, other, pause_ns, pause_ns, together_us);
    sample(run, RESUMED, paused, resume_ns, pause_ns, together_us);
    harness_finish(run);
}

static void round_pause(struct run *run)
{
    uint32_t together_us;

    if (!add_two(run, &run->variants[TOGETHER]))
        return;
    harness_start(run);
    together_us = harness_finish_with_samples(run);
    pause_one(run, 0, together_us);
    pause_one(run, 1, together_us);
}

static void say(const struct run *run)
{
    uint32_t together = run->variants[TOGETHER].ratio.median;
    uint32_t alone = run->variants[OTHER_PAUSED].ratio.median;
    uint32_t resumed = run->variants[RESUMED].ratio.median;

    if (say_if_never_together(&run->variants[TOGETHER]))
        return;
    if (together < SETTLED_RATIO)
        say_hundredths("two on one core take ", together,
                       " times the time alone, so there is nothing that a pause could give back");
    else if (alone <= SETTLED_RATIO && resumed <= SETTLED_RATIO)
        say_hundredths("two on one core are slower by ", together,
                       ", and whoever is left alone by a pause is as fast as alone at once");
    else
        say_hundredths("two on one core are slower by ", together,
                       ", and the one left alone by a pause does not get all of that back");
    say_hundredths(" (", alone, " beside a paused one,");
    say_hundredths(" ", resumed, " after its own pause)");
}

const struct experiment exp_pause = {
    .name = "pause",
    .question = "Two md5 -t share a core and one is paused: is the other as fast as alone?",
    .prepare = prepare,
    .round = round_pause,
    .say = say,
};
