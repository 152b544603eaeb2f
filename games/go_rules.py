"""The rules of Go: one value, seven presets, and their spellings in text and JSON.

Every ruleset differs only in the six fields of `Rules`. A preset is the closest such value to what
is really played under that name, which for two of them needs a word:

- `chinese` forbids only the immediate retaking of a ko, as Chinese tournaments do. The written
  Chinese rules forbid any repetition; servers apply them to the letter, so there is
  `chinese-ogs` and `chinese-kgs` with positional superko.
- `japanese` and `korean` are the same value: the rules differ in rare positions that a program
  which plays on until the status of every stone is clear never has to judge.
"""

import json
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

import gtpcore

Ko = Literal["simple", "positional", "situational"]
Scoring = Literal["area", "territory"]
HandicapBonus = Literal["none", "n", "n-1"]


KOMI_IN_STONES = (2.75, 3.25, 3.75)
"""As Chinese games have had it: 5.5, 6.5 and 7.5 points."""
KOMI_IN_HUNDREDTHS = (275, 325, 375, 550, 650, 750)
"""As the Fox server writes it."""


class RulesError(ValueError):
    """The text names no rules that this program can play."""


class Rules(BaseModel):
    """One set of rules. The defaults are those of Tromp and Taylor."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    ko: Ko = Field(default="positional", description="which repetitions are illegal")
    scoring: Scoring = Field(default="area", description="what is counted at the end")
    suicide: bool = Field(
        default=True, description="whether a move may capture its own chain of two stones or more"
    )
    handicap_bonus: HandicapBonus = Field(
        default="none",
        description="points White gets for n handicap stones; only under area scoring",
    )
    remove_dead: bool = Field(
        default=False,
        description="whether dead stones leave the board before the count; else all count",
    )
    komi: float = Field(
        default=7.5, multiple_of=0.5, ge=-1000, le=1000, description="the usual komi, in points"
    )

    @model_validator(mode="after")
    def _check_territory(self) -> "Rules":
        if self.scoring == "territory" and not self.remove_dead:
            raise ValueError("territory scoring needs remove_dead: dead stones are prisoners")
        return self

    def with_komi(self, komi: float) -> "gtpcore.GoRules":
        """These rules for the native board, with the komi of a game in place of the usual one."""
        return gtpcore.GoRules(
            ko=self.ko,
            scoring=self.scoring,
            suicide=self.suicide,
            komi=komi,
            handicap_bonus=self.handicap_bonus,
            remove_dead=self.remove_dead,
        )

    def to_kata_json(self) -> str:
        """These rules as KataGo writes them, on one line; the komi is not part of it."""
        fields = {
            "hasButton": False,
            "ko": self.ko.upper(),
            "scoring": self.scoring.upper(),
            "suicide": self.suicide,
            "tax": _KATA_TAX[self.scoring],
            "whiteHandicapBonus": KATA_BONUS[self.handicap_bonus],
            "friendlyPassOk": self.remove_dead,
        }
        return json.dumps(fields, separators=(",", ":"))


TROMP_TAYLOR = Rules()
CHINESE = Rules(ko="simple", suicide=False, handicap_bonus="n", remove_dead=True)
CHINESE_SUPERKO = CHINESE.model_copy(update={"ko": "positional"})
JAPANESE = Rules(ko="simple", scoring="territory", suicide=False, remove_dead=True, komi=6.5)
AGA = Rules(ko="situational", suicide=False, handicap_bonus="n-1", remove_dead=True)
NEW_ZEALAND = Rules(ko="situational", remove_dead=True, komi=7)
CGOS = Rules(suicide=False)
ING = Rules(remove_dead=True)

PRESETS: Mapping[str, Rules] = {
    "tromp-taylor": TROMP_TAYLOR,
    "chinese": CHINESE,
    "japanese": JAPANESE,
    "korean": JAPANESE,
    "aga": AGA,
    "new-zealand": NEW_ZEALAND,
    "cgos": CGOS,
}

ALIASES: Mapping[str, Rules] = {
    "tt": TROMP_TAYLOR,
    "chinese-ogs": CHINESE_SUPERKO,
    "chinese-kgs": CHINESE_SUPERKO,
    "jp": JAPANESE,
    "bga": AGA,
    "french": AGA,
    "nz": NEW_ZEALAND,
    "ing": ING,
    "goe": ING,
}
"""Further names: KataGo's, and those found in game records."""

_KATA_TAX: Mapping[Scoring, str] = {"area": "NONE", "territory": "SEKI"}
KATA_BONUS: Mapping[HandicapBonus, str] = {"none": "0", "n": "N", "n-1": "N-1"}
"""How KataGo writes each `Rules.handicap_bonus`."""


