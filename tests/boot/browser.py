"""A headless Chromium, for tests that open a page as people would."""

import os
import re
import shutil
import signal
import subprocess
import tempfile

CHROMIUM = shutil.which("chromium")
LIMIT_S = 90
CONSOLE = re.compile(r":CONSOLE[^\]]*\] (.*)")
# A first start has much to fetch and to ask; a test has neither time nor network for that.
OPTIONS = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
           "--disable-background-networking", "--disable-component-update", "--disable-sync",
           "--enable-logging=stderr", "--v=0", "--dump-dom"]


def open_page(path):
    """(the page as Chromium understood it, messages on its console)."""
    # Its sandbox refuses to work for root.
    sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        argv = [CHROMIUM, *OPTIONS, *sandbox, f"--user-data-dir={profile}", f"file://{path}"]
        process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, start_new_session=True,
                                   env={**os.environ, "HOME": profile})
        try:
            page, messages = process.communicate(timeout=LIMIT_S)
        finally:
            try:
                os.killpg(process.pid, signal.SIGKILL)   # it, and what it has started
            except ProcessLookupError:
                pass
            process.wait()
    return page.decode("utf-8", "replace"), CONSOLE.findall(messages.decode("utf-8", "replace"))
