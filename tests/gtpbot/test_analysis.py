"""Analysis as clients ask for it and read it: every byte, with a clock and an agent made up."""

import re
import threading
from collections.abc import Iterator

import pytest

from games.base import Game, Player
from games.coin import Coin, CoinOptions
from games.connect4 import ConnectFour
from games.go import Go, GoOptions
from games.position import Position
from games.tictactoe import TicTacToe
from gtpbot.gtp.clock import Fischer
from gtpbot.gtp.engine import Engine
from gtpbot.gtp.session import Session
from gtpbot.gtp.thinking import Thinker
from gtpbot.options import AgentChoice
from gtpbot.text.stdout import Disconnected
from search.agent import Agent, AgentParams, Ban, Candidate, Report
from search.random import RandomAgent
from tests.support.agents import FakeListener, ReportingAgent

GO = Go(GoOptions(size=3, komi=0.5))
BLACKS_ROWS = [1.0, 1.0, 1.0, 0.5, 0.5, 0.5, -1.0, -1.0, 0.0]
"""From the lowest row."""


def session(agent: Agent, game: Game = GO) -> Session:
    it = Session(game, AgentChoice("random"))
    it.thinker = Thinker(agent)
    return it


def ask(it: Session, *lines: str, seconds: float = 0.75) -> str:
    """What is answered to lines, of which each analysis is stopped after so many seconds."""
    answers: list[str] = []
    engine = Engine(it, answers.append)
    for line in lines:
        engine.serve(line.encode(), FakeListener(seconds))
    return "".join(answers)


def early(position: Position) -> Report:
    b2 = Candidate(4, 8, 0.5, 0.25, (4,), deviation=0.125, variation_visits=(8,))
    return Report(position.to_move, (b2,), 8, 0.5)


def late(position: Position) -> Report:
    """Two moves looked at, and a pass that was not."""
    b2 = Candidate(4, 90, 0.5, 0.25, (4, 0, 9), 0.0625, (90, 30, 2), score_to_move=2.5)
    a1 = Candidate(0, 9, -1.0, 0.125, (0,), deviation=0.0, variation_visits=(9,))
    no_move = Candidate(9, 0, 0.0, 0.0, (9,))
    return Report(position.to_move, (b2, a1, no_move), 99, 0.5)


def fake(owners: bool = True) -> ReportingAgent:
    return ReportingAgent(early, late, late, owners=BLACKS_ROWS if owners else None)


EARLY_LZ = "info move B2 visits 8 winrate 7500 prior 2500 lcb 6275 order 0 pv B2\n"
LATE_LZ = (
    "info move B2 visits 90 winrate 7500 prior 2500 lcb 6888 order 0 pv B2 A1 pass "
    "info move A1 visits 9 winrate 0 prior 1250 lcb 0 order 1 pv A1\n"
)


def test_lz_analyze() -> None:
    """The first line soon, then one each interval, and an empty one when it is stopped."""
    assert ask(session(fake()), "7 lz-analyze b 50") == f"=7\n{EARLY_LZ}{LATE_LZ}\n"
    assert ask(session(fake()), "lz-analyze 10") == f"=\n{EARLY_LZ}{6 * LATE_LZ}\n"


def test_no_line_comes_before_a_move_was_looked_at() -> None:
    """A search with a net knows at first how likely each move is, and nothing of its value."""

    def first_look(position: Position) -> Report:
        moves = (Candidate(action, 0, 0.0, 0.1, (action,)) for action in range(10))
        return Report(position.to_move, tuple(moves), 1)

    agent = ReportingAgent(first_look, first_look, early, late)
    assert ask(session(agent), "lz-analyze 50", seconds=0.3) == f"=\n{EARLY_LZ}\n"


def test_kata_analyze() -> None:
    """A lead for each move, of the position where the agent knows none; 3 + 1.5 - 2 - 0.5 komi."""
    scores = "scoreMean 2.000 scoreStdev 1.803 scoreLead 2.000"
    told = (
        f"info move B2 visits 8 winrate 0.750000 {scores} "
        "prior 0.250000 lcb 0.627500 order 0 pv B2\n"
    )
    assert ask(session(fake()), "kata-analyze 10", seconds=0.15) == f"=\n{told}\n"


