#include "kernel/arena.h"

#include "kernel/memory.h"

#define BLOCK_KIB (LARGE_PAGE_BYTES / 1024)
#define MAX_KIB ((ARENA_LIMIT - ARENA_BASE) / 1024)

enum error arena_allocate(struct address_space *space, uint32_t kib)
{
    if (kib > MAX_KIB)
        return ERROR_NO_MEMORY;
    for (uint32_t blocks = (kib + BLOCK_KIB - 1) / BLOCK_KIB; blocks > 0; blocks--) {
        void *block = memory_allocate_large();

        if (block == NULL)
            return ERROR_NO_MEMORY;
        if (arch_space_map_arena(space, (uint32_t)block) != OK) {
            memory_free_large(block);
            return ERROR_NO_MEMORY;
        }
    }
    return OK;
}

void arena_free(struct address_space *space)
{
    for (uint32_t i = 0; i < space->arena_blocks; i++) {
        bool writable;

        memory_free_large(
            (void *)arch_space_lookup(space, ARENA_BASE + i * LARGE_PAGE_BYTES, &writable));
    }
    space->arena_blocks = 0;
}

uint32_t arena_room_kib(void)
{
    uint32_t room = memory_count_large() * BLOCK_KIB;

    return room < MAX_KIB ? room : MAX_KIB;
}

uint32_t arena_bytes(const struct address_space *space)
{
    return space->arena_blocks * LARGE_PAGE_BYTES;
}
