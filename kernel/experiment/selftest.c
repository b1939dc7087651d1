/* Tasks that are run to see that tasks run as they should, rather than to measure anything. */
#include "kernel/experiment/harness.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"

#define CRASH_CANNOT 3 /* what user/crash.c ends with if the machine does not fault */
#define CRASH_NOT_RAISED 4

#define DIGEST_TEXT_BYTES (2 * TASK_RESULT_BYTES + 1)

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

/* Runs a program, which the log calls `name`, on any CPU until it ends. NULL, with an `error:`
 * record, without memory. */
static struct task *run_program(const char *program, const char *name, const char *const *argv)
{
    struct bitmap everywhere = places_all();
    struct task *task = task_create(program_find(program), name, argv, &everywhere);

    if (task == NULL) {
        log_error("harness", "no memory for one more task: %s", name);
        return NULL;
    }
    sched_start(task);
    harness_wait_for(&task, 1);
    return task;
}

static bool has_digest(const struct task *task, const char *digest)
{
    char text[DIGEST_TEXT_BYTES];

    for (unsigned i = 0; i < TASK_RESULT_BYTES; i++)
        format_buffer(text + 2 * i, 3, "%02x", task->result[i]);
    return task->exit_status == 0 && strcmp(text, digest) == 0;
}

void harness_self_test(void)
{
    uint32_t wrong = 0;

    for (unsigned i = 0; i < VECTORS; i++) {
        const char *const argv[] = {"md5", "-s", vectors[i].text, NULL};
        struct task *task = run_program("md5", "md5 -s", argv);

        wrong += task == NULL || !has_digest(task, vectors[i].digest);
        if (task != NULL)
            task_destroy(task);
    }
    harness_totals.failed += wrong;
    log_print("selftest: what=\"md5, RFC 1321 vectors\" vectors=%u failed=%u\n", (unsigned)VECTORS,
              wrong);
}

void harness_expect_fault(const char *kind)
{
    const char *const argv[] = {"crash", kind, NULL};
    bool fault_expected = strcmp(kind, "syscall") != 0;
    struct task *task = run_program("crash", kind, argv);

    if (task == NULL) {
        harness_totals.failed++;
        return;
    }
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
