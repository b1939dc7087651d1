#include "arch/x86/clock.h"

#include "arch/x86/clock_source.h"
#include "arch/x86/decode/acpi_tables.h"
#include "arch/x86/io.h"
#include "arch/x86/lapic.h"
#include "kernel/arch.h"
#include "kernel/lib/clock_math.h"
#include "kernel/log.h"

#define WINDOWS 7
#define WINDOW_NS (5u * NS_PER_MS)
#define WINDOW_MAX_TICKS (TSC_MAX_HZ / 10) /* a reference that stands still ends the wait here */
#define READ_PAIR_TRIES 3
#define FALLBACK_TSC_HZ 1000000000u /* a made-up rate, said to be so */
#define LAPIC_MIN_HZ 1000000u
#define LAPIC_MAX_HZ 10000000000ull
#define SOURCES 3

static uint64_t tsc_hz;
static struct clock_scale ns_to_timer;
static bool timer_is_pit; /* [I] there is no local APIC */
struct clock_base clock_base;

/* One look at the reference and the time stamp counter, as close together as can be had. */
struct moment {
    uint64_t tsc;
    uint64_t width_tsc; /* how far apart the two reads may have been */
    uint32_t reference;
};

static struct moment look(const struct clock_source *source)
{
    struct moment best = {.width_tsc = UINT64_MAX};

    for (unsigned i = 0; i < READ_PAIR_TRIES; i++) {
        uint64_t before = tsc_read();
        uint32_t reference = source->read();
        uint64_t after = tsc_read();

        if (after - before < best.width_tsc)
            best = (struct moment){before + (after - before) / 2, after - before, reference};
    }
    return best;
}

/* Waits one window; false if the reference does not move. */
static bool measure_window(const struct clock_source *source, struct calibration_sample *sample)
{
    struct moment start, end;
    uint64_t elapsed;

    if (source->restart != NULL)
        source->restart();
    start = look(source);
    do {
        end = look(source);
        elapsed = mul_div_u64(counter_delta(start.reference, end.reference, source->width_bits),
                              NS_PER_SECOND, source->hz);
        if (elapsed < WINDOW_NS && end.tsc - start.tsc > WINDOW_MAX_TICKS)
            return false;
    } while (elapsed < WINDOW_NS);
    *sample = (struct calibration_sample){
        .ticks = end.tsc - start.tsc,
        .reference_ns = elapsed,
        /* In ticks, not nanoseconds: only the order of samples counts. */
        .uncertainty_ns = start.width_tsc + end.width_tsc,
    };
    return true;
}

static struct calibration measure(const struct clock_source *source)
{
    struct calibration_sample samples[WINDOWS];
    struct calibration result = {.hz = 0};
    unsigned count = 0;

    if (source == NULL)
        return result;
    while (count < WINDOWS && measure_window(source, &samples[count]))
        count++;
    if (count == 0)
        return result;
    if (calibrate_pick(samples, count, TSC_MIN_HZ, TSC_MAX_HZ, &result) != OK)
        log_warning("clock", "%s: samples differ by %u ppm", source->name, result.error_ppm);
    return result;
}

/* Picks the first reference that another one confirms, or else the first that ticks at all. */
static const char *calibrate_tsc(const struct fadt *fadt, const struct hpet *hpet,
                                 uint32_t *error_ppm)
{
    const struct clock_source *sources[SOURCES] = {hpet == NULL ? NULL : hpet_clock(hpet),
                                                   fadt == NULL ? NULL : pmtimer_clock(fadt),
                                                   pit_clock()};
    struct calibration results[SOURCES];
    uint64_t hz[SOURCES];
    int chosen;

    for (unsigned i = 0; i < SOURCES; i++) {
        results[i] = measure(sources[i]);
        hz[i] = results[i].hz;
    }
    chosen = calibrate_vote(hz, SOURCES);
    for (int i = 0; i < SOURCES && chosen < 0; i++) {
        if (hz[i] == 0)
            continue;
        log_warning("clock", "no second clock confirms %s", sources[i]->name);
        chosen = i;
    }
    if (chosen < 0) {
        log_warning("clock", "no reference clock ticks: times are guesses");
        tsc_hz = FALLBACK_TSC_HZ;
        *error_ppm = PPM;
        return "none";
    }
    tsc_hz = hz[chosen];
    *error_ppm = results[chosen].error_ppm;
    return sources[chosen]->name;
}

