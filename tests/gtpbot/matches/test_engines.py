"""Engines as a command line names them."""

import shlex
import sys

import pytest

from gtpbot.gtp.clock import Byoyomi, Canadian, Clock
from gtpbot.gtp.command import interpret_options
from gtpbot.matches.engines import check, read_engines
from gtpbot.options import OptionsError, make_game
from tests.support.scripted_engine import Script, scripted

GO = make_game("go", {"size": "9", "komi": "7"})


def test_commands_and_agents() -> None:
    gnugo, agent = read_engines(["gnugo --mode gtp", "uct:playouts=20,threads=1"], GO)
    assert (gnugo.name, gnugo.command) == ("gnugo", ("gnugo", "--mode", "gtp"))
    assert agent.name == "uct:playouts=20,threads=1"
    words = " ".join(agent.command)
    assert words.startswith(
        f"{sys.executable} -m gtpbot --game go --agent uct --lag 0 --option size=9"
    )
    assert "--option rules=chinese --option komi=7.0 --param playouts=20 --param threads=1" in words


def test_a_setting_may_hold_spaces() -> None:
    agent, _ = read_engines(["mine=policy:net=my nets/a.keras,seed=1", "random"], GO)
    assert agent.name == "mine"
    assert agent.command[-4:] == ("--param", "net=my nets/a.keras", "--param", "seed=1")


def test_agents_use_the_time_of_a_move_as_other_engines_do() -> None:
    """The margin is there for the way to them, so they keep nothing back for it."""
    agent, _ = read_engines(["uct:playouts=20", "random"], GO)
    options = interpret_options(agent.command[agent.command.index("--game") :])
    budget = Clock(Canadian(0, 0.5, 1), options.lag).budget(points=81, moves=0)
    assert budget and budget > 0.4


def test_names() -> None:
    texts = ["old=./bot -x", "./bot -y", "./bot -z", "new=uct:playouts=5", "rave", "rave"]
    names = [engine.name for engine in read_engines(texts, GO)]
    assert names == ["old", "bot#1", "bot#2", "new", "rave#1", "rave#2"]


def test_a_number_that_is_taken_as_a_name_is_left_out() -> None:
    texts = ["./a#1", "a=./bot", "a=./bot -x"]
    assert [engine.name for engine in read_engines(texts, GO)] == ["a#1", "a#2", "a#3"]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["rave"], "1 engines: expected two or more"),
        (["rave", "'"], 'engine "\'": No closing quotation'),
        (["rave", " "], "engine ' ': expected a command or an agent"),
        (["rave", "uctt:playouts=5"], "there is no program 'uctt:playouts=5': did you mean 'uct'"),
        (["rave playouts=5", "uct"], "an agent's parameters follow a colon, as in rave:KEY=VALUE"),
        (["rave", "uct:playouts"], "agent uct: setting 'playouts': expected KEY=VALUE"),
    ],
)
def test_what_names_no_engines(texts: list[str], message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        read_engines(texts, GO)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no-such-engine", "engine no-such-engine cannot play: cannot start"),
        ("uct:playout=5", "has no 'playout': did you mean 'playouts'"),
    ],
)
def test_who_cannot_play_is_told_before_the_match(text: str, message: str) -> None:
    engine, _ = read_engines([text, "random"], GO)
    with pytest.raises(OptionsError, match=message):
        list(check(engine, GO, None))


@pytest.mark.parametrize(
    ("listed", "notes"),
    [
        ("", ["e knows no time_settings: it is not told of its clock"]),
        ("time_settings", ["e does not know this time control: it is told time_settings 9 3 1"]),
        ("time_settings\nkgs-time_settings", []),
        ("kata-time_settings", []),
    ],
)
def test_who_cannot_keep_the_clock_is_told(listed: str, notes: list[str]) -> None:
    script: Script = {
        "list_commands": f"={{id}} {listed}\n\n",
        "time_left black 9 0": "?{id} no\n\n",
    }
    engine, _ = read_engines([f"e={shlex.join(scripted(script))}", "random"], GO)
    assert list(check(engine, GO, Byoyomi(9, 3, 5))) == notes
    if "time_settings" in listed.split():
        assert list(check(engine, GO, Canadian(9, 3, 5))) == []
