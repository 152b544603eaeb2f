"""The winrates of a game as a curve, PNG or SVG."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from games.base import Player
from gtpbot.report.pictures import lettering, save
from gtpbot.review.annotations import Moment

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_curve(
    points: Sequence[tuple[int, float]], worst: Sequence[Moment], title: str, path: Path
) -> None:
    """Draw how likely Black wins, in percent, after so many moves, with the worst moves marked.

    The ending of `path` tells the kind of picture.
    """
    with lettering():
        save(_figure(points, worst, title), path)


def _figure(points: Sequence[tuple[int, float]], worst: Sequence[Moment], title: str) -> "Figure":
    from matplotlib.figure import Figure

    numbers, percents = zip(*points, strict=True)
    figure = Figure(figsize=(8, 3.2), dpi=110, layout="constrained")
    axes = figure.subplots()
    axes.set_title(title, fontsize="medium", parse_math=False)
    axes.fill_between(numbers, percents, 0, color="0.25", linewidth=0)
    axes.fill_between(numbers, percents, 100, color="0.95", linewidth=0)
    axes.plot(numbers, percents, color="tab:blue", linewidth=1.2)
    axes.axhline(50, color="0.5", linewidth=0.6)
    _mark(axes, dict(points), worst)
    axes.set(xlabel="moves", ylabel="Black wins, %", ylim=(0, 100), xlim=(0, max(1, *numbers)))
    return figure


def _mark(axes: Any, percents: Mapping[int, float], worst: Sequence[Moment]) -> None:
    """A dot at each of the worst moves, and its name where the curve does not come from."""
    for moment in worst:
        percent = percents[moment.number]
        above = percent < 12 or (moment.player is Player.WHITE and percent < 88)
        axes.plot(moment.number, percent, "o", color="tab:red", markersize=4)
        axes.annotate(
            f"{moment.number} {moment.player.letter} {moment.vertex}",
            (moment.number, percent),
            xytext=(0, 6 if above else -6),
            textcoords="offset points",
            ha="center",
            va="bottom" if above else "top",
            fontsize="x-small",
            bbox={"boxstyle": "round,pad=0.2", "facecolor": "white", "edgecolor": "tab:red"},
        )
