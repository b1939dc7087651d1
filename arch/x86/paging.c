#include "arch/x86/paging.h"

#include "arch/x86/io.h"
#include "arch/x86/regs.h"
#include "kernel/arch.h"
#include "kernel/lib/string.h"
#include "kernel/memory.h"

/* SDM volume 3, "PAE Paging", the entry formats. */
#define PAGE_PRESENT 1ull
#define PAGE_WRITABLE 2ull
#define PAGE_USER 4ull
#define PAGE_WRITE_THROUGH 8ull
#define PAGE_CACHE_DISABLE 16ull
#define PAGE_LARGE 128ull
#define PAGE_GLOBAL 256ull
#define PAGE_NO_EXECUTE (1ull << 63)
#define PAGE_ADDRESS 0xffffff000ull

#define ENTRIES 512u
#define GIGABYTE 0x40000000u
#define DEVICE_BASE 0xc0000000u
#define DEVICE_TABLES 2u /* 4 MiB of device window */
/* Two MiB pages for all RAM but the first, which holds the kernel image, in small pages. */
#define IMAGE_TABLES 4u

typedef uint64_t page_table[ENTRIES] __attribute__((aligned(PAGE_BYTES)));

static struct address_space kernel_space;
static page_table ram_directory, device_directory;
static page_table image_tables[IMAGE_TABLES], device_tables[DEVICE_TABLES];
static uint64_t no_execute, global;
static uint32_t device_pages_used;

extern const char kernel_start[], kernel_text_end[], kernel_rodata_end[], kernel_end[];

static uint64_t phys_of(const void *table)
{
    return (uint32_t)table;
}

/* Rights of one page of the first megabytes. */
static uint64_t image_rights(uint32_t address)
{
    if (address == 0)
        return 0; /* so that a null pointer faults */
    if (address < (uint32_t)kernel_start || address >= (uint32_t)kernel_rodata_end)
        return PAGE_PRESENT | PAGE_WRITABLE | global | no_execute;
    if (address < (uint32_t)kernel_text_end)
        return PAGE_PRESENT | global;
    return PAGE_PRESENT | global | no_execute;
}

static void map_ram(uint32_t ram_end)
{
    uint32_t small = IMAGE_TABLES * ENTRIES;

    for (uint32_t page = 0; page < small; page++) {
        uint64_t rights = image_rights(page * PAGE_BYTES);
        image_tables[page / ENTRIES][page % ENTRIES] = rights == 0 ? 0 : page * PAGE_BYTES | rights;
    }
    for (uint32_t i = 0; i < IMAGE_TABLES; i++)
        ram_directory[i] = phys_of(image_tables[i]) | PAGE_PRESENT | PAGE_WRITABLE;
    for (uint32_t i = IMAGE_TABLES; i < ENTRIES && i * LARGE_PAGE_BYTES < ram_end; i++)
        ram_directory[i] = (uint64_t)i * LARGE_PAGE_BYTES | PAGE_PRESENT | PAGE_WRITABLE |
                           PAGE_LARGE | global | no_execute;
}

void paging_init(uint32_t ram_end, bool use_nx, bool use_global)
{
    _Static_assert(sizeof kernel_space.root == 4 * 8, "the processor reads this");
    no_execute = use_nx ? PAGE_NO_EXECUTE : 0;
    global = use_global ? PAGE_GLOBAL : 0;
    map_ram(ram_end);
    for (uint32_t i = 0; i < DEVICE_TABLES; i++)
        device_directory[i] = phys_of(device_tables[i]) | PAGE_PRESENT | PAGE_WRITABLE;
    kernel_space.root[0] = phys_of(ram_directory) | PAGE_PRESENT;
    kernel_space.root[3] = phys_of(device_directory) | PAGE_PRESENT;
}

void paging_enable(void)
{
    cr4_write(cr4_read() | CR4_PAE | (global != 0 ? CR4_PGE : 0));
    if (no_execute != 0)
        msr_write(MSR_EFER, msr_read(MSR_EFER) | EFER_NXE);
    cr3_write(paging_kernel_root());
    /* WP: the kernel respects read-only pages too. Firmware may have left caches off on an AP. */
    cr0_write((cr0_read() & ~(CR0_CD | CR0_NW)) | CR0_PG | CR0_WP);
}

