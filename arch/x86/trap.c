#include "arch/x86/trap.h"

#include "arch/x86/gdt.h"
#include "arch/x86/idt.h"
#include "arch/x86/io.h"
#include "arch/x86/lapic.h"
#include "arch/x86/pic.h"
#include "arch/x86/smp.h"
#include "kernel/arch.h"
#include "kernel/log.h"
#include "kernel/panic.h"
#include "kernel/sched.h"
#include "kernel/syscall.h"
#include "kernel/trace.h"

#define BACKTRACE_MAX 16

static uint32_t unexpected_count; /* [a] */

extern const char kernel_start[], kernel_text_end[];

/* SDM volume 3, "Exception and Interrupt Vectors". */
static const char *exception_name(uint32_t vector)
{
    static const char *const names[] = {
        "divide error",
        "debug",
        "nmi",
        "breakpoint",
        "overflow",
        "bound range",
        "invalid opcode",
        "no fpu",
        "double fault",
        "coprocessor overrun",
        "invalid tss",
        "segment not present",
        "stack segment",
        "protection",
        "page fault",
        "reserved",
        "x87 error",
        "alignment check",
        "machine check",
        "simd error",
        "virtualization",
        "control protection",
    };
    return vector < sizeof names / sizeof names[0] ? names[vector] : "reserved";
}

static void print_registers(const struct trap_frame *f)
{
    log_print("eax=%08x ebx=%08x ecx=%08x edx=%08x\n", f->eax, f->ebx, f->ecx, f->edx);
    log_print("esi=%08x edi=%08x ebp=%08x esp=%08x\n", f->esi, f->edi, f->ebp,
              trap_from_user(f) ? f->user_esp : (uint32_t)&f->user_esp);
    log_print("eip=%08x cs=%04x eflags=%08x cr0=%08x cr2=%08x cr3=%08x cr4=%08x\n", f->eip, f->cs,
              f->eflags, cr0_read(), cr2_read(), cr3_read(), cr4_read());
}

/* A fault in a task ends that task only. */
static void task_faulted(const struct trap_frame *f)
{
    struct task *task = sched_current();

    trace_faulted(task, f->vector);
    task->faulted = true;
    task->exit_status = -1;
    syscall_flush_line(task);
    log_print("fault: pid=%u task=\"%s\" vector=%u error=0x%x eip=0x%x cr2=0x%x action=killed "
              "name=\"%s\"\n",
              task->pid, task->name, f->vector, f->error, f->eip,
              f->vector == VECTOR_PAGE_FAULT ? cr2_read() : 0, exception_name(f->vector));
    sched_exit();
}

static void kernel_faulted(const struct trap_frame *f)
{
    log_panic_mode();
    print_registers(f);
    arch_print_backtrace(f->ebp);
    panic("trap", "%s in the kernel, error 0x%x, at 0x%x, address 0x%x", exception_name(f->vector),
          f->error, f->eip, f->vector == VECTOR_PAGE_FAULT ? cr2_read() : 0);
}

static void non_maskable_interrupt(void)
{
    if (__atomic_load_n(&smp_stopping, __ATOMIC_ACQUIRE) != 0)
        cpu_halt_for_ever();
    __atomic_fetch_add(&unexpected_count, 1, __ATOMIC_RELAXED);
}

static void exception(struct trap_frame *f)
{
    if (f->vector == VECTOR_NMI)
        non_maskable_interrupt();
    else if (trap_from_user(f))
        task_faulted(f);
    else
        kernel_faulted(f);
}

static void pic_interrupt(const struct trap_frame *f)
{
    bool real = pic_end_of_interrupt(f->vector);

    if (real && f->vector == VECTOR_PIC)
        sched_timer();
    else
        __atomic_fetch_add(&unexpected_count, 1, __ATOMIC_RELAXED);
}

void trap_dispatch(struct trap_frame *f)
{
    switch (f->vector) {
    case VECTOR_SYSCALL:
        syscall_dispatch(&f->call);
        break;
    case VECTOR_TIMER:
        lapic_eoi(); /* before the scheduler switches away from here */
        sched_timer();
        break;
    case VECTOR_KICK:
        lapic_eoi();
        sched_kicked();
        break;
    case VECTOR_SPURIOUS: /* has no end of interrupt */
        __atomic_fetch_add(&unexpected_count, 1, __ATOMIC_RELAXED);
        break;
    default:
        if (f->vector <= VECTOR_LAST_EXCEPTION) {
            exception(f);
        } else if (f->vector >= VECTOR_PIC && f->vector <= VECTOR_PIC_LAST) {
            pic_interrupt(f);
        } else {
            lapic_eoi();
            __atomic_fetch_add(&unexpected_count, 1, __ATOMIC_RELAXED);
        }
    }
    if (trap_from_user(f))
        sched_return_to_user();
}

uint32_t arch_unexpected_interrupts(void)
{
    return unexpected_count;
}

void trap_double_fault(void)
{
    const struct tss *state = gdt_faulted_state(arch_this_cpu()->cpu);

    log_panic_mode();
    arch_print_backtrace(state->ebp);
    panic("trap", "double fault at 0x%x, stack pointer 0x%x, address 0x%x", state->eip, state->esp,
          cr2_read());
}

void arch_cause_double_fault(void)
{
    /* Page 0 is absent: the push faults, and so does the attempt to report that. */
    __asm__ volatile("movl $16, %%esp\n\tpushl $0" : : : "memory");
    __builtin_unreachable();
}

/* Frame pointers of kernel code lie in identity-mapped memory; anything else ends the walk. */
static bool plausible_frame(uint32_t frame)
{
    return frame >= (uint32_t)kernel_start && frame < 0x40000000u && frame % 4 == 0;
}

void arch_print_backtrace(uint32_t frame_pointer)
{
    uint32_t frame = frame_pointer;

    if (frame == 0) {
        frame = (uint32_t)__builtin_frame_address(0);
        log_print("registers: esp=0x%x ebp=0x%x cr0=0x%x cr2=0x%x cr3=0x%x cr4=0x%x\n",
                  (uint32_t)&frame, frame, cr0_read(), cr2_read(), cr3_read(), cr4_read());
    }
    for (unsigned i = 0; i < BACKTRACE_MAX && plausible_frame(frame); i++) {
        const uint32_t *words = (const uint32_t *)frame;
        uint32_t address = words[1];

        if (address < (uint32_t)kernel_start || address >= (uint32_t)kernel_text_end)
            break;
        log_print("  called from 0x%x\n", address);
        if (words[0] <= frame)
            break;
        frame = words[0];
    }
}
