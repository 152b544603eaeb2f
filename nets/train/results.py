"""What a stage leaves behind of a net: its files, and how they are brought elsewhere."""

import shutil
from pathlib import Path
from typing import Any

from games.whole_files import replacing, write_whole
from nets.convert import save
from nets.runtime import Net
from nets.spec import NetSpec
from nets.train.card import write_card
from nets.train.curves import draw_curves
from nets.train.fit import Model, Progress, generator
from nets.train.lockstep import deterministic, exact, start_of, uniform
from nets.train.pipeline import Facts, Run, Stage
from nets.train.reinforce import policy_of
from nets.train.strength import match


def finish(
    model: Model,
    role: str,
    progress: Progress,
    facts: Facts,
    run: Run,
    written: Path | None = None,
    rated: bool = True,
) -> Facts:
    """Write the files of a net into the folder of its stage; the facts, and how it was made.

    If the net is `written` already, its file and the twin beside it are copied. The strength of a
    policy that is `rated` is among the facts. Raises NetError if the net cannot be played with, as
    one that has diverged.
    """
    path = run.folder(role) / f"{role}.keras"
    if written is None:
        save(model, path)
    else:
        for suffix in (".keras", ".onnx"):
            _copy(written.with_suffix(suffix), path.with_suffix(suffix))
    Net(path.with_suffix(".onnx"), NetSpec.of(run.game), shown=path)
    if rated and "policy" in model.output_names:
        facts = {**facts, **strength(model, run)}
    facts = {**facts, "seed": str(run.seed), "made_by": f"`{run.command}`"}
    title = run.game.spec.title
    draw_curves(progress.history, f"{title}: {role}", path.with_suffix(".png"))
    card = write_card(title, role, model, progress, facts)
    # The command may name files whose names are no text.
    write_whole(path.with_suffix(".md"), card, errors="replace")
    return facts


def load_model(role: str, run: Run) -> Model:
    """The net that a stage made."""
    import keras

    return keras.saving.load_model(run.folder(role) / f"{role}.keras", compile=False)


def strength(model: Model, run: Run) -> Facts:
    """How the likeliest moves of a policy do against others.

    Each game begins with up to two random moves, or as many as fill a sixth of the board if those
    are more: fewer would make most games the same one.
    """
    player = deterministic(policy_of(model))
    opening = max(2, run.game.spec.width * run.game.spec.height // 6)
    rivals = {"against_random_moves": uniform, "against_alpha_beta_of_depth_3": exact(3)}
    return {
        name: str(
            match(
                player, rival, start_of(run.game), run.judged, opening, generator(run.seed, name, 0)
            )
        )
        for name, rival in rivals.items()
    }


def deliver(stage: Stage[Any], run: Run, to: Path) -> None:
    """Copy what the program plays with to another folder."""
    to.mkdir(parents=True, exist_ok=True)
    source = run.folder(stage.name)
    for name in stage.files:
        _copy(source / name, to / name)


def _copy(source: Path, target: Path) -> None:
    with replacing(target) as fresh:
        shutil.copy(source, fresh)
