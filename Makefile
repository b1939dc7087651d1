# The only build file. Targets: all run timeline test check debug iso clean (README.md tells what
# each does).
# Nothing here installs anything: where a tool is missing, `tools/setup` brings it.

B       := build
# V=1 shows the commands.
Q       := $(if $(V),,@)
PYTHON  := /usr/bin/python3
CC      := gcc
LD      := ld
NASM    := nasm

need = $(if $(shell command -v $(1)),,$(error $(1) is missing: run $(or $(2),tools/setup)))
$(call need,$(CC))$(call need,$(LD))

WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
COMMON  := -std=c11 $(WARN) -I. -MMD -MP -fno-omit-frame-pointer

# Pure folders: decoders, scheduler policies, library, MD5 and the other work of programs. They are
# compiled into the kernel or its programs and, unchanged, for the host with the sanitizers.
PURE_KERNEL := $(sort $(wildcard arch/x86/decode/*.c kernel/sched/*.c kernel/lib/*.c))
PURE_USER   := user/md5/md5.c user/md5/md5_pair.c user/md5/command.c user/arguments.c \
    $(sort $(wildcard user/work/*.c))
PURE        := $(PURE_KERNEL) $(PURE_USER)

all: $(B)/tandem.elf host

# ---- kernel ------------------------------------------------------------------------------------
VERSION := 0.1
# The kernel itself is built for less than it needs, to be able to say on an older CPU what is
# missing; user programs only run where an i686 is.
FREESTANDING := $(COMMON) -O2 -m32 -mtune=generic -ffreestanding -fno-pie -fno-pic \
    -fno-stack-protector -fcf-protection=none -mgeneral-regs-only -fno-asynchronous-unwind-tables \
    -ffile-prefix-map=$(CURDIR)=. -g
KERNEL_CFLAGS := $(FREESTANDING) -march=i486 -DVERSION='"$(VERSION)"'
# An in-order Atom misses the one register more than a backtrace through MD5 would be worth.
USER_CFLAGS := $(FREESTANDING) -march=i686 -fomit-frame-pointer -ffunction-sections
LDFLAGS := -m elf_i386 --build-id=none -z noexecstack -z max-page-size=4096 --no-warn-rwx-segments

KERNEL_C   := $(PURE_KERNEL) \
    $(sort $(filter-out arch/x86/asm_offsets.c,$(wildcard arch/x86/*.c)) \
           $(wildcard kernel/*.c kernel/experiment/*.c))
KERNEL_ASM := $(sort $(wildcard boot/*.asm arch/x86/*.asm kernel/*.asm))
KERNEL_OBJ := $(KERNEL_C:%.c=$(B)/kernel/%.o) $(KERNEL_ASM:%.asm=$(B)/kernel/%.asm.o)

# What every program may use; the linker takes what it needs.
USER_LIB := $(patsubst %,$(B)/user/%.o,user/libuser user/program user/arguments kernel/lib/format \
    kernel/lib/string kernel/lib/clock_math kernel/lib/words)
USER_PROGRAMS := md5 hog crash bench chase mixed passes int x87 simd job pairmd5 fpu arena
USER_ELF := $(USER_PROGRAMS:%=$(B)/user/%.elf)
md5_OBJ  := user/md5/main user/md5/md5 user/md5/command
crash_OBJ := user/crash
bench_OBJ := user/bench
hog_OBJ  := user/hog user/md5/md5 user/md5/command
chase_OBJ := user/chase user/work/ring
mixed_OBJ := user/mixed user/work/ring user/md5/md5
passes_OBJ := user/passes user/work/ring
int_OBJ  := user/int user/work/compute
x87_OBJ  := user/x87 user/work/x87_work
simd_OBJ := user/simd user/work/compute user/work/simd_sse2 user/work/simd_mmx
job_OBJ  := user/job user/work/compute
arena_OBJ := user/arena
fpu_OBJ  := user/fpu
pairmd5_OBJ := user/pairmd5 user/md5/md5 user/md5/md5_pair user/md5/command

# The only files with instructions that not every CPU has: whoever calls them asks CPUID first.
VECTOR_CFLAGS = $(filter-out -mgeneral-regs-only,$(FREESTANDING)) -march=i686 -fomit-frame-pointer
$(B)/user/user/work/x87_work.o: USER_CFLAGS = $(VECTOR_CFLAGS)
$(B)/user/user/work/simd_mmx.o: USER_CFLAGS = $(VECTOR_CFLAGS) -mmmx
$(B)/user/user/work/simd_sse2.o: USER_CFLAGS = $(VECTOR_CFLAGS) -msse2

$(B)/kernel/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(KERNEL_CFLAGS) -c $< -o $@

$(B)/user/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(USER_CFLAGS) -c $< -o $@

# Every yield and slice goes through it, and nothing in it can fail, so that no backtrace misses it.
$(B)/kernel/kernel/sched/swap.o: KERNEL_CFLAGS += -fomit-frame-pointer

# Not in anybody's way, and much of it: as small as can be.
$(B)/kernel/kernel/experiment/%.o $(B)/kernel/arch/x86/decode/%.o: KERNEL_CFLAGS += -Os

# NASM's -MD forgets included files, hence the separate -M.
NASM_FLAGS := -f elf32 -I $(B)/ -w+orphan-labels -Werror
$(B)/kernel/%.asm.o $(B)/user/%.asm.o: %.asm $(B)/asm_offsets.inc Makefile
	@mkdir -p $(@D)
	$(Q)$(NASM) $(NASM_FLAGS) -M -MP -MT $@ $< > $(@:.o=.d)
	@echo "  NASM  $@"
	$(Q)$(NASM) $(NASM_FLAGS) $< -o $@
$(B)/kernel/kernel/programs.asm.o: $(USER_ELF)

$(B)/asm_offsets.inc: arch/x86/asm_offsets.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(KERNEL_CFLAGS) -MT $@ -MF $(@:.inc=.d) -S $< -o $(@:.inc=.s)
	@echo "  GEN   $@"
	$(Q)sed -n 's/.*"@define \(.*\)".*/%define \1/p' $(@:.inc=.s) > $@

$(B)/user/libuser.a: $(USER_LIB)
	@rm -f $@
	@echo "  AR    $@"
	$(Q)ar rcsD $@ $^

$(USER_ELF): $(B)/user/%.elf: $(B)/user/user/start.asm.o $(B)/user/libuser.a user/user.ld
	@echo "  LD    $@"
	$(Q)$(LD) $(LDFLAGS) -T user/user.ld --strip-all --gc-sections -o $@ $(filter %.o,$^) $(filter %.a,$^)
$(foreach p,$(USER_PROGRAMS),$(eval $(B)/user/$(p).elf: $($(p)_OBJ:%=$(B)/user/%.o)))

# The image without symbols is what boots; the other one is for GDB.
$(B)/tandem.debug.elf: $(KERNEL_OBJ) linker.ld
	@echo "  LD    $@"
	$(Q)$(LD) $(LDFLAGS) -T linker.ld -o $@ $(KERNEL_OBJ)

$(B)/tandem.elf: $(B)/tandem.debug.elf
	@echo "  STRIP $@"
	$(Q)objcopy --strip-all $< $@

# ---- host: pure code with sanitizers, tests, tools -------------------------------------------
HOST_CFLAGS := $(COMMON) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
HOST_PURE   := $(PURE:%.c=$(B)/host/%.o)
HOST_TESTS  := $(patsubst tests/host/%.c,$(B)/host/%,$(sort $(wildcard tests/host/test_*.c)))
HOST_TOOLS  := $(patsubst tools/host/%.c,$(B)/host/%,$(sort $(wildcard tools/host/*.c)))

# The simulator of the scheduler: a library for tests, and a program with policies of its own, for
# machines of up to 4096 CPUs and at full speed.
SIM_LIB     := $(filter-out tools/sim/schedsim.c,$(sort $(wildcard tools/sim/*.c)))
SIM_PURE    := $(sort $(wildcard kernel/sched/*.c)) \
    $(patsubst %,kernel/lib/%.c,clock_math stats trace_text format string)
SIM_OBJ     := $(patsubst %.c,$(B)/sim/%.o,$(SIM_LIB) tools/sim/schedsim.c $(SIM_PURE))

# The scheduler with its locks on threads, under ThreadSanitizer, which does not go with the others.
TSAN_CFLAGS := $(COMMON) -O1 -g -fsanitize=thread
TSAN_KERNEL := $(sort $(wildcard kernel/sched/*.c kernel/sched*.c)) kernel/sleepers.c \
    kernel/smt_model.c kernel/trace.c kernel/lib/trace_ring.c kernel/lib/string.c \
    kernel/lib/clock_math.c
TSAN_TESTS  := $(B)/tsan/test_sched_threads

host: $(HOST_TOOLS) $(HOST_TESTS) $(TSAN_TESTS) $(B)/host/schedsim

$(B)/host/%.o: %.c
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(HOST_CFLAGS) -c $< -o $@

$(B)/host/libpure.a: $(HOST_PURE)
	@rm -f $@
	@echo "  AR    $@"
	$(Q)ar rcsD $@ $^

$(B)/host/libsim.a: $(SIM_LIB:%.c=$(B)/host/%.o)
	@rm -f $@
	@echo "  AR    $@"
	$(Q)ar rcsD $@ $^

$(B)/sim/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(COMMON) -O2 -g -DMAX_CPUS=4096 -c $< -o $@

$(B)/host/schedsim: $(SIM_OBJ)
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $^ -o $@

$(HOST_TESTS): $(B)/host/%: $(B)/host/tests/host/%.o $(B)/host/libsim.a $(B)/host/libpure.a
	@echo "  CC    $@"
	$(Q)$(CC) $(HOST_CFLAGS) $(filter %.o,$^) $(filter %.a,$^) -lcmocka -o $@
$(B)/host/test_conclusion: $(patsubst %,$(B)/host/kernel/experiment/%.o,conclusion findings say)
$(B)/host/test_sched_cpus: $(B)/host/kernel/sched_cpus.o
$(B)/host/test_sched_watch: $(B)/host/kernel/sched_watch.o
$(B)/host/test_say: $(patsubst %.c,$(B)/host/%.o,$(wildcard kernel/experiment/exp_*.c) \
    $(addprefix kernel/experiment/,beside.c run.c say.c))
$(B)/host/test_reliability: $(B)/host/kernel/experiment/reliability.o
$(B)/host/test_spread: $(B)/host/kernel/experiment/run.o

$(HOST_TOOLS): $(B)/host/%: $(B)/host/tools/host/%.o $(B)/host/libpure.a
	@echo "  CC    $@"
	$(Q)$(CC) $(HOST_CFLAGS) $^ -o $@

$(B)/tsan/%.o: %.c Makefile
	@mkdir -p $(@D)
	@echo "  CC    $@"
	$(Q)$(CC) $(TSAN_CFLAGS) -c $< -o $@

$(TSAN_TESTS): $(B)/tsan/%: $(B)/tsan/tests/threads/%.o \
    $(B)/tsan/tests/threads/machine.o $(B)/tsan/tests/threads/trace_checks.o \
    $(TSAN_KERNEL:%.c=$(B)/tsan/%.o)
	@echo "  CC    $@"
	$(Q)$(CC) $(TSAN_CFLAGS) $^ -lcmocka -pthread -o $@

host-test: $(HOST_TESTS) $(TSAN_TESTS) $(HOST_TOOLS) $(B)/host/schedsim
	@for t in $(HOST_TESTS) $(TSAN_TESTS); do $$t || exit 1; done

# ---- fuzzing: a libFuzzer program for each parser, which only clang builds -----------------------
FUZZ_SECONDS := 60
FUZZERS     := $(patsubst tests/fuzz/fuzz_%.c,%,$(sort $(wildcard tests/fuzz/fuzz_*.c)))
FUZZ_CFLAGS := -std=c11 $(WARN) -I. -O1 -g -fsanitize=fuzzer,address,undefined \
    -fno-sanitize-recover=all

$(FUZZERS:%=$(B)/fuzz/%): $(B)/fuzz/%: tests/fuzz/fuzz_%.c $(PURE_KERNEL) \
    $(wildcard tests/fuzz/*.h tools/host/*.h arch/x86/decode/*.h kernel/lib/*.h kernel/*.h) Makefile
	$(call need,clang,tools/setup --fuzz)
	@mkdir -p $(@D)
	@echo "  CLANG $@"
	$(Q)clang $(FUZZ_CFLAGS) $(filter %.c,$^) -o $@

fuzz: $(FUZZERS:%=$(B)/fuzz/%)
	$(PYTHON) -B tests/fuzz/run $(B)/fuzz $(FUZZ_SECONDS) $(FUZZERS)

clean:
	rm -rf $(B)

run: $(B)/tandem.elf
	tools/run

# Boots with a trace and draws it. Variables as for `make run`. The log itself goes to a file only.
TIMELINE      := $(B)/timeline
TIMELINE_ARGS := run=pair,peg sched=naive,smt rounds=3 \
    $(if $(filter bochs,$(EMU)),blocks=50 smt_model=1.5,blocks=1000)
timeline: export override ARGS := $(or $(ARGS),$(TIMELINE_ARGS)) trace=on
timeline: $(B)/tandem.elf
	@mkdir -p $(TIMELINE)
	@echo "  BOOT  $(TIMELINE)/serial.log"
	@status=0; tools/run --log $(TIMELINE)/serial.log > /dev/null || status=$$?; \
	tools/timeline $(TIMELINE)/serial.log --text --json $(TIMELINE)/trace.json \
	    --svg $(TIMELINE)/timeline.svg --png $(TIMELINE)/timeline.png || exit; \
	echo "In $(TIMELINE): timeline.svg timeline.png, trace.json for https://ui.perfetto.dev"; \
	exit $$status

# The pictures of docs/experiments.md, from exact runs in Bochs: some minutes.
experiment-pictures: $(B)/tandem.elf
	tools/experiment-pictures

iso: $(B)/tandem.iso
$(B)/tandem.iso: $(B)/tandem.elf
	tools/make-iso $< $@

debug: $(B)/tandem.elf
	tools/run --debug

test: $(B)/tandem.elf host
	tools/test $(HOST_TESTS) $(TSAN_TESTS)

# All CPU models of the emulators, times shapes: half an hour. `make test` boots a few of them.
test-matrix: $(B)/tandem.elf
	TANDEM_MATRIX=all $(PYTHON) -B -m pytest tests/boot/test_matrix.py

# Bochs, whose virtual time is exact, against theory; the logs stay in build/exact.
exact: $(B)/tandem.elf
	TANDEM_EXACT=all $(PYTHON) -B -m pytest tests/boot/exact_demo.py tests/boot/exact_experiments.py \
	    tests/boot/test_exact.py tests/boot/test_bochs.py

# What `make test` leaves out because it takes long.
test-long: test fuzz test-matrix exact

bench: $(B)/tandem.elf
	@tools/bench $<

check: $(HOST_PURE) $(KERNEL_OBJ)
	tools/check $(filter $(PURE_KERNEL:%.c=$(B)/kernel/%.o),$(KERNEL_OBJ))

# Races between CPUs, as models for spin.
model:
	tools/model

.PHONY: model bench check exact all run timeline experiment-pictures iso debug test test-matrix \
    test-long host host-test fuzz clean
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
