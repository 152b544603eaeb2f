"""Games between engines as SGF files."""

from collections.abc import Sequence
from pathlib import Path

from games.base import Game
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
