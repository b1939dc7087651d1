"""Starting the emulators: shared by tools/run, tools/make-iso and the boot tests.

process      one child process, followed live under a time limit; how a boot ended
command_line words added to the kernel command line
host         the machine we run on: its CPUs, and which of them share a core
pinning      which host CPU plays which guest core
hostload     what else ran on the host while the guest measured
qemu, bochs  the two emulators
iso          bootable images made with GRUB
"""
