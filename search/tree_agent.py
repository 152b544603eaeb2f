"""What the agents over the native tree search share: limits, tree reuse, pondering, the choice.

Start reading at `TreeAgent.choose`. The search itself is in `core/search/`; a subclass says which
selection rule it uses and how leaves are evaluated.
"""

import os
import random
import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar, Literal, NamedTuple, TypeAlias

from pydantic import Field

import gtpcore
from games.base import Game, Player, State
from games.position import Move, Position
from search.agent import (
    Agent,
    AgentParams,
    Ban,
    Candidate,
    Decision,
    Limits,
    Nets,
    Report,
)
from search.board_net import BoardNet
from search.resigning import Patience

LCB_VISITS = 0.15
"""The share of the most visits that a move needs to be chosen by its lower confidence bound."""
LCB_ERRORS = 5.0
"""Standard errors below the mean where that is: many, as playouts below a move are alike."""

Rule: TypeAlias = (
    gtpcore.Ucb1 | gtpcore.Rave | gtpcore.MixedUcb | gtpcore.WeightedPrior | gtpcore.Puct
)
Children: TypeAlias = Sequence[gtpcore.ChildReport]


class Effort(NamedTuple):
    """What a search took."""

    playouts: int
    seconds: float


class TreeParams(AgentParams):
    """Parameters of every agent that searches a tree."""

    playouts: int | None = Field(
        None, ge=1, lt=2**63, description="playouts a move; none: no such limit"
    )
    seconds: float | None = Field(
        None, gt=0, description="seconds a move; none: 1 if neither playouts nor a clock limit it"
    )
    threads: int | None = Field(
        None, ge=1, le=128, description="threads; none: one a core, or one if a seed is given"
    )
    memory_mb: int = Field(
        512,
        ge=1,
        le=2**20,
        description="the cap on the tree's memory, in MiB; full, it ends a search without rollouts",
    )
    max_tree_depth: int | None = Field(
        None,
        ge=1,
        lt=2**31,
        description="moves from the root that get nodes; 1 weighs the root's moves only",
    )
    transpositions: bool | None = Field(
        None,
        description="share what is known of a position by all ways to it; none: where that pays; "
        "never in Go",
    )
    choose_by: Literal["visits", "value", "lcb"] = Field(
        "visits",
        description="what makes a move the best: its visits, its mean value, or lcb, the lower "
        "confidence bound of that",
    )
    reuse_tree: bool = Field(True, description="keep the part of the tree below the moves played")
    stop_early: bool = Field(
        True, description="end the time of a move as soon as no other can overtake the best one"
    )
    ponder: bool = Field(False, description="think while the opponent does")
    resign_below: float | None = Field(
        None, ge=-1, le=1, description="resign when the value, -1 to 1, is lower; none: never"
    )

    @property
    def num_threads(self) -> int:
        """The threads to start."""
        if self.threads is not None:
            return self.threads
        return 1 if self.seed is not None else available_cores()


