; The first instructions of every other CPU. A STARTUP IPI with vector V starts a CPU in real mode
; at V * 4096 (Intel SDM volume 3, "MP Initialization"), so this code is copied to a free page below
; 1 MiB (arch/x86/ap.c) and may only use addresses relative to CS. It does the least that real
; mode demands, then jumps to the kernel proper, which lies where it is linked.

; Real-mode address of a label: the page is entered with IP = 0 and CS = page / 16.
%define HERE(label) (label - ap_trampoline)

CR0_PE      equ 1 << 0
FLAT_CODE   equ 0x08
FLAT_DATA   equ 0x10

section .text
bits 16
global ap_trampoline, ap_trampoline_end
ap_trampoline:
        cli
        cld
        mov     ax, cs
        mov     ds, ax
        ; The GDT pointer holds a linear address: add the page we were copied to.
        movzx   ebx, ax
        shl     ebx, 4
        lea     eax, [ebx + HERE(gdt)]
        mov     [HERE(gdt_pointer) + 2], eax
        o32 lgdt [HERE(gdt_pointer)]            ; o32: all 32 bits of the base
        mov     eax, cr0
        or      al, CR0_PE
        mov     cr0, eax
        jmp     dword FLAT_CODE:ap_protected    ; absolute: the kernel is linked where it runs

align 8
gdt:    dq 0
        dq 0x00cf9b000000ffff                   ; flat code, accessed bit set already
        dq 0x00cf93000000ffff                   ; flat data
gdt_pointer:
        dw gdt_pointer - gdt - 1
        dd 0                                    ; filled in above, by every CPU with the same value
ap_trampoline_end:

bits 32
; Entry: protected mode, paging off, interrupts off, no stack. Many CPUs run this at once: each
; takes the next ticket and with it a stack. A CPU that comes after its time (late or started
; twice) finds no ticket and parks.
; Calls: void ap_entry(uint32_t ticket)
extern ap_entry, ap_next_ticket, ap_ticket_count, ap_stack_tops
ap_protected:
        mov     ax, FLAT_DATA
        mov     ds, ax
        mov     es, ax
        mov     fs, ax
        mov     gs, ax
        mov     ss, ax
        mov     eax, 1
        lock xadd [ap_next_ticket], eax
        cmp     eax, [ap_ticket_count]
        jae     .park
        mov     esp, [ap_stack_tops + eax * 4]
        xor     ebp, ebp
        sub     esp, 12                         ; 16-byte alignment at the call
        push    eax
        call    ap_entry
.park:  cli
        hlt
        jmp     .park

section .note.GNU-stack noalloc noexec nowrite progbits
