"""A net of Go whose opinion of the board a test makes up."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import gtpcore
from games.go import Go
from search.board_net import BareOpinion, BoardNet, BoardOpinion
from tests.support.fakes import FakeNet, Planes


class FakeBoardNet(BoardNet):
    """A FakeNet's answers, and one opinion of every position; counts how often it is asked."""

    def __init__(
        self,
        game: Go,
        opinion: BoardOpinion,
        priors: Sequence[float] | None = None,
        value: float | Callable[[Planes], float] = 0.0,
    ) -> None:
        fake = FakeNet(game, priors, value)
        super().__init__(fake, fake.shape, len(fake.priors), has_policy=True, has_value=True)
        self.opinion = opinion
        self.asked = 0
        self.scored = 0

    def mean(self, state: gtpcore.State) -> BareOpinion:
        """The same of all."""
        self.asked += 1
        policy, value = self.evaluate(state)
        return BareOpinion(policy, value, self.opinion)

    def bare(self, state: gtpcore.GoState, symmetry: int) -> BareOpinion:
        """The same however the board is turned, but that the lead has the symmetry added."""
        policy, value = self.evaluate(state)
        score = self.opinion.score_to_move
        lead = None if score is None else score + symmetry
        return BareOpinion(policy, value, replace(self.opinion, score_to_move=lead))

    def scores_to_move(self, states: Sequence[gtpcore.GoState]) -> Sequence[float]:
        """As many points as there are stones."""
        self.scored += len(states)
        return [float(len(s.stones(0)) + len(s.stones(1))) for s in states]
