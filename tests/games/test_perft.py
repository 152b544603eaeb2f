"""The rules against known counts of games and positions."""

from pathlib import Path

import pytest

import gtpcore
from tests.support.perft import count_positions, read_perft, split
from tests.support.python_game import Nim

DATA = Path(__file__).parents[1] / "data"
FILES = {path.stem: read_perft(path) for path in sorted(DATA.glob("*.perft"))}
LONG = 10_000_000
DEPTHS = [
    pytest.param(name, depth, marks=[pytest.mark.slow] if counts[0] > LONG else [])
    for name, file in FILES.items()
    for depth, counts in file.depths.items()
]


@pytest.mark.parametrize(("name", "depth"), DEPTHS)
def test_sequences_of_a_length(name: str, depth: int) -> None:
    game = FILES[name].game
    state = game.new_state()
    counted = gtpcore.perft(state, depth)
    assert counted == FILES[name].depths[depth], split(game, state, depth)


@pytest.mark.parametrize("name", [name for name, file in FILES.items() if "games" in file.totals])
def test_games_and_histories_in_all(name: str) -> None:
    file = FILES[name]
    counted = [gtpcore.perft(file.game.new_state(), depth) for depth in file.depths]
    assert sum(paths for paths, _ in counted) == file.totals["histories"]
    assert sum(finished for _, finished in counted) == file.totals["games"]


@pytest.mark.parametrize(
    "name", [name for name, file in FILES.items() if "positions" in file.totals]
)
def test_different_positions(name: str) -> None:
    file = FILES[name]
    assert count_positions(file.game.new_state()) == file.totals["positions"]


def test_the_split_shows_the_position_and_the_counts_below_each_move() -> None:
    game = FILES["connect4"].game
    state = game.new_state()
    lines = split(game, state, 3).splitlines()
    assert lines[1] == "6 . . . . . . . 6"
    assert lines[-7:] == [f"{column}1: (49, 0)" for column in "ABCDEFG"]


def test_games_written_in_python_are_counted_too() -> None:
    """Heaps 1, 3 and 4: eight moves, and each way to cut a heap leaves the others."""
    state = Nim().new_state()
    assert gtpcore.perft(state, 1) == (8, 0)
    below = sum(8 - (size - left) for size in (1, 3, 4) for left in range(size))
    assert gtpcore.perft(state, 2) == (below, 0)


def test_a_negative_depth_is_refused() -> None:
    with pytest.raises(ValueError, match="depth -1: expected 0 or more"):
        gtpcore.perft(gtpcore.CoinState(), -1)
