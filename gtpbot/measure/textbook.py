"""The textbook's matches and figures, and those that go beyond it, as data.

The textbook is Mark Liu, AlphaGo Simplified (2024). Each of its agents weighs the moves of the root
only, by rollouts from the positions after them, and forgets all from move to move: hence the
settings FLAT. Its values go from -1 to 1, so that its exploration of 1.4 is 0.7 here.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gtpbot.measure.series import Match
from gtpbot.options import AgentChoice

Measure: TypeAlias = Literal["won", "drawn", "seconds a move", "mistakes"]


@dataclass(frozen=True)
class Tally:
    """How games ended, for us."""

    won: int
    drawn: int
    lost: int

    @property
    def games(self) -> int:
        """All of them."""
        return self.won + self.drawn + self.lost


@dataclass(frozen=True)
class Entry:
    """One line of a table."""

    title: str
    match: Match
    measure: Measure
    """What of our side is measured."""
    games: int
    """How many we play."""
    book: Tally | float | None = None
    """The book's games, or its seconds a move."""


def _agent(name: str, **settings: object) -> AgentChoice:
    return AgentChoice(name, {key: str(value).lower() for key, value in settings.items()})


FLAT = {"max_tree_depth": 1, "reuse_tree": False}
AS_IT_IS = {"symmetries": False}
"""The book asks its nets about no image of a position."""


def _uct(playouts: int) -> AgentChoice:
    return _agent("uct", playouts=playouts, choose_by="value", decisive=False, **FLAT)


def _alphago(weight: float, depth: int | None, rollouts: int, **settings: object) -> AgentChoice:
    return _agent(
        "alphago",
        weight=weight,
        depth=depth,
        num_rollouts=rollouts,
        value_weight=0,
        batch_size=1,
        **FLAT,
        **AS_IT_IS,
        **settings,
    )


RANDOM = _agent("random")
ALPHABETA = _agent("alphabeta")
MINIMAX = _agent("minimax", depth=4, heuristic=False)
"""The book's minimax of depth 3 looks three moves beyond its own, and takes the rest for drawn."""

UCT = _uct(100)
POLICY_MCTS = _agent("policy-mcts", playouts=100, choose_by="value", batch_size=1, **FLAT)
MIXED_MCTS = _agent("mixed-mcts", playouts=100, batch_size=1, **FLAT, **AS_IT_IS)
"""The book takes the move of the greatest mean and fading prior together. As the selection levels
mean, prior and exploration, this is the move whose exploration is least: the most visited one."""
ACTOR_CRITIC = _agent("policy", net="actor_critic", mode="stochastic")
GO_UCT = _agent("uct", playouts=8000, reuse_tree=False)
TICTACTOE_ALPHAGO = _alphago(0.75, 5, 100)
CONNECT4_ALPHAGO = _alphago(0.75, 20, 100)
NO_VALUE = {"value_net": None}
"""Where rollouts reach the end of the game there is nothing for a value net to judge."""
RANDOM_ROLLOUTS = {"policy_rollout": False, **NO_VALUE}
TUNED_ALPHAGO = _alphago(0.75, 45, 584, **RANDOM_ROLLOUTS)
BOOK_ALPHAZERO = _alphago(0.75, None, 584, net="alphazero", **RANDOM_ROLLOUTS)
"""What the book calls AlphaZero: its AlphaGo with the priors of a net that learned by self-play."""

