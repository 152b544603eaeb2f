"""What all tests share."""

import os
import random
import signal
from collections.abc import Generator

import pytest

collect_ignore = ["support/katrain_game.py"]
"""What runs in another program's Python."""


@pytest.fixture
def rng(request: pytest.FixtureRequest) -> random.Random:
    """Randomness that is each test's own and the same in every run."""
    return random.Random(request.node.nodeid)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup() -> None:
    """Ctrl-C raises KeyboardInterrupt, whatever was before.

    A shell's background jobs ignore it, and so would all that they start; and a server that a test
    ran in this process has left it to end the process.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """In CI a skipped test is a failed one: what it misses is to be installed there.

    Clients that have to be built by hand are excepted.
    """
    report = yield
    is_excused = hasattr(report, "wasxfail") or item.get_closest_marker("client") is not None
    if report.skipped and not is_excused and os.environ.get("CI") == "true":
        report.outcome = "failed"
        report.longrepr = f"skipped, which CI must not do: {report.longrepr}"
    return report
