"""The answers of KataGo's analysis protocol: what an agent thinks, as an object of JSON.

Chances, leads and owners are those of the player whom the query chose, Black if it chose none.
"""

import math
import time
from collections.abc import Mapping, Sequence
from typing import Any

from games.base import Player
from games.coords import PASS, vertex_to_point
from games.position import Position
from gtpbot.analysis.query import Query
from gtpbot.report.insight import Insight, lower_bound, spread, winrate, worth_telling
from search.agent import Candidate, Report

DIGITS = 6
ILLEGAL = -1.0


def answer(
    query: Query, turn: int, insight: Insight, report: Report, patience: float = math.inf
) -> dict[str, Any]:
    """What is known of one position; of the owners after moves, in `patience` seconds at most."""
    told = _Told(query, insight, report, time.monotonic() + patience)
    return {"id": query.id, "turnNumber": turn, **told.all()}


def no_answer(query: Query, turn: int) -> dict[str, Any]:
    """Said of a position that was called off before anything was known."""
    return {"id": query.id, "turnNumber": turn, "noResults": True}


class _Told:
    """A report as its query wants it told."""

    def __init__(self, query: Query, insight: Insight, report: Report, deadline: float) -> None:
        self._deadline = deadline
        self._query = query
        self._insight = insight
        self._report = report
        view = query.override_settings.report_analysis_winrates_as
        viewer = {"BLACK": Player.BLACK, "WHITE": Player.WHITE}.get(view, report.to_move)
        self._sign = 1 if viewer == report.to_move else -1

    def all(self) -> dict[str, Any]:
        moves = worth_telling(self._report)
        told: dict[str, Any] = {
            "moveInfos": [self._move(order, move) for order, move in enumerate(moves)],
            "rootInfo": self._root(),
        }
        wanted = self._query.include_ownership, self._query.include_ownership_stdev
        told |= self._owners(self._insight.owners, *wanted)
        if self._query.include_policy:
            told["policy"] = policy(self._insight.position, self._report)
        return told

    def _move(self, order: int, move: Candidate) -> dict[str, Any]:
        after = self._query.analysis_pv_len  # moves after the first, as KataGo counts them
        length = None if after is None else 1 + after
        line = self._insight.position.line(move.variation)
        bound = self._chance(2 * lower_bound(move) - 1)
        told = {"move": line[0], "visits": max(1, move.visits), "order": order, "lcb": bound}
        told |= self._values(move, move.value_to_move)
        told |= {"prior": round(move.prior, DIGITS), "pv": line[:length]}
        if self._query.include_pv_visits:
            told["pvVisits"] = list(move.variation_visits or [max(1, move.visits)])[:length]
        wanted = self._query.include_moves_ownership, self._query.include_moves_ownership_stdev
        if any(wanted):
            owners = self._insight.owners_after(move.action, self._deadline)
            told |= self._owners(owners, *wanted)
        return told

    def _root(self) -> dict[str, Any]:
        report = self._report
        told = {"currentPlayer": report.to_move.letter, "visits": report.playouts}
        return told | self._values(report, report.value_to_move or 0.0)

    def _values(self, known: Candidate | Report, value: float) -> dict[str, Any]:
        told = {"winrate": self._chance(value), "utility": round(self._sign * value, DIGITS)}
        score, deviation = self._insight.score_to_move(known), self._insight.score_deviation
        if score is not None and deviation is not None:
            lead = round(self._sign * score, DIGITS)
            told |= {"scoreLead": lead, "scoreMean": lead, "scoreSelfplay": lead}
            told["scoreStdev"] = round(deviation, DIGITS)
        return told

    def _chance(self, value: float) -> float:
        return round(winrate(self._sign * value), DIGITS)

    def _owners(self, owners: Sequence[float] | None, means: bool, spreads: bool) -> dict[str, Any]:
        """Whose each point is, and how far that deviates, as far as wanted and known."""
        rows = [] if owners is None else self._insight.rows(owners)
        told = {
            "ownership": [round(self._sign * owner + 0.0, DIGITS) for owner in rows if means],
            "ownershipStdev": [round(spread(owner), DIGITS) for owner in rows if spreads],
        }
        return {key: grid for key, grid in told.items() if grid}


def policy(position: Position, report: Report) -> list[float]:
    """The prior of the move at each point, from the top left, and of the pass; -1 where illegal.

    Where the agent has none, every legal move is as likely. A move is where it is written.
    """
    spec, state = position.game.spec, position.state
    priors: Mapping[int, float] = {each.action: each.prior for each in report.candidates}
    legal = state.legal_actions()
    total = sum(priors.get(action, 0.0) for action in legal)
    shares = [ILLEGAL] * (spec.width * spec.height + 1)
    for action in legal:
        share = priors.get(action, 0.0) / total if total else 1 / len(legal)
        shares[_place(position, action)] = round(share, DIGITS)
    return shares


def _place(position: Position, action: int) -> int:
    """Where a move is in the order of reading; a pass is last."""
    spec = position.game.spec
    text = position.game.action_to_string(position.state, action)
    if text == PASS:
        return spec.width * spec.height
    column, row = vertex_to_point(text, spec.width, spec.height)
    return (spec.height - 1 - row) * spec.width + column


def final_report(position: Position) -> Report:
    """What there is to say of a finished game: who won."""
    value = position.to_move.sign * position.state.black_value
    return Report(position.to_move, (), value_to_move=value, state=position.state)
