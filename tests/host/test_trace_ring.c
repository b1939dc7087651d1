/* kernel/lib/trace_ring: what goes in comes out, once, in the order of time; what finds no room is
 * counted. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "kernel/lib/random.h"
#include "kernel/lib/trace_ring.h"

#define SLOTS 64u
#define RINGS 3u
#define KEPT 8u /* slots that only marks may use */

struct case_state {
    struct trace_ring rings[RINGS];
    union trace_slot slots[RINGS][SLOTS];
};

static void set_up(struct case_state *c)
{
    for (unsigned i = 0; i < RINGS; i++)
        trace_ring_init(&c->rings[i], c->slots[i], SLOTS);
}

static bool push(struct trace_ring *ring, uint64_t ns, enum trace_kind kind, uint32_t pid,
                 const char *text)
{
    struct trace_event event = {
        .ns = ns, .pid = pid, .other = TRACE_ABSENT, .kind = (uint8_t)kind, .text_slots = 77};

    return trace_ring_push(ring, &event, text);
}

/* Takes one event from all rings and compares it. */
static void expect(struct case_state *c, uint32_t ring, uint64_t ns, enum trace_kind kind,
                   uint32_t pid, const char *text)
{
    struct trace_event event;
    char got[TRACE_TEXT_BYTES];

    assert_int_equal(trace_merge_next(c->rings, RINGS, UINT64_MAX, &event, got), ring);
    assert_int_equal(event.ns, ns);
    assert_int_equal(event.kind, kind);
    assert_int_equal(event.pid, pid);
    assert_int_equal(event.other, TRACE_ABSENT);
    assert_string_equal(got, text);
}

static void expect_none(struct case_state *c, uint64_t until_ns)
{
    struct trace_event event;
    char text[TRACE_TEXT_BYTES];

    assert_int_equal(trace_merge_next(c->rings, RINGS, until_ns, &event, text), TRACE_NO_RING);
}

static void test_empty(void **state)
{
    struct case_state c;

    (void)state;
    set_up(&c);
    expect_none(&c, UINT64_MAX);
    assert_int_equal(trace_ring_drops(&c.rings[0]), 0);
    assert_int_equal(trace_ring_last_ns(&c.rings[0], TRACE_END, UINT64_MAX), 0);
}

static void test_texts(void **state)
{
    static const char longest[] = "0123456789abcdef0123456789abcdef0123456789abcde";
    char text[80];
    struct case_state c;

    (void)state;
    set_up(&c);
    /* Texts that just fill a slot, or just do not, and one that is cut. */
    for (unsigned length = 0; length < sizeof longest; length++) {
        snprintf(text, sizeof text, "%.*s", (int)length, longest);
        assert_true(push(&c.rings[1], length, TRACE_START, 7, text));
        expect(&c, 1, length, TRACE_START, 7, text);
    }
    snprintf(text, sizeof text, "%sf0123", longest);
    assert_true(push(&c.rings[1], 90, TRACE_MARK, 0, text));
    assert_true(push(&c.rings[1], 91, TRACE_IDLE, 0, NULL));
    expect(&c, 1, 90, TRACE_MARK, 0, longest);
    expect(&c, 1, 91, TRACE_IDLE, 0, "");
    expect_none(&c, UINT64_MAX);
}

/* Whatever the number of slots per event, and across the 32-bit wrap of the positions too. */
static void test_wrap_around(void **state)
{
    static const char *const texts[] = {"", "a name", "a name of two slots.",
                                        "and one of three, that "
                                        "is, 32 and more"};
    struct case_state c;

    (void)state;
    set_up(&c);
    c.rings[2].head = c.rings[2].tail = UINT32_MAX - 1000;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(push(&c.rings[2], i, TRACE_START, i, texts[i % 4]));
        assert_true(push(&c.rings[2], i, TRACE_WAKE, i, NULL));
        expect(&c, 2, i, TRACE_START, i, texts[i % 4]);
        expect(&c, 2, i, TRACE_WAKE, i, "");
    }
    assert_true(c.rings[2].head < 4000);
    assert_int_equal(trace_ring_drops(&c.rings[2]), 0);
}

static void test_full_ring_keeps_what_it_has(void **state)
{
    struct case_state c;
    uint32_t kept = 0;

    (void)state;
    set_up(&c);
    while (push(&c.rings[0], 100 + kept, TRACE_IPI, kept, NULL))
        kept++;
    assert_int_equal(kept, SLOTS - KEPT);
    for (uint32_t i = 0; i < 9; i++)
        assert_false(push(&c.rings[0], 1000, TRACE_IPI, 99, NULL));
    assert_int_equal(trace_ring_drops(&c.rings[0]), 10);
    assert_int_equal(trace_ring_drops(&c.rings[0]), 0);
    for (uint32_t i = 0; i < kept; i++)
        expect(&c, 0, 100 + i, TRACE_IPI, i, "");
    expect_none(&c, UINT64_MAX);
    assert_true(push(&c.rings[0], 2000, TRACE_IPI, 5, NULL));
    expect(&c, 0, 2000, TRACE_IPI, 5, "");
    assert_int_equal(trace_ring_drops(&c.rings[0]), 0);
}

