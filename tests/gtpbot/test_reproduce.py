"""`gtpbot reproduce`: the table of matches, how figures are made of games, and going on."""

import json
import resource
from pathlib import Path
from typing import Any

import pytest

from games.base import Game, Player
from gtpbot.cli import main
from gtpbot.measure.reproduce import MEASURES, Row, table, tally
from gtpbot.measure.series import Match, Played, play_here
from gtpbot.measure.textbook import BEYOND, TEXTBOOK, Entry, Tally
from gtpbot.options import AgentChoice, make_game, read
from search.agent import Agent, net_fields
from search.alphago import AlphaGoParams
from search.registry import AGENTS
from tests.support.fakes import FakeNet

ENTRIES = (*TEXTBOOK, *BEYOND)
RANDOM = AgentChoice("random")


def with_fakes(choice: AgentChoice, game: Game) -> Agent:
    """The agent with nets that know nothing."""
    agent = AGENTS[str(choice.name)]
    params = read(agent.Params, choice.settings, "test")
    return agent(params, {key: FakeNet(game).native() for key in net_fields(agent.Params)})


def entry(name: str) -> Entry:
    return next(entry for entry in ENTRIES if entry.match.name == name)


def row_of(played: list[Played], **fields: Any) -> Row:
    fields = {"measure": "won", "book": None, "game": "tictactoe", **fields}
    match = Match("name", fields["game"], RANDOM, RANDOM)
    made = Entry("title", match, fields["measure"], len(played), fields["book"])
    return MEASURES[made.measure](made, played)


def games(*results: int) -> list[Played]:
    return [Played(n, Player.BLACK, result, (4,), 1.0) for n, result in enumerate(results)]


def test_every_match_can_be_played() -> None:
    names = [entry.match.name for entry in ENTRIES]
    assert len(set(names)) == len(names) == 12 + 15
    for one in ENTRIES:
        game = make_game(one.match.game, one.match.options)
        for choice in (one.match.ours, one.match.theirs):
            assert with_fakes(choice, game).plays(game)


@pytest.mark.parametrize(
    "name",
    ["coin-policy-mcts-uct", "tictactoe-alphago-no-value", "tictactoe-alphago-random-rollouts"],
)
def test_the_book_s_agents_play(name: str) -> None:
    played = list(play_here(entry(name).match, 1, range(2), with_fakes))
    assert [game.ours for game in played] == [Player.WHITE, Player.BLACK]


def test_the_book_s_alphago_is_not_the_default_one() -> None:
    book = {"max_tree_depth": 1, "value_weight": 0.0, "batch_size": 1, "symmetries": False}
    choices = [choice for one in TEXTBOOK for choice in (one.match.ours, one.match.theirs)]
    params = [read(AlphaGoParams, c.settings, "test") for c in choices if c.name == "alphago"]
    assert len(params) == 8
    for each in params:
        assert each.weight in (0.75, 0.8, 0.9)
        assert each.model_dump(include=set(book)) == book


def test_the_share_of_games_and_its_error() -> None:
    row = row_of(games(1, 1, 1, 0, -1), book=Tally(66, 2, 32))
    assert (row.ours, row.book) == ("won 3, drawn 1, lost 1", "won 66, drawn 2, lost 32")
    assert (row.figure, row.unit, row.games) == (60.0, "% won", 5)
    assert row.interval == pytest.approx((23.07, 88.24), abs=0.01)
    assert row.difference == pytest.approx((-43.90, 23.87), abs=0.01)
    drawn = row_of(games(0, 0, 1, 0), measure="drawn", book=Tally(0, 10, 0))
    assert (drawn.figure, drawn.ours) == (75.0, "won 1, drawn 3")
    assert drawn.difference == pytest.approx((-69.94, 9.47), abs=0.01)


def test_tally() -> None:
    assert tally(games(1, 1, 0, -1, -1, -1)) == Tally(2, 1, 3)


def test_mistakes_are_ours_alone() -> None:
    # White answers a corner beside it, and loses; Black blocks, and throws the win away.
    moves = (0, 1, 2)
    black, white = (Played(0, player, 0, moves, 1.0) for player in Player)
    assert row_of([white], measure="mistakes").ours == "1 mistakes in 1 moves; drawn 1"
    assert row_of([black], measure="mistakes").ours == "1 mistakes in 2 moves; drawn 1"
    perfect = Played(0, Player.BLACK, 0, (0, 1, 4), 1.0)
    both = row_of([black, perfect], measure="mistakes")
    assert (both.ours, both.figure) == ("1 mistakes in 4 moves; drawn 2", 25.0)
    assert both.interval == pytest.approx((4.56, 69.94), abs=0.01)


def test_seconds_a_move() -> None:
    played = [Played(n, Player.BLACK, 1, (0, 1, 2), 2.0 * (n + 1)) for n in range(2)]
    row = row_of(played, measure="seconds a move", book=24.0)
    assert (row.figure, row.book) == (1.5, "24 s")
    assert row.interval == pytest.approx((0.52, 2.48), abs=0.01)
    assert row_of(played[:1], measure="seconds a move", book=24.0).interval is None
    uneven = [*played, Played(2, Player.BLACK, 1, (0, 1, 2), 40.0)]
    interval = row_of(uneven, measure="seconds a move", book=24.0).interval
    assert interval is not None and interval[0] == 0.0


def test_the_table_has_a_line_for_each_match() -> None:
    text = table([row_of(games(1), book=Tally(1, 0, 1)), row_of(games(-1, -1))])
    lines = text.splitlines()
    assert [line.split()[0] for line in lines] == ["match", "title", "title"]
    assert "won 1, lost 1" in lines[1] and "100 % won" in lines[1] and "20.7 to 100" in lines[1]
    assert "-39.1 to +90.5" in lines[1]
    assert lines[2].endswith("2")


