"""Which file a user means by the name of a net, and a file that the runtime reads.

A net is named by a role, for one that ships, or by a path to a `.keras`, `.h5` or `.onnx` file. The
first two are converted once, in a process of their own, so that play never imports Keras.
"""

import os
import sys
import tempfile
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from weakref import WeakValueDictionary

from nets.convert import convert_apart, digest, lacking
from nets.onnx_file import facts
from nets.runtime import Net, Precision
from nets.spec import ROLES, NetError, NetSpec

WEIGHTS = Path(__file__).parent / "weights"
"""The nets that ship, each as `GAME/ROLE.keras` and `GAME/ROLE.onnx`."""

KERAS_SUFFIXES = (".keras", ".h5")

_in_use: WeakValueDictionary[tuple[object, ...], Net] = WeakValueDictionary()
"""Nets that somebody has, by the files that they were read from and how."""

KEPT = 4
"""So many nets are held for who may ask for them again."""


def load(name: str, spec: NetSpec, heads: Iterable[str] = (), precision: Precision = "auto") -> Net:
    """The net that `name` means for a game, with the outputs `heads` at least. Raises NetError.

    It is the same one for all who have it at once, and for who had it lately, as compiling it takes
    long.
    """
    path = find(name, spec.game)
    net = _read(runnable(path), spec, precision, path)
    missing = sorted(set(heads) - set(net.outputs))
    if missing:
        raise NetError(
            f"{path}: expected a net with {' and '.join(missing)}, "
            f"found one with {' and '.join(net.outputs)} alone"
        )
    return _kept(net)


@lru_cache(KEPT)
def _kept(net: Net) -> Net:
    """The net, which is held here until KEPT others were asked for; any thread may ask.

    Who plays on several boards by turns, as a client of a server does, soon asks for them again,
    and to compile them anew would cost a second of each move.
    """
    return net


def _read(file: Path, spec: NetSpec, precision: Precision, shown: Path) -> Net:
    try:
        facts = file.stat()
    except OSError:  # which the net tells of in its own words
        return Net(file, spec, precision, shown)
    key = (file.resolve(), facts.st_mtime_ns, facts.st_size, spec, precision, shown)
    net = _in_use.get(key)
    if net is None:
        net = _in_use[key] = Net(file, spec, precision, shown)
    return net


def find(name: str, game: str, weights: Path = WEIGHTS) -> Path:
    """The file that `name` means: a role of a net that ships in `weights`, or a path.

    Raises NetError if there is no such file, or none that could be a net.
    """
    if name in ROLES:
        return _shipped(name, game, weights)
    path = Path(name)
    if path.suffix.lower() not in (*KERAS_SUFFIXES, ".onnx"):
        raise NetError(f"net {name!r}: expected {_expected(game, weights)}")
    try:
        path = path.expanduser()
    except RuntimeError as error:  # of a user who is none
        raise NetError(f"net {name!r}: {error}") from None
    try:
        found = path.is_file()
    except OSError as error:  # a name that is too long
        raise NetError(f"net {name[:80]!r}: {error.strerror}") from None
    if not found:
        raise NetError(f"net {name!r}: no such file")
    return path


def shipped(game: str, weights: Path = WEIGHTS) -> list[str]:
    """The roles that nets of `game` ship for."""
    return [role for role in ROLES if (weights / game / f"{role}.onnx").exists()]


def find_weights(name: str, game: str) -> Path:
    """The file of weights that ships under a name, such as `rollout`, which is no net.

    Raises NetError if there is none.
    """
    path = WEIGHTS / game / f"{name}.bin"
    if not path.exists():
        raise NetError(f"weights {name!r}: none ship for {game}; expected a file")
    return path


def _shipped(role: str, game: str, weights: Path) -> Path:
    for suffix in (".keras", ".onnx"):
        path = weights / game / (role + suffix)
        if path.exists():
            return path
    raise NetError(f"net {role!r}: none ships for {game}; expected {_expected(game, weights)}")


def _expected(game: str, weights: Path) -> str:
    roles = "".join(f", or {role}" for role in shipped(game, weights))
    return f"a file that ends in .keras, .h5 or .onnx{roles}"


def _convert(path: Path, twin: Path) -> None:
    """Convert, and say so. Raises NetError."""
    if lacking():
        raise NetError(
            f"{path}: to read it takes {', '.join(lacking())}, not installed; in a checkout "
            "`.venv/bin/pip install -e '.[train]'` does that; or take an .onnx file"
        )
    print(f"gtpbot: converting {path} to {twin}, this once", file=sys.stderr, flush=True)
    convert_apart(path, twin)


def runnable(path: Path, convert: Callable[[Path, Path], None] = _convert) -> Path:
    """An `.onnx` file with the net in `path`: the file itself, or its twin, made if need be.

    The twin lies beside the file, or in the user's cache where it cannot. Raises NetError.
    """
    if path.suffix.lower() not in KERAS_SUFFIXES:
        return path
    try:
        source = digest(path)
    except OSError as error:
        raise NetError(f"{path}: it cannot be read: {error.strerror}") from None
    beside = _twin_of(path)
    if _source(beside) == source:
        return beside
    cached = _cache() / f"{source}.onnx"
    if _source(cached) == source:
        return cached
    target = beside if _may_write(beside) else cached
    convert(path, target)
    return target


def _twin_of(path: Path) -> Path:
    """Beside it: `a.onnx` of `a.keras`, and of `a.h5`, which may lie there too, `a.h5.onnx`."""
    is_usual = path.suffix.lower() == KERAS_SUFFIXES[0]
    return path.with_suffix(".onnx") if is_usual else path.with_name(f"{path.name}.onnx")


def _source(twin: Path) -> str:
    """The digest of the file that `twin` was made of; nothing if it is no twin."""
    try:
        return facts(twin).get("source", "")
    except NetError:
        return ""


def _may_write(twin: Path) -> bool:
    """True if a twin may be written there: none of the user's own files is in its place."""
    return os.access(twin.parent, os.W_OK) and (not twin.exists() or bool(_source(twin)))


def _cache() -> Path:
    try:
        folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # a user without a home
        folder = Path(tempfile.gettempdir())
    return folder / "gtpbot" / "nets"
