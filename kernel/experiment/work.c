#include "kernel/experiment/work.h"

#include <stddef.h>

#include "kernel/experiment/harness.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/stats.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"

#define CALIBRATION_TRIES 12
#define CALIBRATION_TIMES 3
#define GROWTH 6u       /* so many times as much as the try before */
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

struct work work_job(void)
{
    return (struct work){.name = "job", .program = "job", .flag = "-n", .amount = 1};
}

struct work work_chase(uint32_t kib)
{
    return (struct work){.name = "chase",
                         .program = "chase",
                         .flag = "-n",
                         .amount = 1000,
                         .kib = kib,
                         .compared_bytes = 8}; /* where it ended; then the time */
}

struct work work_mixed(uint32_t kib)
{
    return (struct work){
        .name = "mixed", .program = "mixed", .flag = "-n", .amount = 10, .kib = kib};
}

struct work work_units(const char *program)
{
    return (struct work){.name = program, .program = program, .flag = "-n", .amount = 1};
}

void work_set_amount(struct work *work, uint32_t amount)
{
    work->amount = amount;
    work->us = work->times = 0;
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
    task =
        task_create_with_arena(program_find(work->program), work->name, argv, affinity, work->kib);
    if (task == NULL)
        log_error("harness", "no memory for one more task: %s", work->name);
    return task;
}

bool work_is_right(struct work *work, const struct task *task)
{
    uint32_t from = work->compared_from;
    uint32_t bytes = work->compared_bytes != 0 ? work->compared_bytes : task->result_bytes;

    if (task->faulted || task->exit_status != 0 || task->result_bytes == 0)
        return false;
    if (work->expected_bytes == 0) {
        memcpy(work->expected, task->result, sizeof work->expected);
        work->expected_bytes = task->result_bytes;
    }
    return task->result_bytes == work->expected_bytes &&
           memcmp(task->result + from, work->expected + from, bytes) == 0;
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
    uint32_t sorted[WORK_MAX_TIMES], count;
    struct stats stats;
    const char *why;

    for (uint32_t i = 0; i < times; i++) {
        uint32_t us = time_alone(work, &why);

        if (us == 0)
            return false;
        work->alone_us[work->times++ % WORK_MAX_TIMES] = us;
    }
    count = work->times < WORK_MAX_TIMES ? work->times : WORK_MAX_TIMES;
    memcpy(sorted, work->alone_us, count * sizeof sorted[0]);
    stats = stats_of(sorted, count);
    work->us = stats.median;
    work->spread_percent = stats_spread_percent(&stats);
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

/* The shorter of two times: something else may have run. */
static uint32_t least_time(struct work *work, const char **why)
{
    uint32_t first = time_alone(work, why), second = first == 0 ? 0 : time_alone(work, why);

    return second < first ? second : first;
}

/* Grows the amount until it makes a difference that tells how much more is needed. */
static bool fit(struct work *work, uint32_t target_us, uint32_t maximum, const char **why)
{
    uint32_t fixed_us = least_time(work, why), us = fixed_us;
    uint32_t wanted_us = fixed_us < target_us / 2 ? target_us - fixed_us : target_us;

    for (unsigned try = 0; try < CALIBRATION_TRIES && us != 0; try++) {
        uint32_t more_us = us > fixed_us ? us - fixed_us : 0;
        bool enough = more_us >= target_us / CLOSE_ENOUGH;

        if (enough || work->amount == maximum) {
            if (more_us > 0)
                work_set_amount(work, scaled(work->amount, wanted_us, more_us, maximum));
            return true;
        }
        work_set_amount(work, scaled(work->amount, GROWTH, 1, maximum));
        us = least_time(work, why);
    }
    return us != 0;
}

bool work_calibrate(struct work *work, uint32_t target_us, uint32_t maximum, const char **why)
{
    if (!fit(work, target_us, maximum, why))
        return false;
    *why = "it failed when it was run alone";
    if (!work_measure(work, CALIBRATION_TIMES))
        return false;
    log_print("work: task=\"%s\" amount=%u kib=%u solo_us=%u\n", work->name, work->amount,
              work->kib, work->us);
    return true;
}
