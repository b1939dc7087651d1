/*
 * Starting another CPU: INIT and STARTUP are sent twice, in two attempts, and a CPU may come at any
 * time after, late, or twice. It takes a ticket (boot/ap_trampoline.asm, lock xadd), and with it a
 * stack, runs ap_entry, and reports with cpu_change_state; the boot CPU gives up on it with the same
 * function (fail_all_starting). Can two lives use one stack, or a CPU that was given up on come
 * online after all?
 *
 * BROKEN: states are written instead of compared and exchanged.
 */
#define LISTED 0
#define STARTING 1
#define ONLINE 2
#define FAILED 3
#define ATTEMPTS 2
#define LIVES 3 /* one more than there are tickets */

byte state = LISTED;
byte next_ticket, ticket_count;
byte stack_user[ATTEMPTS]; /* lives that have stood on the stack of a ticket */
byte started;              /* STARTUPs that a life may answer */
byte lives_online;
bool given_up;

proctype life()
{
    byte ticket;

    started > 0;
    d_step { ticket = next_ticket; next_ticket++ }; /* lock xadd */
    if
    :: ticket >= ticket_count -> goto parked
    :: else
    fi;
    stack_user[ticket]++;
    assert(stack_user[ticket] == 1);
    if /* ap_entry */
    :: state != STARTING -> goto parked
    :: else
    fi;
#ifdef BROKEN
    state = ONLINE;
    lives_online++;
#else
    if
    :: atomic { state == STARTING -> state = ONLINE; lives_online++ }
    :: else -> goto parked
    fi;
#endif
    assert(!given_up); /* the boot CPU has not counted it as missing */
    assert(lives_online == 1);
parked:
    skip
}

active proctype boot_cpu()
{
    byte attempt = 0;

    state = STARTING; /* start_all_listed */
    do
    :: attempt < ATTEMPTS && state == STARTING ->
        ticket_count++; /* ap_add_tickets: before the CPU is told */
        started++;      /* attempt() */
        attempt++
        /* wait_for_answers: as long as it likes */
    :: else -> break
    od;
#ifdef BROKEN
    if
    :: state == STARTING -> state = FAILED; given_up = true
    :: else
    fi
#else
    if
    :: atomic { state == STARTING -> state = FAILED; given_up = true }
    :: else
    fi
#endif
}

init {
    byte i;

    for (i : 1 .. LIVES) {
        run life()
    };
    timeout ->
    assert(state == ONLINE || state == FAILED);
    assert((state == ONLINE) == (lives_online == 1));
    assert(given_up == (state == FAILED))
}
