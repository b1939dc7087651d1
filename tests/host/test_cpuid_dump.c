/*
 * The reader of CPUID dumps: both formats, and text that is neither.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tools/host/cpuid_dump.h"

static struct cpuid_dump dump;

/* Reads a copy of exactly the right size, so that the sanitizer sees a step too far. */
static const char *read_bytes(const char *text, size_t length)
{
    char *copy = malloc(length + 1);
    const char *wrong;

    assert_non_null(copy);
    memcpy(copy, text, length);
    memset(&dump, 0, sizeof(dump));
    wrong = cpuid_dump_read_text(&dump, copy, length);
    free(copy);
    return wrong;
}

static const char *read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void test_columns(void **state)
{
    (void)state;
    assert_null(read_text("# source: x\r\n# vendor: GenuineIntel\r\n# lapic-ids: 16 17 (why)\r\n"
                          "expect packages=1 cores=2 threads=2 modules=1\r\n"
                          "cpu 0\r\n"
                          "00000000 00000000 0000000B 756E6547 6C65746E 49656E69\r\n"
                          "expect cpu 0 package=0 core=3 thread=1 module=2\r\n"
                          "cpu 1\r\n00000001 00000000 000106C2 00020800 0040E31D BFE9FBFF"));
    assert_int_equal(dump.count, 2);
    assert_int_equal(dump.ignored_lines, 0);
    assert_string_equal(dump.vendor, "GenuineIntel");
    assert_int_equal(dump.cores, 2);
    assert_int_equal(dump.modules, 1);
    assert_int_equal(dump.cpus[0].core, 3);
    assert_int_equal(dump.cpus[0].module, 2);
    assert_int_equal(dump.cpus[1].core, -1);
    assert_int_equal(dump.cpus[1].apic_id, 17);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[1], 1, 0).edx, 0xbfe9fbff);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[1], 4, 0).eax, 0);
    cpuid_dump_free(&dump);
}

static void test_cpuid_r(void **state)
{
    (void)state;
    assert_null(read_text(
        "CPU 0:\n"
        "   0x00000000 0x00: eax=0x0000000a ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69\n"
        "   0x00000001 0x00: eax=0x000106c2 ebx=0x01020800 ecx=0x0040e31d edx=0xbfe9fbff\n"
        "   0x00000004 0x03: eax=0x00000001 ebx=0x00000002 ecx=0x00000003 edx=0x00000004\n"
        "CPU 1:\n"
        "   0x00000000 0x00: eax=0x0000000a ebx=0x756e6547 ecx=0x6c65746e edx=0x49656e69\n"));
    assert_int_equal(dump.count, 2);
    assert_int_equal(dump.ignored_lines, 0);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 4, 3).ecx, 3);
    assert_int_equal(dump.cpus[0].apic_id, 1);
    cpuid_dump_free(&dump);
    assert_null(read_text("CPU:\n   0x00000000 0x00: eax=0x1 ebx=0x2 ecx=0x3 edx=0x4\n"));
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 0, 0).edx, 4);
    cpuid_dump_free(&dump);
}

/* Above the highest basic leaf a CPU repeats that leaf; what the dump has is served as it is. */
static void test_leaf_above_maximum(void **state)
{
    (void)state;
    assert_null(read_text("cpu 0\n00000000 00000000 00000004 0 0 0\n00000004 00000000 11 12 13 14\n"
                          "00000004 00000001 21 22 23 24\n0000001F 00000000 31 32 33 34\n"));
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 0xb, 0).eax, 0x11);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 0xb, 1).eax, 0x21);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 0xb, 2).eax, 0);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 0x1f, 0).eax, 0x31);
    assert_int_equal(cpuid_dump_reader(&dump.cpus[0], 0x80000000, 0).eax, 0);
    cpuid_dump_free(&dump);
}

/* Where the dump does not give the IDs of the local APICs, a leaf that repeats them is no source.
 */
static void test_apic_ids(void **state)
{
    static const char good[] = "cpu 0\n0 0 B 0 0 0\n1 0 0 01000000 0 0\nB 0 1 2 100 5\n"
                               "cpu 1\n0 0 B 0 0 0\n1 0 0 02000000 0 0\nB 0 1 2 100 6\n";
    static const char repeated[] = "cpu 0\n0 0 B 0 0 0\n1 0 0 01000000 0 0\nB 0 1 2 100 5\n"
                                   "cpu 1\n0 0 B 0 0 0\n1 0 0 02000000 0 0\nB 0 1 2 100 5\n";

    (void)state;
    assert_null(read_text(good));
    assert_int_equal(dump.cpus[1].apic_id, 6);
    cpuid_dump_free(&dump);
    assert_null(read_text(repeated));
    assert_int_equal(dump.cpus[1].apic_id, 2);
    cpuid_dump_free(&dump);
}

static void test_not_a_dump(void **state)
{
    static const char *const bad[] = {"",
                                      "\n\n",
                                      "cpu 0\n",
                                      "cpu 0\ncpu 1\n1 0 0 0 0 0\n",
                                      "00000001 00000000 0 0 0 0\n",
                                      "expect cpu 0 package=1\n"};
    static const char binary[] = "\177ELF\0cpu 0\n\0\0\xff\xfe 1 2 3";

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        assert_non_null(read_text(bad[i]));
        cpuid_dump_free(&dump);
    }
    assert_non_null(read_bytes(binary, sizeof(binary)));
    cpuid_dump_free(&dump);
    assert_non_null(cpuid_dump_open("/nonexistent/dump", &dump));
    assert_non_null(cpuid_dump_open("/", &dump));
}

static void test_damaged_lines(void **state)
{
    (void)state;
    assert_null(read_text("cpu 0\n00000000 00000000 0 0 0 0\n00000001 00000000 000106C2 0002\n"
                          "expect cpu 4000000000 core=1\nexpect cpu 7\nexpect \n"
                          "zzz\n# lapic-ids: none\n"));
    assert_int_equal(dump.count, 1);
    assert_int_equal(dump.ignored_lines, 2);
    assert_false(dump.cpus[0].has_lapic_id);
    cpuid_dump_free(&dump);
}

static void test_too_many_cpus(void **state)
{
    static const char cpu[] = "cpu 0\n1 0 0 0 0 0\n";
    const size_t length = sizeof(cpu) - 1;
    char *text = malloc(length * (CPUID_DUMP_CPUS_MAX + 1));

    (void)state;
    assert_non_null(text);
    for (size_t i = 0; i <= CPUID_DUMP_CPUS_MAX; i++)
        memcpy(text + i * length, cpu, length);
    assert_null(read_bytes(text, length * CPUID_DUMP_CPUS_MAX));
    assert_int_equal(dump.count, CPUID_DUMP_CPUS_MAX);
    cpuid_dump_free(&dump);
    assert_string_equal(read_bytes(text, length * (CPUID_DUMP_CPUS_MAX + 1)), "too many CPUs");
    cpuid_dump_free(&dump);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_cpuid_r),
        cmocka_unit_test(test_leaf_above_maximum),
        cmocka_unit_test(test_not_a_dump),
        cmocka_unit_test(test_apic_ids),
        cmocka_unit_test(test_damaged_lines),
        cmocka_unit_test(test_too_many_cpus),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
