/* The picture that timeline.c has drawn, as text. */
#include "kernel/lib/timeline.h"

#include <stddef.h>

#include "kernel/lib/clock_math.h"

#define LINE_BYTES 100
#define LEGEND_COLUMNS 78u
#define LABEL "                  " /* as wide as what is before the first cell */

static const struct timeline_cpu *cpu_of(const struct timeline *timeline, uint32_t row)
{
    return &timeline->cpus[timeline->rows[row].index];
}

/* How many of the tasks with a letter have a lower pid: that is its place in the alphabet. */
static uint32_t rank_of(const struct timeline *timeline, uint32_t slot)
{
    uint32_t rank = 0;

    for (uint32_t other = 0; other < timeline->slot_count; other++)
        rank += timeline->slot_pids[other] < timeline->slot_pids[slot];
    return rank;
}

static bool is_shared(const struct timeline *timeline, uint32_t row, uint32_t cell)
{
    for (uint32_t i = 0; i < timeline->row_count; i++)
        if (i != row && cpu_of(timeline, i)->core == cpu_of(timeline, row)->core &&
            timeline->rows[i].cells[cell] >= TIMELINE_CELL_SLOT)
            return true;
    return false;
}

static char cell_character(const struct timeline *timeline, uint32_t row, uint32_t cell)
{
    uint8_t content = timeline->rows[row].cells[cell];
    bool shared = is_shared(timeline, row, cell);

    if (content == TIMELINE_CELL_IDLE)
        return '.';
    if (content == TIMELINE_CELL_MOSTLY_IDLE)
        return ':';
    if (content == TIMELINE_CELL_UNKNOWN)
        return '?';
    if (content == TIMELINE_CELL_SLOT + TIMELINE_LETTERS)
        return shared ? '#' : '*';
    return (char)((shared ? 'A' : 'a') + rank_of(timeline, content - TIMELINE_CELL_SLOT));
}

static void print_row(const struct timeline *timeline, uint32_t row, text_sink *sink, void *ctx)
{
    const struct timeline_cpu *cpu = cpu_of(timeline, row);
    char cells[TIMELINE_CELLS + 1], core[12] = "", line[LINE_BYTES];
    size_t length;

    for (uint32_t cell = 0; cell < TIMELINE_CELLS; cell++)
        cells[cell] = cell_character(timeline, row, cell);
    cells[TIMELINE_CELLS] = '\0';
    if (row == 0 || cpu->core != cpu_of(timeline, row - 1)->core)
        format_buffer(core, sizeof core, "core %u", cpu->core);
    length = format_buffer(line, sizeof line, "%-8s cpu %-3u |%s|\n", core, cpu->cpu, cells);
    sink(ctx, line, length);
}

/* Milliseconds with three decimals. */
static size_t format_ms(char *text, size_t size, uint64_t ns)
{
    uint32_t ns_left;
    uint64_t ms = div_u64_u32(ns, NS_PER_MS, &ns_left);

    return format_buffer(text, size, "%llu.%03u ms", (unsigned long long)ms, ns_left / NS_PER_US);
}

static void print_axis(const struct timeline *timeline, text_sink *sink, void *ctx)
{
    char begin[32], end[32], line[LINE_BYTES];
    size_t length = format_ms(begin, sizeof begin, timeline->begin_ns);

    format_ms(end, sizeof end, timeline->end_ns);
    length = format_buffer(line, sizeof line, LABEL "%s%*s\n", begin,
                           (int)(TIMELINE_CELLS - length), end);
    sink(ctx, line, length);
}

static uint32_t slot_of_rank(const struct timeline *timeline, uint32_t rank)
{
    uint32_t slot = 0;

    while (rank_of(timeline, slot) != rank)
        slot++;
    return slot;
}

static const char *name_of(const struct timeline *timeline, uint32_t pid)
{
    for (uint32_t i = 0; i < TIMELINE_TASKS; i++)
        if (timeline->tasks[i].pid == pid)
            return timeline->tasks[i].name;
    return "(unknown)";
}

/* As many tasks on a line as fit. */
static void print_tasks(const struct timeline *timeline, text_sink *sink, void *ctx)
{
    char line[2 * LINE_BYTES], entry[LINE_BYTES];
    size_t length = 0;

    for (uint32_t rank = 0; rank < timeline->slot_count; rank++) {
        uint32_t pid = timeline->slot_pids[slot_of_rank(timeline, rank)];
        size_t more = format_buffer(entry, sizeof entry, "%c=%u %s", (int)('a' + rank), pid,
                                    name_of(timeline, pid));

        if (length > 0 && length + 2 + more > LEGEND_COLUMNS) {
            line[length++] = '\n';
            sink(ctx, line, length);
            length = 0;
        }
        length += format_buffer(line + length, sizeof line - length, "%s%s",
                                length == 0 ? "" : ", ", entry);
    }
    line[length++] = '\n';
    sink(ctx, line, length);
}

static bool has_unknown(const struct timeline *timeline)
{
    for (uint32_t row = 0; row < timeline->row_count; row++)
        for (uint32_t cell = 0; cell < TIMELINE_CELLS; cell++)
            if (timeline->rows[row].cells[cell] == TIMELINE_CELL_UNKNOWN)
                return true;
    return false;
}

static void print_legend(const struct timeline *timeline, text_sink *sink, void *ctx)
{
    static const char signs[] =
        ". idle   : mostly idle   capital letter: another CPU of the core is busy too\n";
    uint32_t hidden = timeline->cpu_count - timeline->row_count;
    char line[LINE_BYTES];

    if (hidden > 0)
        sink(ctx, line, format_buffer(line, sizeof line, "and %u more CPUs\n", hidden));
    if (timeline->slot_count > 0)
        print_tasks(timeline, sink, ctx);
    if (timeline->others)
        sink(ctx, line,
             format_buffer(line, sizeof line, "* more tasks; # on a core that is shared\n"));
    sink(ctx, signs, sizeof signs - 1);
    if (has_unknown(timeline))
        sink(ctx, line, format_buffer(line, sizeof line, "? nobody knows: events are missing\n"));
}

void timeline_print(const struct timeline *timeline, text_sink *sink, void *ctx)
{
    for (uint32_t row = 0; row < timeline->row_count; row++)
        print_row(timeline, row, sink, ctx);
    print_axis(timeline, sink, ctx);
    print_legend(timeline, sink, ctx);
}
