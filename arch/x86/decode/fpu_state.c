/*
 * SDM volume 1, "Programming with the x87 FPU" (the FNSAVE image, 32-bit protected mode) and
 * "FXSAVE Area"; AMD APM volume 2, "Saving Media and x87 State".
 */
#include "arch/x86/decode/fpu_state.h"

#include "kernel/lib/string.h"

/* SDM volume 1, "x87 FPU and SIMD Floating-Point State at reset and after FINIT". */
#define CONTROL_DEFAULT 0x037fu /* all exceptions masked, 64-bit precision, round to nearest */
#define TAGS_EMPTY 0xffffu      /* FNSAVE's; FXSAVE's abridged tags are 0 for that */
#define MXCSR_DEFAULT 0x1f80u   /* all exceptions masked, round to nearest */

/* The words of FNSAVE's image that are not zero. The upper halves are reserved, and all ones. */
#define FNSAVE_CONTROL 0
#define FNSAVE_STATUS 1
#define FNSAVE_TAGS 2
#define UPPER_HALF 0xffff0000u

/* Words of the FXSAVE area. */
#define FXSAVE_CONTROL 0
#define FXSAVE_MXCSR 6

enum fpu_kind fpu_choose(const struct cpu_ident *ident)
{
    if (!ident->fpu)
        return FPU_NONE;
    if (!ident->fxsr)
        return FPU_FNSAVE;
    /* AMD's FXRSTOR loads the pointers to the last x87 instruction and its operand only if an
     * exception is pending, unless CPUID says otherwise: they are the task's before. */
    if ((ident->vendor == VENDOR_AMD || ident->vendor == VENDOR_HYGON) && !ident->fpu_pointers)
        return FPU_FXSAVE_POINTERS;
    return FPU_FXSAVE;
}

static void put_word(uint8_t *state, unsigned index, uint32_t value)
{
    memcpy(state + index * sizeof value, &value, sizeof value);
}

void fpu_clean_state(enum fpu_kind kind, const struct cpu_ident *ident, uint8_t *state)
{
    memset(state, 0, FPU_STATE_BYTES);
    if (kind == FPU_FNSAVE) {
        put_word(state, FNSAVE_CONTROL, UPPER_HALF | CONTROL_DEFAULT);
        put_word(state, FNSAVE_STATUS, UPPER_HALF);
        put_word(state, FNSAVE_TAGS, UPPER_HALF | TAGS_EMPTY);
    } else if (kind != FPU_NONE) {
        put_word(state, FXSAVE_CONTROL, CONTROL_DEFAULT);
        if (ident->sse)
            put_word(state, FXSAVE_MXCSR, MXCSR_DEFAULT);
    }
}

const char *fpu_kind_name(enum fpu_kind kind)
{
    return kind == FPU_NONE ? "none" : kind == FPU_FNSAVE ? "fnsave" : "fxsave";
}
