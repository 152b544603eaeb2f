"""Makes `.venv` ready: a virtual environment with this checkout built and installed in it.

The launchers call this when there is no `.venv` yet, or when a source of the build has changed.
The package is installed in editable form, so that a change in Python needs no set-up.

What was done is in `.venv/set_up.state`. Its first line is `KIND CHECKOUT`; KIND is `begun` while
a set-up runs (a later start finds it only if that one was killed), `failed` after an orderly
failure, and a key of PACKAGES after success. The sources that were built follow, as the launchers
list them. The lock belongs to the open file, so it goes with the last process that holds it.
"""

import fcntl
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

BUILD_TOOLS = ("scikit-build-core>=0.11", "nanobind>=3.1,<3.2")
"""As in pyproject.toml. They are installed for good, so that a rebuild needs no network."""

PACKAGES = {"run": ".", "train": ".[train]", "test": ".[test]"}
"""What is installed to be ready for something; each holds all of those before it."""

PROBE = """
#include <Python.h>
#include <atomic>
#include <compare>
#include <span>
static_assert(__cplusplus >= 202002L);
std::span<int> probe;
"""
"""What the extension needs of the machine."""

HOW_TO_INSTALL = """\
  Debian, Ubuntu:  sudo apt-get install g++ python3-dev python3-venv
  Fedora:          sudo dnf install gcc-c++ python3-devel
  Arch:            sudo pacman -S gcc python
  macOS:           xcode-select --install"""


class SetUpError(Exception):
    """The set-up cannot go on; the text tells the user why and what to do."""


def say(text: str) -> None:
    """Tell the user, on stderr."""
    print(f"gtpbot: {text}", file=sys.stderr, flush=True)


class SetUp:
    """One set-up of one checkout."""

    def __init__(self, root: Path) -> None:
        """Of the checkout at `root`, an absolute path."""
        self.root = root
        self.venv = root / ".venv"
        self.python = self.venv / "bin" / "python"
        self.build = root / "build" / "launcher"
        self.log = root / "build" / "set_up.log"
        self._state = self.venv / "set_up.state"
        self._lock = -1

    def run(self, kind: str, sources: str, least: int) -> None:
        """Make the checkout ready for `kind`, a key of PACKAGES, with `sources` built.

        It takes Python 3.`least` or newer, as this one is.
        """
        enough = list(PACKAGES)[list(PACKAGES).index(kind) :]
        done = [f"{ready} {self.root}\n{sources}\n" for ready in enough]
        with self._locked():
            if self.state() in done and self.python.exists():
                return  # done by the start that we waited for
            before = self.state().partition(" ")[0]
            kind = before if before in enough else kind
            started = time.monotonic()
            self._install(kind, least)
            self._write_state(kind, sources)
            say(f"ready after {time.monotonic() - started:.0f} s")

    def state(self) -> str:
        """What earlier set-ups left, or nothing."""
        try:
            return self._state.read_text()
        except FileNotFoundError:
            return ""

    def keeps_venv(self, least: int = 10) -> bool:
        """True if what is in `.venv` can be built upon, with Python 3.`least` or newer."""
        kind, _, place = self.state().partition("\n")[0].partition(" ")
        if kind == "begun" or (kind and place != str(self.root)):
            return False
        new_enough = f"import pip, sys; sys.exit(sys.version_info < (3, {least}))"
        return self.python.exists() and succeeds([self.python, "-I", "-c", new_enough])

    def _install(self, kind: str, least: int) -> None:
        keep = self.keeps_venv(least)
        # Not by the name it was found under: this one goes away when Python is upgraded, and
        # .venv is then seen to be broken.
        python = self.python if keep else Path(sys.executable).resolve()
        check_machine(python, for_venv=not keep)
        if keep:
            say("building what has changed, or is needed besides; this takes up to a minute or two")
            self._forget_half_installed()
        else:
            say(f"setting up in {self.venv}; this takes a minute or two, this once")
            self._make_venv(python)
        self._write_state("begun")
        try:
            self._pip("build tools", *BUILD_TOOLS)
            self._pip("CMake and Ninja", *self._more_build_tools())
            self._pip(
                "the engine: compiling C++", "--no-build-isolation", "--editable", PACKAGES[kind]
            )
        except (SetUpError, KeyboardInterrupt):
            self._write_state("failed")
            raise

    def _forget_half_installed(self) -> None:
        """What a pip that was interrupted, or had no room, began to copy, and would take for whole.

        In some wheels, as of NumPy for macOS, what it tells that by comes first.
        """
        for facts in self.venv.glob("lib/python*/site-packages/*.dist-info"):
            if not (facts / "INSTALLER").exists():  # which pip writes when all else is there
                shutil.rmtree(facts)

    def _make_venv(self, python: Path) -> None:
        for left_over in (self.venv, self.build):
            shutil.rmtree(left_over, ignore_errors=True)
        self.venv.mkdir()
        self._write_state("begun")
        self._call("virtual environment", [python, "-I", "-m", "venv", self.venv])

    def _more_build_tools(self) -> list[str]:
        """CMake and Ninja, unless the machine has them."""
        hook = "from scikit_build_core.build import get_requires_for_build_editable as hook"
        return output_of([self.python, "-I", "-c", f"{hook}; print(*hook())"], self.root).split()

    def _pip(self, what: str, *arguments: str) -> None:
        if arguments:
            pip = [str(self.python), "-I", "-m", "pip", "--disable-pip-version-check", "install"]
            self._call(what, [*pip, *arguments])

    def _call(self, what: str, command: Sequence[str | Path]) -> None:
        """Run `command` in the checkout; its output goes to the log."""
        say(f"  {what} ...")
        environment = {
            **os.environ,
            "PIP_USER": "0",  # 1 in some configurations; no virtual environment takes it
            "CMAKE_BUILD_PARALLEL_LEVEL": str(os.cpu_count() or 1),
            "SKBUILD_BUILD_DIR": str(self.build),
        }
        self.log.parent.mkdir(exist_ok=True)
        with self.log.open("wb") as log:
            process = subprocess.Popen(
                command,
                cwd=self.root,
                env=environment,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[self._lock],  # should we be killed, it still writes to .venv
            )
            try:
                status = process.wait()
            except KeyboardInterrupt:  # of which a terminal tells pip too
                say("interrupted; waiting for pip to end")
                process.wait()
                raise
        if status:
            raise SetUpError(self._explain(what, status))

    def _explain(self, what: str, status: int) -> str:
        output = self.log.read_text(errors="replace")
        lines = [f"{what}: failed with status {status}; the end of {self.log} is:"]
        lines += ["    " + line for line in output.splitlines()[-20:]]
        if "NewConnectionError" in output or "Could not find a version" in output:
            lines.append("gtpbot: pip could not download what it needs; is there a network?")
            lines.append("gtpbot: (behind a proxy, set HTTPS_PROXY)")
        return "\n".join(lines)

    def _write_state(self, kind: str, sources: str = "") -> None:
        fresh = self._state.with_suffix(".new")
        fresh.write_text(f"{kind} {self.root}\n{sources}\n")
        fresh.replace(self._state)

    @contextmanager
    def _locked(self) -> Iterator[None]:
        """Hold the one lock of the checkout, after waiting for it if need be."""
        with (self.root / ".venv.lock").open("w") as lock:
            self._lock = lock.fileno()
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("another start is setting up; waiting for it")
                fcntl.flock(lock, fcntl.LOCK_EX)
            yield


