#include "arch/x86/ap.h"

#include "arch/x86/apic_switch.h"
#include "arch/x86/cpu.h"
#include "arch/x86/gdt.h"
#include "arch/x86/idt.h"
#include "arch/x86/io.h"
#include "arch/x86/lapic.h"
#include "arch/x86/paging.h"
#include "arch/x86/smp.h"
#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"
#include "kernel/sched.h"
#include "kernel/task.h"

#define MAX_TICKETS (MAX_CPUS * SMP_ATTEMPTS)

extern const char ap_trampoline[], ap_trampoline_end[];

/* Shared with the trampoline. A ticket is a stack; a retried CPU needs a fresh one, because its
 * first life may still be using the old. */
uint32_t ap_next_ticket;
uint32_t ap_ticket_count;
void *ap_stack_tops[MAX_TICKETS];
static struct task *ticket_idle[MAX_TICKETS];

struct topology_scan ap_scans[MAX_CPUS];

/* [a] Static text. */
static const char *lacking;

/* [a] In microseconds, since a 64-bit number cannot be read at once. */
static uint32_t boot_cpu_now_us;

void ap_install_trampoline(uint32_t page)
{
    memcpy((void *)page, ap_trampoline, (size_t)(ap_trampoline_end - ap_trampoline));
}

bool ap_add_tickets(unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        struct task *idle = task_create_idle();

        if (idle == NULL)
            return false;
        ticket_idle[ap_ticket_count] = idle;
        ap_stack_tops[ap_ticket_count] = task_stack_top(idle);
        __atomic_store_n(&ap_ticket_count, ap_ticket_count + 1, __ATOMIC_RELEASE);
    }
    return true;
}

void ap_tell_time(uint64_t now_ns)
{
    __atomic_store_n(&boot_cpu_now_us, (uint32_t)div_u64_u32(now_ns, NS_PER_US, NULL),
                     __ATOMIC_RELEASE);
}

const char *ap_lacking(void)
{
    return __atomic_load_n(&lacking, __ATOMIC_ACQUIRE);
}

/* Before this CPU does as the boot CPU does: it would fault on a bit that it does not have. */
static void require_equal_features(void)
{
    struct cpu_ident ident;
    const char *missing;

    cpu_identify(cpu_live_cpuid, NULL, &ident);
    missing = cpu_ident_lacks(&ident, &boot_cpu_ident);
    if (missing == NULL)
        return;
    __atomic_store_n(&lacking, missing, __ATOMIC_RELEASE);
    cpu_halt_for_ever();
}

static void catch_up_clock(struct cpu *cpu)
{
    uint64_t earliest = (uint64_t)__atomic_load_n(&boot_cpu_now_us, __ATOMIC_ACQUIRE) * NS_PER_US;
    uint64_t now = arch_now_ns();

    if (now < earliest)
        cpu->clock_offset_ns = (int64_t)(earliest - now);
}

static struct cpu *find_by_apic_id(uint32_t apic_id)
{
    for (unsigned i = 0; i < cpu_count; i++)
        if (cpus[i].apic_id == apic_id)
            return &cpus[i];
    return NULL;
}

void ap_entry(uint32_t ticket)
{
    struct cpu *cpu;
    struct task *idle = ticket_idle[ticket];

    require_equal_features();
    paging_enable();
    if (!apic_switch_other_cpu())
        cpu_halt_for_ever(); /* the boot CPU reports a CPU that did not answer */
    lapic_enable();
    lapic_timer_enable();
    cpu = find_by_apic_id(lapic_id());
    /* Nobody we know, or one already running (started twice): park on this stack for ever. */
    if (cpu == NULL || cpu_state(cpu) != CPU_STARTING)
        cpu_halt_for_ever();
    gdt_init(cpu->cpu, cpu, task_fault_stack_top(idle));
    idt_load();
    cpu_features_enable();
    topology_scan(cpu_live_cpuid, NULL, cpu->apic_id, &ap_scans[cpu->cpu]);
    cpu->idle = cpu->running = idle;
    idle->entity.cpu = (uint16_t)cpu->cpu;
    catch_up_clock(cpu);
    if (!cpu_change_state(cpu, CPU_STARTING, CPU_ONLINE))
        cpu_halt_for_ever(); /* too late: the boot CPU has given up on us */
    sched_idle_loop(NULL);
    __builtin_unreachable();
}
