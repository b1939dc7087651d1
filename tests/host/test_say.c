/* What each experiment says of its numbers: one case for each of its sentences. */
#include "tests/host/say_case.h"

static void begin_one(const struct experiment *experiment)
{
    begin(experiment);
    run_add_variant(&run, "", 2);
}

static void test_solo(void **state)
{
    (void)state;
    begin_one(&exp_solo);
    add_time("", 2345678);
    expect("2.345 s, the time all others are compared with");
    begin_one(&exp_solo);
    add_time("", 1000);
    add_time("", 1000);
    add_time("", 1300);
    expect("the same work takes up to 30 % longer for no reason of ours: what follows is no "
           "better");
}

static const struct experiment *const placed[] = {&exp_pair, &exp_peg};
#define PLACED (sizeof placed / sizeof placed[0])

/* Two tasks that the policy placed. */
static void expect_placed(const uint32_t times[2][3], const char *sentence)
{
    for (unsigned i = 0; i < PLACED; i++) {
        begin_one(placed[i]);
        for (unsigned task = 0; task < 2; task++)
            add_task(times[task][0], times[task][1], times[task][2]);
        expect(sentence);
    }
}

static void test_placed(void **state)
{
    (void)state;
    expect_placed((const uint32_t[2][3]){{0, 1000, 0}, {10, 1000, 0}},
                  "as if each task were alone: each had a core of its own");
    expect_placed((const uint32_t[2][3]){{0, 2000, 0}, {0, 2000, 0}},
                  "each task had a core of its own, and yet it took 2.00 times its time alone");
    expect_placed((const uint32_t[2][3]){{0, 1000, 0}, {1000, 1000, 0}},
                  "tasks waited for a CPU for 33 % of their time, and took up to 2.00 times as "
                  "long as alone");
    expect_placed((const uint32_t[2][3]){{0, 1000, 0}, {0, 1140, 1140}},
                  "luck of the draw: 1 had a core of their own, 1 had to share one");
    expect_placed((const uint32_t[2][3]){{0, 1500, 1500}, {0, 1510, 1500}},
                  "the threads of a core were shared all the time, and that costs 1.50 times the "
                  "time alone");
    expect_placed((const uint32_t[2][3]){{900, 1500, 1500}, {900, 1500, 1500}},
                  "the threads of a core were shared all the time, and that costs 2.40 times the "
                  "time alone");
    expect_placed((const uint32_t[2][3]){{0, 1000, 0}, {0, 1000, 400}},
                  "a core was shared for 20 % of the time");
    expect_placed((const uint32_t[2][3]){{0, 1000, 0}, {0, 1000, 3}},
                  "a core was shared for less than 1 % of the time");
    for (unsigned i = 0; i < PLACED; i++) {
        begin_one(placed[i]);
        expect("nothing has run");
    }
}

static void expect_siblings(uint32_t us, uint32_t shared_us, const char *sentence)
{
    begin_one(&exp_siblings);
    add_task(0, us, shared_us);
    add_task(0, us, shared_us);
    expect(sentence);
}

static void test_siblings(void **state)
{
    (void)state;
    expect_siblings(1040, 1040,
                    "a task that shares its core all along takes 1.04 times its time alone: "
                    "sharing costs nothing to speak of");
    expect_siblings(1500, 1480,
                    "a task that shares its core all along takes 1.50 times its time alone: with "
                    "two threads the core does 1.33 times the work that it does with one");
    expect_siblings(2000, 2000,
                    "a task that shares its core all along takes 2.00 times its time alone: the "
                    "second thread brings nothing, one after the other is as fast");
    expect_siblings(2500, 2500,
                    "a task that shares its core all along takes 2.50 times its time alone: the "
                    "second thread does harm, one after the other is faster");
    expect_siblings(1300, 650,
                    "the two were at work together for only 50 % of the time, and so a task takes "
                    "1.30 times its time alone");
}

/* Two tasks that take turns: what the first and the last wait and take. */
static void expect_turns(uint32_t first_wait, uint32_t first, uint32_t last, const char *sentence)
{
    begin_one(&exp_same_cpu);
    add_task(first_wait, first - first_wait, 0);
    add_task(last / 2, last - last / 2, 0);
    add("", SERIES_MAKESPAN, last);
    expect(sentence);
}

