#include "arch/x86/fpu.h"

#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "kernel/log.h"

enum fpu_kind fpu_kind;

static struct fpu_state clean_state;
static uint32_t cr4_bits;

void fpu_init(const struct cpu_ident *boot_cpu)
{
    _Static_assert(sizeof(struct fpu_state) == FPU_STATE_BYTES, "the processor writes this");
    fpu_kind = fpu_choose(boot_cpu);
    fpu_clean_state(fpu_kind, boot_cpu, clean_state.bytes);
    if (fpu_kind >= FPU_FXSAVE)
        cr4_bits = CR4_OSFXSR | (boot_cpu->sse ? CR4_OSXMMEXCPT : 0);
    log_print("fpu: state=%s sse=%d\n", fpu_kind_name(fpu_kind),
              fpu_kind >= FPU_FXSAVE && boot_cpu->sse);
}

/*
 * SDM volume 3, "Configuring the x87 FPU Environment": with an FPU, EM clear and MP set; without
 * one the other way round, so that its instructions fault. NE makes its exceptions interrupts of
 * the processor's own, instead of a line to a chip. TS stays clear: nothing here is lazy. Firmware
 * may have left OSXSAVE on, with registers (AVX) that FXSAVE does not save.
 */
void fpu_enable(void)
{
    uint32_t cr0 = (cr0_read() | CR0_NE) & ~(CR0_EM | CR0_MP | CR0_TS);

    cr4_write((cr4_read() & ~(CR4_OSFXSR | CR4_OSXMMEXCPT | CR4_OSXSAVE)) | cr4_bits);
    cr0_write(cr0 | (fpu_kind == FPU_NONE ? CR0_EM : CR0_MP));
    if (fpu_kind == FPU_NONE)
        return;
    __asm__ volatile("fninit"); /* or the first load would report what firmware left pending */
    fpu_load(&clean_state);
}

void fpu_prepare(struct fpu_state *state)
{
    *state = clean_state;
}

void fpu_save_otherwise(struct fpu_state *state)
{
    if (fpu_kind == FPU_FNSAVE)
        __asm__ volatile("fnsave %0" : "=m"(*state));
    else if (fpu_kind == FPU_FXSAVE_POINTERS)
        __asm__ volatile("fxsave %0" : "=m"(*state));
}

/* AMD APM volume 2, "Saving Media and x87 State": gives the pointers to the last instruction and
 * its operand values that say nothing about the last task. An exception that is pending, or a full
 * stack, must not get in the way of FILD. */
static void forget_pointers(void)
{
    static const uint32_t operand;

    __asm__ volatile("fnclex\n\t"
                     "emms\n\t"
                     "fildl %0"
                     :
                     : "m"(operand));
}

void fpu_load_otherwise(const struct fpu_state *state)
{
    if (fpu_kind == FPU_FNSAVE) {
        __asm__ volatile("frstor %0" : : "m"(*state));
    } else if (fpu_kind == FPU_FXSAVE_POINTERS) {
        forget_pointers();
        __asm__ volatile("fxrstor %0" : : "m"(*state));
    }
}
