"""The command line of a verb, and what verbs refuse of it before any work is done."""

import argparse
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any, NoReturn

from gtpbot.options import OptionsError
from gtpbot.text.words import hint


class VerbParser(argparse.ArgumentParser):
    """The options of a verb. Tells in one line, as OptionsError, what is wrong with them."""

    def __init__(
        self,
        verb: str,
        description: str | None,
        appendix: Callable[[], Iterable[str]] = tuple,
        **how: Any,
    ) -> None:
        """`appendix` has the lines that end the help; `how` as `argparse.ArgumentParser` has it."""
        super().__init__(prog=f"gtpbot {verb}", description=description, allow_abbrev=False, **how)
        self._appendix = appendix

    def format_help(self) -> str:
        """With the lines of the appendix as they are."""
        return "\n".join([super().format_help().rstrip(), *self._appendix(), ""])

    def read(self, arguments: Sequence[str]) -> argparse.Namespace:
        """What `arguments` say. Raises OptionsError."""
        known = [name for action in self._actions for name in action.option_strings]
        try:
            parsed, unknown = self.parse_known_args(arguments)
        except OptionsError:  # perhaps of the value of an option that there is not
            words = takewhile(lambda word: word != "--", arguments)  # after that there are none
            options = (word for word in words if re.match("--?[a-z]", word))  # and no numbers
            unknown = [word for word in options if word.partition("=")[0] not in known]
            if not unknown:
                raise
        for word in sorted(unknown, key=lambda word: not word.startswith("-")):
            raise OptionsError(unknown_option(word, known, f"`{self.prog} --help` tells all"))
        return parsed

    def error(self, message: str) -> NoReturn:
        """Raise OptionsError."""
        raise OptionsError(f"{message} (`{self.prog} --help` tells more)")


def unknown_option(word: str, known: Sequence[str], otherwise: str) -> str:
    """What is to be said of a word of a command line that nobody asked for."""
    if not word.startswith("-"):
        return f"{word!r} is one word too many: {otherwise}"
    return f"unknown option {word!r}: {hint(word.partition('=')[0], known, otherwise)}"


def check_least(parsed: argparse.Namespace, least: Mapping[str, float]) -> None:
    """Raise OptionsError if the number of an option is below its bound in `least`."""
    for name, bound in least.items():
        number = getattr(parsed, name)
        if number is not None and not number >= bound:
            option = name.replace("_", "-")
            raise OptionsError(f"--{option} {number}: expected at least {bound:g}")


def check_above(parsed: argparse.Namespace, bounds: Mapping[str, float]) -> None:
    """Raise OptionsError if the number of an option is not above its bound in `bounds`."""
    for name, bound in bounds.items():
        number = getattr(parsed, name)
        if not number > bound:
            option = name.replace("_", "-")
            raise OptionsError(f"--{option} {number:g}: expected more than {bound:g}")


def check_place(option: str, path: Path | None) -> None:
    """Raise OptionsError if `path`, a file written when all work is done, cannot be one."""
    if path is not None and not path.parent.is_dir():
        raise OptionsError(f"{option} {str(path)!r}: there is no folder {str(path.parent)!r}")
    if path is not None and path.is_dir():
        raise OptionsError(f"{option} {str(path)!r}: expected a file, found a folder")
