"""Who scores a finished game: the rules alone, the engines, or a referee of one's own.

In Go two passes leave dead stones on the board. Under rules by which all stones count (Tromp and
Taylor's, CGOS's) an engine must capture them, and the count of the board is the result. Under the
others somebody must say what is dead.
"""

import re
import threading
from collections.abc import Mapping
from typing import cast

import gtpcore
from games.base import Game, Player
from games.go import Go
from games.go_status import judge
from games.position import Position
from gtpbot.engines.child import EngineError
from gtpbot.engines.client import GtpClient
from gtpbot.engines.referee import ANSWER_SECONDS, Engines, Scorer, set_up
from gtpbot.gtp.scoring import black_margin, result_text, winner_of
from gtpbot.matches.engines import STARTING
from gtpbot.options import OptionsError

_RESULT = re.compile(r"[BW]\+[0-9]+(\.[0-9]+)?|0", re.IGNORECASE)


def by_count(position: Position, engines: Engines) -> tuple[str, str]:
    """All stones count as they stand."""
    return result_text(cast(gtpcore.GoState, position.state).black_score()), "count"


def by_playouts(position: Position, engines: Engines) -> tuple[str, str]:
    """The stones that playouts take for dead are taken off first, also where the rules do not."""
    state = cast(gtpcore.GoState, position.state)
    status = judge(state)
    return result_text(state.black_score(status.dead, status.seki)), "playouts"


def by_rules(position: Position, engines: Engines) -> tuple[str, str]:
    """By count or by playouts, whichever the rules ask for."""
    return result_text(black_margin(position.game, position.state)), "the rules"


def by_engines(position: Position, engines: Engines) -> tuple[str, str]:
    """What both engines say, or by playouts where they name different winners or none.

    Where they agree on the winner but not on the margin, the loser's word counts.
    """
    said = {player: _final_score(engine) for player, engine in engines.items()}
    black, white = said.values()
    if black and white and winner_of(black) == winner_of(white):
        loser = (winner_of(black) or Player.BLACK).opponent
        return said[loser], "both engines"
    words = " and ".join(text or "nothing" for text in said.values())
    return by_playouts(position, engines)[0], f"playouts, as the engines said {words}"


def _final_score(engine: GtpClient) -> str:
    """What an engine makes of the game; empty if it cannot tell."""
    try:
        return _ask_score(engine)
    except EngineError:
        return ""


def _ask_score(engine: GtpClient) -> str:
    """What an engine answers to `final_score`. Raises EngineError if it is no result."""
    text = engine.ask("final_score", ANSWER_SECONDS).strip()
    if not _RESULT.fullmatch(text):
        raise EngineError(f"{engine.name} answered final_score with {text[:80]!r}: no result")
    margin = float(text[2:] or 0)
    return result_text(margin if winner_of(text) is Player.BLACK else -margin)


def by_outcome(position: Position, engines: Engines) -> tuple[str, str]:
    """Who won a game other than Go; nobody did in one that was cut short."""
    state = position.state
    return result_text(state.black_value if state.is_terminal else 0.0), "the rules"


SCORERS: Mapping[str, Scorer] = {"count": by_count, "engines": by_engines, "playouts": by_playouts}
"""By the words of `--score`."""


def scorer_of(game: Game, name: str | None) -> Scorer:
    """The scorer of this name, by default the one that the rules of the game ask for.

    Raises OptionsError.
    """
    if not isinstance(game, Go):
        if name:
            raise OptionsError(f"--score {name}: only games of Go are scored")
        return by_outcome
    return SCORERS[name or ("engines" if game.rules.remove_dead else "count")]


class Referee:
    """An engine that only scores: it is shown the finished game, and asked for `final_score`."""

    def __init__(self, command: str) -> None:
        """`command` starts it."""
        self._command = command
        self._client: GtpClient | None = None
        self._lock = threading.Lock()
        self._closed = False

    def __call__(self, position: Position, engines: Engines) -> tuple[str, str]:
        """Its verdict. Raises EngineError if it has none, even when it is started anew."""
        with self._lock:
            try:
                return self._ask(position), "referee"
            except EngineError:
                self._end()
                return self._ask(position), "referee"

    def check(self, game: Game) -> None:
        """Start it, lest a game be lost by a misprint. Raises OptionsError if it cannot score."""
        try:
            self._set_up(game)
        except EngineError as error:
            raise OptionsError(f"referee {self._command!r} cannot score: {error}") from None

    def _set_up(self, game: Game) -> GtpClient:
        if self._closed:
            raise EngineError("the referee was closed")
        client = self._client = self._client or GtpClient(self._command, timeout=STARTING)
        set_up(client, game)
        return client

    def _ask(self, position: Position) -> str:
        client = self._set_up(position.game)
        for state, (player, action) in zip(position.states, position.moves, strict=False):
            vertex = position.game.action_to_string(state, action)
            client.ask(f"play {str(player).lower()} {vertex}", ANSWER_SECONDS)
        return _ask_score(client)

    def close(self) -> None:
        """End its process for good, also while it is asked something."""
        self._closed = True
        self._end()

    def _end(self) -> None:
        client, self._client = self._client, None
        if client:
            client.close()
