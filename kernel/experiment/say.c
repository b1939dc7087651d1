#include "kernel/experiment/say.h"

#include "kernel/experiment/run.h"
#include "kernel/log.h"

#define MOSTLY_PERCENT 95     /* of the time is all of it, but for the ends */
#define TWO_PEAKS_PERCENT 15  /* ratios so far apart are of two kinds */
#define ABOUT_ALONE_RATIO 115 /* slower than that, something was in the way */

void say_hundredths(const char *before, uint32_t hundredths, const char *after)
{
    log_print("%s%u.%02u%s", before, hundredths / 100, hundredths % 100, after);
}

void say_how_cores_were_used(const struct run *run)
{
    const struct variant *v = &run->variants[0];
    bool two_peaks = v->ratio.max >= v->ratio.min + TWO_PEAKS_PERCENT;

    if (v->shared_percent == 0 && v->ratio.median < ABOUT_ALONE_RATIO)
        log_print("as if each task were alone: each had a core of its own");
    else if (two_peaks && v->shared_percent > 0 && v->shared_percent < MOSTLY_PERCENT)
        log_print("luck of the draw: some had a core of their own, some had to share one");
    else if (v->shared_percent >= MOSTLY_PERCENT)
        say_hundredths("the threads of a core were shared all the time, and that costs ",
                       v->ratio.median, " times the time alone");
    else if (v->shared_percent == 0)
        say_hundredths("tasks took turns on a CPU, and in the end each took up to ", v->ratio.max,
                       " times as long");
    else
        log_print("a core was shared for %u %% of the time", v->shared_percent);
}
