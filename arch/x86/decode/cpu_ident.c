/*
 * CPUID leaves 0, 1, 6, 7, 0x40000000 and 0x80000000 to 0x80000008.
 * Intel SDM volume 2, "CPUID - CPU Identification"; AMD APM volume 3, "Obtaining Processor
 * Information Via the CPUID Instruction".
 */
#include "arch/x86/decode/cpu_ident.h"

#include <stddef.h>

#include "kernel/lib/bits.h"
#include "kernel/lib/string.h"

#define LEAF_EXTENDED 0x80000000u
#define LEAF_HYPERVISOR 0x40000000u
#define LEAF_HYPERVISOR_SECOND 0x40000100u

struct cpuid_regs cpu_ident_leaf(const struct cpu_ident *ident, cpuid_reader *read, void *ctx,
                                 uint32_t leaf, uint32_t subleaf)
{
    uint32_t max = leaf < LEAF_EXTENDED ? ident->max_leaf : ident->max_extended_leaf;

    return leaf <= max ? read(ctx, leaf, subleaf) : (struct cpuid_regs){0};
}

/* Three registers as twelve characters and a terminator. */
static void copy_signature(char *out, uint32_t first, uint32_t second, uint32_t third)
{
    uint32_t words[3] = {first, second, third};

    memcpy(out, words, CPU_VENDOR_LENGTH);
    out[CPU_VENDOR_LENGTH] = '\0';
}

static enum cpu_vendor vendor_from_name(const char *name)
{
    static const struct {
        const char *name;
        enum cpu_vendor vendor;
    } vendors[] = {
        {"GenuineIntel", VENDOR_INTEL}, {"AuthenticAMD", VENDOR_AMD},
        {"HygonGenuine", VENDOR_HYGON}, {"CentaurHauls", VENDOR_VIA},
        {"  Shanghai  ", VENDOR_VIA},
    };

    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++) {
        if (strcmp(name, vendors[i].name) == 0)
            return vendors[i].vendor;
    }
    return VENDOR_OTHER;
}

static void identify_vendor(cpuid_reader *read, void *ctx, struct cpu_ident *out)
{
    struct cpuid_regs basic = read(ctx, 0, 0);
    struct cpuid_regs extended = read(ctx, LEAF_EXTENDED, 0);

    out->max_leaf = basic.eax;
    /* CPUs without extended leaves answer with anything: only 0x8000xxxx is an answer. */
    if (extended.eax >> 16 == LEAF_EXTENDED >> 16)
        out->max_extended_leaf = extended.eax;
    copy_signature(out->vendor_name, basic.ebx, basic.edx, basic.ecx);
    out->vendor = vendor_from_name(out->vendor_name);
}

/* SDM, "INPUT EAX = 01H: Returns Model, Family, Stepping Information". */
static void identify_family(uint32_t signature, struct cpu_ident *out)
{
    uint32_t family = field(signature, 11, 8);
    uint32_t model = field(signature, 7, 4);

    if (family == 0x6 || family == 0xf)
        model |= field(signature, 19, 16) << 4;
    if (family == 0xf)
        family += field(signature, 27, 20);
    out->family = (uint16_t)family;
    out->model = (uint8_t)model;
    out->stepping = (uint8_t)field(signature, 3, 0);
}

static void identify_features(cpuid_reader *read, void *ctx, struct cpu_ident *out)
{
    struct cpuid_regs leaf1 = cpu_ident_leaf(out, read, ctx, 1, 0);
    struct cpuid_regs leaf7 = cpu_ident_leaf(out, read, ctx, 7, 0);
    struct cpuid_regs extended1 = cpu_ident_leaf(out, read, ctx, 0x80000001, 0);

    identify_family(leaf1.eax, out);
    out->fpu = bit(leaf1.edx, 0);
    out->tsc = bit(leaf1.edx, 4);
    out->msr = bit(leaf1.edx, 5);
    out->pae = bit(leaf1.edx, 6);
    out->apic = bit(leaf1.edx, 9);
    out->pge = bit(leaf1.edx, 13);
    out->fxsr = bit(leaf1.edx, 24);
    out->sse = bit(leaf1.edx, 25);
    out->htt = bit(leaf1.edx, 28);
    out->x2apic = bit(leaf1.ecx, 21);
    out->tsc_deadline = bit(leaf1.ecx, 24);
    out->hypervisor = bit(leaf1.ecx, 31);
    out->arat = bit(cpu_ident_leaf(out, read, ctx, 6, 0).eax, 2);
    out->smep = bit(leaf7.ebx, 7);
    out->smap = bit(leaf7.ebx, 20);
    out->umip = bit(leaf7.ecx, 2);
    out->hybrid = bit(leaf7.edx, 15);
    out->nx = bit(extended1.edx, 20);
    out->topoext = bit(extended1.ecx, 22);
    out->tsc_invariant = bit(cpu_ident_leaf(out, read, ctx, 0x80000007, 0).edx, 8);
    out->fpu_pointers = bit(cpu_ident_leaf(out, read, ctx, 0x80000008, 0).ebx, 2);
}

