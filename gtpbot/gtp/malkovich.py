"""What an agent thinks of its moves, for who watches a game on the Online Go Server.

gtp2ogs reads it from standard error and shows it in the Malkovich chat, which the players do not
see. It knows the form of KataGo, which is used here.
"""

from collections.abc import Callable

from gtpbot.gtp.journal import to_stderr
from gtpbot.gtp.session import Choice, Session
from gtpbot.report.evaluation import line_text, reasons
from gtpbot.report.insight import Insight, winrate
from search.agent import Report


class Malkovich:
    """Tells what the agent thought of each of its moves."""

    def __init__(self, write: Callable[[str], None] = to_stderr) -> None:
        """Begin with a line that names KataGo: by it gtp2ogs knows the form of those to come."""
        self._write = write
        self._told: Choice | None = None
        write("gtpbot: what it thinks of its moves follows in the form of KataGo\n")

    def follow(self, session: Session) -> None:
        """Tell of the last move that the agent chose, if that is new and the agent knows enough."""
        choice, told = session.choice_made, self._told
        self._told = choice
        if choice is None or choice is told:
            return
        report = reasons(choice.before, choice.decision)
        line = malkovich_line(Insight(session.thinker.agent, choice.before), report)
        if line:
            self._write(f"{line}\n")


def malkovich_line(insight: Insight, report: Report) -> str:
    """A report in KataGo's form, for the player to move; empty if something is not known."""
    if not report.candidates or report.value_to_move is None:
        return ""
    lead, deviation = insight.score_to_move(report), insight.score_deviation
    if lead is None or deviation is None:
        return ""
    line = line_text(insight.position, report.candidates[0].variation)
    return (
        f"MALKOVICH:Visits {report.playouts} Winrate {100 * winrate(report.value_to_move):.2f}% "
        f"ScoreLead {lead:.1f} ScoreStdev {deviation:.1f} PV {line}"
    )
