"""A person at the board of a game of somebody's own, in which one may pass."""

import io

from games.base import Player, State
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.session import Session
from gtpbot.options import AgentChoice
from gtpbot.people.person import Play
from gtpbot.text.terminal import Terminal
from tests.support.python_game import Nim


class NimWithPass(Nim):
    """The first action is written as a pass."""

    def action_to_string(self, state: State, action: int) -> str:
        return super().action_to_string(state, action) if action else "pass"

    def string_to_action(self, state: State, text: str) -> int:
        return 0 if text.lower() == "pass" else super().string_to_action(state, text)


def test_who_must_pass_may_do_so() -> None:
    session = Session(NimWithPass(), AgentChoice("alphabeta"))
    people = frozenset(Player)
    recorder = Recorder(None, dict.fromkeys(people, "me"))
    play = Play(session, people, Terminal(io.StringIO(), ascii_only=True), recorder)
    play.obey("pass")
    assert session.position.actions == (0,)
