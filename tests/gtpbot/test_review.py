"""Reviews: what is found, what is written where, and that no work is lost."""

import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from games.base import Player
from games.go import Go
from games.position import Position
from games.sgf_tree import GameTree, parse_tree, read_tree
from gtpbot.cli import main
from gtpbot.options import OptionsError
from gtpbot.review.annotations import Review
from gtpbot.review.assessment import Assessment, Line, Notebook, assess, assess_all, positions
from gtpbot.review.winrate_curve import draw_curve
from search.agent import AgentParams, Limits
from search.random import RandomAgent
from search.uct import UctAgent, UctParams

COINS = "(;GM[100]GTPBOT[coin pile=7 max_take=2]PB[me]RE[W+1];B[1];W[1];B[2];W[1];B[1];W[1])"
"""Who leaves a multiple of 3 wins. Black does so up to the fifth move, which throws it away."""


def tree_of(text: str) -> GameTree:
    return parse_tree(text.encode(), "game.sgf", Go())


def reviewed(text: str, *percents: float | None, line: tuple[int, ...] = ()) -> Review:
    """A review in which the agent thinks so of the positions, with one line at each."""
    tree = tree_of(text)
    steps = list(tree.line())
    lines = [Line(actions=line, percent=50, visits=9)] if line else []
    assessments = [Assessment(percent=p, playouts=100, lines=tuple(lines)) for p in percents]
    return Review(tree, steps, assessments)


def test_by_which_rules_a_game_of_go_is_reviewed_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "game.sgf"
    path.write_text("(;GM[1]SZ[5]KM[3.5]PB[A]PW[B];B[cc];W[])")
    words = ["--agent", "rave", "--playouts", "20", "--rules", "japanese", "--no-curve"]
    assert main(["review", str(path), *words]) == 0
    title, *_ = capsys.readouterr().out.splitlines()
    assert title == "Go 5x5, japanese rules, komi 3.5: A - B; rave, 20 playouts a position"


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "game.sgf"
    path.write_text(COINS)
    return path


def test_a_game_of_coins(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(game), "--agent", "alphabeta", "--no-curve"]) == 0
    out = capsys.readouterr().out
    assert re.search(r"^ +5  Black  B1 +100.0 % +0.0 % +100.0 %  A1$", out, re.M)
    assert len(re.findall(r"^ +\d+  (?:Black|White)", out, re.M)) == 1
    tree = read_tree(game.with_stem("game-review"), Go())
    assert tree.final_position().moves == tree_of(COINS).final_position().moves
    steps = list(tree.line())
    winrates = [step.node.get_raw("SBKV").decode() for step in steps]
    assert winrates == ["100.00"] * 5 + ["0.00"] * 2
    assert [step.node.has_property("BM") for step in steps] == [False] * 5 + [True, False]
    assert len(steps[4].node) == 2  # the move that would have won, beside the one played
    assert game.read_text() == COINS
    assert [file.name for file in sorted(game.parent.iterdir())] == ["game-review.sgf", "game.sgf"]


