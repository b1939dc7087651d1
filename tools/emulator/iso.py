"""Bootable images, made with GRUB's grub-mkrescue."""

import os
import shutil
import subprocess
import tempfile

from .command_line import split_words
from .process import EmulatorError

GRUB_FOLDER = "/usr/lib/grub"
BIOS_ONLY = "i386-pc"

# Serial and screen together for people; none of it on a serial log that has to be exact.
TERMINALS = """\
serial --unit=0 --speed=115200
terminal_input serial console
terminal_output serial console
"""


def quote(word):
    """A word as GRUB's script language takes it literally."""
    return "'" + word.replace("'", "'\\''") + "'"


def grub_config(args="", *, protocol=2, terminals=True, timeout_s=0):
    """A grub.cfg with an entry for each Multiboot version; `protocol` says which one starts."""
    # GRUB puts quotes around words with spaces again, so the kernel's own go.
    words = [quote(word.replace('"', "")) for word in split_words(args)]
    entries = []
    for version, command in ((2, "multiboot2"), (1, "multiboot")):
        line = " ".join([command, "/boot/tandem.elf", *words])
        entries.append(f'menuentry "Tandem (Multiboot {version})" {{\n    {line}\n}}\n')
    return (
        (TERMINALS if terminals else "")
        + f"set timeout={timeout_s}\nset default={0 if protocol == 2 else 1}\n"
        + "".join(entries)
    )


def make_iso(kernel, output, config, *, bios_only=False):
    """Writes a bootable image: CD and USB stick, and unless bios_only for UEFI (x64, ia32) too.

    The file appears under its name only when it is complete.
    """
    if not os.path.exists(kernel):
        raise EmulatorError(f"{kernel} is missing: run make")
    output_folder = os.path.dirname(os.path.abspath(output))
    os.makedirs(output_folder, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="iso-", dir=output_folder) as folder:
        root = os.path.join(folder, "root")
        os.makedirs(os.path.join(root, "boot", "grub"))
        shutil.copyfile(kernel, os.path.join(root, "boot", "tandem.elf"))
        with open(os.path.join(root, "boot", "grub", "grub.cfg"), "w", encoding="ascii") as file:
            file.write(config)
        image = os.path.join(folder, "image.iso")
        argv = ["grub-mkrescue", "-o", image]
        if bios_only:
            argv += ["-d", os.path.join(GRUB_FOLDER, BIOS_ONLY)]
        try:
            done = subprocess.run(
                argv + [root], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, errors="replace", check=False,
            )
        except FileNotFoundError as error:
            raise EmulatorError("grub-mkrescue is missing: run tools/setup") from error
        if done.returncode != 0 or not os.path.exists(image):
            raise EmulatorError(
                f"grub-mkrescue failed (is something missing? tools/setup): {done.stdout.strip()}")
        os.replace(image, output)
