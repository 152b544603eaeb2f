"""Games by search against itself, which show a net what it would have said after a search.

Each game has a generator of its own, so that it is the same whatever else is played at the time.
Many are played at once, each in its thread, as a net that values their positions together is twice
as fast.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import Player
from gtpcore import State
from nets.threads import go_on, in_threads
from nets.train.lockstep import Choose, planes_of
from nets.train.records import Records
from search.gumbel import Choice, Gumbel, decide

Item = TypeVar("Item")
Result = TypeVar("Result")

AT_ONCE = 24
"""Games that are played at once."""
TREE_BYTES = 2**22
"""Memory of a tree, at least; it is taken only as the tree grows."""
MOVE_BYTES = 48
"""Of one move of a position in a tree, at most."""
BATCH = 16
"""Leaves valued at once: as many as there are moves in the first phase, or fewer."""
TURNS = 1
"""The seed of the turns."""
RULE = gtpcore.Puct(1.25, 0.2)
"""That of the agent `alphazero`, but exploration does not follow the spread of values."""


class Searcher:
    """Searches positions, for any number of threads."""

    def __init__(self, net: gtpcore.Net, options: Gumbel, turned: bool = False) -> None:
        """With `turned`, `net` is shown positions turned at random where that changes nothing."""
        self._net = net
        self._evaluator = gtpcore.NetEvaluator(
            prior=self._net,
            value=self._net,
            value_weight=1.0,
            batch_size=BATCH,
            symmetry_seed=TURNS if turned else None,
        )
        self._options = options

    def __call__(self, state: State, rng: np.random.Generator | None = None) -> Choice:
        """Choose a move: the best, or with Gumbel noise if there is a generator."""
        # Each playout opens one position, and one batch is under way: no search is cut short.
        most = MOVE_BYTES * (self._options.playouts + BATCH) * state.num_actions
        search = gtpcore.Search(
            state, self._evaluator, RULE, max_bytes=max(TREE_BYTES, most), transpositions=True
        )
        value = float(self._net.evaluate(state)[1])
        legal = state.legal_actions()
        noise = dict(zip(legal, rng.gumbel(size=len(legal)), strict=True)) if rng else None
        return decide(search, value, self._options, noise)


def at_once(work: Callable[[Item], Result], items: Sequence[Item]) -> list[Result]:
    """What `work` makes of each item, in order, many of them at once. Raises what it raises."""
    made = in_threads(lambda place: (place, work(items[place])), range(len(items)), AT_ONCE)
    return [result for _, result in sorted(made, key=lambda pair: pair[0])]


def searching(net: gtpcore.Net, options: Gumbel, turned: bool = False) -> Choose:
    """A player that searches without noise."""
    searcher = Searcher(net, options, turned)

    def choose(states: Sequence[State], rng: np.random.Generator) -> NDArray[np.intp]:
        return np.array(at_once(lambda state: searcher(state).action, states), np.intp)

    return choose


@dataclass(frozen=True)
class Episode:
    """One game of self-play, without its opening."""

    states: Sequence[State]
    """Before each move."""
    choices: Sequence[Choice]
    """By which the move was made."""
    end: State

    def records(self, result_share: float) -> Records:
        """Each position with the improved policy and a value for the player to move.

        The value is that of the game's end in so large a share, and that of the search in the rest.
        """
        value = self.signs * self.black_values(self.end.black_value, result_share)
        return Records.pack(planes_of(self.states), self.policies, value)

    @property
    def policies(self) -> NDArray[np.float64]:
        """[P, A]: the improved policy of each position."""
        policies = np.zeros((len(self.states), self.end.num_actions))
        for row, choice in zip(policies, self.choices, strict=True):
            row[list(choice.policy)] = list(choice.policy.values())
        return policies

    @property
    def signs(self) -> NDArray[np.intp]:
        """[P]: 1 where Black is to move, -1 where White is."""
        return np.array([Player(state.current_player).sign for state in self.states])

    def black_values(self, result: float, share: float) -> NDArray[np.float64]:
        """[P]: for Black, from -1 to 1: the result in so large a share, else what was searched."""
        searched = self.signs * np.array([choice.value_to_move for choice in self.choices])
        values: NDArray[np.float64] = (share * result + (1 - share) * searched).clip(-1, 1)
        return values


def play_episode(
    start: State,
    choose: Callable[[State, np.random.Generator], Choice],
    rng: np.random.Generator,
    most: int | None = None,
) -> Episode:
    """Play a game from a state that is not over to its end, or for so many moves at most.

    Raises GivenUpError after Ctrl-C.
    """
    state = start.clone()
    states: list[State] = []
    choices: list[Choice] = []
    while not state.is_terminal and (most is None or len(states) < most):
        go_on()
        states.append(state.clone())
        choices.append(choose(state, rng))
        state.apply_action(choices[-1].action)
    return Episode(states, choices, state)
