; Entry from every interrupt vector and return from it. SDM volume 3, "Exception- or
; Interrupt-Handler Procedures".

%include "asm_offsets.inc"

bits 32
section .text

; The exceptions for which the processor itself pushes an error code.
%define HAS_ERROR_CODE(n) ((n) == 8 || ((n) >= 10 && (n) <= 14) || (n) == 17 || (n) == 21)

%assign vector 0
%rep IDT_VECTORS
trap_stub_ %+ vector:
%if !HAS_ERROR_CODE(vector)
        push    dword 0                         ; so that all frames look alike
%endif
        push    dword vector
        jmp     trap_common
%assign vector vector + 1
%endrep

; Builds a struct trap_frame (arch/x86/trap.h) and calls void trap_dispatch(struct trap_frame *).
; Entry: ring 0, interrupts off, on the running task's kernel stack (or the interrupted kernel
;        code's), error code and vector pushed; data segments may be the user's.
; Exit:  by IRET to whatever frame the stack then holds: the scheduler may have switched stacks.
extern trap_dispatch
trap_common:
        push    ds
        push    es
        push    fs
        push    gs
        pusha
        mov     ax, SELECTOR_KERNEL_DATA
        mov     ds, ax
        mov     es, ax
        mov     ax, SELECTOR_PERCPU
        mov     gs, ax
        cld
        mov     ebx, esp
        and     esp, -16
        sub     esp, 12
        push    ebx
        call    trap_dispatch
        mov     esp, ebx

; Also where a new task starts: ESP points to its first trap frame.
global trap_return
trap_return:
        popa
        pop     gs
        pop     fs
        pop     es
        pop     ds
        add     esp, 8                          ; vector and error code
        iret

section .rodata
global trap_stubs
align 4
trap_stubs:
%assign vector 0
%rep IDT_VECTORS
        dd      trap_stub_ %+ vector
%assign vector vector + 1
%endrep

section .note.GNU-stack noalloc noexec nowrite progbits
