"""What all tools that read logs owe to the files and pipes around them."""

import os
import sys

STATUS_BROKEN_PIPE = 1
STATUS_INTERRUPTED = 130


def is_same_file(one, other):
    """Whether two paths are one file that is there already."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def run(name, main, *arguments):
    """The status of main(*arguments). Errors of files are told in one line, status 1.

    A reader of our output that is gone, as in `... | head`, is no reason for words.
    """
    try:
        status = main(*arguments)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status
    except BrokenPipeError:
        # What is still in the buffer would be written, and fail again, when Python ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return STATUS_BROKEN_PIPE
    except OSError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return STATUS_INTERRUPTED
