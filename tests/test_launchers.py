"""`bin/gtpbot` and `bin/test`: they set themselves up once, and never when nothing changed.

Most tests run the real launchers in a small checkout whose `.venv/bin/python` is a script: it
notes what pip is asked for, and does all else as the real one.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bin import set_up

ROOT = Path(__file__).parents[1]

PYTHON = """\
#!/bin/sh
case "$*" in
  *"-m pip"*) echo "$*" >>"{checkout}/pip.calls"; . "{checkout}/pip.sh" ;;
  *"-m pytest"*) pwd; echo "$*" ;;
  *) exec "{real}" "$@" ;;
esac
"""
ENGINE = """\
#!/bin/sh
echo "$(pwd) $*"
cat
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with spaces in its path, and an environment that no set-up has touched yet."""
    root = tmp_path / "my checkout"
    (root / "core").mkdir(parents=True)
    shutil.copytree(ROOT / "bin", root / "bin")
    for name in ("core/state.cpp", "CMakeLists.txt", "pyproject.toml", "cli.py", "pip.sh"):
        (root / name).touch()
    programs = root / ".venv" / "bin"
    programs.mkdir(parents=True)
    python = PYTHON.format(checkout=root, real=sys.executable)
    write_program(programs / "python", python)
    write_program(programs / "gtpbot", ENGINE)
    return root


def write_program(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


def start(
    program: Path | str,
    *arguments: str,
    cwd: Path | None = None,
    env: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run a launcher to its end; by default with a compiler that accepts everything, quickly."""
    return subprocess.run(
        [program, *arguments],
        input="name\n",
        cwd=cwd,
        env={**os.environ, "CXX": "true", **(env or {})},
        capture_output=True,
        text=True,
        timeout=30,
    )


def installs(checkout: Path) -> list[str]:
    """What was installed in editable form, a word for each time."""
    calls = (checkout / "pip.calls").read_text().splitlines()
    return [call.split()[-1] for call in calls if "--editable" in call]


def test_the_first_start_sets_up_and_the_second_does_not(checkout: Path) -> None:
    (checkout / "pip.sh").write_text("cat >/dev/null")
    launcher = checkout / "bin" / "gtpbot"
    first = start(launcher, "--game", "coin", cwd=checkout.parent)
    assert first.stdout == f"{checkout.parent} --game coin\nname\n"
    assert "compiling C++" in first.stderr
    second = start(launcher, "--game", "coin", cwd=checkout.parent)
    assert (second.stdout, second.stderr) == (first.stdout, "")
    assert installs(checkout) == ["."]


def test_help_needs_no_more_than_to_play(checkout: Path) -> None:
    """What trains nets is large."""
    launcher = checkout / "bin" / "gtpbot"
    for words in (["train", "--help"], ["book", "-h"], ["train", "coin"]):
        start(launcher, *words)
    assert installs(checkout) == [".", ".[train]"]


def test_links_lead_to_the_checkout(checkout: Path, tmp_path: Path) -> None:
    start(checkout / "bin" / "gtpbot")
    elsewhere = tmp_path / "else where"
    elsewhere.mkdir()
    (elsewhere / "relative").symlink_to("../my checkout/bin/gtpbot")
    (tmp_path / "absolute").symlink_to(elsewhere / "relative")
    (tmp_path / "programs").symlink_to(checkout / "bin")
    for program in ("./relative", "../absolute", "../programs/gtpbot"):
        answer = start(program, cwd=elsewhere)
        assert (answer.stdout, answer.stderr) == (f"{elsewhere} \nname\n", "")
    by_name = start("relative", cwd=tmp_path, env={"PATH": f"{elsewhere}:{os.environ['PATH']}"})
    assert by_name.stdout == f"{tmp_path} \nname\n"


@pytest.mark.slow
def test_each_change_of_a_source_is_built_once(checkout: Path) -> None:
    source = checkout / "core" / "state.cpp"
    changes: list[Callable[[], object]] = [
        lambda: source.write_text("// changed"),
        lambda: source.rename(source.with_name("renamed.cpp")),
        (checkout / "core" / "new.cpp").touch,
        lambda: (checkout / "CMakeLists.txt").write_text("# changed"),
    ]
    start(checkout / "bin" / "gtpbot")
    for change in changes:
        change()
        assert "building what has changed" in start(checkout / "bin" / "gtpbot").stderr
        assert start(checkout / "bin" / "gtpbot").stderr == ""
    assert len(installs(checkout)) == 1 + len(changes)


def test_a_changed_python_file_needs_no_set_up(checkout: Path) -> None:
    start(checkout / "bin" / "gtpbot")
    (checkout / "cli.py").write_text("# changed")
    assert start(checkout / "bin" / "gtpbot").stderr == ""


