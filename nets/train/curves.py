"""The learning curves of a net, as a small PNG."""

from collections.abc import Mapping, Sequence
from itertools import chain
from math import nan
from pathlib import Path

from games.whole_files import replacing


def draw_curves(history: Sequence[Mapping[str, float]], title: str, path: Path) -> None:
    """Draw every figure of `history` over its `step`, with gaps where there is none."""
    from matplotlib.figure import Figure

    names = [name for name in dict.fromkeys(chain(*history)) if name != "step"]
    figure = Figure(figsize=(6, 1.6 * len(names)), layout="constrained")
    figure.suptitle(title, fontsize="medium")
    steps = [entry["step"] for entry in history]
    for axes, name in zip(figure.subplots(len(names), squeeze=False).flat, names, strict=True):
        axes.plot(steps, [entry.get(name, nan) for entry in history], linewidth=1)
        axes.set_ylabel(name.replace("_", "\n"), fontsize="small")
        axes.grid(alpha=0.3)
    axes.set_xlabel("steps")
    with replacing(path) as unfinished:
        figure.savefig(unfinished, format="png", dpi=80, metadata={"Software": None})
