#include "kernel/experiment/buffers.h"

#include <stdbool.h>
#include <stddef.h>

#include "kernel/arch.h"
#include "kernel/arena.h"
#include "kernel/experiment/places.h"
#include "kernel/lib/string.h"
#include "kernel/log.h"

#define UNKNOWN_CACHE_KIB 8192u /* if CPUID does not tell: more than most had when it did not */
#define EXACT_KIB 256u          /* Bochs has no caches: any size is as good, and this one is fast */
#define LEAST_KIB 64u

static uint32_t cache_kib, chosen_kib;
static bool chosen;

static void choose(void)
{
    uint32_t room_kib = arena_room_kib() / 5 * 2; /* of two, and some to spare */
    struct bitmap all = places_all();
    uint32_t known_kib = arch_cache_kib(bitmap_first(&all), 0);

    chosen = true;
    cache_kib = known_kib != 0 ? known_kib : UNKNOWN_CACHE_KIB;
    chosen_kib = 2 * cache_kib;
    if (strcmp(arch_platform(), "qemu") == 0) /* there is no such cache, so do not take pains */
        chosen_kib = cache_kib + cache_kib / 4;
    if (strcmp(arch_platform(), "bochs") == 0)
        chosen_kib = EXACT_KIB;
    if (chosen_kib > room_kib)
        chosen_kib = room_kib < LEAST_KIB ? 0 : room_kib;
    log_print("buffers: kib=%u cache_kib=%u cache_known=%d\n", chosen_kib, cache_kib,
              known_kib != 0);
}

uint32_t buffers_kib(void)
{
    if (!chosen)
        choose();
    return chosen_kib;
}

const char *buffers_problem(void)
{
    return buffers_kib() < cache_kib ? "too little memory for buffers larger than the cache" : NULL;
}
