"""Games of a match played, several at once, by engines that are kept from game to game."""

import threading
from collections import defaultdict
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import TypeAlias

from games.base import Player
from gtpbot.engines.child import EngineError
from gtpbot.engines.client import GtpClient
from gtpbot.engines.referee import GameResult, Terms, play_game
from gtpbot.matches.engines import Engine
from gtpbot.matches.openings import Openings
from gtpbot.matches.schedule import Fixture
from gtpbot.matches.scorers import Referee

QUIT_PATIENCE = 0.5
"""Seconds that an engine has to quit before it is killed."""

Played: TypeAlias = tuple[Fixture, GameResult]


@dataclass(frozen=True)
class Match:
    """Who plays, and on which terms."""

    engines: Sequence[Engine]
    terms: Terms
    openings: Openings
    fresh: bool = False
    """True: every game has processes of its own."""


def play(match: Match, fixtures: Iterable[Fixture], parallel: int) -> Generator[Played, None, None]:
    """Play these games, `parallel` at a time; yields each when it is over.

    Closing the generator ends all engines, a Referee too, and games under way are forgotten. Raises
    what the scorer raises.
    """
    runner = _Runner(match, iter(fixtures))
    threads = [threading.Thread(target=runner.work, daemon=True) for _ in range(parallel)]
    try:
        for thread in threads:
            thread.start()
        working = parallel
        while working:
            outcome = runner.outcomes.get()
            if isinstance(outcome, Exception):
                raise outcome
            if outcome:
                yield outcome
            else:
                working -= 1
    finally:
        runner.stable.close()
        if isinstance(match.terms.scorer, Referee):
            match.terms.scorer.close()  # lest a thread wait for it
        for thread in threads:
            thread.join()


class _Runner:
    """What the threads share."""

    def __init__(self, match: Match, fixtures: Iterator[Fixture]) -> None:
        self._match = match
        self._fixtures = fixtures
        self._lock = threading.Lock()
        self.stable = _Stable(match.engines)
        self.outcomes: SimpleQueue[Played | Exception | None] = SimpleQueue()
        """None: a thread has no more to do."""

    def work(self) -> None:
        """Thread: one game after the other."""
        try:
            while fixture := self._next():
                result = self._play(fixture)
                if not self.stable.closed:
                    self.outcomes.put((fixture, result))
            self.outcomes.put(None)
        except Exception as error:
            self.outcomes.put(error)

    def _next(self) -> Fixture | None:
        with self._lock:
            return None if self.stable.closed else next(self._fixtures, None)

    def _play(self, fixture: Fixture) -> GameResult:
        opening = self._match.openings.number(fixture.opening)
        players = {Player.BLACK: fixture.black, Player.WHITE: fixture.white}
        clients: dict[Player, GtpClient] = {}
        result = None
        try:
            for player, engine in players.items():
                try:
                    clients[player] = self.stable.take(engine)
                except EngineError as error:
                    return _not_started(player, error)
            result = play_game(clients, self._match.terms, opening)
            return result
        finally:
            for player, client in clients.items():
                sound = result is not None and player != result.at_fault
                self.stable.give_back(players[player], client, sound and not self._match.fresh)


def _not_started(player: Player, error: EngineError) -> GameResult:
    return GameResult(f"{player.opponent.letter}+F", "crash", f"{player}: {error}", ())


class _Stable:
    """The processes of the engines: those at play, and those that wait for a game."""

    def __init__(self, engines: Sequence[Engine]) -> None:
        self._engines = engines
        self._idle: defaultdict[int, list[GtpClient]] = defaultdict(list)
        self._alive: set[GtpClient] = set()
        self._lock = threading.Lock()
        self.closed = False

    def take(self, engine: int) -> GtpClient:
        """A process of the engine of this number. Raises EngineError."""
        while client := self._idle_one(engine):
            if client.is_ready:  # who failed when asked for a score is not
                return client
            self._end(client)
        client = self._engines[engine].start()
        with self._lock:
            self._alive.add(client)
        if self.closed:
            self._end(client)
        return client

    def _idle_one(self, engine: int) -> GtpClient | None:
        with self._lock:
            return self._idle[engine].pop() if self._idle[engine] else None

    def give_back(self, engine: int, client: GtpClient, keep: bool) -> None:
        """A game is over; `keep` the process for the next one."""
        if keep and not self.closed:
            with self._lock:
                self._idle[engine].append(client)
        else:
            self._end(client)

    def _end(self, client: GtpClient) -> None:
        client.close(QUIT_PATIENCE)
        with self._lock:
            self._alive.discard(client)

    def close(self) -> None:
        """End all processes, also those at play."""
        self.closed = True
        with self._lock:
            clients = list(self._alive)
        if clients:
            with ThreadPoolExecutor(len(clients)) as pool:
                list(pool.map(self._end, clients))
