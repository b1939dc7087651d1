/*
 * The conductor waits for the end of a task (sched_wait), which another CPU, or its own, reports
 * (report_end) without a lock in common: can it sleep although there was an end, or free a task
 * (task_destroy) that a CPU is not done with?
 *
 * sched_wait first clears conductor.ready and then looks at conductor.ends. report_end first counts
 * in conductor.ends, then sets conductor.ready, then interrupts the conductor's CPU, which looks at
 * conductor.ready whenever it switches (switch_to). So either the conductor sees the end, or it is
 * made ready after it has cleared that. A task is free when its CPU is off its stack (on_cpu).
 *
 * BROKEN_WAIT: conductor.ready is cleared after the look at conductor.ends.
 * BROKEN_REPORT: conductor.ends is counted last.
 * BROKEN_FREE: sched_has_ended does not look at on_cpu.
 */
#define TASKS 2
#define STARTED 1
#define ENDED 2

/* Task 0 runs on the conductor's CPU whenever the conductor does not; task 1 on the other CPU. */
byte state[TASKS] = STARTED;
bool on_cpu[TASKS] = true;
bool freed[TASKS];
byte ends;                     /* conductor.ends */
bool ready = true;             /* conductor.ready */
bool pending;                  /* an interrupt, in the local APIC of the conductor's CPU */
bool conductor_runs = true;

#define has_ended(t) (state[t] == ENDED && !on_cpu[t])

inline use(t) { assert(!freed[t]) }

/* sched_finish_switch on the CPU that has just left a task which has ended. */
inline sched_finish_switch(t)
{
    use(t); /* left->state, left->end_ns */
    on_cpu[t] = false
}

/* sched_exit of task 0, on the conductor's CPU: the conductor runs next, and finishes the switch. */
inline exit_here()
{
    state[0] = ENDED;
    ready = true;
    sched_finish_switch(0);
    ends++
}

/* sched_wait: what follows the switch is what happens on this CPU until the conductor runs again. */
inline sched_wait(seen)
{
#ifdef BROKEN_WAIT
    if
    :: ends == seen -> ready = false; conductor_runs = ready
    :: else
    fi;
#else
    ready = false;
    if
    :: ends == seen -> conductor_runs = ready /* switch_to */
    :: else
    fi;
#endif
    do
    :: conductor_runs -> break
    :: !conductor_runs && pending -> /* sched_kicked: decides, then switch_to */
        pending = false;
        conductor_runs = ready
    :: !conductor_runs && state[0] == STARTED ->
        exit_here();
        conductor_runs = true
    od;
    ready = true
}

/* As harness and sched_kill wait: for each task, then for as many ends. */
active proctype conductor()
{
    byte seen, t;

    on_cpu[0] = false; /* the conductor has interrupted it */
    for (t : 0 .. TASKS - 1) {
        do
        :: seen = ends;
            if
            :: has_ended(t) -> break
#ifdef BROKEN_FREE
            :: state[t] == ENDED -> break
#endif
            :: else -> sched_wait(seen)
            fi
        od;
        freed[t] = true /* task_destroy */
    };
    do
    :: seen = ends;
        if
        :: seen == TASKS -> break
        :: else -> sched_wait(seen)
        fi
    od
}

/* The CPU of task 1. */
active proctype other()
{
    use(1);
    state[1] = ENDED;       /* sched_exit */
    sched_finish_switch(1); /* in the idle task's context */
#ifdef BROKEN_REPORT
    ready = true;
    pending = true;
    ends++
#else
    ends++;                 /* report_end */
    ready = true;
    pending = true
#endif
}

/* An interrupt that has nothing to say to the conductor. */
active proctype device()
{
    pending = true
}