def komi_in_points(komi: float) -> float:
    """In points, also what is said in stones of the Chinese count or in hundredths.

    >>> komi_in_points(3.75), komi_in_points(375), komi_in_points(6.5), komi_in_points(6.75)
    (7.5, 7.5, 6.5, 6.75)
    """
    stones = komi / 100 if komi in KOMI_IN_HUNDREDTHS else komi
    return 2 * stones if abs(stones) in KOMI_IN_STONES else stones


def parse_rules(text: str) -> Rules:
    """The rules named by a preset or an alias, or written as KataGo's JSON.

    In names neither letter case nor spaces, `-` and `_` matter. Keys that the JSON leaves out are
    those of Tromp and Taylor, as with KataGo. Raises RulesError.

    >>> parse_rules("New_Zealand").komi, parse_rules("NewZealand").komi
    (7.0, 7.0)
    """
    if text.lstrip().startswith("{"):
        return _parse_kata_json(text)
    known = {**PRESETS, **ALIASES}
    found = {_run_together(name): rules for name, rules in known.items()}
    name = _run_together(text)
    if name not in found:
        expected = f"expected one of {', '.join(PRESETS)}, or KataGo's JSON"
        raise RulesError(f"unknown rules {text[:80]!r}: {_hint(text.lower(), known, expected)}")
    return found[name]


def _run_together(name: str) -> str:
    """A name as KataGo writes it in SGF files, `NewZealand` for one, but in small letters."""
    return re.sub(r"[-_\s]+", "", name.lower())


def parse_kgs_rules(text: str) -> Rules:
    """The rules that `kgs-rules` names in its first word; KGS applies superko to `chinese`.

    Raises RulesError.
    """
    words = text.split()
    name = words[0] if words else ""
    return parse_rules("chinese-kgs" if name.lower() == "chinese" else name)


def preset_name(rules: Rules) -> str | None:
    """The first preset or alias with this value whatever its usual komi, or None."""
    for name, preset in {**PRESETS, **ALIASES}.items():
        if preset.model_copy(update={"komi": rules.komi}) == rules:
            return name
    return None


def _hint(word: str, known: Iterable[str], otherwise: str) -> str:
    """The known word that was probably meant, as a question; `otherwise` if none is alike."""
    near = get_close_matches(word, known, n=1)
    return f"did you mean {near[0]!r}?" if near else otherwise


_KATA_WORDS: Mapping[str, Mapping[str, Any]] = {
    "ko": {"SIMPLE": "simple", "POSITIONAL": "positional", "SITUATIONAL": "situational"},
    "scoring": {"AREA": "area", "TERRITORY": "territory"},
    "suicide": {"TRUE": True, "FALSE": False},
    "tax": {"NONE": "NONE", "SEKI": "SEKI"},
    "whiteHandicapBonus": {bonus: name for name, bonus in KATA_BONUS.items()},
    "hasButton": {"FALSE": False},
    "friendlyPassOk": {"TRUE": True, "FALSE": False},
}


def _parse_kata_json(text: str) -> Rules:
    try:
        fields = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise RulesError(f"rules {text[:80]!r} are not JSON: {error}") from None
    komi = {"komi": fields.pop("komi")} if "komi" in fields else {}
    read = {key: _read_kata(key, value) for key, value in fields.items()}
    scoring: Scoring = read.get("scoring", TROMP_TAYLOR.scoring)
    if read.pop("tax", _KATA_TAX[scoring]) != _KATA_TAX[scoring]:
        raise RulesError(
            f"tax {fields['tax']!r} with {scoring} scoring: expected {_KATA_TAX[scoring]!r}"
        )
    base = JAPANESE if scoring == "territory" else TROMP_TAYLOR
    try:
        return Rules(
            ko=read.get("ko", TROMP_TAYLOR.ko),
            scoring=scoring,
            suicide=read.get("suicide", TROMP_TAYLOR.suicide),
            handicap_bonus=read.get("whiteHandicapBonus", TROMP_TAYLOR.handicap_bonus),
            remove_dead=base.remove_dead or read.get("friendlyPassOk", False),
            komi=komi.get("komi", base.komi),
        )
    except ValidationError:
        raise RulesError(f"komi {komi['komi']!r}: expected a number in halves") from None


def _read_kata(key: str, value: object) -> Any:
    """Our value for KataGo's `value` of `key`."""
    if key not in _KATA_WORDS:
        expected = f"expected {', '.join(_KATA_WORDS)}"
        raise RulesError(f"unknown rule {key[:80]!r}: {_hint(key, _KATA_WORDS, expected)}")
    word = value.upper() if isinstance(value, str) else json.dumps(value).upper()
    if word not in _KATA_WORDS[key]:
        expected = " or ".join(_KATA_WORDS[key])
        raise RulesError(f"{key} {str(value)[:80]!r} is not supported: expected {expected}")
    return _KATA_WORDS[key][word]
