"""The options by which a verb names a game and an agent, as `gtpbot` itself has them."""

import argparse
from collections.abc import Sequence

from gtpbot.options import AgentChoice, Options, OptionsError, metavar

AGENT_OPTIONS = ("agent", "playouts", "seconds", "threads", "seed", "net", "param")
RULES_OPTIONS = ("komi", "rules")
GAME_OPTIONS = ("size", *RULES_OPTIONS, "option")
REPEATABLE = ("param", "option")


def add_options(
    parser: argparse.ArgumentParser | argparse._ArgumentGroup, names: Sequence[str]
) -> None:
    """Add options of the table by their names."""
    for name in names:
        parser.add_argument(
            f"--{name}",
            action="append" if name in REPEATABLE else "store",
            default=[] if name in REPEATABLE else None,
            metavar=metavar(name),
            help=Options.model_fields[name].description,
        )


def read_options(parsed: argparse.Namespace, names: Sequence[str]) -> Options:
    """What was said of these options. Raises OptionsError."""
    said = {name: getattr(parsed, name) for name in names if getattr(parsed, name) is not None}
    for name in REPEATABLE:
        if name in said:
            said[name] = dict(map(interpret_pair, said[name]))
    return Options(**said)


def chosen_agent(options: Options) -> AgentChoice:
    """The agent that options name."""
    return AgentChoice(options.agent, options.agent_settings)


def interpret_pair(text: str) -> tuple[str, str]:
    """KEY=VALUE. Raises OptionsError."""
    key, equals, value = text.partition("=")
    if not equals:
        raise OptionsError(f"setting {text!r}: expected KEY=VALUE")
    return key, value
