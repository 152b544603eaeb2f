"""The pictures of learning curves."""

import errno
from pathlib import Path
from typing import Any

import pytest
from matplotlib.figure import Figure

from nets.train.curves import draw_curves

HISTORY = [{"step": 1, "loss": 2.0}, {"step": 2, "loss": 1.0, "accuracy": 0.5}]


def test_curves_are_a_png_that_is_always_the_same(tmp_path: Path) -> None:
    for name in ("one.png", "other.png"):
        draw_curves(HISTORY, "a net", tmp_path / name)
    drawn = (tmp_path / "one.png").read_bytes()
    assert drawn.startswith(b"\x89PNG")
    assert drawn == (tmp_path / "other.png").read_bytes()


def test_a_full_disk_is_told_with_the_picture_that_did_not_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full_disk(figure: Figure, path: Path, **options: Any) -> None:
        path.write_bytes(b"a part")
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Figure, "savefig", full_disk)
    with pytest.raises(OSError, match=r"No space left on device: .*curves\.png"):
        draw_curves(HISTORY, "a net", tmp_path / "curves.png")
    assert list(tmp_path.iterdir()) == []
