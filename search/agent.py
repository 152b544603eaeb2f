"""What an agent is: it is shown a position and chooses a move.

An agent is one file with a params model and a `choose`; `search/random.py` is the template. It is
handed what it needs and never loads a net itself.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, TypeVar

from pydantic import BaseModel, ConfigDict, Field

import gtpcore
from games.base import Game, Player, State
from games.position import Position

OWNERSHIP_PLAYOUTS = 200
"""Playouts that tell whose points are: 0.05 s on 19x19, and 0.07 off at most on average."""


class Ban(NamedTuple):
    """A move that is neither to be played nor looked at."""

    player: Player
    action: int
    plies: int
    """In so many moves from the position on, of both players."""


@dataclass(frozen=True)
class Limits:
    """When to stop thinking about one move. None means no limit; the first one reached counts."""

    playouts: int | None = None
    """Playouts (simulations) of this search."""
    seconds: float | None = None
    """Wall-clock time. A searching agent may answer sooner when the choice cannot change."""
    bans: tuple[Ban, ...] = ()
    """What is left out while other moves are legal; beyond the next move, by agents with a tree."""

    def banned(self, player: Player) -> frozenset[int]:
        """The moves that must not be the next one, which is `player`'s."""
        return frozenset(ban.action for ban in self.bans if ban.player == player and ban.plies)

    @property
    def bans_reach(self) -> int:
        """After how many moves nothing is banned any more."""
        return max((ban.plies for ban in self.bans), default=0)

    def banning(self, player: Player, actions: Iterable[int]) -> "Limits":
        """These limits, and a ban on each of `actions` for the next move, which is `player`'s."""
        more = (Ban(player, action, 1) for action in sorted(actions))
        return replace(self, bans=(*self.bans, *more))

    def within(self, playouts: int | None, seconds: float | None) -> "Limits":
        """These limits, or those given where they are the lower ones."""
        least = _least(self.playouts, playouts), _least(self.seconds, seconds)
        return Limits(*least, self.bans)


NO_LIMITS = Limits()

Number = TypeVar("Number", int, float)


def _least(one: Number | None, other: Number | None) -> Number | None:
    return min((limit for limit in (one, other) if limit is not None), default=None)


@dataclass(frozen=True)
class Candidate:
    """What the search thinks of one move."""

    action: int
    visits: int
    value_to_move: float
    """From -1 to 1 for the player to move at the root."""
    prior: float
    """The prior probability of the move from 0 to 1; 0 where the agent has none."""
    variation: tuple[int, ...]
    """The expected continuation; its first action is `action`."""
    deviation: float = 0.0
    """The standard error of `value_to_move`, or a bound on it, for confidence; 0 if unknown."""
    variation_visits: tuple[int, ...] = ()
    """The visits of each action of `variation`; none where the agent counts none."""
    score_to_move: float | None = None
    """The expected lead in points of the player to move at the root; None if not known."""


@dataclass(frozen=True)
class Decision:
    """The answer of an agent."""

    action: int | None
    """None means: resign."""
    value_to_move: float | None = None
    """From -1 (lost) to 1 (won) for the player to move; None if the agent has no opinion."""
    playouts: int = 0
    seconds: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    """Best first."""


@dataclass(frozen=True)
class Report:
    """What an agent thinks of a position at one moment."""

    to_move: Player
    """Whose view all values are."""
    candidates: tuple[Candidate, ...]
    """Best first; none in a finished game."""
    playouts: int = 0
    """All that this rests on, with those that earlier searches left."""
    value_to_move: float | None = None
    """From -1 (lost) to 1 (won) for the player to move; None if the agent has no opinion."""
    score_to_move: float | None = None
    """The expected lead in points of the player to move; None if not known."""
    state: State | None = field(default=None, repr=False, compare=False)
    """The very state that the agent was shown; None if nobody kept it."""

    @classmethod
    def of(cls, to_move: Player, decision: Decision, state: State | None = None) -> "Report":
        """What a decision tells; the action chosen stands for candidates that it has not."""
        candidates, value = decision.candidates, decision.value_to_move
        if not candidates and decision.action is not None:
            chosen = Candidate(decision.action, 0, value or 0.0, 0.0, (decision.action,))
            candidates = (chosen,)
        return cls(to_move, candidates, decision.playouts, value, state=state)