static void test_same_cpu(void **state)
{
    (void)state;
    expect_turns(0, 1000, 2000,
                 "one ran to its end before the other's turn came: it took 1.00 times its time "
                 "alone, both together 2.00; taking turns costs nothing but the wait");
    expect_turns(900, 1900, 2000,
                 "they took turns, and even the first to end took 1.90 times its time alone, both "
                 "together 2.00; taking turns costs nothing but the wait");
    expect_turns(700, 1700, 1750,
                 "they took turns, and even the first to end took 1.70 times its time alone, both "
                 "together 1.75; that is less than one after the other takes");
    expect_turns(1100, 2100, 2300,
                 "they took turns, and even the first to end took 2.10 times its time alone, both "
                 "together 2.30; taking turns itself costs time");
    begin_one(&exp_same_cpu);
    expect("nothing has run");
}

static void expect_fill(uint32_t at_once, uint32_t in_batches, const char *sentence)
{
    begin_one(&exp_fill);
    run_add_variant(&run, "batches", 2);
    add_time("", at_once);
    add_time("batches", in_batches);
    expect(sentence);
}

static void test_fill(void **state)
{
    (void)state;
    expect_fill(1500, 2000,
                "all at once takes 1.50 solo times, one a core at a time 2.00: second threads are "
                "worth having");
    expect_fill(2400, 2000,
                "all at once takes 2.40 solo times, one a core at a time 2.00: second threads do "
                "harm");
    expect_fill(1990, 2000,
                "all at once takes 1.99 solo times, one a core at a time 2.00: no difference to "
                "speak of");
}

static void expect_slice(uint32_t long_wait, uint32_t short_wait, const char *sentence)
{
    begin_prepared(&exp_slice, true, 64);
    add("slice_10ms", SERIES_WAIT, long_wait);
    add("slice_1ms", SERIES_WAIT, short_wait);
    expect(sentence);
}

static void test_slice(void **state)
{
    (void)state;
    expect_slice(5000, 500,
                 "a job of 1000 us waits 5000 us with slices of 10 ms and 500 us with 1 ms, so it "
                 "is answered sooner, for which tasks that take turns pay 0.20 % of their time "
                 "instead of 0.02 %");
    expect_slice(900, 500,
                 "a job of 1000 us waits 900 us with slices of 10 ms and 500 us with 1 ms, which "
                 "is no gain for the 0.20 % that tasks that take turns pay of their time instead "
                 "of 0.02 %");
}

/* What 16 jobs take as 1, 2, 4, 8, 16 at a time, and how long each takes. */
static void expect_oversub(const uint32_t times[5], const char *sentence)
{
    static const char *const names[] = {"j1", "j2", "j4", "j8", "j16"};

    main_options.tasks = 16;
    begin_prepared(&exp_oversub, true, 64);
    assert_int_equal(run.variant_count, 5);
    for (uint32_t i = 0; i < 5; i++) {
        add_time(names[i], times[i]);
        add(names[i], SERIES_RESPONSE, 1000 * (i + 1));
    }
    expect(sentence);
}

static void test_oversub(void **state)
{
    (void)state;
    expect_oversub((const uint32_t[]){16000, 8000, 6000, 6000, 6100},
                   "4 tasks at a time get the 16 jobs done in 6.00 times one job's time; with all "
                   "at once it takes 6.10, and each job 1.67 times as long");
    expect_oversub((const uint32_t[]){16000, 16100, 16200, 16300, 16400},
                   "1 task at a time gets the 16 jobs done in 16.00 times one job's time; with all "
                   "at once it takes 16.40, and each job 5.00 times as long");
    expect_oversub((const uint32_t[]){16000, 8000, 7000, 6000, 5000},
                   "16 tasks at a time get the 16 jobs done in 5.00 times one job's time, and "
                   "fewer take longer");
    main_options.tasks = 1;
    begin_prepared(&exp_oversub, true, 64);
    add_time("j1", 1010);
    expect("a single job leaves no choice; it takes 1.01 times its time alone");
}

