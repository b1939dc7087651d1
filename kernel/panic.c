#include "kernel/panic.h"

#include <stdarg.h>

#include "kernel/arch.h"
#include "kernel/lib/format.h"
#include "kernel/log.h"
#include "kernel/main.h"
#include "kernel/task.h"

void panic(const char *where, const char *fmt, ...)
{
    static uint32_t panics; /* [a] */
    struct cpu *cpu;
    char what[256];
    va_list arguments;

    arch_irq_save();
    if (__atomic_fetch_add(&panics, 1, __ATOMIC_ACQ_REL) > 0)
        arch_end(&main_options, false); /* a second one, on any CPU, only gets in the way */
    log_panic_mode();
    arch_stop_other_cpus();
    va_start(arguments, fmt);
    format_buffer_v(what, sizeof what, fmt, arguments);
    va_end(arguments);
    cpu = arch_this_cpu();
    log_print("panic: where=%s what=\"%s\" cpu=%u task=\"%s\" pid=%u\n", where, what, cpu->cpu,
              cpu->running == NULL ? "" : cpu->running->name,
              cpu->running == NULL ? 0 : cpu->running->pid);
    arch_print_backtrace(0);
    log_print("end: status=failed code=2\n");
    arch_end(&main_options, false);
}
