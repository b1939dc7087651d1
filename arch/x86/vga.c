#include "arch/x86/vga.h"

#include <stdint.h>

#include "arch/x86/io.h"

/* IBM VGA technical reference, "CRT Controller": cursor location registers. */
#define VGA_TEXT 0xb8000u
#define VGA_COLUMNS 80u
#define VGA_ROWS 25u
#define VGA_CRTC_INDEX 0x3d4
#define VGA_CRTC_DATA 0x3d5
#define CRTC_CURSOR_HIGH 14
#define CRTC_CURSOR_LOW 15
#define BLANK 0x0720u /* space, light grey on black */

static volatile uint16_t *const screen = (volatile uint16_t *)VGA_TEXT;
static unsigned row, column;

static void clear_row(unsigned which)
{
    for (unsigned i = 0; i < VGA_COLUMNS; i++)
        screen[which * VGA_COLUMNS + i] = BLANK;
}

static void new_line(void)
{
    column = 0;
    if (++row < VGA_ROWS)
        return;
    row = VGA_ROWS - 1;
    for (unsigned i = 0; i < row * VGA_COLUMNS; i++)
        screen[i] = screen[i + VGA_COLUMNS];
    clear_row(row);
}

static void show_cursor(void)
{
    unsigned position = row * VGA_COLUMNS + column;

    io_out8(VGA_CRTC_INDEX, CRTC_CURSOR_HIGH);
    io_out8(VGA_CRTC_DATA, position >> 8 & 0xff);
    io_out8(VGA_CRTC_INDEX, CRTC_CURSOR_LOW);
    io_out8(VGA_CRTC_DATA, position & 0xff);
}

void vga_init(void)
{
    for (unsigned i = 0; i < VGA_ROWS; i++)
        clear_row(i);
    row = column = 0;
    show_cursor();
}

void vga_write(const char *text, size_t length_bytes)
{
    for (size_t i = 0; i < length_bytes; i++) {
        if (text[i] == '\n') {
            new_line();
            continue;
        }
        if (column == VGA_COLUMNS)
            new_line();
        screen[row * VGA_COLUMNS + column++] = (uint16_t)(0x0700 | (uint8_t)text[i]);
    }
    show_cursor();
}
