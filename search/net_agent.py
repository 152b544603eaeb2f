"""What the agents that search with nets share: which net is for what, and batches."""

from pydantic import Field

import gtpcore
from games.base import Game
from games.position import Position
from search import go_passing
from search.agent import Decision, Limits, has_planes
from search.tree_agent import TreeAgent, TreeParams


class NetTreeParams(TreeParams):
    """Parameters of every agent that searches a tree with nets."""

    batch_size: int = Field(
        16, ge=1, le=256, description="leaves that a thread has valued at once; 1 for exactness"
    )
    symmetries: bool = Field(
        True, description="show leaves to the net turned at random; in Go alone"
    )


class NetTreeAgent(TreeAgent):
    """A tree agent whose leaves are valued in batches by a `gtpcore.NetEvaluator`."""

    params: NetTreeParams

    @classmethod
    def plays(cls, game: Game) -> bool:
        """Games that can be shown to a net."""
        return has_planes(game)

    def choose(
        self, position: Position, limits: Limits, avoid: frozenset[int] = frozenset()
    ) -> Decision:
        """Search, with care about passes in Go."""
        search = super().choose
        decision = go_passing.with_care(position, avoid, lambda: search(position, limits, avoid))
        return self.told(position, decision)

    @property
    def symmetry_seed(self) -> int | None:
        """The seed of the turns in which leaves are shown to a net."""
        return self._seed if self.params.symmetries else None

    def net(self, parameter: str) -> gtpcore.Net | None:
        """The net that a parameter names; None if it names none."""
        return self.nets.get(parameter)

    def evaluator(self, position: Position) -> gtpcore.NetEvaluator:
        """The nets at work, whatever the position."""
        return self.recipe()

    def recipe(self) -> gtpcore.NetEvaluator:
        """How leaves are valued."""
        raise NotImplementedError
