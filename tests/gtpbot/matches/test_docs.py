"""docs/matches.md: it tells of the options that there are."""

import re
from dataclasses import fields
from pathlib import Path
from typing import get_args

from gtpbot.engines.referee import Ending
from gtpbot.matches import even_openings
from gtpbot.matches.plan import parser
from gtpbot.matches.scorers import SCORERS
from gtpbot.matches.standings import Record

PAGE = (Path(__file__).parents[3] / "docs" / "matches.md").read_text()


def test_all_options_are_told_and_no_others() -> None:
    helps = parser().format_help() + even_openings.parser().format_help()
    known = set(re.findall(r"--[a-z-]+", helps)) - {"--help"}
    of_engines = {"--mode", "--level", "--chinese-rules", "--lag"}
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE))
    assert told - of_engines == known - {"--net"}


def test_all_keys_endings_and_scorers_are_told() -> None:
    words = {field.name for field in fields(Record)} | set(get_args(Ending)) | set(SCORERS)
    assert {word for word in words if f"`{word}`" not in PAGE} == set()