@pytest.mark.slow
def test_tests_need_more_than_running(checkout: Path) -> None:
    start(checkout / "bin" / "gtpbot")
    answer = start(checkout / "bin" / "test", "-k", "a b", cwd=checkout.parent)
    workers = (os.cpu_count() or 1) + 1
    assert (
        answer.stdout
        == f"{checkout}\n-m pytest -n {workers} --maxprocesses 4 --dist worksteal -k a b\n"
    )
    assert start(checkout / "bin" / "gtpbot").stderr == ""
    (checkout / "core" / "state.cpp").write_text("// changed")
    start(checkout / "bin" / "gtpbot")
    assert start(checkout / "bin" / "test").stderr == ""
    assert installs(checkout) == [".", ".[test]", ".[test]"]


@pytest.mark.slow
def test_training_needs_more_than_playing(checkout: Path) -> None:
    gtpbot = checkout / "bin" / "gtpbot"
    start(gtpbot, "--game", "train")
    start(gtpbot, "train", "coin")
    (checkout / "core" / "state.cpp").write_text("// changed")
    start(gtpbot)
    assert start(gtpbot, "train", "coin").stderr == ""
    assert installs(checkout) == [".", ".[train]", ".[train]"]


@pytest.mark.slow
def test_what_is_ready_to_test_is_ready_to_train(checkout: Path) -> None:
    start(checkout / "bin" / "test")
    assert start(checkout / "bin" / "gtpbot", "train", "coin").stderr == ""
    assert installs(checkout) == [".[test]"]


