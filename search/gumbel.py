"""How to choose at the root with few simulations: Gumbel noise and sequential halving.

Danihelka et al., Policy improvement by planning with Gumbel, 2022. With a move's `prior` and Gumbel
noise `g`, `q` its value from 0 to 1 and N(b) the visits of move b:

    sigma(q) = (c_visit + max N(b)) * c_scale * q
    score    = g + log(prior) + sigma(q)          what is halved by, and chosen by in the end
    policy   = softmax(log(prior) + sigma(q))     the improved policy, a target to learn

A move without visits is taken for the mean of what is known: the net's value of the root, and the
values of moves with visits weighted by their priors (appendix D of the paper). Below the root the
search goes by its own rule. Start reading at `decide`.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import gtpcore
from search.tree_agent import PROVEN_VALUE, Children, value_of

LEAST_PRIOR = 1e-9
"""So that each prior has a logarithm."""


@dataclass(frozen=True)
class Gumbel:
    """How the root is searched; the defaults are the paper's."""

    playouts: int = 32
    """Simulations of a search."""
    considered: int = 16
    """The most moves that are looked at."""
    c_visit: float = 50.0
    c_scale: float = 1.0


@dataclass(frozen=True)
class Choice:
    """What came out of a search."""

    action: int
    policy: Mapping[int, float]
    """The improved policy: probabilities of the legal moves."""
    value_to_move: float
    """Of the root, from -1 to 1: what is proven, or the mean of the moves' values by `policy`."""


def decide(
    search: gtpcore.Search,
    value_to_move: float,
    options: Gumbel,
    noise: Mapping[int, float] | None = None,
) -> Choice:
    """Search a root that is not over and has not been searched, and choose a move.

    `value_to_move` is what the net says of the root, from -1 to 1. `noise` holds a Gumbel(0, 1)
    variate of each legal action; without any, the choice is the best one.
    """
    search.run(playouts=1)  # gives the root its moves and their priors
    amount = noise or {}

    def score(child: gtpcore.ChildReport) -> float:
        return amount.get(child.action, 0.0) + logits[child.action]

    logits = improved_logits(search.children(), value_to_move, options)
    best = sorted(search.children(), key=score, reverse=True)[: options.considered]
    for count, playouts in phases(options.playouts, len(best)):
        looked_at = {child.action for child in best[:count]}
        search.run(playouts=playouts, root_actions=sorted(looked_at))
        logits = improved_logits(search.children(), value_to_move, options)
        best = [child for child in search.children() if child.action in looked_at]
        best.sort(key=score, reverse=True)
    action = search.children()[0].action if search.root_proof == "win" else best[0].action
    policy = softmax(logits)
    return Choice(action, policy, _root_value(search, value_to_move, policy))


def phases(playouts: int, considered: int) -> Iterator[tuple[int, int]]:
    """How many moves each phase of sequential halving looks at, and with how many playouts in all.

    Every move of a phase has equally many playouts; so a few may be left over at the end.
    """
    count, rounds = considered, max(1, math.ceil(math.log2(considered)))
    for rounds_left in range(rounds, 0, -1):
        count = min(count, playouts)
        if count == 0:
            return
        spent = count * max(1, playouts // (rounds_left * count))
        yield count, spent
        playouts -= spent
        count = max(2, count // 2)


def improved_logits(
    children: Children, value_to_move: float, options: Gumbel
) -> Mapping[int, float]:
    """log(prior) + sigma(q) of each child."""
    values = completed_values(children, value_to_move)
    weight = (options.c_visit + max(child.visits for child in children)) * options.c_scale
    return {
        child.action: math.log(max(child.prior, LEAST_PRIOR))
        + weight * (1 + values[child.action]) / 2
        for child in children
    }


def completed_values(children: Children, value_to_move: float) -> Mapping[int, float]:
    """The value of each child, from -1 to 1 for the player to move; of all others, their mean."""
    known = {child.action: value_of(child) for child in children if child.visits or child.proof}
    visits = sum(child.visits for child in children)
    trust = {child.action: max(child.prior, LEAST_PRIOR) for child in children}
    mixed = value_to_move
    if known:
        mean = sum(trust[a] * known[a] for a in known) / sum(trust[a] for a in known)
        mixed = (value_to_move + visits * mean) / (1 + visits)
    return {child.action: known.get(child.action, mixed) for child in children}


def softmax(logits: Mapping[int, float]) -> Mapping[int, float]:
    """Probabilities in proportion to the exponentials."""
    most = max(logits.values())
    weights = {action: math.exp(logit - most) for action, logit in logits.items()}
    total = sum(weights.values())
    return {action: weight / total for action, weight in weights.items()}


def _root_value(search: gtpcore.Search, value_to_move: float, policy: Mapping[int, float]) -> float:
    if search.root_proof:
        return PROVEN_VALUE[search.root_proof]
    values = completed_values(search.children(), value_to_move)
    return sum(share * values[action] for action, share in policy.items())