class TreeAgent(Agent):
    """An agent over one `gtpcore.Search` that follows the game from move to move."""

    VARIATION_LENGTH: ClassVar[int] = 12
    MIN_PLAYOUTS_TO_RESIGN: ClassVar[int] = 200
    params: TreeParams

    def __init__(self, params: TreeParams, nets: Nets | None = None) -> None:
        """The search begins with the first position shown."""
        super().__init__(params, nets)
        seed = params.seed if params.seed is not None else random.SystemRandom().getrandbits(62)
        self._seed = seed
        self._search: gtpcore.Search | None = None
        self._start: State | None = None
        self._moves: tuple[Move, ...] = ()
        self._bans: tuple[Ban, ...] = ()
        self._shown: State | None = None
        self._patience = Patience()
        self._moving = threading.Lock()
        """Held while the root moves, lest a report tell of one position as of another."""

    @abstractmethod
    def rule(self) -> Rule:
        """The selection rule."""

    @abstractmethod
    def evaluator(self) -> gtpcore.Evaluator:
        """What values the leaves."""

    def choose(self, position: Position, limits: Limits) -> Decision:
        """Search, then take the proven or best move. Raises GameOverError."""
        return self.searched(position, limits)

    def searched(self, position: Position, limits: Limits, unplayed: int | None = None) -> Decision:
        """The best move but for `unplayed`, which is looked at all the same.

        Raises GameOverError.
        """
        position.check_open()
        start = time.monotonic()
        search = self._follow(position, limits.bans)
        rest = self.rest_of(limits, start)  # to move a large tree along takes time, too
        effort = self.explore(search, rest.playouts, rest.seconds)
        while not search.children():  # stopped before the first playout
            search.run(playouts=1)
        children = search.children(self._variation_length)
        allowed = [child for child in children if child.action != unplayed] or children
        best = self.best(allowed)
        return Decision(
            action=None if self._resigns(best, children) else self.pick(allowed).action,
            value_to_move=_known_value(best),
            playouts=effort.playouts,
            seconds=time.monotonic() - start,
            candidates=tuple(map(_candidate, children)),
        )

    @property
    def _variation_length(self) -> int:
        """No more than the tree is deep, though a shorter way to a position may show more of it."""
        return min(self.VARIATION_LENGTH, self.params.max_tree_depth or self.VARIATION_LENGTH)

    def prover(self, game: Game) -> gtpcore.Prover | None:
        """Who is asked of leaves how they end; None: nobody."""
        return None

    def bias_correction(self) -> float:
        """The share of a net's errors so far by which its later values are corrected."""
        return 0.0

    def shares(self, game: Game) -> bool:
        """True if positions of `game` are shared by all ways to them."""
        return self.params.transpositions is not False

    def expand_visits(self) -> int:
        """Visits of a node before its children are made; with a net the first one makes them."""
        return 1

    def explore(
        self, search: gtpcore.Search, playouts: int | None, seconds: float | None
    ) -> Effort:
        """Look into the moves of the root."""
        report = search.run(playouts, seconds)
        return Effort(report.playouts, report.seconds)

    def pick(self, children: Children) -> gtpcore.ChildReport:
        """The move to play of those looked at, best first."""
        return self.best(children)

    def best(self, children: Children) -> gtpcore.ChildReport:
        """The best move of those looked at, as the parameters weigh them."""
        if self.params.choose_by == "value":
            tried = [child for child in children if child.visits] or children
            children = sorted(tried, key=value_of, reverse=True)
        elif self.params.choose_by == "lcb" and not children[0].proof:
            most = children[0].visits
            tried = [child for child in children if child.visits > LCB_VISITS * most] or children
            children = sorted(tried, key=_lower_bound, reverse=True)
        return _best(children)

    def analyze(self, position: Position, limits: Limits) -> None:
        """Search until `stop` or the limits, but not only until a net is compiled."""
        search = self._follow(position, limits.bans)
        report = search.run(limits.playouts, limits.seconds)
        if limits.seconds is not None and report.seconds >= limits.seconds:
            for _ in ("the root", "a move"):  # there is none in a finished game
                if not any(map(_is_known, search.children())):
                    search.run(playouts=1)

    def report(self) -> Report | None:
        """What the tree says now, or a choice that was made without it."""
        with self._moving:
            search, shown = self._search, self._shown
            if self._report is not None or search is None or shown is None:
                return self._report
            children = search.children(self._variation_length)
            visits = search.root_visits
        if not children:
            return None
        best = self.best(children)
        ranked = sorted(children, key=lambda child: child is not best)
        return Report(
            Player(shown.current_player),
            tuple(map(_candidate, ranked)),
            visits,
            _known_value(best),
            state=shown,
        )

    def get_ready(self) -> None:
        """Its nets, for as many threads as it searches by."""
        for net in set(self.nets.values()):
            if isinstance(net, BoardNet):
                net.get_ready(self.params.num_threads)

    def stop(self) -> None:
        """End the search in progress."""
        search = self._search
        if search is not None:
            search.stop()

    def ponder(self, position: Position) -> None:
        """Search without limit until `stop`."""
        if not position.state.is_terminal:
            self.analyze(position, Limits())

    def take_over(self, other: Agent) -> None:
        """Know how lost the games are that it played."""
        if isinstance(other, TreeAgent):
            self._patience = other._patience

    def clear(self) -> None:
        """Forget the tree, and how lost earlier games were."""
        with self._moving:
            self._search = self._report = None
        self._patience = Patience()

    def told(self, position: Position, decision: Decision) -> Decision:
        """`decision`, of which `report` tells if it was made without a search."""
        return decision if decision.candidates else self.telling(position, decision)

    def telling(self, position: Position, decision: Decision) -> Decision:
        """`decision`, of which `report` tells from now on, not of the tree."""
        with self._moving:
            self._report = Report.of(position.to_move, decision, position.state)
        return decision

    def rest_of(self, limits: Limits, began: float) -> Limits:
        """What is left of `usual_limits` for a move whose time `began` then."""
        usual = self.usual_limits(limits)
        if usual.seconds is None:
            return usual
        return replace(usual, seconds=max(0.0, usual.seconds - (time.monotonic() - began)))

    def _follow(self, position: Position, bans: tuple[Ban, ...]) -> gtpcore.Search:
        """The search with its root at `position`, with what it knew if the game just went on."""
        with self._moving:
            search = self._search
            if search is None or not self._goes_on(position) or self._bans != bans:
                search = self._search = self._new_search(position, bans)
            elif not self._advanced(search, position):
                search.reset(position.state)
            self._start = position.start
            self._moves = position.moves
            self._bans = bans
            self._shown = position.state
            self._report = None
        return search

    def _goes_on(self, position: Position) -> bool:
        """True if it is of the game that the search is of.

        That may be set up on the board again, as clients of servers do for every move. A game that
        only begins as the one before is another, which a seed must repeat.
        """
        if _handicap(self._shown) != _handicap(position.state):  # told by moves, not at the start
            return False
        if self._start is position.start:
            return True
        known = len(self._moves)
        is_later = known < len(position.moves) and position.moves[:known] == self._moves
        return is_later and _alike(self._start, position.start)

    def _advanced(self, search: gtpcore.Search, position: Position) -> bool:
        known = len(self._moves)
        if not self.params.reuse_tree or position.moves[:known] != self._moves:
            return False
        try:
            for move in position.moves[known:]:
                search.advance(move.action)
        except gtpcore.IllegalMoveError:  # somebody moved out of turn, as Go over GTP allows
            return False
        return search.root_hash == int(position.state.hash) % 2**64  # of any size, or numpy's

    def _new_search(self, position: Position, bans: tuple[Ban, ...]) -> gtpcore.Search:
        return gtpcore.Search(
            position.state,
            self.evaluator(),
            self.rule(),
            threads=self.params.num_threads,
            max_bytes=self.params.memory_mb << 20,
            seed=self._seed,
            expand_visits=self.expand_visits(),
            max_tree_depth=self.params.max_tree_depth,
            transpositions=self.shares(position.game) and not bans,
            forbidden=bans,
            stop_early=self.params.stop_early and self.params.choose_by != "value",
            lower_bound=(LCB_VISITS, LCB_ERRORS) if self.params.choose_by == "lcb" else None,
            prover=self.prover(position.game),
            bias_correction=self.bias_correction(),
        )

    def _resigns(self, best: gtpcore.ChildReport, children: Children) -> bool:
        assert self._shown is not None
        return self._patience.is_over(self._shown, self._moves, self._is_lost(best, children))

    def _is_lost(self, best: gtpcore.ChildReport, children: Children) -> bool:
        """True if the best move loses, and all do together, as it may have one playout alone."""
        least = self.params.resign_below
        if least is None or value_of(best) >= least:
            return False
        visits = sum(child.visits for child in children)
        total = sum(child.visits * value_of(child) for child in children)
        is_sure = visits >= self.MIN_PLAYOUTS_TO_RESIGN and total < least * visits
        return is_sure or best.proof == "loss"


