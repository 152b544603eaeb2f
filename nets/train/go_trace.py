"""Better targets out of labels: what was thought later in a game tells of the positions before.

A net's value of a position is a guess that a look a few moves ahead corrects. The games that it
labelled hold such looks: as long as moves are played that the labels would choose, the positions
that follow have the same true value, and so the mean of their values has less error than one. It
is Retrace (Munos et al., Safe and efficient off-policy reinforcement learning, 2016), with the
labels' policy as the one to be judged and its likeliest move in place of how games were played.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from nets.train.go_records import GoGames


def traced(games: GoGames, trace: float) -> GoGames:
    """Games with mean values and scores of each position and those after it as labels.

    A position weighs `trace` of the one before, and as much less as the move to it is less likely
    than the likeliest. What has no label gets none; where labels give no moves, nothing changes.
    """
    kept = trace * _likelihood(games)
    return replace(
        games,
        black_value=_means(games.black_value, kept, games.start),
        black_score=_means(games.black_score, kept, games.start),
    )


def _likelihood(games: GoGames) -> NDArray[np.float64]:
    """[P]: how likely the move played is in the label, as a share of the likeliest."""
    if games.top_moves.shape[1] == 0:
        return np.zeros(len(games))
    played = games.top_moves == games.moves[:, None]
    probs = games.top_probs.astype(float)
    likelihood: NDArray[np.float64] = np.where(played, probs, 0).sum(axis=1) / probs.max(axis=1)
    return likelihood


def _means(
    labels: NDArray[np.float16], kept: NDArray[np.float64], start: NDArray[np.int64]
) -> NDArray[np.float16]:
    """[P]: of each label and those after it, each with `kept` of the weight of the one before."""
    known = np.isfinite(labels)
    total, weight = np.where(known, labels, 0).astype(float), known.astype(float)
    longest_first = np.argsort(-np.diff(start), kind="stable")
    lasts, lengths = start[1:][longest_first] - 1, np.diff(start)[longest_first]
    for back in range(1, int(lengths.max(initial=0))):
        place = lasts[: np.searchsorted(-lengths, -back)] - back
        total[place] += kept[place] * total[place + 1]
        weight[place] += kept[place] * weight[place + 1]
    means = np.full(len(labels), np.nan)
    np.divide(total, weight, out=means, where=known)
    return means.astype(np.float16)
