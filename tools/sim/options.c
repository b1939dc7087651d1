#include "tools/sim/options.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/lib/clock_math.h"
#include "kernel/sched/loads.h"
#include "tools/sim/values.h"

const char sim_options_usage[] =
    "usage: schedsim [OPTION VALUE]...\n"
    "  --topology 1x2x2      packages x cores x threads; :far = first threads first;\n"
    "                        1x6x2+8x1 = and eight efficiency cores of one thread\n"
    "  --slowdown 1.5        of a task that shares its core; for K kinds of tasks K*K of them,\n"
    "                        row by row: of each kind beside each kind\n"
    "  --efficiency-speed 1  of an efficiency core, against the others\n"
    "  --policy smt          naive, smt, nosmt, core\n"
    "  --tasks 1             how many\n"
    "  --work-us 400000      of each task, or a list, repeated as needed; so are the next two\n"
    "  --arrive-us 0         when each starts\n"
    "  --kinds 0             the kind of each\n"
    "  --groups 0            the group of each (for --policy core)\n"
    "  --sleep TASK:WORK:US  task (from 0) sleeps US after each WORK microseconds of work\n"
    "  --pin TASK:0,2-3      CPUs a task may use\n"
    "  --at US:ACTION        pause:TASK resume:TASK pin:TASK:CPUS off:CPU on:CPU policy:NAME\n"
    "  --slice-us 10000      --kick-ns 0 (how long an interrupt of another CPU takes, up to "
    "twice)\n"
    "  --seed 1              --rounds 1 (each with the next seed)\n"
    "  --check 0|1           verifies the scheduler's state after every step\n"
    "  --max-events 1000000000  after which it gives up: work may go on for ever\n"
    "  --trace FILE          a log with `trace:` records, for tools/timeline\n"
    "  --help                these lines\n";

struct parser {
    struct sim_options *options;
    const char *work, *arrive, *kinds, *groups; /* lists, for when the number of tasks is known */
    const char *slowdown;
};

static const struct sched_policy *policy_of(const char *name)
{
    const struct sched_policy *policy = sched_policy_find(name);

    if (policy == NULL)
        value_fail("%s: no such policy", name);
    return policy;
}

/* ---- Options ---- */

static void read_slowdowns(struct sim_config *config, const char *text)
{
    struct sim_ratio list[SIM_KINDS * SIM_KINDS];
    uint32_t count = 0, kinds = 1;

    for (;;) {
        if (count == SIM_KINDS * SIM_KINDS)
            value_fail("more than %u slowdowns", count);
        list[count] = value_take_ratio(&text);
        if (list[count].numerator < list[count].denominator)
            value_fail("a slowdown below 1");
        count++;
        if (*text == '\0')
            break;
        value_expect(&text, ',');
    }
    while (kinds * kinds < count)
        kinds++;
    if (kinds * kinds != count)
        value_fail("%u slowdowns are not those of each kind beside each", count);
    config->kinds = kinds;
    for (uint32_t i = 0; i < count; i++)
        config->slowdown[i / kinds][i % kinds] = list[i];
}

static struct sim_task *task_at(struct sim_options *options, const char **text)
{
    struct sim_task *task =
        &options->tasks[value_take_number(text, options->config.task_count - 1)];

    value_expect(text, ':');
    return task;
}

static void read_action_target(struct sim_options *options, struct sim_action *action,
                               const char *text)
{
    static const char *const words[] = {"pause:", "resume:", "pin:", "off:", "on:", "policy:"};
    uint32_t type = 0;

    while (type < 6 && strncmp(text, words[type], strlen(words[type])) != 0)
        type++;
    if (type == 6)
        value_fail("%s: no such action", text);
    text += strlen(words[type]);
    action->type = (enum sim_action_type)type;
    if (action->type == SIM_POLICY) {
        action->policy = policy_of(text);
    } else if (action->type == SIM_OFF || action->type == SIM_ON) {
        action->number = (uint32_t)value_number(text, options->machine.cpu_count - 1);
    } else if (action->type == SIM_PIN) {
        action->number = (uint32_t)(task_at(options, &text) - options->tasks);
        action->affinity = value_cpus(text, options->machine.cpu_count);
    } else {
        action->number = (uint32_t)value_number(text, options->config.task_count - 1);
    }
}