static void expect_kinds(uint32_t computing, uint32_t waiting, const char *sentence)
{
    begin_prepared(&exp_memory, true, 64);
    add_time("md5_md5_sibling", computing);
    if (waiting != 0)
        add_time("chase_chase_sibling", waiting);
    expect(sentence);
}

static void test_memory(void **state)
{
    (void)state;
    expect_kinds(1600, 1100,
                 "beside its own kind on a core, what computes is slower by 1.60 and what waits "
                 "for memory by 1.10: a second thread is worth most to those who wait");
    expect_kinds(1100, 1600,
                 "beside its own kind on a core, what computes is slower by 1.10 and what waits "
                 "for memory by 1.60: here those who compute gain more");
    expect_kinds(1500, 1550,
                 "beside its own kind on a core, what computes is slower by 1.50 and what waits "
                 "for memory by 1.55: no difference to speak of");
    expect_kinds(1500, 0, "too little could be measured to say anything");
    begin_prepared(&exp_memory, false, 64);
    add_time("chase_chase_core", 1070);
    expect("on cores of their own, two that wait for memory are slower by 1.07");
}

/* First passes after staying, and after moves, in thousandths of a warm one. */
static void expect_migrate(const uint32_t firsts[4], const char *sentence)
{
    begin(&exp_migrate);
    for (unsigned place = 0; place < 4 && firsts[place] != 0; place++) {
        const char *name = places_distance_name((enum places_distance)place);

        run_add_variant(&run, name, 1);
        add_time(name, firsts[place]);
    }
    expect(sentence);
}

static void test_migrate(void **state)
{
    (void)state;
    expect_migrate((const uint32_t[]){1200, 1250, 1300, 0},
                   "the first pass takes 1.20 times a warm one where the task stays, 1.25 on the "
                   "sibling, 1.30 on another core: moving is about free");
    expect_migrate((const uint32_t[]){1200, 1250, 1900, 3000},
                   "the first pass takes 1.20 times a warm one where the task stays, 1.25 on the "
                   "sibling, 1.90 on another core, 3.00 in another package: what it left behind is "
                   "missed on another core first");
    expect_migrate((const uint32_t[]){1200, 0, 0, 0},
                   "the first pass takes 1.20 times a warm one where the task stays; there is "
                   "nowhere else to go");
}

static void expect_pause(uint32_t together, uint32_t alone, uint32_t resumed, const char *sentence)
{
    begin_prepared(&exp_pause, true, 64);
    add_time("together", together);
    add_time("other_paused", alone);
    add_time("resumed", resumed);
    expect(sentence);
}

static void test_pause(void **state)
{
    (void)state;
    expect_pause(1050, 1000, 1000,
                 "two on one core take 1.05 times the time alone, so there is nothing that a pause "
                 "could give back (1.00 beside a paused one, 1.00 after its own pause)");
    expect_pause(1500, 1000, 1020,
                 "two on one core are slower by 1.50, and whoever is left alone by a pause is as "
                 "fast as alone at once (1.00 beside a paused one, 1.02 after its own pause)");
    expect_pause(1500, 1000, 1300,
                 "two on one core are slower by 1.50, and the one left alone by a pause does not "
                 "get all of that back (1.00 beside a paused one, 1.30 after its own pause)");
}

/* How long two chases take: mixed by hand, on two threads (0: there are none), by turns. */
static void expect_chases(uint32_t by_hand, uint32_t threads, const char *sentence)
{
    begin_prepared(&exp_interleave, threads != 0, 64);
    add_time("md5_one_task", 1800);
    add_time("md5_turns", 2000);
    add_time("chase_one_task", by_hand);
    add_time("chase_turns", 2000);
    if (threads != 0) {
        add_time("md5_siblings", 1500);
        add_time("chase_siblings", threads);
    }
    expect(sentence);
}

