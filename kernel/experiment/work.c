#include "kernel/experiment/work.h"

#include <stddef.h>

#include "kernel/experiment/harness.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/stats.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"

#define MAX_MEASUREMENTS 9
#define CALIBRATION_TRIES 12
#define CALIBRATION_MEASUREMENTS 3
#define GROWTH 8u       /* most that one try does more than the one before */
#define CLOSE_ENOUGH 4u /* from this part of the time on, the rest is in proportion */
#define STATUS_CANNOT 3 /* a program's status where the CPU lacks what it needs */

static const uint8_t openbsd_digest[TASK_RESULT_BYTES] = {
    0x52, 0xe5, 0xf9, 0xc9, 0xe6, 0xf6, 0x56, 0xf3, 0xe1, 0x80, 0x0d, 0xfa, 0x55, 0x79, 0xd0, 0x89};
#define OPENBSD_BLOCKS 10000

struct work work_md5(uint32_t blocks)
{
    struct work work = {.name = "md5 -t", .program = "md5", .mode = "-t", .flag = "-b"};

    work_set_amount(&work, blocks);
    if (blocks == OPENBSD_BLOCKS) {
        memcpy(work.expected, openbsd_digest, sizeof work.expected);
        work.expected_bytes = sizeof work.expected;
    }
    return work;
}

void work_set_amount(struct work *work, uint32_t amount)
{
    work->amount = amount;
    work->us = 0;
    work->expected_bytes = 0;
}

struct task *work_task(const struct work *work, const struct bitmap *affinity)
{
    char amount[12], kib[12];
    const char *argv[8] = {work->program};
    unsigned argc = 1;
    struct task *task;

    if (work->mode != NULL)
        argv[argc++] = work->mode;
    if (work->kib != 0) {
        format_buffer(kib, sizeof kib, "%u", work->kib);
        argv[argc++] = "-k";
        argv[argc++] = kib;
    }
    if (work->flag != NULL) {
        format_buffer(amount, sizeof amount, "%u", work->amount);
        argv[argc++] = work->flag;
        argv[argc++] = amount;
    }
    task = task_create(program_find(work->program), work->name, argv, affinity);
    if (task == NULL)
        log_error("harness", "no memory for one more task: %s", work->name);
    return task;
}

bool work_is_right(struct work *work, const struct task *task)
{
    if (task->faulted || task->exit_status != 0 || task->result_bytes <= work->measured_bytes)
        return false;
    if (work->expected_bytes == 0) {
        memcpy(work->expected, task->result, sizeof work->expected);
        work->expected_bytes = task->result_bytes;
    }
    return task->result_bytes == work->expected_bytes &&
           memcmp(task->result + work->measured_bytes, work->expected + work->measured_bytes,
                  task->result_bytes - work->measured_bytes) == 0;
}

/* Does it alone, unrecorded. The time in microseconds, at least 1; 0 if it failed, and *why. */
static uint32_t time_alone(struct work *work, const char **why)
{
    struct bitmap everywhere = places_all();
    struct task *task = work_task(work, &everywhere);
    uint32_t us;

    *why = "no memory";
    if (task == NULL)
        return 0;
    log_defer(true);
    sched_start(task);
    harness_wait_for(&task, 1);
    log_defer(false);
    us = harness_to_us(task->end_ns - task->start_ns);
    if (task->exit_status == STATUS_CANNOT && !task->faulted) {
        *why = "the CPU cannot do that";
        us = 0;
    } else if (!work_is_right(work, task)) {
        *why = "it failed when it was run alone";
        harness_totals.failed++;
        log_error("work", "%s: status %d", work->name, task->exit_status);
        us = 0;
    } else if (us == 0) {
        us = 1;
    }
    task_destroy(task);
    return us;
}

bool work_measure(struct work *work, uint32_t times)
{
    uint32_t samples[MAX_MEASUREMENTS];
    const char *why;

    if (times > MAX_MEASUREMENTS)
        times = MAX_MEASUREMENTS;
    for (uint32_t i = 0; i < times; i++)
        if ((samples[i] = time_alone(work, &why)) == 0)
            return false;
    work->us = stats_of(samples, times).median;
    return true;
}

/* So many times `amount`, or `maximum` if that is less; at least 1. */
static uint32_t scaled(uint32_t amount, uint32_t part, uint32_t whole, uint32_t maximum)
{
    uint64_t product = mul_div_u64(amount, part, whole);

    if (product > maximum)
        return maximum;
    return product == 0 ? 1 : (uint32_t)product;
}

bool work_calibrate(struct work *work, uint32_t target_us, uint32_t maximum, const char **why)
{
    for (unsigned try = 0; try < CALIBRATION_TRIES; try++) {
        uint32_t us = time_alone(work, why), growth;

        if (us == 0)
            return false;
        if (us >= target_us / CLOSE_ENOUGH || work->amount == maximum) {
            work_set_amount(work, scaled(work->amount, target_us, us, maximum));
            break;
        }
        growth = target_us / us < GROWTH ? target_us / us : GROWTH;
        work_set_amount(work, scaled(work->amount, growth, 1, maximum));
    }
    if (!work_measure(work, CALIBRATION_MEASUREMENTS)) {
        *why = "it failed when it was run alone";
        return false;
    }
    log_print("work: task=\"%s\" amount=%u kib=%u solo_us=%u\n", work->name, work->amount,
              work->kib, work->us);
    return true;
}
