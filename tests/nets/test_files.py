"""What the name of a net means, twins, and files that are refused."""

import json
import os
import re
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from weakref import ref
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest

from games.go import Go, GoOptions
from games.registry import GAMES
from games.tictactoe import TicTacToe
from nets.convert import convert_apart, digest, main
from nets.files import KEPT, WEIGHTS, find, load, runnable, shipped
from nets.keras_file import LARGEST, check
from nets.onnx_file import facts
from nets.runtime import Net
from nets.spec import NetError, NetSpec
from tests.support.tiny_nets import write_net

SPEC = NetSpec.of(TicTacToe())
VALUE = {"value": (1, "Tanh")}
DEEP = '{"class_name": "Functional", "config": ' + "[" * 9_000 + "]" * 9_000 + "}"


class FakeConverter:
    """Makes twins in an instant, and knows of which files."""

    def __init__(self) -> None:
        self.sources: list[Path] = []

    def __call__(self, source: Path, twin: Path) -> None:
        self.sources.append(source)
        twin.parent.mkdir(parents=True, exist_ok=True)
        write_net(twin, SPEC, VALUE, facts={"source": digest(source)})


@pytest.fixture
def converter() -> FakeConverter:
    return FakeConverter()


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "gtpbot" / "nets"


@pytest.fixture
def net_file(tmp_path: Path, cache: Path) -> Path:
    """One that the cache of who runs the tests knows no twin of."""
    path = tmp_path / "mine" / "net.keras"
    path.parent.mkdir()
    path.write_bytes(b"the first version")
    return path


def test_a_role_means_a_net_that_ships(tmp_path: Path) -> None:
    folder = tmp_path / "tictactoe"
    folder.mkdir()
    write_net(folder / "value.onnx", SPEC, VALUE)
    assert find("value", "tictactoe", tmp_path) == folder / "value.onnx"
    (folder / "value.keras").touch()
    assert find("value", "tictactoe", tmp_path) == folder / "value.keras"
    assert shipped("tictactoe", tmp_path) == ["value"]
    with pytest.raises(NetError, match=r"'alphazero': none ships for tictactoe; .* or value$"):
        find("alphazero", "tictactoe", tmp_path)


def test_a_path_means_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("n.onnx", "n.keras", "N.H5"):
        (tmp_path / name).touch()
        assert find(f"~/{name}", "coin") == tmp_path / name


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        ("strongest", "net 'strongest': expected a file that ends in .keras, .h5 or .onnx"),
        ("net.pt", "net 'net.pt': expected a file that ends in .keras, .h5 or .onnx"),
        ("missing.keras", "net 'missing.keras': no such file"),
        ("n" * 300 + ".onnx", f"net '{'n' * 80}': File name too long"),
        ("~nobody-at-all/n.h5", "net '~nobody-at-all/n.h5': Could not determine home directory."),
    ],
)
def test_a_name_that_means_nothing_is_refused(tmp_path: Path, name: str, complaint: str) -> None:
    with pytest.raises(NetError) as refused:
        find(name, "coin", tmp_path)
    assert str(refused.value) == complaint


