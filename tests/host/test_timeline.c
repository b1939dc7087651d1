/* kernel/lib/timeline: whole pictures, as they are printed. One column is 100 ns unless a test says
 * otherwise. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/lib/timeline.h"

#define BEGIN 5000000000ull
#define COLUMN 100u
#define END (BEGIN + TIMELINE_CELLS * COLUMN)

#define AXIS "                  5000.000 ms                                      5000.006 ms\n"
#define SIGNS ". idle   : mostly idle   capital letter: another CPU of the core is busy too\n"
#define UNKNOWN "? nobody knows: events are missing\n"

static struct timeline timeline;

struct text {
    char text[8192];
    size_t length;
};

static void append(void *ctx, const char *text, size_t length_bytes)
{
    struct text *t = ctx;

    assert_true(length_bytes < sizeof t->text - t->length);
    assert_int_equal(text[length_bytes - 1], '\n'); /* whole lines */
    memcpy(t->text + t->length, text, length_bytes);
    t->length += length_bytes;
    t->text[t->length] = '\0';
}

static void expect(const char *picture)
{
    struct text got = {.length = 0};

    timeline_end(&timeline);
    timeline_print(&timeline, append, &got);
    assert_string_equal(got.text, picture);
    for (const char *line = got.text; *line != '\0'; line = strchr(line, '\n') + 1)
        assert_true(strcspn(line, "\n") <= 80);
}

/* Cores of two CPUs, numbered so that siblings are not neighbours. */
static void set_up(uint32_t cpus, uint32_t cores)
{
    timeline_init(&timeline);
    for (uint32_t cpu = 0; cpu < cpus; cpu++)
        timeline_add_cpu(&timeline, cpu, cpu % cores);
}

/* At a number of columns behind the begin, in hundredths. */
static void at(int hundredths, uint32_t cpu, enum trace_kind kind, uint32_t pid, const char *text)
{
    struct trace_event event = {
        .ns = BEGIN + (uint64_t)((int64_t)hundredths * COLUMN / 100),
        .pid = pid,
        .other = TRACE_ABSENT,
        .kind = (uint8_t)kind,
    };

    timeline_event(&timeline, cpu, &event, text);
}

static void test_no_events(void **state)
{
    (void)state;
    set_up(1, 1);
    timeline_begin(&timeline, BEGIN, END);
    expect("core 0   cpu 0   |............................................................|\n" AXIS
               SIGNS);
}

static void test_nothing_at_all(void **state)
{
    (void)state;
    set_up(0, 1);
    timeline_begin(&timeline, 0, 0);
    expect(
        "                  0.000 ms                                            0.000 ms\n" SIGNS);
}

/* The naive scheduler's misfortune, and what a task does that moves on. */
static void test_two_tasks_share_a_core(void **state)
{
    (void)state;
    set_up(4, 2);
    timeline_begin(&timeline, BEGIN, END);
    at(0, 0, TRACE_START, 7, "md5 -t");
    at(0, 0, TRACE_WAKE, 7, "");
    at(0, 0, TRACE_START, 8, "hog");
    at(0, 0, TRACE_DISPATCH, 7, "");
    at(100, 2, TRACE_DISPATCH, 8, "");
    at(2000, 2, TRACE_PREEMPT, 8, "");
    at(2000, 2, TRACE_IDLE, 0, "");
    at(2000, 3, TRACE_MIGRATE, 8, "");
    at(2000, 3, TRACE_DISPATCH, 8, "");
    at(4000, 0, TRACE_END, 7, "");
    at(4000, 0, TRACE_IDLE, 0, "");
    at(6000, 3, TRACE_END, 8, "");
    expect("core 0   cpu 0   |aAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaaaaaa....................|\n"
           "         cpu 2   |.BBBBBBBBBBBBBBBBBBB........................................|\n"
           "core 1   cpu 1   |............................................................|\n"
           "         cpu 3   |....................bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb|\n" AXIS
           "a=7 md5 -t, b=8 hog\n" SIGNS);
}

