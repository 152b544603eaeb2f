"""`gtpbot bench`: what it prints; that figures come out is checked, how great they are is not."""

import json
import threading
from itertools import count
from typing import Any

import pytest

from gtpbot.cli import main
from gtpbot.measure import bench
from gtpbot.measure.bench import Figure
from gtpbot.options import OptionsError


def figures(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", "--json", "--rounds", "1", "--seconds", "0", *arguments]) == 0
    figures: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return figures


def test_json_holds_every_figure_of_that_name(capsys: pytest.CaptureFixture[str]) -> None:
    taken = figures(capsys, "uct/go", "stop")
    assert [(f["name"], f["unit"], f["threads"]) for f in taken] == [
        ("uct/go9", "playouts/s", 1),
        ("uct/go9", "playouts/s", 2),
        ("uct/go19", "playouts/s", 1),
        ("uct/go19", "playouts/s", 2),
        ("stop/latency", "s", 2),
    ]
    assert all(f["value"] > 0 for f in taken)


@pytest.mark.slow
def test_an_analysis_is_watched_as_by_a_board_program(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("gtpbot.measure.bench_analysis.WARM_UP", 0.2)
    first, unevenness, cost = figures(capsys, "analysis")
    assert first["name"] == "analysis/first" and 0 < first["value"] < 10
    assert unevenness["name"] == "analysis/unevenness" and 0 < unevenness["value"] < 10
    assert cost["name"] == "analysis/cost" and cost["value"] < 1


@pytest.mark.slow
def test_memory_and_start_are_figures_too(capsys: pytest.CaptureFixture[str]) -> None:
    node, *starts = figures(capsys, "node", "start")
    assert node == {"name": "node/bytes", "value": 32, "unit": "bytes", "threads": 1}
    assert [start["name"] for start in starts] == ["start/rave", "start/net"]
    assert all(0.01 < start["value"] < 10 for start in starts)


@pytest.mark.slow
def test_a_search_with_a_net_stands_beside_the_net_alone(
    capsys: pytest.CaptureFixture[str],
) -> None:
    taken = figures(capsys, "alphazero/connect4", "evaluator/connect4", "--seconds", "0.1")
    assert [(f["name"], f["unit"], f["threads"]) for f in taken] == [
        (name, unit, threads)
        for threads in (1, 2)
        for name, unit in (
            ("evaluator/connect4", "evaluations/s"),
            ("alphazero/connect4", "playouts/s"),
            ("alphazero/connect4", "evaluations/s"),
        )
    ]
    assert all(f["value"] > 0 for f in taken)


def test_a_comparison_gives_both_rates_and_their_ratio(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspiel")
    first = list(bench._rivals())[:1]
    monkeypatch.setattr(bench, "_rivals", lambda: first)
    ours, theirs, ratio = figures(capsys, "--compare")
    names = [f["name"] for f in (ours, theirs, ratio)]
    assert names == ["gtpbot/tictactoe", "open_spiel/tictactoe", "ratio/tictactoe"]
    assert ratio["value"] == pytest.approx(ours["value"] / theirs["value"])


def test_a_rate_is_what_is_done_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that each look at it moves on by a second."""
    seeds: list[int] = []

    def work(seed: int) -> int:
        seeds.append(seed)
        return 30

    for seconds, rate in ((2.5, 20.0), (0.0, 15.0)):
        monkeypatch.setattr("gtpbot.measure.bench.time.perf_counter", count().__next__)
        assert bench._rate(work)(seconds) == rate
    assert seeds == [0, 30, 0]


def test_figures_are_medians_of_all_rounds(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The ratio, too, of what was taken side by side."""

    def rival(name: str, *samples: float) -> bench.Bench:
        taken = iter(samples)
        return bench.Bench(f"{name}/game", "playouts/s", lambda _: next(taken))

    rivals = [(rival("gtpbot", 1, 9, 4), rival("open_spiel", 1, 1, 2))]
    monkeypatch.setattr(bench, "_rivals", lambda: rivals)
    assert [f["value"] for f in figures(capsys, "--compare", "--rounds", "3")] == [4, 1, 2]


def test_ctrl_c_leaves_no_search_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process does not end before its threads do, and this one would search on for good."""

    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("gtpbot.measure.bench.time.sleep", interrupted)
    threads = threading.active_count()
    assert main(["bench", "stop/latency"]) == 130
    assert threading.active_count() == threads


def test_the_table_is_aligned() -> None:
    shown = bench.table(
        [Figure("a/b", 1234567.8, "playouts/s", 2), Figure("long/name", 0.01234, "s")]
    )
    assert shown.splitlines() == [
        "figure         value  unit        threads",
        "a/b        1,234,568  playouts/s        2",
        "long/name     0.0123  s                 1",
    ]


def test_a_name_that_fits_nothing_is_refused() -> None:
    with pytest.raises(OptionsError, match="no figure like 'uct/goo9': did you mean 'uct/go9'"):
        bench.main(["uct/goo9"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--rounds", "0"], "--rounds 0: expected at least 1"),
        (["--seconds=-1"], "--seconds -1.0: expected at least 0"),
        (["--seconds", "nan"], "--seconds nan: expected at least 0"),
    ],
)
def test_measuring_nothing_is_refused(words: list[str], said: str) -> None:
    with pytest.raises(OptionsError, match=said):
        bench.main(words)


def test_a_net_that_is_not_there_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "--net", "nowhere.onnx", "--rounds", "1", "--seconds", "0.01"]
    assert main([*words, "evaluator/go9"]) == 2
    assert "net 'nowhere.onnx': no such file" in capsys.readouterr().err
    assert main([*words, "evaluator/connect4"]) == 0, "a net of Go is no other game's"
