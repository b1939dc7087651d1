/*
 * Failures caused on purpose, so that tests can see them reported: `inject=` on the command line.
 */
#ifndef KERNEL_INJECT_H
#define KERNEL_INJECT_H

#include "kernel/lib/options.h"

/* What can be asked for, ended by NULL. */
extern const char *const inject_names[];

/* Causes what is asked for, except small_trace, which is kernel/trace.c's; by the conductor, once
 * tasks can run. Some do not return. */
void inject_failures(const struct options_names *names);

#endif
