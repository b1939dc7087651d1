/*
 * Programs run by themselves, one after the other or at the same time, as the command line asks
 * (`exec=`): to try one and see what it returns, or how several get along. By the conductor.
 */
#ifndef KERNEL_EXPERIMENT_EXEC_H
#define KERNEL_EXPERIMENT_EXEC_H

/*
 * Runs each program of a list such as "chase -k 512 -n 1000; int -n 5" and prints its `exec:`
 * record. Those joined by `&` are started together, under the first policy that the command line
 * names, and dealt to its groups in turn; they are one round of the trace. A program with an option
 * -k KIB gets an arena of that size. What cannot be run is an error in the log; what the programs
 * make of themselves is not.
 */
void exec_run(const char *list);

#endif
