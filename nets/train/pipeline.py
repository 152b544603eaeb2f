"""A line of stages, each of which needs the results of others; what is done is not done again.

Each stage has a folder of its own in the work folder. `settings.json` there says what it was
begun with, and from which files of others, and `done.json`, written last, what came out. A stage
that was killed is run again and goes on from what it finds in its folder.
"""

import shutil
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, ConfigDict

from games.base import Game
from games.begun_folders import FolderError, begun, claimed, digest_of, read_json, write_json

Facts = Mapping[str, Any]
"""What is to be known of a result: names, and what JSON can hold."""


class StageParams(BaseModel):
    """The parameters of a stage; an unknown key is an error, so is an infinite number."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


P = TypeVar("P", bound=StageParams)


@dataclass(frozen=True)
class Run:
    """What all stages of a line share."""

    game: Game
    work: Path
    """The work folder."""
    seed: int
    command: str
    """What was typed, for the model cards."""
    threads: int = 1
    """Of the making of moves and batches; they change nothing in them."""
    judged: int = 200
    """Games of a match that tells how strong a net is."""
    excluded: Path | None = None
    """A file of positions that must never be learned from, one a line (see `excluded_keys`)."""
    source: Path | None = None
    """A folder of games to learn from, where a game's stages read such."""

    def folder(self, stage: str) -> Path:
        """Where a stage keeps its results, and what it needs to go on."""
        return self.work / stage

    def facts(self, stage: str) -> dict[str, Any]:
        """What came out of a stage that is done."""
        facts: dict[str, Any] = read_json(self.folder(stage) / "done.json")
        return facts


NET_FILES = (".keras", ".onnx", ".md", ".png")
"""What there is of a net: the endings of the names of its files."""


CLEARED = "cleared.json"
"""What the settings of a stage are called until its folder is cleared."""


@dataclass(frozen=True)
class Stage(ABC, Generic[P]):
    """One stage."""

    name: str
    needs: tuple[str, ...]
    """The stages whose results it reads."""
    params: P

    has_role: ClassVar[bool] = False
    """Whether its name is the role of a net, which it makes."""

    @property
    def files(self) -> Sequence[str]:
        """The names of those files of its folder that the program plays with, and their cards."""
        return [f"{self.name}{ending}" for ending in NET_FILES] if self.has_role else []

    @abstractmethod
    def run(self, run: Run) -> Facts:
        """Make the result, or go on where an earlier attempt was killed; what is to be known."""

    def check(self, run: Run) -> None:
        """Refuse what it cannot run with before that is noted, so that the next try may be right.

        Raises TrainingError.
        """

    def inputs(self, run: Run) -> Mapping[str, str]:
        """Digests of what it reads from outside the work folder; what is not there is left out."""
        return {}


def perform(
    stages: Sequence[Stage[Any]], wanted: Iterable[str], run: Run, again: bool = False
) -> list[Stage[Any]]:
    """Run the `wanted` stages, and first those that they need, unless they are done; all of them.

    With `again`, the wanted ones begin anew. Raises FolderError if a stage was begun with other
    settings, or another run is at work in the folder, and what the stages raise.
    """
    with claimed(run.work, "give another --work folder"):
        return _perform(stages, set(wanted), run, again)


def _perform(
    stages: Sequence[Stage[Any]], names: set[str], run: Run, again: bool
) -> list[Stage[Any]]:
    chain = [stage for stage in stages if stage.name in _with_needs(stages, names)]
    for stage in chain:
        _check_own(run.folder(stage.name))
    for number, stage in enumerate(chain):
        folder = run.folder(stage.name)
        is_begun = (folder / "settings.json").exists()
        anew = (again and stage.name in names and is_begun) or (folder / CLEARED).exists()
        is_done = not anew and (folder / "done.json").exists()
        if not is_done:
            stage.check(run)
        if again and stage.name in names:
            _mark(run.folder(each.name) for each in chain[number:] if each.name in names)
        if anew:
            _clear(folder)
        advice = f"give --stage {stage.name} --again to begin it anew, or another --work folder"
        with begun(folder, _settings(stages, stage, run), _inputs(stages, stage, run), advice):
            if is_done:
                print(f"{stage.name}: done already, in {folder}", file=sys.stderr)
            else:
                how = "goes on" if is_begun and not anew else "begins"
                print(f"{stage.name}: {how}, in {folder}", file=sys.stderr)
                write_json(folder / "done.json", stage.run(run))
    return chain


def _check_own(folder: Path) -> None:
    """Refuse a folder that another verb noted its settings in, lest --again clears its games.

    Raises FolderError.
    """
    try:
        settings = read_json(folder / "settings.json")
    except FolderError:  # it is not begun, or --again may clear it
        return
    if isinstance(settings, dict) and "params" not in settings:
        raise FolderError(f"{folder} was not made by `gtpbot train`: give another --work folder")


def _mark(folders: Iterable[Path]) -> None:
    """Mark all that begins anew before any of it is removed.

    So the same command without `again`, which goes on after Ctrl-C, takes none of it for done.
    """
    for folder in folders:
        with suppress(FileNotFoundError):  # not begun, or marked before
            (folder / "settings.json").replace(folder / CLEARED)


def _clear(folder: Path) -> None:
    """Remove a stage's folder, which is marked; whoever comes after a kill removes the rest.

    What is left could be taken for whole, as a generation that is done, but whose games are gone.
    """
    mark = folder / CLEARED
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        elif path != mark:
            path.unlink()
    mark.unlink()


def _with_needs(stages: Sequence[Stage[Any]], names: set[str]) -> set[str]:
    """The names, and those of all stages below them, which come before them in `stages`."""
    found = set(names)
    for stage in reversed(stages):
        if stage.name in found:
            found |= set(stage.needs)
    return found


def _settings(stages: Sequence[Stage[Any]], stage: Stage[Any], run: Run) -> dict[str, Any]:
    """All that the result of a stage depends on."""
    below = [other for other in stages if other.name in stage.needs]
    return {
        "game": run.game.spec.name,
        "seed": run.seed,
        "excluded": run.excluded and sha256(run.excluded.read_bytes()).hexdigest(),
        "params": stage.params.model_dump(mode="json"),
        "needs": {other.name: digest_of(_settings(stages, other, run)) for other in below},
    }


def _inputs(stages: Sequence[Stage[Any]], stage: Stage[Any], run: Run) -> dict[str, str]:
    """Those of the stage and of all below it."""
    names = _with_needs(stages, {stage.name})
    chain = [each for each in stages if each.name in names]
    return {f"{name} of {each.name}": d for each in chain for name, d in each.inputs(run).items()}