def succeeds(command: Sequence[str | Path]) -> bool:
    """True if `command` runs and ends well."""
    return subprocess.run(command, capture_output=True).returncode == 0


def output_of(command: Sequence[str | Path], cwd: Path) -> str:
    """What `command` prints when it runs in the directory `cwd`."""
    answer = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if answer.returncode:
        raise SetUpError(f"{command[0]}: {answer.stderr}")
    return answer.stdout


def check_machine(python: Path, for_venv: bool) -> None:
    """Raise SetUpError, naming all that is missing to build the extension for `python`.

    With `for_venv`, also if `python` cannot make a virtual environment.
    """
    ask = (
        "import importlib.util, sysconfig; print(sysconfig.get_path('include'));"
        "print(importlib.util.find_spec('ensurepip') is not None)"
    )
    headers, has_venv = output_of([python, "-I", "-c", ask], Path("/")).splitlines()
    missing = missing_of_compiler(headers)
    if for_venv and has_venv != "True":
        missing.append(f"the venv module of {python}")
    if missing:
        raise SetUpError("missing: " + "; ".join(missing) + "\n" + HOW_TO_INSTALL)


def missing_of_compiler(headers: str) -> list[str]:
    """What is missing to compile PROBE with the Python headers in the directory `headers`."""
    named = os.environ.get("CXX", "").strip()
    names = [named] if named else ["c++", "g++", "clang++"]
    compiler = next((name for name in names if shutil.which(words_of(name)[0])), None)
    missing = []
    if not (Path(headers) / "Python.h").exists():
        missing.append(f"the headers of Python ({headers}/Python.h)")
    if compiler is None:
        missing.append(f"a C++ compiler (looked for {', '.join(names)})")
    elif not missing:
        flags = ["-std=c++20", "-fsyntax-only", f"-I{headers}", "-x", "c++", "-"]
        command = [*words_of(compiler), *flags]
        probe = subprocess.run(command, input=PROBE, capture_output=True, text=True)
        if probe.returncode:
            missing.append(f"a compiler of C++20 ({compiler} says: {probe.stderr.strip()})")
    return missing


def words_of(compiler: str) -> list[str]:
    """A compiler's program and its arguments, as in `ccache g++`; CMake takes them apart too."""
    return [compiler] if shutil.which(compiler) else compiler.split()


def main(kind: str, sources: str, least: str) -> int:
    """Set this checkout up for `kind`, which takes Python 3.`least` or newer."""
    try:
        SetUp(Path(__file__).resolve().parent.parent).run(kind, sources, int(least))
    except (SetUpError, OSError) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("set-up interrupted; the next start goes on with it")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
