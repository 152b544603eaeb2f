"""Answers that come line by line, while a search goes on."""

from collections.abc import Callable, Iterator
from typing import Protocol, TypeAlias

from gtpbot.report.info_lines import Wanted, info_line
from gtpbot.report.insight import Insight, is_first_look

FIRST_LINE = 0.1
"""Seconds after which the first line comes, if it need not come sooner."""
LOOK_AGAIN = 0.01
"""Seconds between looks at an agent that has nothing to say yet."""
NEVER = 1e6
"""Seconds."""


class Listener(Protocol):
    """Hears what the controller says next."""

    def now(self) -> float:
        """The time in seconds, since some moment."""

    def wait(self, seconds: float) -> bool:
        """Wait so long, or until the controller says something or leaves; True if so."""


class Hurry:
    """Listens where more has been said already."""

    def now(self) -> float:
        """No time passes."""
        return 0.0

    def wait(self, seconds: float) -> bool:
        """At once."""
        return True


Stream: TypeAlias = Callable[[Listener], Iterator[str]]
"""The lines of an answer without their ends, each as soon as it is due."""


def info_lines(
    insight: Insight,
    wanted: Wanted,
    interval: float | None,
    now: Callable[[], float],
    wait: Callable[[float], bool],
) -> Iterator[str]:
    """A line soon, then one each `interval` seconds, until `wait` says that it is over.

    `wait` takes the seconds to wait for that. Without an interval, or with one of 0, there is none.
    The first line takes longest to make, for what it asks of nets is known to the others; so time
    counts from when it is there.
    """
    first = True
    due = now() + (min(interval, FIRST_LINE) if interval else NEVER)
    while not wait(due - now()):
        if not interval:
            continue
        report = insight.report()
        if report is None or is_first_look(report):
            due = now() + LOOK_AGAIN
            continue
        line = info_line(insight, report, wanted)
        if first:
            due, first = now(), False
        yield line
        due += interval * max(1, -(-(now() - due) // interval))