class AgentParams(BaseModel):
    """Parameters every agent has; the command line, GTP and the docs are made from these fields."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int | None = Field(
        None, ge=0, lt=2**63, description="seed of the agent's randomness; none: a fresh one"
    )

    def wants(self, parameter: str) -> bool:
        """True if the agent is to be handed the net that `parameter` names."""
        return getattr(self, parameter) is not None


def net_field(role: str, heads: str, description: str) -> Any:
    """A parameter that names a net: one that ships, by its role, or a file.

    `heads` are the outputs that the agent asks of it: `policy`, `value`, or both.
    """
    return Field(role, description=description, json_schema_extra={"heads": heads})


def net_fields(params: type[BaseModel]) -> dict[str, frozenset[str]]:
    """The parameters that name nets, with the outputs asked of each."""
    extras = {name: field.json_schema_extra for name, field in params.model_fields.items()}
    return {
        name: frozenset(str(extra["heads"]).split())
        for name, extra in extras.items()
        if isinstance(extra, dict) and "heads" in extra
    }


def file_field(default: Path | None, description: str) -> Any:
    """A parameter that names a file of weights that is no net: one that ships, or a path."""
    return Field(default, description=description, json_schema_extra={"weights": True})


def file_fields(params: type[BaseModel]) -> frozenset[str]:
    """The parameters that name such files."""
    extras = {name: field.json_schema_extra for name, field in params.model_fields.items()}
    return frozenset(
        n for n, extra in extras.items() if isinstance(extra, dict) and "weights" in extra
    )


def has_planes(game: Game) -> bool:
    """True if positions of `game` can be shown to a net."""
    state = game.new_state()
    return isinstance(state, gtpcore.State) and state.plane_shape != (0, 0, 0)


Nets = Mapping[str, gtpcore.Net]
"""The nets that an agent is handed, by the parameters that name them; what is none is left out."""


class Agent(ABC):
    """Chooses moves, and says what it thinks of them.

    One thread at a time calls `choose`, `analyze` or `ponder`; any thread may call `stop` and
    `report` meanwhile. An agent that knows at once what it thinks sets `_report` in `choose`.
    """

    name: ClassVar[str]
    Params: ClassVar[type[AgentParams]]
    USUAL_SECONDS: ClassVar[float] = 1.0
    """For a move, where nothing else limits it."""
    params: AgentParams

    def __init__(self, params: AgentParams, nets: Nets | None = None) -> None:
        """An agent that has seen no game yet; `params` are of the class `Params`.

        Raises ValueError if a net that they name is not among `nets`.
        """
        self.params = params
        self.nets: Nets = nets or {}
        for parameter in filter(params.wants, net_fields(type(params))):
            if not isinstance(self.nets.get(parameter), gtpcore.Net):
                raise ValueError(
                    f"agent {self.name}: nets[{parameter!r}]: expected a gtpcore.Net, such as "
                    "`nets.files.load(...).native()`"
                )
        self._report: Report | None = None

    @classmethod
    def plays(cls, game: Game) -> bool:
        """True if this kind of agent can play `game`; every game, unless it says otherwise."""
        return True

    @classmethod
    def defaults(cls, game: Game) -> Mapping[str, Any]:
        """Settings of parameters whose default is another one in `game`."""
        return {}

    @abstractmethod
    def choose(self, position: Position, limits: Limits) -> Decision:
        """The move for `position.to_move`. Raises GameOverError.

        None that is banned, if any other is legal. `position` is not changed.
        """

    def analyze(self, position: Position, limits: Limits) -> None:
        """Think about a game that is not over, for `report`, until `stop` or the limits.

        Limits among the agent's own parameters do not count. Returns sooner if there is nothing
        more to find out. What is learned serves the next `choose` under the same bans.
        """
        self.choose(position, limits)

    def own_limits(self, limits: Limits = NO_LIMITS) -> Limits:
        """`limits`, or those among the agent's parameters where they are the lower ones."""
        own = (getattr(self.params, "playouts", None), getattr(self.params, "seconds", None))
        return limits.within(*own)

    def usual_limits(self, limits: Limits = NO_LIMITS) -> Limits:
        """The same, or `USUAL_SECONDS` if there are none."""
        own = self.own_limits(limits)
        is_limited = own.playouts is not None or own.seconds is not None
        return own if is_limited else replace(own, seconds=self.USUAL_SECONDS)

    def report(self) -> Report | None:
        """What the agent thinks now of the position it was last shown; None if nothing yet."""
        return self._report

    def report_of(self, position: Position) -> Report | None:
        """The same, if it is of this very position."""
        report = self.report()
        return report if report and report.state is position.state else None

    def judged_ownership(self, position: Position) -> Sequence[float] | None:
        """As `ownership` is judged by a net of the agent; None if it has none that does."""
        return None

    def judged_value(self, position: Position) -> float | None:
        """The value from -1 to 1 for the player to move, as a net of the agent has it, or None."""
        return None

    def judged_score(self, position: Position) -> float | None:
        """The lead in points, komi included, that the player to move will have; None likewise."""
        return None

    def ownership(self, position: Position) -> Sequence[float] | None:
        """Whose each point will be, from -1 for White to 1 for Black; None outside Go.

        The index is row * width + column, from the lowest row and the left. It is judged by a net
        of the agent if that does so, else by playouts.
        """
        judged = self.judged_ownership(position)
        if judged is not None:
            return judged
        state = position.state
        if not isinstance(state, gtpcore.GoState):
            return None
        return state.ownership(OWNERSHIP_PLAYOUTS, seed=0)

    def get_ready(self) -> None:
        """Begin, in the background, what would else delay the first move. Returns at once."""
        return

    def stop(self) -> None:
        """Make a running `choose`, `analyze` or `ponder` return within 50 ms with what it has.

        One that has only just been called may not hear it: ask again until it returns.
        """
        return

    def ponder(self, position: Position) -> None:
        """Think about `position` until `stop`; what is learned serves the next `choose`."""
        return

    def take_over(self, other: "Agent") -> None:
        """Go on for `other`, which played on a board of another size, and may be asked to again."""
        return

    def clear(self) -> None:
        """Forget what earlier searches learned."""
        self._report = None
