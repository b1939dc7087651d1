#include "kernel/syscall.h"

#include "kernel/arch.h"
#include "kernel/arena.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"
#include "kernel/memory.h"
#include "kernel/sched.h"

#define WRITE_MAX_BYTES 4096u   /* a call returns how much it took */
#define WRITE_PIECE_BYTES 1024u /* text up to this length is never torn apart */

/* Whether a range lies where a task's memory can be at all, without wrapping around. */
static bool is_user_range(uint32_t address, uint32_t length_bytes)
{
    return address >= USER_BASE && address <= ARENA_LIMIT && length_bytes <= ARENA_LIMIT - address;
}

/* Copies from the running task's memory; false if any byte is not its own. The kernel reads the
 * physical page, so what the task's tables say later cannot matter. */
static bool copy_from_user(void *destination, uint32_t address, uint32_t length_bytes)
{
    const struct address_space *space = &sched_current()->space;
    uint8_t *out = destination;

    if (!is_user_range(address, length_bytes))
        return false;
    while (length_bytes > 0) {
        uint32_t offset = address % PAGE_BYTES;
        uint32_t piece = PAGE_BYTES - offset < length_bytes ? PAGE_BYTES - offset : length_bytes;
        bool writable;
        uint32_t phys = arch_space_lookup(space, address, &writable);

        if (phys == 0)
            return false;
        memcpy(out, (const uint8_t *)phys + offset, piece);
        out += piece;
        address += piece;
        length_bytes -= piece;
    }
    return true;
}

void syscall_flush_line(struct task *task)
{
    if (task->line_length == 0)
        return;
    if (task->line[task->line_length - 1] != '\n') {
        if (task->line_length == sizeof task->line)
            task->line_length--;
        task->line[task->line_length++] = '\n';
    }
    log_write(task->line, task->line_length);
    task->line_length = 0;
}

/* Whole lines go to the log in one piece; the rest waits for its end, so that lines of different
 * tasks never mix. Only text gets through: the log is plain ASCII. */
static void write_text(struct task *task, char *text, uint32_t length_bytes)
{
    uint32_t whole = length_bytes;

    for (uint32_t i = 0; i < length_bytes; i++)
        if (text[i] != '\n' && text[i] != '\t' && (text[i] < ' ' || text[i] > '~'))
            text[i] = '?';
    while (whole > 0 && text[whole - 1] != '\n')
        whole--;
    if (whole > 0) {
        if (task->line_length > 0)
            log_write(task->line, task->line_length);
        task->line_length = 0;
        log_write(text, whole);
    }
    for (uint32_t i = whole; i < length_bytes; i++) {
        task->line[task->line_length++] = text[i];
        if (task->line_length == sizeof task->line)
            syscall_flush_line(task);
    }
}

static int32_t system_write(uint32_t address, uint32_t length_bytes)
{
    char text[WRITE_PIECE_BYTES];
    uint32_t done = 0;

    if (!is_user_range(address, length_bytes))
        return SYSCALL_ERROR;
    if (length_bytes > WRITE_MAX_BYTES)
        length_bytes = WRITE_MAX_BYTES;
    while (done < length_bytes) {
        uint32_t piece = length_bytes - done;

        if (piece > sizeof text)
            piece = sizeof text;
        if (!copy_from_user(text, address + done, piece))
            return done > 0 ? (int32_t)done : SYSCALL_ERROR;
        write_text(sched_current(), text, piece);
        done += piece;
    }
    return (int32_t)done;
}

static void system_exit(uint32_t status, uint32_t address, uint32_t length_bytes)
{
    struct task *task = sched_current();

    task->exit_status = (int32_t)status;
    if (length_bytes <= sizeof task->result && length_bytes > 0 &&
        copy_from_user(task->result, address, length_bytes))
        task->result_bytes = length_bytes;
    syscall_flush_line(task);
    sched_return_to_user(); /* what the model of a shared core charges is due before the end */
    sched_exit();
}

void syscall_dispatch(struct syscall_registers *r)
{
    uint32_t number = r->number;
    uint64_t now;

    r->result_low = 0;
    switch (number) {
    case SYSCALL_EXIT:
        system_exit(r->a, r->b, r->c);
        break;
    case SYSCALL_WRITE:
        r->result_low = (uint32_t)system_write(r->a, r->b);
        break;
    case SYSCALL_YIELD:
        sched_yield();
        break;
    case SYSCALL_CLOCK:
        now = arch_now_ns();
        r->result_low = (uint32_t)now;
        r->result_high = (uint32_t)(now >> 32);
        break;
    case SYSCALL_SLEEP:
        sched_sleep((uint64_t)r->a * NS_PER_US);
        break;
    case SYSCALL_CPU:
        r->result_low = arch_this_cpu()->cpu;
        break;
    case SYSCALL_ARENA:
        r->result_high = arena_bytes(&sched_current()->space);
        r->result_low = r->result_high == 0 ? 0 : ARENA_BASE;
        break;
    default:
        r->result_low = (uint32_t)SYSCALL_ERROR;
    }
}
