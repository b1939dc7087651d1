/*
 * The system call library of user programs: the whole interface between them and the kernel. A
 * program is `int main(int argc, char **argv)`, without files or heap; what main returns is its
 * status. It is compiled for integers; one that wants FPU, MMX or SSE has a file for that, and asks
 * CPUID first (user/simd.c). AVX is off.
 */
#ifndef USER_LIBUSER_H
#define USER_LIBUSER_H

#include <stddef.h>
#include <stdint.h>

/*
 * Writes n bytes to the log as one piece: lines of other tasks never get in between. Returns n, or
 * a negative number if the bytes are not the program's own.
 */
int sys_write(const void *buf, size_t n);

/* Ends the program. `result`, for the task's record in the log, may be NULL with 0 bytes. */
void sys_exit(int status, const void *result, size_t result_bytes) __attribute__((noreturn));

/* Lets another task of this CPU run first, if there is one. */
void sys_yield(void);

/* Nanoseconds since the kernel started; never goes back. */
uint64_t sys_clock_ns(void);

/* Sleeps for at least `us` microseconds. Returns 0, or a negative number if it was cut short. */
int sys_sleep_us(uint32_t us);

/* The arena: a large buffer of the program's own, zeroed at the start, if whoever started it asked
 * for one; aligned to 2 MiB. NULL and 0 bytes without one. */
void *sys_arena(size_t *bytes);

/* The number of the CPU this runs on; may be out of date at once. */
unsigned sys_cpu(void);

/* The program itself; libuser calls it. */
int main(int argc, char **argv);

#endif