TEXTBOOK = (
    Entry(
        "coin: UCT, 100 rollouts, against random",
        Match("coin-uct-random", "coin", UCT, RANDOM),
        "won",
        1000,
        Tally(87, 0, 13),
    ),
    Entry(
        "coin: policy-MCTS against UCT, 100 rollouts each",
        Match("coin-policy-mcts-uct", "coin", POLICY_MCTS, UCT),
        "won",
        1000,
        Tally(100, 0, 0),
    ),
    Entry(
        "coin: policy-MCTS, 100 rollouts, against the stochastic actor-critic",
        Match("coin-policy-mcts-actor-critic", "coin", POLICY_MCTS, ACTOR_CRITIC),
        "won",
        1000,
        Tally(51, 0, 49),
    ),
    Entry(
        "Tic Tac Toe: AlphaGo (0.75, depth 5, 100 rollouts), first, against alpha-beta",
        Match("tictactoe-alphago-first", "tictactoe", TICTACTOE_ALPHAGO, ALPHABETA, "ours"),
        "drawn",
        1000,
        Tally(0, 10, 0),
    ),
    Entry(
        "the same, moving second",
        Match("tictactoe-alphago-second", "tictactoe", TICTACTOE_ALPHAGO, ALPHABETA, "theirs"),
        "drawn",
        1000,
        Tally(0, 10, 0),
    ),
    Entry(
        "the same, in turns, weight 0.8, depth 10, no value net",
        Match(
            "tictactoe-alphago-no-value", "tictactoe", _alphago(0.8, 10, 100, **NO_VALUE), ALPHABETA
        ),
        "drawn",
        1000,
        Tally(0, 20, 0),
    ),
    Entry(
        "the same, in turns, weight 0.9, depth 10, random rollouts",
        Match(
            "tictactoe-alphago-random-rollouts",
            "tictactoe",
            _alphago(0.9, 10, 100, **RANDOM_ROLLOUTS),
            ALPHABETA,
        ),
        "drawn",
        1000,
        Tally(0, 20, 0),
    ),
    Entry(
        "Connect Four: mixed MCTS against UCT, 100 rollouts each",
        Match("connect4-mixed-mcts-uct", "connect4", MIXED_MCTS, UCT),
        "won",
        1000,
        Tally(66, 2, 32),
    ),
    Entry(
        "Connect Four: AlphaGo (0.75, depth 20, 100 policy rollouts), first, against minimax",
        Match("connect4-alphago-first", "connect4", CONNECT4_ALPHAGO, MINIMAX, "ours"),
        "won",
        200,
        Tally(6, 0, 4),
    ),
    Entry(
        "the same, moving second",
        Match("connect4-alphago-second", "connect4", CONNECT4_ALPHAGO, MINIMAX, "theirs"),
        "won",
        200,
        Tally(3, 1, 6),
    ),
    Entry(
        "Connect Four: AlphaZero (priors) against AlphaGo (0.75, random rollouts), 584 each",
        Match("connect4-alphazero-alphago", "connect4", BOOK_ALPHAZERO, TUNED_ALPHAGO),
        "won",
        1000,
        Tally(79, 0, 21),
    ),
    Entry(
        "Go 9x9: UCT, 8,000 simulations",
        Match("go9-uct", "go", GO_UCT, GO_UCT, options={"size": "9"}),
        "seconds a move",
        4,
        24.0,
    ),
)
"""The textbook's figures."""

SECONDS = 1
"""A move, beyond the textbook. A search ends sooner where it has a proof."""

SEARCHERS = (
    _agent("minimax", seconds=SECONDS, depth=21),  # no game here is longer
    *(
        _agent(name, seconds=SECONDS)
        for name in ("alphabeta", "uct", "policy-mcts", "mixed-mcts", "alphago", "alphazero")
    ),
)

PERFECTION = tuple(
    Entry(
        f"{title}: {agent.name}, {SECONDS} s a move, against perfect play",
        Match(f"{game}-{agent.name}-perfect", game, agent, ALPHABETA),
        "mistakes",
        1000,
    )
    for game, title in (("coin", "coin"), ("tictactoe", "Tic Tac Toe"))
    for agent in SEARCHERS
)
"""Searching agents that should make no mistake; alpha-beta solves both games, and so makes none."""

BEYOND = (
    *PERFECTION,
    Entry(
        f"Connect Four: alphazero, {SECONDS} s a move, first, against the solver",
        Match(
            "connect4-alphazero-solver",
            "connect4",
            _agent("alphazero", seconds=SECONDS),
            _agent("solver"),
            "ours",
        ),
        "won",
        20,
    ),
)
"""The first player wins Connect Four, if it makes no mistake."""