def _handicap(state: State | None) -> int:
    """For how many stones White may have points in Go."""
    return state.handicap if isinstance(state, gtpcore.GoState) else 0


def _alike(one: State | None, other: State) -> bool:
    """True if two games began alike, as one does that is set up on the board again."""
    if isinstance(one, gtpcore.GoState) and isinstance(other, gtpcore.GoState):
        states = (one, other)
        facts = (
            (s.size, s.hash, s.rules, s.handicap, s.captures(0), s.captures(1)) for s in states
        )
        return next(facts) == next(facts)
    return one is other


def available_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):  # not on macOS
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


PROVEN_VALUE = {"win": 1.0, "draw": 0.0, "loss": -1.0}


def value_of(child: gtpcore.ChildReport) -> float:
    """The value of a move from -1 to 1 for the player to move at the root, proven or not."""
    return PROVEN_VALUE.get(child.proof, child.value_to_move)


def _lower_bound(child: gtpcore.ChildReport) -> float:
    """What the value of a move is seldom below (Wu, Other methods implemented in KataGo, 2021)."""
    return value_of(child) - (0.0 if child.proof else LCB_ERRORS * child.deviation)


def _is_known(child: gtpcore.ChildReport) -> bool:
    """True if the search has looked at the move."""
    return bool(child.visits or child.proof)


def _known_value(child: gtpcore.ChildReport) -> float | None:
    return value_of(child) if _is_known(child) else None


def _candidate(child: gtpcore.ChildReport) -> Candidate:
    return Candidate(
        action=child.action,
        visits=child.visits,
        value_to_move=value_of(child),
        prior=child.prior,
        variation=tuple(child.variation),
        variation_visits=tuple(child.variation_visits),
        deviation=0.0 if child.proof else child.deviation,
    )


def _best(children: Children) -> gtpcore.ChildReport:
    """The first, which is the best proven or most visited, unless a sure draw beats it."""
    first = children[0]
    if value_of(first) >= 0:
        return first
    return next((child for child in children if child.proof == "draw"), first)
