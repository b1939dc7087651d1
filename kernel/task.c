#include "kernel/task.h"

#include "kernel/arena.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/memory.h"
#include "kernel/panic.h"
#include "kernel/sched/dispatch.h"

#define FAULT_STACK_PAGES 1
#define USER_STACK_PAGES 2
#define MAX_ARGUMENTS 8

_Static_assert(sizeof(struct task) < 1536, "the rest of the block is the kernel stack");

static uint32_t last_pid; /* [a] */

void *task_fault_stack_top(struct task *idle)
{
    return (uint8_t *)task_stack_top(idle) + FAULT_STACK_PAGES * PAGE_BYTES;
}

void task_adopt_boot_stack(struct task *task, const char *name)
{
    format_buffer(task->name, sizeof task->name, "%s", name);
    task->canary = TASK_CANARY;
    task->state = TASK_STARTED;
}

struct task *task_create_idle(void)
{
    struct task *task = memory_allocate_zeroed(TASK_PAGES + FAULT_STACK_PAGES);

    if (task != NULL)
        task_adopt_boot_stack(task, "idle");
    return task;
}

/*
 * The first stack page as the C start-up code expects it (System V ABI, "Process
 * Initialization"): argc, then the argv pointers and a NULL, with the strings above.
 */
static uint32_t build_arguments(uint8_t *page, uint32_t page_address, const char *const *argv)
{
    uint32_t addresses[MAX_ARGUMENTS], top = PAGE_BYTES, argc = 0;
    uint32_t *words;

    for (; argv[argc] != NULL; argc++) {
        uint32_t bytes = (uint32_t)strlen(argv[argc]) + 1;

        if (argc == MAX_ARGUMENTS || bytes > top / 2)
            return 0;
        top -= bytes;
        memcpy(page + top, argv[argc], bytes);
        addresses[argc] = page_address + top;
    }
    top = (top - (argc + 2) * sizeof *words) / 16 * 16;
    words = (uint32_t *)(void *)(page + top);
    words[0] = argc;
    memcpy(words + 1, addresses, argc * sizeof *words);
    words[argc + 1] = 0;
    return page_address + top;
}

/* Tables, stack and program in the zeroed pages of the task's block behind its record. */
static enum error build_user_memory(struct task *task, const struct program *program,
                                    const char *const *argv)
{
    uint8_t *tables = task_stack_top(task), *stack = tables + SPACE_PAGES * PAGE_BYTES;
    uint8_t *own = stack + USER_STACK_PAGES * PAGE_BYTES;
    uint32_t stack_base = USER_LIMIT - USER_STACK_PAGES * PAGE_BYTES, entry, stack_pointer;
    enum error error;

    arch_space_create(&task->space, tables);
    error = program_load(program, &task->space, own, &entry);
    for (uint32_t i = 0; error == OK && i < USER_STACK_PAGES; i++)
        error = arch_space_map(&task->space, stack_base + i * PAGE_BYTES,
                               (uint32_t)stack + i * PAGE_BYTES, true, false);
    if (error != OK)
        return error;
    stack_pointer = build_arguments(own - PAGE_BYTES, USER_LIMIT - PAGE_BYTES, argv);
    if (stack_pointer == 0)
        return ERROR_BAD_VALUE;
    arch_prepare_user(task, entry, stack_pointer);
    return OK;
}

/* One run of pages holds all that a task has but its arena: its record, its kernel stack, and what
 * build_user_memory makes. */
static void free_memory(struct task *task)
{
    arena_free(&task->space);
    memory_free(task, task->pages);
}

struct task *task_create(const struct program *program, const char *name, const char *const *argv,
                         const struct bitmap *affinity)
{
    return task_create_with_arena(program, name, argv, affinity, 0);
}

struct task *task_create_with_arena(const struct program *program, const char *name,
                                    const char *const *argv, const struct bitmap *affinity,
                                    uint32_t arena_kib)
{
    uint32_t user_pages = SPACE_PAGES + USER_STACK_PAGES + program_own_pages(program);
    struct task *task = memory_allocate(TASK_PAGES + user_pages);

    if (task == NULL)
        return NULL;
    memset(task, 0, sizeof *task); /* the stack behind it need not be clear */
    arch_zero_pages(task_stack_top(task), user_pages);
    task->pages = TASK_PAGES + user_pages;
    entity_init(&task->entity, affinity);
    task->canary = TASK_CANARY;
    task->pid = __atomic_add_fetch(&last_pid, 1, __ATOMIC_RELAXED);
    format_buffer(task->name, sizeof task->name, "%s", name);
    if (build_user_memory(task, program, argv) != OK ||
        arena_allocate(&task->space, arena_kib) != OK) {
        free_memory(task);
        return NULL;
    }
    return task;
}

void task_destroy(struct task *task)
{
    ASSERT(task->state != TASK_STARTED);
    task_check_stack(task);
    free_memory(task);
}
