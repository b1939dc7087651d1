#include "kernel/lib/options.h"

#include <stddef.h>

#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/machine_info.h"

/* One row of the table of keys. `field` is where in struct options the value goes. */
struct option {
    const char *key;
    const char *default_value; /* as one would type it */
    bool (*parse)(const struct option *option, const char *value, void *field);
    size_t field;
    uint32_t minimum, maximum;
    const char *const *words; /* of parse_word, ends with NULL; the value is the index */
};

/* ---- values: each parser returns false, and may leave the field changed, on a bad value ------ */

static bool in_range(const struct option *option, uint32_t value)
{
    return value >= option->minimum && value <= option->maximum;
}

static bool parse_number(const struct option *option, const char *value, void *field)
{
    uint32_t *number = field;

    return words_read_number(&value, number) && *value == '\0' && in_range(option, *number);
}

static bool parse_cpus(const struct option *option, const char *value, void *field)
{
    if (strcmp(value, "all") == 0) {
        *(uint32_t *)field = option->maximum;
        return true;
    }
    return parse_number(option, value, field);
}

static bool parse_word(const struct option *option, const char *value, void *field)
{
    for (unsigned index = 0; option->words[index] != NULL; index++) {
        if (strcmp(value, option->words[index]) == 0) {
            *(unsigned *)field = index;
            return true;
        }
    }
    return false;
}

static bool parse_switch(const struct option *option, const char *value, void *field)
{
    (void)option;
    *(bool *)field = strcmp(value, "on") == 0;
    return *(bool *)field || strcmp(value, "off") == 0;
}

/* A time with its unit, into microseconds. */
static bool parse_time(const struct option *option, const char *value, void *field)
{
    static const struct {
        const char *name;
        uint32_t microseconds;
    } units[] = {{"us", 1}, {"ms", 1000}, {"s", 1000000}};
    uint32_t number;

    if (!words_read_number(&value, &number)) {
        return false;
    }
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(value, units[i].name) == 0) {
            uint64_t microseconds = (uint64_t)number * units[i].microseconds;

            *(uint32_t *)field = (uint32_t)microseconds;
            return microseconds <= option->maximum && in_range(option, (uint32_t)microseconds);
        }
    }
    return false;
}

/* `off` (0), or a factor with up to two decimals, into percent. */
static bool parse_factor(const struct option *option, const char *value, void *field)
{
    uint32_t *percent = field;
    uint32_t whole;

    if (strcmp(value, "off") == 0) {
        *percent = 0;
        return true;
    }
    if (!words_read_number(&value, &whole) || whole > option->maximum) {
        return false;
    }
    *percent = whole * 100;
    if (*value == '.') {
        value++;
        if (*value == '\0') {
            return false;
        }
        for (uint32_t weight = 10; weight != 0 && *value >= '0' && *value <= '9'; weight /= 10) {
            *percent += weight * (uint32_t)(*value++ - '0');
        }
    }
    return *value == '\0' && in_range(option, *percent);
}

/* A rate the UART can make of its 115200 Hz by a whole divisor, to within the 2 % it tolerates. */
static bool parse_baud(const struct option *option, const char *value, void *field)
{
    uint32_t *baud = field;

    if (!parse_number(option, value, field)) {
        return false;
    }

    uint32_t made = 115200 / ((115200 + *baud / 2) / *baud);
    uint32_t off_by = made > *baud ? made - *baud : *baud - made;

    return off_by * 50 <= *baud;
}

static bool parse_name(const struct option *option, const char *value, void *field)
{
    (void)option;
    return words_read_name(&value, field) && *value == '\0';
}

/* Any text that fits, is printable and can be quoted in a record. */
static bool parse_text(const struct option *option, const char *value, void *field)
{
    (void)option;
    for (const char *text = value; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\') {
            return false;
        }
    }
    return format_buffer(field, OPTIONS_TEXT_BYTES, "%s", value) < OPTIONS_TEXT_BYTES;
}

