"""Pictures of a search while it runs, for GoGui, which reads them from standard error."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from games.position import Position
from gtpbot.gtp.gfx import gfx
from gtpbot.gtp.journal import to_stderr
from gtpbot.report.thoughts import thinking
from search.agent import Agent


class LivePictures:
    """Draws what an agent thinks, a few times a second, where somebody looks."""

    def __init__(self, write: Callable[[str], None] = to_stderr, every: float = 0.25) -> None:
        """Draws nothing until `on` is set; `every` is in seconds."""
        self.on = False
        self._write = write
        self._every = every

    @contextmanager
    def of(self, agent: Agent, position: Position) -> Iterator[None]:
        """Draw while the body lets `agent` think about `position`."""
        if not self.on:
            yield
            return
        done = threading.Event()
        pen = threading.Thread(target=self._draw, args=(agent, position.copy(), done), daemon=True)
        pen.start()
        try:
            yield
        finally:
            done.set()
            pen.join()
            self._write("gogui-gfx: CLEAR\n")

    def _draw(self, agent: Agent, position: Position, done: threading.Event) -> None:
        while not done.wait(self._every):
            report = agent.report_of(position)
            if report is None:
                continue
            pictures = position.game.picture(position.state), thinking(position, report)
            lines = filter(None, map(gfx, pictures))
            self._write("\n".join(["gogui-gfx:", *lines, "", ""]))