def reproduce(capsys: pytest.CaptureFixture[str], *words: str) -> list[dict[str, Any]]:
    assert main(["reproduce", "--json", *words]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


def test_a_match_is_repeated_by_its_seed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--only", "coin-uct-random", "--games", "8"]
    (row,) = reproduce(capsys, *words)
    assert (row["name"], row["games"], row["book"]) == ("coin-uct-random", 8, "won 87, lost 13")
    assert [row] == reproduce(capsys, *words)
    assert [row] == reproduce(capsys, *words, "--threads", "2")


def test_a_killed_run_goes_on(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["--only", "coin-uct-random", "--out", str(tmp_path / "new"), "--games"]
    whole = reproduce(capsys, *words, "6")
    file = tmp_path / "new" / "coin-uct-random.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    kept = "".join(lines[:3])
    file.write_text(kept + lines[3][:20])
    assert reproduce(capsys, *words, "6") == whole
    assert file.read_text().startswith(kept)
    assert len(file.read_text().splitlines()) == 6
    assert reproduce(capsys, *words, "2")[0]["games"] == 2
    assert main(["reproduce", *words, "6", "--seed", "2"]) == 2
    assert "line 1: played with seed 1, not 2; give another --out" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "nets"),
    [
        ("coin-policy-mcts-actor-critic", ["actor_critic", "fast_policy"]),
        ("tictactoe-alphago-no-value", ["fast_policy", "policy_gradient"]),
    ],
)
def test_games_by_other_nets_or_settings_do_not_count(
    name: str, nets: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["--only", name, "--games", "1", "--out", str(tmp_path)]
    reproduce(capsys, *words)
    (file,) = tmp_path.iterdir()
    record = json.loads(file.read_text())
    assert list(record["settings"]["nets"]) == nets
    for key, inner in (("nets", nets[0]), ("match", "first")):
        other = json.loads(json.dumps(record))
        other["settings"][key][inner] = ""
        file.write_text(json.dumps(other) + "\n")
        assert main(["reproduce", *words]) == 2
        assert f"line 1: played with {key} " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"moves": None}, "moves: Input should be a valid array"),
        ({"moves": [0, "1"]}, "moves.1: Input should be a valid integer"),
        ({"moves": [0, 0]}, "move 2, 0: expected one of [1, 2, 3, 4, 5, 6, 7, 8]"),
        ({"moves": [0, 10**30]}, "move 2, 1000000"),
        ({"moves": [4]}, "moves [4]: expected some of ours"),
        ({"game": -2}, "game -2: expected a number from 0 on"),
        ({"game": 0.5}, "game: Input should be a valid integer"),
        ({"ours": 0}, "ours 0: expected 1"),
        ({"ours": 3}, "ours: Input should be 0 or 1"),
        ({"result": 7}, "result 7: expected "),
        ({"result": True}, "result: Input should be a valid integer"),
        ({"seconds": "long"}, "seconds: Input should be a valid number"),
        ({"seconds": float("nan")}, "seconds nan: expected a number from 0 on"),
        ({"seconds": float("inf")}, "seconds inf: expected a number from 0 on"),
        ({"seconds": -1}, "seconds -1.0: expected a number from 0 on"),
    ],
)
def test_a_damaged_game_is_told_in_one_line(
    changed: dict[str, Any], told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    name = "tictactoe-alphabeta-perfect"
    words = ["--beyond", "--only", name, "--out", str(tmp_path), "--games"]
    reproduce(capsys, *words, "1")
    (file,) = tmp_path.iterdir()
    file.write_text(json.dumps({**json.loads(file.read_text()), **changed}) + "\n")
    damaged = file.read_text()
    assert main(["reproduce", *words, "4"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"gtpbot: {file}, game ") and err.count("\n") == 1
    assert f", as it was kept: {told}" in err and err.endswith("; give another --out\n")
    assert file.read_text() == damaged


@pytest.mark.parametrize("threads", ["1", "2"])
def test_a_full_disk_is_told_in_one_line_and_the_run_goes_on(
    threads: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["--only", "coin-uct-random", "--out", str(tmp_path), "--games", "6"]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, limits[1]))  # as if the disk were full
    try:
        assert main(["reproduce", *words, "--threads", threads]) == 2
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith("gtpbot: cannot keep the games: ")
    assert told.endswith("coin-uct-random.jsonl'; the same command goes on from here")
    assert reproduce(capsys, *words)[0]["games"] == 6


def test_beyond_the_book_mistakes_count(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--beyond", "--only", "tictactoe-alphabeta", "--only", "coin-alphabeta"]
    other, row = reproduce(capsys, *words, "--games", "2")
    assert other["name"] == "coin-alphabeta-perfect"
    assert row["ours"] == "0 mistakes in 9 moves; drawn 2"
    assert (row["figure"], row["unit"], row["book"]) == (0.0, "% mistakes", "")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--only", "coin-uct-rondom"], "no match like 'coin-uct-rondom': did you mean 'coin-uct-"),
        (["--only", "coin-uct-perfect"], "'coin-uct-perfect' is a match with --beyond"),
        (["--beyond", "--only", "coin-uct-random"], "'coin-uct-random' is a match without --bey"),
        (["--games", "0"], "--games 0: expected at least 1"),
        (["--threads", "-1"], "--threads -1: expected at least 1"),
    ],
)
def test_a_wrong_word_is_told_in_one_line(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["reproduce", *words]) == 2
    assert capsys.readouterr().err.startswith(f"gtpbot: {expected}")
