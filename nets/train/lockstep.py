"""Many games played at once, a move in each in turn, so that a net is asked once for all."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import Game
from gtpcore import State

Choose = Callable[[Sequence[State], np.random.Generator], NDArray[np.intp]]
"""A player of many games: an action for each of some states."""
Policy = Callable[[NDArray[np.float32]], NDArray[np.float32]]
"""Probabilities [B, A] of planes [B, H, W, C]."""

TREE_BYTES = 2**22
"""Memory of a search of 1,000 playouts, with room to spare."""


@dataclass(frozen=True)
class Moves:
    """Moves that were made in finished games."""

    planes: NDArray[np.uint8]
    """[N, H, W, C], before the move, from the view of who made it."""
    action: NDArray[np.intp]
    """[N]"""
    game: NDArray[np.intp]
    """[N]: the number of the game."""
    player: NDArray[np.int8]
    """[N]: who made it."""
    value: NDArray[np.float32]
    """[N]: how the game ended for him: 1 won, 0 drawn, -1 lost."""

    def __getitem__(self, index: NDArray[Any]) -> "Moves":
        """Those at an array of places, or those where an array of bools says so."""
        fields = (self.planes, self.action, self.game, self.player, self.value)
        return Moves(*(field[index] for field in fields))

    def __len__(self) -> int:
        """How many moves there are."""
        return len(self.action)


def one_hot(actions: NDArray[np.intp], num_actions: int) -> NDArray[np.float32]:
    """[B, A]: 1 for each action that was made, 0 for others."""
    return np.eye(num_actions, dtype=np.float32)[actions]


def planes_of(states: Sequence[State]) -> NDArray[np.float32]:
    """[B, H, W, C], each from the view of the player to move."""
    return np.stack([state.planes() for state in states])


def legal_mask(states: Sequence[State]) -> NDArray[np.bool_]:
    """[B, A]"""
    mask = np.zeros((len(states), states[0].num_actions), bool)
    for row, state in zip(mask, states, strict=True):
        row[list(state.legal_actions())] = True
    return mask


def sample(weights: NDArray[np.floating[Any]], rng: np.random.Generator) -> NDArray[np.intp]:
    """[B]: one action of each row of weights [B, A], which are not negative nor all zero."""
    sums = np.cumsum(weights, axis=1, dtype=np.float64)
    points = rng.random((len(weights), 1)) * sums[:, -1:]
    return np.asarray(np.argmax(sums > points, axis=1))


def stochastic(policy: Policy) -> Choose:
    """Draws legal moves with the probabilities of a policy."""

    def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
        # A floor, in case that a net gives all its trust to illegal moves.
        return sample((policy(planes_of(states)) + 1e-9) * legal_mask(states), rng)

    return choose


def deterministic(policy: Policy) -> Choose:
    """Plays the likeliest legal move of a policy."""

    def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
        likely = (policy(planes_of(states)) + 1e-9) * legal_mask(states)
        return np.asarray(np.argmax(likely, axis=1))

    return choose


def uniform(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
    """Draws any legal move."""
    return sample(legal_mask(states).astype(np.float32), rng)


def exact(depth: int | None) -> Choose:
    """Draws one of the best moves that looking `depth` moves ahead finds; None: to the end."""

    def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
        search = gtpcore.ExactSearch(prune=True)  # for each thread its own
        best = [search.run(s, list(s.legal_actions()), depth=depth).best for s in states]
        return np.array([rng.choice(actions) for actions in best], np.intp)

    return choose


def uct(playouts: int) -> Choose:
    """Monte-Carlo tree search with random playouts."""

    def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
        actions = []
        for state in states:
            seed = int(rng.integers(2**63))
            search = gtpcore.Search(
                state, gtpcore.Evaluator(), gtpcore.Ucb1(), seed=seed, max_bytes=TREE_BYTES
            )
            search.run(playouts)
            actions.append(search.children()[0].action)
        return np.array(actions, np.intp)

    return choose


def either(one: Choose, other: Choose, share: float) -> Choose:
    """Plays each move as `other` would in that share of cases, else as `one` would."""

    def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
        swap = rng.random(len(states)) < share
        actions = np.zeros(len(states), np.intp)
        for where, player in ((~swap, one), (swap, other)):
            if where.any():
                chosen = [state for state, use in zip(states, where, strict=True) if use]
                actions[where] = player(chosen, rng)
        return actions

    return choose


def play(
    starts: Sequence[State], players: tuple[Choose, Choose], rng: np.random.Generator
) -> Moves:
    """Play games from some states, which are changed, to their ends; Black's player comes first."""
    games, planes, actions, movers = [], [], [], []
    while going := [number for number, state in enumerate(starts) if not state.is_terminal]:
        for mover, choose in enumerate(players):
            now = [number for number in going if _to_move(starts[number], mover)]
            if not now:
                continue
            states = [starts[number] for number in now]
            chosen = choose(states, rng)
            games.append(np.array(now, np.intp))
            planes.append(planes_of(states).astype(np.uint8))
            actions.append(chosen)
            movers.append(np.full(len(now), mover, np.int8))
            for state, action in zip(states, chosen, strict=True):
                state.apply_action(int(action))
    if not games:
        raise ValueError("the games were over before they began: expected states to play from")
    game, player = np.concatenate(games), np.concatenate(movers)
    value = black_values(starts)[game] * np.where(player == 0, 1, -1).astype(np.float32)
    return Moves(np.concatenate(planes), np.concatenate(actions), game, player, value)


def _to_move(state: State, player: int) -> bool:
    return not state.is_terminal and state.current_player == player


def black_values(states: Sequence[State]) -> NDArray[np.float32]:
    """[B]: how finished games ended for Black."""
    return np.array([state.black_value for state in states], np.float32)


def start_of(game: Game) -> Callable[[], State]:
    """What makes the first states of a game, which are native ones."""
    return cast(Callable[[], State], game.new_state)


def opened(
    new_state: Callable[[], State], games: int, plies: int, rng: np.random.Generator
) -> list[State]:
    """So many states after up to `plies` random moves each, none of them over."""
    states: list[State] = []
    while len(states) < games:
        state = new_state()
        for _ in range(int(rng.integers(plies + 1))):
            if not state.is_terminal:
                state.apply_action(int(rng.choice(list(state.legal_actions()))))
        if not state.is_terminal:
            states.append(state)
    return states
