/*
 * The kernel's scheduler, locks and all, on threads (machine.h), under ThreadSanitizer: tasks that
 * work, yield and sleep at random, while the conductor starts, pauses, pins and kills them, changes
 * the policy, and switches CPUs off and on. Every task must do each of its steps once and in
 * order, whatever it is kept in must be seen whole by whoever goes on with it, the times must
 * add up, the trace must tell the same, and the checker of check=on must find nothing.
 *
 * THREADS_SEED and THREADS_MS in the environment choose the workload and how long a round lasts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "kernel/cpu.h"
#include "kernel/lib/clock_math.h"
#include "kernel/lib/options.h"
#include "kernel/log.h"
#include "kernel/panic.h"
#include "kernel/sched.h"
#include "kernel/sched_steps.h"
#include "kernel/sched_watch.h"
#include "tests/threads/machine.h"
#include "tests/threads/trace_checks.h"

#define SLOTS 14u
#define ROUND_MS 1000u
#define LIMIT_S 120u
#define STEPS_MAX 3000u
#define ALONE 1500u
#define GROUPS 2u
#define SPIN_MAX 2000u
#define SLEEP_MAX_US 1500u
#define PAUSE_MAX_US 1500u /* between two things the conductor does */

struct body {
    struct task task;
    bool used, paused, killed;
    uint64_t goal; /* steps */
    uint64_t done; /* its memory, which only itself uses: the same as its registers say */
};

static struct body bodies[SLOTS];
static struct random dice;
static struct bitmap all;
static uint32_t last_pid, ended, killed, traced;
static uint64_t run_ns; /* of those that ended since the machine was started */
static uint32_t errors; /* [a] */

/* A report is the end, with the status that says so. */
const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "halt_on_error=1 exitcode=66";
}

/* ---- What else the scheduler needs ---- */

void log_print(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
}

static uint32_t pid_of(struct sched_entity *entity)
{
    return entity == NULL ? 0 : task_of(entity)->pid;
}

/* For whoever has to find out how it came to that. All cores are touched, or nearly. */
static __attribute__((no_sanitize_thread)) void print_state(void)
{
    for (uint32_t i = 0; i < cpu_count; i++) {
        const struct sched_cpu *c = &scheduler.cpus[i];

        printf("  cpu %u (core %u): runs %u, incoming %u, push_to %d, awaits %u, called %u%s%s%s\n",
               i, c->core, pid_of(c->current), pid_of(c->incoming), (int)c->push_to, c->awaits,
               c->called, bitmap_test(&scheduler.usable, i) ? "" : ", off",
               bitmap_test(&scheduler.idle_cpus, i) ? ", idle" : "",
               scheduler.cores[c->core].yielding ? ", core yielding" : "");
    }
    for (uint32_t i = 0; i < SLOTS; i++) {
        const struct sched_entity *e = &bodies[i].task.entity;

        if (bodies[i].used)
            printf("  pid %u: where %u, at %u, group %u, affinity 0x%x%s%s, since %llu ns\n",
                   bodies[i].task.pid, e->where, e->at, e->group, e->affinity.words[0],
                   e->paused ? ", paused" : "", e->runnable ? "" : ", blocked",
                   (unsigned long long)e->since_ns);
    }
    fflush(stdout);
}

void log_warning(const char *where, const char *fmt, ...)
{
    machine_fail("warning: %s: %s", where, fmt);
}

/* The checker goes on to print the events that led there; then the conductor gives up. */
void log_error(const char *where, const char *fmt, ...)
{
    va_list args;

    printf("%s, policy %s: ", where, scheduler.policy->name);
    va_start(args, fmt);
    vprintf(fmt, args);
    va_end(args);
    printf("\n");
    print_state();
    __atomic_store_n(&errors, 1, __ATOMIC_RELAXED);
}

void panic(const char *where, const char *fmt, ...)
{
    char text[LOG_LINE_BYTES];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    machine_fail("panic: %s: %s", where, text);
}

/* ---- Tasks ---- */

static void work(uint32_t amount)
{
    for (volatile uint32_t i = 0; i < amount; i++)
        ;
}

