#include "kernel/experiment/exec.h"

#include <stddef.h>

#include "kernel/arena.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/places.h"
#include "kernel/lib/format.h"
#include "kernel/lib/options.h"
#include "kernel/lib/string.h"
#include "kernel/lib/words.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/trace_dump.h"

#define MAX_ARGUMENTS 8 /* as many as a task can have */
#define MAX_AT_ONCE 16

/* One program with its arguments: the words of `text`, one after the other. */
struct command {
    char text[OPTIONS_TEXT_BYTES];
    const char *argv[MAX_ARGUMENTS + 1];
    uint32_t arena_kib;
};

/* One of those that run at the same time. */
struct runner {
    char text[OPTIONS_TEXT_BYTES];
    struct task *task; /* NULL: it cannot be run */
};

/* ---- The list ---- */

/* Copies the next command of the list, without the spaces around it, and moves *list behind it and
 * its separator. That is returned: `;`, `&`, or 0 at the end. */
static char next_command(const char **list, char *text)
{
    size_t length = 0;
    char separator;

    while (**list == ' ')
        ++*list;
    for (; **list != '\0' && **list != ';' && **list != '&'; ++*list)
        text[length++] = **list;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    text[length] = '\0';
    separator = **list;
    if (separator != '\0')
        ++*list;
    return separator;
}

/* Reads the commands that are to run next at the same time. How many there are: 0 at the end of the
 * list, and more than MAX_AT_ONCE if not all were kept. */
static uint32_t next_step(const char **list, struct runner *runners)
{
    char unkept[OPTIONS_TEXT_BYTES] = "";
    uint32_t count = 0;
    char separator;

    while (**list == ' ')
        ++*list;
    if (**list == '\0')
        return 0;
    do {
        separator = next_command(list, count < MAX_AT_ONCE ? runners[count].text : unkept);
        count++;
    } while (separator == '&');
    return count;
}

/* Cuts the command into words; false if there are none, or too many. */
static bool cut_words(const char *text, struct command *command)
{
    static struct word word;
    size_t length = 0;
    unsigned count = 0;

    command->arena_kib = 0;
    while (words_next(&text, &word)) {
        if (count == MAX_ARGUMENTS)
            return false;
        command->argv[count] = command->text + length;
        length +=
            format_buffer(command->text + length, sizeof command->text - length, "%s", word.text) +
            1;
        if (count > 0 && strcmp(command->argv[count - 1], "-k") == 0) {
            const char *number = command->argv[count];

            words_read_number(&number, &command->arena_kib);
        }
        count++;
    }
    command->argv[count] = NULL;
    return count > 0;
}

/* A task for a command; NULL, and an error in the log, if that is not possible. */
static struct task *create(const char *text)
{
    static struct command command;
    struct bitmap everywhere = places_all();
    const struct program *program;
    struct task *task;

    if (!cut_words(text, &command)) {
        log_error("exec", "no command, or too long: %s", text);
        return NULL;
    }
    program = program_find(command.argv[0]);
    if (program == NULL) {
        log_error("exec", "no such program: %s", command.argv[0]);
        return NULL;
    }
    task = task_create_with_arena(program, text, command.argv, &everywhere, command.arena_kib);
    if (task == NULL)
        log_error("exec", "no memory for %s, the largest arena is %u KiB", command.argv[0],
                  arena_room_kib());
    return task;
}

/* ---- Running ---- */

static void print_result(const char *text, const struct task *task)
{
    const struct sched_entity *e = &task->entity;
    char result[2 * TASK_RESULT_BYTES + 1] = "";

    for (uint32_t i = 0; i < task->result_bytes; i++)
        format_buffer(result + 2 * i, 3, "%02x", task->result[i]);
    log_print("exec: task=\"%s\" pid=%u status=%d faulted=%d result=\"%s\" wall_us=%u run_us=%u "
              "wait_us=%u shared_us=%u switches=%u migrations=%u sibling_migrations=%u group=%u\n",
              text, task->pid, task->exit_status, task->faulted, result,
              harness_to_us(task->end_ns - task->start_ns), harness_to_us(e->run_ns),
              harness_to_us(e->wait_ns), harness_to_us(e->shared_ns), e->switches, e->migrations,
              e->sibling_migrations, e->group);
}

/* Starts what can be run, as closely together as can be, and waits until all have ended. */
static void run_all(const struct runner *runners, uint32_t count)
{
    log_defer(true);
    for (uint32_t i = 0; i < count; i++)
        if (runners[i].task != NULL)
            sched_start(runners[i].task);
    for (uint32_t i = 0; i < count; i++)
        if (runners[i].task != NULL)
            harness_wait_for(&runners[i].task, 1);
    log_defer(false);
    log_flush();
}

static void report(const struct runner *runners, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct task *task = runners[i].task;

        if (task == NULL)
            continue;
        harness_totals.tasks++;
        harness_totals.faults += task->faulted;
        print_result(runners[i].text, task);
        task_destroy(task);
    }
}

void exec_run(const char *list)
{
    static struct runner runners[MAX_AT_ONCE];
    const struct sched_policy *policy = sched_policy_find(main_options.sched.names[0]);
    uint32_t count;

    for (uint32_t step = 1; (count = next_step(&list, runners)) > 0; step++) {
        if (count > MAX_AT_ONCE) {
            log_error("exec", "%u commands at once, at most %u can be", count, MAX_AT_ONCE);
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            runners[i].task = create(runners[i].text);
            if (runners[i].task != NULL)
                runners[i].task->entity.group = i % main_options.groups;
        }
        sched_use(policy, main_options.seed);
        trace_begin_round("exec", policy->name, step);
        run_all(runners, count);
        report(runners, count);
        trace_end_round(true);
    }
}
