"""Make the nets of a game, from expert moves to weights: `gtpbot train GAME`.

Go learns from games that others played: `gtpbot train go --from DIR`; or from games against itself,
generation by generation, each kept if it is better: `gtpbot train go --from selfplay`.

Everything lies in the work folder (by default runs/GAME where you are): each stage in a folder of
its own, with its checkpoints. A run that was killed goes on where it was when it is started again.
With --ship the nets are copied to where the program looks for its weights, with --out to any
folder; otherwise they stay in the work folder.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from shlex import join
from typing import Any

import nets
from games.begun_folders import FolderError
from gtpbot.options import OptionsError, make_game, read, shown
from gtpbot.text.words import suggest
from gtpbot.verb_parser import VerbParser, check_least
from nets.spec import NetError
from nets.threads import interrupts_handled_by
from nets.train.errors import TrainingError
from nets.train.go_stages import GamesStage
from nets.train.pipeline import Run, Stage, perform
from nets.train.pipelines import FROM_SELF_PLAY, PIPELINES, quick

Stages = Sequence[Stage[Any]]

SELF_PLAY = "selfplay"
"""The word; `./selfplay` is a folder."""
PACKAGES = ("keras", "tf2onnx", "onnx")
"""What nets are made and written by."""
QUICK_GAMES = 4
"""Games of a match where all is in miniature."""


def main(arguments: Sequence[str]) -> int:
    """Train, and say where the nets are; the exit status. Raises OptionsError."""
    options = _parser().read(arguments)
    check_least(options, {"seed": 0, "threads": 1})
    if options.seed >= 2**32:
        raise OptionsError(f"--seed {options.seed}: expected less than 2^32, as Keras does")
    if options.quick and options.ship:
        raise OptionsError("--quick --ship: nets in miniature play badly: expected --out DIR")
    _check_out(options.out)
    stages = _stages(options)
    wanted = _wanted(options.stage, stages)
    source = Path(options.source) if options.source not in (None, SELF_PLAY) else None
    if source and not any(isinstance(stage, GamesStage) for stage in stages):
        raise OptionsError(f"--from {source}: {options.game} learns from no such folder")
    run = Run(
        game=make_game(options.game, {}),
        work=options.work or Path("runs") / options.game,
        seed=options.seed,
        command=join(["gtpbot", "train", *_recorded(arguments)]),
        threads=options.threads,
        judged=QUICK_GAMES if options.quick else Run.judged,
        excluded=options.exclude,
        source=source,
    )
    _check_packages()
    try:
        done = perform(stages, wanted, run, options.again)
    except KeyboardInterrupt:
        without = " without --again" if options.again else ""
        print(
            f"gtpbot train: interrupted; the same command{without} goes on from here",
            file=sys.stderr,
        )
        raise
    except (OSError, NetError, FolderError, TrainingError, ModuleNotFoundError) as error:
        raise OptionsError(f"cannot train: {error}") from error
    try:
        _deliver([stage for stage in done if stage.name in wanted], run, options)
    except OSError as error:
        raise OptionsError(f"cannot copy the nets, which are in {run.work}: {error}") from None
    return 0


def _check_packages() -> None:
    """Raise OptionsError if what trains nets is not there, or not to be used."""
    lacking = [name for name in PACKAGES if find_spec(name) is None]
    if lacking:
        raise OptionsError(
            f"cannot train without {', '.join(lacking)}: pip install '.[train]' brings it, "
            "in the checkout"
        )
    try:
        # Some of what it imports takes Ctrl-C for a lack, and goes on. Nothing is to be lost yet.
        with interrupts_handled_by(lambda *_: os._exit(130)):
            import_module("keras")
    except (ImportError, ValueError) as error:
        backend = os.environ.get("KERAS_BACKEND", "tensorflow")
        raise OptionsError(f"Keras does not start (KERAS_BACKEND={backend}): {error}") from None


def _check_out(folder: Path | None) -> None:
    """Raise OptionsError if there can be no such folder, before the nets for it are made."""
    while folder and not folder.exists():
        folder = folder.parent
    if folder and not folder.is_dir():
        raise OptionsError(f"--out {str(folder)!r}: expected a folder")


def _stages(options: argparse.Namespace) -> Stages:
    """The line of the game with the parameters that were given."""
    stages = PIPELINES[options.game]
    if options.source == SELF_PLAY:
        if options.game not in FROM_SELF_PLAY:
            raise OptionsError(f"--from selfplay: {options.game} plays itself without being told")
        if Path(SELF_PLAY).is_dir():
            raise OptionsError(
                "--from selfplay: it means games against itself, but there is a folder of that "
                "name: expected ./selfplay for its games, or another name for the folder"
            )
        stages = FROM_SELF_PLAY[options.game]
    if options.quick:
        stages = [quick(stage) for stage in stages]
    for setting in options.param:
        stages = _changed(stages, setting)
    return stages


def _changed(stages: Stages, setting: str) -> Stages:
    """The stages with one parameter of one of them changed."""
    where, equals, value = setting.partition("=")
    name, dot, key = where.partition(".")
    if not equals or not dot:
        raise OptionsError(f"setting {setting!r}: expected STAGE.KEY=VALUE")
    _wanted([name], stages)
    return [
        stage if stage.name != name else replace(stage, params=_with(stage, {key: value}))
        for stage in stages
    ]


def _with(stage: Stage[Any], settings: dict[str, str]) -> Any:
    return read(type(stage.params), stage.params.model_dump() | settings, f"stage {stage.name}")


def _wanted(names: Sequence[str], stages: Stages) -> list[str]:
    """The stages of these names; all if there are none. Raises OptionsError."""
    known = [stage.name for stage in stages]
    for name in names:
        if name not in known:
            raise OptionsError(f"unknown stage {name!r}: {suggest(name, known)}")
    return list(names) or known


def _recorded(arguments: Sequence[str]) -> Iterator[str]:
    """The command as others can give it: files by their names alone."""
    for word in arguments:
        key, equals, value = word.rpartition("=")
        yield key + equals + Path(value).name if value.startswith(("/", "~")) else word


def _deliver(stages: Stages, run: Run, options: argparse.Namespace) -> None:
    from nets.train.results import deliver

    folder = options.out or (_shipped(options.game) if options.ship else None)
    for stage in stages:
        if stage.files:
            if folder:
                deliver(stage, run, folder)
            print(f"{stage.name}: in {folder or run.folder(stage.name)}", file=sys.stderr)


def _shipped(game: str) -> Path:
    return Path(nets.__path__[0]) / "weights" / game


def _parser() -> VerbParser:
    parser = VerbParser("train", __doc__, _appendix)
    add = parser.add_argument
    add("game", choices=PIPELINES, help="the game")
    add("--stage", action="append", default=[], metavar="NAME", help="only this one, and what it "
        "needs that is not done yet; repeatable")  # fmt: skip
    add("--seed", type=int, default=1, metavar="N", help="seed of all randomness (1)")
    add("--work", type=Path, metavar="DIR", help="the work folder (runs/GAME)")
    add("--threads", type=int, default=1, metavar="T", help="threads that play games, "
        "solve positions and make batches; they change nothing in them (1)")  # fmt: skip
    add("--ship", action="store_true", help="copy the nets to where the program looks for them")
    add("--out", type=Path, metavar="DIR", help="copy the nets to this folder")
    add("--again", action="store_true", help="begin the stages anew, whatever is there of them")
    add("--quick", action="store_true", help="in miniature, to see whether everything works")
    add("--exclude", type=Path, metavar="FILE", help="positions never to be learned from, one a "
        "line, as the moves that lead there, such as 4453")  # fmt: skip
    add("--from", dest="source", metavar="DIR", help="a folder of games of Go to learn "
        "from: SGF, labelled games as nets/train/go_sources.py has them, or shards of selfplay; "
        "or the word selfplay, to learn from games against itself")  # fmt: skip
    add("--param", action="append", default=[], metavar="STAGE.KEY=VALUE", help="any parameter of "
        "a stage; repeatable")  # fmt: skip
    return parser


def _appendix() -> Iterator[str]:
    """The stages of each game and their parameters, and what these mean."""
    lines = {**PIPELINES, **{f"{g} --from selfplay": s for g, s in FROM_SELF_PLAY.items()}}
    for game, stages in lines.items():
        yield f"\nstages of {game} (--param STAGE.KEY=VALUE), with their defaults:"
        for stage in stages:
            values = stage.params.model_dump().items()
            yield f"  {stage.name:<16} " + " ".join(f"{k}={shown(v)}" for k, v in values)
    yield from _meanings(lines)


def _meanings(lines: Mapping[str, Stages]) -> Iterator[str]:
    """What the parameters of each kind of stage mean."""
    every = [(game, stage) for game, stages in lines.items() for stage in stages]
    for kind in dict.fromkeys(type(stage.params) for _, stage in every):
        having = [(game, stage.name) for game, stage in every if type(stage.params) is kind]
        games, names = (", ".join(dict.fromkeys(words)) for words in zip(*having, strict=True))
        yield f"\nparameters of {names} ({games}):"
        for key, field in kind.model_fields.items():
            yield f"  {key:<16} {field.description}"
