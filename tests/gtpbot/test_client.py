"""The GTP client against engines that behave and engines that do not."""

import re
import time
from pathlib import Path

import pytest

from gtpbot.engines import child
from gtpbot.engines.child import EngineDiedError, EngineTimeoutError, GarbledAnswerError
from gtpbot.engines.client import Answer, CommandFailedError, GtpClient, parse_answers
from tests.support.scripted_engine import Script, scripted


def engine(script: Script, timeout: float = 10.0) -> GtpClient:
    return GtpClient(scripted(script), timeout)


def test_answers() -> None:
    lines = "=1 one\r\n\n\n?2  two words \nmore\n \n=\n\n= three\n\n=4\n=5 same\n\n=6 unfinished\n"
    assert list(parse_answers(lines.splitlines(keepends=True))) == [
        Answer("1", True, "one"),
        Answer("2", False, "two words\nmore"),
        Answer("", True, ""),
        Answer("", True, "three"),
        Answer("4", True, "\n=5 same"),
    ]


@pytest.mark.parametrize("line", ["hello", "one =1", "=x", "=1one", "=-1 one"])
def test_lines_that_are_no_answers(line: str) -> None:
    with pytest.raises(GarbledAnswerError, match=re.escape(f"line {line!r}: expected an answer")):
        list(parse_answers([line]))


def test_asks_and_quits() -> None:
    with engine({"name": "={id} Scripted\n\n", "play": "?{id} illegal move\n\n"}) as client:
        assert client.ask("name") == "Scripted"
        assert client.ask("anything") == ""
        with pytest.raises(CommandFailedError, match=r"'play' with '\? illegal move'") as failure:
            client.ask("play")
        assert failure.value.text == "illegal move"
        assert client.ask("name") == "Scripted"
        assert client.exit_code is None
    assert client.exit_code == 0


def test_answers_come_in_the_order_of_the_commands() -> None:
    script: Script = {f"echo {i}": f"={{id}} {i}\n\n" for i in range(500)}
    with engine(script) as client:
        replies = [client.send(f"echo {i}") for i in range(500)]
        assert [reply.text() for reply in replies] == [str(i) for i in range(500)]


def test_no_pipe_ever_fills_up() -> None:
    long = "x" * 100_000
    with engine({"name": f"={{id}} {long}\n\n", "noise": "FLOOD ={id} done\n\n"}) as client:
        replies = [client.send("name") for _ in range(100)]
        replies += [client.send(f"name {long}") for _ in range(20)]
        assert client.ask("noise") == "done"
        assert {len(reply.text()) for reply in replies} == {100_000, 0}
        assert len(client.stderr) == 20


def test_a_dead_engine_tells_its_exit_code_and_last_words() -> None:
    with engine({"genmove": "DIE 3"}) as client:
        replies = [client.send("genmove"), client.send("name")]
        for reply in replies:
            with pytest.raises(EngineDiedError, match=r"(?s)exit code 3; it said:.*last words"):
                reply.text()
        with pytest.raises(EngineDiedError, match="exit code 3"):
            client.ask("name")


def test_an_engine_that_cannot_be_started() -> None:
    with pytest.raises(EngineDiedError, match="cannot start 'no-such-engine --mode gtp': "):
        GtpClient("no-such-engine --mode gtp")
    with pytest.raises(EngineDiedError, match="cannot start ''"):
        GtpClient("")


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("foo 'bar", 'cannot start "foo \'bar": No closing quotation'),
        (" ", "cannot start '': expected the command of an engine"),
    ],
)
def test_what_is_no_command_of_an_engine(command: str, message: str) -> None:
    with pytest.raises(EngineDiedError, match=re.escape(message)):
        GtpClient(command)


