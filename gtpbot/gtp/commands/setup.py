"""This program's own commands, which change the game and the agent."""

from gtpbot.gtp.arguments import Arguments, syntax_error
from gtpbot.gtp.commands.group import Group
from gtpbot.gtp.protocol import GtpError
from gtpbot.gtp.session import Session
from gtpbot.options import OptionsError, check_keys, make_game, shown


def change_game(session: Session, args: Arguments) -> str:
    """NAME [OPTION=VALUE...]: an empty board of another game; which agent will play it."""
    name = _name(args)
    kept = dict(session.go.options) if name == session.go.spec.name else {}
    try:
        session.change_game(make_game(name, kept | args.settings(1)))
    except OptionsError as error:
        raise GtpError(str(error)) from None
    return f"{session.game.spec.title}, agent {session.thinker.agent.name}"


def change_agent(session: Session, args: Arguments) -> None:
    """NAME [PARAMETER=VALUE...]: another agent, which keeps the parameters that it shares."""
    try:
        session.change_agent(session.choice.changed(_name(args), args.settings(1)))
    except OptionsError as error:
        raise GtpError(str(error)) from None


def param(session: Session, args: Arguments) -> str | None:
    """[PARAMETER [VALUE]]: all parameters of the agent; one of them; set one."""
    key, _, value = args.text.partition(" ")
    try:
        if not value:
            return _show_params(session, key)
        session.change_params({key: value.strip()})
    except OptionsError as error:
        raise GtpError(str(error)) from None
    return None


def _show_params(session: Session, key: str) -> str:
    agent = session.thinker.agent
    if not key:
        return "\n".join(f"{name} {shown(value)}" for name, value in agent.params)
    check_keys(agent.Params, [key], f"agent {agent.name}")
    return shown(getattr(agent.params, key))


def _name(args: Arguments) -> str:
    if not args.words:
        raise syntax_error("no argument: expected a name")
    return args.words[0]


GROUP = Group({"gtpbot-game": change_game, "gtpbot-agent": change_agent, "gtpbot-param": param})
