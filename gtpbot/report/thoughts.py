"""What an agent thinks of a position, as pictures and as text for people.

Chances are for the player to move, in percent.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle
from typing import cast

import gtpcore
from games.base import Player
from games.coords import PASS
from games.picture import Picture
from games.position import Position
from gtpbot.report.insight import winrate, worth_telling
from gtpbot.text.tables import aligned
from search.agent import Candidate, Report

HEAT = ("#40c0ff", "#60d060", "#ffe040", "#ffa030", "#ff5030")
"""Colours of shares, from the least to the greatest."""
LEAST_SHARE = 0.005
"""What a picture leaves out, as a share of the whole."""
TREE_MOVES = 30
"""The root's moves that the text of a tree shows."""


def summary(position: Position, report: Report) -> str:
    """One line: who is to move, the best move, its chances, and on how much that rests."""
    facts = [f"{report.to_move} to move"]
    if report.candidates:
        facts.append(f"best {_move(position, report.candidates[0])}")
    if report.value_to_move is not None:
        facts.append(f"wins {_percent(report.value_to_move)} %")
    if report.score_to_move is not None:
        facts.append(f"leads by {report.score_to_move:.1f}")
    return ", ".join([*facts, f"{report.playouts} playouts"])


def visits(position: Position, report: Report) -> Picture:
    """The share of the playouts that each move got."""
    return _shares(position, report, lambda candidate: candidate.visits)


def policy(position: Position, report: Report) -> Picture:
    """How likely each move was thought to be before the search."""
    if any(candidate.prior for candidate in report.candidates):
        return _shares(position, report, lambda candidate: candidate.prior)
    return Picture("this agent has no policy: all moves are alike to it before it searches")


def values(position: Position, report: Report) -> Picture:
    """The chances to win after each move that was looked into, the best one in a square."""
    least = LEAST_SHARE * sum(candidate.visits for candidate in report.candidates)
    known = {
        place: move
        for place, move in _on_board(position, report)
        if move.visits >= least and _is_valued(move, report)
    }
    return Picture(
        summary(position, report),
        labels={place: f"{_percent(move.value_to_move):.0f}" for place, move in known.items()},
        squares=[place for place, move in known.items() if move is report.candidates[0]],
    )


def best_line(position: Position, report: Report) -> Picture:
    """The moves expected from here on."""
    return Picture(summary(position, report), moves=_expected(position, report))


def thinking(position: Position, report: Report) -> Picture:
    """The moves expected, and how many playouts each move got beside the one with the most."""
    most = max((candidate.visits for candidate in report.candidates), default=0) or 1
    shares = {place: move.visits / most for place, move in _on_board(position, report)}
    return Picture(
        summary(position, report),
        moves=_expected(position, report),
        values={
            place: report.to_move.sign * share
            for place, share in shares.items()
            if share > LEAST_SHARE
        },
    )


def ownership(position: Position, owners: Sequence[float]) -> Picture:
    """Whose each point of a Go board will be, from -1 for White to 1 for Black, and who leads."""
    state = cast(gtpcore.GoState, position.state)
    black_lead = state.black_lead(owners)
    leader = Player.BLACK if black_lead > 0 else Player.WHITE
    vertex = position.game.action_to_string
    return Picture(
        f"{leader} leads by {abs(black_lead):.1f} points, komi counted",
        values={vertex(state, point): owner for point, owner in enumerate(owners)},
    )


def tree(position: Position, report: Report) -> str:
    """The moves looked into, best first, each with the line expected after it."""
    shown = worth_telling(report)[:TREE_MOVES]
    left = len(report.candidates) - len(shown)
    rest = [f"and {left} more"] if left else []
    rows = [
        ["move", "visits", "wins %", "prior %", "line"],
        *(_row(position, report, c) for c in shown),
    ]
    return "\n".join([summary(position, report), aligned(rows, ">>>><"), *rest])


def _row(position: Position, report: Report, candidate: Candidate) -> list[str]:
    texts = position.line(candidate.variation)
    counts = [f"({count})" for count in candidate.variation_visits[1:]]
    counts += [""] * (len(texts) - 1 - len(counts))
    steps = (text + count for text, count in zip(texts[1:], counts, strict=False))
    prior = f"{candidate.prior * 100:.1f}" if candidate.prior else "-"
    value = f"{_percent(candidate.value_to_move)}" if _is_valued(candidate, report) else "-"
    return [texts[0], str(candidate.visits), value, prior, " ".join(steps)]


def _is_valued(candidate: Candidate, report: Report) -> bool:
    """False for a move of which an agent that does not search knows no chance."""
    return candidate.visits > 0 or report.value_to_move is not None


def _shares(position: Position, report: Report, weight: Callable[[Candidate], float]) -> Picture:
    """The share of each move in percent, warmer the greater it is."""
    whole = sum(map(weight, report.candidates)) or 1
    shares = {place: weight(move) / whole for place, move in _on_board(position, report)}
    shown = {place: share for place, share in shares.items() if share >= LEAST_SHARE}
    most = max(shown.values(), default=1)
    warmth = {place: round(share / most * (len(HEAT) - 1)) for place, share in shown.items()}
    return Picture(
        summary(position, report),
        colors={
            color: [place for place in shown if warmth[place] == level]
            for level, color in enumerate(HEAT)
        },
        labels={place: f"{share * 100:.0f}" for place, share in shown.items()},
    )


def _on_board(position: Position, report: Report) -> Iterator[tuple[str, Candidate]]:
    """The moves that have a place, passes left out."""
    for candidate in report.candidates:
        text = _move(position, candidate)
        if text != PASS:
            yield text, candidate


def _expected(position: Position, report: Report) -> list[tuple[str, str]]:
    best = report.candidates[0].variation if report.candidates else ()
    texts = position.line(best)
    players = cycle((report.to_move, report.to_move.opponent))
    return [(player.letter, text) for player, text in zip(players, texts, strict=False)]


def _move(position: Position, candidate: Candidate) -> str:
    return position.game.action_to_string(position.state, candidate.action)


def _percent(value: float) -> float:
    return round(winrate(value) * 100, 1)