static void test_text_needs_room_as_a_whole(void **state)
{
    static const char two_slots[] = "seventeen letters";
    struct case_state c;

    (void)state;
    set_up(&c);
    for (uint32_t i = 0; i < SLOTS - KEPT - 2; i++)
        assert_true(push(&c.rings[0], i, TRACE_IDLE, 0, NULL));
    assert_false(push(&c.rings[0], 500, TRACE_START, 1, two_slots)); /* one slot short */
    assert_true(push(&c.rings[0], 501, TRACE_START, 2, "one slot"));
    assert_int_equal(trace_ring_drops(&c.rings[0]), 1);
    for (uint32_t i = 0; i < SLOTS - KEPT - 2; i++)
        expect(&c, 0, i, TRACE_IDLE, 0, "");
    expect(&c, 0, 501, TRACE_START, 2, "one slot");
    expect_none(&c, UINT64_MAX);
}

static void test_marks_find_room_in_a_full_ring(void **state)
{
    static const char begin[] = "an experiment with a long name, round 12345678";
    struct case_state c;
    uint32_t pushed = 0;

    (void)state;
    set_up(&c);
    while (push(&c.rings[0], 1, TRACE_IDLE, 0, NULL))
        pushed++;
    assert_true(push(&c.rings[0], 2, TRACE_MARK, 0, begin));
    assert_false(push(&c.rings[0], 3, TRACE_IDLE, 0, NULL));
    assert_true(push(&c.rings[0], 4, TRACE_MARK, 0, begin));
    assert_false(push(&c.rings[0], 5, TRACE_MARK, 0, NULL)); /* there is an end */
    while (pushed-- > 0)
        expect(&c, 0, 1, TRACE_IDLE, 0, "");
    expect(&c, 0, 2, TRACE_MARK, 0, begin);
    expect(&c, 0, 4, TRACE_MARK, 0, begin);
    expect_none(&c, UINT64_MAX);
    assert_int_equal(trace_ring_drops(&c.rings[0]), 3);
}

static void test_merge_goes_by_time(void **state)
{
    struct case_state c;

    (void)state;
    set_up(&c);
    push(&c.rings[0], 10, TRACE_WAKE, 1, NULL);
    push(&c.rings[0], 40, TRACE_WAKE, 2, NULL);
    push(&c.rings[1], 20, TRACE_START, 3, "name");
    push(&c.rings[1], 0x100000000ull, TRACE_WAKE, 4, NULL);
    push(&c.rings[2], 30, TRACE_WAKE, 5, NULL);
    push(&c.rings[2], 30, TRACE_IPI, 6, NULL);
    expect_none(&c, 9);
    expect(&c, 0, 10, TRACE_WAKE, 1, "");
    expect(&c, 1, 20, TRACE_START, 3, "name");
    expect(&c, 2, 30, TRACE_WAKE, 5, "");
    expect(&c, 2, 30, TRACE_IPI, 6, "");
    expect_none(&c, 39); /* later ones stay where they are */
    expect(&c, 0, 40, TRACE_WAKE, 2, "");
    expect(&c, 1, 0x100000000ull, TRACE_WAKE, 4, "");
    expect_none(&c, UINT64_MAX);
}

/* Two CPUs exchange tasks 1 and 2 at the same time, which a third one has just woken. */
static void test_merge_at_the_same_time(void **state)
{
    struct case_state c;

    (void)state;
    set_up(&c);
    push(&c.rings[0], 10, TRACE_PREEMPT, 1, NULL);
    push(&c.rings[0], 10, TRACE_DISPATCH, 2, NULL);
    push(&c.rings[1], 10, TRACE_PREEMPT, 2, NULL);
    push(&c.rings[1], 10, TRACE_MIGRATE, 1, NULL);
    push(&c.rings[1], 10, TRACE_DISPATCH, 1, NULL);
    push(&c.rings[2], 10, TRACE_WAKE, 3, NULL);
    push(&c.rings[2], 10, TRACE_IPI, 0, NULL);
    expect(&c, 0, 10, TRACE_PREEMPT, 1, "");
    expect(&c, 1, 10, TRACE_PREEMPT, 2, "");
    expect(&c, 2, 10, TRACE_WAKE, 3, "");
    expect(&c, 2, 10, TRACE_IPI, 0, "");
    expect(&c, 0, 10, TRACE_DISPATCH, 2, "");
    expect(&c, 1, 10, TRACE_MIGRATE, 1, "");
    expect(&c, 1, 10, TRACE_DISPATCH, 1, "");
}

