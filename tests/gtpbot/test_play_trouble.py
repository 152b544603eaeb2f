"""A person at the board where nothing can be written, on the screen or on the disk."""

import signal
import subprocess
import sys


def test_ctrl_c_that_ends_the_whole_pipeline_says_nothing() -> None:
    words = ["coin", "--colour", "none", "--agent", "uct", "--seconds", "100", "--threads", "1"]
    with subprocess.Popen(
        [sys.executable, "-m", "gtpbot", "play", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdout and process.stderr
        process.stdout.readline()
        process.stdout.close()  # as `tee` does, which hears of the Ctrl-C too
        process.send_signal(signal.SIGINT)
        assert process.stderr.read() == b""
    assert process.returncode == 0