def test_everything_that_kata_analyze_can_tell() -> None:
    """For White, whose lead is the negative, and in the order of reading: the highest row first."""
    line = (
        "kata-analyze w interval 10 minmoves 3 rootInfo true ownership true ownershipStdev true "
        "movesOwnership true movesOwnershipStdev true pvVisits true pvEdgeVisits true "
        "noResultValue true"
    )
    agent = ReportingAgent(late, owners=BLACKS_ROWS)
    rows = "1.000 1.000 0.000 -0.500 -0.500 -0.500 -1.000 -1.000 -1.000"
    spreads = "0.000 0.000 1.000 0.866 0.866 0.866 0.000 0.000 0.000"
    after = f"movesOwnership {rows} movesOwnershipStdev {spreads}"
    lead = "scoreMean -2.000 scoreStdev 1.803 scoreLead -2.000"
    assert ask(session(agent), line, seconds=0.15) == (
        "=\n"
        "info move B2 visits 90 winrate 0.750000 scoreMean 2.500 scoreStdev 1.803 scoreLead 2.500 "
        "noResultValue 0 prior 0.250000 lcb 0.688750 order 0 pv B2 A1 pass "
        f"pvVisits 90 30 2 pvEdgeVisits 90 30 2 {after} "
        f"info move A1 visits 9 winrate 0.000000 {lead} "
        "noResultValue 0 prior 0.125000 lcb 0.000000 order 1 pv A1 "
        f"pvVisits 9 pvEdgeVisits 9 {after} "
        f"info move pass visits 1 winrate 0.500000 {lead} "
        "noResultValue 0 prior 0.000000 lcb 0.500000 order 2 pv pass "
        f"pvVisits 1 pvEdgeVisits 1 {after} "
        f"rootInfo visits 99 winrate 0.750000 {lead} "
        f"ownership {rows} ownershipStdev {spreads}\n\n"
    )


@pytest.mark.parametrize("moves", [1, 5])
def test_maxmoves(moves: int) -> None:
    agent = ReportingAgent(late, owners=BLACKS_ROWS)
    told = ask(session(agent), f"lz-analyze 10 maxmoves {moves}", seconds=0.15)
    assert told.count("info move") == min(moves, 2)


@pytest.mark.parametrize("line", ["lz-analyze", "kata-analyze b", "lz-analyze b minmoves 2"])
def test_nothing_is_told_without_an_interval(line: str) -> None:
    assert ask(session(fake()), line) == "=\n\n"


def test_an_interval_of_0_ends_analysis_and_begins_none() -> None:
    agent = fake()
    assert ask(session(agent), "lz-analyze 0") == "=\n\n"
    assert agent.asked == []


def test_an_interval_of_a_year_tells_once() -> None:
    it = session(fake(), GO)
    assert ask(it, "lz-analyze 3153600000", seconds=86_400) == f"=\n{EARLY_LZ}\n"


def test_the_clock_of_lines_does_not_drift() -> None:
    """Lines come at 0.1 s and then each 0.3 s, whatever a line takes."""
    times: list[float] = []
    listener = FakeListener(1.2)

    def write(text: str) -> None:
        if "info" in text:
            times.append(listener.now())
            listener.pass_by(0.1)

    Engine(session(fake()), write).serve(b"lz-analyze 30", listener)
    assert times == pytest.approx([100.1, 100.4, 100.7, 101.0])


def test_a_first_line_that_takes_long_does_not_hurry_the_second() -> None:
    """It asks nets for what is known to the others."""
    times: list[float] = []
    listener = FakeListener(1.2)

    def slow_at_first(position: Position) -> Report:
        if not times:
            listener.pass_by(0.05)
        return early(position)

    def write(text: str) -> None:
        if "info" in text:
            times.append(listener.now())

    agent = ReportingAgent(*[slow_at_first] * 5, owners=BLACKS_ROWS)
    Engine(session(agent), write).serve(b"lz-analyze 30", listener)
    assert times == pytest.approx([100.15, 100.45, 100.75, 101.05])


def test_lines_that_are_late_are_left_out() -> None:
    times: list[float] = []
    listener = FakeListener(2.0)

    def write(text: str) -> None:
        if "info" in text:
            times.append(listener.now())
            listener.pass_by(0.7)

    Engine(session(fake()), write).serve(b"lz-analyze 30", listener)
    assert times == pytest.approx([100.1, 101.0, 101.9])


def test_a_genmove_is_told_of_until_it_is_made() -> None:
    """The last line, which CGOS reads, tells of all that was thought."""
    it = session(fake())
    assert ask(it, "3 lz-genmove_analyze b 1") == (
        f"=3\n{EARLY_LZ}{LATE_LZ}{LATE_LZ}{LATE_LZ}play B2\n\n"
    )
    assert it.position.moves == ((Player.BLACK, 4),)