uint32_t paging_kernel_root(void)
{
    return (uint32_t)kernel_space.root;
}

volatile void *paging_map_device(uint64_t phys, size_t length_bytes)
{
    uint32_t offset = phys % PAGE_BYTES;
    uint32_t pages = (offset + length_bytes + PAGE_BYTES - 1) / PAGE_BYTES;
    uint32_t first = device_pages_used;

    if (phys + length_bytes > 1ull << 32 || pages > DEVICE_TABLES * ENTRIES - first)
        return NULL;
    for (uint32_t i = 0; i < pages; i++) {
        uint32_t page = first + i;
        device_tables[page / ENTRIES][page % ENTRIES] =
            (phys - offset + i * PAGE_BYTES) | PAGE_PRESENT | PAGE_WRITABLE | PAGE_CACHE_DISABLE |
            PAGE_WRITE_THROUGH | global | no_execute;
    }
    device_pages_used += pages;
    return (volatile void *)(DEVICE_BASE + first * PAGE_BYTES + offset);
}

void arch_space_create(struct address_space *space, void *pages)
{
    _Static_assert(SPACE_PAGES * PAGE_BYTES == 2 * sizeof(page_table), "a directory and a table");
    space->directory = pages;
    space->table = space->directory + ENTRIES;
    space->directory[0] = phys_of(space->table) | PAGE_PRESENT | PAGE_WRITABLE | PAGE_USER;
    memcpy(space->root, kernel_space.root, sizeof space->root);
    space->root[USER_BASE / GIGABYTE] = phys_of(space->directory) | PAGE_PRESENT;
}

enum error arch_space_map(struct address_space *space, uint32_t address, uint32_t phys,
                          bool writable, bool executable)
{
    uint64_t *entry = &space->table[address / PAGE_BYTES % ENTRIES];

    if (address < USER_BASE || address >= USER_LIMIT || *entry != 0 || (writable && executable))
        return ERROR_BAD_VALUE;
    *entry = phys | PAGE_PRESENT | PAGE_USER | (writable ? PAGE_WRITABLE : 0) |
             (executable ? 0 : no_execute);
    return OK;
}

enum error arch_space_map_arena(struct address_space *space, uint32_t phys)
{
    uint32_t block = ARENA_BASE / LARGE_PAGE_BYTES % ENTRIES + space->arena_blocks;

    if (block >= ENTRIES)
        return ERROR_NO_MEMORY;
    space->directory[block] =
        phys | PAGE_PRESENT | PAGE_WRITABLE | PAGE_USER | PAGE_LARGE | no_execute;
    space->arena_blocks++;
    return OK;
}

uint32_t arch_space_lookup(const struct address_space *space, uint32_t address, bool *writable)
{
    uint64_t entry;

    if (space->directory == NULL || address < USER_BASE || address >= ARENA_LIMIT)
        return 0;
    if (address < USER_LIMIT)
        entry = space->table[address / PAGE_BYTES % ENTRIES];
    else
        entry = space->directory[address / LARGE_PAGE_BYTES % ENTRIES];
    *writable = (entry & PAGE_WRITABLE) != 0;
    if ((entry & PAGE_PRESENT) == 0)
        return 0;
    /* Of a large page the part that holds the address: its own entry has these bits clear. */
    return (uint32_t)(entry & PAGE_ADDRESS) |
           (address < USER_LIMIT ? 0 : address % LARGE_PAGE_BYTES / PAGE_BYTES * PAGE_BYTES);
}

void arch_zero_pages(void *pages, uint32_t count)
{
    uint32_t words = count * (PAGE_BYTES / 4);

    /* One instruction, which a CPU does faster than any loop. */
    __asm__ volatile("rep stosl" : "+D"(pages), "+c"(words) : "a"(0) : "memory");
}
