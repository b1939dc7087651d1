/*
 * The system calls: numbers, and the one place where what a task passes in is checked. A task's
 * side is user/libuser.h. Everything from a task is hostile; a bad argument is an error return.
 */
#ifndef KERNEL_SYSCALL_H
#define KERNEL_SYSCALL_H

#include <stdint.h>

/* EAX holds the number, EBX, ECX and EDX the arguments; EAX (and EDX for 64 bits) the result. */
enum syscall {
    SYSCALL_EXIT,  /* status, result, result_bytes */
    SYSCALL_WRITE, /* text, length */
    SYSCALL_YIELD,
    SYSCALL_CLOCK, /* -> nanoseconds, 64 bits */
    SYSCALL_SLEEP, /* microseconds */
    SYSCALL_CPU,   /* -> CPU number */
    SYSCALL_ARENA, /* -> address (EAX) and bytes (EDX) of the arena; 0 and 0 without one */
    SYSCALL_COUNT,
};

#define SYSCALL_ERROR (-1)

/* Registers of a system call. */
struct syscall_registers {
    uint32_t number, a, b, c;
    uint32_t result_low, result_high;
};

/* Does what the running task asks for. Interrupts off. */
void syscall_dispatch(struct syscall_registers *registers);

/* Writes out what a task left behind in its line buffer; for its end. */
struct task;
void syscall_flush_line(struct task *task);

#endif
