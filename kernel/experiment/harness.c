#include "kernel/experiment/harness.h"

#include "kernel/experiment/experiment.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define DIGEST_BYTES 16
#define DIGEST_TEXT_BYTES (2 * DIGEST_BYTES + 1)
#define CPU_LIST_BYTES 128
#define CRASH_CANNOT 3 /* what user/crash.c ends with if the machine does not fault */
#define CRASH_NOT_RAISED 4

struct harness_totals harness_totals;
uint32_t harness_solo_us;

/* The digest every `md5 -t` of this boot must have: OpenBSD's for its number of blocks, else that
 * of the first run. */
static uint8_t expected_digest[DIGEST_BYTES];
static bool digest_is_known;

static const uint8_t openbsd_digest[DIGEST_BYTES] = {
    0x52, 0xe5, 0xf9, 0xc9, 0xe6, 0xf6, 0x56, 0xf3, 0xe1, 0x80, 0x0d, 0xfa, 0x55, 0x79, 0xd0, 0x89};
#define OPENBSD_BLOCKS 10000

static uint32_t to_us(uint64_t ns)
{
    return (uint32_t)div_u64_u32(ns, NS_PER_US, NULL);
}

/* ---- Starting and waiting ---- */

static struct task *create(const char *program, const char *name, const char *const *argv,
                           const struct bitmap *affinity)
{
    struct task *task = task_create(program_find(program), name, argv, affinity);

    if (task == NULL)
        log_error("harness", "no memory for one more task: %s", name);
    return task;
}

bool harness_add(struct run *run, const struct bitmap *affinity)
{
    char blocks[16];
    const char *const argv[] = {"md5", "-t", "-b", blocks, NULL};
    struct task *task;

    if (run->group_count == RUN_MAX_GROUP)
        return false;
    format_buffer(blocks, sizeof blocks, "%u", main_options.blocks);
    task = create("md5", "md5 -t", argv, affinity);
    if (task != NULL)
        run->group[run->group_count++] = task;
    return task != NULL;
}

void harness_start(struct run *run)
{
    /* Nothing is written to slow outputs while something is measured. */
    log_defer(true);
    for (uint32_t i = 0; i < run->group_count; i++)
        sched_start(run->group[i]);
}

void harness_wait_for(struct task *const *tasks, uint32_t count)
{
    for (uint32_t i = 0; i < count;) {
        uint32_t seen = sched_ends();

        if (sched_has_ended(tasks[i]))
            i++;
        else
            sched_wait(seen, UINT64_MAX);
    }
}

struct task *harness_start_hog(const struct bitmap *affinity)
{
    static const char *const argv[] = {"hog", NULL};
    struct task *hog = create("hog", "hog", argv, affinity);

    if (hog != NULL)
        sched_start(hog);
    return hog;
}

void harness_sleep_us(uint32_t us)
{
    uint64_t deadline = arch_now_ns() + (uint64_t)us * NS_PER_US;

    while (arch_now_ns() < deadline)
        sched_wait(sched_ends(), deadline);
}

/* ---- Reporting on tasks ---- */

static void digest_text(const uint8_t *digest, char *text)
{
    for (unsigned i = 0; i < DIGEST_BYTES; i++)
        format_buffer(text + 2 * i, 3, "%02x", digest[i]);
}

static void cpu_list(const struct bitmap *set, char *text)
{
    size_t length = 0;

    text[0] = '\0';
    BITMAP_FOR_EACH(cpu, set)
    {
        if (length >= CPU_LIST_BYTES - 8)
            break; /* a task that has been everywhere: the first ones will do */
        length +=
            format_buffer(text + length, CPU_LIST_BYTES - length, length == 0 ? "%u" : ",%u", cpu);
    }
}

static bool digest_is_right(const struct task *task)
{
    if (task->faulted || task->exit_status != 0 || task->result_bytes != DIGEST_BYTES)
        return false;
    if (!digest_is_known) {
        const uint8_t *digest =
            main_options.blocks == OPENBSD_BLOCKS ? openbsd_digest : task->result;

        memcpy(expected_digest, digest, DIGEST_BYTES);
        digest_is_known = true;
    }
    return memcmp(task->result, expected_digest, DIGEST_BYTES) == 0;
}

static void print_task(const struct run *run, const struct task *task, bool ok)
{
    const struct sched_entity *e = &task->entity;
    char digest[DIGEST_TEXT_BYTES], list[CPU_LIST_BYTES];

    digest_text(task->result, digest);
    cpu_list(&e->ran_on, list);
    log_print("task: experiment=%s sched=%s round=%u task=\"%s\" pid=%u cpus=%s wall_us=%u "
              "run_us=%u wait_us=%u blocked_us=%u shared_us=%u stalled_us=%u switches=%u "
              "migrations=%u sibling_migrations=%u digest=%s ok=%d%s\n",
              run->experiment->name, run->policy->name, run->round, task->name, task->pid, list,
              to_us(task->end_ns - task->start_ns), to_us(e->run_ns), to_us(e->wait_ns),
              to_us(e->blocked_ns), to_us(e->shared_ns), to_us(task->stalled_ns), e->switches,
              e->migrations, e->sibling_migrations, digest, ok,
              run->in_batches ? " part=batches" : "");
}

static void account(struct run *run, const struct task *task, bool ok)
{
    run->ended++;
    if (!run->in_batches) {
        run->run_ns += task->entity.run_ns;
        run->shared_ns += task->entity.shared_ns;
    }
    harness_totals.tasks++;
    harness_totals.faults += task->faulted;
    if (!ok) {
        run->failed++;
        harness_totals.failed++;
    }
}

