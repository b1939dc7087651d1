; Where every user program starts.

bits 32
section .text

; Entry: ring 3, ESP points to argc, then argv (kernel/task.c, build_arguments).
; Calls: int main(int argc, char **argv), then void sys_exit(int, const void *, size_t).
global _start
extern main, sys_exit
_start:
        xor     ebp, ebp
        mov     eax, [esp]
        lea     edx, [esp + 4]
        and     esp, -16
        sub     esp, 8
        push    edx
        push    eax
        call    main
        sub     esp, 4
        push    0
        push    0
        push    eax
        call    sys_exit

section .note.GNU-stack noalloc noexec nowrite progbits
