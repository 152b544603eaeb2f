"""Games labelled by an analysis engine, for a net to learn from."""

import re
import sys
from dataclasses import replace
from pathlib import Path
from shlex import join
from typing import Any

import numpy as np
import pytest

from games.go import Go, GoOptions
from games.go_rules import AGA
from gtpbot.cli import main
from gtpbot.engines.analysis_client import AnalysisClient
from gtpbot.engines.child import EngineDiedError, GarbledAnswerError
from gtpbot.learning.label import labelled, of_net, of_search, query
from nets.files import load
from nets.spec import NetSpec
from nets.train.go_games import BrokenGameError
from nets.train.go_records import GoGames
from tests.support.go_games import packed, random_game

ENGINE = join([sys.executable, "-m", "gtpbot", "analysis"])


def speaking(body: str) -> list[str]:
    """An engine that runs `body` for each `query`, and tells what it gives to `tell`."""
    indented = "".join(f"    {line}\n" for line in body.splitlines())
    code = (
        "import json, sys, time\n"
        "def tell(**told): print(json.dumps(told), flush=True)\n"
        "def answer(query, **more):\n"
        "    size, name = query['boardXSize'], query['id']\n"
        "    for turn in reversed(query['analyzeTurns']):\n"
        "        shares = [-1] * (size * size) + [1]\n"
        "        tell(id=name, turnNumber=turn, rootInfo={'winrate': 0.75, 'scoreLead': 2},\n"
        "             policy=shares, **more)\n"
        "for line in sys.stdin:\n"
        "    query = json.loads(line)\n"
    )
    return [sys.executable, "-c", code + indented]


def label(folder: Path, out: Path, engine: str, *words: str) -> int:
    return main(["label", "--from", str(folder), "--out", str(out), "--engine", engine, *words])


def kept(folder: Path, *games: Any) -> Path:
    packed(games).save(folder / "games" / "games.npz")
    return folder / "games"


def test_a_query_asks_about_every_position_a_label_is_for() -> None:
    game = random_game(3, 5, seed=1, labels=9)
    asked = query("7", game, 16)
    assert (asked["id"], asked["komi"], asked["maxVisits"]) == ("7", game.komi, 16)
    assert asked["analyzeTurns"] == list(range(len(game.moves)))
    assert [colour for colour, _ in asked["moves"]] == ["B", "W", "B", "W"]
    names = ["A1", "B1", "C1", "A2", "B2", "C2", "A3", "B3", "C3", "pass"]
    assert [vertex for _, vertex in asked["moves"]] == [names[m] for m in game.moves[:-1]]
    assert asked["rules"]["scoring"] == "AREA"
    settings = asked["overrideSettings"]  # KataGo's analysis hides the last moves from its net
    assert (settings["ignorePreRootHistory"], settings["wideRootNoise"]) == (False, 0)
    assert settings["reportAnalysisWinratesAs"] == "BLACK"
    hidden = query("7", game, 16, history=False)["overrideSettings"]
    assert hidden == {**settings, "ignorePreRootHistory": True}


def test_rows_are_told_from_the_top_and_chances_as_shares() -> None:
    game = random_game(3, 2, seed=1, labels=9)
    shares = [[-1, 0.1, 0.6, 0, 0, 0, 0.2, 0, 0, 0.1], [0] * 9 + [1]]
    told = [
        {"turnNumber": turn, "rootInfo": {"winrate": chance, "scoreLead": lead}, "policy": shares_}
        for turn, chance, lead, shares_ in ((1, 1.0005, 3.5, shares[1]), (0, 0.25, -2, shares[0]))
    ]
    found = labelled(game, told, of_net)
    assert found.black_value.tolist() == [-0.5, 1]
    assert found.black_score.tolist() == [-2, 3.5]
    assert found.top_moves[:, 0].tolist() == [8, 9]  # C3, the pass
    assert found.top_moves[0, 1] == 0  # A1
    assert found.top_probs[:, 0].tolist() == [153, 255]
    assert np.array_equal(found.moves, game.moves)


