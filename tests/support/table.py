"""A person at a board, who says lines and sees what `gtpbot play` shows."""

import io

from games.base import Player
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.session import Session
from gtpbot.options import AgentChoice, make_game
from gtpbot.people.person import Play
from gtpbot.text.terminal import Terminal

BLACK = frozenset([Player.BLACK])


class Table:
    """A game, and what the person sees of it."""

    def __init__(self, game: str, people: frozenset[Player] = BLACK, **options: str) -> None:
        self.seen = io.StringIO()
        agent = AgentChoice("random" if game == "go" else "alphabeta")
        self.session = Session(make_game(game, options), agent)
        recorder = Recorder(None, dict.fromkeys(people, "me"))
        self.play = Play(self.session, people, Terminal(self.seen, ascii_only=True), recorder)

    def say(self, *lines: str) -> str:
        """Say lines; what is seen then."""
        self.seen.seek(0)
        self.seen.truncate()
        for line in lines:
            self.play.obey(line)
        return self.seen.getvalue()

    @property
    def moves(self) -> list[str]:
        position = self.session.position
        states = zip(position.states, position.moves, strict=False)
        return [position.game.action_to_string(state, move.action) for state, move in states]
