#include "kernel/sched_watch.h"

#include <stddef.h>

#include "kernel/lib/clock_math.h"
#include "kernel/log.h"
#include "kernel/sched/check.h"
#include "kernel/spinlock.h"

#define EVENTS 64u        /* remembered */
#define SAMPLE_EVERY 16u  /* decisions between two checks of everything */
#define VIOLATIONS_MAX 8u /* printed; a broken state tends to stay broken */

struct watch_event {
    uint64_t now_ns;
    uint32_t pid;
    uint16_t cpu;
    uint16_t event; /* enum dispatch_event */
};

bool watch_on;
static struct spinlock watch_lock = SPINLOCK("watch"); /* of all below; the log is taken inside */
static struct bitmap kicked;
static struct watch_event events[EVENTS];
static uint32_t event_count, checked_count, checks, violations;

void watch_enable(bool on)
{
    watch_on = on;
}

void watch_kicked(uint32_t cpu)
{
    if (!watch_on)
        return;
    spinlock_acquire(&watch_lock);
    bitmap_set(&kicked, cpu);
    spinlock_release(&watch_lock);
}

bool watch_is_due(void)
{
    return watch_on && __atomic_load_n(&event_count, __ATOMIC_RELAXED) -
                               __atomic_load_n(&checked_count, __ATOMIC_RELAXED) >=
                           SAMPLE_EVERY;
}

uint32_t watch_checks(void)
{
    return checks;
}

static void print_events(void)
{
    static const char *const names[] = {"kick", "slice_end", "yield", "block"};
    uint32_t first = event_count > EVENTS ? event_count - EVENTS : 0;

    for (uint32_t i = first; i < event_count; i++) {
        const struct watch_event *e = &events[i % EVENTS];

        log_print("  %llu ns: cpu %u, %s, runs pid %u\n", (unsigned long long)e->now_ns, e->cpu,
                  names[e->event], e->pid);
    }
}

static void report(const struct check_result *result)
{
    if (result->what == NULL || violations++ >= VIOLATIONS_MAX)
        return;
    log_error("sched.check", "%s (%d)", result->what, (int)result->cpu);
    if (violations == 1)
        print_events();
}

static void note_event(uint32_t cpu, uint64_t now_ns, enum dispatch_event event, uint32_t pid)
{
    events[event_count % EVENTS] =
        (struct watch_event){now_ns, pid, (uint16_t)cpu, (uint16_t)event};
    __atomic_store_n(&event_count, event_count + 1, __ATOMIC_RELAXED);
}

void watch_swapped(const struct sched *sched, uint32_t cpu, uint64_t now_ns,
                   enum dispatch_event event, uint32_t pid)
{
    struct check_result result;

    if (!watch_on)
        return;
    spinlock_acquire(&watch_lock);
    note_event(cpu, now_ns, event, pid);
    result = check_swap(sched, cpu);
    report(&result);
    spinlock_release(&watch_lock);
}

void watch_decided(const struct sched *sched, uint32_t cpu, uint64_t now_ns,
                   enum dispatch_event event, uint32_t pid)
{
    struct check_result result;
    bool all = watch_is_due();

    if (!watch_on)
        return;
    for (uint32_t core = 0; all && core < sched->cpu_count; core++)
        sched_touch(sched, core); /* before the watch's lock, for which their owners may wait */
    spinlock_acquire(&watch_lock);
    bitmap_clear(&kicked, cpu);
    note_event(cpu, now_ns, event, pid);
    result = check_cpu(sched, cpu, &kicked);
    report(&result);
    if (all) {
        __atomic_store_n(&checked_count, event_count, __ATOMIC_RELAXED);
        checks++;
        result = check_sched(sched, &kicked);
        report(&result);
    }
    spinlock_release(&watch_lock);
}
