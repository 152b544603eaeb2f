"""The loop, in process: lines in, answers out, and what may come in the middle of a search."""

import json
import threading
import time
from collections.abc import Iterator

import pytest

from games.base import Game
from games.coin import Coin
from games.go import Go, GoOptions
from games.position import Position
from gtpbot.gtp.engine import GRACE, Engine
from gtpbot.gtp.live import LivePictures
from gtpbot.gtp.session import Session
from gtpbot.gtp.thinking import Thinker
from gtpbot.options import AgentChoice
from gtpbot.text.stdout import Disconnected
from search.agent import Agent, Limits
from tests.support.agents import CallbackAgent, StoppableAgent


def session(agent: Agent, game: Game | None = None) -> Session:
    it = Session(game or Coin(), AgentChoice("random"))
    it.thinker = Thinker(agent)
    return it


def serve(lines: Iterator[bytes] | list[bytes], agent: Agent, game: Game | None = None) -> str:
    answers: list[str] = []
    Engine(session(agent, game), answers.append).run(lines)
    return "".join(answers)


def fails(position: Position, limits: Limits) -> int:
    raise RuntimeError("a bug\n= not an answer -> really")


def first(position: Position, limits: Limits) -> int:
    return position.state.legal_actions()[0]


def resigns(position: Position, limits: Limits) -> None:
    return None


def test_nothing_is_served_after_quit() -> None:
    assert serve([b"1 genmove b", b"2 quit", b"3 name"], CallbackAgent(first)) == "=1 V1\n\n=2\n\n"


def test_the_end_of_the_input_ends_the_session() -> None:
    assert serve([b"name"], CallbackAgent(first)) == "= gtpbot\n\n"


def test_a_bug_is_answered_and_survived(capsys: pytest.CaptureFixture[str]) -> None:
    lines = [b"3 genmove b", b"gogui-rules_side_to_move"]
    assert serve(lines, CallbackAgent(fails)) == "?3 internal error\n\n= black\n\n"
    told = capsys.readouterr().err.splitlines()
    assert "gtpbot: RuntimeError: a bug" in told
    assert "gtpbot: = not an answer to really" in told
    assert all(line.startswith("gtpbot: ") for line in told)


def test_what_finds_no_memory_tells_what_to_lower(capsys: pytest.CaptureFixture[str]) -> None:
    def greedy(position: Position, limits: Limits) -> int:
        raise MemoryError("std::bad_alloc")

    lines = [b"genmove b", b"gogui-rules_side_to_move"]
    told = "? out of memory: lower the parameter memory_mb\n\n= black\n\n"
    assert serve(lines, CallbackAgent(greedy)) == told
    assert "bad_alloc" in capsys.readouterr().err


def test_reasons_are_told_on_stderr_at_sane_length(capsys: pytest.CaptureFixture[str]) -> None:
    assert serve([b"play b " + b"x" * 100_000], CallbackAgent(first)) == "? syntax error\n\n"
    told = capsys.readouterr().err
    assert told.startswith("gtpbot: play: syntax error: ")
    assert "xxx" in told
    assert len(told) < 1000


