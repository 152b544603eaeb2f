"""Commands that tell what the agent thinks while it thinks."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from games.base import Player
from games.coords import PASS
from gtpbot.gtp.analysis_request import Request, interpret_request
from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands.group import Group
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.gtp.streams import Listener, Stream, info_lines
from gtpbot.report.info_lines import Dialect, info_line
from gtpbot.report.insight import Insight
from search.agent import Limits


def analyze(session: Session, args: Arguments, dialect: Dialect) -> Stream | None:
    """[COLOUR] [INTERVAL] {KEY VALUE}: lines about the position until the next line of input.

    With an interval of 0, no analysis.
    """
    request = interpret_request(args, dialect)
    player = _player(session, request)
    if session.over:
        raise GtpError("the game is over")
    position, _ = session.question(player)
    bans = request.bans(position)
    if request.interval == 0:
        return None
    thinker, insight = session.thinker, Insight(session.thinker.agent, position)

    def lines(listener: Listener) -> Iterator[str]:
        thinker.analyze(position, Limits(bans=bans))
        try:
            yield from info_lines(
                insight, request.wanted, request.interval, listener.now, listener.wait
            )
        finally:
            thinker.rest()
        thinker.check()

    return lines


def genmove_analyze(session: Session, args: Arguments, dialect: Dialect, plays: bool) -> Stream:
    """[COLOUR] [INTERVAL] {KEY VALUE}: lines about the position, then `play MOVE`.

    The last line tells of all that was thought. The move is played if `plays`.
    """
    request = interpret_request(args, dialect)
    player = _player(session, request)
    if session.over:
        return lambda listener: iter([f"play {session.genmove(player) if plays else PASS}"])
    position, limits = session.question(player)
    bans = request.bans(position)
    thinker, clock = session.thinker, session.clocks[player]
    insight = Insight(thinker.agent, position)

    def lines(listener: Listener) -> Iterator[str]:
        if plays:
            clock.start()
        thinker.decide(position, replace(limits, bans=bans))
        try:
            yield from info_lines(
                insight, request.wanted, request.interval, listener.now, thinker.wait
            )
            decision = thinker.decision()
        finally:
            thinker.rest()
        report = insight.last_report()
        if report is not None:
            yield info_line(insight, report, request.wanted)
        if plays:
            clock.stop()
        made = session.played(position, decision) if plays else session.move_text(decision)
        yield f"play {made}"

    return lines


def _player(session: Session, request: Request) -> Player:
    return session.position.to_move if request.player is None else request.player


def stop(session: Session, args: Arguments) -> None:
    """Ends an analysis, as any line does."""


GROUP = Group(
    {
        "lz-analyze": partial(analyze, dialect="lz"),
        "kata-analyze": partial(analyze, dialect="kata"),
        "lz-genmove_analyze": partial(genmove_analyze, dialect="lz", plays=True),
        "kata-genmove_analyze": partial(genmove_analyze, dialect="kata", plays=True),
        "kata-search_analyze": partial(genmove_analyze, dialect="kata", plays=False),
        "stop": stop,
    }
)
