"""Files of ONNX that cannot be read, and how it is told."""

import json
import shutil
from pathlib import Path

import pytest

from games.connect4 import ConnectFour
from nets.convert import describe
from nets.files import find
from nets.onnx_file import facts
from nets.runtime import Net
from nets.spec import NetError, NetSpec

CONNECT4 = NetSpec.of(ConnectFour())
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
