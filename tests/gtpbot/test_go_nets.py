"""A net of Go in a session: one file, whatever the size of the board."""

from pathlib import Path

import pytest

import gtpcore
from games.base import Player
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands.kata import raw_nn
from gtpbot.gtp.commands.score import final_score, final_status_list
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.gtp.thinking import Thinker
from gtpbot.options import AgentChoice, OptionsError
from nets.files import find_weights
from nets.spec import NetError, NetSpec
from search.agent import Agent
from search.alphago import AlphaGoAgent, AlphaGoParams
from search.alphazero import AlphaZeroAgent, AlphaZeroParams
from search.board_net import BoardOpinion
from search.fast_rollouts import FastRolloutParams
from search.policy import PolicyParams
from search.registry import AGENTS
from tests.support.board_net import FakeBoardNet
from tests.support.tiny_nets import write_go_net, write_net


def board(size: int) -> Go:
    return Go(GoOptions(size=size))


@pytest.mark.parametrize("agent", ["policy", "alphazero"])
def test_a_net_follows_the_size_of_the_board(tmp_path: Path, agent: str) -> None:
    path = write_go_net(tmp_path / "go.onnx", NetSpec.of(board(9)).planes[-1])
    settings = {"net": str(path)} | ({"playouts": "20"} if agent == "alphazero" else {})
    session = Session(board(9), AgentChoice(agent, settings))
    for size in (9, 5, 13, 2, 9):
        session.new_game(board(size))
        for player in Player:
            assert session.genmove(player) != "resign"
        assert len(session.position.moves) == 2


def test_nets_are_loaded_again_for_another_size_alone(tmp_path: Path) -> None:
    path = write_go_net(tmp_path / "go.onnx", NetSpec.of(board(9)).planes[-1])
    session = Session(board(9), AgentChoice("policy", {"net": str(path)}))
    agent = session.thinker.agent
    session.new_game(board(9))
    assert session.thinker.agent is agent
    session.new_game(board(5))
    assert session.thinker.agent is not agent


def test_a_size_that_no_net_fits_is_refused(tmp_path: Path) -> None:
    heads = {"policy": (82, "Softmax"), "value": (1, "Tanh")}
    path = write_net(tmp_path / "nine.onnx", NetSpec.of(board(9)), heads)
    session = Session(board(9), AgentChoice("policy", {"net": str(path)}))
    with pytest.raises(GtpError, match=r"nine.onnx: expected the input \[B, 5, 5, "):
        session.new_game(board(5))
    assert session.game.spec.width == 9
    session.genmove(Player.BLACK)


# What the agents take in Go


@pytest.fixture
def net(tmp_path: Path) -> str:
    return str(write_go_net(tmp_path / "go.onnx", NetSpec.of(board(5)).planes[-1]))


def made(agent: str, net: str, **settings: object) -> Agent:
    return AgentChoice(agent, {"net": net, **settings}).make(board(5))


def test_alphago_takes_priors_and_values_from_one_net_and_rollouts_from_the_fast_policy(
    net: str,
) -> None:
    agent = made("alphago", net)
    assert isinstance(agent.params, AlphaGoParams)
    assert agent.nets.keys() == {"net", "value_net"}
    assert agent.nets["net"] is agent.nets["value_net"]
    assert agent.params.rollout == find_weights("rollout", "go")
    assert (agent.params.depth, agent.params.value_weight) == (None, 0.5)
    assert isinstance(agent, AlphaGoAgent) and isinstance(agent.rule(), gtpcore.Puct)
    weighted = made("alphago", net, weight="0.75")
    assert isinstance(weighted, AlphaGoAgent)
    assert isinstance(weighted.rule(), gtpcore.WeightedPrior)


def test_alphago_may_roll_out_by_a_net_or_at_random(net: str) -> None:
    by_net = made("alphago", net, rollout="none", rollout_net=net, depth="2")
    assert by_net.nets["rollout_net"] is by_net.nets["net"]
    at_random = made("alphago", net, policy_rollout="false", depth="2")
    assert "rollout_net" not in at_random.nets
    with pytest.raises(OptionsError, match="depth 2: expected none, as playouts are not cut off"):
        made("alphago", net, depth="2")


def test_nets_that_are_not_wanted_are_not_loaded() -> None:
    small = AgentChoice("alphago", {"policy_rollout": "false", "rollout_net": "none.onnx"})
    assert small.make(ConnectFour()).nets.keys() == {"net", "value_net"}
    with pytest.raises(OptionsError, match=r"net 'none.onnx': no such file"):
        AgentChoice("alphago", {"rollout_net": "none.onnx"}).make(ConnectFour())


def test_rollouts_of_go_ship_by_their_name() -> None:
    for agent in ("policy-mcts", "rave"):
        params = AgentChoice(agent, {"rollout": "rollout"}).make(board(5)).params
        assert isinstance(params, FastRolloutParams)
        assert params.rollout == find_weights("rollout", "go")
    assert AgentChoice("policy-mcts").make(board(5)).nets == {}
    with pytest.raises(NetError, match="weights 'rollout': none ship for coin; expected a file"):
        find_weights("rollout", "coin")


@pytest.mark.parametrize("agent", ["policy", "mixed-mcts", "alphago", "alphazero"])
def test_every_agent_takes_the_net_for_the_board(agent: str) -> None:
    kind = AGENTS[agent]
    by_size = {
        "alphazero": (2, 9, 11),
        "alphazero_medium": (12, 13),
        "alphazero_large": (14, 19, 25),
    }
    for net, sizes in by_size.items():
        assert {kind.defaults(board(size))["net"] for size in sizes} == {net}
    assert "net" not in kind.defaults(ConnectFour())


