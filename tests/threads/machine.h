/*
 * A machine made of threads, under the kernel's own scheduler: each CPU is a thread that runs tasks
 * step by step, and does what kernel/arch.h asks of an architecture: interrupts, a timer, a clock
 * that differs a little from CPU to CPU, context switches. ThreadSanitizer sees of it what two CPUs
 * would see of each other: nothing orders their accesses but the kernel's locks and atomics; not
 * even an interrupt.
 *
 * A task has no stack. Whoever continues with it begins at its next step, so what calls arch_switch
 * does not get back there, as if every task were new each time. Only the conductor has a thread
 * of its own (the one that calls machine_start), which runs in turns with that of CPU 0.
 */
#ifndef TESTS_THREADS_MACHINE_H
#define TESTS_THREADS_MACHINE_H

#include <stdint.h>

#include "kernel/lib/random.h"

struct task;

/* What a CPU holds of the task it runs, and arch_switch saves. */
struct registers {
    uint64_t steps; /* done */
    struct random random;
};

/* What the machine needs of the kernel. All are called with interrupts off. */
struct machine_hooks {
    void (*timer)(void);
    void (*kicked)(void);
    void (*finish_switch)(void);
    void (*return_to_user)(void);
    void (*step)(struct task *task, struct registers *registers);
    struct task *conductor;
};

/* Makes the machine's cpus[]: `cores` of `threads` CPUs each. The one that calls is CPU 0. */
void machine_build(const struct machine_hooks *hooks, uint32_t cores, uint32_t threads);

/* Starts the other CPUs, each with its idle task. Call machine_stop when all of them are idle. */
void machine_start(void);
void machine_stop(void);

/* Gives a task, which no CPU has seen yet, its first registers; or tells the last. */
void machine_prepare(struct task *task, const struct registers *registers);
struct registers machine_registers(const struct task *task);

/* Ends the test with a message if it is not over in time. */
void machine_set_limit(unsigned seconds);

/* What went wrong: prints it and ends the test. */
__attribute__((noreturn, format(printf, 1, 2))) void machine_fail(const char *fmt, ...);

#endif
