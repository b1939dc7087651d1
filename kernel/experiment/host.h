/*
 * Whether something else ran on the host while a round was measured. Only the tool that started
 * the emulator can know (tools/emulator/hostload.py). So with `host_load=serial` the kernel prints
 * an `ask:` record after each group of tasks and waits for one byte on the serial line: `c` clean,
 * `d` disturbed; anything else, and nothing within the time limit, means that nobody can say. By
 * the conductor.
 */
#ifndef KERNEL_EXPERIMENT_HOST_H
#define KERNEL_EXPERIMENT_HOST_H

#include <stdbool.h>
#include <stdint.h>

enum host_verdict {
    HOST_CLEAN,
    HOST_DISTURBED,
    HOST_UNKNOWN,
};

/* Whether anybody is asked. */
bool host_is_asked(void);

/* Asks about the time since the last records were printed. Writes out what the log has deferred.
 * Returns the key for the records of the tasks that ran in it: " clean=1", " clean=0", or "" where
 * nobody is asked, as in round 0, which warms up. */
const char *host_ask(const char *experiment, const char *sched, uint32_t round);

/* The verdict on a round, after its last group of tasks: of all answers since the last call,
 * disturbed if one was, else unknown if one was. Unknown where nobody is asked. */
enum host_verdict host_end_round(void);

/* After the last round: one `warning:` record if questions were not answered as they should. */
void host_report(void);

#endif
