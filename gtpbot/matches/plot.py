"""A match as a picture: how Elo and the test went, or what several engines are rated."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from gtpbot.matches.elo import Tally
from gtpbot.matches.report import rated
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import Standings
from gtpbot.report.pictures import lettering, save

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

POINTS = 400
"""At most so many points of a curve."""
MOST_ELO = 800
"""Where curves that go to infinity are cut off."""


def draw(standings: Standings, sprt: Sprt | None, path: Path) -> None:
    """Write a PNG or an SVG, as the ending of `path` tells. Raises OSError."""
    with lettering():
        save(_figure(standings, sprt), path)


def _figure(standings: Standings, sprt: Sprt | None) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 5 if sprt else 3.5), dpi=100, layout="constrained")
    if len(standings.names) > 2:
        _draw_ratings(figure.subplots(), standings)
    else:
        plots = figure.subplots(2 if sprt else 1, sharex=True, squeeze=False)[:, 0]
        stages = _stages(standings)
        _draw_elo(plots[0], standings.names, stages)
        if sprt:
            _draw_test(plots[1], sprt, stages)
        plots[-1].set_xlabel("games")
    return figure


def _stages(standings: Standings) -> Sequence[Tally]:
    """What the first engine had scored after ever more games, in the order in which they ended."""
    whole = len(standings.records)
    step = max(1, whole // POINTS)
    so_far, stages = Standings(standings.names), []
    for count, record in enumerate(standings.records, 1):
        so_far.add(record)
        if count % step == 0 or count == whole:
            stages.append(so_far.between(*standings.names))
    return stages


def _draw_elo(axes: "Axes", names: Sequence[str], stages: Sequence[Tally]) -> None:
    games = [tally.games for tally in stages]
    lows, highs = zip(*(map(_cut, tally.elo_interval) for tally in stages), strict=True)
    axes.fill_between(games, lows, highs, alpha=0.25, linewidth=0)
    axes.plot(games, [_cut(tally.elo) for tally in stages])
    axes.axhline(0, color="black", linewidth=0.8)
    middle = _cut(stages[-1].elo)
    reach = max(50.0, 2 * (highs[-1] - lows[-1]))
    axes.set_ylim(middle - reach, middle + reach)
    axes.set_title(f"{names[0]} against {names[1]}", fontsize="medium", parse_math=False)
    axes.set_ylabel("Elo, 95 %")
    axes.grid(alpha=0.3)


def _cut(elo: float) -> float:
    return math.copysign(min(abs(elo), MOST_ELO), elo)


def _draw_test(axes: "Axes", sprt: Sprt, stages: Sequence[Tally]) -> None:
    axes.plot([tally.games for tally in stages], [sprt.ratio(tally.pairs) for tally in stages])
    for bound, elo in zip(sprt.bounds, (sprt.elo0, sprt.elo1), strict=True):
        axes.axhline(bound, color="black", linewidth=0.8, linestyle="--")
        axes.annotate(f" {elo:g} Elo", (0, bound), va="bottom", fontsize="small")
    axes.set_ylabel("log-likelihood ratio")
    axes.margins(y=0.15)
    axes.grid(alpha=0.3)


def _draw_ratings(axes: "Axes", standings: Standings) -> None:
    ratings = sorted(rated(standings).items(), key=lambda item: item[1].elo)
    rows, names = range(len(ratings)), [name for name, _ in ratings]
    elos = [rating.elo for _, rating in ratings]
    axes.barh(rows, elos, xerr=[rating.error for _, rating in ratings], alpha=0.6, capsize=3)
    axes.set_yticks(rows, names, parse_math=False)
    axes.axvline(0, color="black", linewidth=0.8)
    axes.set_xlabel("Elo, 95 %; the mean is 0")
    axes.grid(alpha=0.3)