/* Leaves 0x80000002 to 4; spaces before, behind and in runs are dropped, Intel pads with them. */
static void identify_model_name(cpuid_reader *read, void *ctx, struct cpu_ident *out)
{
    char raw[CPU_MODEL_NAME_LENGTH];
    size_t length = 0;

    for (uint32_t i = 0; i < 3; i++) {
        struct cpuid_regs part = cpu_ident_leaf(out, read, ctx, 0x80000002 + i, 0);
        memcpy(raw + 16 * i, &part, 16);
    }
    for (size_t i = 0; i < sizeof(raw) && raw[i] != '\0'; i++) {
        if (raw[i] != ' ')
            out->model_name[length++] = raw[i];
        else if (length > 0 && out->model_name[length - 1] != ' ')
            out->model_name[length++] = ' ';
    }
    if (length > 0 && out->model_name[length - 1] == ' ')
        length--;
    out->model_name[length] = '\0';
}

static enum cpu_platform platform_from_signature(const char *name)
{
    static const struct {
        const char *name;
        enum cpu_platform platform;
    } platforms[] = {
        {"TCGTCGTCGTCG", PLATFORM_QEMU},       {"KVMKVMKVM", PLATFORM_KVM},
        {"VMwareVMware", PLATFORM_VMWARE},     {"Microsoft Hv", PLATFORM_HYPERV},
        {"VBoxVBoxVBox", PLATFORM_VIRTUALBOX},
    };

    for (size_t i = 0; i < sizeof(platforms) / sizeof(platforms[0]); i++) {
        if (strcmp(name, platforms[i].name) == 0)
            return platforms[i].platform;
    }
    return PLATFORM_OTHER;
}

/*
 * The hypervisor bit was left to hypervisors by the vendors, and the leaves from 0x40000000 up
 * with it. KVM that imitates Hyper-V for Windows guests shows its own name 0x100 leaves further.
 */
static void identify_platform(cpuid_reader *read, void *ctx, struct cpu_ident *out)
{
    char second_name[CPU_VENDOR_LENGTH + 1];
    struct cpuid_regs regs;

    if (!out->hypervisor)
        return;
    regs = read(ctx, LEAF_HYPERVISOR, 0);
    copy_signature(out->hypervisor_name, regs.ebx, regs.ecx, regs.edx);
    out->platform = platform_from_signature(out->hypervisor_name);
    if (out->platform != PLATFORM_HYPERV)
        return;
    regs = read(ctx, LEAF_HYPERVISOR_SECOND, 0);
    copy_signature(second_name, regs.ebx, regs.ecx, regs.edx);
    if (platform_from_signature(second_name) == PLATFORM_KVM)
        out->platform = PLATFORM_KVM;
}

void cpu_identify(cpuid_reader *read, void *ctx, struct cpu_ident *out)
{
    memset(out, 0, sizeof(*out));
    identify_vendor(read, ctx, out);
    identify_features(read, ctx, out);
    identify_model_name(read, ctx, out);
    identify_platform(read, ctx, out);
}

const char *cpu_ident_lacks(const struct cpu_ident *cpu, const struct cpu_ident *boot_cpu)
{
    const struct {
        bool wanted, there;
        const char *name;
    } features[] = {
        {boot_cpu->tsc, cpu->tsc, "a time stamp counter"},
        {boot_cpu->msr, cpu->msr, "model-specific registers"},
        {boot_cpu->pae, cpu->pae, "PAE"},
        {boot_cpu->pge, cpu->pge, "global pages"},
        {boot_cpu->nx, cpu->nx, "no-execute pages"},
        {boot_cpu->fpu, cpu->fpu, "an FPU"},
        {boot_cpu->fxsr, cpu->fxsr, "FXSAVE"},
        {boot_cpu->sse, cpu->sse, "SSE"},
    };

    for (size_t i = 0; i < sizeof(features) / sizeof(features[0]); i++) {
        if (features[i].wanted && !features[i].there)
            return features[i].name;
    }
    return NULL;
}

const char *cpu_platform_name(enum cpu_platform platform)
{
    static const char *const names[] = {
        [PLATFORM_BARE] = "bare",     [PLATFORM_QEMU] = "qemu",
        [PLATFORM_KVM] = "kvm",       [PLATFORM_BOCHS] = "bochs",
        [PLATFORM_VMWARE] = "vmware", [PLATFORM_HYPERV] = "hyperv",
        [PLATFORM_OTHER] = "other",   [PLATFORM_VIRTUALBOX] = "virtualbox",
    };

    return names[platform];
}
