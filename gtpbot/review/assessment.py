"""What an agent thinks of each position of a game, kept on disk as it goes."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from games.go import Go
from games.position import Position
from games.sgf_tree import Step
from games.whole_files import write_whole
from gtpbot.options import OptionsError
from gtpbot.people.watched import watched
from gtpbot.report.evaluation import black_percent
from gtpbot.report.insight import worth_telling
from search.agent import Agent, Candidate, Report

Percent: TypeAlias = Annotated[float, Field(ge=0, le=100)] | None
"""How likely Black wins; None if the agent has no opinion."""


class Line(BaseModel):
    """A way on that the agent looked at."""

    model_config = ConfigDict(frozen=True)

    actions: tuple[int, ...]
    percent: Percent
    visits: int


class Assessment(BaseModel):
    """What came of one position."""

    model_config = ConfigDict(frozen=True)

    percent: Percent
    playouts: int
    lines: tuple[Line, ...]
    """Best first; none in a finished game, or where the agent found out nothing."""


class Notebook:
    """Assessments of the positions of one game, in order, one a line of a file.

    What a kill left of a line is dropped.
    """

    def __init__(self, path: Path, heading: str) -> None:
        """Open or create; `heading` says what is assessed how. Raises OptionsError."""
        self.path = path
        self.done: list[Assessment] = []
        if path.exists():
            self._load(heading)
        lines = [heading, *(one.model_dump_json() for one in self.done)]
        write_whole(path, "".join(f"{line}\n" for line in lines))

    def add(self, assessment: Assessment) -> None:
        """Keep one more."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(assessment.model_dump_json() + "\n")
        self.done.append(assessment)

    def broken(self) -> OptionsError:
        """What to raise if the file holds what no review wrote of this game."""
        return OptionsError(f"{self.path} is no work of a review of this game: remove it")

    def _load(self, heading: str) -> None:
        try:
            begun, *lines = self.path.read_text(encoding="utf-8").split("\n")
        except UnicodeDecodeError:
            raise self.broken() from None
        if begun != heading:
            raise OptionsError(
                f"{self.path} is of a review with other settings or of another game: "
                "go on with those, or remove it"
            )
        try:
            self.done = [Assessment.model_validate_json(line) for line in lines[:-1]]
        except ValidationError:
            raise self.broken() from None


def assess_all(
    steps: Sequence[Step],
    agent: Agent,
    lines: int,
    notebook: Notebook,
    tell: Callable[[int, Assessment], None],
) -> list[Assessment]:
    """Assess what is not in the notebook yet; `tell` hears of each position when it is done.

    Raises OptionsError if what is there cannot be played in this game.
    """
    for number, position in enumerate(positions(steps)):
        if number < len(notebook.done):
            if not all(_is_playable(line, position) for line in notebook.done[number].lines):
                raise notebook.broken()
        else:
            notebook.add(assess(agent, position, lines))
            tell(number + 1, notebook.done[-1])
    return notebook.done[: len(steps)]


def _is_playable(line: Line, position: Position) -> bool:
    state = position.state.clone()
    for action in line.actions:
        if action not in state.legal_actions():
            return False
        state.apply_action(action)
    return True


def positions(steps: Sequence[Step]) -> Iterator[Position]:
    """The positions after the steps, each with who moves next in the game to move."""
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        moves_next = following.move.player if following and following.move else None
        player = step.position.to_move if moves_next is None else moves_next
        is_over = moves_next is None and _is_over(step.position)
        yield step.position if is_over else step.position.facing(player)


def _is_over(position: Position) -> bool:
    """True in a game whose result is known; in Go the dead may still have to be agreed on."""
    game = position.game
    return position.state.is_terminal and not (isinstance(game, Go) and game.rules.remove_dead)


def assess(agent: Agent, position: Position, lines: int) -> Assessment:
    """What an agent thinks of a position, with so many lines; a finished game is known."""
    if position.state.is_terminal:
        return Assessment(percent=50 + 50 * position.state.black_value, playouts=0, lines=())
    watched(lambda: agent.analyze(position, agent.usual_limits()), agent.stop)
    report = agent.report_of(position)
    if report is None:  # the time was over before anything was known
        return Assessment(percent=None, playouts=0, lines=())
    value = report.value_to_move
    return Assessment(
        percent=None if value is None else _rounded(value, report),
        playouts=report.playouts,
        lines=tuple(_line(one, report) for one in worth_telling(report)[:lines]),
    )


def _line(candidate: Candidate, report: Report) -> Line:
    knows = report.value_to_move is not None
    return Line(
        actions=candidate.variation,
        percent=_rounded(candidate.value_to_move, report) if knows else None,
        visits=candidate.visits,
    )


def _rounded(value: float, report: Report) -> float:
    return round(black_percent(value, report.to_move), 2)
