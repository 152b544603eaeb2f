"""Where games of Go come from: files of labelled games, and game records in SGF.

A file `*.npz` holds many games of one size with labels of every position, as GoGames names them,
the labels short: `size`, `komi` [G], `start` [G + 1], `moves` [P], `top_moves` and `top_probs`
[P, K], `value` and `score` [P], both for Black, and perhaps `rules`, a preset or KataGo's JSON
(else those of Tromp and Taylor). The last position of a game counts as it stands.

A file `*.npz` of GoGames itself, a shard such as `gtpbot selfplay` writes, is read as well.

Of a file `*.sgf` the first game is read; what was played is its label, and its result the value.
What any two engines play can be recorded so (`gtpbot record`).
"""

import os
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import DTypeLike, NDArray

from games.base import Player
from games.begun_folders import digest_of
from games.go import Go
from games.go_rules import TROMP_TAYLOR, parse_rules
from games.position import Move
from games.sgf import Record, Setup, SgfError, SgfSizeError, in_utf8, parse_sgf, read_bytes
from nets.train.arrays import UNREADABLE, names_of_arrays, read_arrays
from nets.train.errors import RecordsError
from nets.train.go_games import BrokenGameError, GoGame, Result, game_key, judge
from nets.train.go_records import DTYPES, GoGames, ShardWriter, count_games
from nets.train.keys import held_out

LABELS = {
    "moves": "moves",
    "top_moves": "top_moves",
    "top_probs": "top_probs",
    "value": "black_value",
    "score": "black_score",
}
"""Arrays of a labelled file with a row a position, and what they are of GoGames."""

HEAD = 4_096
"""Bytes at the beginning of a file by which it is known again."""
MOST_LEAD = 10
"""Times the points of a board; komi and prisoners may be worth more than the board is."""


def labelled_games(path: Path) -> Iterator[GoGame]:
    """The games of a file of labelled games. Raises BrokenGameError if it is none."""
    try:
        arrays = read_arrays(path)
        size, komi = int(arrays["size"]), arrays["komi"].astype(float, casting="same_kind")
        start = arrays["start"].astype(np.int64, casting="safe")  # differences of others may wrap
        rules = parse_rules(str(arrays["rules"])) if "rules" in arrays else TROMP_TAYLOR
        labels = {
            ours: _as_numbers(arrays[name], name, DTYPES[ours]) for name, ours in LABELS.items()
        }
        if not komi.ndim == start.ndim == labels["moves"].ndim == 1:
            raise ValueError("expected komi [G], start [G + 1] and moves [P]")
        if {len(label) for label in labels.values()} != {start[-1]} or len(start) != len(komi) + 1:
            raise ValueError("arrays of different lengths")
        if start[0] != 0 or (np.diff(start) < 0).any():
            raise ValueError("games whose positions overlap")
    except UNREADABLE as error:
        raise BrokenGameError("unreadable file", f"{path}: {error}") from None
    for number, (first, end) in enumerate(pairwise(start)):
        yield GoGame(
            source=f"{path}, game {number}",
            size=size,
            rules=rules,
            komi=float(komi[number]),
            result=None,
            **{name: label[first:end] for name, label in labels.items()},
        )


def _as_numbers(array: NDArray[Any], name: str, dtype: DTypeLike) -> NDArray[Any]:
    """The same numbers as `dtype` has them. Raises ValueError if it has not room for all."""
    if not (np.issubdtype(array.dtype, np.integer) and np.issubdtype(dtype, np.integer)):
        return array.astype(dtype, casting="same_kind")
    numbers = array.astype(dtype)
    if (numbers != array).any():
        raise ValueError(f"{name}: {array.min()} to {array.max()}: expected numbers of {dtype}")
    return numbers


def recorded_games(path: Path) -> Iterator[GoGame]:
    """The games of a shard as GoGames keeps them. Raises BrokenGameError if it is none."""
    try:
        games = GoGames.load(path)
    except RecordsError as error:
        raise BrokenGameError("unreadable file", str(error)) from None
    for number, (first, end) in enumerate(pairwise(games.start)):
        winner, lead = int(games.winner[number]), float(games.black_lead[number])
        yield GoGame(
            source=f"{path}, game {number}",
            size=games.size,
            rules=games.rules,
            komi=float(games.komi[number]),
            result=Result(winner, lead),
            **{name: getattr(games, name)[first:end] for name in LABELS.values()},
        )


