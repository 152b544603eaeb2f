"""Real agents' lines of analysis, read as strictly as the pickiest clients read them."""

import re
from collections.abc import Iterator
from typing import cast

import pytest

import gtpcore
from games.base import Game, Player
from games.coin import Coin
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.gtp.analysis_request import SWITCHES
from gtpbot.options import AgentChoice
from gtpbot.report.info_lines import Wanted, info_line
from gtpbot.report.insight import LOOK, Insight
from search.agent import AgentParams, Candidate, Limits, Report
from search.random import RandomAgent

GAMES: dict[str, Game] = {
    "go": Go(GoOptions(size=5)),
    "connect4": ConnectFour(),
    "tictactoe": TicTacToe(),
    "coin": Coin(),
}
PAIRS = [
    *[(game, "uct") for game in GAMES],
    *[("go", "rave"), ("connect4", "alphazero"), ("tictactoe", "policy"), ("coin", "alphabeta")],
    *[("connect4", "solver"), ("go", "random")],
]
VERTEX = r"(?:[A-HJ-Z]{1,2}[1-9][0-9]?|pass)"


def line_of(game: str, agent: str, wanted: Wanted) -> str:
    position = Position(GAMES[game])
    thinker = AgentChoice(agent, {"seed": 1}).make(GAMES[game])
    thinker.analyze(position, Limits(playouts=300, seconds=2))
    insight = Insight(thinker, position)
    report = insight.report()
    assert report is not None
    return info_line(insight, report, wanted)


def test_a_line_without_moves_is_empty() -> None:
    assert line_of("go", "uct", Wanted("kata", most_moves=0, ownership=True)) == ""


def as_pairs(line: str) -> Iterator[dict[str, str]]:
    """Key and value by turns, split at single spaces, up to a variation that ends the move."""
    assert line.startswith("info ")
    for segment in line.removeprefix("info ").split(" info "):
        words = segment.split(" ")
        assert all(words), "two spaces in a row"
        at = words.index("pv")
        assert at % 2 == 0
        pairs = dict(zip(words[:at:2], words[1:at:2], strict=True))
        assert len(pairs) == at // 2, "a key comes twice"
        yield {**pairs, "pv": " ".join(words[at + 1 :])}


def by_patterns(line: str, winrate: str) -> Iterator[dict[str, str]]:
    """Each field by itself; the variation up to the very end of a move, nothing else left."""
    for segment in re.split(r"\s*info\s+", line.strip())[1:]:
        found = {
            key: re.search(rf"\b{key}\s+({form})(?=\s|$)", segment)
            for key, form in {"move": VERTEX, "visits": r"\d+", "winrate": winrate}.items()
        }
        variation = re.search(rf"\bpv((?:\s+{VERTEX})+)$", segment)
        assert variation and all(found.values()), segment
        yield {key: match[1] for key, match in found.items() if match} | {
            "pv": variation[1].strip()
        }


@pytest.mark.parametrize(("game", "agent"), PAIRS)
def test_integers_for_lz(game: str, agent: str) -> None:
    line = line_of(game, agent, Wanted("lz"))
    pairs = list(as_pairs(line))
    assert pairs
    for number, pair in enumerate(pairs):
        assert set(pair) == {"move", "visits", "winrate", "prior", "lcb", "order", "pv"}
        assert int(pair["order"]) == number
        assert int(pair["visits"]) >= 1
        assert all(0 <= int(pair[key]) <= 10_000 for key in ("winrate", "prior", "lcb"))
        assert pair["pv"].split(" ")[0] == pair["move"]
    read = list(by_patterns(line, r"\d+"))
    assert [each["pv"] for each in read] == [pair["pv"] for pair in pairs]


@pytest.mark.parametrize(("game", "agent"), PAIRS)
def test_numbers_for_kata(game: str, agent: str) -> None:
    line = line_of(game, agent, Wanted("kata"))
    for pair in as_pairs(line):
        assert all(0 <= float(pair[key]) <= 1 for key in ("winrate", "prior", "lcb"))
        assert "." in pair["winrate"]
        assert ("scoreLead" in pair) == (game == "go")
        if game == "go":
            assert pair["scoreMean"] == pair["scoreLead"]
            assert float(pair["scoreStdev"]) >= 0
    assert list(by_patterns(line, r"\d\.\d+"))


@pytest.mark.parametrize("key", SWITCHES)
def test_what_is_asked_for_alone_is_told_alone(key: str) -> None:
    line = line_of("go", "rave", Wanted("kata", **{SWITCHES[key]: True}))
    assert {word for word in line.split(" ") if word in SWITCHES} == {key}


def test_owners_come_after_all_moves() -> None:
    line = line_of("go", "rave", Wanted("kata", root_info=True, ownership=True))
    moves, _, rest = line.partition(" rootInfo ")
    assert list(as_pairs(moves))
    facts, _, owners = rest.partition(" ownership ")
    assert len(facts.split(" ")) % 2 == 0
    assert len([float(owner) for owner in owners.split(" ")]) == 25
    assert "info" not in rest and "ownership" not in moves


def test_each_line_knows_better_whose_points_are_and_whose_they_are_after_a_move() -> None:
    position = Position(GAMES["go"])
    state = cast(gtpcore.GoState, position.state)
    agent = RandomAgent(AgentParams())
    report = Report(Player.BLACK, (Candidate(6, 1, 0.0, 0.0, (6,)),))
    insight, wanted = Insight(agent, position), Wanted("kata", ownership=True, moves_ownership=True)
    then = insight.owners_after(6, float("inf"))  # which a slow machine may not know in time
    line = [info_line(insight, report, wanted) for _ in range(2)][-1]
    parts = [state.ownership(LOOK, seed=seed) for seed in (0, LOOK)]
    now = [sum(point) / 2 for point in zip(*parts, strict=True)]
    after = position.copy()
    after.play(Player.BLACK, 6)
    assert then is not None and then == agent.ownership(after)
    for key, owners in (("movesOwnership", then), ("ownership", now)):
        told = [float(word) for word in line.partition(f" {key} ")[2].split(" ")[:25]]
        rows = [owners[5 * row + column] for row in (4, 3, 2, 1, 0) for column in range(5)]
        assert told == pytest.approx(rows, abs=0.001)
