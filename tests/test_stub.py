"""The types of the native module, as type checkers and editors read them."""

import subprocess
import sys
from pathlib import Path

STUB = Path(__file__).parents[1] / "core" / "gtpcore.pyi"
STUBGEN = ("-m", "nanobind.stubgen", "--quiet", "-m", "gtpcore", "-o")


def test_the_stub_is_what_the_module_says(tmp_path: Path) -> None:
    made = tmp_path / STUB.name
    subprocess.run([sys.executable, *STUBGEN, made], check=True)
    command = f"python {' '.join(STUBGEN)} core/{STUB.name}"
    assert STUB.read_text() == made.read_text(), f"out of date; run: {command}"
