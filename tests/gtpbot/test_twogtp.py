"""Games between two engines that know only GTP, run as gogui-twogtp runs them."""

import sys
from itertools import cycle

import pytest

from games.registry import GAMES
from gtpbot.engines.client import GtpClient
from gtpbot.options import make_game

LONGEST = 400


def play(game: str, *engines: GtpClient) -> tuple[list[str], list[str]]:
    """The moves, and the result that each engine tells; two passes or a resignation end a game."""
    size = {"go": 5}.get(game, make_game(game, {}).spec.width)
    for engine in engines:
        for setup in (f"boardsize {size}", "clear_board", "komi 6.5", "time_settings 60 0 0"):
            engine.ask(setup)
    moves: list[str] = []
    for player, engine, other in cycle(
        [("b", engines[0], engines[1]), ("w", engines[1], engines[0])]
    ):
        moves.append(engine.ask(f"genmove {player}"))
        if moves[-1] == "resign" or len(moves) == LONGEST:
            break
        other.ask(f"play {player} {moves[-1]}")
        if moves[-2:] == ["pass", "pass"]:
            break
    return moves, [engine.ask("final_score") for engine in engines]


@pytest.mark.parametrize(
    "game", [pytest.param(game, marks=pytest.mark.slow if game == "go" else ()) for game in GAMES]
)
def test_every_game_comes_to_its_end(game: str) -> None:
    command = [sys.executable, "-m", "gtpbot", "--game", game]
    good = [*command, "--playouts", "100", "--seed", "1", "--param", "resign_below=none"]
    bad = [*command, "--agent", "random", "--seed", "1"]
    with GtpClient(good) as first, GtpClient(bad) as second:
        moves, results = play(game, first, second)
        assert moves[-2:] == ["pass", "pass"]
        assert results[0] == results[1]
        assert results[0].startswith("B+")
        moves, results = play(game, second, first)
        assert moves[-2:] == ["pass", "pass"]
        assert results[0] == results[1]
        assert not results[0].startswith("B+")
