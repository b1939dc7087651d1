; The context switch: the only place where the kernel changes stacks.

bits 32
section .text

; void switch_stacks(void **saved_stack_pointer, void *next_stack_pointer)
; Entry: interrupts off. The context that resumes says that the other one is saved
;        (sched_finish_switch); before that nobody runs it elsewhere.
; Saves: EBX, ESI, EDI, EBP (the System V ABI lets a call destroy the rest). Flags need no saving:
;        every switch happens with interrupts off.
; Exit:  on the other stack, returning to whoever called switch_stacks there, or into
;        thread_start for a new one.
global switch_stacks
switch_stacks:
        mov     eax, [esp + 4]
        mov     edx, [esp + 8]
        push    ebp
        push    ebx
        push    esi
        push    edi
        mov     [eax], esp
        mov     esp, edx
        pop     edi
        pop     esi
        pop     ebx
        pop     ebp
        ret

; First instructions of a new thread, reached by the RET above.
; Entry: EBX = void (*function)(void *) or 0, ESI = its argument; above on the stack a trap frame
;        when EBX is 0. Interrupts off.
global thread_start
extern sched_finish_switch, sched_pay_dues, trap_return
thread_start:
        call    sched_finish_switch
        test    ebx, ebx
        jnz     .kernel_thread
        call    sched_pay_dues            ; as after a trap: it may have been killed already
        jmp     trap_return
.kernel_thread:
        sti
        push    esi
        call    ebx
        ud2                                     ; kernel threads do not return

section .note.GNU-stack noalloc noexec nowrite progbits
