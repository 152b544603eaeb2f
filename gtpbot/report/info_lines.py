"""A report as a line for clients that show analysis: `info move D4 visits 836 ...`.

There are two dialects, which clients tell apart by the name of the command: `lz` has chances as
integers from 0 to 10000, `kata` has numbers from 0 to 1 and more fields. All values are those of
the player to move. Key and value alternate up to `pv`, which ends a move unless the client asked
for more; what is about the whole board comes after all moves.
"""

import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from gtpbot.report.insight import (
    OWNERS_SECONDS,
    Insight,
    lower_bound,
    spread,
    winrate,
    worth_telling,
)
from search.agent import Candidate, Report

Dialect: TypeAlias = Literal["lz", "kata"]


@dataclass(frozen=True)
class Wanted:
    """What a line is to tell. Fields after `most_moves` are of the dialect `kata`."""

    dialect: Dialect
    least_moves: int = 0
    """So many moves, though some were not looked at."""
    most_moves: int | None = None
    root_info: bool = False
    ownership: bool = False
    ownership_deviation: bool = False
    moves_ownership: bool = False
    moves_ownership_deviation: bool = False
    variation_visits: bool = False
    edge_visits: bool = False
    no_result_value: bool = False


def info_line(insight: Insight, report: Report, wanted: Wanted) -> str:
    """All of a report on one line, without its end; empty if there is no move to tell of."""
    candidates = worth_telling(report, wanted.least_moves)[: wanted.most_moves]
    if not candidates:
        return ""
    if wanted.dialect == "kata":
        insight.refine()
    deadline = time.monotonic() + OWNERS_SECONDS
    fields: list[str] = []
    for order, candidate in enumerate(candidates):
        fields += _move(insight, candidate, order, wanted)
        fields += _owners_after(insight, candidate, wanted, deadline)
    if wanted.root_info:
        fields += _root(insight, report)
    if wanted.ownership:
        fields += _grid("ownership", insight, insight.owners)
    if wanted.ownership_deviation:
        fields += _grid("ownershipStdev", insight, insight.owners, deviations=True)
    return " ".join(fields)


def _move(insight: Insight, candidate: Candidate, order: int, wanted: Wanted) -> Iterator[str]:
    moves = insight.position.line(candidate.variation)
    visits = max(1, candidate.visits)
    known = _lz(candidate) if wanted.dialect == "lz" else _kata(insight, candidate, wanted)
    yield f"info move {moves[0]} visits {visits} {known} order {order} pv {' '.join(moves)}"
    if wanted.variation_visits or wanted.edge_visits:
        along = " ".join(map(str, candidate.variation_visits or [visits]))
        if wanted.variation_visits:
            yield f"pvVisits {along}"
        if wanted.edge_visits:
            yield f"pvEdgeVisits {along}"


def _lz(candidate: Candidate) -> str:
    chances = winrate(candidate.value_to_move), candidate.prior, lower_bound(candidate)
    mean, prior, bound = (round(10_000 * chance) for chance in chances)
    return f"winrate {mean} prior {prior} lcb {bound}"


def _kata(insight: Insight, candidate: Candidate, wanted: Wanted) -> str:
    score = _score(insight, candidate)
    no_result = " noResultValue 0" if wanted.no_result_value else ""
    return (
        f"winrate {winrate(candidate.value_to_move):.6f}{score}{no_result} "
        f"prior {candidate.prior:.6f} lcb {lower_bound(candidate):.6f}"
    )


def _score(insight: Insight, known: Candidate | Report) -> str:
    """The same number twice, for some clients read one and some the other; or nothing."""
    score, deviation = insight.score_to_move(known), insight.score_deviation
    if score is None or deviation is None:
        return ""
    return f" scoreMean {score:.3f} scoreStdev {deviation:.3f} scoreLead {score:.3f}"


def _root(insight: Insight, report: Report) -> Iterator[str]:
    chance = winrate(report.value_to_move or 0.0)
    yield f"rootInfo visits {report.playouts} winrate {chance:.6f}{_score(insight, report)}"


def _owners_after(
    insight: Insight, candidate: Candidate, wanted: Wanted, deadline: float
) -> Iterator[str]:
    if wanted.moves_ownership or wanted.moves_ownership_deviation:
        owners = insight.owners_after(candidate.action, deadline)
        if wanted.moves_ownership:
            yield from _grid("movesOwnership", insight, owners)
        if wanted.moves_ownership_deviation:
            yield from _grid("movesOwnershipStdev", insight, owners, deviations=True)


def _grid(
    key: str, insight: Insight, owners: Iterable[float] | None, deviations: bool = False
) -> Iterator[str]:
    """A number for each point, from the top left: whose it will be, or how far that deviates."""
    if owners is None:
        return
    numbers = insight.rows(list(owners))
    if deviations:
        numbers = list(map(spread, numbers))
    yield key
    yield from (f"{number:.3f}" for number in numbers)
