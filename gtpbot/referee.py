"""One whole game of Go between two engines, with a third as the judge of legality and score."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gtpbot.client import CommandFailedError, GtpClient

COLORS = ("black", "white")


@dataclass(frozen=True)
class GameResult:
    """How a game went."""

    result: str
    """As SGF has it: `B+3.5`, `W+R` (resigned), `W+F` (forfeited), `0` for a drawn game."""
    reason: str
    """`score`, `move limit` (then scored as it stood), `resignation`, or what was forfeited for."""
    moves: tuple[str, ...]
    """Vertices and passes, Black's first, in lower case."""
    seconds: Mapping[str, float] = field(default_factory=dict)
    """What each colour spent on its moves."""

    @property
    def winner(self) -> str | None:
        """`black`, `white`, or None."""
        return {"B": "black", "W": "white"}.get(self.result[:1])


def play_game(
    black: GtpClient,
    white: GtpClient,
    judge: GtpClient,
    size: int,
    komi: float,
    move_limit: int | None = None,
    seconds_per_move: float | None = None,
    opening: Sequence[str] = (),
) -> GameResult:
    """Play one game from the empty board until two passes, a resignation or `move_limit` moves.

    The moves of the `opening`, Black's first, are played for the engines.
    An engine that plays what the judge calls illegal, or no move at all, forfeits the game. The
    judge scores. The limit is by default three moves a point. Raises EngineError when an engine
    dies, hangs longer than `seconds_per_move`, or refuses what the judge allowed.
    """
    for engine in (black, white, judge):
        for command in (f"boardsize {size}", "clear_board", f"komi {komi:g}"):
            engine.ask(command)
    game = _Game({"black": black, "white": white}, judge, seconds_per_move)
    for number in range(move_limit or 3 * size * size):
        if number < len(opening):
            game.place(COLORS[number % 2], opening[number])
        elif outcome := game.play_move(COLORS[number % 2]):
            return game.over(*outcome)
        if game.moves[-2:] == ["pass", "pass"]:
            return game.over(judge.ask("final_score"), "score")
    return game.over(judge.ask("final_score"), "move limit")


class _Game:
    def __init__(
        self, players: Mapping[str, GtpClient], judge: GtpClient, patience: float | None
    ) -> None:
        self.moves: list[str] = []
        self._players = players
        self._judge = judge
        self._patience = patience
        self._seconds = dict.fromkeys(COLORS, 0.0)

    def place(self, color: str, move: str) -> None:
        """A move of `color`, which all are told."""
        for engine in (self._judge, *self._players.values()):
            engine.ask(f"play {color} {move}")
        self.moves.append(move)

    def play_move(self, color: str) -> tuple[str, str] | None:
        """One move of `color`, told to the others; the result and its reason if it ended here."""
        began = time.monotonic()
        move = self._players[color].ask(f"genmove {color}", self._patience).strip().lower()
        self._seconds[color] += time.monotonic() - began
        other = COLORS[1 - COLORS.index(color)]
        if move == "resign":
            return f"{other[0].upper()}+R", "resignation"
        try:
            self._judge.ask(f"play {color} {move}")
        except (CommandFailedError, ValueError) as error:
            return f"{other[0].upper()}+F", f"{color} played {move[:80]!r}: {error}"
        self._players[other].ask(f"play {color} {move}")
        self.moves.append(move)
        return None

    def over(self, result: str, reason: str) -> GameResult:
        return GameResult(result, reason, tuple(self.moves), self._seconds)
