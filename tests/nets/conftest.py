"""Nets that are made once for all tests."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that `tests/nets/make_nets.py` has filled. Takes seconds."""
    folder = tmp_path_factory.mktemp("made")
    command = [sys.executable, "-m", "tests.nets.make_nets", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return folder