static void read_action(struct sim_options *options, const char *text)
{
    uint32_t place = options->config.action_count++;
    struct sim_action action = {0};

    if (place == SIM_MAX_ACTIONS)
        value_fail("more than %u actions", place);
    action.at_ns = value_take_number(&text, UINT32_MAX) * NS_PER_US;
    value_expect(&text, ':');
    read_action_target(options, &action, text);
    for (; place > 0 && options->actions[place - 1].at_ns > action.at_ns; place--)
        options->actions[place] = options->actions[place - 1];
    options->actions[place] = action;
}

/* What speaks of tasks and CPUs, and so is read last. */
static void read_late(struct sim_options *options, const char *name, const char *value)
{
    if (strcmp(name, "--at") == 0) {
        read_action(options, value);
    } else if (strcmp(name, "--pin") == 0) {
        struct sim_task *task = task_at(options, &value);
        task->affinity = value_cpus(value, options->machine.cpu_count);
    } else if (strcmp(name, "--sleep") == 0) {
        struct sim_task *task = task_at(options, &value);
        task->burst_ns = value_take_number(&value, UINT32_MAX) * NS_PER_US;
        value_expect(&value, ':');
        task->sleep_ns = value_number(value, UINT32_MAX) * NS_PER_US;
    }
}

static bool is_late(const char *name)
{
    return strcmp(name, "--at") == 0 || strcmp(name, "--pin") == 0 || strcmp(name, "--sleep") == 0;
}

static void read_early(struct parser *parser, const char *name, const char *value)
{
    struct sim_options *options = parser->options;
    struct sim_config *config = &options->config;
    const struct {
        const char *name, **text;
    } texts[] = {{"--topology", &options->topology}, {"--trace", &options->trace},
                 {"--work-us", &parser->work},       {"--arrive-us", &parser->arrive},
                 {"--kinds", &parser->kinds},        {"--groups", &parser->groups},
                 {"--slowdown", &parser->slowdown}};

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].text = value;
            return;
        }
    if (strcmp(name, "--policy") == 0)
        config->policy = policy_of(value);
    else if (strcmp(name, "--tasks") == 0)
        config->task_count = (uint32_t)value_number(value, SIM_MAX_TASKS);
    else if (strcmp(name, "--slice-us") == 0)
        config->slice_ns = value_number(value, UINT32_MAX) * NS_PER_US;
    else if (strcmp(name, "--kick-ns") == 0)
        config->kick_ns = value_number(value, NS_PER_SECOND);
    else if (strcmp(name, "--seed") == 0)
        config->seed = value_number(value, UINT64_MAX);
    else if (strcmp(name, "--rounds") == 0)
        options->rounds = (uint32_t)value_number(value, 1000000);
    else if (strcmp(name, "--check") == 0)
        options->check = value_number(value, 1) != 0;
    else if (strcmp(name, "--max-events") == 0)
        config->max_events = value_number(value, SIM_MAX_EVENTS);
    else if (strcmp(name, "--efficiency-speed") == 0)
        config->efficiency_speed = value_ratio(value);
    else
        value_fail("%s: no such option", name);
}

/* Whether a list is one from its beginning to its end, even where nobody comes to. */
static void check_list(const char *list, uint64_t limit)
{
    for (value_take_number(&list, limit); *list != '\0'; value_take_number(&list, limit))
        value_expect(&list, ',');
}

/* The next number of a list, which begins anew after its last. */
static uint64_t next_of(const char *list, const char **at, uint64_t limit)
{
    uint64_t number;

    if (*at == NULL || **at == '\0')
        *at = list;
    number = value_take_number(at, limit);
    if (**at != '\0')
        value_expect(at, ',');
    return number;
}

