#include "kernel/sleepers.h"

#include <stddef.h>

void sleepers_add(struct cpu *cpu, struct task *task)
{
    struct task **place = &cpu->sleepers;

    while (*place != NULL && (*place)->wake_ns <= task->wake_ns)
        place = &(*place)->next_sleeper;
    task->next_sleeper = *place;
    *place = task;
}

struct task *sleepers_take_due(struct cpu *cpu, uint64_t now_ns)
{
    struct task *first = cpu->sleepers;

    if (first == NULL || first->wake_ns > now_ns)
        return NULL;
    cpu->sleepers = first->next_sleeper;
    return first;
}
