"""GNU Go as opponent, as a second judge of the rules, and as a reader of our files."""

import random
import re
import shutil
import signal
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import cast

import pytest

import gtpcore
from games.base import Player
from games.coords import point_to_vertex
from games.go import Go, GoOptions
from games.go_rules import Ko, Rules
from games.handicap import fixed_handicap
from games.position import Position
from games.sgf import read_sgf, write_sgf
from gtpbot.engines.child import EngineDiedError
from gtpbot.engines.client import CommandFailedError, GtpClient

GNUGO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")
pytestmark = pytest.mark.skipif(
    GNUGO is None, reason="GNU Go is not installed: apt-get install gnugo"
)

Stones = tuple[set[str], set[str]]


def gnugo(*options: str) -> GtpClient:
    return GtpClient([str(GNUGO), "--mode", "gtp", "--level", "1", "--seed", "1", *options])


def gtpbot(*options: str) -> GtpClient:
    return GtpClient([sys.executable, "-m", "gtpbot", *options])


def gnugo_stones(client: GtpClient) -> Stones:
    black, white = (set(client.ask(f"list_stones {color}").split()) for color in ("B", "W"))
    return black, white


def shown_stones(client: GtpClient) -> Stones:
    """The stones that our `showboard` draws."""
    rows = re.findall(r"^ *(\d+) ((?:[.XO] )+)\d+$", client.ask("showboard"), re.MULTILINE)
    cells = {
        point_to_vertex(column, int(number) - 1): cell
        for number, row in rows
        for column, cell in enumerate(row.split())
    }
    assert len(cells) == len(rows) ** 2
    black, white = ({v for v, cell in cells.items() if cell == mark} for mark in "XO")
    return black, white


