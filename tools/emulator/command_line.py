"""Words of the kernel command line.

The kernel splits at spaces outside double quotes. Nothing here judges what a user writes: an
unknown word is the kernel's to warn about.
"""

import re

WORD = re.compile(r'(?:[^\s"]|"[^"]*"?)+')


def split_words(text):
    """The words of a command line, each with its quotes as written."""
    return WORD.findall(text)


def join_words(words):
    return " ".join(words)


def has_key(words, key):
    return any(word == key or word.startswith(key + "=") for word in words)


def value_of(words, key):
    """The value of the last `key=value`, or None."""
    values = [word[len(key) + 1:] for word in words if word.startswith(key + "=")]
    return values[-1] if values else None


def add_missing(words, defaults):
    """words, after those of defaults whose key the user has not given.

    Ours come first, so that a quote which the user forgot to close cannot swallow them.
    """
    return [word for word in defaults
            if not has_key(words, word.partition("=")[0])] + list(words)