static bool parse_names(const struct option *option, const char *value, void *field)
{
    struct options_names *list = field;

    (void)option;
    list->count = 0;
    do {
        if (list->count == OPTIONS_MAX_NAMES ||
            !words_read_name(&value, list->names[list->count])) {
            return false;
        }
        list->count++;
    } while (*value != '\0');
    return true;
}

static bool parse_output(const char *name, struct options_output *output)
{
    static const struct {
        const char *prefix;
        enum options_console_kind kind;
        uint32_t minimum, maximum; /* of the number that follows; none if the maximum is 0 */
    } kinds[] = {
        {"serial", OPTIONS_CONSOLE_SERIAL, 0, 0},
        {"screen", OPTIONS_CONSOLE_SCREEN, 0, 0},
        {"com", OPTIONS_CONSOLE_COM, 1, 4},
        {"io:", OPTIONS_CONSOLE_IO, 1, 0xffff - 7},
        {"mmio:", OPTIONS_CONSOLE_MMIO, 1, UINT32_MAX - 7},
    };

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        size_t length = strlen(kinds[i].prefix);

        if (strncmp(name, kinds[i].prefix, length) == 0) {
            *output = (struct options_output){kinds[i].kind, 0};
            name += length;
            return (kinds[i].maximum == 0 || words_read_number(&name, &output->base)) &&
                   *name == '\0' && output->base >= kinds[i].minimum &&
                   output->base <= kinds[i].maximum;
        }
    }
    return false;
}

static bool parse_console(const struct option *option, const char *value, void *field)
{
    struct options_console *console = field;
    char name[WORD_NAME_BYTES];

    (void)option;
    console->count = 0;
    if (strcmp(value, "none") == 0) {
        return true;
    }
    do {
        if (console->count == OPTIONS_MAX_OUTPUTS || !words_read_name(&value, name) ||
            !parse_output(name, &console->outputs[console->count])) {
            return false;
        }
        console->count++;
    } while (*value != '\0');
    return true;
}

/* ---- the keys -------------------------------------------------------------------------------- */

static const char *const end_words[] = {"halt", "exit", "poweroff", "reboot", "monitor", NULL};
static const char *const module_words[] = {"core", "shared", NULL};
static const char *const host_load_words[] = {"off", "serial", NULL};
static const char *const sharing_words[] = {"unknown", "none", "host_cpu", "host_smt", NULL};

#define FIELD(member) offsetof(struct options, member)

static const struct option table[] = {
    {"run", "demo", parse_names, FIELD(run), 0, 0, NULL},
    {"sched", "naive,smt", parse_names, FIELD(sched), 0, 0, NULL},
    {"slice", "10ms", parse_time, FIELD(slice_us), 100, 1000000, NULL},
    {"rounds", "10", parse_number, FIELD(rounds), 1, 10000, NULL},
    {"blocks", "10000", parse_number, FIELD(blocks), 1, 10000000, NULL},
    {"groups", "1", parse_number, FIELD(groups), 1, 256, NULL},
    {"tasks", "0", parse_number, FIELD(tasks), 0, 4000, NULL},
    {"smt_model", "off", parse_factor, FIELD(smt_model_percent), 100, 400, NULL},
    {"smt", "on", parse_switch, FIELD(smt), 0, 0, NULL},
    {"cpus", "all", parse_cpus, FIELD(cpus), 1, MAX_CPUS, NULL},
    {"topology", "auto", parse_name, FIELD(topology), 0, 0, NULL},
    {"seed", "1", parse_number, FIELD(seed), 0, UINT32_MAX, NULL},
    {"console", "serial,screen", parse_console, FIELD(console), 0, 0, NULL},
    {"baud", "115200", parse_baud, FIELD(baud), 1200, 115200, NULL},
    {"trace", "off", parse_switch, FIELD(trace), 0, 0, NULL},
    {"end", "halt", parse_word, FIELD(end), 0, 0, end_words},
    {"module", "shared", parse_word, FIELD(module), 0, 0, module_words},
    {"check", "on", parse_switch, FIELD(check), 0, 0, NULL},
    {"host_cpus", "0", parse_number, FIELD(host_cpus), 0, 4096, NULL},
    {"host_load", "off", parse_word, FIELD(host_load), 0, 0, host_load_words},
    {"inject", "none", parse_names, FIELD(inject), 0, 0, NULL},
    {"exec", "", parse_text, FIELD(exec), 0, 0, NULL},
    {"sharing", "unknown", parse_word, FIELD(sharing), 0, 0, sharing_words},
};

