"""A match as it goes on: a table that is drawn anew on a terminal, else a line for each game."""

import time
from typing import TextIO

from gtpbot.matches.report import headline, table, told
from gtpbot.matches.sprt import Sprt
from gtpbot.matches.standings import Record, Standings
from gtpbot.text.tables import cut
from gtpbot.text.terminal import Terminal

INTERVAL = 0.5
"""Seconds between two drawings, so that fast games are not slowed down."""
UP_AND_CLEAR = "\x1b[{}F\x1b[J"
"""To the beginning of the line so many lines above; all after it is blank."""


class Display:
    """Tells what happens."""

    def __init__(self, stream: TextIO, sprt: Sprt | None, missing: int) -> None:
        """`missing` games are to be played."""
        self._stream = stream
        self._window = Terminal(stream)
        self._sprt = sprt
        self._missing = missing
        self._played = 0
        self._began = time.monotonic()
        self._drawn = 0
        self._drawn_at = 0.0

    def tell(self, record: Record, standings: Standings) -> None:
        """A game is over, with which the standings are these."""
        self._played += 1
        if not self._window.is_live:
            print(f"{told(record)}; {headline(standings, self._sprt)}", file=self._stream)
            self._stream.flush()
        elif time.monotonic() - self._drawn_at >= INTERVAL:
            self._draw(record, standings)

    def _draw(self, record: Record, standings: Standings) -> None:
        lines = [told(record), "", *table(standings).splitlines(), ""]
        lines += [headline(standings, self._sprt), self._progress()]
        width = self._window.width - 1  # so that no line takes two
        self.clear()
        self._stream.writelines(f"{cut(line, width)}\n" for line in lines)
        self._stream.flush()
        self._drawn, self._drawn_at = len(lines), time.monotonic()

    def clear(self) -> None:
        """Take away what was drawn."""
        if self._drawn:
            self._stream.write(UP_AND_CLEAR.format(self._drawn))
            self._drawn = 0

    def _progress(self) -> str:
        left = self._missing - self._played
        minutes = (time.monotonic() - self._began) / self._played * left / 60
        return f"{left} games to play in about {minutes:.1f} minutes; Ctrl-C ends, nothing is lost"
