"""The loop, in process: lines in, answers out."""

from games.coin import Coin
from gtpbot.engine import Engine
from gtpbot.options import AgentChoice
from gtpbot.session import Session


def test_answers_come_in_order_and_end_with_quit() -> None:
    answers: list[str] = []
    session = Session(Coin(), AgentChoice("random", {"seed": 1}))
    Engine(session, answers.append).run([b"play b 1", b"", b"2 genmove w", b"quit", b"name"])
    assert answers[0] == "=\n\n"
    assert answers[1] in {"=2 U1\n\n", "=2 T1\n\n"}
    assert answers[2:] == ["=\n\n"]
