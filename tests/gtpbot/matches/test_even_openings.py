"""`gtpbot openings`: what makes an opening even, new, and one at all."""

from pathlib import Path

import pytest

from games.base import Game
from games.position import Position
from gtpbot.cli import main
from gtpbot.matches.even_openings import EvenOpenings, _key
from gtpbot.matches.even_openings import main as make_openings
from gtpbot.matches.openings import read_openings
from gtpbot.options import AgentChoice, OptionsError, make_game
from search.agent import Agent, AgentParams, Decision, Limits, Nets
from tests.support.positions import played

FOUR = make_game("connect4", {})
GO = make_game("go", {"size": "3"})


class Scripted(Agent):
    """Plays by its seed, and takes a position for won for who moves if Black began on the left."""

    name = "scripted"
    Params = AgentParams
    moves = tuple(range(7))

    def __init__(self, params: AgentParams, nets: Nets | None = None) -> None:
        super().__init__(params, nets)

    def choose(self, position: Position, limits: Limits) -> Decision:
        """The moves one after the other, by the digits of the seed."""
        number = (self.params.seed or 0) // 1000 ** len(position.moves)
        began_left = bool(position.moves) and position.moves[0].action < 3
        return Decision(self.moves[number % len(self.moves)], 0.9 if began_left else -0.1)


class Passing(Scripted):
    """As often as it plays in the middle."""

    moves = (4, 9)


def drawn(game: Game, agent: type[Scripted], count: int, moves: int = 2) -> list[tuple[int, ...]]:
    ways = EvenOpenings(agent(AgentParams(seed=1)), moves, even=0.2, seed=1)
    return [tuple(move.action for move in each.moves) for each in ways.drawn(game, count)]


def test_openings_are_even_and_no_images_of_each_other() -> None:
    """Of the 49 of two moves, those that begin in the four columns on the right are even, and of
    these seven begin in the middle, where mirrored ones are the same."""
    found = drawn(FOUR, Scripted, 49)
    assert len(set(found)) == len(found) == 3 * 7 + 4
    assert all(first >= 3 for first, _ in found)
    mirrored = {tuple(6 - action for action in opening) for opening in found}
    assert mirrored & set(found) <= {(3, 3)}


def test_an_opening_has_no_passes() -> None:
    assert drawn(GO, Passing, 2, moves=1) == [(4,)]


def test_a_net_makes_openings_that_a_match_can_read(tmp_path: Path) -> None:
    file = tmp_path / "openings.txt"
    words = ["openings", "--game", "connect4", "--count", "5", "--moves", "8", "--even", "0.6"]
    assert main([*words, "--out", str(file)]) == 0
    openings = read_openings(file, FOUR)
    assert len(set(openings)) == 5
    judge = AgentChoice("policy", {"net": "alphazero"}).make(FOUR)
    for opening in openings:
        position = Position(FOUR)
        for action in opening:
            position.play(position.to_move, action)
        assert len(opening) == 8
        assert abs(judge.choose(position, Limits()).value_to_move or 0.0) <= 0.6


def test_the_seed_decides(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["openings", "--game", "tictactoe", "--count", "3", "--moves", "2"]
    told = []
    for seed in ("1", "1", "2"):
        assert main([*words, "--seed", seed]) == 0
        told.append(capsys.readouterr().out)
    assert told[0] == told[1] != told[2]


def test_too_few_are_an_error(capsys: pytest.CaptureFixture[str]) -> None:
    """The coin game is always won by one."""
    assert main(["openings", "--game", "coin", "--count", "2", "--moves", "3"]) == 2
    assert "found 0 even openings of 3 moves, expected 2" in capsys.readouterr().err


def test_a_net_without_a_value_cannot_judge(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["openings", "--game", "connect4", "--net", "strong_policy"]) == 2
    assert "the net has a policy alone: expected one with a value" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--count", "0"), ("--moves", "-1")])
def test_there_must_be_something_to_make(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["openings", "--game", "connect4", option, value]) == 2
    assert f"{option} {value}: expected at least 1" in capsys.readouterr().err


@pytest.mark.parametrize("size", [9, 13, 19])
def test_the_openings_that_ship_can_be_read(size: int) -> None:
    game = make_game("go", {"size": str(size), "komi": "7"})
    file = Path(__file__).parents[3] / f"docs/openings/go-{size}x{size}.txt"
    assert len(set(read_openings(file, game))) == 100


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    words = ["--game", "connect4", "--count", "1", "--moves", "1", "--even", "1"]
    with pytest.raises(OptionsError, match=r"--out '.*': expected a file, found a folder"):
        make_openings([*words, "--out", str(tmp_path)])
    with pytest.raises(OptionsError, match=r"--out '.*file': there is no folder '.*nowhere'"):
        make_openings([*words, "--out", str(tmp_path / "nowhere" / "file")])


def test_the_same_position_by_other_moves_is_no_other_opening() -> None:
    five = make_game("go", {"size": "5"})
    lines = (("A1", "C3", "B2", "D4"), ("B2", "D4", "A1", "C3"), ("E1", "C3", "D2", "B4"))
    keys = {_key(played(five, *line)) for line in lines}
    assert len(keys) == 1
    assert _key(played(five, "A1", "C3", "B2", "E5")) not in keys
