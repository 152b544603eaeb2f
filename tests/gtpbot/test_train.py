"""`gtpbot train`: how it is asked; what it makes is in tests/nets/train."""

from pathlib import Path

import pytest

from gtpbot.cli import main


def complaint(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["train", *words]) == 2
    return capsys.readouterr().err.splitlines()[-1]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--stage", "expert"], "gtpbot: unknown stage 'expert': did you mean 'experts'?"),
        (["--param", "experts"], "gtpbot: setting 'experts': expected STAGE.KEY=VALUE"),
        (["--param", "value.step=1"], "gtpbot: stage value has no 'step': did you mean 'steps'?"),
        (["--param", "value.steps=0"], "gtpbot: stage value: steps '0': expected greater than or"),
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


def test_help_names_the_stages_and_their_parameters(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["train", "--help"])
    assert ended.value.code == 0
    out = capsys.readouterr().out
    assert "stages of coin" in out
    assert "actor_critic" in out
    assert "source=games" in out


def test_records_without_nets_import_no_keras(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["coin", "--stage", "experts", "--quick", "--work", str(tmp_path)]
    assert main(["train", *words]) == 0
    assert (tmp_path / "experts" / "done.json").exists()
    assert "done already" not in capsys.readouterr().err
    assert main(["train", *words]) == 0
    assert "done already" in capsys.readouterr().err