static void test_interleave(void **state)
{
    (void)state;
    expect_chases(1100, 1200,
                  "two md5 streams take 1.80 in one task, 1.50 on two threads, 2.00 by turns; "
                  "two chase streams take 1.10 in one task, 1.20 on two threads, 2.00 by turns: a "
                  "core's threads get in hardware what one can program by hand, to work on one "
                  "stream while the other waits");
    expect_chases(1100, 1900,
                  "two md5 streams take 1.80 in one task, 1.50 on two threads, 2.00 by turns; "
                  "two chase streams take 1.10 in one task, 1.90 on two threads, 2.00 by turns: "
                  "only mixing them by hand lets one work while the other waits");
    expect_chases(1900, 1200,
                  "two md5 streams take 1.80 in one task, 1.50 on two threads, 2.00 by turns; "
                  "two chase streams take 1.90 in one task, 1.20 on two threads, 2.00 by turns: "
                  "only the core's threads let one work while the other waits");
    expect_chases(1900, 1900,
                  "two md5 streams take 1.80 in one task, 1.50 on two threads, 2.00 by turns; "
                  "two chase streams take 1.90 in one task, 1.90 on two threads, 2.00 by turns: "
                  "whatever one does, they take as long as one after the other");
    expect_chases(1900, 0,
                  "two md5 streams take 1.80 in one task, 2.00 by turns; two chase streams take "
                  "1.90 in one task, 2.00 by turns: whatever one does, they take as long as one "
                  "after the other");
    begin_prepared(&exp_interleave, false, 0);
    add_time("md5_one_task", 1700);
    add_time("md5_turns", 2000);
    expect("two md5 streams take 1.70 in one task, 2.00 by turns: only mixing them by hand lets "
           "one work while the other waits");
}

/* Each kind beside its own, and integers beside x87. 0: it cannot be done here. */
static void expect_module(uint32_t integer, uint32_t vector, uint32_t x87, uint32_t apart,
                          const char *sentence)
{
    begin_prepared(&exp_module, true, 64);
    add_time("int_int_sibling", integer);
    if (vector != 0)
        add_time("simd_simd_sibling", vector);
    if (x87 != 0) {
        add_time("x87_x87_sibling", x87);
        add_time("int_x87_sibling", apart);
    }
    expect(sentence);
}

static void test_module(void **state)
{
    (void)state;
    expect_module(1020, 1100, 1800, 1000,
                  "integer work beside its own kind is slower by 1.02, vector or floating-point "
                  "work by 1.80: a module, two integer cores with one floating-point unit");
    expect_module(1020, 1030, 1010, 1000,
                  "integer work beside its own kind is slower by 1.02, vector or floating-point "
                  "work by 1.03: nothing that this work needs is shared");
    expect_module(2000, 2000, 2000, 2000,
                  "integer work beside its own kind is slower by 2.00, vector or floating-point "
                  "work by 2.00: whatever they do, only one of the two makes progress at a time");
    expect_module(1700, 1600, 1500, 1200,
                  "integer work beside its own kind is slower by 1.70, vector or floating-point "
                  "work by 1.60: SMT, and unlike work is less in the way, 1.20");
    expect_module(1500, 1600, 1500, 1450,
                  "integer work beside its own kind is slower by 1.50, vector or floating-point "
                  "work by 1.60: SMT, where all units are shared");
    expect_module(1020, 0, 0, 0,
                  "integer work beside its own kind is slower by 1.02: nothing that this work "
                  "needs is shared");
}

static void test_siblings_that_took_turns(void **state)
{
    static const struct experiment *const side_by_side[] = {&exp_memory, &exp_pause, &exp_module};

    (void)state;
    for (unsigned i = 0; i < sizeof side_by_side / sizeof side_by_side[0]; i++) {
        begin_prepared(side_by_side[i], true, 64);
        run_add_accounts(&run.variants[0], 1000 * MS, 1000 * MS, 0);
        expect("under this policy the two never ran at the same time, so this says nothing of what "
               "they share");
        begin_prepared(side_by_side[i], true, 64);
        run_add_accounts(&run.variants[0], 1000 * MS, 1000 * MS, 1000 * MS);
        expect_not("never ran");
        begin_prepared(side_by_side[i], true, 64);
        run_add_accounts(&run.variants[0], 1000 * MS, 0, 0);
        expect_not("never ran");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_solo),
        cmocka_unit_test(test_placed),
        cmocka_unit_test(test_siblings),
        cmocka_unit_test(test_same_cpu),
        cmocka_unit_test(test_fill),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_oversub),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_migrate),
        cmocka_unit_test(test_pause),
        cmocka_unit_test(test_interleave),
        cmocka_unit_test(test_module),
        cmocka_unit_test(test_siblings_that_took_turns),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
