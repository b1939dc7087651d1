"""Fixtures of the boot tests: `boot` gives the log of a boot of the real image."""

import concurrent.futures

import pytest

import target as boot_target

# Boots at a time where several are wanted at once. More would starve each other.
PARALLEL = 2


class Booter:
    """Boots on the session's target, and remembers the logs."""

    def __init__(self, target):
        self.target = target
        self.results = {}   # Request -> Log, or the exception that its boot ended with

    def _run(self, request):
        try:
            return boot_target.boot(self.target, request)
        except Exception as error:  # pylint: disable=broad-except
            return error            # raised in the tests that ask for this boot

    def prepare(self, requests):
        """Boots those of the requests that were not booted yet, some at a time."""
        wanted = [r for r in dict.fromkeys(requests) if r not in self.results]
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            self.results.update(zip(wanted, pool.map(self._run, wanted)))

    def get(self, request):
        if request not in self.results:
            self.results[request] = self._run(request)
        result = self.results[request]
        if isinstance(result, boot_target.CannotBoot):
            pytest.skip(str(result))
        if isinstance(result, Exception):
            pytest.fail(f"{type(result).__name__}: {result}", pytrace=False)
        return result

    def __call__(self, args="run=none", **machine):
        """The log of a boot with these kernel arguments; `machine` as in target.Request."""
        return self.get(boot_target.Request(args=args, **machine))


@pytest.fixture(scope="session")
def booter():
    return Booter(boot_target.make_target())


@pytest.fixture
def boot(booter):  # pylint: disable=redefined-outer-name
    """boot(args, smp=, cpu=, ...) -> Log, with how it ended as log.outcome."""
    return booter


@pytest.fixture(scope="session")
def blocks_in_ms(booter):  # pylint: disable=redefined-outer-name
    """blocks_in_ms(ms): how many blocks of md5 a CPU of the target does in that time, alone. For
    tests of what takes a number of slices, on fast hosts as on slow ones."""
    blocks = 2000
    solo = booter(f"run=solo sched=smt rounds=3 blocks={blocks}", limit_s=120).one("result")
    return lambda ms: max(1, blocks * ms * 1000 // solo["min_us"])


def wanted_by(item):
    """The Request that a test is parametrized with as `wanted`, if any."""
    return item.callspec.params.get("wanted") if hasattr(item, "callspec") else None


@pytest.fixture(scope="session")
def prepared(request, booter):  # pylint: disable=redefined-outer-name
    """The session's Booter, after the boots of all tests that use this fixture were made."""
    booter.prepare(wanted_by(item) for item in request.session.items
                   if "prepared" in item.fixturenames and wanted_by(item))
    return booter
