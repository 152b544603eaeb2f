"""The options by which a verb names a game and an agent, as `gtpbot` itself has them.

And what verbs refuse of their own options, before any work is done.
"""

import argparse
from collections.abc import Mapping, Sequence
from pathlib import Path

from gtpbot.options import AgentChoice, Options, OptionsError, metavar

AGENT_OPTIONS = ("agent", "playouts", "seconds", "threads", "seed", "net", "param")
RULES_OPTIONS = ("komi", "rules")
GAME_OPTIONS = ("size", *RULES_OPTIONS, "option")
REPEATABLE = ("param", "option")


def add_options(parser: argparse.ArgumentParser, names: Sequence[str]) -> None:
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


def check_least(parsed: argparse.Namespace, least: Mapping[str, float]) -> None:
    """Raise OptionsError if the number of an option is below its bound in `least`."""
    for name, bound in least.items():
        number = getattr(parsed, name)
        if number is not None and not number >= bound:
            option = name.replace("_", "-")
            raise OptionsError(f"--{option} {number}: expected at least {bound:g}")


def check_place(option: str, path: Path | None) -> None:
    """Raise OptionsError if `path`, a file written when all work is done, cannot be one."""
    if path is not None and not path.parent.is_dir():
        raise OptionsError(f"{option} {str(path)!r}: there is no folder {str(path.parent)!r}")
    if path is not None and path.is_dir():
        raise OptionsError(f"{option} {str(path)!r}: expected a file, found a folder")


def interpret_pair(text: str) -> tuple[str, str]:
    """KEY=VALUE. Raises OptionsError."""
    key, equals, value = text.partition("=")
    if not equals:
        raise OptionsError(f"setting {text!r}: expected KEY=VALUE")
    return key, value
