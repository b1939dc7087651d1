"""Pictures of what the kernel's CPUs did, made of the `trace:` records of a serial log."""
