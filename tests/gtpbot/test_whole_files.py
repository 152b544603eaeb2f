"""Files that are whole or not there, though two processes write them at once."""

import subprocess
import sys
from pathlib import Path

import pytest

WRITERS = {
    "text": ("gtpbot.whole_files", "write_whole", "'text' * 1000", "Path.read_text"),
    "JSON": ("nets.train.pipeline", "write_json", "list(range(1000))", "read_json"),
    "arrays": ("nets.train.arrays", "write_arrays", "{'a': range(1000)}", "read_arrays"),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_two_runs_may_write_the_same_file(kind: str, tmp_path: Path) -> None:
    module, write, content, read = WRITERS[kind]
    program = f"""
from pathlib import Path
from {module} import *
path = Path({str(tmp_path / "file")!r})
for _ in range(100):
    {write}(path, {content})
    {read}(path)
"""
    command = [sys.executable, "-c", program]
    runs = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    said = [run.communicate(timeout=30)[1] for run in runs]
    assert [run.returncode for run in runs] == [0, 0], said
    assert [file.name for file in tmp_path.iterdir()] == ["file"]
