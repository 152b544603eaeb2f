"""What GoGui offers in its menu of analyze commands."""

from gtpbot.gtp.arguments import Arguments
from gtpbot.gtp.commands.group import Group, is_go
from gtpbot.gtp.session import Session

EVERY_GAME = (
    "gfx/Policy/gtpbot-policy",
    "gfx/Visits/gtpbot-visits",
    "gfx/Values/gtpbot-values",
    "gfx/Best line/gtpbot-best_line",
    "hstring/Search tree/gtpbot-tree",
    "param/Agent.../gtpbot-agent_dialog",
    "param/Parameters of the agent.../gtpbot-param_dialog",
    "param/Live pictures.../gtpbot-live_dialog",
    "string/Board as text/showboard",
    "string/Score/final_score",
    "string/CPU time/cputime",
)
"""Each `type/label/command`, as GoGui reads it."""

GO_ALONE = (
    "gfx/Ownership/gtpbot-ownership",
    "gfx/Liberties/gtpbot-liberties",
    "gfx/Ladders/gtpbot-ladders",
    "plist/Dead stones/final_status_list dead",
    "plist/Stones in seki/final_status_list seki",
    "string/Rules/kata-get-rules",
    "none/Set rules/kata-set-rules %s",
)


def analyze_commands(session: Session, args: Arguments) -> str:
    """The entries of the menu, in the game in play."""
    args.none()
    return "\n".join(EVERY_GAME + GO_ALONE if is_go(session.game) else EVERY_GAME)


def gogui_version(session: Session, args: Arguments) -> None:
    """VERSION of the GoGui that listens, which then is shown the search while it runs."""
    session.live.on = True


GROUP = Group({"gogui-analyze_commands": analyze_commands, "gogui-version": gogui_version})