/* The local APIC timer's rate, by the clock that was just calibrated. All CPUs have the same: it
 * counts the bus or the crystal (SDM volume 3, "APIC Timer"). */
static void calibrate_lapic_timer(void)
{
    struct calibration_sample samples[WINDOWS];
    struct calibration result;

    for (unsigned i = 0; i < WINDOWS; i++) {
        uint64_t before, start, end;

        before = arch_now_ns();
        lapic_timer_start_free();
        start = arch_now_ns();
        while ((end = arch_now_ns()) - start < WINDOW_NS / 2)
            cpu_pause();
        samples[i] = (struct calibration_sample){lapic_timer_elapsed(), end - start,
                                                 start - before + (arch_now_ns() - end)};
    }
    lapic_timer_enable();
    if (calibrate_pick(samples, WINDOWS, LAPIC_MIN_HZ, LAPIC_MAX_HZ, &result) != OK)
        log_warning("clock", "local APIC timer: samples differ by %u ppm", result.error_ppm);
    if (result.hz == 0)
        log_error("clock", "the local APIC timer stands still: there will be no time slices");
    clock_scale_init(&ns_to_timer, NS_PER_SECOND, result.hz);
}

void clock_init(const struct fadt *fadt, const struct hpet *hpet, bool tsc_invariant,
                uint32_t slice_us)
{
    uint32_t error_ppm;
    const char *reference;

    reference = calibrate_tsc(fadt, hpet, &error_ppm);
    clock_scale_init(&clock_base.scale, tsc_hz, NS_PER_SECOND);
    clock_base.start = tsc_read();
    timer_is_pit = !lapic_present();
    if (!timer_is_pit)
        calibrate_lapic_timer();
    log_print("timer: tsc_hz=%llu tsc_invariant=%d reference=%s error_ppm=%u tick=%s slice_us=%u\n",
              (unsigned long long)tsc_hz, tsc_invariant, reference, error_ppm,
              timer_is_pit ? "pit" : "lapic", slice_us);
}

void clock_delay_us(uint32_t us)
{
    uint64_t start = arch_now_ns();

    while (arch_now_ns() - start < (uint64_t)us * NS_PER_US)
        cpu_pause();
}

uint64_t arch_now_ns(void)
{
    bool were_on = arch_irq_save();
    struct cpu *cpu = arch_this_cpu();
    uint64_t now = arch_now_here_ns(cpu);

    /* A counter that firmware wrote to, or one behind the boot CPU's, must not show. */
    if ((int64_t)(now - cpu->last_now_ns) < 0)
        now = cpu->last_now_ns;
    cpu->last_now_ns = now;
    arch_irq_restore(were_on);
    return now;
}

uint64_t arch_ticks(void)
{
    return tsc_read();
}

uint64_t arch_ticks_to_ns(uint64_t ticks)
{
    return clock_scale_apply(&clock_base.scale, ticks);
}

void arch_arm_timer(uint64_t wait_ns)
{
    uint64_t ticks;

    if (timer_is_pit) {
        pit_arm(wait_ns); /* cannot be stopped; an early interrupt only looks and arms again */
        return;
    }
    if (wait_ns == UINT64_MAX) {
        lapic_timer_arm(0);
        return;
    }
    ticks = clock_scale_apply(&ns_to_timer, wait_ns);
    lapic_timer_arm(ticks == 0 ? 1 : ticks > 0xffffffff ? 0xffffffff : (uint32_t)ticks);
}