static void step(struct task *task, struct registers *registers)
{
    struct body *body = (struct body *)task;
    uint32_t what;

    if (body->done != registers->steps)
        machine_fail("task %u: %llu steps in memory, %llu in registers", task->pid,
                     (unsigned long long)body->done, (unsigned long long)registers->steps);
    body->done = ++registers->steps;
    work(random_below(&registers->random, SPIN_MAX));
    what = random_below(&registers->random, 100);
    if (registers->steps == body->goal)
        sched_exit();
    else if (what == 0)
        sched_sleep(1 + random_below(&registers->random, SLEEP_MAX_US * NS_PER_US));
    else if (what < 30)
        sched_yield();
}

static struct bitmap random_cpus(void)
{
    struct bitmap set = {{0}};

    if (random_below(&dice, 2) == 0)
        return all;
    for (uint32_t i = 1 + random_below(&dice, 2); i > 0; i--)
        bitmap_set(&set, random_below(&dice, cpu_count));
    return set;
}

static void start(struct body *body, uint64_t goal)
{
    struct bitmap affinity = random_cpus();
    struct registers registers = {0, {random_next(&dice)}};

    memset(body, 0, sizeof *body); /* nobody may have it any more */
    entity_init(&body->task.entity, &affinity);
    body->task.canary = TASK_CANARY;
    body->task.entity.group = random_below(&dice, GROUPS);
    body->task.pid = ++last_pid;
    snprintf(body->task.name, sizeof body->task.name, "task");
    body->used = true;
    body->goal = goal;
    machine_prepare(&body->task, &registers);
    sched_start(&body->task);
}

static void reap(struct body *body)
{
    const struct sched_entity *e = &body->task.entity;
    struct registers registers = machine_registers(&body->task);

    if (body->done != registers.steps || body->done > body->goal ||
        (body->done < body->goal && !body->killed))
        machine_fail("task %u: ended after %llu steps of %llu", body->task.pid,
                     (unsigned long long)body->done, (unsigned long long)body->goal);
    if (e->run_ns + e->wait_ns + e->blocked_ns != body->task.end_ns - body->task.start_ns ||
        e->shared_ns > e->run_ns)
        machine_fail("task %u: its times do not add up", body->task.pid);
    run_ns += e->run_ns;
    ended++;
    killed += body->killed;
    body->used = false;
}

/* ---- The conductor ---- */

static void set_paused(struct body *body, bool paused)
{
    if (body->paused == paused)
        return;
    body->paused = paused;
    if (paused)
        sched_pause(&body->task);
    else
        sched_resume(&body->task);
}

static void kill(struct body *body)
{
    set_paused(body, false); /* it has to come to its end */
    sched_set_affinity(&body->task, &all);
    body->killed = true;
    sched_kill(&body->task);
}

/* The kernel has no command for this yet; so as it does others of the kind. */
static void set_usable(uint32_t cpu, bool usable)
{
    bool were_on = arch_irq_save();

    placement_lock();
    dispatch_set_usable(&scheduler, cpu, usable, arch_now_ns());
    sched_decide(arch_this_cpu(), DISPATCH_KICK);
    placement_unlock();
    sched_arm_timer(arch_this_cpu());
    arch_irq_restore(were_on);
}

/* Off or on; but the last one stays. */
static void switch_cpu(uint32_t cpu)
{
    struct bitmap usable = sched_usable_cpus();
    bool is_on = bitmap_test(&usable, cpu);

    if (!is_on || bitmap_count(&usable) > 1)
        set_usable(cpu, !is_on);
}

static void disturb(void)
{
    struct body *body = &bodies[random_below(&dice, SLOTS)];
    struct bitmap affinity = random_cpus();
    uint32_t what = random_below(&dice, 16), policies = 0;

    while (sched_policies[policies] != NULL)
        policies++;
    if (what == 0)
        sched_use(sched_policies[random_below(&dice, policies)], random_next(&dice));
    else if (what == 1)
        switch_cpu(random_below(&dice, cpu_count));
    else if (what == 2)
        sched_set_slice(100 + random_below(&dice, 2000));
    else if (what == 3)
        sched_forced_idle_ns();
    else if (!body->used)
        start(body, 1 + random_below(&dice, STEPS_MAX));
    else if (sched_has_ended(&body->task))
        reap(body);
    else if (what < 8)
        set_paused(body, !body->paused);
    else if (what < 12)
        sched_set_affinity(&body->task, &affinity);
    else if (what == 12)
        kill(body);
}

