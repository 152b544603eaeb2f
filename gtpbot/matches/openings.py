"""Openings, so that engines which always play alike do not play one game again and again.

A file has one opening a line: vertices separated by spaces, Black's first, or one word of digits
as in files of positions of Connect Four, such as `4453`, after which nothing is read. `#` begins a
comment. A folder of SGF files has one opening of Go a file.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from games.base import Game
from games.connect4 import ConnectFour
from games.errors import GameOverError, IllegalMoveError, InvalidMoveError
from games.go import Go
from games.position import Position, play_at_random, played
from games.sgf import SgfError, read_sgf
from gtpbot.measure.series import derived
from gtpbot.options import OptionsError

ATTEMPTS = 100
"""Random openings tried for one in which the game is not over."""

Opening = tuple[int, ...]
"""Actions, Black's first."""


@dataclass(frozen=True)
class Openings:
    """Which opening a pair of games begins with."""

    game: Game
    listed: tuple[Opening, ...] = ((),)
    """Taken in turns."""
    random_moves: int = 0
    """Played at random after these."""
    seed: int = 1

    def number(self, pair: int) -> Opening:
        """The opening of a pair of games; the same for all who play it."""
        listed = self.listed[pair % len(self.listed)]
        if not self.random_moves:
            return listed
        rng = random.Random(derived(self.seed, "opening", pair))
        for _ in range(ATTEMPTS):
            position = played(self.game, listed)
            if play_at_random(position, self.random_moves, rng):
                return position.actions
        raise OptionsError(f"{self.random_moves} random moves: the game is over before")


def read_openings(path: Path, game: Game) -> tuple[Opening, ...]:
    """The openings of a file or of a folder of SGF files. Raises OptionsError."""
    openings = _read_folder(path, game) if path.is_dir() else _read_lines(path, game)
    if not openings:
        raise OptionsError(f"{path}: no openings")
    return openings


def _read_lines(path: Path, game: Game) -> tuple[Opening, ...]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise OptionsError(f"cannot read the openings: {error}") from None
    texts = [(number, line.partition("#")[0].split()) for number, line in enumerate(lines, 1)]
    return tuple(_read(words, f"{path}, line {n}", game) for n, words in texts if words)


def _read(words: Sequence[str], where: str, game: Game) -> Opening:
    position = Position(game)
    is_short = isinstance(game, ConnectFour) and words[0].isdigit()
    if is_short and not _is_score(words[1:], game):
        text = " ".join(words)[:20]
        raise OptionsError(f"{where}: {text!r}: expected columns in one word, such as 4453")
    for word in words[0] if is_short else words:
        try:
            position.play(position.to_move, game.string_to_action(position.state, word))
        except (InvalidMoveError, IllegalMoveError, GameOverError) as error:
            raise OptionsError(f"{where}: {word[:20]!r}: {error}") from None
    return _unfinished(position, where)


def _is_score(rest: Sequence[str], game: Game) -> bool:
    """True if what follows the columns is nothing, or a score that cannot be columns too."""
    columns = "123456789"[: game.spec.width]
    return not rest or (len(rest) == 1 and not set(rest[0]) <= set(columns))


def _read_folder(path: Path, game: Game) -> tuple[Opening, ...]:
    if not isinstance(game, Go):
        raise OptionsError(f"{path}: SGF files are openings of Go alone: expected a file of lines")
    try:
        files = sorted(file for file in path.iterdir() if file.suffix.lower() == ".sgf")
        return tuple(_read_sgf(file, game) for file in files)
    except SgfError as error:
        raise OptionsError(str(error)) from None


def _read_sgf(file: Path, game: Go) -> Opening:
    position = read_sgf(file).position(game)
    first = Position(game).state
    if (position.state.num_actions, position.start.hash) != (first.num_actions, first.hash):
        raise OptionsError(f"{file}: expected the board of the match, without stones set up")
    if any(move.player != number % 2 for number, move in enumerate(position.moves)):
        raise OptionsError(f"{file}: expected Black and White in turns")
    try:
        position = played(game, position.actions)
    except IllegalMoveError as error:  # though by its own rules it was right
        raise OptionsError(f"{file}: by the rules of the match: {error}") from None
    return _unfinished(position, str(file))


def _unfinished(position: Position, where: str) -> Opening:
    if position.state.is_terminal:
        raise OptionsError(f"{where}: the game is over after these moves")
    return position.actions