def packed_games(path: Path) -> Iterator[GoGame]:
    """The games of a file of either kind, labelled ones or a shard. Raises BrokenGameError."""
    try:
        is_shard = "winner" in names_of_arrays(path)
    except UNREADABLE:
        is_shard = False
    return recorded_games(path) if is_shard else labelled_games(path)


def sgf_game(path: Path) -> Iterator[GoGame]:
    """The first game of an SGF file. Raises BrokenGameError, for others in it after that game."""
    try:
        data = read_bytes(path)
        record = parse_sgf(data, str(path))
    except SgfSizeError as error:
        raise BrokenGameError("odd size or komi", str(error)) from None
    except SgfError as error:
        raise BrokenGameError("unreadable file", str(error)) from None
    if record.komi is None:
        raise BrokenGameError("odd size or komi", f"{path}: no komi")
    result = parse_result(record.result, record.source)
    if abs(result.black_lead) > MOST_LEAD * record.size**2:
        raise BrokenGameError("no result", f"{path}: RE[{record.result}]: more than all points")
    moves = np.array(list(_moves(record)), np.uint16)
    none = np.full(len(moves), np.nan, np.float16)
    yield GoGame(
        source=str(path),
        size=record.size,
        rules=record.rules or Go().rules,
        komi=record.komi,
        moves=moves,
        top_moves=np.zeros((len(moves), 0), np.uint16),
        top_probs=np.zeros((len(moves), 0), np.uint8),
        black_value=none,
        black_score=none,
        result=result,
    )
    others = _games_in(data) - 1
    if others:
        raise BrokenGameError("not the first game of its file", f"{path}: {others} more", others)


def _games_in(data: bytes) -> int:
    """How many games the bytes of an SGF file hold, well-formed or not."""
    from sgfmill.sgf_grammar import tokenise

    text = in_utf8(data)  # for in other charsets a byte of a character may be a bracket
    count, place = 0, 0
    while True:
        tokens, place = tokenise(text, place)
        if not tokens:
            return count
        count += 1


def _moves(record: Record) -> Iterator[int]:
    """The actions, Black's and White's in turns. Raises BrokenGameError if they are not."""
    if record.handicap:
        raise BrokenGameError("handicap", record.source)
    none, number = frozenset[int](), 0
    for event in record.events:
        turn = Player(number % 2)
        if event == Setup(none, none, none, to_move=turn):  # some programs always say whose it is
            continue
        if not isinstance(event, Move):
            raise BrokenGameError("stones set up", record.source)
        if event.player != turn:
            raise BrokenGameError("colours out of turn", f"{record.source}: move {number + 1}")
        yield event.action
        number += 1


def parse_result(text: str, source: str = "SGF") -> Result:
    """A result as SGF has it: `B+3.5`, `W+R`, `W+Resign`, `0`, `Draw`.

    Raises BrokenGameError for none, and for a game lost on time or forfeited, of whose position
    that says nothing.

    >>> parse_result("W+2.5")
    Result(winner=-1, black_lead=-2.5)
    """
    words = text.strip().upper()
    if words in ("0", "DRAW", "JIGO"):
        return Result(0, 0.0)
    sign = {"B+": 1, "W+": -1}.get(words[:2])
    margin = words[2:].strip()
    if sign and margin in ("R", "RESIGN"):
        return Result(sign, np.nan)
    number = margin.replace(".", "", 1)
    if sign and number.isascii() and number.isdigit() and len(number) < 6:
        return Result(sign if float(margin) else 0, sign * float(margin))
    raise BrokenGameError("no result", f"{source}: RE[{text[:20]}]")


SOURCES: Mapping[str, Callable[[Path], Iterator[GoGame]]] = {
    ".npz": packed_games,
    ".sgf": sgf_game,
}
"""What reads a file, by its ending."""