static void look_for_errors(void)
{
    if (__atomic_load_n(&errors, __ATOMIC_RELAXED) != 0)
        machine_fail("the checker complains");
}

static void pause_a_little(void)
{
    sched_wait(sched_ends(), arch_now_ns() + random_below(&dice, PAUSE_MAX_US * NS_PER_US));
}

static void await_end(struct body *body)
{
    for (;;) {
        uint32_t seen = sched_ends();

        if (sched_has_ended(&body->task))
            break;
        sched_wait(seen, UINT64_MAX);
    }
    reap(body);
}

/* All that was taken away comes back, and everybody ends. */
static void finish(void)
{
    for (uint32_t cpu = 0; cpu < cpu_count; cpu++)
        set_usable(cpu, true);
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (!bodies[i].used)
            continue;
        set_paused(&bodies[i], false);
        sched_set_affinity(&bodies[i].task, &all);
    }
    for (uint32_t i = 0; i < SLOTS; i++)
        if (bodies[i].used)
            await_end(&bodies[i]);
}

static uint32_t from_environment(const char *name, uint32_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? (uint32_t)strtoul(value, NULL, 10) : otherwise;
}

static void boot(uint32_t cores, uint32_t threads, uint32_t model_percent)
{
    const struct options options = {.slice_us = 500,
                                    .smt = true,
                                    .check = true,
                                    .module = OPTIONS_MODULE_CORE,
                                    .smt_model_percent = model_percent};
    const struct machine_hooks hooks = {sched_timer,          sched_kicked, sched_finish_switch,
                                        sched_return_to_user, step,         &conductor.task};

    machine_build(&hooks, cores, threads);
    bitmap_set_first(&all, cpu_count);
    sched_adopt_boot_code(&cpus[0]);
    sched_prepare_boot_cpu();
    sched_init(&options);
    run_ns = 0;
    trace_checks_begin();
    machine_start();
}

static void run_round(uint32_t cores, uint32_t threads, uint32_t model_percent)
{
    uint64_t end_ns;

    boot(cores, threads, model_percent);
    end_ns = arch_now_ns() + (uint64_t)from_environment("THREADS_MS", ROUND_MS) * NS_PER_MS;
    while (arch_now_ns() < end_ns) {
        look_for_errors();
        disturb();
        if (random_below(&dice, 3) == 0)
            pause_a_little();
    }
    finish();
    look_for_errors();
    machine_stop();
    traced += trace_checks_end(run_ns);
}

static void test_random_workload_on_threads(void **state)
{
    static const struct {
        uint32_t cores, threads, model_percent;
    } machines[] = {{2, 2, 0}, {4, 1, 0}, {1, 4, 0}, {3, 2, 0}, {2, 2, 150}};

    (void)state;
    ended = killed = 0;
    for (uint32_t i = 0; i < sizeof machines / sizeof machines[0]; i++)
        run_round(machines[i].cores, machines[i].threads, machines[i].model_percent);
    print_message("%u tasks, %u killed, %u checks, %u events\n", ended, killed, watch_checks(),
                  traced);
    assert_in_range(ended, SLOTS, UINT32_MAX); /* or it was not tried */
    assert_in_range(killed, 1, ended - 1);
    assert_in_range(watch_checks(), 1, UINT32_MAX);
    assert_in_range(traced, ended, UINT32_MAX);
}

/* Nobody else's end makes up for one that the conductor misses. */
static void test_one_after_the_other(void **state)
{
    (void)state;
    boot(2, 1, 0);
    for (uint32_t i = 0; i < ALONE; i++) {
        start(&bodies[0], 1 + random_below(&dice, 3));
        await_end(&bodies[0]);
    }
    machine_stop();
    traced += trace_checks_end(run_ns);
}

static int set_up(void **state)
{
    (void)state;
    random_seed(&dice, from_environment("THREADS_SEED", 1));
    machine_set_limit(from_environment("THREADS_LIMIT", LIMIT_S));
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_after_the_other),
        cmocka_unit_test(test_random_workload_on_threads),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
