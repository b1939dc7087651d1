#include "kernel/memory.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernel/panic.h"
#include "kernel/spinlock.h"

#define PAGES (MEMORY_LIMIT / PAGE_BYTES)
#define LARGE_PAGES (LARGE_PAGE_BYTES / PAGE_BYTES)
#define LARGE_WORDS (LARGE_PAGES / 32) /* of free_bits, for one large page */
#define LARGE_BLOCKS (PAGES / LARGE_PAGES)

static struct spinlock memory_lock = SPINLOCK("memory");
static uint32_t free_bits[PAGES / 32]; /* a set bit is a free page; guarded by memory_lock */
static uint32_t search_hint;           /* where the last search ended */
static struct memory_counts counts;

static bool is_free(uint32_t page)
{
    return free_bits[page / 32] >> page % 32 & 1;
}

static void set_free(uint32_t page, bool free)
{
    uint32_t mask = 1u << page % 32;

    ASSERT(is_free(page) != free);
    if (free)
        free_bits[page / 32] |= mask;
    else
        free_bits[page / 32] &= ~mask;
    counts.free_pages += free ? 1 : -1u;
}

void memory_add(uint32_t start, uint32_t end)
{
    ASSERT(start % PAGE_BYTES == 0 && end % PAGE_BYTES == 0 && end <= MEMORY_LIMIT);
    for (uint32_t page = start / PAGE_BYTES; page < end / PAGE_BYTES; page++) {
        set_free(page, true);
        counts.total_pages++;
    }
}

/* First page of a run of `count` free pages in [from, to), or `to`. */
static uint32_t find_run(uint32_t from, uint32_t to, unsigned count)
{
    unsigned run = 0;

    for (uint32_t page = from; page < to; page++) {
        if (run == 0 && page % 32 == 0 && free_bits[page / 32] == 0) {
            page += 31; /* a whole word of used pages */
            continue;
        }
        run = is_free(page) ? run + 1 : 0;
        if (run == count)
            return page + 1 - count;
    }
    return to;
}

void *memory_allocate(unsigned count)
{
    bool were_on = spinlock_acquire_irq(&memory_lock);
    uint32_t page = PAGES;

    if (counts.free_pages >= count) {
        page = find_run(search_hint, PAGES, count);
        if (page == PAGES)
            page = find_run(0, PAGES, count);
    }
    if (page != PAGES) {
        for (unsigned i = 0; i < count; i++)
            set_free(page + i, false);
        search_hint = page + count == PAGES ? 0 : page + count;
    }
    spinlock_release_irq(&memory_lock, were_on);
    return page == PAGES ? NULL : (void *)(uintptr_t)(page * PAGE_BYTES);
}

void *memory_allocate_zeroed(unsigned count)
{
    void *pages = memory_allocate(count);

    if (pages != NULL)
        arch_zero_pages(pages, count);
    return pages;
}

/* Whether all its pages are free. */
static bool is_large_free(uint32_t block)
{
    const uint32_t *words = &free_bits[block * LARGE_WORDS];

    for (unsigned i = 0; i < LARGE_WORDS; i++)
        if (words[i] != UINT32_MAX)
            return false;
    return true;
}

static void set_large_free(uint32_t block, bool free)
{
    uint32_t *words = &free_bits[block * LARGE_WORDS];

    for (unsigned i = 0; i < LARGE_WORDS; i++) {
        ASSERT(words[i] == (free ? 0 : UINT32_MAX));
        words[i] = free ? UINT32_MAX : 0;
    }
    counts.free_pages += free ? LARGE_PAGES : -LARGE_PAGES;
}

void *memory_allocate_large(void)
{
    bool were_on = spinlock_acquire_irq(&memory_lock);
    uint32_t block = LARGE_BLOCKS;
    void *pages;

    while (block > 0 && !is_large_free(block - 1))
        block--;
    if (block > 0)
        set_large_free(block - 1, false);
    spinlock_release_irq(&memory_lock, were_on);
    if (block == 0)
        return NULL;
    pages = (void *)(uintptr_t)((block - 1) * LARGE_PAGE_BYTES);
    arch_zero_pages(pages, LARGE_PAGES);
    return pages;
}

uint32_t memory_count_large(void)
{
    bool were_on = spinlock_acquire_irq(&memory_lock);
    uint32_t count = 0;

    for (uint32_t block = 0; block < LARGE_BLOCKS; block++)
        count += is_large_free(block);
    spinlock_release_irq(&memory_lock, were_on);
    return count;
}

void memory_free_large(void *block)
{
    bool were_on = spinlock_acquire_irq(&memory_lock);

    ASSERT((uintptr_t)block % LARGE_PAGE_BYTES == 0);
    set_large_free((uint32_t)((uintptr_t)block / LARGE_PAGE_BYTES), true);
    spinlock_release_irq(&memory_lock, were_on);
}

void memory_free(void *pages, unsigned count)
{
    uint32_t page = (uint32_t)((uintptr_t)pages / PAGE_BYTES);
    bool were_on;

    if (pages == NULL)
        return;
    were_on = spinlock_acquire_irq(&memory_lock);
    for (unsigned i = 0; i < count; i++)
        set_free(page + i, true);
    if (page < search_hint)
        search_hint = page;
    spinlock_release_irq(&memory_lock, were_on);
}

struct memory_counts memory_counts(void)
{
    return counts;
}
