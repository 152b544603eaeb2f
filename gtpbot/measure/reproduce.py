"""Play the textbook's matches, and set our figures beside the book's: `gtpbot reproduce`.

Every match is played with the book's settings and more games. The figures come with 95 % intervals:
of our own rate, and of how much it differs from the book's, whose few games are uncertain too. With
--beyond the matches are those against perfect play, where every mistake counts: a move after which
the game is worth less than it was.
"""

import json
import math
import statistics
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from pydantic import TypeAdapter

from games.position import Position
from gtpbot.measure.intervals import Z95, difference, wilson
from gtpbot.measure.results import ResultsFile
from gtpbot.measure.series import Match, Played, check, play
from gtpbot.measure.textbook import BEYOND, TEXTBOOK, Entry, Tally
from gtpbot.options import OptionsError, make_game
from gtpbot.text.stdout import tell
from gtpbot.text.tables import aligned
from gtpbot.text.terminal import Bar
from gtpbot.text.words import suggest
from gtpbot.verb_parser import VerbParser, check_least
from search.agent import net_fields
from search.oracle import Oracle, oracle_of

OUTCOMES = {"won": 1, "drawn": 0, "lost": -1}


@dataclass(frozen=True)
class Row:
    """What came of an entry."""

    name: str
    title: str
    book: str
    ours: str
    figure: float
    """What is measured: percent or seconds."""
    unit: str
    interval: tuple[float, float] | None
    """Of the figure, 95 %; None of times in a single game."""
    difference: tuple[float, float] | None
    """Of the figure and the book's, 95 %; None where there is nothing to compare."""
    games: int


def tally(played: Sequence[Played]) -> Tally:
    """How games ended."""
    count = Counter(game.result for game in played)
    return Tally(*(count[result] for result in OUTCOMES.values()))


def _told(tally: Tally) -> str:
    return ", ".join(f"{name} {getattr(tally, name)}" for name in OUTCOMES if getattr(tally, name))


def _share(entry: Entry, played: Sequence[Played]) -> Row:
    """Of the games that were won, or drawn."""
    ours, book = tally(played), entry.book
    score = getattr(ours, entry.measure)
    gap = None
    if isinstance(book, Tally):
        gap = difference((score, ours.games), (getattr(book, entry.measure), book.games))
    return Row(
        name=entry.match.name,
        title=entry.title,
        book=_told(book) if isinstance(book, Tally) else "",
        ours=_told(ours),
        figure=100 * score / ours.games,
        unit=f"% {entry.measure}",
        interval=_percent(wilson(score, ours.games)),
        difference=_percent(gap) if gap else None,
        games=ours.games,
    )


def _seconds(entry: Entry, played: Sequence[Played]) -> Row:
    """Of a move, each game's mean being one sample."""
    samples = [game.seconds / len(game.our_moves) for game in played]
    mean = statistics.fmean(samples)
    return Row(
        name=entry.match.name,
        title=entry.title,
        book=f"{entry.book:g} s",
        ours=f"{mean:.3g} s",
        figure=mean,
        unit=entry.measure,
        interval=_around(mean, samples),
        difference=None,
        games=len(played),
    )


def _around(mean: float, samples: Sequence[float]) -> tuple[float, float] | None:
    if len(samples) < 2:
        return None
    error = Z95 * statistics.stdev(samples) / math.sqrt(len(samples))
    return max(0.0, mean - error), mean + error


def _mistakes(entry: Entry, played: Sequence[Played]) -> Row:
    """Of our moves."""
    oracle = oracle_of(make_game(entry.match.game, entry.match.options))
    moves = sum(len(game.our_moves) for game in played)
    mistakes = sum(count_mistakes(entry.match, game, oracle) for game in played)
    return Row(
        name=entry.match.name,
        title=entry.title,
        book="",
        ours=f"{mistakes} mistakes in {moves} moves; {_told(tally(played))}",
        figure=100 * mistakes / moves,
        unit="% mistakes",
        interval=_percent(wilson(mistakes, moves)),
        difference=None,
        games=len(played),
    )


def count_mistakes(match: Match, played: Played, oracle: Oracle) -> int:
    """How many of our moves threw something away."""
    position = Position(make_game(match.game, match.options))
    mistakes = 0
    for action in played.moves:
        if position.to_move == played.ours:
            mistakes += oracle.is_mistake(position.state, action)
        position.play(position.to_move, action)
    return mistakes


def _percent(interval: tuple[float, float]) -> tuple[float, float]:
    return 100 * interval[0], 100 * interval[1]


MEASURES: Mapping[str, Callable[[Entry, Sequence[Played]], Row]] = {
    "won": _share,
    "drawn": _share,
    "seconds a move": _seconds,
    "mistakes": _mistakes,
}


