#include "kernel/experiment/exec.h"

#include <stddef.h>

#include "kernel/arena.h"
#include "kernel/experiment/harness.h"
#include "kernel/experiment/places.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/options.h"
#include "kernel/lib/string.h"
#include "kernel/lib/words.h"
#include "kernel/log.h"

#define MAX_ARGUMENTS 8 /* as many as a task can have */

/* One program with its arguments: the words of `text`, one after the other. */
struct command {
    char text[OPTIONS_TEXT_BYTES];
    const char *argv[MAX_ARGUMENTS + 1];
    uint32_t arena_kib;
};

/* Copies the next command of the list, up to its `;`, and moves *list behind that; false at the
 * end. */
static bool next_command(const char **list, char *text)
{
    size_t length = 0;

    while (**list == ' ')
        ++*list;
    if (**list == '\0')
        return false;
    for (; **list != '\0' && **list != ';'; ++*list)
        text[length++] = **list;
    text[length] = '\0';
    if (**list == ';')
        ++*list;
    return true;
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

static uint32_t to_us(uint64_t ns)
{
    return (uint32_t)div_u64_u32(ns, NS_PER_US, NULL);
}

static void print_result(const char *text, const struct task *task)
{
    char result[2 * TASK_RESULT_BYTES + 1] = "";

    for (uint32_t i = 0; i < task->result_bytes; i++)
        format_buffer(result + 2 * i, 3, "%02x", task->result[i]);
    log_print("exec: task=\"%s\" pid=%u status=%d faulted=%d result=\"%s\" wall_us=%u run_us=%u\n",
              text, task->pid, task->exit_status, task->faulted, result,
              to_us(task->end_ns - task->start_ns), to_us(task->entity.run_ns));
}

static void run_command(const char *text)
{
    static struct command command;
    struct bitmap everywhere = places_all();
    const struct program *program;
    struct task *task;

    if (!cut_words(text, &command)) {
        log_error("exec", "no command, or too long: %s", text);
        return;
    }
    program = program_find(command.argv[0]);
    if (program == NULL) {
        log_error("exec", "no such program: %s", command.argv[0]);
        return;
    }
    task = task_create_with_arena(program, command.argv[0], command.argv, &everywhere,
                                  command.arena_kib);
    if (task == NULL) {
        log_error("exec", "no memory for %s, the largest arena is %u KiB", command.argv[0],
                  arena_room_kib());
        return;
    }
    sched_start(task);
    harness_wait_for(&task, 1);
    harness_totals.tasks++;
    harness_totals.faults += task->faulted;
    print_result(text, task);
    task_destroy(task);
}

void exec_run(const char *list)
{
    static char text[OPTIONS_TEXT_BYTES];

    while (next_command(&list, text))
        run_command(text);
}
