/*
 * Fuzzes kernel/lib/options: any bytes as a command line must leave every option within its
 * bounds, every string terminated and every warning fit to be quoted. Built with libFuzzer:
 * clang -fsanitize=fuzzer,address,undefined.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/lib/options.h"
#include "kernel/machine_info.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void check_text(const char *text, size_t size)
{
    require(memchr(text, '\0', size) != NULL);
    for (; *text != '\0'; text++) {
        require(*text >= ' ' && *text <= '~' && *text != '"' && *text != '\\');
    }
}

static void check_names(const struct options_names *list)
{
    require(list->count >= 1 && list->count <= OPTIONS_MAX_NAMES);
    for (uint32_t i = 0; i < list->count; i++) {
        check_text(list->names[i], WORD_NAME_BYTES);
        require(list->names[i][0] != '\0');
    }
}

static void check_numbers(const struct options *options)
{
    require(options->slice_us >= 100 && options->slice_us <= 1000000);
    require(options->rounds >= 1 && options->rounds <= 10000);
    require(options->blocks >= 1 && options->blocks <= 10000000);
    require(options->tasks <= 4000);
    require(options->smt_model_percent == 0 ||
            (options->smt_model_percent >= 100 && options->smt_model_percent <= 400));
    require(options->cpus >= 1 && options->cpus <= MAX_CPUS);
    require(options->baud >= 1200 && options->baud <= 115200);
    require(options->host_cpus <= 4096);
    require(options->end <= OPTIONS_END_MONITOR);
    require(options->module <= OPTIONS_MODULE_SHARED);
    require(options->sharing <= OPTIONS_SHARING_HOST_SMT);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length)
{
    static const char *const policies[] = {"naive", "smt", "nosmt", "core", NULL};
    static struct options options;
    char *cmdline = malloc(length + 1); /* of the exact size, so that reading on is noticed */

    memcpy(cmdline, bytes, length);
    cmdline[length] = '\0';
    options_parse(cmdline, &options);
    free(cmdline);
    options_check_names(&options, "sched", policies);

    check_numbers(&options);
    check_names(&options.run);
    check_names(&options.sched);
    check_text(options.topology, sizeof(options.topology));
    check_text(options.exec, sizeof(options.exec));
    require(options.console.count <= OPTIONS_MAX_OUTPUTS);
    require(options.warning_count <= OPTIONS_MAX_WARNINGS);
    for (uint32_t i = 0; i < options.warning_count; i++) {
        check_text(options.warnings[i].text, sizeof(options.warnings[i].text));
    }
    return 0;
}
