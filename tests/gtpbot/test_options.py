"""Options, from text to games and agents, and what is said about wrong ones."""

from pathlib import Path

import pytest

from games.coin import Coin
from games.connect4 import ConnectFour, ConnectFourOptions
from games.go import Go, GoOptions
from games.go_rules import PRESETS
from gtpbot.options import (
    AgentChoice,
    Options,
    OptionsError,
    make_game,
    read,
    shown,
)
from search.alphazero import AlphaZeroParams
from search.rave import RaveParams
from search.uct import UctParams

HUGE = str(10**20)
"""More than the search can count to."""


def test_settings_are_text() -> None:
    game = make_game("go", {"size": "9", "rules": "japanese", "komi": "0.5"})
    assert isinstance(game, Go)
    assert (game.spec.width, game.rules, game.komi) == (9, PRESETS["japanese"], 0.5)


def test_none_means_the_default() -> None:
    game = make_game("go", {"komi": "none"})
    assert isinstance(game, Go)
    assert game.komi == 7.5


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("goo", {}, "unknown game 'goo': did you mean 'go'?"),
        ("chess", {}, "unknown game 'chess': expected one of go, connect4, tictactoe, coin"),
        ("go", {"sise": "9"}, "game go has no 'sise': did you mean 'size'?"),
        ("tictactoe", {"size": "9"}, "game tictactoe has no 'size': there are none"),
        ("go", {"size": "26"}, "game go: size '26': expected less than or equal to 25"),
        ("go", {"size": "big"}, "game go: size 'big': expected a valid integer"),
        ("go", {"rules": "japanes"}, "game go: unknown rules 'japanes': did you mean 'japanese'?"),
        ("connect4", {"columns": HUGE}, f"game connect4: columns '{HUGE}': expected less than "),
        ("coin", {"max_take": "30"}, "game coin: max_take is 30: expected at most the pile, 21"),
        (
            "coin",
            {"pile": "650", "max_take": "650"},
            "game coin: max_take '650': expected less than or equal to 626",
        ),
    ],
)
def test_wrong_games(name: str, settings: dict[str, str], message: str) -> None:
    with pytest.raises(OptionsError) as error:
        make_game(name, settings)
    assert str(error.value).startswith(message)
    assert "parse" not in str(error.value)


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ({"lag": "61"}, "gtpbot: lag '61': expected less than or equal to 60"),
        *(
            ({"identity": name}, f"gtpbot: identity {name!r}: expected NAME/VERSION, as in")
            for name in ("Leela Zero", "/0.17", "Leela Zero/ ", "Leela\x1bZero/0.17")
        ),
    ],
)
def test_wrong_options(said: dict[str, str], message: str) -> None:
    with pytest.raises(OptionsError) as error:
        read(Options, said, "gtpbot")
    assert str(error.value).startswith(message)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        (AgentChoice("rav"), "unknown agent 'rav': did you mean 'rave'?"),
        (AgentChoice("rave"), "agent rave does not play Coin Game"),
        (AgentChoice("random", {"playouts": "9"}), "agent random has no 'playouts': expected one"),
        (AgentChoice("uct", {"playout": "9"}), "agent uct has no 'playout': did you mean 'playo"),
        (
            AgentChoice("uct", {"ponder": "perhaps"}),
            "agent uct: ponder 'perhaps': expected true or f",
        ),
        (AgentChoice("uct", {"ponder": "none"}), "agent uct: ponder 'none': expected true or f"),
        (AgentChoice(None, {"equivalence": "9"}), "agent uct has no 'equivalence': expected one"),
        (AgentChoice("uct", {"playouts": "0"}), "agent uct: playouts '0': expected greater than"),
        (
            AgentChoice(None, {"net": "mine.keras"}),
            "agent uct, the default here, has no 'net': name one that has it by --agent: policy, ",
        ),
        (AgentChoice("policy", {"net": "b\udcfc.keras"}), "agent policy: net 'b"),
        (AgentChoice("uct", {"mode": "fast"}), "agent uct has no 'mode': expected one of "),
        *(
            (AgentChoice(name, {key: HUGE}), f"agent {name}: {key} '{HUGE}': expected less than ")
            for name, keys in {
                "alphabeta": ["playouts"],
                "uct": ["playouts", "memory_mb", "max_tree_depth", "expand_visits"],
                "alphago": ["depth", "num_rollouts"],
            }.items()
            for key in keys
        ),
    ],
)
def test_wrong_agents(choice: AgentChoice, message: str) -> None:
    with pytest.raises(OptionsError) as error:
        choice.make(Coin())
    assert str(error.value).startswith(message)


