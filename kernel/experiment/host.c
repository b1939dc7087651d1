#include "kernel/experiment/host.h"

#include "kernel/arch.h"
#include "kernel/experiment/harness.h"
#include "kernel/lib/clock_math.h"
#include "kernel/log.h"
#include "kernel/main.h"

#define ANSWER_US 300000u /* a host that is busy may need long to notice the question */
#define POLL_US 200u
#define UNANSWERED_IN_A_ROW_MAX 8 /* then there is nobody */
#define STRAY_MAX 256             /* a sender that never stops must not stop us */

static struct {
    uint32_t questions, unanswered, unanswered_in_a_row, not_understood;
    uint32_t stray_bytes;    /* that lay there before the question */
    bool disturbed, unknown; /* of the round in progress */
} host;

bool host_is_asked(void)
{
    return main_options.host_load == OPTIONS_HOST_LOAD_SERIAL;
}

/* What came before the question is no answer to it: a late one to the question before, or noise. */
static void drop_stray_bytes(void)
{
    for (uint32_t i = 0; i < STRAY_MAX && arch_console_read() >= 0; i++)
        host.stray_bytes++;
}

static int wait_for_byte(void)
{
    uint64_t deadline = arch_now_ns() + (uint64_t)ANSWER_US * NS_PER_US;
    int byte;

    while ((byte = arch_console_read()) < 0 && arch_now_ns() < deadline)
        harness_sleep_us(POLL_US);
    return byte;
}

static enum host_verdict take_answer(void)
{
    int byte = host.unanswered_in_a_row < UNANSWERED_IN_A_ROW_MAX ? wait_for_byte() : -1;

    if (byte < 0) {
        host.unanswered++;
        host.unanswered_in_a_row++;
        return HOST_UNKNOWN;
    }
    host.unanswered_in_a_row = 0;
    if (byte == 'c')
        return HOST_CLEAN;
    if (byte == 'd')
        return HOST_DISTURBED;
    if (byte != 'u') /* a host that cannot say */
        host.not_understood++;
    return HOST_UNKNOWN;
}

const char *host_ask(const char *experiment, const char *sched, uint32_t round)
{
    enum host_verdict verdict;

    if (!host_is_asked() || round == 0)
        return "";
    drop_stray_bytes();
    host.questions++;
    log_defer(false);
    log_print("ask: experiment=%s sched=%s round=%u\n", experiment, sched, round);
    verdict = take_answer();
    host.disturbed |= verdict == HOST_DISTURBED;
    host.unknown |= verdict == HOST_UNKNOWN;
    return verdict == HOST_DISTURBED ? " clean=0" : " clean=1";
}

enum host_verdict host_end_round(void)
{
    enum host_verdict verdict = host.disturbed                     ? HOST_DISTURBED
                                : host.unknown || !host_is_asked() ? HOST_UNKNOWN
                                                                   : HOST_CLEAN;

    host.disturbed = host.unknown = false;
    return verdict;
}

void host_report(void)
{
    if (host.unanswered + host.not_understood + host.stray_bytes > 0)
        log_warning("host_load",
                    "of %u questions %u were not answered and %u not understandably; %u bytes "
                    "came unasked",
                    host.questions, host.unanswered, host.not_understood, host.stray_bytes);
}
