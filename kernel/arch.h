/*
 * Everything kernel/ asks of the architecture: the whole machine layer. Implemented in arch/x86.
 * Times are nanoseconds since the clock was started.
 */
#ifndef KERNEL_ARCH_H
#define KERNEL_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/cpu.h"
#include "kernel/error.h"

struct options;
struct task;

/* ---- Start-up, in this order, on the boot CPU ---- */

/* Memory, ACPI, paging, local APIC and clock; prints what it finds. Returns only if the machine can
 * run the kernel; otherwise says what is missing and ends. */
void arch_start_boot_cpu(const struct options *options);

/* Starts the other CPUs listed, at most options->cpus in all; each ends up in sched_idle_loop() or
 * failed. Reads every online CPU's place. Bounded in time. */
void arch_start_other_cpus(const struct options *options);

/* ---- This CPU ---- */

#if __STDC_HOSTED__ /* tests on the host bring their own */
/* The record of the CPU that calls; stable only while interrupts are off. */
struct cpu *arch_this_cpu(void);

/* Turns interrupts off and says whether they were on; arch_irq_restore undoes it. */
bool arch_irq_save(void);
void arch_irq_restore(bool were_on);

/* A hint inside a spin loop. */
void arch_relax(void);

/* The time as this CPU's counter has it, which may go back where the counter does: for who sees to
 * that itself. Interrupts off. */
uint64_t arch_now_here_ns(const struct cpu *cpu);
#else
#include "arch/x86/inline.h"
#endif

/* Waits for an interrupt with interrupts enabled, and turns them off again. No interrupt that
 * arrives after the caller turned them off is missed. Called with interrupts off. */
void arch_wait_for_interrupt(void);

/* ---- Time ---- */

/* Nanoseconds; never goes back on one CPU. Interrupts may be on or off. */
uint64_t arch_now_ns(void);

/* The finest counter there is, and a count of it as time. Only differences mean something. */
uint64_t arch_ticks(void);
uint64_t arch_ticks_to_ns(uint64_t ticks);

/* Arms this CPU's one-shot timer, which calls sched_timer() after `wait_ns`: 0 is at once, more
 * than it can count fires early, UINT64_MAX disarms it. Interrupts off. */
void arch_arm_timer(uint64_t wait_ns);

/* ---- Other CPUs ---- */

/* Interrupts another online CPU; it calls sched_kicked(). */
void arch_kick(unsigned cpu);

/* Stops all other CPUs for ever, whatever they do. */
void arch_stop_other_cpus(void);

/* ---- Tasks ---- */

/* A task's page tables. The first words are the processor's; aligned as it demands. */
struct address_space {
    uint64_t root[4];
    uint64_t *directory; /* the tables that belong to this task alone; NULL: only the kernel */
    uint64_t *table;
    uint32_t arena_blocks; /* large pages mapped from ARENA_BASE up */
} __attribute__((aligned(32)));

#define USER_BASE 0x40000000u  /* programs are linked here */
#define USER_LIMIT 0x40200000u /* above program and stack: one page table's worth */
#define ARENA_BASE USER_LIMIT  /* the large buffer of tasks that have one (kernel/arena.h) */
#define ARENA_LIMIT 0x80000000u

/* Makes an empty user address space that shares the kernel's part. Its tables take SPACE_PAGES
 * zeroed pages, which stay the caller's. */
#define SPACE_PAGES 2u
void arch_space_create(struct address_space *space, void *pages);

/* Maps one page of physical memory at a user address. Never writable and executable at once where
 * the CPU can tell. */
enum error arch_space_map(struct address_space *space, uint32_t address, uint32_t phys,
                          bool writable, bool executable);

/* Maps the next block of the arena: LARGE_PAGE_BYTES of physical memory, aligned to their size.
 * Writable, never executable where the CPU can tell. ERROR_NO_MEMORY if the arena is full. */
enum error arch_space_map_arena(struct address_space *space, uint32_t phys);

/* The physical page (4 KiB) mapped at a user address, or 0; *writable says how. */
uint32_t arch_space_lookup(const struct address_space *space, uint32_t address, bool *writable);

/* A task's FPU, MMX and SSE registers while it does not run, as the processor lays them out. */
struct fpu_state {
    uint8_t bytes[512];
} __attribute__((aligned(16)));

/* Fills pages with zeroes. */
void arch_zero_pages(void *pages, uint32_t count);

/* Prepares a new task's kernel stack so that the first switch to it enters ring 3 at `entry`. */
void arch_prepare_user(struct task *task, uint32_t entry, uint32_t stack_pointer);

/* The same for a kernel thread that runs function(argument), which never returns. */
void arch_prepare_kernel(struct task *task, void (*function)(void *), void *argument);

/* Switches stacks, address spaces and FPU registers. Called with interrupts off; returns, still so,
 * when the calling task runs again, maybe on another CPU. Saves all that the C calling convention
 * lets a call destroy. */
void arch_switch(struct task *previous, struct task *next);

/* ---- Console and end ---- */

/* Writes text to all outputs in use; each wait is bounded. Serialized by the caller. */
void arch_console_write(const char *text, size_t length_bytes);

/* The next byte that came over the first serial line in use, or -1 if there is none. Does not
 * wait. */
int arch_console_read(void);

/* Characters that an output did not take in time. */
uint32_t arch_console_lost(void);

/* Interrupts and exceptions nobody asked for, so far. */
uint32_t arch_unexpected_interrupts(void);

/* Whether the CPU promises that the counter behind arch_now_ns never changes its rate. */
bool arch_clock_is_invariant(void);

/* The size in KiB of a CPU's data or unified cache of a level, 0 for the last level; 0 if CPUID
 * does not tell. */
uint32_t arch_cache_kib(unsigned cpu, unsigned level);

/* What the kernel runs on, as the log names it: "bare", "qemu", "bochs" ... */
const char *arch_platform(void);

/* Ends as the command line asks (halt, exit, poweroff, reboot). Does not return. */
__attribute__((noreturn)) void arch_end(const struct options *options, bool ok);

/* Loses the kernel stack, for a test of what happens then. */
__attribute__((noreturn)) void arch_cause_double_fault(void);

/* Prints the calls that led here, from this frame pointer; for 0 from the caller's own, and the
 * control registers before. */
void arch_print_backtrace(uint32_t frame_pointer);

#endif
