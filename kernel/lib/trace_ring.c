#include "kernel/lib/trace_ring.h"

#include <stddef.h>

#include "kernel/lib/string.h"

#define SLOT_BYTES sizeof(union trace_slot)
#define TEXT_SLOTS_MAX (TRACE_TEXT_BYTES / SLOT_BYTES)
#define MARKS_KEPT 2u /* a round's begin and end */
#define RESERVE_SLOTS (MARKS_KEPT * (1 + (uint32_t)TEXT_SLOTS_MAX))

_Static_assert(SLOT_BYTES == 16 && TRACE_TEXT_BYTES % SLOT_BYTES == 0, "texts fill whole slots");

void trace_ring_init(struct trace_ring *ring, union trace_slot *slots, uint32_t capacity)
{
    *ring = (struct trace_ring){.slots = slots, .capacity = capacity};
}

static union trace_slot *slot_at(const struct trace_ring *ring, uint32_t position)
{
    return &ring->slots[position & (ring->capacity - 1)];
}

/* ---- The writer's side ---- */

static void put_text(struct trace_ring *ring, uint32_t position, const char *text, size_t length)
{
    for (size_t done = 0; done < length; done += SLOT_BYTES) {
        size_t piece = length - done < SLOT_BYTES ? length - done : SLOT_BYTES;
        char *slot = slot_at(ring, position++)->text;

        memcpy(slot, text + done, piece);
        memset(slot + piece, 0, SLOT_BYTES - piece);
    }
}

bool trace_ring_push(struct trace_ring *ring, const struct trace_event *event, const char *text)
{
    size_t length = text == NULL ? 0 : strnlen(text, TRACE_TEXT_BYTES - 1);
    uint32_t text_slots = (uint32_t)((length + SLOT_BYTES - 1) / SLOT_BYTES);
    uint32_t used = ring->head - __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
    uint32_t kept = event->kind == TRACE_MARK ? 0 : RESERVE_SLOTS;
    union trace_slot *slot = slot_at(ring, ring->head);

    ring->last_ns = event->ns;
    if (ring->capacity - used < 1 + text_slots + kept) {
        __atomic_store_n(&ring->dropped, ring->dropped + 1, __ATOMIC_RELAXED);
        return false;
    }
    slot->event = *event;
    slot->event.text_slots = (uint8_t)text_slots;
    put_text(ring, ring->head + 1, text, length);
    /* What was written above is there for whoever sees the new head. */
    __atomic_store_n(&ring->head, ring->head + 1 + text_slots, __ATOMIC_RELEASE);
    return true;
}

/* ---- The reader's side ---- */

uint64_t trace_ring_last_ns(const struct trace_ring *ring, enum trace_kind kind, uint64_t until_ns)
{
    uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE), position = ring->tail;
    uint64_t last = 0;

    while (position != head) {
        const struct trace_event *event = &slot_at(ring, position)->event;

        if (event->ns > until_ns)
            break;
        if (event->kind == kind)
            last = event->ns;
        position += 1u + event->text_slots;
    }
    return last;
}

uint32_t trace_ring_drops(struct trace_ring *ring)
{
    uint32_t dropped = __atomic_load_n(&ring->dropped, __ATOMIC_RELAXED);
    uint32_t news = dropped - ring->drops_told;

    ring->drops_told = dropped;
    return news;
}

/* The oldest event in a ring, or NULL. */
static const struct trace_event *peek(const struct trace_ring *ring)
{
    if (__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) == ring->tail)
        return NULL;
    return &slot_at(ring, ring->tail)->event;
}

/* A task leaves one CPU before it goes to another, and is woken before it runs. */
static unsigned rank_of(const struct trace_event *event)
{
    switch (event->kind) {
    case TRACE_PREEMPT:
    case TRACE_BLOCK:
    case TRACE_END:
        return 0;
    case TRACE_MIGRATE:
    case TRACE_DISPATCH:
        return 2;
    default:
        return 1;
    }
}

static bool is_before(const struct trace_event *a, const struct trace_event *b)
{
    return a->ns != b->ns ? a->ns < b->ns : rank_of(a) < rank_of(b);
}

static void take(struct trace_ring *ring, struct trace_event *event, char *text)
{
    uint32_t position = ring->tail;

    *event = slot_at(ring, position++)->event;
    for (uint32_t i = 0; i < event->text_slots; i++)
        memcpy(text + i * SLOT_BYTES, slot_at(ring, position++)->text, SLOT_BYTES);
    if (event->text_slots < TEXT_SLOTS_MAX)
        text[event->text_slots * SLOT_BYTES] = '\0';
    /* The writer may fill these slots again once it sees that we are done with them. */
    __atomic_store_n(&ring->tail, position, __ATOMIC_RELEASE);
}

uint32_t trace_merge_next(struct trace_ring *rings, uint32_t count, uint64_t until_ns,
                          struct trace_event *event, char text[TRACE_TEXT_BYTES])
{
    const struct trace_event *first = NULL;
    uint32_t found = TRACE_NO_RING;

    for (uint32_t i = 0; i < count; i++) {
        const struct trace_event *candidate = peek(&rings[i]);

        if (candidate == NULL || candidate->ns > until_ns)
            continue;
        if (first == NULL || is_before(candidate, first)) {
            first = candidate;
            found = i;
        }
    }
    if (found != TRACE_NO_RING)
        take(&rings[found], event, text);
    return found;
}
