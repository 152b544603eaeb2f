"""Parameters as GoGui shows them in dialogues.

Without an argument a command lists its parameters, each as `[type] key value`; with a key and a
value it sets one.
"""

from collections.abc import Iterable
from typing import Any, Literal, get_args, get_origin

from gtpbot.gtp.arguments import Arguments, syntax_error
from gtpbot.gtp.commands import setup
from gtpbot.gtp.commands.group import Group
from gtpbot.gtp.session import Session
from gtpbot.options import shown
from gtpbot.text.words import quote
from search.registry import AGENTS


def agent(session: Session, args: Arguments) -> str | None:
    """[agent NAME]: who chooses the moves."""
    if not args.text:
        names = [name for name, agent in AGENTS.items() if agent.plays(session.game)]
        return _line(_choice(names), "agent", session.thinker.agent.name)
    setup.change_agent(session, Arguments(_value(args, "agent")))
    return None


def params(session: Session, args: Arguments) -> str | None:
    """[KEY VALUE]: the parameters of the agent."""
    if args.text:
        return setup.param(session, args)
    agent = session.thinker.agent
    fields = agent.Params.model_fields
    return "\n".join(
        _line(_type(fields[name].annotation), name, value) for name, value in agent.params
    )


def live_pictures(session: Session, args: Arguments) -> str | None:
    """[live_pictures 0|1]: whether what the agent thinks is drawn while it thinks."""
    if not args.text:
        return _line("[bool]", "live_pictures", session.live.on)
    value = _value(args, "live_pictures")
    if value not in ("0", "1"):
        raise syntax_error(f"live_pictures {quote(value)}: expected 0 or 1")
    session.live.on = value == "1"
    return None


def _value(args: Arguments, key: str) -> str:
    """The value of the only key that there is."""
    named, value = args.exactly(2)
    if named != key:
        raise syntax_error(f"key {quote(named)}: expected {key}")
    return value


def _line(kind: str, key: str, value: Any) -> str:
    text = str(int(value)) if isinstance(value, bool) else shown(value)
    return f"{kind} {key} {text}"


def _type(annotation: Any) -> str:
    """What GoGui calls the type of a parameter; its boxes to tick cannot say `none`."""
    if annotation is bool:
        return "[bool]"
    options = get_args(annotation)
    if get_origin(annotation) is Literal:
        return _choice(options)
    if bool in options:
        return _choice(["none", "true", "false"])
    return "[string]"


def _choice(values: Iterable[str]) -> str:
    return "/".join(["[list", *values]) + "]"


GROUP = Group(
    {
        "gtpbot-agent_dialog": agent,
        "gtpbot-param_dialog": params,
        "gtpbot-live_dialog": live_pictures,
    }
)