@dataclass
class LeftOut:
    """Games that nothing is to be learned from."""

    counts: Counter[str] = field(default_factory=Counter)
    """How many, by the reason."""
    examples: dict[str, str] = field(default_factory=dict)
    """The first of each reason."""

    def add(self, error: BrokenGameError) -> None:
        """Count what is broken."""
        self.counts[error.reason] += error.count
        self.examples.setdefault(error.reason, str(error))

    def tell(self) -> None:
        """Say on stderr what was left out, and why."""
        for reason, count in self.counts.most_common():
            print(f"left out {count}: {reason}, such as {self.examples[reason]}", file=sys.stderr)


@dataclass
class Import:
    """Games on their way from files into shards, those to test on apart."""

    train: ShardWriter
    test: ShardWriter
    share: float
    """Of the games, to test on; see `game_key`."""
    games: Counter[str] = field(default_factory=Counter)
    """How many have been kept, by `games`, `positions` and `games_to_test_on`."""
    left_out: LeftOut = field(default_factory=LeftOut)

    def read(self, path: Path) -> None:
        """All games of a file; those that are broken are counted."""
        for game in games_of(path, self.left_out):
            self._keep(game)

    def _keep(self, game: GoGame) -> None:
        try:
            outcome = judge(game)
        except BrokenGameError as error:
            self.left_out.add(error)
            return
        key = np.array([game_key(game.size, game.moves)], np.uint64)
        is_test = bool(held_out(key, self.share)[0])
        (self.test if is_test else self.train).add(game, outcome)
        self.games["games"] += 1
        self.games["positions"] += len(game.moves)
        self.games["games_to_test_on"] += is_test


def games_of(path: Path, left_out: LeftOut) -> Iterator[GoGame]:
    """The games of a file, up to where it is broken."""
    try:
        yield from SOURCES[path.suffix.lower()](path)
    except BrokenGameError as error:
        left_out.add(error)


def count_games_of(path: Path) -> int:
    """How many games a file has at most, without looking at them."""
    try:
        return 1 if path.suffix.lower() == ".sgf" else count_games([path])[0]
    except RecordsError:
        return 0


def game_files(folder: Path, out: Path) -> list[Path]:
    """The files of games in a folder and those below it, in order.

    `out` is a folder for results; if it is one below, its files are left out.
    """
    paths = [path for path in folder.rglob("*") if path.suffix.lower() in SOURCES]
    made = out.resolve()
    if folder.resolve() in made.parents:
        paths = [path for path in paths if made not in path.resolve().parents]
    return sorted(paths)


def digest_of_files(paths: Iterable[Path], folder: Path) -> str:
    """A digest of files in a folder, by their names, sizes and heads, as there may be many.

    Not by their times, for a copy of the folder is as good.
    """
    return digest_of([_facts(path, folder) for path in paths])


def _facts(path: Path, folder: Path) -> tuple[str, int, int]:
    try:
        with path.open("rb") as file:
            head = crc32(file.read(HEAD))
            size = file.seek(0, os.SEEK_END)
    except OSError:  # which the import will tell of
        size, head = 0, 0
    return path.relative_to(folder).as_posix(), size, head


def no_games(source: Path) -> RecordsError:
    """What is told of a folder without any."""
    return RecordsError(f"{source}: expected a folder of games, {' or '.join(SOURCES)}")


def import_games(
    source: Path, paths: Sequence[Path], train: ShardWriter, test: ShardWriter, share: float
) -> Import:
    """Read files of a folder into shards, with word of progress. Raises RecordsError."""
    from tqdm import tqdm

    job = Import(train, test, share)
    if not paths:
        raise no_games(source)
    with tqdm(paths, desc="games", unit="file") as files:
        for path in files:
            job.read(path)
            files.set_postfix(games=job.games["games"], left_out=job.left_out.counts.total())
    train.close()
    test.close()
    job.left_out.tell()
    if not job.games["games"]:
        raise RecordsError(f"{source}: no game that could be learned from")
    if job.games["games"] == job.games["games_to_test_on"]:
        raise RecordsError(
            f"{source}: all {job.games['games']} games were drawn to test on, expected some to "
            "learn from: give more, or hold none out: by --stage games --again --param "
            "games.held_out=0, and then all stages with that --param"
        )
    return job
