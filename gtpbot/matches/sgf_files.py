"""Games between engines as SGF files."""

from collections.abc import Sequence
from pathlib import Path

from games.base import Game
from games.position import Position
from games.sgf import write_sgf
from games.whole_files import write_whole


def save_game(
    path: Path,
    game: Game,
    moves: Sequence[str],
    names: tuple[str, str],
    result: str,
    remark: str = "",
) -> None:
    """Write a file whole, or not at all; `names` are Black's and White's. Raises OSError."""
    text = write_sgf(replayed(game, moves), *names, result=result, remark=remark)
    write_whole(path, text + "\n")


def replayed(game: Game, moves: Sequence[str]) -> Position:
    """The position after these moves, as GTP writes them."""
    position = Position(game)
    for move in moves:
        position.play(position.to_move, game.string_to_action(position.state, move))
    return position


def path_of(folder: Path, number: int) -> Path:
    """Where the game of this number is."""
    return folder / f"{number:05}.sgf"