void harness_add_sample(struct run *run, uint32_t us)
{
    if (run->sample_count == RUN_MAX_SAMPLES)
        run->samples_dropped++;
    else
        run->samples_us[run->sample_count++] = us;
}

void harness_add_makespan(struct run *run, uint32_t us)
{
    if (run->makespan_count < RUN_MAX_SAMPLES)
        run->makespans_us[run->makespan_count++] = us;
}

static uint32_t finish(struct run *run, bool sample)
{
    uint64_t first = UINT64_MAX, last = 0;

    harness_wait_for(run->group, run->group_count);
    for (uint32_t i = 0; i < run->group_count; i++) {
        struct task *task = run->group[i];
        bool ok = digest_is_right(task);

        if (task->start_ns < first)
            first = task->start_ns;
        if (task->end_ns > last)
            last = task->end_ns;
        if (sample)
            harness_add_sample(run, to_us(task->end_ns - task->start_ns));
        account(run, task, ok);
        print_task(run, task, ok);
        task_destroy(task);
    }
    run->group_count = 0;
    log_defer(false);
    log_flush();
    return last > first ? to_us(last - first) : 0;
}

uint32_t harness_finish(struct run *run)
{
    return finish(run, false);
}

uint32_t harness_finish_with_samples(struct run *run)
{
    return finish(run, true);
}

/* ---- Self-test ---- */

/* RFC 1321, "Test suite". */
static const struct {
    const char *text, *digest;
} vectors[] = {
    {"", "d41d8cd98f00b204e9800998ecf8427e"},
    {"a", "0cc175b9c0f1b6a831c399e269772661"},
    {"abc", "900150983cd24fb0d6963f7d28e17f72"},
    {"message digest", "f96b697d7cb7938d525a2f31aaf161d0"},
    {"abcdefghijklmnopqrstuvwxyz", "c3fcd3d76192e4007dfb496cca67e13b"},
    {"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
     "d174ab98d277d9f5a5611c2c9f419d9f"},
    {"12345678901234567890123456789012345678901234567890123456789012345678901234567890",
     "57edf4a22be3c955ac49da2e2107b67a"},
};
#define VECTORS (sizeof vectors / sizeof vectors[0])

void harness_self_test(void)
{
    struct bitmap everywhere = harness_all_cpus();
    uint32_t wrong = 0;

    for (unsigned i = 0; i < VECTORS; i++) {
        const char *const argv[] = {"md5", "-s", vectors[i].text, NULL};
        struct task *task = create("md5", "md5 -s", argv, &everywhere);
        char digest[DIGEST_TEXT_BYTES];

        if (task == NULL) {
            wrong++;
            continue;
        }
        sched_start(task);
        harness_wait_for(&task, 1);
        digest_text(task->result, digest);
        wrong += task->exit_status != 0 || strcmp(digest, vectors[i].digest) != 0;
        task_destroy(task);
    }
    harness_totals.failed += wrong;
    log_print("selftest: what=\"md5, RFC 1321 vectors\" vectors=%u failed=%u\n", (unsigned)VECTORS,
              wrong);
}

void harness_expect_fault(const char *kind)
{
    const char *const argv[] = {"crash", kind, NULL};
    struct bitmap everywhere = harness_all_cpus();
    bool fault_expected = strcmp(kind, "syscall") != 0;
    struct task *task = create("crash", kind, argv, &everywhere);

    if (task == NULL) {
        harness_totals.failed++;
        return;
    }
    sched_start(task);
    harness_wait_for(&task, 1);
    harness_totals.tasks++;
    harness_totals.faults += task->faulted;
    if (task->exit_status == CRASH_CANNOT || task->exit_status == CRASH_NOT_RAISED) {
        log_print("inject: this machine does not fault by \"crash %s\"\n", kind);
    } else if (task->faulted != fault_expected || (!fault_expected && task->exit_status != 0)) {
        harness_totals.failed++;
        log_error("harness", "crash %s: status %d, fault %d", kind, task->exit_status,
                  task->faulted);
    }
    task_destroy(task);
}

/* ---- The machine ---- */

struct bitmap harness_all_cpus(void)
{
    return sched_usable_cpus();
}

uint32_t harness_cpu_count(void)
{
    struct bitmap usable = sched_usable_cpus();
    return bitmap_count(&usable);
}

struct bitmap harness_first_threads(void)
{
    struct bitmap usable = sched_usable_cpus(), first = {{0}}, cores = {{0}};

    BITMAP_FOR_EACH(cpu, &usable)
    {
        if (bitmap_test(&cores, sched_core_of(cpu)))
            continue;
        bitmap_set(&cores, sched_core_of(cpu));
        bitmap_set(&first, cpu);
    }
    return first;
}

uint32_t harness_core_count(void)
{
    struct bitmap first = harness_first_threads();
    return bitmap_count(&first);
}

bool harness_siblings(struct bitmap *first, struct bitmap *second)
{
    struct bitmap usable = sched_usable_cpus();

    bitmap_clear_all(first);
    bitmap_clear_all(second);
    BITMAP_FOR_EACH(a, &usable)
    {
        for (uint32_t b = bitmap_next(&usable, a + 1); b != BITMAP_NONE;
             b = bitmap_next(&usable, b + 1)) {
            if (sched_core_of(a) != sched_core_of(b))
                continue;
            bitmap_set(first, a);
            bitmap_set(second, b);
            return true;
        }
    }
    return false;
}

struct bitmap harness_one_cpu(void)
{
    struct bitmap usable = sched_usable_cpus(), one = {{0}};

    bitmap_set(&one, bitmap_first(&usable));
    return one;
}
