/*
 * The end after a bug of the kernel's own. Odd hardware or firmware is never a reason to panic: it
 * gets a warning and the kernel goes on with less.
 */
#ifndef KERNEL_PANIC_H
#define KERNEL_PANIC_H

/* Prints where, what, CPU, task and a backtrace, stops the other CPUs and ends with failure. */
__attribute__((noreturn, format(printf, 2, 3))) void panic(const char *where, const char *fmt, ...);

#define PANIC_STRING_(x) #x
#define PANIC_STRING(x) PANIC_STRING_(x)

/* On in every build: a scheduler that went wrong must not go on measuring. */
#define ASSERT(condition)  \
    ((condition) ? (void)0 \
                 : panic(__FILE__ ":" PANIC_STRING(__LINE__), "assertion failed: %s", #condition))

#endif