@pytest.mark.parametrize("command", ["kata-set-params", "kata-set-rules"])
def test_json_too_deep_to_read_is_no_bug(command: str) -> None:
    nested = '{"a":' * 100_000
    answer = serve([f"{command} {nested}".encode()], CallbackAgent(first), Go())
    assert answer.startswith("? ")
    assert answer != "? internal error\n\n"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b"set_free_handicap a1 b2 a1", "Black A1: a stone on an occupied point"),
        (b"gogui-setup w a2 w b1 b a1", "Black A1: a stone that leaves a chain without liberties"),
    ],
)
def test_a_stone_that_cannot_be_set_up_is_named(
    line: bytes, named: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve([line], CallbackAgent(first), Go()).startswith("? ")
    assert named in capsys.readouterr().err


def test_resignation_plays_nothing() -> None:
    lines = [b"genmove b", b"gogui-rules_side_to_move"]
    assert serve(lines, CallbackAgent(resigns)) == "= resign\n\n= black\n\n"


def test_an_agent_is_asked_for_the_colour_of_genmove() -> None:
    asked = []

    def remember(position: Position, limits: Limits) -> int:
        asked.append((position.to_move.letter, position.state.is_terminal))
        return position.state.num_actions - 1

    lines = [b"genmove w", b"genmove w", b"reg_genmove b", b"genmove b"]
    assert serve(lines, CallbackAgent(remember), Go()) == "= pass\n\n" * 4
    assert asked == [("W", False), ("W", False), ("B", False), ("B", False)]


def test_a_move_told_to_cgos_is_chosen_as_any_other() -> None:
    drawn: list[str] = []
    answers: list[str] = []
    it = session(CallbackAgent(first), Go(GoOptions(size=2)))
    it.live = LivePictures(drawn.append)
    it.live.on = True
    engine = Engine(it, answers.append)
    engine.serve(b"cgos-genmove_analyze b")
    assert drawn == ["gogui-gfx: CLEAR\n"]
    while not it.over:
        engine.serve(b"play b pass")
    engine.serve(b"cgos-genmove_analyze b")
    assert answers[-1] == "= {}\nplay pass\n\n"


def test_cleanup_forbids_the_pass_while_dead_stones_stand() -> None:
    forbidden = []

    def remember(position: Position, limits: Limits) -> int:
        forbidden.append(set(limits.banned(position.to_move)))
        return position.state.num_actions - 1

    settled = b"""gogui-setup b a1 b a3 b b1 b b2 b b3 b c1 b c2 b c3 b c4 b c5 b b5
        w d1 w d2 w d3 w d4 w d5 w e2 w e4 w e5""".replace(b"\n", b" ")
    lines = [b"boardsize 5", settled, b"kgs-genmove_cleanup b", b"undo"]
    lines += [b"gogui-setup w a5", b"kgs-genmove_cleanup b", b"kgs-genmove_cleanup w"]
    assert "?" not in serve(lines, CallbackAgent(remember), Go())
    assert forbidden == [set(), {25}, set()]


# In the middle of a search


def best_of_three(last_words: list[bytes], wait: float = 0.0) -> float:
    """How long the engine still runs when `last_words` come in the middle of a search.

    The least of three times, for machines that are busy with something else.
    """
    return min(seconds_to_stop(last_words, wait) for _ in range(3))


def seconds_to_stop(last_words: list[bytes], wait: float) -> float:
    agent = StoppableAgent()
    spoke_at = 0.0

    def lines() -> Iterator[bytes]:
        nonlocal spoke_at
        yield b"1 genmove b"
        assert agent.thinking.wait(5)
        time.sleep(wait)
        spoke_at = time.monotonic()
        yield from last_words

    answers = serve(lines(), agent)
    assert answers.startswith("=1 V1\n\n")
    return time.monotonic() - spoke_at


@pytest.mark.parametrize("words", [[], [b"quit"], [b"5 quit # now"]], ids=["EOF", "quit", "id"])
def test_a_farewell_breaks_a_search_off(words: list[bytes]) -> None:
    assert best_of_three(words, wait=GRACE + 0.05) < 0.05


@pytest.mark.parametrize("line", [b"# interrupt", b"# interrupt\r", b" # interrupt "])
def test_interrupt_stops_a_search_at_once(line: bytes) -> None:
    assert best_of_three([line]) < 0.05


def test_interrupt_stops_all_that_came_before_it_and_no_more() -> None:
    """Even searches that had not begun when it came."""
    agent = StoppableAgent()
    stopped_early = threading.Event()

    def lines() -> Iterator[bytes]:
        yield from [b"genmove b", b"genmove w", b"# interrupt", b"genmove b"]
        assert agent.thinking.wait(5)
        time.sleep(0.1)
        if not agent.thinking.is_set():
            stopped_early.set()
        yield b"# interrupt"

    assert serve(lines(), agent).count("= ") == 3
    assert not stopped_early.is_set()


@pytest.mark.parametrize(
    ("before", "last"),
    [([], [b"# interrupt"]), ([], [b"stop"]), ([b"genmove b"], [])],
    ids=["interrupt", "stop", "EOF"],
)
def test_whatever_comes_ends_an_analysis(before: list[bytes], last: list[bytes]) -> None:
    """Also what hurries all that came before it."""
    agent = StoppableAgent()
    answers: list[str] = []

    def lines() -> Iterator[bytes]:
        yield from [*before, b"1 lz-analyze 10"]
        assert agent.thinking.wait(5)
        time.sleep(GRACE + 0.05)
        yield from last

    engine = Engine(session(agent), answers.append)
    serving = threading.Thread(target=engine.run, args=(lines(),), daemon=True)
    serving.start()
    serving.join(5)
    assert not serving.is_alive()
    assert "=1\n\n" in "".join(answers)


@pytest.mark.parametrize("words", [[], [b"quit"]], ids=["EOF", "quit"])
def test_scripts_get_their_answers_in_full(words: list[bytes]) -> None:
    """A farewell that comes as soon as a search has begun was written before that."""
    agent = StoppableAgent()

    def lines() -> Iterator[bytes]:
        yield b"genmove b"
        assert agent.thinking.wait(5)
        yield from words

    released = threading.Event()

    def release() -> None:
        released.set()
        agent.stop()

    threading.Timer(GRACE + 0.3, release).start()
    serve(lines(), agent)
    assert released.is_set()


def test_pondering_lasts_until_another_position_is_on_the_board() -> None:
    agent = StoppableAgent(ponder=True)
    engine = Engine(session(agent), lambda text: None)
    threading.Timer(0.1, agent.stop).start()
    engine.serve(b"genmove b")
    assert agent.pondering.wait(5)
    for line in (b"", b"\t\r", b"# a comment"):
        engine.serve(line)
    assert agent.pondering.is_set() and agent.pondered == 1
    engine.serve(b"name")
    assert agent.pondering.wait(5) and agent.pondered == 2
    engine.serve(b"play w 1")
    assert not agent.pondering.is_set()
    engine.serve(b"name")
    assert agent.pondered == 2
    engine.serve(b"undo")
    assert agent.pondering.wait(5) and agent.pondered == 3
    engine.serve(b"quit")


@pytest.mark.parametrize("line", [b"quit", b"clear_board"])
def test_pondering_ends(line: bytes) -> None:
    agent = StoppableAgent(ponder=True)
    engine = Engine(session(agent), lambda text: None)
    threading.Timer(0.1, agent.stop).start()
    engine.serve(b"genmove b")
    engine.serve(line)
    assert not agent.pondering.is_set() and agent.pondered == 1


def test_pondering_ends_with_the_input() -> None:
    agent = StoppableAgent(ponder=True)
    threading.Timer(0.1, agent.stop).start()
    serve([b"genmove b"], agent)
    assert not agent.pondering.is_set()


def test_no_pondering_unless_asked_for() -> None:
    agent = StoppableAgent(ponder=False)
    threading.Timer(0.1, agent.stop).start()
    serve([b"genmove b"], agent)
    assert not agent.pondering.is_set()


def test_a_controller_that_leaves_ends_the_session() -> None:
    answers: list[str] = []

    def write(text: str) -> None:
        if answers:
            raise Disconnected
        answers.append(text)

    Engine(session(CallbackAgent(first)), write).run([b"name", b"name", b"name"])
    assert answers == ["= gtpbot\n\n"]


@pytest.mark.parametrize(
    ("settings", "playouts"),
    [
        ('{"maxVisits": "100", "maxPlayouts": "50", "playouts": "50"}', "100"),
        ('{"maxVisits": "80", "maxPlayouts": "70"}', "70"),
        ('{"maxVisits": "80", "maxPlayouts": "1125899906842624"}', "80"),
        ('{"maxPlayouts": "1125899906842624", "maxVisits": "1125899906842624"}', "none"),
        ('{"maxVisits": "50", "maxPlayouts": "50", "maxTime": "2"}', "50"),
        ('{"playouts": "none"}', "none"),
    ],
)
def test_two_names_of_one_limit(settings: str, playouts: str) -> None:
    """All limits hold; what a client only repeats, having asked for all, sets none."""
    session = Session(Go(), AgentChoice("uct", {"playouts": "50"}))
    answers: list[str] = []
    engine = Engine(session, answers.append)
    for line in (f"kata-set-params {settings}", "kata-get-param playouts"):
        engine.serve(line.encode())
    assert answers == ["=\n\n", f"= {playouts}\n\n"]


@pytest.mark.parametrize(
    ("value", "is_taken"),
    [("0", True), ("0.00", True), (".0", True), ("False", True), ("0.04", False), ("", False)],
)
def test_what_clients_of_katago_set_and_is_not_there(value: str, is_taken: bool) -> None:
    session = Session(Go(), AgentChoice("uct"))
    answers: list[str] = []
    settings = json.dumps({"analysisWideRootNoise": value})
    Engine(session, answers.append).serve(f"kata-set-params {settings}".encode())
    assert answers[-1][0] == "=?"[not is_taken]