#define TABLE_ROWS (sizeof(table) / sizeof(table[0]))

/* parse_word stores an unsigned into the enums. */
_Static_assert(sizeof(enum options_end) == sizeof(unsigned), "enum options_end");
_Static_assert(sizeof(enum options_module) == sizeof(unsigned), "enum options_module");
_Static_assert(sizeof(enum options_host_load) == sizeof(unsigned), "enum options_host_load");
_Static_assert(sizeof(enum options_sharing) == sizeof(unsigned), "enum options_sharing");

/* Appends "complaint: subject", cut to fit; what could break a quoted record becomes '?'. */
static void warn(struct options *out, const char *complaint, const char *subject)
{
    if (out->warning_count == OPTIONS_MAX_WARNINGS) {
        out->warnings_dropped++;
        return;
    }

    char *text = out->warnings[out->warning_count++].text;

    format_buffer(text, sizeof(out->warnings[0].text), "%s: %s", complaint, subject);
    for (; *text != '\0'; text++) {
        if (*text < ' ' || *text > '~' || *text == '"' || *text == '\\') {
            *text = '?';
        }
    }
}

static bool store(const struct option *option, const char *value, struct options *out)
{
    return option->parse(option, value, (char *)out + option->field);
}

/* The row whose key is the first key_length characters of text, or NULL. */
static const struct option *find_option(const char *text, size_t key_length)
{
    for (size_t row = 0; row < TABLE_ROWS; row++) {
        if (strncmp(table[row].key, text, key_length) == 0 && table[row].key[key_length] == '\0') {
            return &table[row];
        }
    }
    return NULL;
}

/* The length of the key if the word has the form key=value, else 0; a path may hold a '='. */
static size_t key_length_of(const char *text)
{
    size_t length = 0;

    while (text[length] != '=') {
        if (text[length] == '\0' || text[length] == '/') {
            return 0;
        }
        length++;
    }
    return length;
}

static void take_word(const struct word *word, bool first, struct options *out)
{
    size_t key_length = key_length_of(word->text);
    const struct option *option = find_option(word->text, key_length);

    if (word->unended) {
        warn(out, "closing quote is missing", word->text);
    }
    if (key_length == 0) {
        if (!first) {
            warn(out, "no key=value, ignored", word->text);
        }
    } else if (option == NULL) {
        warn(out, "unknown key, ignored", word->text);
    } else if (word->cut || !store(option, word->text + key_length + 1, out)) {
        warn(out, "bad value, default used", word->text);
        store(option, option->default_value, out);
    }
}

void options_parse(const char *cmdline, struct options *out)
{
    struct word word;
    bool first = true;

    *out = (struct options){0};
    for (size_t row = 0; row < TABLE_ROWS; row++) {
        store(&table[row], table[row].default_value, out);
    }
    while (cmdline != NULL && words_next(&cmdline, &word)) {
        take_word(&word, first, out);
        first = false;
    }
}

void options_check_names(struct options *options, const char *key, const char *const *known)
{
    const struct option *option = find_option(key, strlen(key));

    if (option == NULL || option->parse != parse_names) {
        return;
    }

    struct options_names *list = (void *)((char *)options + option->field);

    for (uint32_t i = 0; i < list->count; i++) {
        const char *const *name = known;

        while (*name != NULL && strcmp(*name, list->names[i]) != 0) {
            name++;
        }
        if (*name == NULL) {
            warn(options, "unknown name, default used", list->names[i]);
            store(option, option->default_value, options);
            return;
        }
    }
}