@pytest.mark.slow
def test_starts_at_once_set_up_once(checkout: Path) -> None:
    (checkout / "pip.sh").write_text("sleep 0.2")
    engines = [
        subprocess.Popen(
            [checkout / "bin" / "gtpbot", str(number)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    answers = [engine.communicate(timeout=30) for engine in engines]
    assert [stdout.split()[-1] for stdout, _ in answers] == ["0", "1", "2", "3"]
    assert sum("waiting for it" in stderr for _, stderr in answers) == 3
    assert installs(checkout) == ["."]


def test_a_failed_set_up_says_why_and_is_tried_again(checkout: Path) -> None:
    (checkout / "pip.sh").write_text("echo state.cpp:7: error; exit 3")
    failed = start(checkout / "bin" / "gtpbot")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert "failed with status 3" in failed.stderr
    assert "    state.cpp:7: error\n" in failed.stderr
    (checkout / "pip.sh").write_text("")
    assert start(checkout / "bin" / "gtpbot").stdout.endswith("name\n")


def test_no_network_is_named(checkout: Path) -> None:
    (checkout / "pip.sh").write_text("echo connection broken by NewConnectionError; exit 1")
    assert "is there a network?" in start(checkout / "bin" / "gtpbot").stderr


def test_who_installs_for_the_user_elsewhere_does_not_here(checkout: Path) -> None:
    (checkout / "pip.sh").write_text('echo "for the user: $PIP_USER"; exit 1')
    answer = start(checkout / "bin" / "gtpbot", env={"PIP_USER": "1"})
    assert "for the user: 0\n" in answer.stderr


def test_a_killed_set_up_is_not_trusted(checkout: Path) -> None:
    (checkout / "pip.sh").write_text(f'touch "{checkout}/in-pip"; exec sleep 20')
    with subprocess.Popen(
        [checkout / "bin" / "gtpbot"], stderr=subprocess.DEVNULL, start_new_session=True
    ) as engine:
        while not (checkout / "in-pip").exists():
            time.sleep(0.01)
        assert set_up.SetUp(checkout).state().startswith("begun")
        os.killpg(engine.pid, signal.SIGKILL)
    assert not set_up.SetUp(checkout).keeps_venv()


def test_a_set_up_that_ctrl_c_ended_is_built_upon(checkout: Path) -> None:
    """What took minutes to fetch is still good once pip has ended by itself."""
    trap = f"trap 'sleep 1; touch \"{checkout}/tidy\"; exit 1' INT"
    (checkout / "pip.sh").write_text(
        f'{trap}; touch "{checkout}/in-pip"; while :; do sleep 0.1; done'
    )
    with subprocess.Popen(
        [checkout / "bin" / "gtpbot"],
        env={**os.environ, "CXX": "true"},
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as engine:
        while not (checkout / "in-pip").exists():
            time.sleep(0.01)
        os.killpg(engine.pid, signal.SIGINT)
        _, told = engine.communicate(timeout=30)
    assert (checkout / "tidy").exists()
    assert (
        b"set-up interrupted; the next start goes on with it" in told and b"Traceback" not in told
    )
    assert set_up.SetUp(checkout).state().startswith("failed")
    assert set_up.SetUp(checkout).keeps_venv()


def test_what_pip_was_interrupted_in_is_installed_anew(checkout: Path) -> None:
    """pip takes a package for installed as soon as it finds its METADATA."""
    packages = checkout / ".venv" / "lib" / "python3.14" / "site-packages"
    for name, files in {"half": ["METADATA"], "whole": ["METADATA", "INSTALLER"]}.items():
        facts = packages / f"{name}-1.0.dist-info"
        facts.mkdir(parents=True)
        for file in files:
            (facts / file).touch()
    assert start(checkout / "bin" / "gtpbot").returncode == 0
    assert [facts.name for facts in packages.iterdir()] == ["whole-1.0.dist-info"]


@pytest.mark.slow
def test_a_moved_checkout_is_set_up_anew(checkout: Path) -> None:
    start(checkout / "bin" / "gtpbot")
    assert set_up.SetUp(checkout).keeps_venv()
    moved = checkout.rename(checkout.with_name("moved"))
    assert not set_up.SetUp(moved).keeps_venv()
    (moved / "pip.sh").write_text("exit 1")
    answer = start(moved / "bin" / "gtpbot", env={"CXX": "no-such-compiler"})
    assert "missing: a C++ compiler" in answer.stderr


@pytest.mark.slow
def test_a_python_that_went_away_is_noticed(checkout: Path) -> None:
    start(checkout / "bin" / "gtpbot")
    (checkout / ".venv" / "bin" / "python").unlink()
    assert not set_up.SetUp(checkout).keeps_venv()
    answer = start(checkout / "bin" / "gtpbot", env={"CXX": "no-such-compiler"})
    assert "missing: a C++ compiler" in answer.stderr


def test_an_old_python_is_named(checkout: Path, tmp_path: Path) -> None:
    for name in ("python3", *(f"python3.{minor}" for minor in range(10, 20))):
        write_program(tmp_path / name, '#!/bin/sh\n[ "$1" = --version ] && echo Python 3.8.10\n')
    answer = start(checkout / "bin" / "gtpbot", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "no Python 3.10 or newer found; `python3 --version` says: Python 3.8.10" in answer.stderr


def test_to_train_takes_a_newer_python_than_to_play(checkout: Path, tmp_path: Path) -> None:
    """As Keras does. One that comes after an older one is found, and takes the place of that."""
    older = f"""\
#!/bin/sh
case "$*" in
  --version) echo Python 3.10.12 ;;
  *version_info*11*) exit 1 ;;
  *) exec "{sys.executable}" "$@" ;;
esac
"""
    for name in ("python3", *(f"python3.{minor}" for minor in range(10, 20))):
        write_program(tmp_path / name, older)
    gtpbot, env = checkout / "bin" / "gtpbot", {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    assert start(gtpbot, env=env).returncode == 0
    answer = start(gtpbot, "train", "coin", env=env)
    assert (answer.returncode, installs(checkout)) == (1, ["."])
    assert "no Python 3.11 or newer found; `python3 --version` says: Python 3.10" in answer.stderr
    write_program(checkout / ".venv" / "bin" / "python", older)
    assert set_up.SetUp(checkout).keeps_venv()
    assert not set_up.SetUp(checkout).keeps_venv(least=11)
    (tmp_path / "python3.12").unlink()
    (tmp_path / "python3.12").symlink_to(sys.executable)
    newer = start(gtpbot, "train", "coin", env={**env, "CXX": "no-such-compiler"})
    assert "missing: a C++ compiler" in newer.stderr


def test_the_home_of_another_python_is_not_taken(checkout: Path) -> None:
    write_program(checkout / ".venv" / "bin" / "gtpbot", '#!/bin/sh\necho "${PYTHONHOME-none}"\n')
    answer = start(checkout / "bin" / "gtpbot", env={"PYTHONHOME": "/nowhere"})
    assert (answer.returncode, answer.stdout) == (0, "none\n"), answer.stderr


def test_a_missing_compiler_is_named(checkout: Path) -> None:
    answer = start(checkout / "bin" / "gtpbot", env={"CXX": "no-such-compiler"})
    assert (answer.returncode, answer.stdout) == (1, "")
    assert "missing: a C++ compiler (looked for no-such-compiler)" in answer.stderr
    assert "sudo apt-get install g++" in answer.stderr


def test_all_that_is_missing_is_named_at_once(tmp_path: Path) -> None:
    python = tmp_path / "python"
    write_program(python, f"#!/bin/sh\necho '{tmp_path}'; echo False\n")
    with pytest.raises(set_up.SetUpError) as error:
        set_up.check_machine(python, for_venv=True)
    missing = str(error.value)
    assert f"the headers of Python ({tmp_path}/Python.h)" in missing
    assert f"the venv module of {python}" in missing


def test_an_old_compiler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "Python.h").touch()
    write_program(tmp_path / "c++98", "#!/bin/sh\necho 'unknown option -std=c++20' >&2; exit 1\n")
    monkeypatch.setenv("CXX", str(tmp_path / "c++98"))
    (missing,) = set_up.missing_of_compiler(str(tmp_path))
    assert "a compiler of C++20" in missing
    assert "unknown option -std=c++20" in missing


@pytest.mark.parametrize("name", ["launcher compiler", "my compiler"])
def test_a_compiler_may_have_arguments_or_a_space_in_its_path(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "Python.h").touch()
    write_program(tmp_path / "launcher", '#!/bin/sh\n[ "$1" = compiler ]\n')
    write_program(tmp_path / "my compiler", "#!/bin/sh\n")
    monkeypatch.setenv("CXX", str(tmp_path / name))
    assert set_up.missing_of_compiler(str(tmp_path)) == []


def test_the_build_tools_are_those_of_the_project() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    tools = ", ".join(f'"{tool}"' for tool in set_up.BUILD_TOOLS)
    assert f"requires = [{tools}]\n" in project
