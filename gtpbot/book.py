"""The opening book of Connect Four that the agent `solver` reads: `gtpbot book` makes it.

It holds the value of every position of some number of discs, mirror images once; what comes before
them follows by a short search. And it holds lines: an answer at each turn of the solver, to
whatever the other side plays from the empty board on, up to some number of discs. Positions of so
few discs take longer to solve than a move may take. What is found is collected in a file of text,
so that the work may be ended at any time and taken up again.
"""

import argparse
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import gtpcore
from games.whole_files import write_whole
from gtpbot.options import OptionsError
from gtpbot.terminal import Bar
from gtpbot.watched import watched
from search.solver import BOOK, CENTRE, after

State = gtpcore.ConnectFourState

MOST_DISCS = {"discs": 8, "lines": 12}
"""More would make a book of several megabytes."""
MOST_MEGABYTES = 1 << 20
"""As much as the solver takes."""
AT_ONCE = 0.01
"""Seconds within which the solver tells what it remembers of a position."""


class StoppedError(Exception):
    """The solver was stopped."""


class Findings:
    """What has been found out, by book key; kept in a file as it is found.

    A line of the file is a key and its value, 1, 0 or -1 for the player to move, and the answer,
    if there is one: `gtpcore.ConnectFourSolver.encode_book` says how that is meant.
    """

    def __init__(self, path: Path, megabytes: int) -> None:
        """With what `path` holds; a line cut off by a kill does not count."""
        self.values: dict[int, int] = {}
        self.answers: dict[int, int] = {}
        self._path = path
        whole = path.read_text().rpartition("\n")[0] if path.exists() else ""
        for number, line in enumerate(whole.splitlines(), 1):
            try:
                self._take(*map(int, line.split()))
            except (ValueError, TypeError):
                raise OptionsError(
                    f"{path}, line {number}: {line[:60]!r}: expected findings of another run: a "
                    "key, a value and perhaps an answer; give another --work"
                ) from None
        write_whole(path, whole + "\n" if whole else "")
        known = gtpcore.ConnectFourSolver.encode_book(MOST_DISCS["lines"] + 1, self.values)
        self.solver = gtpcore.ConnectFourSolver(max_bytes=megabytes << 20, book=known)

    def value(self, state: State) -> int:
        """Of a position, for the player to move. Raises StoppedError."""
        if state.is_terminal:
            return -1 if state.black_value else 0
        key = gtpcore.ConnectFourSolver.book_key(state)
        if key not in self.values:
            value = self.solver.solve(state)
            if value is None:
                raise StoppedError
            self._note(key, value)
        return self.values[key]

    def answer(self, state: State) -> int:
        """A move that keeps the value of an open position. Raises StoppedError."""
        key = gtpcore.ConnectFourSolver.book_key(state)
        if key not in self.answers:
            best = self.value(state)
            moves = self._soonest_told_first(state)
            move = next(move for move in moves if -self.value(after(state, move)) == best)
            self._note(key, best, gtpcore.ConnectFourSolver.book_action(state, move))
        return gtpcore.ConnectFourSolver.book_action(state, self.answers[key])

    def _soonest_told_first(self, state: State) -> list[int]:
        """What made the value of the position known needs no search; then the centre."""

        def delay(move: int) -> tuple[bool, int]:
            told = self.solver.solve(after(state, move), seconds=AT_ONCE)
            return told is None, abs(move - CENTRE)

        return sorted(state.legal_actions(), key=delay)

    def _note(self, *line: int) -> None:
        self._take(*line)
        with self._path.open("a") as file:
            file.write(" ".join(map(str, line)) + "\n")

    def _take(self, key: int, value: int, *answer: int) -> None:
        self.values[key] = value
        if answer:
            (self.answers[key],) = answer


def followers(states: Iterable[State]) -> list[State]:
    """What each move leads to, as far as the game goes on: mirror images once."""
    found = {
        gtpcore.ConnectFourSolver.book_key(follower): follower
        for state in states
        for follower in _all_after(state)
        if not follower.is_terminal
    }
    return list(found.values())


def openings(discs: int) -> list[State]:
    """The positions of so many discs that are not over nor won at once, mirror images once."""
    states = [State()]
    for _ in range(discs):
        states = followers(states)
    return [state for state in states if not _wins_at_once(state)]


def follow(findings: Findings, states: Sequence[State], first: int, last: int) -> Iterator[State]:
    """Find an answer to each of `states`, and to all that may come of that. Raises StoppedError.

    `states` have `first` discs, and none with more than `last` are answered. Gives those that are,
    and what they become by the answer.
    """
    for discs in range(first, last + 1, 2):
        answered = []
        with Bar(f"answers with {discs} discs", len(states)) as bar:
            for number, state in enumerate(states, 1):
                if not _wins_at_once(state):
                    answered.append(after(state, findings.answer(state)))
                    yield from (state, answered[-1])
                bar.tell(number, "found")
        states = followers(answered)


def encode_book(findings: Findings, states: Iterable[State], most_discs: int) -> bytes:
    """The book of what was found of some positions, none of which has more discs."""
    keys = set(map(gtpcore.ConnectFourSolver.book_key, states))
    return gtpcore.ConnectFourSolver.encode_book(
        most_discs,
        {key: findings.values[key] for key in keys},
        {key: answer for key, answer in findings.answers.items() if key in keys},
    )


def _all_after(state: State) -> list[State]:
    return [after(state, move) for move in state.legal_actions()]


def _wins_at_once(state: State) -> bool:
    return any(follower.is_terminal and follower.black_value for follower in _all_after(state))


def _make(findings: Findings, discs: int, lines: int) -> bytes:
    states = openings(discs)
    with Bar(f"all positions with {discs} discs", len(states)) as bar:
        for number, state in enumerate(states, 1):
            findings.value(state)
            bar.tell(number, "solved")
    for player in (0, 1):
        states += follow(findings, openings(player), player, lines)
    return encode_book(findings, states, max(discs, lines + 1))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gtpbot book", description=__doc__)
    add = parser.add_argument
    add("--discs", type=int, default=2, metavar="N", help="discs of its positions (2)")
    add("--lines", type=int, default=10, metavar="N", help="the most discs of an answer (10)")
    add("--work", type=Path, metavar="FILE", help="where findings are collected (beside the book, "
        "as .txt)")  # fmt: skip
    add("--out", type=Path, default=BOOK, metavar="FILE", help=f"the book ({BOOK.name})")
    add("--megabytes", type=int, default=1024, metavar="N", help="the solver's memory (1024)")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Make the book; the exit status. Raises OptionsError."""
    options = _parser().parse_args(arguments)
    for name, most in MOST_DISCS.items():
        if not 0 <= getattr(options, name) <= most:
            raise OptionsError(f"--{name} {getattr(options, name)}: expected 0 to {most}")
    if not 1 <= options.megabytes <= MOST_MEGABYTES:
        raise OptionsError(f"--megabytes {options.megabytes}: expected 1 to {MOST_MEGABYTES}")
    try:
        findings = Findings(options.work or options.out.with_suffix(".txt"), options.megabytes)
        book = watched(lambda: _make(findings, options.discs, options.lines), findings.solver.stop)
        options.out.write_bytes(book)
    except (OSError, UnicodeDecodeError) as error:
        raise OptionsError(f"cannot make the book: {error}") from None
    return 0
