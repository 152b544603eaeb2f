"""The openings of Connect Four: all positions of few discs, and what each of them is worth.

From the first moves on the solver takes minutes, or hours for all replies. But others have solved
every position of twelve discs: the package `bitbully-databases` (MIT licence) brings their scores,
and what comes before follows by a search of moments. It is needed to make the book that `solver`
plays by (`gtpbot book`) and the positions that nets learn from, and comes with `gtpbot[train]`.
"""

from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import gtpcore

State = gtpcore.ConnectFourState

SOLVED_DISCS = 12
"""Discs of the positions whose scores the package has, all but those that are won at once."""
SOONEST = 100
"""A score of the package is this, less the moves to come; negative if they lead to a loss."""
RECORD = np.dtype([("position", ">u4"), ("score", "i1")])
COLUMNS = 7
STRIDE = 7
"""Bits of a column in a book key: `ConnectFourState` has one to spare above its rows."""


def openings(discs: int) -> list[State]:
    """All positions of so many discs that are not over, mirror images once."""
    return next(islice(openings_by_discs(), discs, None))


def openings_by_discs() -> Iterator[list[State]]:
    """All positions that are not over, of no disc, of one, of two..., mirror images once."""
    states = [State()]
    while True:
        yield states
        states = gtpcore.ConnectFourSolver.followers(states)


@cache
def solved_openings() -> bytes:
    """A book of the positions of SOLVED_DISCS; a solver that has it knows all that comes before.

    Raises ModuleNotFoundError if the package is not installed.
    """
    try:
        from bitbully_databases import BitBullyDatabases
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error}: pip install '.[train]' brings it, in the checkout"
        ) from None
    records = np.fromfile(Path(BitBullyDatabases.get_database_path("12-ply-dist")), RECORD)
    keys = _book_keys(records["position"].astype(np.uint32))
    scores = _scores(records["score"].astype(np.int16))
    no_answers = np.full(len(keys), -1, np.int8)
    return gtpcore.ConnectFourSolver.encode_book(SOLVED_DISCS, keys, scores, no_answers)


def _scores(told: NDArray[np.int16]) -> NDArray[np.int8]:
    """[N]: the solver's: 22 less the discs that the winner will have played; losses negative."""
    discs_at_the_end = SOLVED_DISCS + SOONEST - np.abs(told)
    scores: NDArray[np.int16] = np.sign(told) * (22 - (discs_at_the_end + 1) // 2)
    return scores.astype(np.int8)


def _book_keys(positions: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """[N]: of positions in bits, from the highest: the columns from the left, each from below.

    A disc of Black is 10, one of White is 11, and 0 ends a column.
    """
    rest = positions.astype(np.uint64)
    cell, black, occupied = (np.zeros(len(rest), np.uint64) for _ in range(3))
    for _ in range(SOLVED_DISCS + COLUMNS):
        is_disc, is_white = rest >> 31 & 1, rest >> 30 & 1
        occupied |= is_disc << cell
        black |= (is_disc & ~is_white) << cell
        rest <<= 1 + is_disc
        cell = np.where(is_disc, cell + 1, (cell // STRIDE + 1) * STRIDE)
    keys = black + occupied  # Black is to move
    lower: NDArray[np.uint64] = np.minimum(keys, _mirrored(keys))
    return lower


def _mirrored(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    image = np.zeros_like(keys)
    for column in range(COLUMNS):
        image = image << STRIDE | keys >> column * STRIDE & (2**STRIDE - 1)
    return image
