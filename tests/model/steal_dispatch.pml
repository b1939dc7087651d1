/*
 * Steal against dispatch: can two CPUs run the same task, or use the same kernel stack?
 *
 * A CPU whose slice is over puts its task into a queue (queue_insert) while it still runs on that
 * task's stack. Another CPU may take it at once (queue_steal, queue_take). Therefore sched_lock is
 * held across arch_switch: whoever runs next on the CPU releases it (sched_finish_switch), when the
 * stack has been left and its pointer saved.
 *
 * BROKEN: the lock is released before the switch.
 */
#define TASKS 3
#define CPUS 2
#define SLICES 3
#define IDLE 254
#define NONE 255

bool locked;
chan queue = [TASKS] of { byte };
byte on_stack[TASKS] = NONE; /* which CPU uses the kernel stack of a task */

inline spinlock_acquire() { atomic { !locked -> locked = true } }
inline spinlock_release() { locked = false }

/* queue_take, or queue_steal: the first that waits. */
inline take(next) {
    if
    :: queue?next
    :: empty(queue) -> next = previous
    fi
}

/* arch_switch: leaves one stack, then stands on the other. */
inline arch_switch() {
    if
    :: previous != IDLE -> assert(on_stack[previous] == self); on_stack[previous] = NONE
    :: else
    fi;
    if
    :: next != IDLE -> assert(on_stack[next] == NONE); on_stack[next] = self
    :: else
    fi
}

proctype cpu(byte self)
{
    byte previous = IDLE, next, slices = 0;

    do
    :: slices == SLICES -> break
    :: slices < SLICES ->
        slices++;
        spinlock_acquire(); /* sched_timer */
        take(next);
        if
        :: next != previous ->
            if
            :: previous != IDLE -> queue!previous
            :: else
            fi;
#ifdef BROKEN
            spinlock_release();
            arch_switch();
#else
            arch_switch();
            spinlock_release(); /* sched_finish_switch */
#endif
            previous = next
        :: else -> spinlock_release()
        fi
    od;
    /* Let go of the task, as if it had ended. */
    if
    :: previous != IDLE -> on_stack[previous] = NONE
    :: else
    fi
}

init {
    atomic {
        queue!0; queue!1; queue!2;
        run cpu(0); run cpu(1)
    }
}
