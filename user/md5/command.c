#include "user/md5/command.h"

#include "kernel/lib/clock_math.h"
#include "kernel/lib/format.h"
#include "kernel/lib/string.h"
#include "kernel/lib/words.h"

#define OUTPUT_BYTES 256 /* the four lines of a time trial; the longest line of the test suite */
#define DIGEST_TEXT_BYTES (2 * MD5_DIGEST_BYTES + 1)

/* ---- arguments ------------------------------------------------------------------------------- */

/* Where we are in the arguments: inside the options of argv[index]. */
struct argument_cursor {
    int argc;
    char **argv;
    int index;
    const char *option; /* next option character; at its end the argument is used up */
};

/* The value of the option just read: the rest of its argument, or the next one. NULL if none. */
static const char *take_value(struct argument_cursor *cursor)
{
    const char *value = cursor->option;

    if (*value == '\0') {
        if (cursor->index + 1 >= cursor->argc) {
            return NULL;
        }
        value = cursor->argv[++cursor->index];
    }
    cursor->option = value + strlen(value);
    return value;
}

/* What the options said, before they are checked against each other. */
struct option_counts {
    uint32_t trials; /* number of t */
    bool tests;
    uint32_t blocks; /* 0: no -b */
    const char *string;
};

static bool parse_option(char option, struct argument_cursor *cursor, struct option_counts *counts)
{
    const char *value;

    switch (option) {
    case 't':
        counts->trials++;
        return true;
    case 'x':
        counts->tests = true;
        return true;
    case 's':
        counts->string = take_value(cursor);
        return counts->string != NULL;
    case 'b':
        value = take_value(cursor);
        return value != NULL && words_read_number(&value, &counts->blocks) && *value == '\0' &&
               counts->blocks >= 1 && counts->blocks <= MD5_MAX_TRIAL_BLOCKS;
    default:
        return false;
    }
}

/* Reads all options; cursor->index then is the first argument that is none. */
static bool parse_options(struct argument_cursor *cursor, struct option_counts *counts)
{
    for (; cursor->index < cursor->argc; cursor->index++) {
        const char *argument = cursor->argv[cursor->index];

        if (argument[0] != '-' || argument[1] == '\0') {
            break; /* a file; a lone "-" too */
        }
        if (strcmp(argument, "--") == 0) {
            cursor->index++;
            break;
        }
        cursor->option = argument + 1;
        while (*cursor->option != '\0') {
            if (!parse_option(*cursor->option++, cursor, counts)) {
                return false;
            }
        }
    }
    return true;
}

/* Ten times the blocks for every t after the first, as far as OpenBSD's int would go. */
static uint32_t trial_blocks(uint32_t blocks, uint32_t trials)
{
    for (; trials > 1 && blocks < INT32_MAX / 10; trials--) {
        blocks *= 10;
    }
    return blocks;
}

enum error md5_parse(int argc, char **argv, struct md5_command *command)
{
    struct argument_cursor cursor = {argc, argv, 1, ""};
    struct option_counts counts = {0};

    if (!parse_options(&cursor, &counts)) {
        return ERROR_BAD_VALUE;
    }

    int actions = (counts.trials != 0) + counts.tests + (counts.string != NULL);

    if (actions > 1 || (actions == 1 && cursor.index < argc) ||
        (counts.blocks != 0 && counts.trials == 0)) {
        return ERROR_BAD_VALUE;
    }
    command->action = counts.trials != 0      ? MD5_TIME_TRIAL
                      : counts.tests          ? MD5_TEST_SUITE
                      : counts.string != NULL ? MD5_STRING
                                              : MD5_FILES;
    command->blocks =
        trial_blocks(counts.blocks != 0 ? counts.blocks : MD5_TRIAL_BLOCKS, counts.trials);
    command->string = counts.string;
    command->first_file = cursor.index;
    return OK;
}

/* ---- output ---------------------------------------------------------------------------------- */

/* A piece of output being put together, to be written at once. */
struct output {
    char text[OUTPUT_BYTES];
    size_t length;
};

