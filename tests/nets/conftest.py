"""Nets that are made once for all tests."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tests/nets/make_nets.py` has filled, the same for all workers."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "made"
    command = [sys.executable, "-m", "tests.nets.make_nets", str(folder)]
    with (folder.parent / "made.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            folder.mkdir(exist_ok=True)
            subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
            (folder / "done").touch()
    return folder


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keras takes seconds to make the nets, so tests that look at them are slow."""
    for item in items:
        if "made" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
