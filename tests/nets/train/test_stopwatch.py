"""Time over several attempts."""

import json
import time
from pathlib import Path

import pytest

from nets.train.stopwatch import counted_seconds
from tests.support.ended import wait_for


def test_attempts_add_up(tmp_path: Path) -> None:
    file = tmp_path / "generation" / "seconds.json"
    with pytest.raises(KeyboardInterrupt), counted_seconds(file):
        time.sleep(0.2)
        raise KeyboardInterrupt
    noted = json.loads(file.read_text())["seconds"]
    assert noted >= 0.2
    with counted_seconds(file) as seconds:
        assert noted <= seconds() < noted + 0.2
        time.sleep(0.2)
    assert json.loads(file.read_text())["seconds"] >= noted + 0.2


def test_one_that_is_killed_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nets.train.stopwatch.EVERY", 0.01)
    file = tmp_path / "seconds.json"
    with counted_seconds(file):
        wait_for(file.exists)
        assert json.loads(file.read_text())["seconds"] > 0
