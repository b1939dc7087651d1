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

/* Registers of a system call, in the order in which they lie in a trap frame. */
struct syscall_registers {
    uint32_t a;
    union {
        uint32_t c, result_high;
    };
    uint32_t b;
    union {
        uint32_t number, result_low;
    };
};

/* Does what the running task asks for, and puts the result in place of the number; result_high only
 * where there is one. Interrupts off. */
void syscall_dispatch(struct syscall_registers *registers);

/* Writes out what a task left behind in its line buffer; for its end. */
struct task;
void syscall_flush_line(struct task *task);

#endif
