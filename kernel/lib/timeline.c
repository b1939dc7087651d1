#include "kernel/lib/timeline.h"

#include <stddef.h>

#include "kernel/lib/clock_math.h"
#include "kernel/lib/string.h"

#define OTHERS TIMELINE_LETTERS /* the slot of all tasks without a letter */
#define UNKNOWN_PID UINT32_MAX
#define NO_SLOT UINT32_MAX

void timeline_init(struct timeline *timeline)
{
    memset(timeline, 0, sizeof *timeline);
}

static bool comes_before(const struct timeline_cpu *a, const struct timeline_cpu *b)
{
    return a->core != b->core ? a->core < b->core : a->cpu < b->cpu;
}

void timeline_add_cpu(struct timeline *timeline, uint32_t cpu, uint32_t core)
{
    struct timeline_cpu added = {.cpu = (uint16_t)cpu, .core = (uint16_t)core};
    uint32_t place = timeline->cpu_count++;

    for (; place > 0 && comes_before(&added, &timeline->cpus[place - 1]); place--)
        timeline->cpus[place] = timeline->cpus[place - 1];
    timeline->cpus[place] = added;
}

/* ---- Tasks ---- */

static struct timeline_task *find_task(struct timeline *timeline, uint32_t pid)
{
    for (uint32_t i = 0; i < TIMELINE_TASKS; i++)
        if (timeline->tasks[i].pid == pid)
            return &timeline->tasks[i];
    return NULL;
}

static uint32_t find_slot(const struct timeline *timeline, uint32_t pid)
{
    for (uint32_t slot = 0; slot < timeline->slot_count; slot++)
        if (timeline->slot_pids[slot] == pid)
            return slot;
    return NO_SLOT;
}

static void note_start(struct timeline *timeline, uint32_t pid, const char *name)
{
    struct timeline_task *task = find_task(timeline, 0);

    if (task == NULL)
        return; /* the legend will have no name for it */
    *task = (struct timeline_task){.pid = pid};
    format_buffer(task->name, sizeof task->name, "%s", name);
}

/* Names in the legend are needed until the picture is printed. */
static void note_end(struct timeline *timeline, uint32_t pid)
{
    struct timeline_task *task = find_task(timeline, pid);

    if (task != NULL && pid != 0) {
        task->ended = true;
        if (find_slot(timeline, pid) == NO_SLOT)
            task->pid = 0;
    }
}

static void forget_ended(struct timeline *timeline)
{
    for (uint32_t i = 0; i < TIMELINE_TASKS; i++)
        if (timeline->tasks[i].ended)
            timeline->tasks[i] = (struct timeline_task){0};
}

/* ---- Cells ---- */

static uint64_t cell_begin_ns(const struct timeline *timeline, uint32_t cell)
{
    uint64_t length = timeline->end_ns - timeline->begin_ns;

    return timeline->begin_ns + div_u64_u32(length * cell, TIMELINE_CELLS, NULL);
}

/* Of those that ran for equal times, the lower pid; those without letter count as one, the last. */
static uint8_t judge(const struct timeline *timeline, const struct timeline_row *row,
                     uint64_t length_ns)
{
    uint64_t ran = 0, longest = 0;
    uint32_t winner = 0;

    for (uint32_t slot = 0; slot <= OTHERS; slot++) {
        ran += row->ran_ns[slot];
        if (row->ran_ns[slot] < longest || row->ran_ns[slot] == 0)
            continue;
        if (row->ran_ns[slot] > longest ||
            (slot < OTHERS && timeline->slot_pids[slot] < timeline->slot_pids[winner]))
            winner = slot;
        longest = row->ran_ns[slot];
    }
    if (ran > 0 && ran >= length_ns - ran)
        return (uint8_t)(TIMELINE_CELL_SLOT + winner);
    if (row->unknown)
        return TIMELINE_CELL_UNKNOWN;
    return ran > 0 ? TIMELINE_CELL_MOSTLY_IDLE : TIMELINE_CELL_IDLE;
}

/* What the row's CPU runs has run until until_ns. */
static void advance(const struct timeline *timeline, struct timeline_row *row, uint64_t until_ns)
{
    uint32_t pid = timeline->cpus[row->index].pid, slot = find_slot(timeline, pid);

    if (until_ns > timeline->end_ns)
        until_ns = timeline->end_ns;
    while (row->cell < TIMELINE_CELLS && row->since_ns < until_ns) {
        uint64_t begin = cell_begin_ns(timeline, row->cell);
        uint64_t end = cell_begin_ns(timeline, row->cell + 1);
        uint64_t stop = end < until_ns ? end : until_ns;

        if (pid == UNKNOWN_PID)
            row->unknown = row->unknown || stop > row->since_ns;
        else if (pid != 0)
            row->ran_ns[slot == NO_SLOT ? OTHERS : slot] += stop - row->since_ns;
        row->since_ns = stop;
        if (stop == end) {
            row->cells[row->cell++] = judge(timeline, row, end - begin);
            memset(row->ran_ns, 0, sizeof row->ran_ns);
            row->unknown = false;
        }
    }
}

/* ---- Rows ---- */