def told_of(turn: Any, policy: Any = (0.5,) * 10, **root: Any) -> dict[str, Any]:
    """What an engine tells of a position of a board of 3x3."""
    return {"turnNumber": turn, "rootInfo": {"winrate": 0.5, **root}, "policy": list(policy)}


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ([{"error": "komi out of range", "id": "0"}], "komi out of range"),
        ([told_of(9)], "turn 9 is none"),
        ([told_of(-1)], "turn -1 is none"),
        ([told_of("0")], "turn '0' is none"),
        ([told_of(1), told_of(1)], "turn 1 is none of those that are left"),
        ([told_of(1)], "nothing was told of turn 0"),
        ([], "nothing was told of turn 0"),
        ([{"turnNumber": 0, "rootInfo": {}, "policy": [1] * 10}], "winrate"),
        ([told_of(0, winrate=float("nan"))], "winrate nan: expected 0 to 1"),
        ([told_of(0, winrate=10**400)], "int too large"),
        ([told_of(0, winrate=1.5)], "winrate 1.5: expected 0 to 1"),
        ([told_of(0, winrate=-0.5)], "winrate -0.5: expected 0 to 1"),
        ([told_of(0, scoreLead=1e6)], "scoreLead 1000000.0: expected points"),
        ([told_of(0, scoreLead=float("-inf"))], "scoreLead -inf: expected points"),
        ([told_of(0, [1] * 9)], "cannot reshape"),
        ([told_of(0, [None] * 10)], "expected chances of moves"),
        ([told_of(0, [-1] * 10)], "expected chances of moves"),
        ([told_of(0, [-0.5, *[1] * 9])], "expected chances of moves"),
        ([told_of(0, [1.5, 0.5, *[0] * 8])], "expected chances of moves"),
        ([told_of(0, [float("inf"), *[0] * 9])], "expected chances of moves"),
        ([{"turnNumber": 0, "rootInfo": {"winrate": 1}}], "policy"),
        ([{"turnNumber": 0, "noResults": True}], "rootInfo"),
    ],
)
def test_a_game_that_is_not_told_of_is_broken(told: list[dict[str, Any]], reason: str) -> None:
    with pytest.raises(BrokenGameError, match=r"made-up game 1: .*" + re.escape(reason)):
        labelled(random_game(3, 2, seed=1, labels=9), told, of_net)


def visited(turn: int, **visits: int) -> dict[str, Any]:
    """What an engine tells of moves by how often it visited them."""
    moves = [{"move": move, "visits": count} for move, count in visits.items()]
    return {"turnNumber": turn, "rootInfo": {"winrate": 0.5}, "moveInfos": moves}


def test_visits_are_shares() -> None:
    game = random_game(3, 2, seed=1, labels=9)
    found = labelled(game, [visited(0, C2=6, A1=3, B3=0), visited(1, **{"pass": 1})], of_search)
    assert found.top_moves[:, 0].tolist() == [5, 9]  # C2, the pass
    assert found.top_probs[:, :3].tolist() == [[170, 85, 0], [255, 0, 0]]
    assert found.top_moves[0, 1] == 0
    assert np.isnan(found.black_score).all()


@pytest.mark.parametrize("visits", [{}, {"A1": 0}, {"D1": 1}, {"K": 1}, {"A1": -5, "A2": 9}])
def test_visits_of_no_move_are_no_label(visits: dict[str, int]) -> None:
    with pytest.raises(BrokenGameError, match="made-up game 1: not to be understood"):
        labelled(random_game(3, 1, seed=1, labels=9), [visited(0, **visits)], of_search)


def test_a_move_that_is_no_text_is_no_label() -> None:
    told = visited(0, A1=1)
    told["moveInfos"][0]["move"] = None
    with pytest.raises(BrokenGameError, match="made-up game 1: not to be understood"):
        labelled(random_game(3, 1, seed=1, labels=9), [told], of_search)


