/* Stacks of new threads and the switch between threads: the C half of switch.asm. */
#include "arch/x86/fpu.h"
#include "arch/x86/gdt.h"
#include "arch/x86/io.h"
#include "arch/x86/paging.h"
#include "arch/x86/regs.h"
#include "arch/x86/trap.h"
#include "kernel/arch.h"
#include "kernel/lib/string.h"
#include "kernel/task.h"

void switch_stacks(void **saved_stack_pointer, void *next_stack_pointer);
void thread_start(void);

/* What switch_stacks pops, and thread_start expects in the registers. */
struct switch_frame {
    uint32_t edi, esi, ebx, ebp;
    uint32_t return_address;
};

static struct switch_frame *push_start(void *stack_top)
{
    struct switch_frame *start = (struct switch_frame *)stack_top - 1;

    memset(start, 0, sizeof *start);
    start->return_address = (uint32_t)thread_start;
    return start;
}

void arch_prepare_user(struct task *task, uint32_t entry, uint32_t stack_pointer)
{
    struct trap_frame *frame = (struct trap_frame *)task_stack_top(task) - 1;

    memset(frame, 0, sizeof *frame); /* no register tells a task anything about the kernel */
    frame->ds = frame->es = frame->fs = frame->gs = SELECTOR_USER_DATA;
    frame->eip = entry;
    frame->cs = SELECTOR_USER_CODE;
    frame->eflags = EFLAGS_FIXED | EFLAGS_IF;
    frame->user_esp = stack_pointer;
    frame->user_ss = SELECTOR_USER_DATA;
    task->stack_pointer = push_start(frame);
    fpu_prepare(&task->fpu);
}

void arch_prepare_kernel(struct task *task, void (*function)(void *), void *argument)
{
    struct switch_frame *start = push_start((uint8_t *)task_stack_top(task) - 16);

    start->ebx = (uint32_t)function;
    start->esi = (uint32_t)argument;
    task->stack_pointer = start;
}

void arch_switch(struct task *previous, struct task *next)
{
    if (previous->space.directory != NULL)
        fpu_save(&previous->fpu);
    if (next->space.directory != NULL) {
        fpu_load(&next->fpu);
        gdt_set_kernel_stack(task_stack_top(next));
        cr3_write((uint32_t)next->space.root);
    } else if (previous->space.directory != NULL) {
        /* An ended task's tables are about to be freed: no CPU may still be using them. */
        cr3_write(paging_kernel_root());
    }
    switch_stacks(&previous->stack_pointer, next->stack_pointer);
}