def collect(
    entry: Entry,
    games: int,
    seed: int,
    processes: int,
    kept: Sequence[Played],
    results: ResultsFile | None,
) -> list[Played]:
    """The games of an entry, `kept` before or played now. Raises OptionsError."""
    known = [game for game in kept if game.game < games]
    numbers = sorted(set(range(games)) - {game.game for game in known})
    with (
        closing(play(entry.match, seed, numbers, processes)) as played,
        Bar(entry.match.name, games, len(known)) as bar,
    ):
        for game in played:
            if results:
                _keep(game, results)
            known.append(game)
            bar.tell(len(known), _told(tally(known)))
    return known


def _keep(game: Played, results: ResultsFile) -> None:
    try:
        results.add(asdict(game))
    except OSError as error:
        raise OptionsError(
            f"cannot keep the games: {error}; the same command goes on from here"
        ) from None


def _results(match: Match, seed: int, folder: Path | None) -> ResultsFile | None:
    """The file of a match in `folder`. Raises OptionsError, also if the match cannot be played."""
    settings = {"match": asdict(match), "seed": seed, "nets": _digests(match)}
    if not folder:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return ResultsFile(folder / f"{match.name}.jsonl", settings)
    except OSError as error:
        raise OptionsError(f"cannot keep the games: {error}") from None


def _digests(match: Match) -> dict[str, str]:
    """Which nets play, by their names: games of other nets do not count."""
    from nets.files import find

    game = make_game(match.game, match.options)
    params = [choice.make(game).params for choice in (match.ours, match.theirs)]
    names = {getattr(one, key) for one in params for key in net_fields(type(one))} - {None}
    paths = {name: find(name, match.game) for name in sorted(names)}
    return {name: sha256(path.read_bytes()).hexdigest()[:16] for name, path in paths.items()}


_PLAYED = TypeAdapter(Played)


def table(rows: Sequence[Row]) -> str:
    """The rows in aligned columns, with a heading."""
    heading = ("match", "the book", "ours", "figure", "95 % interval", "less the book's", "games")
    return aligned([heading, *map(_cells, rows)], "<<<>>>>")


def _cells(row: Row) -> tuple[str, ...]:
    interval, gap = row.interval, row.difference
    return (
        row.title,
        row.book,
        row.ours,
        f"{row.figure:.3g} {row.unit}",
        f"{interval[0]:.3g} to {interval[1]:.3g}" if interval else "",
        f"{gap[0]:+.1f} to {gap[1]:+.1f}" if gap else "",
        str(row.games),
    )


def _chosen(entries: Sequence[Entry], words: Sequence[str]) -> list[Entry]:
    """The entries with one of `words` in their names; all if there are none."""
    names = [entry.match.name for entry in entries]
    others = [e.match.name for e in (*TEXTBOOK, *BEYOND) if e not in entries]
    for word in words:
        if not any(word in name for name in names):
            if any(word in name for name in others):
                way = "without" if entries is BEYOND else "with"
                raise OptionsError(f"{word!r} is a match {way} --beyond")
            raise OptionsError(f"no match like {word!r}: {suggest(word, names)}")
    return [e for e in entries if not words or any(word in e.match.name for word in words)]


def _parser() -> VerbParser:
    parser = VerbParser("reproduce", __doc__)
    add = parser.add_argument
    names = ", ".join(entry.match.name for entry in (*TEXTBOOK, *BEYOND))
    add("--only", action="append", default=[], metavar="NAME", help="matches whose names contain "
        f"this; repeatable; all are {names}")  # fmt: skip
    add("--games", type=int, metavar="N", help="games of each match (4 to 1000)")
    add("--beyond", action="store_true", help="the matches beyond the textbook's instead")
    add("--seed", type=int, default=1, metavar="N", help="seed of all randomness (1)")
    add("--threads", type=int, default=1, metavar="T", help="games at a time, each in a process of "
        "its own (1)")  # fmt: skip
    add("--out", type=Path, metavar="DIR", help="keep finished games in this folder; the same "
        "command again plays only those that are missing")  # fmt: skip
    add("--json", action="store_true", help="print JSON instead of a table")
    return parser


def main(arguments: Sequence[str]) -> int:
    """Play and print; the exit status. Raises OptionsError, and what `tell` does."""
    options = _parser().read(arguments)
    check_least(options, {"games": 1, "threads": 1})
    entries = _chosen(BEYOND if options.beyond else TEXTBOOK, options.only)
    files = [_results(entry.match, options.seed, options.out) for entry in entries]
    kept = [
        file.games(_PLAYED, partial(check, entry.match)) if file else []
        for entry, file in zip(entries, files, strict=True)
    ]
    rows = []
    for entry, known, file in zip(entries, kept, files, strict=True):
        games = options.games or entry.games
        played = collect(entry, games, options.seed, options.threads, known, file)
        rows.append(MEASURES[entry.measure](entry, played))
    tell(json.dumps(list(map(asdict, rows)), indent=1) if options.json else table(rows))
    return 0