def state_stones(state: gtpcore.GoState) -> Stones:
    black, white = (
        {point_to_vertex(p % state.size, p // state.size) for p in state.stones(player)}
        for player in Player
    )
    return black, white


@pytest.mark.parametrize("color", ["black", pytest.param("white", marks=pytest.mark.slow)])
def test_whole_games_on_9x9(color: str) -> None:
    options = ["--playouts", "20", "--param", "resign_below=none"]
    moves = play_whole_game(options, ["--never-resign"], color, 9)
    assert moves[-2:] == ["pass", "pass"]


@pytest.mark.slow
@pytest.mark.parametrize("color", ["black", "white"])
def test_whole_games_on_19x19(color: str) -> None:
    options = ["--playouts", "100", "--param", "resign_below=-0.97"]
    moves = play_whole_game(options, [], color, 19)
    assert len(moves) > 40


def play_whole_game(
    our_options: Sequence[str], their_options: Sequence[str], color: str, size: int
) -> list[str]:
    """The moves of a game; of another one when GNU Go crashes, as version 3.8 does at times."""
    for seed in "12345":
        with (
            gtpbot("--seed", seed, *our_options) as ours,
            gnugo("--chinese-rules", *their_options) as theirs,
        ):
            try:
                return play_in_step(ours, theirs, color, size)
            except EngineDiedError:
                if theirs.exit_code != -signal.SIGSEGV:
                    raise
    pytest.fail("GNU Go crashed in every game")


def play_in_step(ours: GtpClient, theirs: GtpClient, color: str, size: int) -> list[str]:
    """A game to its end, ours playing `color`: both boards agree after every move.

    Both can score it; but not when it was resigned, for GNU Go first plays it out in its head.
    """
    for client in (ours, theirs):
        for command in (f"boardsize {size}", "clear_board", "komi 7.5"):
            client.ask(command)
    moves: list[str] = []
    while moves[-2:] != ["pass", "pass"]:
        mover = ("black", "white")[len(moves) % 2]
        player, other = (ours, theirs) if mover == color else (theirs, ours)
        moves.append(player.ask(f"genmove {mover}").lower())
        if moves[-1] == "resign":
            return moves
        other.ask(f"play {mover} {moves[-1]}")
        assert shown_stones(ours) == gnugo_stones(theirs), f"after {' '.join(moves)}"
        assert len(moves) < 4 * size * size
    for client in (ours, theirs):
        assert re.fullmatch(r"0|[BW]\+\d+(\.[05])?", client.ask("final_score"))
    return moves


KO_FLAGS: dict[Ko, str] = {
    "simple": "--simple-ko",
    "positional": "--positional-superko",
    "situational": "--situational-superko",
}


def random_moves(game: Go, count: int, rng: random.Random) -> Iterator[tuple[Position, str]]:
    """`count` random moves of both by turns, hardly ever a pass: each with the position before."""
    position = Position(game)
    while count and not position.state.is_terminal:
        count -= 1
        state = cast(gtpcore.GoState, position.state)
        passing = state.num_actions - 1
        points = [action for action in state.legal_actions() if action != passing]
        action = rng.choice(points) if points and rng.random() < 0.99 else passing
        yield position, game.action_to_string(state, action)
        position.play(position.to_move, action)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ko", "suicide", "sizes"),
    [
        ("simple", False, (3, 5, 9, 19)),
        ("simple", True, (3, 5, 9, 19)),
        ("positional", False, (2, 3, 4)),
        ("situational", False, (2, 3, 4)),
    ],
)
def test_gnugo_judges_legality_as_we_do(ko: Ko, suicide: bool, sizes: tuple[int, ...]) -> None:
    """Every point at every move of random games. Suicide under superko is left out: GNU Go does
    not look for repetitions there.
    """
    flags = [KO_FLAGS[ko], "--allow-suicide" if suicide else "--forbid-suicide"]
    seen: Counter[str] = Counter()
    rng = random.Random(1)
    for size in sizes * 3:
        game = Go(GoOptions(size=size, rules=Rules(ko=ko, suicide=suicide)))
        with gnugo(*flags) as judge:
            judge.ask(f"boardsize {size}")
            for position, move in random_moves(game, 300, rng):
                state = cast(gtpcore.GoState, position.state)
                color = position.to_move.letter
                legal = {game.action_to_string(state, a) for a in state.legal_actions()}
                assert legal == {*judge.ask(f"all_legal {color}").split(), "pass"}, (
                    f"{color} to move:\n{game.render(state)}"
                )
                assert state_stones(state) == gnugo_stones(judge)
                judge.ask(f"play {color} {move}")
                seen.update(state.why_illegal(action) for action in range(size * size))
            for player in Player:
                captures = int(judge.ask(f"captures {player}"))
                assert state.captures(player) <= captures
                seen["captures"] += captures
    assert seen["captures"] > 100
    assert seen["ko"] > 0
    assert suicide or seen["suicide"] > 100
    assert ko == "simple" or seen["superko"] > 20


@pytest.mark.parametrize("size", [size for size in range(5, 20) if size != 12])
def test_fixed_handicap_is_gnugos(size: int) -> None:
    """On 12x12 GNU Go takes the fourth line, against the standard."""
    with gnugo() as judge:
        for count in range(2, 10):
            judge.ask(f"boardsize {size}")
            try:
                theirs = set(judge.ask(f"fixed_handicap {count}").split())
            except CommandFailedError:
                with pytest.raises(ValueError, match="fixed handicap"):
                    fixed_handicap(size, count)
            else:
                ours = fixed_handicap(size, count)
                assert {point_to_vertex(p % size, p // size) for p in ours} == theirs


def test_sgf_files_go_both_ways(tmp_path: Path) -> None:
    game = Go(GoOptions(size=9, komi=5.5))
    *_, (position, _) = random_moves(game, 60, random.Random(1))
    ours, theirs = tmp_path / "ours.sgf", tmp_path / "theirs.sgf"
    ours.write_text(write_sgf(position, "Black", "White"))
    with gnugo() as reader:
        reader.ask(f"loadsgf {ours}")
        stones = gnugo_stones(reader)
        assert stones == state_stones(cast(gtpcore.GoState, position.state))
        assert float(reader.ask("get_komi")) == 5.5
        reader.ask(f"printsgf {theirs}")
    again = read_sgf(theirs).position(Go())
    assert state_stones(cast(gtpcore.GoState, again.state)) == stones