static void allocate(struct sim_options *options)
{
    options->tasks = calloc(options->config.task_count, sizeof *options->tasks);
    options->actions = calloc(SIM_MAX_ACTIONS, sizeof *options->actions);
    if (options->tasks == NULL || options->actions == NULL)
        value_fail("no memory");
    options->config.tasks = options->tasks;
    options->config.actions = options->actions;
}

static void make_tasks(struct parser *parser)
{
    struct sim_options *options = parser->options;
    const char *work = NULL, *arrive = NULL, *kind = NULL, *group = NULL;

    if (options->config.task_count == 0 || options->config.slice_ns == 0 || options->rounds == 0)
        value_fail("no tasks, rounds or time slice");
    check_list(parser->work, UINT32_MAX);
    check_list(parser->arrive, UINT32_MAX);
    check_list(parser->kinds, options->config.kinds - 1);
    check_list(parser->groups, UINT32_MAX);
    allocate(options);
    for (uint32_t i = 0; i < options->config.task_count; i++) {
        struct sim_task *task = &options->tasks[i];

        task->work_ns = next_of(parser->work, &work, UINT32_MAX) * NS_PER_US;
        task->arrive_ns = next_of(parser->arrive, &arrive, UINT32_MAX) * NS_PER_US;
        task->kind = (uint32_t)next_of(parser->kinds, &kind, options->config.kinds - 1);
        task->group = (uint32_t)next_of(parser->groups, &group, UINT32_MAX);
        bitmap_set_first(&task->affinity, options->machine.cpu_count);
    }
}

/* Cores of which a CPU is never switched off. */
static uint32_t lasting_cores(const struct sim_options *options)
{
    struct bitmap cores = {{0}}, off = {{0}};

    for (uint32_t i = 0; i < options->config.action_count; i++)
        if (options->actions[i].type == SIM_OFF)
            bitmap_set(&off, options->actions[i].number);
    for (uint32_t cpu = 0; cpu < options->machine.cpu_count; cpu++)
        if (!bitmap_test(&off, cpu))
            bitmap_set(&cores, options->machine.places[cpu].core);
    return bitmap_count(&cores);
}

/* What the scheduler and the simulator can count. */
static void check_limits(const struct sim_options *options)
{
    uint32_t cores = lasting_cores(options);
    uint32_t most = (LOADS_MAX + 1) * (cores == 0 ? 1 : cores);

    if (options->config.task_count > most)
        value_fail(
            "%u tasks: more than %u on each of %u cores, and the scheduler tells no longer queues "
            "apart",
            options->config.task_count, LOADS_MAX + 1, cores);
    if (!sim_fits(&options->config))
        value_fail("slowdowns of so many digits and so much work are too much to be exact");
}

static void help(int argc, char **argv)
{
    for (int i = 1; i < argc; i += 2)
        if (strcmp(argv[i], "--help") == 0) {
            fputs(sim_options_usage, stdout);
            exit(fflush(stdout) == 0 ? 0 : 2);
        }
}

void sim_options_read(int argc, char **argv, struct sim_options *options)
{
    struct parser parser = {options, "400000", "0", "0", "0", "1.5"};

    *options = (struct sim_options){.topology = "1x2x2", .rounds = 1};
    sim_defaults(&options->config, &options->machine, (struct sim_ratio){3, 2});
    options->config.task_count = 1;
    options->config.max_events = SIM_MAX_EVENTS_DEFAULT;
    help(argc, argv);
    if (argc % 2 == 0)
        value_fail("%s: no value", argv[argc - 1]);
    for (int i = 1; i < argc; i += 2)
        if (!is_late(argv[i]))
            read_early(&parser, argv[i], argv[i + 1]);
    if (!machine_parse(options->topology, &options->machine))
        value_fail("%s: no such machine, or one of more than %u CPUs", options->topology, MAX_CPUS);
    read_slowdowns(&options->config, parser.slowdown);
    make_tasks(&parser);
    for (int i = 1; i < argc; i += 2)
        if (is_late(argv[i]))
            read_late(options, argv[i], argv[i + 1]);
    check_limits(options);
}

void sim_options_free(struct sim_options *options)
{
    free(options->tasks);
    free(options->actions);
}