def test_a_genmove_tells_once_without_an_interval() -> None:
    it = session(ReportingAgent(late, owners=BLACKS_ROWS))
    threading.Timer(0.05, it.thinker.agent.stop).start()
    told = ask(it, "kata-genmove_analyze w ownership true")
    assert re.fullmatch(
        r"=\ninfo move B2 .* info move A1 .* ownership( -?[01]\.[05]00){9}\nplay B2\n\n", told
    )


def test_kata_search_analyze_plays_nothing() -> None:
    it = session(fake())
    assert ask(it, "kata-search_analyze b 1 maxmoves 1").endswith("pv B2 A1 pass\nplay B2\n\n")
    assert it.position.moves == ()
    assert it.position.to_move is Player.BLACK


def test_moves_to_avoid_are_the_searchs_business() -> None:
    agent = fake()
    it = session(agent)
    ask(it, "lz-analyze w 10 avoid w A1,B2 3 avoid b pass 1 avoid w C3 0")
    limits, *_ = agent.asked
    assert set(limits.bans) == {
        Ban(Player.WHITE, 0, 3),
        Ban(Player.WHITE, 4, 3),
        Ban(Player.BLACK, 9, 1),
        Ban(Player.WHITE, 8, 0),
    }
    assert limits.banned(Player.WHITE) == {0, 4}


def test_moves_to_allow_leave_the_others_out() -> None:
    agent = fake()
    ask(session(agent), "kata-analyze 10 allow b A1,B2 2")
    limits, *_ = agent.asked
    assert limits.banned(Player.BLACK) == set(range(10)) - {0, 4}
    assert {ban.plies for ban in limits.bans} == {2}


