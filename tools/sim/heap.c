#include "tools/sim/heap.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void *allocate(uint32_t count, size_t size)
{
    void *memory = malloc((size_t)count * size + 1);

    if (memory == NULL) {
        fprintf(stderr, "schedsim: no memory for %u events\n", count);
        exit(2);
    }
    return memory;
}

void heap_init(struct heap *heap, uint32_t count)
{
    *heap = (struct heap){.times = allocate(count, sizeof *heap->times),
                          .order = allocate(count, sizeof *heap->order),
                          .position = allocate(count, sizeof *heap->position)};
    for (uint32_t number = 0; number < count; number++)
        heap->times[number] = HEAP_NEVER;
}

void heap_free(struct heap *heap)
{
    free(heap->times);
    free(heap->order);
    free(heap->position);
}

static bool comes_before(const struct heap *heap, uint32_t a, uint32_t b)
{
    return heap->times[a] != heap->times[b] ? heap->times[a] < heap->times[b] : a < b;
}

static void put(struct heap *heap, uint32_t place, uint32_t number)
{
    heap->order[place] = number;
    heap->position[number] = place;
}

static void sift_up(struct heap *heap, uint32_t place)
{
    uint32_t number = heap->order[place];

    while (place > 0 && comes_before(heap, number, heap->order[(place - 1) / 2])) {
        put(heap, place, heap->order[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put(heap, place, number);
}

static void sift_down(struct heap *heap, uint32_t place)
{
    uint32_t number = heap->order[place];

    for (uint32_t child; (child = 2 * place + 1) < heap->length; place = child) {
        if (child + 1 < heap->length &&
            comes_before(heap, heap->order[child + 1], heap->order[child]))
            child++;
        if (comes_before(heap, number, heap->order[child]))
            break;
        put(heap, place, heap->order[child]);
    }
    put(heap, place, number);
}

static void remove_at(struct heap *heap, uint32_t place)
{
    uint32_t last = heap->order[--heap->length];

    heap->times[heap->order[place]] = HEAP_NEVER;
    if (place == heap->length)
        return;
    put(heap, place, last);
    sift_up(heap, place);
    sift_down(heap, heap->position[last]);
}

void heap_set(struct heap *heap, uint32_t number, uint64_t time)
{
    uint64_t old = heap->times[number];

    if (time == old)
        return;
    if (time == HEAP_NEVER) {
        remove_at(heap, heap->position[number]);
        return;
    }
    heap->times[number] = time;
    if (old == HEAP_NEVER) {
        put(heap, heap->length, number);
        sift_up(heap, heap->length++);
    } else if (time < old) {
        sift_up(heap, heap->position[number]);
    } else {
        sift_down(heap, heap->position[number]);
    }
}

uint32_t heap_take(struct heap *heap, uint64_t *time)
{
    uint32_t number;

    *time = HEAP_NEVER;
    if (heap->length == 0)
        return 0;
    number = heap->order[0];
    *time = heap->times[number];
    remove_at(heap, 0);
    return number;
}
