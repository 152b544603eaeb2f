"""A reviewed game: which moves were bad, and what is written into its SGF tree."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from games.base import Player
from games.position import Move, Position
from games.sgf_tree import GameTree, Step
from gtpbot.report.evaluation import line_text
from gtpbot.review.assessment import Assessment, Line, positions

if TYPE_CHECKING:
    from sgfmill.sgf import Tree_node

DOUBTFUL, BAD = 10.0, 20.0
"""Percent that a move loses, from which it is marked so."""
JUDGEMENTS = ("BM", "DO", "IT", "TE")
LEAST_LOSS = 1.0
"""Percent; what loses less is no mistake but noise."""


@dataclass(frozen=True)
class Moment:
    """A move of the game in the light of the positions before and after it."""

    number: int
    """Of the move, from 1."""
    player: Player
    vertex: str
    before: float
    """How likely its player won before it, in percent."""
    after: float
    better: str
    """The agent's best line in its place."""
    is_choice: bool = False
    """True if the agent would have played the same."""

    @property
    def loss(self) -> float:
        """Percent that it lost; 0 if it was the agent's choice, whatever became of that."""
        return 0.0 if self.is_choice else self.before - self.after


@dataclass(frozen=True)
class Review:
    """A game with what an agent thinks of its positions."""

    tree: GameTree
    steps: Sequence[Step]
    assessments: Sequence[Assessment]
    """One for each step, or fewer where the work was broken off."""

    def curve(self) -> list[tuple[int, float]]:
        """How likely Black won after so many moves, in percent, where the agent knows."""
        return [
            (step.number, assessment.percent)
            for step, assessment in zip(self.steps, self.assessments, strict=False)
            if assessment.percent is not None
        ]

    def moments(self) -> Iterator[Moment]:
        """The moves whose effect is known."""
        known = zip(self.steps, positions(self.steps), self.assessments, strict=False)
        for (_, before, was), (step, _, now) in pairwise(known):
            if moment := _moment(step, before, was, now):
                yield moment

    def worst(self, count: int) -> list[Moment]:
        """The moves that lost most, the worst first."""
        losing = [moment for moment in self.moments() if moment.loss >= LEAST_LOSS]
        return sorted(losing, key=lambda moment: -moment.loss)[:count]

    def annotate(self, who: str) -> None:
        """Write all into the tree; `who` is the agent, for the comments."""
        lost = {moment.number: moment.loss for moment in self.moments()}
        for step, position, assessment in zip(
            self.steps, positions(self.steps), self.assessments, strict=False
        ):
            loss = lost.get(step.number, 0.0) if step.move else 0.0
            if words := _words(position, assessment, loss):
                _remark(step.node, f"{who}: {words}", assessment.percent)
            _judge(step.node, loss)
            for line in assessment.lines:
                self._add_line(step.node, position, line, who)

    def _add_line(self, node: "Tree_node", position: Position, line: Line, who: str) -> None:
        """A line as a variation; after the game's last move none is, for the game would go on."""
        state, is_ours = position.state.clone(), False
        for action in line.actions:
            if node is self.steps[-1].node or not state.is_legal(action):
                return
            known = len(node)
            parent, move = node, Move(Player(state.current_player), action)
            node = self.tree.play(parent, state, move)
            if len(parent) > known and not is_ours:
                plural = "" if line.visits == 1 else "s"
                visits = f" of {line.visits:,} visit{plural}" if line.visits else ""
                _remark(node, f"{who}: a line{visits}", line.percent)
                is_ours = True
            state.apply_action(action)


def _moment(step: Step, before: Position, was: Assessment, now: Assessment) -> Moment | None:
    """The move of a step; None if it has none, or one whose effect is not known."""
    move = step.move
    if move is None or was.percent is None or now.percent is None:
        return None
    best = was.lines[0].actions if was.lines else ()
    return Moment(
        number=step.number,
        player=move.player,
        vertex=line_text(before, [move.action]),
        before=_own(was.percent, move.player),
        after=_own(now.percent, move.player),
        better=line_text(before, best),
        is_choice=best[:1] == (move.action,),
    )


def _own(percent: float, player: Player) -> float:
    return percent if player is Player.BLACK else 100 - percent


def _words(position: Position, assessment: Assessment, loss: float) -> str:
    parts = []
    if assessment.percent is not None:
        parts.append(f"Black {assessment.percent:.1f} %")
    if loss >= LEAST_LOSS:
        parts.append(f"the move lost {loss:.1f} %")
    if assessment.playouts:
        parts.append(f"{assessment.playouts:,} playouts")
    if assessment.lines:
        parts.append(f"best line {line_text(position, assessment.lines[0].actions)}")
    return ", ".join(parts)


def _remark(node: "Tree_node", text: str, percent: float | None) -> None:
    """Add a comment to a node, and its winrate as Sabaki has it."""
    if node.has_property("C"):  # it may have several, which the standard does not know
        node.set_raw("C", b"\n\n".join(node.get_raw_list("C")))
    node.add_comment_text(text)
    if percent is not None:
        node.set_raw("SBKV", f"{percent:.2f}".encode())


def _judge(node: "Tree_node", loss: float) -> None:
    """Mark a doubtful or bad move, unless somebody judged it before."""
    if any(node.has_property(key) for key in JUDGEMENTS):
        return
    if loss >= BAD:
        node.set_raw("BM", b"1")
    elif loss >= DOUBTFUL:
        node.set_raw("DO", b"")
