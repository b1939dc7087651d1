#include "kernel/experiment/say.h"

#include "kernel/experiment/run.h"
#include "kernel/log.h"

#define MOSTLY_PERCENT 95     /* of the time is all of it, but for the ends */
#define WAITED_PERCENT 20     /* of the time is more than a late start */
#define ABOUT_ALONE_RATIO 115 /* slower than that, something was in the way */

void say_hundredths(const char *before, uint32_t hundredths, const char *after)
{
    log_print("%s%u.%02u%s", before, hundredths / 100, hundredths % 100, after);
}

static bool have_waited(const struct variant *v)
{
    return v->wait_ns * 100 > (v->run_ns + v->wait_ns) * WAITED_PERCENT;
}

bool say_if_never_together(const struct variant *v)
{
    bool never = v->shared_ns == 0 && have_waited(v);

    if (never)
        log_print("under this policy the two never ran at the same time, so this says nothing of "
                  "what they share");
    return never;
}

/* Each had a core, or a machine that does as if. */
static void say_apart(const struct variant *v)
{
    if (v->ratio.median < ABOUT_ALONE_RATIO)
        log_print("as if each task were alone: each had a core of its own");
    else
        say_hundredths("each task had a core of its own, and yet it took ", v->ratio.median,
                       " times its time alone");
}

static void say_shared_for(const struct variant *v)
{
    if (v->shared_percent >= MOSTLY_PERCENT)
        say_hundredths("the threads of a core were shared all the time, and that costs ",
                       v->ratio.median, " times the time alone");
    else if (v->shared_percent > 0)
        log_print("a core was shared for %u %% of the time", v->shared_percent);
    else
        log_print("a core was shared for less than 1 %% of the time");
}

void say_how_cores_were_used(const struct run *run)
{
    const struct variant *v = &run->variants[0];

    if (v->tasks == 0) {
        log_print("nothing has run");
    } else if (v->tasks_sharing == 0 && have_waited(v)) {
        log_print("tasks waited for a CPU for %u %% of their time, ",
                  stats_percent(v->wait_ns, v->run_ns + v->wait_ns));
        say_hundredths("and took up to ", v->ratio.max, " times as long as alone");
    } else if (v->shared_ns == 0) {
        say_apart(v);
    } else if (v->tasks_alone > 0 && v->tasks_sharing > 0) {
        log_print("luck of the draw: %u had a core of their own, %u had to share one",
                  v->tasks_alone, v->tasks_sharing);
    } else {
        say_shared_for(v);
    }
}