def test_a_move_is_chosen_under_bans_within_the_time_of_the_clock() -> None:
    agent = fake()
    it = session(agent)
    it.set_time_control(Fischer(60))
    ask(it, "kata-genmove_analyze b 10 avoid b A1 1")
    (limits,) = agent.asked
    assert limits.bans == (Ban(Player.BLACK, 0, 1),)
    assert limits.seconds is not None and 0 < limits.seconds < 60


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("lz-analyze b ten", "key 'ten': expected one of black, white, interval"),
        ("lz-analyze b 10 ownership true", "key 'ownership'"),
        ("kata-analyze b 10 owner true", "key 'owner': did you mean 'ownership'?"),
        ("kata-analyze b 10 ownership", "key 'ownership' has no value"),
        ("kata-analyze b 10 ownership yes", "switch 'yes': expected true or false"),
        ("lz-analyze b -1", "interval '-1': expected hundredths of a second"),
        ("lz-analyze 1e", "number '1e': expected a decimal number"),
        ("lz-analyze 10 minmoves -2", "number '-2': expected 0 or more"),
        ("lz-analyze 10 avoid b A1", "key 'avoid' has no value"),
        ("lz-analyze 10 avoid b A9 1", "vertex 'A9' is off the board"),
        ("lz-analyze 10 avoid b A1 1 allow b A2 1", "allow: expected any number of avoid"),
        ("lz-analyze 10 allow b A1 1 allow b A2 1", "allow: expected any number of avoid"),
    ],
)
def test_requests_of_the_wrong_form(
    line: str, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = fake()
    assert ask(session(agent), line) == "? syntax error\n\n"
    assert reason in capsys.readouterr().err
    assert agent.asked == []


@pytest.mark.parametrize("name", ["lz-analyze", "kata-analyze", "kata-genmove_analyze"])
def test_a_request_that_leaves_no_move(name: str) -> None:
    every = "A1,B1,C1,A2,B2,C2,A3,B3,C3,pass"
    agent = fake()
    assert ask(session(agent), f"{name} b 10 avoid b {every} 1") == "? no move left to analyze\n\n"
    assert agent.asked == []


def test_a_finished_game_cannot_be_analyzed() -> None:
    it = session(fake(), TicTacToe())
    for action in (0, 3, 1, 4, 2):
        it.position.play(it.position.to_move, action)
    assert ask(it, "lz-analyze 10") == "? the game is over\n\n"
    assert ask(it, "kata-genmove_analyze w 10") == "=\nplay pass\n\n"
    assert ask(it, "kata-search_analyze w 10") == "=\nplay pass\n\n"


def test_a_finished_game_of_go_can_be_analyzed() -> None:
    it = session(fake())
    assert ask(it, "play b pass", "play w pass", "lz-analyze 50").endswith(LATE_LZ + "\n")


def test_a_player_whose_turn_it_is_not() -> None:
    assert ask(session(fake(), ConnectFour()), "lz-analyze w 10") == "? illegal move\n\n"


def test_other_games_are_told_in_the_same_form() -> None:
    """Without a lead, which they have none of; written as each game writes its moves."""

    def three(position: Position) -> Report:
        one = Candidate(3, 5, 0.0, 0.5, (3, 3, 2), variation_visits=(5, 2, 1))
        return Report(position.to_move, (one,), 5, 0.0)

    told = ask(session(ReportingAgent(three), ConnectFour()), "kata-analyze 10", seconds=0.15)
    assert told == (
        "=\ninfo move D1 visits 5 winrate 0.500000 prior 0.500000 lcb 0.500000 order 0 "
        "pv D1 D2 C1\n\n"
    )


def test_an_agent_that_knows_nothing_of_moves_tells_of_them_all() -> None:
    it = session(RandomAgent(AgentParams(seed=1)), Coin(CoinOptions(pile=5)))
    told = ask(it, "lz-analyze 10", seconds=0.15)
    assert told.count("visits 1 winrate 5000 prior 5000") == 2


def test_an_agent_that_fails_ends_the_answer(capsys: pytest.CaptureFixture[str]) -> None:
    class Failing(ReportingAgent):
        def analyze(self, *args: object) -> None:
            raise RuntimeError("a bug")

    it = session(Failing(late))
    assert ask(it, "4 lz-analyze 10", "5 lz-genmove_analyze b 10") == "=4\n\n=5\n\n"
    assert capsys.readouterr().err.count("RuntimeError: a bug") == 2
    assert it.position.moves == ()


@pytest.mark.parametrize("line", ["lz-analyze 1", "lz-genmove_analyze b 1"])
def test_a_client_that_leaves_amid_a_line(line: str) -> None:
    """Nothing thinks on, and no thread is left."""
    it = session(ReportingAgent(early, *[late] * 1000, owners=BLACKS_ROWS))
    told = []

    def write(text: str) -> None:
        told.append(text)
        if "info" in text:
            raise Disconnected

    before = threading.active_count()
    Engine(it, write).run(iter_then_wait(line.encode()))
    assert "info" in told[-1]
    assert "lz" not in {thread.name for thread in threading.enumerate()}
    assert threading.active_count() <= before + 1  # the reader, which waits for its input


def iter_then_wait(line: bytes) -> Iterator[bytes]:
    yield line
    threading.Event().wait(1)


def test_two_analyses_in_a_row() -> None:
    """The second ends the first."""
    told: list[str] = []
    it = session(ReportingAgent(early, *[late] * 1000, owners=BLACKS_ROWS))

    def lines() -> Iterator[bytes]:
        yield b"1 lz-analyze 1"
        wait_for(told, "info")
        yield b"2 kata-analyze 1"
        wait_for(told, "score")
        yield b"3 name"

    Engine(it, told.append).run(lines())
    assert re.fullmatch(
        r"=1\n(info .*\n)+\n=2\n(info .* scoreMean .*\n)+\n=3 gtpbot\n\n", "".join(told)
    )


def wait_for(told: list[str], text: str) -> None:
    for _ in range(1000):
        if any(text in part for part in told):
            return
        threading.Event().wait(0.01)
    raise AssertionError(f"{text} was never told")


@pytest.mark.parametrize("line", [b"", b"# comment", b"stop", b"name", b"protocol_version"])
def test_any_line_stops_it(line: bytes) -> None:
    told: list[str] = []
    it = session(ReportingAgent(early, *[late] * 1000, owners=BLACKS_ROWS))

    def lines() -> Iterator[bytes]:
        yield b"lz-analyze 1"
        wait_for(told, "info")
        yield line
        yield b"9 quit"

    Engine(it, told.append).run(lines())
    assert re.fullmatch(r"=\n(info .*\n)+\n(= ?.*\n\n)?=9\n\n", "".join(told))
    assert {thread.name for thread in threading.enumerate()} & {"analyze", "decide"} == set()


def test_a_stop_before_the_first_line() -> None:
    assert ask(session(fake()), "1 lz-analyze 100", seconds=0.0) == "=1\n\n"
