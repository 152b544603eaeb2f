"""A game of Go to learn from: what its source says of it, and what came out of it.

Sources are believed in nothing that the rules can tell: every game is replayed once, before it is
kept. Black moves first, the colours alternate, and the board is empty at first.
"""

import math
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from games import go_status
from games.go_rules import Rules
from gtpcore import GameOverError, GoState, IllegalMoveError
from nets.symmetry import go_symmetries
from nets.train.errors import RecordsError

MOST_LABELLED = 12
"""Moves of a position that a label may give probabilities."""
UNKNOWN = 2
"""In place of a point's owner, where it is not known."""


class BrokenGameError(RecordsError):
    """A game that is left out, or several; `reason` is one of few, to be counted by."""

    def __init__(self, reason: str, detail: str, count: int = 1) -> None:
        """`detail` is for people, and names the game or the move."""
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.count = count


@dataclass(frozen=True)
class Result:
    """How a game ended."""

    winner: int
    """1 if Black won, -1 if White won, 0 if drawn."""
    black_lead: float
    """Black's points less White's, komi included; NaN if they were not counted."""


@dataclass(frozen=True)
class GoGame:
    """A whole game of T moves with its labels, as a source gives it."""

    source: str
    """Names the game in messages."""
    size: int
    rules: Rules
    komi: float
    moves: NDArray[np.uint16]
    """[T]: row * size + column with A1 = 0; size * size is the pass."""
    top_moves: NDArray[np.uint16]
    """[T, K], K at most 12: the likeliest moves; with K = 0 the move played is the label."""
    top_probs: NDArray[np.uint8]
    """[T, K]: how likely they are, times 255."""
    black_value: NDArray[np.float16]
    """[T]: the expected result for Black, -1 to 1; NaN where there is no label."""
    black_score: NDArray[np.float16]
    """[T]: the expected lead of Black in points, komi included; NaN where there is no label."""
    result: Result | None
    """None if it is what the last position counts as it stands."""


@dataclass(frozen=True)
class Outcome:
    """What a game came to."""

    result: Result
    owner: NDArray[np.int8]
    """[size * size]: 1 Black's, -1 White's, 0 nobody's, as if dead stones had been taken off; all
    UNKNOWN if the result is not what the board comes to, as when the game was given up."""


def judge(game: GoGame) -> Outcome:
    """Replay a game, and see what came of it. Raises BrokenGameError.

    The result stands as it is told or counted. But a net is to know what is dead even where rules
    count all stones, for there nobody need bother to capture them once the game is decided.
    """
    _check_shapes(game)
    last = replayed(game)
    counted = Result(round(np.sign(last.black_score())), last.black_score())
    result = game.result or counted
    if not math.isnan(result.black_lead):  # to judge takes longer than to read and replay a game
        status = go_status.judge(last)
        if result.black_lead in (counted.black_lead, last.black_score(status.dead, status.seki)):
            return Outcome(result, np.array(last.owners(status.dead), np.int8))
    return Outcome(result, np.full(game.size**2, UNKNOWN, np.int8))


def replayed(game: GoGame) -> GoState:
    """The last position. Raises BrokenGameError if a move breaks the rules."""
    try:
        state = GoState(game.size, game.rules.with_komi(game.komi))
    except ValueError as error:
        raise BrokenGameError("odd size or komi", f"{game.source}: {error}") from None
    for number, move in enumerate(game.moves.tolist(), 1):
        try:
            state.apply_action(move)
        except GameOverError:
            raise BrokenGameError("moves after the end", f"{game.source}: move {number}") from None
        except IllegalMoveError as error:
            raise BrokenGameError(
                "illegal move", f"{game.source}: move {number}: {error}"
            ) from None
    return state


def game_key(size: int, moves: NDArray[np.uint16]) -> int:
    """A hash below 2^64 of the moves, the same for all symmetric images of a game."""
    images = [symmetry.actions[moves].astype("<u2").tobytes() for symmetry in go_symmetries(size)]
    return int.from_bytes(blake2b(min(images), digest_size=8).digest(), "little")


def likeliest(policy: NDArray[np.floating[Any]]) -> tuple[NDArray[np.uint16], NDArray[np.uint8]]:
    """The label [P, K] of policies [P, A], as in GoGame: the likeliest moves, and how likely."""
    moves = np.argsort(-policy, axis=1, kind="stable")[:, :MOST_LABELLED]
    probs = np.rint(255 * np.take_along_axis(policy, moves, axis=1)).astype(np.uint8)
    probs[:, 0] = np.maximum(probs[:, 0], 1)
    return moves.astype(np.uint16), probs


def label_problem(
    size: int,
    top_moves: NDArray[Any],
    top_probs: NDArray[Any],
    black_value: NDArray[Any],
    black_score: NDArray[Any],
) -> str | None:
    """What is wrong with labels of positions on a board of `size`, shaped as in GoGame; or None."""
    if top_moves.shape != top_probs.shape or top_moves.ndim != 2:
        return f"likeliest moves {top_moves.shape} and probabilities {top_probs.shape}"
    if not black_value.shape == black_score.shape == top_moves.shape[:1]:
        return f"values {black_value.shape} and scores {black_score.shape} of {len(top_moves)}"
    if top_moves.shape[1] > MOST_LABELLED:
        return f"{top_moves.shape[1]} likeliest moves: expected at most {MOST_LABELLED}"
    if (top_moves > size * size).any():
        return f"a likeliest move that is off a board of {size}x{size}"
    if top_moves.shape[1] and not top_probs.any(axis=1).all():
        return "a position without a likely move"
    if (np.abs(black_value) > 1).any():
        return "a value that is not from -1 to 1"
    if np.isinf(black_score).any():
        return "an infinite score"
    return None


def _check_shapes(game: GoGame) -> None:
    if not 2 <= game.size <= 25:
        raise BrokenGameError("odd size or komi", f"{game.source}: size {game.size}")
    if not game.moves.size:
        raise BrokenGameError("no moves", game.source)
    if game.moves.shape != game.top_moves.shape[:1]:
        raise BrokenGameError("wrong labels", f"{game.source}: moves {game.moves.shape}")
    if game.result and math.isinf(game.result.black_lead):
        raise BrokenGameError("no result", f"{game.source}: an infinite lead")
    problem = label_problem(
        game.size, game.top_moves, game.top_probs, game.black_value, game.black_score
    )
    if problem:
        raise BrokenGameError("wrong labels", f"{game.source}: {problem}")
