; The boot headers (Multiboot 1 and 2 in one file) and the first instructions of the boot CPU.
; Multiboot Specification 0.6.96, "OS image format"; Multiboot2 Specification, "The layout of
; Multiboot2 header".

bits 32

MULTIBOOT1_MAGIC    equ 0x1badb002
MULTIBOOT1_FLAGS    equ 1 << 0 | 1 << 1         ; modules page-aligned, memory information wanted
MULTIBOOT2_MAGIC    equ 0xe85250d6
MULTIBOOT2_I386     equ 0
MULTIBOOT2_CONSOLE  equ 4                       ; header tag: console flags
MULTIBOOT2_EGA_TEXT equ 1 << 1                  ; we can use EGA text, and need no console at all
TAG_OPTIONAL        equ 1

BOOT_STACK_BYTES    equ 8192

section .multiboot align=8
multiboot1_header:
        dd MULTIBOOT1_MAGIC, MULTIBOOT1_FLAGS, -(MULTIBOOT1_MAGIC + MULTIBOOT1_FLAGS)
align 8
multiboot2_header:
        dd MULTIBOOT2_MAGIC, MULTIBOOT2_I386, multiboot2_end - multiboot2_header
        dd -(MULTIBOOT2_MAGIC + MULTIBOOT2_I386 + (multiboot2_end - multiboot2_header))
        dw MULTIBOOT2_CONSOLE, TAG_OPTIONAL
        dd 12, MULTIBOOT2_EGA_TEXT
        align 8
        dw 0, 0                                 ; end tag
        dd 8
multiboot2_end:

section .text
; void multiboot_entry(void) -- entered by the loader, never returns.
; Entry: 32-bit protected mode, flat segments, paging off, EAX = magic, EBX = boot information;
;        GDTR, IDTR, ESP and the flags are undefined.
; Calls: void machine_entry(uint32_t magic, uint32_t boot_information)
global multiboot_entry
extern machine_entry
multiboot_entry:
        cli
        cld
        mov     esp, boot_stack_top
        push    0
        popfd
        xor     ebp, ebp                        ; ends every backtrace
        sub     esp, 8                          ; 16-byte alignment at the call (System V ABI)
        push    ebx
        push    eax
        call    machine_entry
.stop:  cli
        hlt
        jmp     .stop

section .bss align=16
        resb BOOT_STACK_BYTES
boot_stack_top:

section .note.GNU-stack noalloc noexec nowrite progbits