static void append(struct output *output, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

static void append(struct output *output, const char *fmt, ...)
{
    size_t room = sizeof(output->text) - output->length;
    va_list arguments;

    va_start(arguments, fmt);
    size_t length = format_buffer_v(output->text + output->length, room, fmt, arguments);
    va_end(arguments);
    output->length += length < room ? length : room - 1;
}

/* Appends what "%f" would print for a number of millionths: there is no floating point here. */
static void append_millionths(struct output *output, uint64_t millionths)
{
    uint32_t fraction;
    uint64_t whole = div_u64_u32(millionths, 1000000, &fraction);

    append(output, "%llu.%06u", (unsigned long long)whole, fraction);
}

static void append_digest(struct output *output, const uint8_t digest[MD5_DIGEST_BYTES])
{
    char text[DIGEST_TEXT_BYTES];

    md5_digest_text(digest, text);
    append(output, "%s\n", text);
}

static void write_output(const struct output *output, const struct md5_environment *environment)
{
    environment->write(output->text, output->length);
}

void md5_digest_text(const uint8_t digest[MD5_DIGEST_BYTES], char text[DIGEST_TEXT_BYTES])
{
    for (unsigned i = 0; i < MD5_DIGEST_BYTES; i++) {
        format_buffer(text + 2 * i, 3, "%02x", digest[i]);
    }
}

/* ---- actions --------------------------------------------------------------------------------- */

void md5_fill_block(uint8_t block[MD5_TRIAL_BYTES])
{
    for (unsigned i = 0; i < MD5_TRIAL_BYTES; i++) {
        block[i] = i & 0xff;
    }
}

static void run_time_trial(uint32_t blocks, const struct md5_environment *environment,
                           uint8_t digest[MD5_DIGEST_BYTES])
{
    struct md5 md5;
    struct output output = {"", 0};

    md5_fill_block(environment->block);

    uint64_t start_ns = environment->clock_ns();

    md5_init(&md5);
    for (uint32_t i = 0; i < blocks; i++) {
        md5_update(&md5, environment->block, MD5_TRIAL_BYTES);
    }
    md5_final(&md5, digest);

    uint64_t elapsed_ns = environment->clock_ns() - start_ns;
    uint64_t bytes = (uint64_t)MD5_TRIAL_BYTES * blocks;

    append(&output, "MD5 time trial.  Processing %u %u-byte blocks...\nDigest = ", blocks,
           (unsigned)MD5_TRIAL_BYTES);
    append_digest(&output, digest);
    append(&output, "Time   = ");
    append_millionths(&output, div_u64_u32(elapsed_ns + NS_PER_US / 2, NS_PER_US, NULL));
    append(&output, " seconds\nSpeed  = ");
    if (elapsed_ns == 0) {
        append(&output, "inf");
    } else {
        append_millionths(&output, mul_div_u64(bytes, 1000000ull * NS_PER_SECOND, elapsed_ns));
    }
    append(&output, " bytes/second\n");
    write_output(&output, environment);
}

static void run_string(const char *string, const struct md5_environment *environment,
                       uint8_t digest[MD5_DIGEST_BYTES])
{
    struct md5 md5;
    struct output tail = {"", 0};

    md5_init(&md5);
    md5_update(&md5, string, strlen(string));
    md5_final(&md5, digest);
    append(&tail, "\") = ");
    append_digest(&tail, digest);

    /* One write where it fits; a longer string is passed through in pieces. */
    struct output whole = {"", 0};

    if (strlen(string) + tail.length + 6 < sizeof(whole.text)) {
        append(&whole, "MD5 (\"%s%s", string, tail.text);
        write_output(&whole, environment);
        return;
    }
    append(&whole, "MD5 (\"");
    write_output(&whole, environment);
    environment->write(string, strlen(string));
    write_output(&tail, environment);
}

/* The strings of RFC 1321, "Test suite", the one OpenBSD adds, and its million letters. */
static void run_test_suite(const struct md5_environment *environment,
                           uint8_t digest[MD5_DIGEST_BYTES])
{
    static const char *const strings[] = {
        "",
        "a",
        "abc",
        "message digest",
        "abcdefghijklmnopqrstuvwxyz",
        "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
        "12345678901234567890123456789012345678901234567890123456789012345678901234567890",
    };
    struct output output = {"", 0};
    struct md5 md5;

    append(&output, "MD5 test suite:\n");
    write_output(&output, environment);
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        run_string(strings[i], environment, digest);
    }

    md5_init(&md5);
    for (unsigned i = 0; i < 1000000; i++) {
        md5_update(&md5, "a", 1);
    }
    md5_final(&md5, digest);
    output.length = 0;
    append(&output, "MD5 (one million 'a' characters) = ");
    append_digest(&output, digest);
    write_output(&output, environment);
}

void md5_run(const struct md5_command *command, const struct md5_environment *environment,
             uint8_t digest[MD5_DIGEST_BYTES])
{
    switch (command->action) {
    case MD5_TIME_TRIAL:
        run_time_trial(command->blocks, environment, digest);
        break;
    case MD5_TEST_SUITE:
        run_test_suite(environment, digest);
        break;
    case MD5_STRING:
        run_string(command->string, environment, digest);
        break;
    case MD5_FILES:
        break;
    }
}
