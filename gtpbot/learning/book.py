"""The opening book of Connect Four that the agent `solver` reads: `gtpbot book` makes it.

It holds the score of every position of some number of discs, mirror images once, and what to play
there; what comes before them follows by a short search. And it holds lines: the same at each turn
of the solver, whatever the other side plays from the empty board on, up to some number of discs.
Positions of so few discs take longer to solve than a move may take. The book is written where you
are; `--out` with the place of the one that ships, `search/data/connect4.book`, takes it into use.
"""

import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

import gtpcore
from games.base import after
from games.whole_files import replacing
from gtpbot.options import OptionsError
from gtpbot.text.terminal import Bar
from gtpbot.verb_parser import VerbParser, check_place
from nets.train.connect4_openings import SOLVED_DISCS, State, openings, solved_openings
from search.solver import BOOK, CENTRE, can_win

MOST_DISCS = SOLVED_DISCS - 1
"""What a position with more leads to takes long to solve."""
AT_ONCE = 1_000
"""Positions solved between two looks at the clock."""


class Book:
    """Positions with their scores and answers, as `gtpcore.ConnectFourSolver` tells them."""

    def __init__(self, solver: gtpcore.ConnectFourSolver) -> None:
        """No position yet; `solver` is to know the openings, or to have time."""
        self._solver = solver
        self._lines: dict[int, tuple[int, int]] = {}

    def add(self, states: Sequence[State]) -> list[State]:
        """Positions that cannot be won at once, answered, and what they become by that."""
        answered = []
        for state, scores in zip(states, self._solver.label(states, exact=True), strict=True):
            best = max(state.legal_actions(), key=lambda move: (scores[move], -abs(move - CENTRE)))
            key = gtpcore.ConnectFourSolver.book_key(state)
            self._lines[key] = int(scores[best]), gtpcore.ConnectFourSolver.book_action(state, best)
            answered.append(after(state, best))
        return answered

    def encode(self, most_discs: int) -> bytes:
        """What `solver` reads; no position may have more discs."""
        scores, answers = np.array(list(self._lines.values()), np.int8).reshape(-1, 2).T.copy()
        keys = np.fromiter(self._lines, np.uint64)
        return gtpcore.ConnectFourSolver.encode_book(most_discs, keys, scores, answers)


def open_ones(states: Iterable[State]) -> list[State]:
    """Those that cannot be won at once."""
    return [state for state in states if not can_win(state)]


def make(solver: gtpcore.ConnectFourSolver, discs: int, lines: int) -> bytes:
    """A book of all positions of so many discs, and of the solver's own games up to `lines`."""
    book = Book(solver)
    _answered(book, openings(discs), f"positions with {discs} discs")
    for player in (0, 1):
        states = openings(player)
        for count in range(player, lines + 1, 2):
            answered = _answered(book, states, f"lines with {count} discs")
            states = gtpcore.ConnectFourSolver.followers(answered)
    return book.encode(max(discs, lines))


def _answered(book: Book, states: Sequence[State], title: str) -> list[State]:
    """What positions become by the answers that are added to a book."""
    found, states = [], open_ones(states)
    with Bar(title, len(states)) as bar:
        for part in _parts(states):
            found += book.add(part)
            bar.tell(len(found), "solved")
    return found


def _parts(states: Sequence[State]) -> Iterator[Sequence[State]]:
    return (states[start : start + AT_ONCE] for start in range(0, len(states), AT_ONCE))


def _parser() -> VerbParser:
    parser = VerbParser("book", __doc__)
    add = parser.add_argument
    add("--discs", type=int, default=8, metavar="N", help="discs of its positions (8)")
    add("--lines", type=int, default=10, metavar="N", help="the most discs of an answer (10)")
    add("--out", type=Path, default=Path(BOOK.name), metavar="FILE", help=f"the book ({BOOK.name})")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Make the book, and say where it is; the exit status. Raises OptionsError."""
    options = _parser().read(arguments)
    for name in ("discs", "lines"):
        if not 0 <= getattr(options, name) <= MOST_DISCS:
            raise OptionsError(f"--{name} {getattr(options, name)}: expected 0 to {MOST_DISCS}")
    check_place("--out", options.out)
    try:
        solver = gtpcore.ConnectFourSolver(book=solved_openings())
        with replacing(options.out) as unfinished:
            unfinished.write_bytes(make(solver, options.discs, options.lines))
    except (ModuleNotFoundError, OSError) as error:
        raise OptionsError(f"cannot make the book: {error}") from None
    print(f"book: in {options.out}", file=sys.stderr)
    return 0