def test_a_hanging_engine_times_out_and_is_killed() -> None:
    with engine({"genmove b": "HANG"}) as client:
        began = time.monotonic()
        with pytest.raises(EngineTimeoutError, match=r"has not answered 'genmove b' in 0\.2 s"):
            client.ask("genmove b", timeout=0.2)
        unread = client.send("name " + "x" * 1_000_000)
        with pytest.raises(EngineTimeoutError):
            unread.text(0.1)
        client.close(patience=0.2)
        assert time.monotonic() - began < 5
    assert client.exit_code == -9
    with pytest.raises(EngineDiedError, match="was closed"):
        client.ask("name")


@pytest.mark.parametrize("timeout", [1e12, float("inf")])
def test_patience_may_be_without_end(timeout: float) -> None:
    with engine({"name": "={id} Scripted\n\n"}, timeout) as client:
        assert client.ask("name") == "Scripted"


def test_what_a_hanging_engine_has_started_is_killed_too() -> None:
    with engine({"genmove b": "CHILD"}) as client:
        client.send("genmove b")
        while not client.stderr:
            time.sleep(0.01)
        child = Path(f"/proc/{client.stderr[0]}/stat")
        assert child.exists()
        client.close(patience=0.2)
    for _ in range(500):
        if not child.exists() or child.read_text().split()[2] == "Z":
            return
        time.sleep(0.01)
    pytest.fail("the child is still there")


def test_a_late_answer_is_not_taken_for_another() -> None:
    with engine({"slow": "FLOOD ={id} slow\n\n", "name": "={id} Scripted\n\n"}) as client:
        late = client.send("slow")
        with pytest.raises(EngineTimeoutError):
            late.text(0.0)
        assert client.ask("name") == "Scripted"
        assert late.text() == "slow"


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("hello\n\n", "line 'hello': expected an answer"),
        ("=99 hello\n\n", "answer 'hello' with id '99': it was asked '1 name'"),
        ("= hello\n\n", "answer 'hello' with id '': it was asked '1 name'"),
        ("={id} one\n\n={id} two\n\n", "answer 'two' with id '1': it was asked"),
    ],
)
def test_a_garbled_answer_is_final(answer: str, message: str) -> None:
    with engine({"name": answer}) as client:
        reply = client.send("name")
        with pytest.raises(GarbledAnswerError, match=re.escape(message)):
            reply.text()
            client.ask("version")
        with pytest.raises(GarbledAnswerError):
            client.ask("version")


def test_an_engine_may_end_while_somebody_still_writes_to_stderr() -> None:
    """What the engine started, for example; the thread that reads it goes on meanwhile."""
    with GtpClient("false") as client:

        class Line(str):
            """When it is told, another one comes."""

            __slots__ = ()

            def __format__(self, spec: str) -> str:
                client._child._stderr.append("more")
                return "one"

        for thread in (
            client._child._drainer,
            client._reader,
        ):  # they tell of the end too, and would ask for the line
            thread.join(5)
        client._child._stderr.append(Line())
        with pytest.raises(EngineDiedError, match=r"it said:\n  one$"):
            client.check_alive()


def test_bytes_that_are_no_utf8_stop_no_engine() -> None:
    """As in the paths that an engine on another system's disk tells on stderr."""
    says = r"read one; printf '\351\n' >&2; printf '=1 \351\n\n'; read other; printf '=2\n\n'"
    with GtpClient(["sh", "-c", says], 10) as client:
        assert client.ask("name") == "\ufffd"
        assert client.ask("version") == ""
        client.close()
        assert client.stderr == ("\ufffd",)


def test_an_answer_without_an_end_is_garbled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(child, "LONGEST_LINE", 1000)
    endless = engine({"name": f"={{id}} {'x' * 2000}\n\n"})
    with endless as client, pytest.raises(GarbledAnswerError, match="longer than 1000 bytes"):
        client.ask("name")


@pytest.mark.parametrize("command", ["", "  ", "name\nversion", "name\r", "name # comment"])
def test_commands_are_one_line(command: str) -> None:
    with engine({}) as client, pytest.raises(ValueError, match="expected one line"):
        client.send(command)
