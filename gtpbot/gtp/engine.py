"""The engine: lines in, answers out, and a session that survives whatever a line holds."""

import time
import traceback
from collections.abc import Callable, Iterable, Iterator

from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands.table import commands_for
from gtpbot.gtp.journal import Journal
from gtpbot.gtp.malkovich import Malkovich
from gtpbot.gtp.protocol import (
    LONGEST_ERROR,
    OUT_OF_MEMORY,
    STREAM_END,
    UNKNOWN_COMMAND,
    Command,
    GtpError,
    failure,
    is_interrupt,
    parse_line,
    stream_head,
    stream_line,
    success,
)
from gtpbot.gtp.recorder import Recorder
from gtpbot.gtp.session import Session
from gtpbot.gtp.streams import Hurry, Listener, Stream
from gtpbot.gtp.thinking import STOP_EVERY
from gtpbot.gtp.transport import Inbox
from gtpbot.text.stdout import Disconnected
from gtpbot.text.words import hint, shorten

GRACE = 0.1
"""A search is cut short by `quit` or the end of the input only after so many seconds: what came
sooner was written beforehand, by a script that wants its answers in full."""


HURRY = Hurry()


class Engine:
    """Answers lines about one session, in order."""

    def __init__(
        self,
        session: Session,
        write: Callable[[str], None],
        journal: Journal | None = None,
        recorder: Recorder | None = None,
        malkovich: Malkovich | None = None,
    ) -> None:
        """`write` takes each answer; it raises Disconnected when nobody listens."""
        self.session = session
        self._write = write
        self._journal = journal or Journal()
        self._recorder = recorder
        self._malkovich = malkovich

    def run(self, lines: Iterable[bytes]) -> None:
        """Serve until `quit`, the end of `lines`, or nobody listens."""
        inbox = Inbox(lines, self._heard)
        try:
            for line in inbox:
                self.serve(line, inbox)
                if self.session.finished:
                    break
        except Disconnected:
            pass
        finally:
            self.session.thinker.rest()

    def serve(self, line: bytes, listener: Listener = HURRY) -> None:
        """Answer one line, if it holds a command; `listener` hears of the lines that follow."""
        command = parse_line(line)
        self._journal.received(line)
        if command is None:
            return
        self.session.thinker.rest()
        for part in self._answer(command, listener):
            self._record()
            self._tell_spectators()
            self._journal.answered(part)
            self._write(part)
        self.session.ponder()

    def _answer(self, command: Command, listener: Listener) -> Iterator[str]:
        """The parts of an answer, each when it is due."""
        try:
            answer = self._handle(command)
        except GtpError as error:
            if error.reason:
                self._journal.complain(
                    f"{command.name}: {error.text}: {shorten(error.reason, LONGEST_ERROR)}"
                )
            yield failure(command.id, error.text)
        except MemoryError:  # mostly the agent's, made when it first thinks
            self._journal.complain(traceback.format_exc())
            yield failure(command.id, OUT_OF_MEMORY)
        except Exception:
            self._journal.complain(traceback.format_exc())
            yield failure(command.id, "internal error")
        else:
            if callable(answer):
                yield from self._streamed(command, answer(listener))
            else:
                yield success(command.id, answer or "")

    def _record(self) -> None:
        if self._recorder is not None:
            try:
                self._recorder.follow(self.session)
            except OSError as error:
                self._journal.complain(f"the game cannot be recorded: {error}")
            except Exception:  # a record must never cost the game
                self._journal.complain(f"the game cannot be recorded: {traceback.format_exc()}")

    def _tell_spectators(self) -> None:
        if self._malkovich is not None:
            try:
                self._malkovich.follow(self.session)
            except Exception:  # nor must what spectators see
                self._journal.complain(traceback.format_exc())

    def _streamed(self, command: Command, lines: Iterator[str]) -> Iterator[str]:
        """An answer that has begun can no longer fail; it ends, and the log tells why."""
        yield stream_head(command.id)
        try:
            yield from filter(None, map(stream_line, lines))
        except Exception:
            self._journal.complain(traceback.format_exc())
        yield STREAM_END

    def _handle(self, command: Command) -> str | Stream | None:
        commands = commands_for(self.session.game)
        handler = commands.get(command.name)
        if handler is None:
            raise GtpError(UNKNOWN_COMMAND, hint(command.name, commands))
        return handler(self.session, Arguments(command.arguments))

    def _heard(self, line: bytes | None, inbox: Inbox) -> None:
        """On the reading thread, for a line before its turn, or None at the end of the input."""
        interrupt = line is not None and is_interrupt(line)
        if interrupt or self._breaks_off(line):
            self._hurry(inbox)

    def _breaks_off(self, line: bytes | None) -> bool:
        """True for a farewell in the middle of a search."""
        return _is_farewell(line) and self.session.thinker.seconds_thinking() > GRACE

    def _hurry(self, inbox: Inbox) -> None:
        """Cut short every search until all that came so far is served."""
        while inbox.behind:
            self.session.thinker.stop()
            time.sleep(STOP_EVERY)


def _is_farewell(line: bytes | None) -> bool:
    if line is None:
        return True
    command = parse_line(line)
    return command is not None and command.name == "quit"
