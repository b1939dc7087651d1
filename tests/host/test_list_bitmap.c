/* kernel/lib/list and kernel/lib/bitmap, the bitmap against an array of bool. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "kernel/lib/bitmap.h"
#include "kernel/lib/list.h"
#include "kernel/lib/random.h"

struct item {
    int number;
    struct list_node node;
};

/* The numbers on the list as digits of one number, first digit first. */
static int digits_of(const struct list_node *head)
{
    int digits = 0;

    LIST_FOR_EACH(node, head)
    {
        assert_ptr_equal(node->next->previous, node);
        assert_ptr_equal(node->previous->next, node);
        digits = digits * 10 + LIST_ENTRY(node, struct item, node)->number;
    }
    return digits;
}

static void make(struct item items[4], struct list_node *head)
{
    list_init(head);
    for (int i = 0; i < 4; i++) {
        items[i].number = i + 1;
        list_init(&items[i].node);
    }
}

static void test_list_is_empty_after_init(void **state)
{
    struct list_node head;

    (void)state;
    list_init(&head);
    assert_true(list_is_empty(&head));
    assert_null(list_first(&head));
    assert_null(list_last(&head));
    assert_null(list_take_first(&head));
    assert_int_equal(digits_of(&head), 0);
}

static void test_list_keeps_order(void **state)
{
    struct item items[4];
    struct list_node head;

    (void)state;
    make(items, &head);
    list_insert_last(&head, &items[1].node);
    list_insert_last(&head, &items[2].node);
    list_insert_first(&head, &items[0].node);
    list_insert_before(&items[2].node, &items[3].node);
    assert_int_equal(digits_of(&head), 1243);
    assert_ptr_equal(list_first(&head), &items[0].node);
    assert_ptr_equal(list_last(&head), &items[2].node);
    assert_ptr_equal(list_take_first(&head), &items[0].node);
    assert_int_equal(digits_of(&head), 243);
}

static void test_list_removal(void **state)
{
    struct item items[4];
    struct list_node head;

    (void)state;
    make(items, &head);
    for (int i = 0; i < 4; i++) {
        list_insert_last(&head, &items[i].node);
    }
    list_remove(&items[1].node);
    assert_true(list_is_empty(&items[1].node)); /* on no list */
    list_remove(&items[1].node);                /* harmless */
    assert_int_equal(digits_of(&head), 134);
    list_insert_last(&head, &items[1].node);
    assert_int_equal(digits_of(&head), 1342);
    LIST_FOR_EACH_SAFE(node, &head)
    {
        if (LIST_ENTRY(node, struct item, node)->number != 3) {
            list_remove(node);
        }
    }
    assert_int_equal(digits_of(&head), 3);
}

static void check_bitmap(const struct bitmap *map, const bool *expected)
{
    uint32_t count = 0;
    uint32_t found = bitmap_first(map);

    for (uint32_t i = 0; i < BITMAP_BITS; i++) {
        assert_int_equal(bitmap_test(map, i), expected[i]);
        if (expected[i]) {
            assert_int_equal(found, i);
            found = bitmap_next(map, i + 1);
            count++;
        }
    }
    assert_int_equal(found, BITMAP_NONE);
    assert_int_equal(bitmap_count(map), count);
    assert_int_equal(bitmap_is_empty(map), count == 0);
}

static void test_bitmap_against_an_array(void **state)
{
    struct bitmap map = {{0}};
    bool expected[BITMAP_BITS] = {false};
    struct random random;

    (void)state;
    random_seed(&random, 5);
    check_bitmap(&map, expected);
    for (unsigned turn = 0; turn < 2000; turn++) {
        uint32_t number = random_below(&random, BITMAP_BITS);

        expected[number] = random_below(&random, 2) != 0;
        if (expected[number]) {
            bitmap_set(&map, number);
        } else {
            bitmap_clear(&map, number);
        }
        check_bitmap(&map, expected);
    }
}

static void test_bitmap_and(void **state)
{
    struct bitmap a = {{0}}, b = {{0}};

    (void)state;
    assert_int_equal(bitmap_first_and(&a, &b), BITMAP_NONE);
    bitmap_set_first(&a, 40);
    assert_int_equal(bitmap_count(&a), 40);
    assert_false(bitmap_test(&a, 40));
    bitmap_set(&b, 33);
    bitmap_set(&b, 39);
    bitmap_set(&b, BITMAP_BITS - 1);
    assert_int_equal(bitmap_first_and(&a, &b), 33);

    struct bitmap both = bitmap_and(&a, &b);

    assert_int_equal(bitmap_count(&both), 2);
    bitmap_set_first(&a, BITMAP_BITS);
    bitmap_clear(&b, 33);
    bitmap_clear(&b, 39);
    assert_int_equal(bitmap_first_and(&a, &b), BITMAP_BITS - 1);
    bitmap_set_first(&a, 0);
    assert_true(bitmap_is_empty(&a));
}

static void test_bitmap_search_ends(void **state)
{
    struct bitmap map;
    uint32_t visited = 0;

    (void)state;
    bitmap_set_first(&map, BITMAP_BITS);
    assert_int_equal(bitmap_next(&map, BITMAP_BITS - 1), BITMAP_BITS - 1);
    assert_int_equal(bitmap_next(&map, BITMAP_BITS), BITMAP_NONE);
    assert_int_equal(bitmap_next(&map, UINT32_MAX), BITMAP_NONE);
    BITMAP_FOR_EACH(number, &map)
    {
        assert_int_equal(number, visited++);
        bitmap_clear(&map, number);
    }
    assert_int_equal(visited, BITMAP_BITS);
    assert_true(bitmap_is_empty(&map));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list_is_empty_after_init),
        cmocka_unit_test(test_list_keeps_order),
        cmocka_unit_test(test_list_removal),
        cmocka_unit_test(test_bitmap_against_an_array),
        cmocka_unit_test(test_bitmap_and),
        cmocka_unit_test(test_bitmap_search_ends),
    };

    return cmocka_run_group_tests_name("list and bitmap", tests, NULL, NULL);
}
