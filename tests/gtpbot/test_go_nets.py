"""A net of Go in a session: one file, whatever the size of the board."""

from pathlib import Path

import pytest

from games.base import Player
from games.go import Go, GoOptions
from gtpbot.options import AgentChoice
from gtpbot.protocol import GtpError
from gtpbot.session import Session
from nets.spec import NetSpec
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
