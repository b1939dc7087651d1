#include "kernel/experiment/fpu_check.h"

#include <stddef.h>

#include "kernel/experiment/harness.h"
#include "kernel/experiment/places.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define SLICE_US 1000u
#define LONG_ENOUGH_NS (8 * NS_PER_MS) /* alone, for a task to meet many ends of slices */
#define MAX_UNITS 65536u
#define TASKS_PER_CPU 6u
#define MAX_TASKS 512u
#define STATUS_CANNOT 3 /* user/arguments.h */

/* A program, how much it does, and what it must return. */
struct subject {
    const char *program;
    bool takes_pattern; /* -p: another one for each task */
    uint32_t units;
    bool can; /* this CPU has what it takes */
    uint8_t result[TASK_RESULT_BYTES];
};

static struct subject subjects[] = {
    {.program = "simd"}, {.program = "x87"}, {.program = "fpu", .takes_pattern = true}};
#define SUBJECTS (sizeof subjects / sizeof subjects[0])

static struct task *tasks[MAX_TASKS];
static struct subject *subject_of[MAX_TASKS];

static struct task *start(const struct subject *subject, uint32_t number)
{
    struct bitmap everywhere = places_all();
    char units[12], pattern[12];
    const char *const argv[] = {subject->program, "-n", units, subject->takes_pattern ? "-p" : NULL,
                                pattern,          NULL};
    struct task *task;

    format_buffer(units, sizeof units, "%u", subject->units);
    format_buffer(pattern, sizeof pattern, "%u", number * 0x9e3779b9u);
    task = task_create(program_find(subject->program), subject->program, argv, &everywhere);
    if (task != NULL)
        sched_start(task);
    return task;
}

/* Runs one alone, for longer and longer until it takes long enough, and keeps what it returns. */
static bool run_alone(struct subject *subject)
{
    for (subject->units = 16;; subject->units *= 2) {
        struct task *task = start(subject, 1);
        bool long_enough;

        if (task == NULL)
            return false;
        harness_wait_for(&task, 1);
        subject->can = task->exit_status != STATUS_CANNOT;
        if (subject->can && task->exit_status != 0) {
            log_error("fpu", "%s ended with status %d", task->name, task->exit_status);
            task_destroy(task);
            return false;
        }
        memcpy(subject->result, task->result, sizeof subject->result);
        long_enough = task->end_ns - task->start_ns >= LONG_ENOUGH_NS;
        task_destroy(task);
        if (!subject->can || long_enough || subject->units >= MAX_UNITS)
            return true;
    }
}

/* As many of all kinds as there is memory for, in turns. */
static uint32_t start_all(uint32_t wanted)
{
    uint32_t count = 0;

    for (uint32_t i = 0; count < wanted && i < wanted * SUBJECTS; i++) {
        if (!subjects[i % SUBJECTS].can)
            continue;
        subject_of[count] = &subjects[i % SUBJECTS];
        tasks[count] = start(subject_of[count], i + 1);
        if (tasks[count] == NULL)
            break;
        count++;
    }
    return count;
}

static bool is_right(const struct task *task, const struct subject *subject)
{
    return !task->faulted && task->exit_status == 0 &&
           memcmp(task->result, subject->result, sizeof subject->result) == 0;
}

static void run_together(const struct sched_policy *policy)
{
    uint32_t wanted = places_cpu_count() * TASKS_PER_CPU, count, wrong = 0, switches = 0;

    sched_use(policy, main_options.seed);
    count = start_all(wanted < MAX_TASKS ? wanted : MAX_TASKS);
    harness_wait_for(tasks, count);
    for (uint32_t i = 0; i < count; i++) {
        switches += tasks[i]->entity.switches;
        if (!is_right(tasks[i], subject_of[i])) {
            wrong++;
            log_error("fpu", "%s, pid %u: status %d, or not the result it had alone",
                      tasks[i]->name, tasks[i]->pid, tasks[i]->exit_status);
        }
        task_destroy(tasks[i]);
    }
    harness_totals.failed += wrong;
    log_print("selftest: what=\"FPU registers of tasks\" vectors=%u failed=%u sched=%s "
              "switches=%u\n",
              count, wrong, policy->name, switches);
}

void fpu_check(void)
{
    for (unsigned i = 0; i < SUBJECTS; i++) {
        if (!run_alone(&subjects[i])) {
            harness_totals.failed++;
            return;
        }
    }
    sched_set_slice(SLICE_US);
    for (unsigned i = 0; sched_policies[i] != NULL; i++)
        run_together(sched_policies[i]);
    sched_set_slice(main_options.slice_us);
}
