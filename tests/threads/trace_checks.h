/*
 * The kernel's own trace of a round on threads: what it says must fit together, and add up to what
 * the tasks' accounts say.
 */
#ifndef TESTS_THREADS_TRACE_CHECKS_H
#define TESTS_THREADS_TRACE_CHECKS_H

#include <stdint.h>

/* Begins empty rings for cpus[]. Before any task runs. */
void trace_checks_begin(void);

/* Reads the rings, and ends the test if something in them is wrong; run_ns is how long all tasks
 * since trace_checks_begin ran. When nothing runs any more. Returns how many events there were. */
uint32_t trace_checks_end(uint64_t run_ns);

#endif
