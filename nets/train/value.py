"""What positions are worth when a policy plays on from them: outcomes of self-play.

As AlphaGo made them (Silver et al., Mastering the game of Go with deep neural networks and tree
search, 2016): a game begins with random moves, so that positions differ, and only what comes after
them is learned from, a few positions a game, as those of one game resemble each other.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from gtpcore import State
from nets.train.lockstep import Choose, Moves, one_hot, opened, play
from nets.train.records import Records


def outcomes(
    player: Choose,
    new_state: Callable[[], State],
    games: int,
    opening: int,
    kept: int,
    rng: np.random.Generator,
) -> Records:
    """Up to `kept` positions of each game, with the move made and how the game ended.

    `opening`: the most random moves a game begins with.
    """
    starts = opened(new_state, games, opening, rng)
    num_actions = starts[0].num_actions
    moves = play(starts, (player, player), rng)
    few = moves[_few_of_each(moves, kept, rng)]
    return Records.pack(few.planes, one_hot(few.action, num_actions), few.value)


def _few_of_each(moves: Moves, kept: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """The places of up to `kept` moves of each game, drawn at random."""
    order = rng.permutation(len(moves))
    order = order[np.argsort(moves.game[order], kind="stable")]
    game = moves.game[order]
    begins = np.searchsorted(game, game)
    few: NDArray[np.intp] = np.sort(order[np.arange(len(order)) - begins < kept])
    return few
