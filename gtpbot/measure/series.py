"""Many games between two agents of this program, in one process or in several.

Every game has seeds of its own, made of the seed of the series, the name of the match and the
number of the game. So a game is the same whoever plays it, and after whichever other.
"""

import math
import random
import signal
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import active_children, get_context
from typing import Literal, TypeAlias

from games.base import Game, Player, State
from games.position import Position
from gtpbot.options import AgentChoice, make_game
from nets.threads import held_interrupts
from search.agent import Agent, Limits

GAMES_A_TASK = 5
"""What a process is given at once, with agents made anew."""

Make: TypeAlias = Callable[[AgentChoice, Game], Agent]


@dataclass(frozen=True)
class Match:
    """Who plays whom at what; the figures are about the first of the two, `ours`."""

    name: str
    game: str
    ours: AgentChoice
    theirs: AgentChoice
    first: Literal["ours", "theirs", "in turns"] = "in turns"
    """Who moves first; in turns: the opponent does in the first game."""
    options: Mapping[str, str] = field(default_factory=dict)
    """Of the game."""

    def our_player(self, number: int) -> Player:
        """What we are in a game."""
        first = number % 2 == 1 if self.first == "in turns" else self.first == "ours"
        return Player.BLACK if first else Player.WHITE


@dataclass(frozen=True)
class Played:
    """A finished game."""

    game: int
    """Its number."""
    ours: Player
    result: int
    """1 if we won, 0 if drawn, -1 if we lost."""
    moves: tuple[int, ...]
    """Actions, the first player's first."""
    seconds: float
    """What our moves took in all."""

    @property
    def our_moves(self) -> Sequence[int]:
        """Our actions alone."""
        return self.moves[self.ours :: 2]


def check(match: Match, played: Played) -> None:
    """Raise ValueError unless it is a game of the match, and ended as its moves did."""
    ours = match.our_player(played.game)
    if played.game < 0:
        raise ValueError(f"game {played.game}: expected a number from 0 on")
    if played.ours != ours:
        raise ValueError(f"ours {int(played.ours)}: expected {int(ours)}")
    if not played.our_moves:
        raise ValueError(f"moves {list(played.moves)}: expected some of ours")
    position = Position(make_game(match.game, match.options))
    for number, action in enumerate(played.moves, 1):
        legal = position.state.legal_actions()
        if action not in legal:
            raise ValueError(f"move {number}, {action}: expected one of {legal}")
        position.play(position.to_move, action)
    resigned = -1 if position.to_move == ours else 1
    result = _result(position.state, ours) if position.state.is_terminal else resigned
    if played.result != result:
        raise ValueError(f"result {played.result}: expected {result}, by the moves")
    if not 0 <= played.seconds < math.inf:
        raise ValueError(f"seconds {played.seconds}: expected a number from 0 on")


def play(
    match: Match, seed: int, numbers: Sequence[int], processes: int = 1
) -> Generator[Played, None, None]:
    """The games of these numbers, in whichever order they end. Raises OptionsError.

    Closing the generator ends the processes, and games under way are forgotten.
    """
    if processes == 1:
        yield from play_here(match, seed, numbers)
        return
    tasks = [numbers[i : i + GAMES_A_TASK] for i in range(0, len(numbers), GAMES_A_TASK)]
    with _ctrl_c_left_to_the_parent():  # by the process too that looks after their memory
        pool = ProcessPoolExecutor(processes, get_context("spawn"))
    with pool:
        try:
            with _ctrl_c_left_to_the_parent():
                futures = [pool.submit(_play, match, seed, task) for task in tasks]
            for future in as_completed(futures):
                yield from future.result()
        except BaseException:  # Ctrl-C, or nobody wants more: games at work may last minutes
            for process in active_children():
                process.terminate()
            raise
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def _ctrl_c_left_to_the_parent() -> Iterator[None]:
    """No process begun within hears of it, from its first moment on, and none is begun by half.

    Nor of a closed terminal, which is told to all of them likewise.
    """
    with held_interrupts():
        usual = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGHUP})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, usual)


def _play(match: Match, seed: int, numbers: Sequence[int]) -> list[Played]:
    return list(play_here(match, seed, numbers))


def play_here(
    match: Match, seed: int, numbers: Iterable[int], make: Make = AgentChoice.make
) -> Iterator[Played]:
    """The games of these numbers, one after the other. Raises OptionsError."""
    game = make_game(match.game, match.options)
    ours, theirs = make(match.ours, game), make(match.theirs, game)
    for number in numbers:
        ours = reseeded(ours, derived(seed, match.name, number, "ours"))
        theirs = reseeded(theirs, derived(seed, match.name, number, "theirs"))
        yield _play_game(game, ours, theirs, match.our_player(number), number)


def _play_game(game: Game, ours: Agent, theirs: Agent, player: Player, number: int) -> Played:
    position = Position(game)
    seconds = 0.0
    while not position.state.is_terminal:
        is_ours = position.to_move == player
        began = time.perf_counter()
        action = (ours if is_ours else theirs).choose(position, Limits()).action
        seconds += time.perf_counter() - began if is_ours else 0.0
        if action is None:  # resigned
            return Played(number, player, -1 if is_ours else 1, position.actions, seconds)
        position.play(position.to_move, action)
    return Played(number, player, _result(position.state, player), position.actions, seconds)


def _result(state: State, player: Player) -> int:
    return int(state.black_value) * player.sign


def reseeded(agent: Agent, seed: int) -> Agent:
    """An agent as `agent` was made, but with this seed; they share their nets."""
    return type(agent)(agent.params.model_copy(update={"seed": seed}), agent.nets)


def derived(*what: object) -> int:
    """A seed for `what`, of which other things say nothing."""
    return random.Random("/".join(map(str, what))).getrandbits(62)
