"""Make openings that are even and all different, for matches: `gtpbot openings`.

A match from openings that are won already says little: each engine wins those of one colour. Here a
net draws the moves by its policy, so that they are what good players choose among; and openings
whose value is too far from a draw, to the same net, are left out, and images of those that there
are. The file is as `gtpbot match --openings` reads it.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

import gtpcore
from games.base import Game, State
from games.go import Go
from games.position import Position
from games.whole_files import write_whole
from gtpbot.choosing import GAME_OPTIONS, add_options, read_options
from gtpbot.measure.series import derived, reseeded
from gtpbot.options import AgentChoice, OptionsError, make_game
from gtpbot.text.stdout import tell
from gtpbot.text.terminal import Bar
from gtpbot.verb_parser import VerbParser, check_least, check_place
from nets.spec import NetSpec
from nets.symmetry import symmetries_of
from search.agent import Agent, Limits

ATTEMPTS = 200
"""Openings tried for each that is wanted."""


@dataclass(frozen=True)
class EvenOpenings:
    """Openings of one kind."""

    agent: Agent
    """Draws its moves, and tells the value of a position."""
    moves: int
    """Of an opening."""
    even: float
    """How far from 0 the value may be, from -1 to 1, for either player."""
    seed: int

    def drawn(self, game: Game, count: int) -> Iterator[Position]:
        """So many, if ATTEMPTS for each are enough to find them. Raises OptionsError."""
        known: set[bytes] = set()
        for attempt in range(ATTEMPTS * count):
            position = self._attempt(game, reseeded(self.agent, derived(self.seed, attempt)))
            if position is not None and (key := _key(position)) not in known:
                known.add(key)
                yield position
            if len(known) == count:
                return

    def _attempt(self, game: Game, agent: Agent) -> Position | None:
        """An opening; None if the game ends in it, somebody passes, or it is not even."""
        position = Position(game)
        for _ in range(self.moves):
            action = agent.choose(position, Limits()).action
            if action is None or action == _pass_in(position):
                return None
            position.play(position.to_move, action)
            if position.state.is_terminal:
                return None
        value = agent.choose(position, Limits()).value_to_move
        if value is None:
            raise OptionsError("the net has a policy alone: expected one with a value, to judge by")
        return position if abs(value) <= self.even else None


def _pass_in(position: Position) -> int | None:
    """The action of a pass."""
    return position.state.num_actions - 1 if isinstance(position.game, Go) else None


def _key(position: Position) -> bytes:
    """The same for all symmetric images of a position, whichever moves led there."""
    spec = NetSpec.of(position.game)
    planes = _planes(position.state)[None]
    symmetries = symmetries_of(spec.game, spec.planes[0], spec.num_actions)
    return min(symmetry.planes(planes).tobytes() for symmetry in symmetries)


def _planes(state: State) -> NDArray[np.float32]:
    """[H, W, C]: a position as it stands; those of Go for nets show how it came about too."""
    if not isinstance(state, gtpcore.GoState):
        return cast(gtpcore.State, state).planes()
    free = [action for action in state.legal_actions() if action < state.size**2]  # thus no ko
    planes = np.zeros((3, state.size**2), np.float32)
    for plane, points in zip(planes, (state.stones(0), state.stones(1), free), strict=True):
        plane[points] = 1
    return planes.T.reshape(state.size, state.size, 3)


def main(arguments: Sequence[str]) -> int:
    """Make and write them; the exit status. Raises OptionsError, and what `tell` does."""
    options = parser().read(arguments)
    check_least(options, {"count": 1, "moves": 1})
    if not 0 < options.even <= 1:
        raise OptionsError(f"--even {options.even:g}: expected more than 0, and 1 at most")
    check_place("--out", options.out)
    said = read_options(options, ("game", *GAME_OPTIONS))
    game = make_game(said.game, said.game_settings)
    settings = {"net": options.net, "mode": "stochastic"}
    agent = AgentChoice("policy", settings).make(game)
    ways = EvenOpenings(agent, options.moves, options.even, options.seed)
    lines = []
    with Bar("openings", options.count) as bar:
        for position in ways.drawn(game, options.count):
            moves = game.line_to_strings(position.start, position.actions)
            lines.append(f"{' '.join(moves)}\n")
            bar.tell(len(lines), "even")
    if len(lines) < options.count:
        raise OptionsError(
            f"found {len(lines)} even openings of {options.moves} moves, expected {options.count}: "
            "ask for fewer with --count, for others with --moves, or let --even be greater"
        )
    _write("".join(lines), options.out)
    return 0


def _write(text: str, path: Path | None) -> None:
    if path is None:
        tell(text.removesuffix("\n"))
        return
    try:
        write_whole(path, text)
    except OSError as error:
        raise OptionsError(f"cannot write the openings: {error}") from None


def parser() -> VerbParser:
    """Of the command line."""
    made = VerbParser("openings", __doc__)
    add = made.add_argument
    add_options(made, ("game", *GAME_OPTIONS))
    add("--count", type=int, default=100, metavar="N", help="openings (100)")
    add("--moves", type=int, default=6, metavar="N", help="moves of each (6)")
    add("--even", type=float, default=0.3, metavar="V", help="how far from a draw its value may "
        "be, where 1 is won (0.3)")  # fmt: skip
    add("--net", default="alphazero", metavar="FILE", help="the net that draws and judges: a role "
        "or a file (alphazero)")  # fmt: skip
    add("--seed", type=int, default=1, metavar="N", help="seed of all randomness (1)")
    add("--out", type=Path, metavar="FILE", help="where to write them; none: on standard output")
    return made
