/*
 * Intrusive doubly linked list: the links are a member of what is listed, so inserting and
 * removing never allocate and never fail. It takes no lock; the owner of the list does. Pure.
 *
 * A ring through a head, which is a node that belongs to no entry:
 *
 *     head <-> first <-> ... <-> last <-> head
 */
#ifndef KERNEL_LIB_LIST_H
#define KERNEL_LIB_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* A head, or the links inside an entry. */
struct list_node {
    struct list_node *next;
    struct list_node *previous;
};

/* The entry of the given type whose `member` the node is. */
#define LIST_ENTRY(node, type, member) ((type *)(void *)((char *)(node)-offsetof(type, member)))

/* Walks the nodes in order. The current one must not be removed: see LIST_FOR_EACH_SAFE. */
#define LIST_FOR_EACH(node, head) \
    for (struct list_node *node = (head)->next; node != (head); node = node->next)

/* As LIST_FOR_EACH, where the body may remove the current node (but not the one after it). */
#define LIST_FOR_EACH_SAFE(node, head)                                                     \
    for (struct list_node *node = (head)->next, *node##_next = node->next; node != (head); \
         node = node##_next, node##_next = node->next)

/* Makes head an empty list, or an entry's node one that is on no list. */
static inline void list_init(struct list_node *node)
{
    node->next = node;
    node->previous = node;
}

/* Whether the list is empty; for an entry's node that was initialised, whether it is on none. */
static inline bool list_is_empty(const struct list_node *head)
{
    return head->next == head;
}

/* Puts a node that is on no list in front of another node; in front of the head is last. */
static inline void list_insert_before(struct list_node *place, struct list_node *node)
{
    node->next = place;
    node->previous = place->previous;
    place->previous->next = node;
    place->previous = node;
}

static inline void list_insert_first(struct list_node *head, struct list_node *node)
{
    list_insert_before(head->next, node);
}

static inline void list_insert_last(struct list_node *head, struct list_node *node)
{
    list_insert_before(head, node);
}

/* Takes a node off its list; one that is on no list stays so. */
static inline void list_remove(struct list_node *node)
{
    node->previous->next = node->next;
    node->next->previous = node->previous;
    list_init(node);
}

/* The first node, still on the list; NULL if the list is empty. */
static inline struct list_node *list_first(const struct list_node *head)
{
    return list_is_empty(head) ? NULL : head->next;
}

/* The last node, still on the list; NULL if the list is empty. */
static inline struct list_node *list_last(const struct list_node *head)
{
    return list_is_empty(head) ? NULL : head->previous;
}

/* Takes the first node off the list and returns it; NULL if the list is empty. */
static inline struct list_node *list_take_first(struct list_node *head)
{
    struct list_node *node = list_first(head);

    if (node != NULL) {
        list_remove(node);
    }
    return node;
}

#endif