def test_a_net_without_the_heads_asked_for_is_refused(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", SPEC, VALUE)
    assert load(str(path), SPEC, ["value"]).has_value
    with pytest.raises(NetError, match=r"n\.onnx: expected a net with policy, found .* value"):
        load(str(path), SPEC, ["policy", "value"])


def test_a_net_is_read_once_for_all_who_have_it(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", SPEC, VALUE)
    net = load(str(path), SPEC)
    assert load(str(path), SPEC, ["value"]) is net is not load(str(path), SPEC, precision="f32")
    with pytest.raises(NetError, match="expected the input"):
        load(str(path), NetSpec("other", (5, 5, 5), 25))
    os.utime(path, ns=(1, 1))  # as of another one that is as large
    assert load(str(path), SPEC) is not net
    write_net(path, SPEC, {"policy": (9, "Softmax"), **VALUE})
    other = load(str(path), SPEC, ["policy"])
    assert other is not net and not net.has_policy


def test_the_nets_asked_for_last_are_kept_for_who_takes_them_by_turns(tmp_path: Path) -> None:
    paths = [write_net(tmp_path / f"{n}.onnx", SPEC, VALUE) for n in range(KEPT + 1)]
    first, *others = (ref(load(str(path), SPEC)) for path in paths)
    assert first() is None
    assert [load(str(path), SPEC) for path in paths[1:]] == [other() for other in others]


def test_threads_may_ask_for_nets_at_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As those of a match between two generations do."""
    nets = {
        Path(f"{n}.onnx"): load(str(write_net(tmp_path / f"{n}.onnx", SPEC, VALUE)), SPEC)
        for n in range(2 * KEPT)
    }
    monkeypatch.setattr("nets.files.find", lambda name, game: Path(name))
    monkeypatch.setattr("nets.files._read", lambda file, *how: nets[file])

    def ask(step: int) -> None:
        for number in range(10_000):
            load(f"{number * step % len(nets)}.onnx", SPEC)

    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(ask, (1, 3, 5, 7)))
    finally:
        sys.setswitchinterval(usual)


def test_a_twin_is_made_once(net_file: Path, converter: FakeConverter) -> None:
    twin = runnable(net_file, converter)
    assert twin == net_file.with_suffix(".onnx")
    assert runnable(net_file, converter) == twin
    assert converter.sources == [net_file]


def test_a_twin_of_another_file_is_made_anew(net_file: Path, converter: FakeConverter) -> None:
    runnable(net_file, converter)
    net_file.write_bytes(b"the second version")
    twin = runnable(net_file, converter)
    assert twin == net_file.with_suffix(".onnx")
    assert facts(twin)["source"] == digest(net_file)
    assert converter.sources == [net_file, net_file]


def test_nets_of_both_formats_have_twins_of_their_own(
    net_file: Path, converter: FakeConverter
) -> None:
    other = net_file.with_suffix(".h5")
    other.write_bytes(b"another net")
    twins = [runnable(path, converter) for path in (net_file, other)]
    assert [runnable(path, converter) for path in (net_file, other)] == twins
    assert [facts(twin)["source"] for twin in twins] == [digest(net_file), digest(other)]
    assert converter.sources == [net_file, other]


def test_a_users_own_file_is_not_overwritten(
    net_file: Path, converter: FakeConverter, cache: Path
) -> None:
    own = write_net(net_file.with_suffix(".onnx"), SPEC, VALUE)
    before = own.read_bytes()
    twin = runnable(net_file, converter)
    assert twin.parent == cache
    assert own.read_bytes() == before
    assert runnable(net_file, converter) == twin
    assert len(converter.sources) == 1


def test_a_twin_goes_to_the_cache_where_its_place_cannot_be_written(
    tmp_path: Path, converter: FakeConverter, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    net_file = tmp_path / "net.keras"
    net_file.touch()
    monkeypatch.setattr("os.access", lambda path, mode: False)  # root may write everywhere
    assert runnable(net_file, converter).parent == cache


def test_who_has_no_home_has_nets_too(
    net_file: Path, converter: FakeConverter, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", no_home)
    monkeypatch.setattr("tempfile.gettempdir", lambda: str(tmp_path))
    twin = runnable(net_file, converter)
    assert twin.parent == net_file.parent
    assert runnable(net_file, converter) == twin
    monkeypatch.setattr("os.access", lambda path, mode: False)
    net_file.write_bytes(b"the second version")
    assert runnable(net_file, converter).parent == tmp_path / "gtpbot" / "nets"


def test_a_cache_that_cannot_be_looked_into_holds_no_twin(
    net_file: Path, converter: FakeConverter, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As that of another user, whose home it still is for who became a lesser one."""
    monkeypatch.setenv("XDG_CACHE_HOME", "n" * 300)  # root may look everywhere
    assert runnable(net_file, converter) == net_file.with_suffix(".onnx")


def test_a_broken_twin_in_the_cache_is_made_anew(
    net_file: Path, converter: FakeConverter, cache: Path
) -> None:
    write_net(net_file.with_suffix(".onnx"), SPEC, VALUE)
    twin = runnable(net_file, converter)
    twin.write_bytes(twin.read_bytes()[:100])
    assert runnable(net_file, converter) == twin
    assert facts(twin)["source"] == digest(net_file)


def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, converter: FakeConverter) -> None:
    (tmp_path / "net.keras").mkdir()  # root may read all files
    with pytest.raises(NetError, match=r"net\.keras: it cannot be read: Is a directory"):
        runnable(tmp_path / "net.keras", converter)


def test_a_file_of_onnx_needs_no_twin(tmp_path: Path, converter: FakeConverter) -> None:
    assert runnable(tmp_path / "n.onnx", converter) == tmp_path / "n.onnx"
    assert not converter.sources


def test_errors_name_the_file_that_the_user_named(net_file: Path, converter: FakeConverter) -> None:
    runnable(net_file, converter)
    with pytest.raises(NetError, match=r"net\.keras: expected the input \[B, 5, 5, 5\]"):
        load(str(net_file), NetSpec("other", (5, 5, 5), 25))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "name", "twin"),
    [
        ("tictactoe.alphazero.keras", "net.keras", "net.onnx"),
        ("tictactoe.alphazero.keras", "NET.KERAS", "NET.onnx"),
        ("plain.h5", "plain.h5", "plain.h5.onnx"),
        ("plain.h5", "PLAIN.H5", "PLAIN.H5.onnx"),
    ],
)
def test_a_file_of_keras_is_converted(
    made: Path,
    source: str,
    name: str,
    twin: str,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:
    path = tmp_path / name
    shutil.copy(made / source, path)
    assert load(str(path), SPEC).has_value
    assert load(str(path), SPEC).has_value
    shown = capfd.readouterr()
    assert not shown.out
    assert shown.err == f"gtpbot: converting {path} to {tmp_path / twin}, this once\n"


def test_what_conversion_lacks_is_told_and_no_conversion_announced(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.keras"
    path.write_bytes(b"a net")
    monkeypatch.setattr("nets.convert.find_spec", lambda name: None if name[0] == "t" else name)
    with pytest.raises(NetError, match=r"to read it takes tensorflow, tf2onnx, not installed"):
        runnable(path)
    assert not capfd.readouterr().err


@pytest.mark.parametrize(
    ("ending", "reason"),
    [
        ("exit 1", "{0}/n.keras {0}/n.onnx tensorflow"),
        ("kill -9 $$", "Keras ended with status -9"),
    ],
)
def test_what_ended_a_conversion_is_told(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    ending: str,
    reason: str,
) -> None:
    """What it said last, unless it was killed: that is no reason then. It is elsewhere at work."""
    python = tmp_path / "python"
    python.write_text(f'#!/bin/sh\necho "A greeting"\necho "$3 $4 $KERAS_BACKEND" >&2\n{ending}\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))
    monkeypatch.setenv("KERAS_BACKEND", "torch")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NetError) as refused:
        convert_apart(Path("n.keras"), Path("n.onnx"))
    assert str(refused.value) == f"n.keras: {reason.format(tmp_path)}"
    assert not capfd.readouterr().out  # where an engine answers


@pytest.mark.slow
def test_a_refusal_to_convert_is_one_line(made: Path, tmp_path: Path) -> None:
    path = tmp_path / "net.keras"
    shutil.copy(made / "hostile.keras", path)
    with pytest.raises(NetError, match=r"^\S+net\.keras: expected plain layers of Keras.*'Lambda'"):
        load(str(path), SPEC)
    assert [file.name for file in tmp_path.iterdir()] == ["net.keras"]


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_a_net_that_would_run_code_is_refused(
    made: Path, tmp_path: Path, suffix: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(str(made / f"hostile{suffix}"), str(tmp_path / "n.onnx")) == 1
    said = capfd.readouterr()
    assert re.fullmatch(r"expected plain layers of Keras, found 'Lambda' of 'keras\S*'\n", said.err)
    assert not said.out
    assert not list(tmp_path.iterdir())


def test_a_net_that_onnx_lacks_operations_for_gets_no_twin(
    made: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert main(str(made / "celu.keras"), str(tmp_path / "n.onnx")) == 1
    told = r"^its twin in ONNX cannot be read: expected a net in ONNX: .*Expm1.*\n\Z"
    assert re.search(told, capfd.readouterr().err, re.M)
    assert not list(tmp_path.iterdir())


def test_outputs_in_a_list_are_what_their_layers_are_called(made: Path) -> None:
    net = Net(made / "listed.onnx", NetSpec.of(Go(GoOptions(size=5))), "f32")
    said = net.predict(np.ones((1, 5, 5, 17), np.float32))
    assert said.keys() == {"policy", "value", "score"}
    assert (float(said["score"][0, 0]), float(said["value"][0, 0])) == (7, 0)


@pytest.mark.parametrize("name", ["tictactoe.alphazero.keras", "connect4.alphazero.keras"])
def test_our_own_nets_are_made_of_plain_layers(made: Path, name: str) -> None:
    check(made / name)
    check(made / "plain.h5")


@pytest.mark.parametrize(
    "part",
    [
        {"module": "builtins", "class_name": "function", "config": "eval"},
        {"module": "os", "class_name": "system"},
        {"module": "kerasy.layers", "class_name": "Dense"},
        {"module": "layers", "class_name": "Dense"},
        {"module": "keras.utils", "class_name": "get_file"},
        {"module": "keras.src.utils.file_utils", "class_name": "get_file"},
        {"module": "keras.layers", "class_name": "TFSMLayer"},
        {"module": "keras.layers", "class_name": "TorchModuleWrapper"},
        {"module": "keras.src.layers.preprocessing.index_lookup", "class_name": "IndexLookup"},
        {"module": "keras.ops", "class_name": "function", "config": "abs"},
        {"module": "keras", "class_name": "layers.TFSMLayer"},
        {"module": "keras", "class_name": "utils.get_file"},
        {"module": None, "class_name": "Lambda"},
        {"class_name": "__lambda__"},
    ],
)
def test_what_is_no_layer_is_refused_however_deep(
    tmp_path: Path, part: dict[str, str | None]
) -> None:
    layer = {"module": "keras.layers", "class_name": "Dense", "config": {"activation": [part]}}
    within: object = {"class_name": "Functional", "config": {"layers": [layer]}}
    for net in (within, {"config": {}} | part):
        with pytest.raises(NetError, match="expected plain layers of Keras"):
            check(write_keras(tmp_path, net))


def test_the_optimizer_is_left_out(made: Path) -> None:
    with ZipFile(made / "tictactoe.alphazero.keras") as archive:
        assert json.loads(archive.read("config.json"))["compile_config"] == {}


def test_plain_layers_pass(tmp_path: Path) -> None:
    layer = {"module": "keras.src.layers.core.dense", "class_name": "Dense", "config": {}}
    check(write_keras(tmp_path, {"class_name": "Functional", "config": {"layers": [layer]}}))


def write_keras(folder: Path, config: object) -> Path:
    return write_keras_text(folder, json.dumps(config))


def write_keras_text(folder: Path, text: str) -> Path:
    path = folder / "net.keras"
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        archive.writestr("config.json", text)
    return path


@pytest.mark.parametrize("text", ["[]", "3", "{}", '{"class_name": "Functional"}', DEEP])
def test_a_file_of_keras_that_describes_no_net_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(NetError, match="expected a net of Keras, found none"):
        check(write_keras_text(tmp_path, text))


def test_a_file_of_keras_is_not_unpacked_without_end(tmp_path: Path) -> None:
    path = write_keras_text(tmp_path, json.dumps({"class_name": " " * LARGEST, "config": {}}))
    assert path.stat().st_size < LARGEST // 100
    with pytest.raises(NetError, match=f"config.json has more than {LARGEST} bytes"):
        check(path)


@pytest.mark.parametrize(("place", "byte"), [(-1, 0xFF), (8, 1), (10, 77)])
def test_a_damaged_file_of_keras_is_refused(tmp_path: Path, place: int, byte: int) -> None:
    """In its packed data; as if it were encrypted; as if packed by means unheard of."""
    path = write_keras(tmp_path, {"class_name": "Functional", "config": {}})
    content = bytearray(path.read_bytes())
    content[41 if place < 0 else content.index(b"PK\x01\x02") + place] = byte
    path.write_bytes(content)
    with pytest.raises(NetError, match="expected a net of Keras, found none"):
        check(path)


@pytest.mark.parametrize(("game", "role"), [(g, r) for g in GAMES for r in shipped(g)])
def test_the_nets_that_ship_are_made_of_plain_layers(game: str, role: str) -> None:
    check(WEIGHTS / game / f"{role}.keras")


@pytest.mark.parametrize("suffix", [".keras", ".h5"])
def test_what_is_no_file_of_keras_is_refused(made: Path, tmp_path: Path, suffix: str) -> None:
    whole = (made / "tictactoe.alphazero.keras").read_bytes()
    path = tmp_path / f"net{suffix}"
    for content in (b"", b"no net at all\n", b"\x80\x04]\x94.", whole[: len(whole) // 2]):
        path.write_bytes(content)
        with pytest.raises(NetError, match="expected a net of Keras, found none") as refused:
            check(path)
        assert "\n" not in str(refused.value)
