"""Games between engines as SGF files."""

import re
from collections.abc import Sequence
from pathlib import Path

from games.base import Game
from games.begun_folders import FolderError
from games.position import Position
from games.sgf import write_sgf


def sgf_of(
    game: Game, moves: Sequence[str], names: tuple[str, str], result: str, remark: str = ""
) -> str:
    """The text of a file; `names` are Black's and White's. Raises what `replayed` raises."""
    return write_sgf(replayed(game, moves), *names, result=result, remark=remark) + "\n"


def replayed(game: Game, moves: Sequence[str]) -> Position:
    """The position after these moves, as GTP writes them.

    Raises InvalidMoveError, IllegalMoveError and GameOverError.
    """
    position = Position(game)
    for move in moves:
        position.play(position.to_move, game.string_to_action(position.state, move))
    return position


def path_of(folder: Path, number: int) -> Path:
    """Where the game of this number is."""
    return folder / f"{number:05}.sgf"


def games_in(folder: Path) -> list[Path]:
    """The files that `path_of` names."""
    return [path for path in folder.glob("*.sgf") if re.fullmatch(r"\d{5,}", path.stem)]


def check_begun(folder: Path, advice: str) -> None:
    """Refuse a folder of games that nobody noted the settings of: they are of something else.

    Raises FolderError.
    """
    if (folder / "settings.json").exists():  # `begin` looks into it
        return
    games = games_in(folder)
    if games:
        raise FolderError(
            f"{folder} holds games that were not begun here, such as {min(games).name}: {advice}"
        )
