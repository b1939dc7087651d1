# The only build file. Targets: all run test check debug iso clean (README.md tells what each does).
# Nothing here installs anything: where a tool is missing, `tools/setup` brings it.

B       := build
PYTHON  := /usr/bin/python3
CC      := gcc
LD      := ld
NASM    := nasm

need = $(if $(shell command -v $(1)),,$(error $(1) is missing: run tools/setup))
$(call need,$(CC))$(call need,$(LD))

WARN    := -Wall -Wextra -Werror -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
COMMON  := -std=c11 $(WARN) -I. -MMD -MP -fno-omit-frame-pointer

# Pure folders: decoders, scheduler policies, library, MD5. They are compiled into the kernel or its
# programs and, unchanged, for the host with the sanitizers.
PURE_KERNEL := $(sort $(wildcard arch/x86/decode/*.c kernel/sched/*.c kernel/lib/*.c))
PURE_USER   := user/md5/md5.c user/md5/command.c
PURE        := $(PURE_KERNEL) $(PURE_USER)

all: host

# ---- host: pure code with sanitizers, tests, tools -------------------------------------------
HOST_CFLAGS := $(COMMON) -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all
HOST_PURE   := $(PURE:%.c=$(B)/host/%.o)
HOST_TESTS  := $(patsubst tests/host/%.c,$(B)/host/%,$(sort $(wildcard tests/host/test_*.c)))
HOST_TOOLS  := $(patsubst tools/host/%.c,$(B)/host/%,$(sort $(wildcard tools/host/*.c)))

host: $(HOST_TOOLS) $(HOST_TESTS)

$(B)/host/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(HOST_CFLAGS) -c $< -o $@

$(B)/host/libpure.a: $(HOST_PURE)
	@rm -f $@
	ar rcsD $@ $^

$(HOST_TESTS): $(B)/host/%: $(B)/host/tests/host/%.o $(B)/host/libpure.a
	$(CC) $(HOST_CFLAGS) $^ -lcmocka -o $@

$(HOST_TOOLS): $(B)/host/%: $(B)/host/tools/host/%.o $(B)/host/libpure.a
	$(CC) $(HOST_CFLAGS) $^ -o $@

host-test: $(HOST_TESTS) $(HOST_TOOLS)
	@for t in $(HOST_TESTS); do $$t || exit 1; done

clean:
	rm -rf $(B)

.PHONY: all run iso debug test host host-test clean
.SECONDARY:
-include $(shell find $(B) -name '*.d' 2>/dev/null)
