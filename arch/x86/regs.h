/*
 * Names of control register bits, flags, MSRs and selectors. Each block is headed by the title of
 * its chapter in the Intel 64 and IA-32 Architectures Software Developer's Manual (SDM), volume 3.
 */
#ifndef ARCH_X86_REGS_H
#define ARCH_X86_REGS_H

/* "Control Registers" */
#define CR0_PE (1u << 0)
#define CR0_MP (1u << 1)
#define CR0_EM (1u << 2)
#define CR0_TS (1u << 3)
#define CR0_NE (1u << 5)
#define CR0_WP (1u << 16)
#define CR0_NW (1u << 29)
#define CR0_CD (1u << 30)
#define CR0_PG (1u << 31)
#define CR4_PAE (1u << 5)
#define CR4_PGE (1u << 7)
#define CR4_OSFXSR (1u << 9)
#define CR4_OSXMMEXCPT (1u << 10)
#define CR4_UMIP (1u << 11)
#define CR4_OSXSAVE (1u << 18)
#define CR4_SMEP (1u << 20)

/* "System Flags and Fields in the EFLAGS Register" */
#define EFLAGS_FIXED (1u << 1)
#define EFLAGS_IF (1u << 9)

/* "Model-Specific Registers (MSRs)" */
#define MSR_APIC_BASE 0x1b
#define MSR_XAPIC_DISABLE_STATUS 0xbd
#define MSR_ARCH_CAPABILITIES 0x10a
#define MSR_EFER 0xc0000080
#define EFER_NXE (1u << 11)

/* "Segment Descriptors": the layout of every CPU's GDT (arch/x86/gdt.c). */
#define GDT_KERNEL_CODE 1
#define GDT_KERNEL_DATA 2
#define GDT_USER_CODE 3
#define GDT_USER_DATA 4
#define GDT_PERCPU 5
#define GDT_TSS 6
#define GDT_DOUBLE_FAULT_TSS 7
#define GDT_ENTRIES 8

#define SELECTOR(index, privilege) ((index) << 3 | (privilege))
#define SELECTOR_KERNEL_CODE SELECTOR(GDT_KERNEL_CODE, 0)
#define SELECTOR_KERNEL_DATA SELECTOR(GDT_KERNEL_DATA, 0)
#define SELECTOR_USER_CODE SELECTOR(GDT_USER_CODE, 3)
#define SELECTOR_USER_DATA SELECTOR(GDT_USER_DATA, 3)
#define SELECTOR_PERCPU SELECTOR(GDT_PERCPU, 0)
#define SELECTOR_TSS SELECTOR(GDT_TSS, 0)
#define SELECTOR_DOUBLE_FAULT_TSS SELECTOR(GDT_DOUBLE_FAULT_TSS, 0)

#endif
