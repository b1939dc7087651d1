#include "kernel/experiment/beside.h"

#include "kernel/experiment/harness.h"
#include "kernel/lib/format.h"
#include "kernel/log.h"

bool beside_prepare(struct beside *kind, const struct work *work, uint32_t target_us,
                    uint32_t maximum, const char **why)
{
    if (kind->once.us != 0)
        return true;
    kind->once = *work;
    if (!work_calibrate(&kind->once, target_us, maximum, why)) {
        kind->once.us = 0;
        return false;
    }
    kind->on_and_on = kind->once;
    work_set_amount(&kind->on_and_on, maximum);
    return true;
}

/* The name of a program is enough: "md5 -t" has a space. */
struct variant *beside_add_variant(struct run *run, const struct beside *first,
                                   const struct beside *second, const char *where)
{
    char name[RUN_NAME_BYTES];
    struct variant *variant;

    format_buffer(name, sizeof name, "%s_%s_%s", first->once.program, second->once.program, where);
    variant = run_add_variant(run, name, 2);
    variant->solo_of = &first->once;
    run_add_key(variant, " first=%s second=%s placement=%s", first->once.program,
                second->once.program, where);
    return variant;
}

void beside_measure(struct run *run, struct variant *variant, struct beside *first,
                    struct beside *second, const struct bitmap *first_cpu,
                    const struct bitmap *second_cpu)
{
    struct task *other = harness_start_background(run, &second->on_and_on, second_cpu);

    if (other == NULL)
        return;
    harness_sleep_us(second->once.us / 2); /* it has prepared what it works on by then */
    if (harness_add(run, variant, &first->once, first_cpu)) {
        struct task *task = run->group[0].task;

        harness_start(run);
        harness_wait_for(&task, 1);
        if (sched_has_ended(other)) {
            log_warning("beside", "%s has ended before %s", other->name, task->name);
            harness_finish(run);
        } else {
            harness_finish_with_samples(run);
        }
    }
    harness_stop_background(other);
}
