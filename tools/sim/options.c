#include "tools/sim/options.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lib/clock_math.h"

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
    "  --trace FILE          a log with `trace:` records, for tools/timeline\n";

struct parser {
    struct sim_options *options;
    const char *work, *arrive, *kinds, *groups; /* lists, for when the number of tasks is known */
    const char *slowdown;
};

static void fail(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

static void fail(const char *fmt, ...)
{
    va_list arguments;

    va_start(arguments, fmt);
    fprintf(stderr, "schedsim: ");
    vfprintf(stderr, fmt, arguments);
    fprintf(stderr, "\n%s", sim_options_usage);
    va_end(arguments);
    exit(2);
}

/* ---- Values ---- */

/* A number at *text, which is moved behind it. */
static uint64_t take_number(const char **text, uint64_t limit)
{
    char *end;
    uint64_t number = strtoull(*text, &end, 10);

    if (end == *text || **text == '-' || number > limit)
        fail("%s: not a number, or too large", *text);
    *text = end;
    return number;
}

static uint64_t number_of(const char *text, uint64_t limit)
{
    uint64_t number = take_number(&text, limit);

    if (*text != '\0')
        fail("%s: not part of a number", text);
    return number;
}

static void expect(const char **text, char c)
{
    if (**text != c)
        fail("%s: expected a '%c'", *text, c);
    (*text)++;
}

/* Numbers and ranges, up to the end. */
static struct bitmap cpus_of(const char *text, uint32_t count)
{
    struct bitmap set = {{0}};

    for (;;) {
        uint64_t first = take_number(&text, count - 1), last = first;

        if (*text == '-') {
            text++;
            last = take_number(&text, count - 1);
        }
        for (; first <= last; first++)
            bitmap_set(&set, (uint32_t)first);
        if (*text == '\0')
            return set;
        expect(&text, ',');
    }
}

/* 1.5, with up to four decimals, or 3/2. */
static struct sim_ratio take_ratio(const char **text)
{
    struct sim_ratio ratio = {(uint32_t)take_number(text, 100), 1};

    if (**text == '/') {
        (*text)++;
        ratio.denominator = (uint32_t)take_number(text, 10000);
    } else if (**text == '.') {
        for ((*text)++; **text >= '0' && **text <= '9' && ratio.denominator < 10000; (*text)++) {
            ratio.numerator = 10 * ratio.numerator + (uint32_t)(**text - '0');
            ratio.denominator *= 10;
        }
    }
    if (ratio.numerator == 0 || ratio.denominator == 0)
        fail("a ratio of or to nothing");
    for (uint32_t p = 2; p <= 5; p += 3)
        while (ratio.numerator % p == 0 && ratio.denominator % p == 0) {
            ratio.numerator /= p;
            ratio.denominator /= p;
        }
    return ratio;
}

static const struct sched_policy *policy_of(const char *name)
{
    const struct sched_policy *policy = sched_policy_find(name);

    if (policy == NULL)
        fail("%s: no such policy", name);
    return policy;
}

/* ---- Options ---- */

static void read_slowdowns(struct sim_config *config, const char *text)
{
    struct sim_ratio list[SIM_KINDS * SIM_KINDS];
    uint32_t count = 0, kinds = 1;

    for (;;) {
        if (count == SIM_KINDS * SIM_KINDS)
            fail("more than %u slowdowns", count);
        list[count] = take_ratio(&text);
        if (list[count].numerator < list[count].denominator)
            fail("a slowdown below 1");
        count++;
        if (*text == '\0')
            break;
        expect(&text, ',');
    }
    while (kinds * kinds < count)
        kinds++;
    if (kinds * kinds != count)
        fail("%u slowdowns are not those of each kind beside each", count);
    config->kinds = kinds;
    for (uint32_t i = 0; i < count; i++)
        config->slowdown[i / kinds][i % kinds] = list[i];
}

static struct sim_task *task_at(struct sim_options *options, const char **text)
{
    struct sim_task *task = &options->tasks[take_number(text, options->config.task_count - 1)];

    expect(text, ':');
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
        fail("%s: no such action", text);
    text += strlen(words[type]);
    action->type = (enum sim_action_type)type;
    if (action->type == SIM_POLICY) {
        action->policy = policy_of(text);
    } else if (action->type == SIM_OFF || action->type == SIM_ON) {
        action->number = (uint32_t)number_of(text, options->machine.cpu_count - 1);
    } else if (action->type == SIM_PIN) {
        action->number = (uint32_t)(task_at(options, &text) - options->tasks);
        action->affinity = cpus_of(text, options->machine.cpu_count);
    } else {
        action->number = (uint32_t)number_of(text, options->config.task_count - 1);
    }
}

static void read_action(struct sim_options *options, const char *text)
{
    uint32_t place = options->config.action_count++;
    struct sim_action action = {0};

    if (place == SIM_MAX_ACTIONS)
        fail("more than %u actions", place);
    action.at_ns = take_number(&text, UINT32_MAX) * NS_PER_US;
    expect(&text, ':');
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
        task->affinity = cpus_of(value, options->machine.cpu_count);
    } else if (strcmp(name, "--sleep") == 0) {
        struct sim_task *task = task_at(options, &value);
        task->burst_ns = take_number(&value, UINT32_MAX) * NS_PER_US;
        expect(&value, ':');
        task->sleep_ns = number_of(value, UINT32_MAX) * NS_PER_US;
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
        config->task_count = (uint32_t)number_of(value, SIM_MAX_TASKS);
    else if (strcmp(name, "--slice-us") == 0)
        config->slice_ns = number_of(value, UINT32_MAX) * NS_PER_US;
    else if (strcmp(name, "--kick-ns") == 0)
        config->kick_ns = number_of(value, NS_PER_SECOND);
    else if (strcmp(name, "--seed") == 0)
        config->seed = number_of(value, UINT64_MAX);
    else if (strcmp(name, "--rounds") == 0)
        options->rounds = (uint32_t)number_of(value, 1000000);
    else if (strcmp(name, "--check") == 0)
        options->check = number_of(value, 1) != 0;
    else if (strcmp(name, "--efficiency-speed") == 0)
        config->efficiency_speed = take_ratio(&value);
    else
        fail("%s: no such option", name);
}

/* The next number of a list, which begins anew after its last. */
static uint64_t next_of(const char *list, const char **at, uint64_t limit)
{
    uint64_t number;

    if (*at == NULL || **at == '\0')
        *at = list;
    number = take_number(at, limit);
    if (**at != '\0')
        expect(at, ',');
    return number;
}

static void make_tasks(struct parser *parser)
{
    struct sim_options *options = parser->options;
    const char *work = NULL, *arrive = NULL, *kind = NULL, *group = NULL;

    if (options->config.task_count == 0 || options->config.slice_ns == 0 || options->rounds == 0)
        fail("no tasks, rounds or time slice");
    options->tasks = calloc(options->config.task_count, sizeof *options->tasks);
    options->actions = calloc(SIM_MAX_ACTIONS, sizeof *options->actions);
    if (options->tasks == NULL || options->actions == NULL)
        fail("no memory");
    for (uint32_t i = 0; i < options->config.task_count; i++) {
        struct sim_task *task = &options->tasks[i];

        task->work_ns = next_of(parser->work, &work, UINT32_MAX) * NS_PER_US;
        task->arrive_ns = next_of(parser->arrive, &arrive, UINT32_MAX) * NS_PER_US;
        task->kind = (uint32_t)next_of(parser->kinds, &kind, options->config.kinds - 1);
        task->group = (uint32_t)next_of(parser->groups, &group, UINT32_MAX);
        bitmap_set_first(&task->affinity, options->machine.cpu_count);
    }
    options->config.tasks = options->tasks;
    options->config.actions = options->actions;
}

void sim_options_read(int argc, char **argv, struct sim_options *options)
{
    struct parser parser = {options, "400000", "0", "0", "0", "1.5"};

    *options = (struct sim_options){.topology = "1x2x2", .rounds = 1};
    sim_defaults(&options->config, &options->machine, (struct sim_ratio){3, 2});
    options->config.task_count = 1;
    if (argc % 2 == 0)
        fail("%s: no value", argv[argc - 1]);
    for (int i = 1; i < argc; i += 2)
        if (!is_late(argv[i]))
            read_early(&parser, argv[i], argv[i + 1]);
    if (!machine_parse(options->topology, &options->machine))
        fail("%s: no such machine, or one of more than %u CPUs", options->topology, MAX_CPUS);
    read_slowdowns(&options->config, parser.slowdown);
    make_tasks(&parser);
    for (int i = 1; i < argc; i += 2)
        if (is_late(argv[i]))
            read_late(options, argv[i], argv[i + 1]);
}

void sim_options_free(struct sim_options *options)
{
    free(options->tasks);
    free(options->actions);
}