def test_another_board_gets_its_net_unless_one_was_named() -> None:
    for settings, names in (
        ({}, ["alphazero", "alphazero_medium", "alphazero_large", "alphazero"]),
        ({"net": "alphazero"}, ["alphazero"] * 4),
    ):
        session = Session(board(9), AgentChoice("policy", settings))
        used = []
        for size in (9, 13, 19, 9):
            session.new_game(board(size))
            params = session.thinker.agent.params
            assert isinstance(params, PolicyParams)
            used.append(params.net)
        assert used == names


# What is said of the board


def judged_by(opinion: BoardOpinion, *moves: str) -> Session:
    """A session whose agent has a net of this opinion, after some moves, Black's first."""
    session = Session(board(5), AgentChoice("random"))
    net = FakeBoardNet(board(5), opinion)
    session.thinker = Thinker(AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net}))
    for number, move in enumerate(moves):
        session.play(Player(number % 2), move)
    return session


def test_the_score_of_a_game_that_goes_on_is_what_the_net_expects() -> None:
    """To half points that the komi of 7.5 allows."""
    ahead = BoardOpinion(3.3, [0.0] * 25)
    assert final_score(judged_by(ahead), Arguments("")) == "B+3.5"
    assert final_score(judged_by(ahead, "c3"), Arguments("")) == "W+3.5"


LOST_STONE = ("c3", "b1", "c2", "b2", "c1", "b3", "c4", "b4", "c5", "b5", "a3", "pass", "pass")
"""Black has columns C to E, White A and B with a stone of Black's in it, at A3."""
A3 = 10


@pytest.mark.parametrize(
    ("judged", "score", "dead"), [(0.0, "B+5", "A3"), (-1.0, "B+5", "A3"), (1.0, "B+11", "")]
)
def test_a_finished_game_is_counted_without_dead_stones(
    judged: float, score: str, dead: str
) -> None:
    """A net that is sure saves the stone from playouts, which lose it."""
    owners = [0.0] * 25
    owners[A3] = judged
    session = judged_by(BoardOpinion(9.0, owners), *LOST_STONE)
    session.change_go(komi=0)
    assert final_status_list(session, Arguments("dead")) == dead
    assert final_score(session, Arguments("")) == score
    session.play(Player.WHITE, "pass")
    assert final_score(session, Arguments("")) == score


@pytest.mark.parametrize(("moves", "lead", "win"), [((), -3.5, 0.25), (("c3",), 3.5, 0.75)])
def test_the_bare_opinion_of_a_net(moves: tuple[str, ...], lead: float, win: float) -> None:
    """As KataGo has it, all for White; the net is for the player to move, but for the owners."""
    session = Session(board(5), AgentChoice("random"))
    net = FakeBoardNet(board(5), BoardOpinion(3.5, [0.25] * 25), value=0.5)
    session.thinker = Thinker(AlphaZeroAgent(AlphaZeroParams(seed=1), {"net": net}))
    for move in moves:
        session.play(Player.BLACK, move)
    legal = 26 - len(moves)
    share = f"{1 / legal:.6f}"
    rows = [[share] * 5 for _ in range(5)]
    if moves:
        rows[2][2] = "NAN"
    assert raw_nn(session, Arguments("0")).splitlines() == [
        "symmetry 0",
        f"whiteWin {win:.6f}",
        f"whiteLoss {1 - win:.6f}",
        "noResult 0.000000",
        f"whiteLead {lead:.3f}",
        "policy",
        *map(" ".join, rows),
        f"policyPass {share}",
        "whiteOwnership",
        *[" ".join(["-0.250000"] * 5)] * 5,
    ]


def test_a_bare_opinion_may_be_asked_for_either_colour() -> None:
    session = judged_by(BoardOpinion(3.5, [0.0] * 25))
    assert "whiteLead 3.500" in raw_nn(session, Arguments("W 0"))


def leads(answer: str) -> list[str]:
    """The symmetries of an answer, each with the lead of White."""
    return [line for line in answer.splitlines() if line.startswith(("symmetry", "whiteLead"))]


def test_a_net_may_be_shown_the_board_turned() -> None:
    """LizzieYzy asks for any of the eight, at random."""
    session = judged_by(BoardOpinion(-3.5, [0.0] * 25))
    assert leads(raw_nn(session, Arguments("5"))) == ["symmetry 5", "whiteLead -1.500"]
    every = raw_nn(session, Arguments("black ALL 0.5"))
    assert leads(every) == [
        fact for n in range(8) for fact in (f"symmetry {n}", f"whiteLead {3.5 - n:.3f}")
    ]
    assert "" not in every.splitlines()


def test_a_net_that_does_not_know_whose_points_are_has_playouts() -> None:
    """Of the position where White has the only stone."""
    session = judged_by(BoardOpinion(), "pass", "c3")
    answer = raw_nn(session, Arguments("0")).splitlines()
    owners = [float(text) for line in answer[-5:] for text in line.split()]
    assert sum(owners) / 25 > 0.1
    assert f"whiteLead {sum(owners) + 7.5:.2f}" in "\n".join(answer)


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("8", "symmetry '8': expected 0 to 7, or all"),
        ("-1", "symmetry '-1': expected 0 to 7, or all"),
        ("b", "symmetry '': expected 0 to 7, or all"),
        ("0 2", "optimism '2': expected a number from 0 to 1"),
        ("0 0 0", "optimism '0 0': expected a number from 0 to 1"),
        ("0 much", "number 'much': expected a decimal number"),
    ],
)
def test_bare_opinions_that_cannot_be_had(words: str, reason: str) -> None:
    with pytest.raises(GtpError, match="syntax error") as refused:
        raw_nn(judged_by(BoardOpinion(3.5, [0.0] * 25)), Arguments(words))
    assert refused.value.reason == reason