static struct timeline_row *find_row(struct timeline *timeline, uint32_t index)
{
    for (uint32_t row = 0; row < timeline->row_count; row++)
        if (timeline->rows[row].index == index)
            return &timeline->rows[row];
    return NULL;
}

static void insert_row(struct timeline *timeline, uint32_t index)
{
    uint32_t row = timeline->row_count++;

    for (; row > 0 && timeline->rows[row - 1].index > index; row--)
        timeline->rows[row] = timeline->rows[row - 1];
    timeline->rows[row] = (struct timeline_row){.index = index, .since_ns = timeline->begin_ns};
}

/* Shows the core that a CPU belongs to, if there are lines for all of its CPUs: without room for
 * the whole machine, this is what makes one be shown. */
static void show_core(struct timeline *timeline, uint32_t index)
{
    uint32_t first = index, end = index + 1;

    if (find_row(timeline, index) != NULL)
        return;
    while (first > 0 && timeline->cpus[first - 1].core == timeline->cpus[index].core)
        first--;
    while (end < timeline->cpu_count && timeline->cpus[end].core == timeline->cpus[index].core)
        end++;
    if (end - first > TIMELINE_ROWS - timeline->row_count)
        return;
    for (uint32_t i = first; i < end; i++)
        insert_row(timeline, i);
}

/* What runs on a CPU is in the picture, if the CPU is. */
static void admit(struct timeline *timeline, uint32_t index)
{
    uint32_t pid = timeline->cpus[index].pid;

    if (find_row(timeline, index) == NULL || find_slot(timeline, pid) != NO_SLOT)
        return;
    if (timeline->slot_count < TIMELINE_LETTERS)
        timeline->slot_pids[timeline->slot_count++] = pid;
    else
        timeline->others = true;
}

/* The begin of the picture has passed: what runs is in it. */
static void open_picture(struct timeline *timeline)
{
    timeline->opened = true;
    for (uint32_t i = 0; i < timeline->cpu_count; i++)
        if (timeline->cpus[i].pid != 0 && timeline->cpus[i].pid != UNKNOWN_PID) {
            show_core(timeline, i);
            admit(timeline, i);
        }
}

void timeline_begin(struct timeline *timeline, uint64_t begin_ns, uint64_t end_ns)
{
    timeline->begin_ns = begin_ns;
    timeline->end_ns = end_ns > begin_ns ? end_ns : begin_ns;
    timeline->drawing = true;
    timeline->opened = timeline->others = false;
    timeline->slot_count = timeline->row_count = 0;
    forget_ended(timeline);
    if (timeline->cpu_count <= TIMELINE_ROWS)
        for (uint32_t i = 0; i < timeline->cpu_count; i++)
            insert_row(timeline, i);
}

/* ---- Events ---- */

/* Where a CPU is in cpus[], or cpu_count. */
static uint32_t find_cpu(const struct timeline *timeline, uint32_t cpu)
{
    uint32_t index = 0;

    while (index < timeline->cpu_count && timeline->cpus[index].cpu != cpu)
        index++;
    return index;
}

static void run(struct timeline *timeline, uint32_t cpu, uint64_t now_ns, uint32_t pid)
{
    bool enters = timeline->opened && pid != 0 && now_ns < timeline->end_ns;
    uint32_t index = find_cpu(timeline, cpu);
    struct timeline_row *row;

    if (index == timeline->cpu_count)
        return;
    if (enters)
        show_core(timeline, index);
    if (pid != 0 && timeline->cpus[index].pid == UNKNOWN_PID)
        timeline->cpus[index].pid = 0; /* nothing had to be taken off for it */
    row = timeline->opened ? find_row(timeline, index) : NULL;
    if (row != NULL)
        advance(timeline, row, now_ns); /* with what has run there until now */
    timeline->cpus[index].pid = pid;
    if (enters)
        admit(timeline, index);
}

void timeline_event(struct timeline *timeline, uint32_t cpu, const struct trace_event *event,
                    const char *text)
{
    if (timeline->drawing && !timeline->opened && event->ns >= timeline->begin_ns)
        open_picture(timeline);
    switch (event->kind) {
    case TRACE_START:
        note_start(timeline, event->pid, text);
        break;
    case TRACE_DISPATCH:
        run(timeline, cpu, event->ns, event->pid);
        break;
    case TRACE_PREEMPT:
    case TRACE_BLOCK:
    case TRACE_IDLE:
        run(timeline, cpu, event->ns, 0);
        break;
    case TRACE_END:
        run(timeline, cpu, event->ns, 0);
        note_end(timeline, event->pid);
        break;
    default:
        break;
    }
}

void timeline_lost(struct timeline *timeline, uint32_t cpu)
{
    uint32_t index = find_cpu(timeline, cpu);

    if (index < timeline->cpu_count)
        timeline->cpus[index].pid = UNKNOWN_PID;
}

void timeline_end(struct timeline *timeline)
{
    if (!timeline->opened)
        open_picture(timeline);
    for (uint32_t row = 0; row < timeline->row_count; row++)
        advance(timeline, &timeline->rows[row], timeline->end_ns);
    timeline->drawing = timeline->opened = false;
}