/* Half a column is enough; of several tasks in one, the longest. */
static void test_what_a_column_shows(void **state)
{
    (void)state;
    set_up(1, 1);
    timeline_begin(&timeline, BEGIN, END);
    at(0, 0, TRACE_START, 1, "one");
    at(0, 0, TRACE_START, 2, "two");
    at(50, 0, TRACE_DISPATCH, 1, ""); /* column 0: half */
    at(149, 0, TRACE_BLOCK, 1, "");   /* 1: 49 hundredths */
    at(220, 0, TRACE_DISPATCH, 1, "");
    at(250, 0, TRACE_PREEMPT, 1, "");
    at(250, 0, TRACE_DISPATCH, 2, ""); /* 2: 30 against 40 */
    at(290, 0, TRACE_PREEMPT, 2, "");
    at(300, 0, TRACE_DISPATCH, 2, ""); /* 3: equal, in two pieces each */
    at(325, 0, TRACE_PREEMPT, 2, "");
    at(325, 0, TRACE_DISPATCH, 1, "");
    at(375, 0, TRACE_PREEMPT, 1, "");
    at(375, 0, TRACE_DISPATCH, 2, "");
    at(400, 0, TRACE_END, 2, "");
    at(401, 0, TRACE_DISPATCH, 1, ""); /* 4: a moment */
    at(402, 0, TRACE_END, 1, "");
    expect("core 0   cpu 0   |a:ba:.......................................................|\n" AXIS
           "a=1 one, b=2 two\n" SIGNS);
}

/* What ran when the picture begins, and goes on when it ends. */
static void test_before_and_behind(void **state)
{
    (void)state;
    set_up(2, 1);
    at(-900, 0, TRACE_START, 3, "hog");
    at(-900, 0, TRACE_DISPATCH, 3, "");
    at(-800, 0, TRACE_START, 4, "gone");
    at(-800, 1, TRACE_DISPATCH, 4, "");
    timeline_begin(&timeline, BEGIN, END);
    at(-100, 1, TRACE_END, 4, ""); /* printed with the round, but earlier */
    at(-100, 1, TRACE_IDLE, 0, "");
    at(5900, 1, TRACE_START, 5, "late");
    at(5900, 1, TRACE_DISPATCH, 5, "");
    at(6000, 0, TRACE_START, 6, "too late");
    at(6000, 0, TRACE_PREEMPT, 3, "");
    at(6000, 0, TRACE_DISPATCH, 6, "");
    at(6500, 1, TRACE_END, 5, "");
    expect("core 0   cpu 0   |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaA|\n"
           "         cpu 1   |...........................................................B|\n" AXIS
           "a=3 hog, b=5 late\n" SIGNS);

    /* The next picture knows what runs, and of whom it knows the name. */
    timeline_begin(&timeline, END, END + TIMELINE_CELLS * 1000000ull);
    expect("core 0   cpu 0   |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|\n"
           "         cpu 1   |............................................................|\n"
           "                  5000.006 ms                                      5060.006 ms\n"
           "a=6 too late\n" SIGNS);
}

/* The length need not be a multiple of the columns, and may be less than one nanosecond each. */
static void test_odd_lengths(void **state)
{
    (void)state;
    set_up(1, 1);
    at(0, 0, TRACE_START, 1, "x");
    timeline_begin(&timeline, BEGIN, BEGIN + 90); /* columns of 1 and 2 ns in turn */
    for (unsigned ns = 0; ns < 90; ns += 3) {
        struct trace_event on = {.ns = BEGIN + ns, .pid = 1, .kind = TRACE_DISPATCH},
                           off = {.ns = BEGIN + ns + 1, .pid = 1, .kind = TRACE_PREEMPT};

        timeline_event(&timeline, 0, &on, "");
        timeline_event(&timeline, 0, &off, "");
    }
    expect("core 0   cpu 0   |a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.|\n"
           "                  5000.000 ms                                      5000.000 ms\n"
           "a=1 x\n" SIGNS);

    at(0, 0, TRACE_DISPATCH, 1, "");
    timeline_begin(&timeline, BEGIN, BEGIN + 1); /* one column of 1 ns, the others of none */
    expect("core 0   cpu 0   |...........................................................a|\n"
           "                  5000.000 ms                                      5000.000 ms\n"
           "a=1 x\n" SIGNS);
}

/* A day: nothing overflows. */
static void test_long_time(void **state)
{
    struct trace_event on = {.ns = 1000, .pid = 1, .kind = TRACE_DISPATCH};
    struct trace_event off = {.ns = 43200000000000ull, .pid = 1, .kind = TRACE_BLOCK};

    (void)state;
    set_up(1, 1);
    timeline_begin(&timeline, 0, 86400000000000ull);
    timeline_event(&timeline, 0, &on, "");
    timeline_event(&timeline, 0, &off, "");
    expect("core 0   cpu 0   |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa..............................|\n"
           "                  0.000 ms                                     86400000.000 ms\n"
           "a=1 (unknown)\n" SIGNS);
}

