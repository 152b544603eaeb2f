"""The opening book of Connect Four that the agent `solver` reads: `gtpbot book` makes it.

It holds the value of every position of some number of discs, mirror images once; what comes before
them follows by a short search. Values are collected in a file of text as they are found, so that
the work may be ended at any time and taken up again.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import gtpcore
from gtpbot.options import OptionsError
from search.solver import BOOK

MOST_DISCS = 8
"""More would make a book of several megabytes."""


def openings(discs: int) -> dict[int, gtpcore.ConnectFourState]:
    """By book key: the positions of so many discs that are not over nor won at once."""
    found = {0: gtpcore.ConnectFourState()}
    for _ in range(discs):
        found = {
            gtpcore.ConnectFourSolver.book_key(after): after
            for state in found.values()
            for after in _followers(state)
            if not after.is_terminal
        }
    return {key: state for key, state in found.items() if not _wins_at_once(state)}


def _followers(state: gtpcore.ConnectFourState) -> list[gtpcore.ConnectFourState]:
    followers = []
    for action in state.legal_actions():
        after = state.clone()
        assert isinstance(after, gtpcore.ConnectFourState)
        after.apply_action(action)
        followers.append(after)
    return followers


def _wins_at_once(state: gtpcore.ConnectFourState) -> bool:
    return any(after.is_terminal and after.black_value for after in _followers(state))


def read_progress(path: Path) -> dict[int, int]:
    """Values by key, as far as they were found; a line cut off by a kill does not count."""
    if not path.exists():
        return {}
    whole = path.read_text().rpartition("\n")[0]
    return {int(key): int(value) for key, value in map(str.split, whole.splitlines())}


def solve_all(states: dict[int, gtpcore.ConnectFourState], path: Path, megabytes: int) -> None:
    """Append the values that `path` lacks, and tell on stderr how far it is."""
    known = read_progress(path)
    todo = [key for key in sorted(states) if key not in known]
    solver = gtpcore.ConnectFourSolver(max_bytes=megabytes << 20)
    start = time.monotonic()
    with path.open("r+" if path.exists() else "w") as file:
        file.truncate(file.seek(_whole_lines(path)))
        for number, key in enumerate(todo, 1):
            file.write(f"{key} {solver.solve(states[key])}\n")
            file.flush()
            minutes = (time.monotonic() - start) / number * (len(todo) - number) / 60
            done = f"{len(states) - len(todo) + number} of {len(states)} positions"
            print(f"\r{done}, {minutes:.0f} minutes left ", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)


def _whole_lines(path: Path) -> int:
    return path.read_bytes().rfind(b"\n") + 1


def write_book(work: Path, out: Path, discs: int) -> None:
    """Make the book of the values that have been collected."""
    out.write_bytes(gtpcore.ConnectFourSolver.encode_book(discs, read_progress(work)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="gtpbot book", description=__doc__)
    parser.add_argument(
        "--discs", type=int, default=1, metavar="N", help="discs of its positions (1)"
    )
    parser.add_argument(
        "--work",
        type=Path,
        metavar="FILE",
        help="where values are collected (beside the book, as .txt)",
    )
    parser.add_argument(
        "--out", type=Path, default=BOOK, metavar="FILE", help=f"the book ({BOOK.name})"
    )
    parser.add_argument(
        "--megabytes", type=int, default=256, metavar="N", help="the solver's memory (256)"
    )
    return parser


def main(arguments: Sequence[str]) -> int:
    """Make the book; the exit status. Raises OptionsError."""
    options = _parser().parse_args(arguments)
    if not 0 <= options.discs <= MOST_DISCS:
        raise OptionsError(f"--discs {options.discs}: expected 0 to {MOST_DISCS}")
    work = options.work or options.out.with_suffix(".txt")
    solve_all(openings(options.discs), work, options.megabytes)
    write_book(work, options.out, options.discs)
    return 0