static void test_last_of_a_kind(void **state)
{
    struct case_state c;

    (void)state;
    set_up(&c);
    push(&c.rings[0], 10, TRACE_END, 1, NULL);
    push(&c.rings[0], 20, TRACE_MARK, 0, "a text of more slots than one, not to be read as events");
    push(&c.rings[0], 30, TRACE_END, 2, NULL);
    push(&c.rings[0], 40, TRACE_IDLE, 2, NULL);
    assert_int_equal(trace_ring_last_ns(&c.rings[0], TRACE_END, UINT64_MAX), 30);
    assert_int_equal(trace_ring_last_ns(&c.rings[0], TRACE_END, 29), 10);
    assert_int_equal(trace_ring_last_ns(&c.rings[0], TRACE_END, 9), 0);
    assert_int_equal(trace_ring_last_ns(&c.rings[0], TRACE_FAULT, UINT64_MAX), 0);
    expect(&c, 0, 10, TRACE_END, 1, ""); /* nothing was taken out */
}

/* Against a model: all events in one array, sorted by time, minus those that were refused. */
static void test_random_rings(void **state)
{
    enum { TURNS = 4000 };
    static struct {
        uint64_t ns;
        uint32_t ring;
        bool done;
    } events[TURNS];
    struct random random;
    struct case_state c;
    uint32_t count = 0, taken = 0, refused = 0, told = 0;

    (void)state;
    set_up(&c);
    random_seed(&random, 11);
    for (uint32_t turn = 0; turn < TURNS; turn++) {
        struct trace_event event;
        char text[TRACE_TEXT_BYTES];
        uint32_t ring = random_below(&random, RINGS);

        if (push(&c.rings[ring], turn, TRACE_WAKE, count, random_below(&random, 2) ? "text" : ""))
            events[count].ns = turn, events[count++].ring = ring;
        else
            refused++;
        if (random_below(&random, 400) != 0)
            continue;
        while ((ring = trace_merge_next(c.rings, RINGS, turn, &event, text)) != TRACE_NO_RING) {
            assert_int_equal(event.ns, events[taken].ns);
            assert_int_equal(event.pid, taken);
            assert_int_equal(ring, events[taken].ring);
            taken++;
        }
        assert_int_equal(taken, count);
    }
    for (uint32_t i = 0; i < RINGS; i++)
        told += trace_ring_drops(&c.rings[i]);
    assert_int_equal(told, refused);
    assert_in_range(refused, 1, TURNS - 1);
    assert_in_range(count, 1, TURNS - 1);
}

/* ---- One thread writes while another one reads ---- */

#define STRESS_EVENTS 300000u

static void text_of(uint32_t number, char *text)
{
    memset(text, 'a' + (int)(number % 26), number % TRACE_TEXT_BYTES);
    text[number % TRACE_TEXT_BYTES] = '\0';
}

static void *write_events(void *argument)
{
    struct trace_ring *ring = argument;
    char text[TRACE_TEXT_BYTES];

    for (uint32_t i = 1; i <= STRESS_EVENTS; i++) {
        text_of(i, text);
        if (!push(ring, i, TRACE_START, i, text))
            sched_yield(); /* so that the reader gets most of them, on one CPU too */
    }
    push(ring, STRESS_EVENTS + 1, TRACE_MARK, 0, "end"); /* for which there is always room */
    return NULL;
}

static void test_reader_beside_writer(void **state)
{
    struct case_state c;
    struct trace_event event = {0};
    char text[TRACE_TEXT_BYTES], wanted[TRACE_TEXT_BYTES];
    uint32_t received = 0;
    uint64_t last = 0;
    pthread_t writer;

    (void)state;
    set_up(&c);
    assert_int_equal(pthread_create(&writer, NULL, write_events, &c.rings[0]), 0);
    for (;;) {
        if (trace_merge_next(c.rings, 1, UINT64_MAX, &event, text) == TRACE_NO_RING) {
            sched_yield();
            continue;
        }
        if (event.kind == TRACE_MARK)
            break;
        text_of(event.pid, wanted);
        assert_int_equal(event.ns, event.pid);
        assert_true(event.ns > last);
        assert_string_equal(text, wanted);
        last = event.ns;
        received++;
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_int_equal(received + trace_ring_drops(&c.rings[0]), STRESS_EVENTS);
    assert_true(received > 100 * SLOTS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_wrap_around),
        cmocka_unit_test(test_full_ring_keeps_what_it_has),
        cmocka_unit_test(test_text_needs_room_as_a_whole),
        cmocka_unit_test(test_marks_find_room_in_a_full_ring),
        cmocka_unit_test(test_merge_goes_by_time),
        cmocka_unit_test(test_merge_at_the_same_time),
        cmocka_unit_test(test_last_of_a_kind),
        cmocka_unit_test(test_random_rings),
        cmocka_unit_test(test_reader_beside_writer),
    };

    return cmocka_run_group_tests_name("trace ring", tests, NULL, NULL);
}