@pytest.mark.slow
def test_a_search_labels_every_position(tmp_path: Path) -> None:
    """By shares of at least one visit of 30."""
    game = random_game(5, 8, seed=3)
    words = ["--policy", "search", "--visits", "30"]
    assert label(kept(tmp_path, game), tmp_path / "out", ENGINE, *words) == 0
    found = GoGames.load(tmp_path / "out" / "05-00000.npz")
    assert found.top_probs[found.top_probs > 0].min() >= 255 // 30
    assert found.top_probs.sum(axis=1).tolist() == pytest.approx([255] * len(game.moves), abs=6)


@pytest.mark.slow
def test_labels_are_what_the_engine_thinks(tmp_path: Path) -> None:
    """Those of `gtpbot analysis` with one visit are what its net says of an image of the board."""
    game = random_game(5, 12, seed=3)
    assert label(kept(tmp_path, game), tmp_path / "out", ENGINE) == 0
    found = GoGames.load(tmp_path / "out" / "05-00000.npz")
    assert np.array_equal(found.moves, game.moves)
    state = Go(GoOptions(size=5, komi=game.komi)).new_state()
    net = load("alphazero", NetSpec.of(Go(GoOptions(size=5))))
    apart: list[tuple[float, float]] = []
    for turn, move in enumerate(game.moves.tolist()):
        policy, value = net(state.planes()[None])
        assert policy is not None and value is not None
        legal = np.zeros(26, bool)
        legal[list(state.legal_actions())] = True
        shares = np.where(legal, policy[0], 0) / policy[0][legal].sum()
        black = value[0] * (1 - 2 * (turn % 2))
        label_shares = found.policy(np.array([turn]))[0]
        apart.append((np.abs(shares - label_shares).sum(), abs(black - found.black_value[turn])))
        state.apply_action(move)
    policies, values = np.mean(apart, axis=0)
    assert policies < 0.5 and values < 0.1, "2 and 1 are as far as can be"


def test_what_is_there_is_not_asked_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = [random_game(3, 6, seed=seed, labels=9) for seed in range(5)]
    folder, out = kept(tmp_path, *games), tmp_path / "out"
    answering = speaking("answer(query)")
    assert label(folder, out, join(answering), "--shard", "2") == 0
    assert sorted(path.name for path in out.glob("*.npz")) == [
        "03-00000.npz", "03-00001.npz", "03-00002.npz"]  # fmt: skip
    (out / "03-00001.npz").unlink()
    before = {path: path.stat().st_mtime_ns for path in out.glob("*.npz")}
    asked = tmp_path / "asked"
    noting = f"open({str(asked)!r}, 'a').write(query['id'] + '\\n')\nanswer(query)"
    other = join(speaking(noting))
    (out / "settings.json").unlink()  # as if it had been this engine
    assert label(folder, out, other, "--shard", "2") == 0
    assert "left out 0" not in capsys.readouterr().err
    assert asked.read_text().split() == ["2", "3"]
    assert {path: path.stat().st_mtime_ns for path in before} == before
    moves = [GoGames.load(path).moves for path in sorted(out.glob("*.npz"))]
    assert np.array_equal(np.concatenate(moves), packed(games).moves)


