"""How often an agent throws something away in Connect Four: `gtpbot mistakes`.

A mistake is a move where another legal move keeps a strictly better outcome: win, draw or loss. The
agent is shown positions from files, or from games played at random, each by itself and anew; the
solver is the judge. A file has a position a line: the columns played, 1 to 7, then, if it is known,
the exact score.
"""

import argparse
import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from games.connect4 import ConnectFour
from games.whole_files import write_whole
from gtpbot.choosing import add_options, chosen_agent, read_options
from gtpbot.measure.intervals import wilson
from gtpbot.measure.positions import CELLS, KINDS, Line, make_positions, read_positions
from gtpbot.measure.series import derived, reseeded
from gtpbot.options import OptionsError
from gtpbot.text.stdout import tell
from gtpbot.text.tables import aligned
from gtpbot.text.terminal import Bar
from gtpbot.verb_parser import VerbParser, check_least, check_place
from search.agent import Agent, Limits
from search.oracle import ConnectFourOracle, Oracle

SEARCH_OPTIONS = ("playouts", "seconds", "threads", "net", "param")

SCORES = {1: "more than 0", 0: "0", -1: "less than 0"}
"""What a score is, by the outcome of its position."""


@dataclass(frozen=True)
class Row:
    """What came of a set of positions."""

    name: str
    positions: int
    mistakes: int
    percent: float
    interval: tuple[float, float]
    """Of the percentage, 95 %."""
    seconds_a_move: float
    wrong: tuple[str, ...]
    """The mistakes, each as the moves before it and, after a dash, its column."""


def measure(name: str, lines: Sequence[Line], agent: Agent, oracle: Oracle, seed: int) -> Row:
    """Show the positions of a set to the agent. Raises OptionsError for a score that is wrong."""
    wrong: list[str] = []
    seconds = 0.0
    with Bar(name, len(lines)) as bar:
        for number, line in enumerate(lines):
            began = time.perf_counter()
            choice = reseeded(agent, derived(seed, line.moves)).choose(line.position(), Limits())
            seconds += time.perf_counter() - began
            if is_wrong(line, choice.action, oracle):
                wrong.append(f"{line.moves}-{_written(choice.action)}")
            bar.tell(number + 1, f"mistakes {len(wrong)}")
    share, (low, high) = len(wrong) / len(lines), wilson(len(wrong), len(lines))
    return Row(
        name=name,
        positions=len(lines),
        mistakes=len(wrong),
        percent=100 * share,
        interval=(100 * low, 100 * high),
        seconds_a_move=seconds / len(lines),
        wrong=tuple(wrong),
    )


def is_wrong(line: Line, action: int | None, oracle: Oracle) -> bool:
    """True if a move, or to resign, is a mistake. Raises OptionsError for a score that is wrong."""
    state = line.position().state
    if line.score is None:
        return oracle.outcome(state) > -1 if action is None else oracle.is_mistake(state, action)
    best = (line.score > 0) - (line.score < 0)
    kept = -1 if action is None else oracle.outcome_of(state, action)
    if kept > best:
        raise OptionsError(f"position {line}: the score is wrong: {_written(action)} keeps {kept}")
    if kept < best and (truth := oracle.outcome(state)) != best:  # solved only where it matters
        raise OptionsError(f"position {line}: the score is wrong: expected {SCORES[truth]}")
    return kept < best


def _written(action: int | None) -> str:
    return "resigns" if action is None else str(action + 1)


def table(rows: Sequence[Row]) -> str:
    """The rows in aligned columns, with a heading."""
    heading = ("positions", "number", "mistakes", "share", "95 % interval", "seconds a move")
    return aligned([heading, *map(_cells, rows)], "<>>>>>")


def _cells(row: Row) -> tuple[str, ...]:
    return (
        row.name,
        str(row.positions),
        str(row.mistakes),
        f"{row.percent:.1f} %",
        f"{row.interval[0]:.2f} to {row.interval[1]:.2f} %",
        f"{row.seconds_a_move:.3g}",
    )


def _sets(options: argparse.Namespace) -> list[tuple[str, list[Line]]]:
    """The positions that were asked for, with the names of their sets. Raises OptionsError."""
    names = Counter(path.name for path in options.positions)
    sets = [
        (path.name if names[path.name] == 1 else str(path), read_positions(path))
        for path in options.positions
    ]
    if options.generate:
        discs = _interpret_range(options.discs)
        lines = make_positions(options.generate, discs, options.kind, options.seed)
        sets.append((f"{options.kind}, {options.discs} discs", lines))
        if options.save:
            _save(lines, options.save)
    if not any(lines for _, lines in sets):
        empty = f" in {', '.join(map(str, options.positions))}" if sets else ""
        raise OptionsError(f"no positions{empty}: expected --positions FILE or --generate N")
    return sets


def _interpret_range(text: str) -> range:
    match = re.fullmatch(r"(\d{1,2})(?:-(\d{1,2}))?", text, re.ASCII)
    low, high = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
    if not 1 <= low <= high < CELLS:
        raise OptionsError(f"--discs {text!r}: expected A or A-B, from 1 to {CELLS - 1}")
    return range(low, high + 1)


def _save(lines: Sequence[Line], path: Path) -> None:
    try:
        write_whole(path, "".join(f"{line}\n" for line in lines))
    except OSError as error:
        raise OptionsError(f"cannot save the positions: {error}") from None


def _parser() -> VerbParser:
    parser = VerbParser("mistakes", __doc__)
    add = parser.add_argument
    add("--agent", required=True, metavar="NAME", help="who is measured")
    add_options(parser, SEARCH_OPTIONS)
    add("--positions", action="append", default=[], type=Path, metavar="FILE", help="a file of "
        "positions; repeatable")  # fmt: skip
    add("--generate", type=int, metavar="N", help="make so many positions")
    add("--discs", default="8-28", metavar="A-B", help="with so many discs (8-28)")
    add("--kind", choices=KINDS, default="any", help="and fewer than 14 moves left if both play "
        "well (easy), fewer than 28 (medium), or more (hard)")  # fmt: skip
    add("--save", type=Path, metavar="FILE", help="write them to a file, as `gtpbot train "
        "--exclude` reads it")  # fmt: skip
    add("--seed", type=int, default=1, metavar="N", help="seed of all randomness (1)")
    add("--json", action="store_true", help="print JSON instead of a table, with all mistakes")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Measure and print; the exit status. Raises OptionsError, and what `tell` does."""
    options = _parser().read(arguments)
    check_least(options, {"generate": 1})
    check_place("--save", options.save)
    if options.save and not options.generate:
        raise OptionsError(f"--save {str(options.save)!r}: expected --generate N, what to save")
    agent = chosen_agent(read_options(options, ("agent", *SEARCH_OPTIONS))).make(ConnectFour())
    oracle = ConnectFourOracle()
    rows = [
        measure(name, lines, agent, oracle, options.seed) for name, lines in _sets(options) if lines
    ]
    tell(json.dumps(list(map(asdict, rows)), indent=1) if options.json else table(rows))
    return 0
