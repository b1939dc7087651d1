#include "arch/x86/decode/memory_map.h"

#include <stdbool.h>

#include "kernel/lib/string.h"

#define RAM 1u
#define PAGE_MASK ((uint64_t)MEMORY_PAGE_BYTES - 1)

/* Firmware of some boards writes to the first 64 KiB behind the back of the system. */
#define QUIET_START 0x10000u
#define LOW_PAGE_START 0x1000u /* page 0 holds the real-mode vectors and the BIOS data area */
#define LOW_PAGE_END 0x9f000u  /* the vectors from A0 up are reserved, and so is the EBDA's page */
#define EBDA_LOWEST 0x20000u

static uint64_t round_down(uint64_t address)
{
    return address & ~PAGE_MASK;
}

/* The last page of the 64-bit space is out of bounds, so that rounding up cannot wrap around. */
static uint64_t round_up(uint64_t address)
{
    return address > ~PAGE_MASK ? ~PAGE_MASK : round_down(address + PAGE_MASK);
}

/* One past the last byte; a range that wraps around ends where addresses do. */
static uint64_t end_of(const struct memory_range *range)
{
    uint64_t end = range->base + range->length_bytes;

    return end < range->base ? UINT64_MAX : end;
}

static void remove_slots(struct memory_map *map, unsigned first, unsigned count)
{
    memmove(&map->free[first], &map->free[first + count],
            (map->count - first - count) * sizeof(map->free[0]));
    map->count -= count;
}

/* Puts a range into slot `slot`. Returns how many slots that took: 0 or 1. */
static unsigned insert_slot(struct memory_map *map, unsigned slot, uint64_t start, uint64_t end)
{
    if (map->count == MEMORY_MAP_MAX) {
        map->unused_bytes += end - start;
        return 0;
    }
    memmove(&map->free[slot + 1], &map->free[slot], (map->count - slot) * sizeof(map->free[0]));
    map->free[slot] = (struct memory_range){start, end - start, RAM};
    map->count++;
    return 1;
}

/* Adds a range, joining it with those it touches or overlaps. */
static void add_range(struct memory_map *map, uint64_t start, uint64_t end)
{
    unsigned first = 0, next;

    while (first < map->count && end_of(&map->free[first]) < start)
        first++;
    for (next = first; next < map->count && map->free[next].base <= end; next++) {
        if (map->free[next].base < start)
            start = map->free[next].base;
        if (end_of(&map->free[next]) > end)
            end = end_of(&map->free[next]);
    }
    remove_slots(map, first, next - first);
    insert_slot(map, first, start, end);
}

/* Takes away whatever of [start, end) is in the map. */
static void cut_range(struct memory_map *map, uint64_t start, uint64_t end)
{
    for (unsigned slot = 0; slot < map->count;) {
        uint64_t free_start = map->free[slot].base;
        uint64_t free_end = end_of(&map->free[slot]);

        if (free_end <= start || free_start >= end) {
            slot++;
            continue;
        }
        remove_slots(map, slot, 1);
        if (free_start < start)
            slot += insert_slot(map, slot, free_start, start);
        if (free_end > end)
            slot += insert_slot(map, slot, end, free_end);
    }
}

static void cut_pages(struct memory_map *map, const struct memory_range *range)
{
    if (range->length_bytes != 0)
        cut_range(map, round_down(range->base), round_up(end_of(range)));
}

/* Only now are the edges rounded: RAM told in two halves of a page is a whole page. */
static void round_inwards(struct memory_map *map)
{
    for (unsigned slot = 0; slot < map->count;) {
        uint64_t start = round_up(map->free[slot].base);
        uint64_t end = round_down(end_of(&map->free[slot]));

        if (start < end)
            map->free[slot++] = (struct memory_range){start, end - start, RAM};
        else
            remove_slots(map, slot, 1);
    }
}

static uint64_t sum_bytes(const struct memory_map *map)
{
    uint64_t sum = 0;

    for (unsigned slot = 0; slot < map->count; slot++)
        sum += map->free[slot].length_bytes;
    return sum;
}

void memory_map_build(const struct memory_range *ranges, unsigned range_count,
                      const struct memory_range *reserved, unsigned reserved_count, uint64_t limit,
                      struct memory_map *out)
{
    memset(out, 0, sizeof(*out));
    for (unsigned i = 0; i < range_count; i++) {
        if (ranges[i].type == RAM && ranges[i].length_bytes != 0)
            add_range(out, ranges[i].base, end_of(&ranges[i]));
    }
    for (unsigned i = 0; i < range_count; i++) {
        if (ranges[i].type != RAM)
            cut_pages(out, &ranges[i]);
    }
    for (unsigned i = 0; i < reserved_count; i++)
        cut_pages(out, &reserved[i]);
    round_inwards(out);
    out->unused_bytes += sum_bytes(out);
    cut_range(out, round_down(limit), UINT64_MAX);
    out->free_bytes = sum_bytes(out);
    out->unused_bytes -= out->free_bytes;
}

/* Is the page at `page` free? */
static bool page_free(const struct memory_map *map, uint32_t page)
{
    for (unsigned slot = 0; slot < map->count; slot++) {
        if (map->free[slot].base <= page && page < end_of(&map->free[slot]))
            return true;
    }
    return false;
}

uint32_t memory_map_low_page(const struct memory_map *map, uint16_t ebda_segment, uint16_t base_kib)
{
    uint32_t ebda = (uint32_t)ebda_segment << 4;
    uint32_t base_end = (uint32_t)base_kib << 10;
    uint32_t end = LOW_PAGE_END;

    if (ebda >= EBDA_LOWEST && ebda < end)
        end = ebda;
    if (base_end != 0 && base_end < end)
        end = base_end;
    for (uint32_t page = QUIET_START; page + MEMORY_PAGE_BYTES <= end; page += MEMORY_PAGE_BYTES) {
        if (page_free(map, page))
            return page;
    }
    for (uint32_t page = QUIET_START; page > LOW_PAGE_START;) {
        page -= MEMORY_PAGE_BYTES;
        if (page + MEMORY_PAGE_BYTES <= end && page_free(map, page))
            return page;
    }
    return 0;
}
