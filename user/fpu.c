/*
 * The `fpu` user program: whether its FPU, MMX and SSE registers are its own. It looks at what they
 * hold when it begins, fills them with a pattern, and then looks again and again, between yields,
 * whether the pattern is still there.
 *
 *     fpu -n ROUNDS -p PATTERN
 *
 * Ends with status 0 if all was well, STATUS_CANNOT without an FPU, STATUS_DIRTY if something of
 * another task was left in the registers, STATUS_CHANGED if the pattern was disturbed. Result:
 * rounds done, the place of the first wrong byte in the saved state, what was found there, what was
 * expected.
 */
#include "kernel/lib/string.h"
#include "user/libuser.h"
#include "user/program.h"

#define USAGE "usage: fpu -n ROUNDS -p PATTERN\n"
#define STATUS_DIRTY 4
#define STATUS_CHANGED 5

#define STATE_BYTES 512
#define SPINS 20000u /* between two looks, so that slices end in between too */

/* SDM volume 1, "FXSAVE Area". */
#define FXSAVE_MXCSR 24
#define FXSAVE_REGISTERS 32
#define FXSAVE_REGISTER_BYTES 16
#define FXSAVE_XMM 160
#define FXSAVE_XMM_END 288
/* SDM volume 1, "Protected Mode x87 FPU State Image in Memory, 32-Bit Format". */
#define FNSAVE_TAGS 8
#define FNSAVE_REGISTERS 28
#define FNSAVE_REGISTER_BYTES 10
#define FNSAVE_END 108

#define REGISTERS 8
#define CONTROL_DEFAULT 0x037f /* what FNINIT sets */
#define MXCSR_DEFAULT 0x1f80
#define ROUNDING_SHIFT 10 /* in the control word; in MXCSR three bits higher */

struct state {
    uint8_t bytes[STATE_BYTES];
} __attribute__((aligned(16)));

static struct state state, expected;
static bool has_fxsave, has_sse;

static struct {
    uint32_t rounds, place, found, wanted;
} result;

static void save(struct state *to)
{
    if (has_fxsave)
        __asm__ volatile("fxsave %0" : "=m"(*to));
    else
        __asm__ volatile("fnsave %0\n\tfrstor %0" : "+m"(*to));
}

static void load(const struct state *from)
{
    if (has_fxsave)
        __asm__ volatile("fxrstor %0" : : "m"(*from));
    else
        __asm__ volatile("frstor %0" : : "m"(*from));
}

/* Parts of the saved state that are the task's own and must be as they were: all but the pointers
 * to the last instruction and its operand, and what is reserved. */
static bool is_register(unsigned place)
{
    if (!has_fxsave)
        return place % 4 < 2 ? place < FNSAVE_TAGS + 2 || place >= FNSAVE_REGISTERS
                             : place >= FNSAVE_REGISTERS;
    if (place < 5)
        return true; /* control, status, tags */
    if (place >= FXSAVE_MXCSR && place < FXSAVE_MXCSR + 4)
        return has_sse;
    if (place >= FXSAVE_REGISTERS && place < FXSAVE_XMM)
        return place % FXSAVE_REGISTER_BYTES < FNSAVE_REGISTER_BYTES;
    return has_sse && place >= FXSAVE_XMM && place < FXSAVE_XMM_END;
}

static bool is_as_expected(void)
{
    unsigned end = has_fxsave ? STATE_BYTES : FNSAVE_END;

    for (unsigned place = 0; place < end; place++) {
        if (!is_register(place) || state.bytes[place] == expected.bytes[place])
            continue;
        result.place = place;
        result.found = state.bytes[place];
        result.wanted = expected.bytes[place];
        return false;
    }
    return true;
}

static void put(unsigned place, uint32_t value, unsigned bytes)
{
    memcpy(expected.bytes + place, &value, bytes);
}

static void expect_clean(void)
{
    put(0, CONTROL_DEFAULT, 2);
    if (!has_fxsave)
        put(FNSAVE_TAGS, 0xffff, 2);
    else if (has_sse)
        put(FXSAVE_MXCSR, MXCSR_DEFAULT, 4);
}

/* Numbers between 1 and 2 in the FPU's registers, rounding and SSE registers by the pattern. */
static void expect_pattern(uint32_t pattern)
{
    unsigned first = has_fxsave ? FXSAVE_REGISTERS : FNSAVE_REGISTERS;
    unsigned step = has_fxsave ? FXSAVE_REGISTER_BYTES : FNSAVE_REGISTER_BYTES;
    uint32_t rounding = (pattern & 3) << ROUNDING_SHIFT;

    expected = state; /* what is reserved stays as it was */
    put(0, CONTROL_DEFAULT | rounding, 2);
    put(has_fxsave ? 4 : FNSAVE_TAGS, has_fxsave ? 0xff : 0, has_fxsave ? 1 : 2);
    for (unsigned i = 0; i < REGISTERS; i++) {
        put(first + i * step, pattern * (2 * i + 1), 4);
        put(first + i * step + 4, 0x80000000u | (pattern ^ i), 4);
        put(first + i * step + 8, 0x3fff, 2);
    }
    if (!has_sse)
        return;
    put(FXSAVE_MXCSR, MXCSR_DEFAULT | rounding << 3, 4);
    for (unsigned place = FXSAVE_XMM; place < FXSAVE_XMM_END; place += 4)
        put(place, pattern * (place + 1), 4);
}

static void spin(uint32_t rounds)
{
    __asm__ volatile("1:\n\tdecl %0\n\tjnz 1b" : "+r"(rounds));
}

int main(int argc, char **argv)
{
    uint32_t rounds, pattern;
    const struct argument known[] = {
        {'n', true, 1, UINT32_MAX, &rounds},
        {'p', true, 0, UINT32_MAX, &pattern},
    };

    program_arguments(argc, argv, known, sizeof known / sizeof known[0], USAGE);
    if (!program_has(PROGRAM_HAS_FPU))
        return STATUS_CANNOT;
    has_fxsave = program_has(PROGRAM_HAS_FXSAVE);
    has_sse = has_fxsave && program_has(PROGRAM_HAS_SSE);
    save(&state);
    expect_clean();
    if (!is_as_expected())
        sys_exit(STATUS_DIRTY, &result, sizeof result);
    expect_pattern(pattern);
    load(&expected);
    for (; result.rounds < rounds; result.rounds++) {
        spin(SPINS);
        if (result.rounds % 2 == 1)
            sys_yield();
        save(&state);
        if (!is_as_expected())
            sys_exit(STATUS_CHANGED, &result, sizeof result);
    }
    sys_exit(0, &result, sizeof result);
}