/* Letters go by pid, to the 26 tasks that come first; the rest share a sign. */
static void test_more_tasks_than_letters(void **state)
{
    (void)state;
    set_up(2, 1);
    timeline_begin(&timeline, BEGIN, END);
    for (int i = 0; i < 30; i++) {
        uint32_t pid = 100 - (uint32_t)i;
        char name[TIMELINE_NAME_BYTES];

        snprintf(name, sizeof name, "task %d", i);
        at(100 * i, 0, TRACE_START, pid, name);
        at(100 * i, 0, TRACE_DISPATCH, pid, "");
        if (i == 28)
            at(100 * i, 1, TRACE_DISPATCH, 100, "");
        at(100 * i + 100, 0, TRACE_END, pid, "");
    }
    at(3000, 1, TRACE_END, 100, "");
    expect("core 0   cpu 0   |zyxwvutsrqponmlkjihgfedcba**##..............................|\n"
           "         cpu 1   |............................ZZ..............................|\n" AXIS
           "a=75 task 25, b=76 task 24, c=77 task 23, d=78 task 22, e=79 task 21\n"
           "f=80 task 20, g=81 task 19, h=82 task 18, i=83 task 17, j=84 task 16\n"
           "k=85 task 15, l=86 task 14, m=87 task 13, n=88 task 12, o=89 task 11\n"
           "p=90 task 10, q=91 task 9, r=92 task 8, s=93 task 7, t=94 task 6, u=95 task 5\n"
           "v=96 task 4, w=97 task 3, x=98 task 2, y=99 task 1, z=100 task 0\n"
           "* more tasks; # on a core that is shared\n" SIGNS);
}

/* Names are kept for as long as tasks live, not for longer. */
static void test_names_are_reused(void **state)
{
    (void)state;
    set_up(1, 1);
    for (uint32_t pid = 1; pid <= 10 * TIMELINE_TASKS; pid++) {
        at(-100, 0, TRACE_START, pid, "short");
        at(-100, 0, TRACE_DISPATCH, pid, "");
        at(-100, 0, TRACE_END, pid, "");
    }
    at(-50, 0, TRACE_START, 5000, "last");
    at(-50, 0, TRACE_DISPATCH, 5000, "");
    timeline_begin(&timeline, BEGIN, END);
    expect("core 0   cpu 0   |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|\n" AXIS
           "a=5000 last\n" SIGNS);
}

/* 128 cores, the last of which has one CPU. */
static void set_up_many(void)
{
    timeline_init(&timeline);
    for (uint32_t cpu = 255; cpu-- > 0;) /* siblings far apart, and the last come first */
        timeline_add_cpu(&timeline, cpu, cpu % 128);
}

/* Only cores on which something runs are shown. */
static void test_many_cpus(void **state)
{
    (void)state;
    set_up_many();
    at(-100, 200, TRACE_DISPATCH, 3, "");
    timeline_begin(&timeline, BEGIN, END);
    at(0, 127, TRACE_DISPATCH, 2, "");
    at(0, 999, TRACE_DISPATCH, 4, ""); /* on a CPU that does not exist */
    at(3000, 3, TRACE_DISPATCH, 1, "");
    at(6000, 9, TRACE_DISPATCH, 5, ""); /* behind the end */
    expect("core 3   cpu 3   |..............................aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|\n"
           "         cpu 131 |............................................................|\n"
           "core 72  cpu 72  |............................................................|\n"
           "         cpu 200 |cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc|\n"
           "core 127 cpu 127 |bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb|\n" AXIS
           "and 250 more CPUs\na=1 (unknown), b=2 (unknown), c=3 (unknown)\n" SIGNS);
}

