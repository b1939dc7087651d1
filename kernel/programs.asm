; The user programs, as files in the image. Page-aligned, so that their read-only pages can be
; mapped into tasks where they lie.

; Adds one program: its file, and its entry in the table below.
%macro PROGRAM 1
%defstr program_name %1
%strcat program_path "user/", program_name, ".elf"
section .rodata.programs align=4096
align 4096, db 0
file_ %+ %1:
        incbin  program_path
file_end_ %+ %1:
align 4096, db 0
section .rodata
name_ %+ %1:
        db      program_name, 0
section .rodata.program_table align=4
        dd      name_ %+ %1, file_ %+ %1, file_end_ %+ %1
%endmacro

section .rodata.program_table align=4
global programs
programs:
PROGRAM md5
PROGRAM hog
PROGRAM crash
PROGRAM bench
PROGRAM chase
PROGRAM mixed
PROGRAM passes
PROGRAM int
PROGRAM x87
PROGRAM simd
PROGRAM job
PROGRAM pairmd5
PROGRAM fpu
PROGRAM arena
        dd      0, 0, 0

section .note.GNU-stack noalloc noexec nowrite progbits
