"""Which game and which positions a query of the analysis protocol means."""

from collections.abc import Mapping
from typing import Any, cast

import pytest

import gtpcore
from games.base import Game, Player
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.go_rules import JAPANESE
from games.position import Position
from gtpbot.analysis.query import Query, QueryError, game_of, interpret_query, positions

GO = Go(GoOptions(size=9))
BLACK, WHITE = ["B", "C3"], ["W", "G7"]
MORE_BLACK = ["B", "D4"]


def found(said: Mapping[str, Any], usual: Game = GO) -> dict[int, Position]:
    query = interpret_query({"id": "one", **said})
    return positions(query, game_of(query, usual))


@pytest.mark.parametrize(
    ("said", "handicap", "to_move"),
    [
        ({"initialStones": [BLACK]}, 0, Player.BLACK),
        ({"initialStones": [BLACK, MORE_BLACK]}, 2, Player.WHITE),
        ({"initialStones": [BLACK, WHITE]}, 0, Player.BLACK),
        ({"initialStones": [BLACK, MORE_BLACK, WHITE]}, 0, Player.BLACK),
        ({"initialStones": [BLACK, MORE_BLACK], "initialPlayer": "B"}, 2, Player.BLACK),
        ({"initialStones": [BLACK, WHITE], "initialPlayer": "W"}, 0, Player.WHITE),
        ({"moves": [WHITE], "analyzeTurns": [0], "initialPlayer": "B"}, 0, Player.BLACK),
    ],
)
def test_stones_of_black_alone_are_a_handicap(
    said: Mapping[str, Any], handicap: int, to_move: Player
) -> None:
    start = found(said)[0]
    assert cast(gtpcore.GoState, start.state).handicap == handicap
    assert start.to_move == to_move


def test_who_moves_first_in_the_query_is_to_move_at_its_beginning() -> None:
    said = {"initialStones": [BLACK, WHITE], "moves": [["W", "E5"]], "analyzeTurns": [0]}
    assert found(said)[0].to_move == Player.WHITE


def test_players_are_named_by_letters_or_words() -> None:
    moves = [["black", "A1"], ["White", "B1"], ["b", "C1"]]
    assert [move.player for move in found({"moves": moves})[3].moves] == [0, 1, 0]


def test_a_game_of_go_that_is_over_goes_on_and_another_does_not() -> None:
    assert not found({"moves": [["B", "pass"], ["W", "pass"]]})[2].state.is_terminal
    four = [["B", "A"], ["W", "B"]] * 3 + [["B", "A"]]
    assert found({"moves": four}, ConnectFour())[7].state.is_terminal
    with pytest.raises(QueryError, match="Illegal move 7: W 'C'") as error:
        found({"moves": [*four, ["W", "C"]]}, ConnectFour())
    assert error.value.field == "moves"


def test_rules_are_named_or_written_out() -> None:
    written = {"scoring": "TERRITORY", "ko": "SIMPLE", "suicide": False, "tax": "SEKI"}
    for rules in ("japanese", written):
        game = found({"rules": rules})[0].game
        assert isinstance(game, Go)
        assert (game.rules.scoring, game.rules.ko) == ("territory", "simple")


def test_what_a_query_leaves_out_is_as_the_command_line_has_it() -> None:
    usual = Go(GoOptions(size=5, rules=JAPANESE, komi=3.5))
    for said, size, scoring, komi in (
        ({}, 5, "territory", 3.5),
        ({"komi": 0}, 5, "territory", 0),
        ({"boardXSize": 7, "boardYSize": 7, "rules": "tromp-taylor"}, 7, "area", 3.5),
    ):
        game = found(said, usual)[0].game
        assert isinstance(game, Go)
        assert (game.spec.width, game.rules.scoring, game.komi) == (size, scoring, komi)


def test_a_query_may_ask_about_no_position() -> None:
    assert found({"moves": [BLACK], "analyzeTurns": []}) == {}


def test_a_board_is_of_the_size_that_the_game_has() -> None:
    assert found({"boardXSize": 7, "boardYSize": 6}, ConnectFour())[0].game.spec.width == 7
    with pytest.raises(QueryError, match="played on 7x6") as error:
        found({"boardXSize": 9, "boardYSize": 9}, ConnectFour())
    assert error.value.field == "boardXSize"
    with pytest.raises(QueryError, match="expected a square one"):
        found({"boardXSize": 9})


def test_stones_are_set_up_in_go_alone() -> None:
    with pytest.raises(QueryError) as error:
        found({"initialStones": [["B", "A1"]]}, ConnectFour())
    assert error.value.field == "initialStones"


def test_the_turns_of_a_long_game_are_not_listed_for_each_move() -> None:
    """Or a query takes the square of its moves, in which the next one is not even read."""
    listed = []

    class Counted(Query):
        @property
        def turns(self) -> tuple[int, ...]:
            listed.append(self.id)
            return super().turns

    moves = tuple(("BW"[turn % 2], f"{'ABCDEFGHJ'[turn]}1") for turn in range(9))
    query = Counted.model_validate({"id": "q", "moves": moves, "analyzeTurns": range(10)})
    found = positions(query, GO)
    assert [len(position.moves) for position in found.values()] == list(range(10))
    assert len(listed) <= 2


def test_players_go_by_the_names_that_katago_knows_alone() -> None:
    said = {"id": "q", "moves": [["black", "C3"], ["w", "D4"]], "initialPlayer": "Black"}
    query = interpret_query(said)
    assert ([letter for letter, _ in query.moves], query.initial_player) == (["B", "W"], "B")
    for misprint in ("Bogus", "wB", "", "D4"):
        with pytest.raises(QueryError, match="input should be 'B' or 'W'"):
            interpret_query({"id": "q", "moves": [[misprint, "C3"]]})
