"""What an agent thinks of a position, in words and in the percent that people read."""

from collections.abc import Sequence
from dataclasses import replace

from games.base import Player
from games.position import Position
from search.agent import Decision, Report

MOST_OTHERS = 3


def black_percent(value: float, player: Player) -> float:
    """How likely Black wins, from 0 to 100, by a value from -1 to 1 for `player`.

    >>> black_percent(0.5, Player.BLACK), black_percent(0.5, Player.WHITE)
    (75.0, 25.0)
    """
    return 50 + 50 * player.sign * value


def line_text(position: Position, actions: Sequence[int]) -> str:
    """Moves that follow on a position, with spaces between."""
    return " ".join(position.line(actions))


def reasons(position: Position, decision: Decision) -> Report:
    """What a decision rests on, the candidate that was chosen first."""
    report = Report.of(position.to_move, decision)
    chosen = [one for one in report.candidates if one.action == decision.action]
    rest = [one for one in report.candidates if one.action != decision.action]
    return replace(report, candidates=(*chosen, *rest))


def summary(position: Position, report: Report) -> str:
    """A report in one line: how much, how good for Black, and the first candidate's line.

    Only what the agent knows is in it; it is empty if the agent knows nothing.
    """
    parts = []
    if report.playouts:
        parts.append(f"{report.playouts:,} playouts")
    if report.value_to_move is not None:
        parts.append(f"Black {black_percent(report.value_to_move, report.to_move):.1f} %")
    if report.score_to_move is not None:
        ahead = report.to_move if report.score_to_move >= 0 else report.to_move.opponent
        parts.append(f"{ahead} ahead by {abs(report.score_to_move):.1f}")
    if report.candidates and len(report.candidates[0].variation) > 1:
        parts.append(line_text(position, report.candidates[0].variation))
    return ", ".join(parts)


def others(position: Position, report: Report) -> str:
    """The candidates after the first one that were tried, each with Black's percent and visits."""
    tried = [one for one in report.candidates[1:] if one.visits][:MOST_OTHERS]
    return ", ".join(
        f"{line_text(position, [one.action])} "
        f"{black_percent(one.value_to_move, report.to_move):.1f} % ({one.visits:,})"
        for one in tried
    )