def test_the_options_with_which_an_agent_does_not_play_a_game_are_named() -> None:
    board = {"rows": "5", "length": "5"}
    for game, settings, message in (
        (
            "connect4",
            board,
            "agent solver does not play Connect Four with rows=5 length=5: expected",
        ),
        ("coin", {"pile": "9"}, "agent solver does not play Coin Game: expected one of random, "),
    ):
        with pytest.raises(OptionsError) as error:
            AgentChoice("solver").make(make_game(game, settings))
        assert str(error.value).startswith(message)
        assert "solver" not in str(error.value).partition(":")[2]


def test_the_default_agent_depends_on_the_game() -> None:
    assert AgentChoice().make(Go()).name == "alphazero"
    assert AgentChoice().make(ConnectFour()).name == "alphazero"
    assert AgentChoice().make(Coin()).name == "uct"


def test_what_is_said_comes_before_the_defaults_of_a_game() -> None:
    for settings, nodes in (({}, 2_000), ({"solve_nodes": "5"}, 5)):
        params = AgentChoice("alphazero", settings).make(ConnectFour()).params
        assert isinstance(params, AlphaZeroParams) and params.solve_nodes == nodes


def test_an_agent_is_handed_one_net_by_several_names_and_none_that_it_does_not_want() -> None:
    nets = AgentChoice("alphago").make(Go(GoOptions(size=9))).nets
    assert set(nets) == {"net", "value_net"} and nets["net"] is nets["value_net"]


def test_no_default_agent_wants_a_net_that_does_not_ship() -> None:
    """The nets of Connect Four are for one board."""
    for options in ({"columns": 8}, {"length": 5}):
        game = ConnectFour(ConnectFourOptions.model_validate(options))
        assert AgentChoice().make(game).name == "uct"


def test_another_game_keeps_the_agent_if_it_can() -> None:
    uct = AgentChoice("uct", {"playouts": "9", "exploration": "1"})
    assert uct.fitted(ConnectFour()) == uct
    rave = AgentChoice("rave", {"playouts": "9", "equivalence": "100"})
    assert rave.fitted(Go()) == rave
    assert rave.fitted(ConnectFour()) == AgentChoice(None, {"playouts": "9"})
    default = AgentChoice(None, {"playouts": "9", "equivalence": "100"})
    assert default.fitted(Coin()) == AgentChoice(None, {"playouts": "9"})


def test_another_agent_keeps_what_it_shares() -> None:
    rave = AgentChoice("rave", {"playouts": "9", "equivalence": "100", "seed": "1"})
    changed = rave.changed("uct", {"seed": "2"})
    assert changed == AgentChoice("uct", {"playouts": "9", "seed": "2"})
    assert changed.make(Coin()).params == UctParams.model_validate({"playouts": 9, "seed": 2})


def test_options_tell_apart_game_and_agent() -> None:
    said = {
        "agent": "rave",
        "size": "9",
        "option": {"komi": "0"},
        "seed": "1",
        "param": {"ponder": "true"},
    }
    options = read(Options, said, "gtpbot")
    assert options.game_settings == {"size": "9", "komi": "0"}
    agent = AgentChoice(options.agent, options.agent_settings).make(Go())
    assert agent.params == RaveParams.model_validate({"seed": 1, "ponder": True})
    assert options.log is None
    options = Options(rules="aga", komi="0", net="mine.onnx", playouts="9")
    assert options.game_settings == {"rules": "aga", "komi": "0"}
    assert options.agent_settings == {"net": "mine.onnx", "playouts": "9"}
    assert read(Options, {"log": "x"}, "gtpbot").log == Path("x")


def test_values_are_shown_as_they_are_written() -> None:
    rules = PRESETS["korean"].model_copy(update={"suicide": True})
    values = (None, True, 0.5, PRESETS["aga"], rules)
    assert [shown(value) for value in values[:4]] == ["none", "true", "0.5", "aga"]
    assert shown(rules).startswith('{"hasButton":')


def test_a_board_that_no_net_fits_is_told_with_a_way_out() -> None:
    game = ConnectFour(ConnectFourOptions(columns=5))
    with pytest.raises(OptionsError, match="give --net FILE with one for this board, or another"):
        AgentChoice("alphazero").make(game)
