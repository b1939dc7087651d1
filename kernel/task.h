/*
 * Tasks: a program in ring 3 with an address space, or a thread of the kernel's own; creation,
 * memory, end. When and where they run is kernel/sched.c. A task's record and its kernel stack are
 * one block of pages: the record below, the stack growing down towards it, a canary between.
 */
#ifndef KERNEL_TASK_H
#define KERNEL_TASK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/arch.h"
#include "kernel/panic.h"
#include "kernel/memory.h"
#include "kernel/program.h"
#include "kernel/sched/policy.h"

#define TASK_PAGES 2 /* record and kernel stack */
#define TASK_NAME_BYTES 32
#define TASK_RESULT_BYTES 16
#define TASK_LINE_BYTES 128
#define TASK_CANARY 0x7a5dcafeu

enum task_state { TASK_CREATED, TASK_STARTED, TASK_ENDED };

/* Letters as in kernel/cpu.h and kernel/sched_lock.h, [c] of the core that guards the entity; [s]
 * set by the task's own system calls, [r] by the CPU that has set on_cpu. */
struct task {
    struct sched_entity entity; /* [c] [p] [pc] as kernel/sched/policy.h says */
    bool on_cpu;                /* [a] some CPU is on its stack, or about to be */
    struct address_space space; /* [I] */
    struct fpu_state fpu;       /* [r] saved while it does not run; not of kernel threads */
    void *stack_pointer;        /* [r] saved while it does not run */
    uint32_t pages;             /* [I] of the block that begins with this record */
    uint32_t pid;               /* [I] */
    char name[TASK_NAME_BYTES]; /* [I] as the log calls it */
    uint32_t state;             /* [a] enum task_state */
    uint64_t start_ns, end_ns;  /* [I] first wake-up and end, once that has come */
    uint64_t wake_ns;           /* [r] while asleep: until when */
    struct task *next_sleeper;  /* [o] of the CPU that will wake it */
    struct {
        uint32_t switches, cpu;
    } traced;                          /* [c] its last dispatch, as the trace has it */
    uint64_t stalled_ns;               /* [r] what the model of a shared core has taken so far */
    bool doomed;                       /* [a] to be ended instead of returning to ring 3 */
    int32_t exit_status;               /* [s] -1 after a fault */
    bool faulted;                      /* [s] */
    uint8_t result[TASK_RESULT_BYTES]; /* [s] what it passed to exit */
    uint32_t result_bytes;             /* [s] */
    uint32_t line_length;              /* [s] output that waits for the end of its line */
    char line[TASK_LINE_BYTES];
    uint32_t canary; /* last: what the stack would overwrite first */
};

/* A task that will run `program` with the arguments in `argv` (ended by NULL) on the CPUs in
 * `affinity`; the log calls it `name`. Not started yet. NULL without memory or if the arguments do
 * not fit one page. */
struct task *task_create(const struct program *program, const char *name, const char *const *argv,
                         const struct bitmap *affinity);

/* The same with an arena of at least `arena_kib` KiB (kernel/arena.h), 0 for none. NULL if memory
 * has no room for it either; arena_room_kib() says what there is room for. */
struct task *task_create_with_arena(const struct program *program, const char *name,
                                    const char *const *argv, const struct bitmap *affinity,
                                    uint32_t arena_kib);

/* Frees a task that has ended and been left by its CPU (sched_wait_for_ends has returned). */
void task_destroy(struct task *task);

/* The task a CPU runs when there is nothing to run; it also has a stack for double faults. */
struct task *task_create_idle(void);
void *task_fault_stack_top(struct task *idle);

/* Where the kernel stack of a task starts. */
static inline void *task_stack_top(struct task *task)
{
    return (uint8_t *)task + TASK_PAGES * PAGE_BYTES;
}

/* Panics if the kernel stack has run into the record. */
static inline void task_check_stack(const struct task *task)
{
    ASSERT(task->canary == TASK_CANARY);
}

/* Records that the boot code's own stack is a thread called `name`. */
void task_adopt_boot_stack(struct task *task, const char *name);

static inline struct task *task_of(struct sched_entity *entity)
{
    return entity == NULL ? NULL : LIST_ENTRY(entity, struct task, entity);
}

#endif
