#include "kernel/sched_lock.h"

#include "kernel/lib/bitmap.h"
#include "kernel/panic.h"
#include "kernel/spinlock.h"

static struct spinlock placement = SPINLOCK("placement");
static struct bitmap touched; /* [p] cores whose lock the holder of the placement lock has, too */
static struct spinlock cores[MAX_CPUS];

void core_lock(uint32_t core)
{
    spinlock_acquire(&cores[core]);
}

void core_unlock(uint32_t core)
{
    spinlock_release(&cores[core]);
}

void placement_lock(void)
{
    spinlock_acquire(&placement);
}

void placement_touch(uint32_t core)
{
    ASSERT(spinlock_held(&placement));
    if (bitmap_test(&touched, core))
        return;
    spinlock_acquire(&cores[core]);
    bitmap_set(&touched, core);
}

void placement_unlock(void)
{
    BITMAP_FOR_EACH(core, &touched)
    {
        spinlock_release(&cores[core]);
    }
    bitmap_clear_all(&touched);
    spinlock_release(&placement);
}
