"""Files of ONNX that cannot be read, and how it is told."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from games.connect4 import ConnectFour
from nets.convert import describe
from nets.files import find
from nets.onnx_file import facts
from nets.runtime import Net
from nets.spec import NetError, NetSpec
from tests.support.tiny_nets import write_net

CONNECT4 = NetSpec.of(ConnectFour())
VALUE = {"value": (1, "Tanh")}
SHIPPED = find("value", "connect4").with_suffix(".onnx")


@pytest.mark.parametrize("of", ["game", "output", "weights"])
def test_a_name_that_is_no_text_is_refused(tmp_path: Path, of: str) -> None:
    """The weights are those of a wide convolution, which alone are known by their names."""
    wide = json.loads(facts(SHIPPED)["peaks"])
    name = {"game": "connect4", "output": "value", "weights": min(wide)}[of].encode()
    path = Path(shutil.copy(SHIPPED, tmp_path / "n.onnx"))
    describe(path, {"game": "connect4"})
    path.write_bytes(path.read_bytes().replace(name, b"\xff" * len(name)))
    with pytest.raises(NetError, match=r"n\.onnx: expected a net in ONNX: a name in it is no text"):
        Net(path, CONNECT4)


def test_a_strangers_words_are_nothing_that_a_terminal_obeys(tmp_path: Path) -> None:
    path = write_net(tmp_path / "n.onnx", CONNECT4, {"value": (1, "To\x1b[2J\rday")})
    with pytest.raises(NetError, match=r": To\\x1b\[2J\\rday-15$"):
        Net(path, CONNECT4)


def test_a_file_that_may_not_be_read_is_no_other_format(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked(path: Path, mode: str) -> Any:
        raise PermissionError(13, "Permission denied")

    path = write_net(tmp_path / "n.onnx", CONNECT4, VALUE)
    monkeypatch.setattr(Path, "open", locked)  # root may read all files
    with pytest.raises(NetError, match=r"n\.onnx: it cannot be read: Permission denied"):
        Net(path, CONNECT4)