/* A core of which not all CPUs fit is not shown, and its tasks have no letter. */
static void test_more_busy_cores_than_lines(void **state)
{
    static const char busy[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    static const char idle[] = "............................................................";
    char wanted[8192];
    size_t length = 0;

    (void)state;
    set_up_many();
    timeline_begin(&timeline, BEGIN, END);
    at(0, 127, TRACE_DISPATCH, 1, "");
    for (uint32_t core = 0; core < 16; core++)
        at(0, core + 128 * (core % 2), TRACE_DISPATCH, core < 15 ? 1 : 2, "");
    for (uint32_t core = 0; core < 15; core++)
        length +=
            (size_t)snprintf(wanted + length, sizeof wanted - length,
                             "core %-3u cpu %-3u |%s|\n         cpu %-3u |%s|\n", core, core,
                             core % 2 == 0 ? busy : idle, core + 128, core % 2 == 0 ? idle : busy);
    snprintf(wanted + length, sizeof wanted - length,
             "core 127 cpu 127 |%s|\n" AXIS "and 224 more CPUs\na=1 (unknown)\n" SIGNS, busy);
    expect(wanted);
}

/* What a log with gaps may hold must do no harm. */
static void test_gaps(void **state)
{
    (void)state;
    set_up(1, 1);
    timeline_begin(&timeline, BEGIN, END);
    at(0, 0, TRACE_START, 1, "a name that is longer than any name of a task can be");
    at(100, 0, TRACE_PREEMPT, 9, "");
    at(200, 0, TRACE_DISPATCH, 1, "");
    at(300, 0, TRACE_DISPATCH, 2, "");
    at(400, 0, TRACE_END, 1, "");
    at(500, 0, TRACE_IDLE, 0, "");
    at(600, 0, TRACE_END, 0, "");
    at(600, 0, TRACE_KINDS, 0, "");
    expect("core 0   cpu 0   |..ab........................................................|\n" AXIS
           "a=1 a name that is longer than any , b=2 (unknown)\n" SIGNS);
}

static void test_lost_events(void **state)
{
    (void)state;
    set_up(2, 1);
    timeline_begin(&timeline, BEGIN, END);
    at(0, 0, TRACE_START, 1, "one");
    at(0, 0, TRACE_DISPATCH, 1, "");
    at(1000, 1, TRACE_DISPATCH, 2, "");
    at(1050, 0, TRACE_PREEMPT, 1, "");
    at(1550, 0, TRACE_DISPATCH, 3, "");
    at(2050, 0, TRACE_PREEMPT, 3, "");
    at(2050, 0, TRACE_DISPATCH, 1, "");
    at(2500, 1, TRACE_IDLE, 0, "");
    timeline_lost(&timeline, 0);
    timeline_lost(&timeline, 1);
    timeline_lost(&timeline, 999);
    expect("core 0   cpu 0   |aaaaaaaaaaA....CCCCCC???????????????????????????????????????|\n"
           "         cpu 1   |..........BbbbbBBBBBBbbbb???????????????????????????????????|\n" AXIS
           "a=1 one, b=2 (unknown), c=3 (unknown)\n" SIGNS UNKNOWN);

    timeline_begin(&timeline, END, END + TIMELINE_CELLS * COLUMN);
    at(8000, 0, TRACE_PREEMPT, 9, ""); /* which it ran since nobody knows when */
    at(8000, 0, TRACE_IDLE, 0, "");
    at(9000, 0, TRACE_DISPATCH, 1, "");
    at(11900, 1, TRACE_DISPATCH, 4, ""); /* so it ran nothing before */
    expect("core 0   cpu 0   |????????????????????..........aaaaaaaaaaaaaaaaaaaaaaaaaaaaaA|\n"
           "         cpu 1   |...........................................................B|\n"
           "                  5000.006 ms                                      5000.012 ms\n"
           "a=1 one, b=4 (unknown)\n" SIGNS UNKNOWN);
    timeline_lost(&timeline, 0);

    timeline_begin(&timeline, END, END + TIMELINE_CELLS * COLUMN);
    expect("core 0   cpu 0   |????????????????????????????????????????????????????????????|\n"
           "         cpu 1   |aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa|\n"
           "                  5000.006 ms                                      5000.012 ms\n"
           "a=4 (unknown)\n" SIGNS UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_events),
        cmocka_unit_test(test_nothing_at_all),
        cmocka_unit_test(test_two_tasks_share_a_core),
        cmocka_unit_test(test_what_a_column_shows),
        cmocka_unit_test(test_before_and_behind),
        cmocka_unit_test(test_odd_lengths),
        cmocka_unit_test(test_long_time),
        cmocka_unit_test(test_more_tasks_than_letters),
        cmocka_unit_test(test_names_are_reused),
        cmocka_unit_test(test_many_cpus),
        cmocka_unit_test(test_more_busy_cores_than_lines),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_lost_events),
    };

    return cmocka_run_group_tests_name("timeline", tests, NULL, NULL);
}