def test_a_folder_is_labelled_in_one_way(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, engine = (
        kept(tmp_path, random_game(3, 6, seed=1, labels=9)),
        join(speaking("answer(query)")),
    )
    assert label(folder, tmp_path / "out", engine) == 0
    for words, told in (
        (["--visits", "2"], "visits 1, now 2"),
        (["--shard", "2"], "shard 50, now 2"),
        (["--visits", "2", "--policy", "search"], "policy 'net', now 'search'"),
        (["--no-history"], "history "),
        (["--engine", join(speaking("pass"))], "engine "),
    ):
        assert label(folder, tmp_path / "out", engine, *words) == 2
        assert told in capsys.readouterr().err
    other = kept(tmp_path / "other", random_game(3, 6, seed=2, labels=9))
    assert label(other, tmp_path / "out", engine) == 2
    assert "other" in capsys.readouterr().err


def test_what_is_asked_and_learned_is_as_the_options_have_it(tmp_path: Path) -> None:
    asked = tmp_path / "asked"
    noting = (
        "shown = not query['overrideSettings']['ignorePreRootHistory']\n"
        f"open({str(asked)!r}, 'a').write(f\"{{query['maxVisits']}} {{shown}}\")\n"
    )
    engine = join(speaking(noting + "answer(query, moveInfos=[{'move': 'A1', 'visits': 1}])"))
    folder = kept(tmp_path, random_game(3, 6, seed=1, labels=9))
    words = ["--policy", "search", "--visits", "7", "--no-history"]
    assert label(folder, tmp_path / "out", engine, *words) == 0
    assert asked.read_text() == "7 False"
    found = GoGames.load(tmp_path / "out" / "03-00000.npz")
    assert set(found.top_moves[:, 0].tolist()) == {0}  # A1; the net would pass


def test_games_of_other_rules_come_into_another_shard(tmp_path: Path) -> None:
    games = [random_game(3, 6, seed=seed, labels=9) for seed in (1, 2)]
    folder = kept(tmp_path, games[0])
    packed([replace(games[1], rules=AGA)]).save(folder / "others.npz")
    assert label(folder, tmp_path / "out", join(speaking("answer(query)"))) == 0
    shards = [GoGames.load(path) for path in sorted((tmp_path / "out").glob("*.npz"))]
    assert [shard.rules.ko for shard in shards] == ["positional", "situational"]


@pytest.mark.parametrize("misprint", ["no-such-program", join(speaking("sys.exit('no model')"))])
def test_a_misprinted_engine_is_not_held_against_the_right_one(
    misprint: str, tmp_path: Path
) -> None:
    folder = kept(tmp_path, random_game(3, 6, seed=1, labels=9))
    assert label(folder, tmp_path / "out", misprint) == 2
    assert label(folder, tmp_path / "out", join(speaking("answer(query)"))) == 0


def test_games_that_the_engine_refuses_are_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Again by who goes on. What it warns of is no answer, nor what it tells meanwhile."""
    games = [random_game(3, 6, seed=seed, labels=9) for seed in range(3)]
    body = (
        "tell(id=query['id'], warning='slow', field='rules')\n"
        "tell(id=query['id'], turnNumber=0, isDuringSearch=True)\n"
        "if query['id'] == '1': tell(id='1', error='no such komi', field='komi')\n"
        "else: answer(query)"
    )
    folder, out, engine = kept(tmp_path, *games), tmp_path / "out", join(speaking(body))
    for told in ("not labelled", "in an earlier attempt"):
        assert label(folder, out, engine, "--shard", "2") == 0
        said = capsys.readouterr().err
        assert "games: 3 of 3, 1 left out" in said and f"left out 1: {told}, such as" in said
        assert "2 games: in" in said
    assert len(GoGames.load(out / "03-00000.npz").komi) == 1


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("sys.exit('no model')", EngineDiedError, r"exit code 1; it said:\n  no model"),
        ("print('hello', flush=True)", GarbledAnswerError, "line 'hello.*expected an answer"),
        ("print('[1]', flush=True)", GarbledAnswerError, "expected an answer, an object"),
        ("print('[' * 100_000, flush=True)", GarbledAnswerError, "expected an answer, an object"),
        ("tell(id='other', turnNumber=0)", GarbledAnswerError, "other.*nobody asked"),
        ("tell(id=['1'], turnNumber=0)", GarbledAnswerError, "nobody asked"),
        ("tell(error='not JSON')", GarbledAnswerError, "not JSON.*nobody asked"),
    ],
)
def test_an_engine_that_fails_is_named(body: str, error: type[Exception], message: str) -> None:
    with (
        AnalysisClient(speaking(body), patience=30) as engine,
        pytest.raises(error, match=message),
    ):
        list(engine.answers([query("1", random_game(3, 2, seed=1, labels=9), 1)]))


def test_what_is_told_too_late_is_no_other_game_s(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = [random_game(3, 6, seed=seed, labels=9) for seed in range(2)]
    twice = join(speaking("answer(query)\nanswer(query)"))
    assert label(kept(tmp_path, *games), tmp_path / "out", twice, "--shard", "1") == 2
    assert "nobody asked for it" in capsys.readouterr().err
    assert [path.name for path in (tmp_path / "out").glob("*.npz")] == ["03-00000.npz"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--engine", "no-such-program"], "cannot label: cannot start 'no-such-program'"),
        (["--engine", ""], "expected the command of an engine"),
        (["--engine", "cat", "--visits", "0"], "--visits 0: expected at least 1"),
        (["--engine", "cat", "--shard", "0"], "--shard 0: expected at least 1"),
        (["--engine", "cat", "--seconds-per-answer", "0"], "expected more than 0"),
        (
            ["--engine", join(speaking("time.sleep(1000)")), "--seconds-per-answer", "0.5"],
            "has told nothing for 0.5 s",
        ),
        (["--engine", "cat", "--policy", "search"], "--visits 1: expected at least 2"),
        (["--engine", "cat", "--from", "."], "expected a folder of games"),
    ],
)
def test_what_cannot_be_labelled_is_told(
    words: list[str], message: str, tmp_path: Path,
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    folder = kept(tmp_path, random_game(3, 2, seed=1, labels=9))
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path / "empty")
    assert main(["label", "--from", str(folder), "--out", "out", *words]) == 2
    assert message in capsys.readouterr().err


def test_games_that_were_added_are_not_mixed_with_those_that_were_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Shards are told apart by the games before them."""
    games = [random_game(3, 6, seed=seed, labels=9) for seed in range(3)]
    folder, engine = kept(tmp_path, *games), join(speaking("answer(query)"))
    assert label(folder, tmp_path / "out", engine, "--shard", "2") == 0
    packed(games[:1]).save(folder / "more.npz")
    assert label(folder, tmp_path / "out", engine, "--shard", "2") == 2
    assert "was begun with other settings (games" in capsys.readouterr().err


def test_what_was_labelled_is_not_labelled_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = kept(tmp_path, random_game(3, 6, seed=1, labels=9))
    engine = join(speaking("answer(query)"))
    for _ in range(2):
        assert label(folder, folder / "told", engine) == 0
        assert "1 games: in" in capsys.readouterr().err
    assert label(folder, folder, engine) == 2
    assert "--out: expected another folder than that of the games" in capsys.readouterr().err


def test_an_error_about_one_position_leaves_its_game_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    games = [random_game(3, 6, seed=seed, labels=9) for seed in range(2)]
    body = (
        "if query['id'] == '0':\n"
        "    query['analyzeTurns'].remove(1)\n"
        "    tell(id='0', turnNumber=1, error='out of memory')\n"
        "answer(query)"
    )
    folder, out, engine = kept(tmp_path, *games), tmp_path / "out", join(speaking(body))
    assert label(folder, out, engine, "--shard", "1") == 0
    said = capsys.readouterr().err
    assert "game 0: out of memory" in said and "1 games: in" in said
    assert [path.name for path in out.glob("*.npz")] == ["03-00001.npz"]


def test_a_damaged_shard_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = kept(tmp_path, random_game(3, 6, seed=1, labels=9))
    engine = join(speaking("answer(query)"))
    assert label(folder, tmp_path / "told", engine) == 0
    (shard,) = (tmp_path / "told").glob("*.npz")
    shard.write_bytes(shard.read_bytes()[:100])
    assert label(folder, tmp_path / "told", engine) == 2
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.startswith(f"gtpbot: cannot label: {shard}: expected a shard of games of Go")
    assert told.endswith(
        "; remove it and begin again, or, if a stage made it, give that with --again"
    )