def test_no_mistakes_are_told_where_none_are_asked_for(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["review", str(game), "--agent", "alphabeta", "--no-curve", "--worst", "0"]
    assert main(words) == 0
    assert "lost" not in capsys.readouterr().out


def test_losses_are_those_of_who_moved() -> None:
    review = reviewed("(;SZ[9];B[aa];W[bb];B[cc])", 50, 40, 65, 70)
    moments = list(review.moments())
    assert [moment.player for moment in moments] == [Player.BLACK, Player.WHITE, Player.BLACK]
    assert [moment.loss for moment in moments] == [10, 25, -5]
    assert [(moment.number, moment.vertex) for moment in review.worst(9)] == [(2, "B8"), (1, "A9")]
    assert [moment.number for moment in review.worst(1)] == [2]
    assert review.curve() == [(0, 50), (1, 40), (2, 65), (3, 70)]


def test_what_the_agent_does_not_know_is_left_out() -> None:
    review = reviewed("(;SZ[9];B[aa];W[bb];B[cc])", None, 40, 65)
    assert [moment.number for moment in review.moments()] == [2]
    assert review.curve() == [(1, 40), (2, 65)]
    review.annotate("agent")
    assert review.tree.text().count("SBKV") == 2


def test_comments_and_marks() -> None:
    review = reviewed("(;SZ[9];B[aa]C[mine];W[bb]TE[1];B[cc];W[dd])", 50, 40, 65, 40, 45)
    review.annotate("agent")
    first, second, third, fourth = (step.node for step in review.steps[1:])
    assert first.get("C") == "mine\n\nagent: Black 40.0 %, the move lost 10.0 %, 100 playouts"
    assert first.get_raw("DO") == b"" and first.get_raw("SBKV") == b"40.00"
    assert second.has_property("TE") and not second.has_property("BM")
    assert third.get_raw("BM") == b"1"
    assert not fourth.has_property("DO")


@pytest.mark.parametrize("key", ["BM", "DO", "IT", "TE"])
def test_a_move_that_somebody_judged_is_not_judged_again(key: str) -> None:
    review = reviewed(f"(;SZ[9];B[aa]{key}[2])", 90, 10)
    review.annotate("agent")
    node = review.steps[1].node
    judged = [each for each in ("BM", "DO", "IT", "TE") if node.has_property(each)]
    assert (judged, node.get_raw(key)) == ([key], b"2")


def test_a_node_without_a_move_is_not_judged_for_the_move_before_it() -> None:
    review = reviewed("(;SZ[9];B[aa];N[x];W[bb])", 50, 20, 20, 50)
    review.annotate("agent")
    marks = [step.node.has_property("BM") for step in review.steps]
    assert marks == [False, True, False, True]


def test_nothing_is_written_where_nothing_was_found_out() -> None:
    tree = tree_of("(;SZ[9];B[aa])")
    before, unknown = tree.text(), Assessment(percent=None, playouts=0, lines=())
    Review(tree, list(tree.line()), [unknown, unknown]).annotate("agent")
    assert tree.text() == before


def test_the_first_line_is_the_best() -> None:
    tree = tree_of(SHORT)
    lines = tuple(Line(actions=(action,), percent=50, visits=9) for action in (1, 0))
    same = Assessment(percent=50, playouts=1234, lines=lines)
    review = Review(tree, list(tree.line()), [same] * 3)
    review.annotate("uct")
    assert comments(review)[0] == "uct: Black 50.0 %, 1,234 playouts, best line F1"
    assert [(each.better, each.is_choice) for each in review.moments()] == [
        ("F1", False),
        ("E1", False),
    ]


def test_a_node_with_several_comments_keeps_them_all() -> None:
    review = reviewed(r"(;SZ[9];B[aa]C[one]N[x]C[two \]];W[bb]C[three][four])", 50, 50, 50)
    review.annotate("me")
    comments = [step.node.get("C").split("\n\n")[:-1] for step in review.steps]
    assert comments == [[], ["one", "two ]"], ["three", "four"]]


def test_lines_are_variations_but_never_go_on_after_the_end() -> None:
    review = reviewed("(;SZ[9];B[aa];W[bb])", 50, 50, 50, line=(72, 64, 0, 1))  # A9 B8 A1 B1
    before = review.tree.final_position().moves
    review.annotate("agent")
    again = parse_tree(review.tree.text().encode(), "again", Go())
    assert again.final_position().moves == before
    assert [len(step.node) for step in again.line()] == [1, 1, 0]
    review = reviewed("(;SZ[9];B[aa];W[bb])", 50, 50, 50, line=(0, 1, 2))
    review.annotate("agent")
    nodes = [step.node for step in parse_tree(review.tree.text().encode(), "again", Go()).line()]
    assert [len(node) for node in nodes] == [2, 2, 0]
    variation = nodes[0][1]
    assert (variation.get_move(), variation[0].get_move()) == (("b", (0, 0)), ("w", (0, 1)))
    assert variation.get_raw("SBKV") == b"50.00"
    assert nodes[1][1].get_move() == ("w", (0, 0))


@pytest.mark.parametrize(
    ("visits", "told"), [(1234, "a line of 1,234 visits"), (1, "a line of 1 visit"), (0, "a line")]
)
def test_visits_of_a_line_are_told_where_there_are_any(visits: int, told: str) -> None:
    tree = tree_of("(;SZ[9];B[aa])")
    lines = (Line(actions=(0,), percent=50, visits=visits),)
    unsure = Assessment(percent=50, playouts=100, lines=lines)
    Review(tree, list(tree.line()), [unsure, unsure]).annotate("agent")
    assert tree.root[1].get("C") == f"agent: {told}"


def test_who_moves_next_in_the_file_is_to_move() -> None:
    steps = list(tree_of("(;SZ[5]HA[2]AB[aa][bb];W[cc];W[dd];B[ee];W[];B[])").line())
    shown = list(positions(steps))
    assert [position.to_move.letter for position in shown] == ["W", "W", "B", "W", "B", "W"]
    assert not any(position.state.is_terminal for position in shown)


@pytest.mark.parametrize(
    ("rules", "after", "is_over"),
    [
        ("cgos", "", True),
        ("cgos", ";W[aa]", False),  # for the game went on
        ("chinese", "", False),  # for dead stones are to be agreed on
    ],
)
def test_two_passes_end_a_game_of_go_where_all_stones_count(
    rules: str, after: str, is_over: bool
) -> None:
    steps = list(tree_of(f"(;SZ[9]RU[{rules}]KM[7];B[ee];W[];B[]{after})").line())
    ended = list(positions(steps))[3]
    assert ended.state.is_terminal is is_over
    if is_over:
        agent = UctAgent(UctParams(playouts=1))
        assert assess(agent, ended, 1) == Assessment(percent=100, playouts=0, lines=())


def test_a_notebook_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    notebook = Notebook(path, "heading")
    for percent in (10.0, None):
        notebook.add(Assessment(percent=percent, playouts=1, lines=()))
    path.write_text(path.read_text() + '{"percent": 1')
    again = Notebook(path, "heading")
    assert again.done == notebook.done
    again.add(notebook.done[0])
    assert Notebook(path, "heading").done == [*notebook.done, notebook.done[0]]
    with pytest.raises(OptionsError, match="with other settings or of another game"):
        Notebook(path, "other")
    path.write_text("heading\nnonsense\n")
    with pytest.raises(OptionsError, match="no work of a review of this game: remove it"):
        Notebook(path, "heading")


@pytest.mark.parametrize("actions", [(26,), (-1,), (3, 3), (25, 25, 0)])
def test_a_notebook_with_lines_of_another_game_is_refused(
    tmp_path: Path, actions: tuple[int, ...]
) -> None:
    """A point that is not there, one taken twice, a move after two passes."""
    steps = list(tree_of("(;SZ[5];B[cc];W[bb])").line())
    notebook, agent = Notebook(tmp_path / "notes", "heading"), RandomAgent(AgentParams())

    def add(*actions: int) -> None:
        lines = (Line(actions=actions, percent=50, visits=1),)
        notebook.add(Assessment(percent=50, playouts=1, lines=lines))

    add(3, 4)
    assert len(assess_all(steps, agent, 1, notebook, lambda *_: None)) == len(steps)
    notebook.done.pop()
    add(*actions)
    with pytest.raises(OptionsError, match="no work of a review of this game: remove it"):
        assess_all(steps, agent, 1, notebook, lambda *_: None)


def test_a_notebook_with_impossible_winrates_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "notes"
    for percent in ("101", "-1", "NaN"):
        path.write_text(f'heading\n{{"percent": {percent}, "playouts": 1, "lines": []}}\n')
        with pytest.raises(OptionsError, match="no work of a review"):
            Notebook(path, "heading")


def test_the_help_says_where_komi_and_rules_hold(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["review", "--help"])
    told = capsys.readouterr().out.partition("\nwhere the file of a game of Go tells none:\n")[2]
    assert re.findall(r"^  --(\w+)", told, re.M) == ["komi", "rules"]


def test_a_review_under_other_rules_is_another_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The file says nothing of komi or rules; the disk was full when the work was done."""

    def fail(tree: GameTree) -> str:
        raise OSError("no space left")

    path = tmp_path / "game.sgf"
    path.write_text("(;SZ[5];B[cc])")
    words = ["review", str(path), "--agent", "random", "--no-curve", "--komi"]
    with monkeypatch.context() as full:
        full.setattr(GameTree, "text", fail)
        assert main([*words, "0.5"]) == 2
    assert main([*words, "7.5"]) == 2
    assert "of a review with other settings" in capsys.readouterr().err
    assert main([*words, "0.5"]) == 0


@pytest.mark.slow
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL])
def test_a_review_that_was_ended_goes_on(tmp_path: Path, end: signal.Signals) -> None:
    path, part = tmp_path / "game.sgf", tmp_path / "game-review.sgf.part"
    path.write_text("(;SZ[5];B[cc];W[bb];B[bc];W[cb];B[db];W[dc];B[dd])")
    command = [sys.executable, "-m", "gtpbot", "review", str(path), "--no-curve", "--agent", "rave"]
    slow, seconds = [*command, "--seconds", "0.15"], 20.0
    with subprocess.Popen(slow, stderr=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        until = time.monotonic() + seconds
        while not part.exists() or part.read_text().count("\n") < 3:
            assert time.monotonic() < until, process.stderr and process.stderr.read()
            time.sleep(0.01)
        process.send_signal(end)
        _, err = process.communicate(timeout=seconds)
    if end == signal.SIGINT:
        assert process.returncode == 130
        assert b"the same command goes on" in err and b"Traceback" not in err
    kept = part.read_text().splitlines()[1:3]
    other = subprocess.run([*command, "--seconds", "9"], capture_output=True, text=True)
    assert other.returncode == 2 and "with other settings" in other.stderr
    run = subprocess.run(slow, capture_output=True, text=True, timeout=60)
    assert run.returncode == 0, run.stderr
    assert not part.exists()
    steps = list(read_tree(tmp_path / "game-review.sgf", Go()).line())
    first = Assessment.model_validate_json(kept[0]).percent
    assert float(steps[0].node.get_raw("SBKV")) == first


def test_an_agent_without_opinions(game: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review", str(game), "--agent", "random", "--no-curve"]) == 0
    assert "agent random has no opinion of who wins" in capsys.readouterr().out


def test_the_curve_of_a_review_before_goes_with_it(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reviewed = [game.with_name(f"{game.stem}-review.{ending}") for ending in ("sgf", "png", "svg")]
    assert main(["review", str(game), "--agent", "alphabeta"]) == 0
    assert all(path.exists() for path in reviewed)
    capsys.readouterr()
    assert main(["review", str(game), "--agent", "random", "--force"]) == 0
    assert f"written: {reviewed[0]}\n" in capsys.readouterr().out
    assert [path.exists() for path in reviewed] == [True, False, False]


def test_what_was_found_out_earlier_is_not_told_of_a_position_without_time() -> None:
    class EarlyAgent(RandomAgent):
        def analyze(self, position: Position, limits: Limits) -> None:
            if not position.moves:
                super().analyze(position, limits)

    agent = EarlyAgent(AgentParams())
    first, second, *_ = positions(list(tree_of(COINS).line()))
    assert len(assess(agent, first, 2).lines) == 2
    assert assess(agent, second, 2) == Assessment(percent=None, playouts=0, lines=())


def test_only_moves_that_were_looked_at_become_lines() -> None:
    agent = UctAgent(UctParams(seed=1, playouts=2))
    start = next(positions(list(tree_of("(;SZ[5];B[aa])").line())))
    found = assess(agent, start, 3)
    assert len(found.lines) < 3
    assert all(line.visits for line in found.lines)


def test_one_playout_a_position_is_enough_for_a_winrate(game: Path) -> None:
    """An exact agent looks one move ahead whatever its limits."""
    game.write_text("(;GM[100]GTPBOT[coin pile=4 max_take=2];B[1];W[1];B[1];W[1])")
    words = ["review", str(game), "--agent", "alphabeta", "--playouts", "1", "--no-curve"]
    assert main(words) == 0
    nodes = [step.node for step in read_tree(game.with_stem("game-review"), Go()).line()]
    assert all(node.has_property("SBKV") for node in nodes)


def test_a_review_that_was_killed_while_it_was_written_goes_on(game: Path) -> None:
    words = ["review", str(game), "--agent", "uct", "--seed", "1", "--no-curve"]
    words += ["--playouts", "20"]
    assert main(words) == 0
    done = game.with_stem("game-review")
    whole = done.read_bytes()
    with pytest.MonkeyPatch.context() as patch:  # killed before the notes were thrown away
        patch.setattr(Path, "unlink", lambda path, missing_ok=False: None)
        done.replace(done.with_suffix(".old"))
        assert main(words) == 0
    assert main(words) == 0
    assert done.read_bytes() == whole


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.sgf"], "'none.sgf': no such file"),
        (["none"], "'none': no such file"),
        (["."], "'.': expected a file, found a folder"),
        (["game.sgf", "--out", "game.txt"], "expected the name of a file that ends with .sgf"),
        (["game.sgf", "--out", "game.sgf"], "game.sgf is there already: give --out"),
        (["game.sgf", "--lines", "0"], "--lines 0: expected at least 1"),
        (["game.sgf", "--agent", "rave"], "agent rave does not play Coin Game"),
        (["game.sgf", "--param", "x"], "setting 'x': expected KEY=VALUE"),
        (["game.sgf", "--komi", "x"], "komi"),
        (["bad.sgf"], "move 1, Black '3', is illegal"),
        (["empty.sgf"], "empty.sgf: there is no move in it to review"),
        (["game.sgf", "--out", "none/game.sgf"], "there is no folder 'none'"),
    ],
)
def test_errors(
    game: Path,
    words: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(game.parent)
    Path("bad.sgf").write_text("(;GM[100]GTPBOT[coin];B[3])")
    Path("empty.sgf").write_text("(;SZ[9]AB[aa])")
    assert main(["review", *words, "--no-curve"]) == 2
    assert message in capsys.readouterr().err
    assert game.read_text() == COINS
    assert not list(game.parent.glob("*.part"))


def test_the_input_is_written_over_only_when_told(game: Path) -> None:
    words = ["review", str(game), "--agent", "alphabeta", "--no-curve", "--out", str(game)]
    assert main(words) == 2
    assert game.read_text() == COINS
    assert main([*words, "--force"]) == 0
    assert "SBKV[100.00]" in game.read_text()


def test_the_curve(tmp_path: Path) -> None:
    review = reviewed("(;SZ[9];B[aa];W[bb];B[cc])", 50, 40, 65, 70)
    for name in ("one.svg", "other.svg", "curve.PNG"):
        draw_curve(review.curve(), review.worst(2), "me - you", tmp_path / name)
    svg = (tmp_path / "one.svg").read_text()
    assert (tmp_path / "other.svg").read_text() == svg
    assert "me - you" in svg and ">2 W B8<" in svg and ">1 B A9<" in svg
    assert (tmp_path / "curve.PNG").read_bytes().startswith(b"\x89PNG")


def test_a_curve_of_people_with_dollars_in_their_names(tmp_path: Path) -> None:
    draw_curve([(0, 50), (1, 40)], [], "$mart_^one - ca$h", tmp_path / "curve.svg")
    assert "$mart_^one - ca$h" in (tmp_path / "curve.svg").read_text()


def test_control_characters_of_names_are_neither_shown_nor_drawn(
    game: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As of ISO-2022-JP that the file does not name."""
    game.write_text(COINS.replace("[me]", "[\x1b$B0f;3\x1b(B]"))
    assert main(["review", str(game), "--agent", "alphabeta"]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert ElementTree.parse(game.with_name("game-review.svg")).getroot()


def test_what_the_agent_would_have_played_is_no_mistake() -> None:
    review = reviewed("(;SZ[9];B[bi];W[bb])", 80, 20, 90, line=(1, 2))  # B1 C1
    assert [moment.is_choice for moment in review.moments()] == [True, False]
    assert [(moment.number, moment.better) for moment in review.worst(9)] == [(2, "B1 C1")]


@pytest.mark.filterwarnings("error")
def test_names_in_letters_that_no_font_has_are_no_trouble(tmp_path: Path) -> None:
    draw_curve(
        [(0, 50), (1, 40)], [], "\u4e95\u5c71\u88d5\u592a - \U0001f600", tmp_path / "curve.png"
    )
    assert (tmp_path / "curve.png").stat().st_size > 1000


SHORT = "(;GM[100]GTPBOT[coin pile=7 max_take=2];B[1];W[1])"


def comments(review: Review) -> list[str]:
    """Those of the main line."""
    nodes = (step.node for step in review.steps)
    return [node.get("C") if node.has_property("C") else "" for node in nodes]


def test_a_line_is_told_of_where_it_leaves_the_game() -> None:
    review = reviewed(SHORT, 50, 50, 50, line=(0, 1, 1))
    review.annotate("uct")
    assert comments(review) == [
        "uct: Black 50.0 %, 100 playouts, best line G1 E1 C1",
        "uct: Black 50.0 %, 100 playouts, best line F1 D1 B1",
        "uct: Black 50.0 %, 100 playouts, best line E1 C1 A1",
    ]
    played, ours = review.steps[1].node
    assert played is review.steps[2].node
    assert ours.get("C") == "uct: a line of 9 visits"
    (rest,) = ours
    assert not rest.has_property("C")


@pytest.mark.parametrize(
    ("after", "mark", "words"),
    [
        (30, "BM", ", the move lost 20.0 %"),
        (30.1, "DO", ", the move lost 19.9 %"),
        (40, "DO", ", the move lost 10.0 %"),
        (40.1, None, ", the move lost 9.9 %"),
        (49, None, ", the move lost 1.0 %"),
        (49.1, None, ""),
        (90, None, ""),
    ],
)
def test_how_bad_a_move_was(after: float, mark: str | None, words: str) -> None:
    review = reviewed(SHORT, 50, after, after)
    review.annotate("uct")
    node = review.steps[1].node
    assert [key for key in ("BM", "DO") if node.has_property(key)] == ([mark] if mark else [])
    assert comments(review)[1] == f"uct: Black {after:.1f} %{words}, 100 playouts"
    assert len(review.worst(9)) == bool(words)


def test_the_loss_of_a_move_is_known_between_two_known_positions_alone() -> None:
    assert not list(reviewed(SHORT, 50, None, 10).moments())
    (moment,) = reviewed(SHORT, None, 30, 50).moments()
    assert (moment.player, moment.before, moment.after) == (Player.WHITE, 70, 50)
