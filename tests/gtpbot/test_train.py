"""`gtpbot train`: how it is asked; what it makes is in tests/nets/train."""

import os
import re
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray

from games.registry import GAMES
from games.tictactoe import TicTacToe
from gtpbot.cli import main
from gtpbot.learning.train import _recorded
from gtpcore import ConnectFourState
from nets.train.excluded import excluded_keys
from nets.train.keys import position_keys
from nets.train.lockstep import planes_of
from nets.train.pipeline import Run
from nets.train.records import read_folder


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["train", *words]) == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--stage", "expert"], "gtpbot: unknown stage 'expert': did you mean 'experts'?"),
        (["--param", "experts"], "gtpbot: setting 'experts': expected STAGE.KEY=VALUE"),
        (["--param", "experts=1"], "gtpbot: setting 'experts=1': expected STAGE.KEY=VALUE"),
        (["--param", "value.step=1"], "gtpbot: stage value has no 'step': did you mean 'steps'?"),
        (["--param", "value.steps=0"], "gtpbot: stage value: steps '0': expected greater than or"),
        (["--param", "value.rate=inf"], "gtpbot: stage value: rate 'inf': expected a finite"),
        (["--from", "games"], "gtpbot: --from games: coin learns from no such folder"),
        (["--threads", "0"], "gtpbot: --threads 0: expected at least 1"),
        (["--seed", "4294967296"], "gtpbot: --seed 4294967296: expected less than 2^32"),
        (["--quick", "--ship"], "gtpbot: --quick --ship: nets in miniature play badly"),
        (["--out", __file__], f"gtpbot: --out {__file__!r}: expected a folder"),
        (["--out", f"{__file__}/nets"], f"gtpbot: --out {__file__!r}: expected a folder"),
        (["--from", "./selfplay"], "gtpbot: --from selfplay: coin learns from no such folder"),
        (["--from", "selfplay"], "gtpbot: --from selfplay: coin plays itself without being told"),
        (["--seed", "-1"], "gtpbot: --seed -1: expected at least 0"),
        (["--param", "valu.steps=1"], "gtpbot: unknown stage 'valu': did you mean 'value'?"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert complaint(capsys, "coin", *words).startswith(expected)


def test_an_expert_that_is_not_there(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["coin", "--stage", "experts", "--work", str(tmp_path), "--param", "experts.source=me"]
    assert complaint(capsys, *words) == "gtpbot: cannot train: source 'me': expected one of games"
    assert not list(tmp_path.iterdir())  # so that the right one is no other setting


def test_help_names_the_stages_and_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "stages of coin" in out
    assert "actor_critic" in out
    assert "source=games" in out
    assert re.search(
        r"of policy_gradient, actor_critic \(coin, .*\n {2}steps +rounds of games\n", out
    )
    assert re.search(r"\n {2}sound +share of the policy's loss that asks for any move", out)


def test_a_stage_alone_runs_once(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    words = ["coin", "--stage", "experts", "--quick", "--work", str(tmp_path)]
    assert main(["train", *words]) == 0
    assert (tmp_path / "experts" / "done.json").exists()
    assert "done already" not in capsys.readouterr().err
    assert main(["train", *words]) == 0
    assert "done already" in capsys.readouterr().err


def test_nets_that_cannot_be_copied_are_told_where_they_are(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    words = ["coin", "--stage", "fast_policy", "--quick", "--work", str(work), "--out", str(out)]
    (out / "fast_policy.keras").mkdir(parents=True)  # in the place of the file
    assert complaint(capsys, *words).startswith(
        f"gtpbot: cannot copy the nets, which are in {work}: [Errno "
    )


def test_excluded_positions_and_their_mirror_images_are_not_learned_from(tmp_path: Path) -> None:
    words = ["connect4", "--quick", "--stage", "experts", "--param", "experts.source=games"]
    assert main(["train", *words, "--work", str(tmp_path / "all")]) == 0
    full = read_folder(tmp_path / "all" / "experts")
    centre, answered = "4", "45"
    excluded = tmp_path / "excluded"
    excluded.write_text(f"{centre} 1\n\n{answered} -2\n")
    words += ["--exclude", str(excluded), "--work", str(tmp_path / "some")]
    assert main(["train", *words]) == 0
    some = read_folder(tmp_path / "some" / "experts")
    states = [ConnectFourState(), ConnectFourState()]
    for state, moves in zip(states, ([3], [3, 2]), strict=True):  # the latter in a mirror
        for move in moves:
            state.apply_action(move)
    keys = position_keys("connect4", planes_of(states))
    gone = np.isin(full.keys("connect4"), keys)
    assert gone.any()
    assert len(some) == len(full) - gone.sum()
    assert not np.isin(some.keys("connect4"), keys).any()


@pytest.mark.parametrize(
    ("content", "told"),
    [(b" \n", "expected positions, such as 4453 in a line"), (b"\xff", "expected text in UTF-8: ")],
)
def test_a_file_of_no_excluded_positions_is_told(
    content: bytes, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "excluded").write_bytes(content)
    words = ["--exclude", str(tmp_path / "excluded"), "--work", str(tmp_path), "--quick"]
    message = complaint(capsys, "connect4", "--stage", "experts", *words)
    assert message.startswith(f"gtpbot: cannot train: --exclude {tmp_path / 'excluded'}: {told}")


@pytest.mark.parametrize(("line", "told"), [("48", "8"), ("4444444", "4444444")])
def test_an_excluded_position_that_is_none_is_told(
    line: str, told: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "excluded").write_text(f"44\n{line}")
    words = ["--exclude", str(tmp_path / "excluded"), "--work", str(tmp_path), "--quick"]
    message = complaint(capsys, "connect4", "--stage", "experts", *words)
    place = f"--exclude {tmp_path / 'excluded'}, line 2: position '{line}': "
    assert message.startswith(f"gtpbot: cannot train: {place}")
    assert told in message


def test_positions_of_moves_with_longer_names_have_commas(tmp_path: Path) -> None:
    excluded = tmp_path / "excluded"
    excluded.write_text("B2,A1 0\nB2,\n")
    run = Run(GAMES["tictactoe"](), tmp_path, 1, "", 1, excluded=excluded)
    states = [TicTacToe().new_state() for _ in range(2)]
    for state, moves in zip(states, ((4, 0), (4,)), strict=True):
        for move in moves:
            state.apply_action(move)
    assert set(excluded_keys(run)) == set(position_keys("tictactoe", planes_of(states)))


def test_a_folder_that_is_called_selfplay_is_not_ignored(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "selfplay").mkdir()
    message = complaint(capsys, "go", "--quick", "--from", "selfplay")
    assert message.startswith("gtpbot: --from selfplay: it means games against itself, but there")


def test_a_card_names_files_and_no_folders_of_one_machine() -> None:
    words = ["go", "--work", "/home/me/w", "--param", "settle.net=/home/me/w/settle.keras",
             "--param", "alphazero.net=~/n.keras", "--param", "settle.rate=0.005"]  # fmt: skip
    assert list(_recorded(words)) == [
        *["go", "--work", "w", "--param", "settle.net=settle.keras"],
        *["--param", "alphazero.net=n.keras", "--param", "settle.rate=0.005"],
    ]


def test_each_position_is_made_once_or_the_shard_is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["tictactoe", "--stage", "experts", "--work", str(tmp_path)]
    told = complaint(capsys, *words, "--param", "experts.shard=565")
    assert told.startswith("gtpbot: cannot train: experts: shard=565: source 'exact' ")


def test_a_copy_that_fails_leaves_the_net_that_was_there(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    work, out = tmp_path / "work", tmp_path / "out"
    words = ["coin", "--stage", "fast_policy", "--quick", "--work", str(work)]
    assert main(["train", *words]) == 0
    out.mkdir()
    (out / "fast_policy.keras").write_bytes(b"a good net")

    def half_a_copy(source: Path, to: Path) -> None:
        Path(to).write_bytes(Path(source).read_bytes()[:100])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("shutil.copy", half_a_copy)
    assert complaint(capsys, *words, "--out", str(out)).startswith("gtpbot: cannot copy the nets")
    assert [path.name for path in out.iterdir()] == ["fast_policy.keras"]
    assert (out / "fast_policy.keras").read_bytes() == b"a good net"


def test_what_is_lacking_to_train_is_told_before_anything_is_learned(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["coin", "--quick", "--work", str(tmp_path / "work")]
    monkeypatch.setattr(
        "gtpbot.learning.train.find_spec", lambda name: None if name == "onnx" else name
    )
    assert complaint(capsys, *words).startswith("gtpbot: cannot train without onnx: pip install")
    assert not (tmp_path / "work").exists()


def test_what_is_asked_for_is_done_and_delivered_alone(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    asked: list[tuple[Run, list[str], bool]] = []

    def performing(stages: Any, wanted: list[str], run: Run, again: bool) -> Any:
        asked.append((run, wanted, again))
        return stages  # those that were needed, too

    monkeypatch.setattr("gtpbot.learning.train.perform", performing)
    monkeypatch.setattr("gtpbot.learning.train._check_packages", lambda: None)
    monkeypatch.chdir(tmp_path)
    words = ["--quick", "--again", "--stage", "rollout", "--seed", "7", "--threads", "3"]
    assert main(["train", "go", "--from", "games", *words]) == 0
    assert capsys.readouterr().err == f"rollout: in {Path('runs', 'go', 'rollout')}\n"
    assert main(["train", "go", "--from", "selfplay"]) == 0
    (first, wanted, again), (other, *rest) = asked
    assert (first.seed, first.threads, first.source, first.judged) == (7, 3, Path("games"), 4)
    assert (wanted, again) == (["rollout"], True)
    assert (other.seed, other.threads, other.source, other.judged) == (1, 1, None, 200)
    assert rest == [["alphazero"], False]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_ctrl_c_is_not_lost_while_keras_starts(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def importing(name: str) -> None:
        with suppress(KeyboardInterrupt):  # as modules written in C do
            signal.raise_signal(number)

    ended: list[int] = []
    monkeypatch.setattr("gtpbot.learning.train.import_module", importing)
    monkeypatch.setattr("gtpbot.learning.train.perform", lambda *arguments: [])
    monkeypatch.setattr("os._exit", ended.append)
    main(["train", "coin", "--work", str(tmp_path)])
    assert ended == [130]


@pytest.mark.parametrize(
    ("words", "command"),
    [([], "the same command"), (["--again"], "the same command without --again")],
)
def test_after_a_ctrl_c_it_is_told_which_command_goes_on(
    words: list[str],
    command: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gtpbot.learning.train.perform", interrupted)
    assert main(["train", "coin", "--work", str(tmp_path), *words]) == 130
    assert capsys.readouterr().err.endswith(f"interrupted; {command} goes on from here\n")


def test_a_backend_that_is_not_there_is_told() -> None:
    command = [sys.executable, "-m", "gtpbot", "train", "coin", "--quick", "--work", "none"]
    environment = os.environ | {"KERAS_BACKEND": "abacus"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert run.returncode == 2
    assert run.stderr.splitlines()[-1].startswith(
        "gtpbot: Keras does not start (KERAS_BACKEND=abacus): "
    )


@pytest.mark.slow
def test_what_one_backend_has_learned_another_goes_on_with(tmp_path: Path) -> None:
    """As after a night on a machine with a GPU, where TensorFlow need not be the backend."""
    there, here = tmp_path / "there", tmp_path / "here"
    train_by("jax", there)
    for stage in ("experts", "fast_policy"):
        shutil.copytree(there / stage, here / stage)
    (here / "fast_policy" / "done.json").unlink()
    (here / "fast_policy" / "fast_policy.keras").unlink()
    train_by("tensorflow", here)
    found = [weights(work / "fast_policy" / "fast_policy.onnx") for work in (there, here)]
    assert len(found[0]) > 0
    for one, other in zip(*found, strict=True):
        assert np.array_equal(one, other)


def train_by(backend: str, work: Path) -> None:
    words = ["train", "coin", "--quick", "--stage", "fast_policy", "--work", str(work)]
    environment = os.environ | {"KERAS_BACKEND": backend}
    command = [sys.executable, "-m", "gtpbot", *words]
    subprocess.run(command, env=environment, check=True, capture_output=True)


def weights(path: Path) -> list[NDArray[Any]]:
    return [onnx.numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer]
