#include "kernel/sched_lock.h"

#include "kernel/lib/bitmap.h"
#include "kernel/panic.h"

struct spinlock core_locks[MAX_CPUS];

static struct spinlock placement = SPINLOCK("placement");
static struct bitmap touched; /* [p] cores whose lock the holder of the placement lock has, too */

void placement_lock(void)
{
    spinlock_acquire(&placement);
}

void placement_touch(uint32_t core)
{
    ASSERT(spinlock_held(&placement));
    if (bitmap_test(&touched, core))
        return;
    core_lock(core);
    bitmap_set(&touched, core);
}

void placement_unlock(void)
{
    BITMAP_FOR_EACH(core, &touched)
    {
        core_unlock(core);
    }
    bitmap_clear_all(&touched);
    spinlock_release(&placement);
}
