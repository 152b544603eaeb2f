"""The presets' facts, and the two ways to write rules."""

import json

import pytest

import gtpcore
from games.go_rules import (
    ALIASES,
    CHINESE,
    PRESETS,
    Rules,
    RulesError,
    parse_kgs_rules,
    parse_rules,
    preset_name,
)

FACTS = [
    # name, ko, scoring, suicide, bonus, remove_dead, komi
    ("tromp-taylor", "positional", "area", True, "none", False, 7.5),
    ("chinese", "simple", "area", False, "n", True, 7.5),
    ("japanese", "simple", "territory", False, "none", True, 6.5),
    ("korean", "simple", "territory", False, "none", True, 6.5),
    ("aga", "situational", "area", False, "n-1", True, 7.5),
    ("new-zealand", "situational", "area", True, "none", True, 7.0),
    ("cgos", "positional", "area", False, "none", False, 7.5),
    ("chinese-ogs", "positional", "area", False, "n", True, 7.5),
    ("chinese-kgs", "positional", "area", False, "n", True, 7.5),
]


@pytest.mark.parametrize("fact", FACTS, ids=lambda fact: str(fact[0]))
def test_facts(fact: tuple[str, str, str, bool, str, bool, float]) -> None:
    name, ko, scoring, suicide, bonus, remove_dead, komi = fact
    rules = parse_rules(name)
    assert (rules.ko, rules.scoring, rules.suicide) == (ko, scoring, suicide)
    assert (rules.handicap_bonus, rules.remove_dead, rules.komi) == (bonus, remove_dead, komi)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Chinese", "chinese"),
        ("new_zealand", "new-zealand"),
        ("NZ", "new-zealand"),
        ("  New  Zealand ", "new-zealand"),
        ("Tromp-Taylor", "tromp-taylor"),
        ("TrompTaylor", "tromp-taylor"),
        ("NewZealand", "new-zealand"),
        ("bga", "aga"),
    ],
)
def test_spellings(text: str, name: str) -> None:
    assert parse_rules(text) == PRESETS[name]


def test_kgs_applies_superko_to_chinese_and_sends_extra_words() -> None:
    assert parse_kgs_rules("Chinese 7.5 whatever") == ALIASES["chinese-kgs"]
    assert parse_kgs_rules("new_zealand") == PRESETS["new-zealand"]
    with pytest.raises(RulesError, match="unknown rules ''"):
        parse_kgs_rules("  ")


@pytest.mark.parametrize("name", [*PRESETS, *ALIASES])
def test_json_round_trip_but_for_the_komi(name: str) -> None:
    rules = parse_rules(name)
    read = parse_rules(rules.to_kata_json())
    assert read.model_copy(update={"komi": rules.komi}) == rules
    assert "\n" not in rules.to_kata_json()


def test_json_as_katago_writes_it() -> None:
    assert PRESETS["tromp-taylor"].to_kata_json() == (
        '{"hasButton":false,"ko":"POSITIONAL","scoring":"AREA","suicide":true,"tax":"NONE",'
        '"whiteHandicapBonus":"0","friendlyPassOk":false}'
    )
    assert json.loads(PRESETS["aga"].to_kata_json())["whiteHandicapBonus"] == "N-1"
    assert json.loads(PRESETS["korean"].to_kata_json())["tax"] == "SEKI"


def test_json_keys_left_out_are_tromp_taylors() -> None:
    assert parse_rules("{}") == PRESETS["tromp-taylor"]
    assert (
        parse_rules('{"scoring":"territory","ko":"Simple","suicide":false}')
        == (PRESETS["japanese"])
    )
    assert parse_rules('{"ko":"SITUATIONAL","komi":-3.5}').komi == -3.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("chinesse", "unknown rules 'chinesse': did you mean 'chinese'"),
        ("checkers", "unknown rules 'checkers': expected one of tromp-taylor, chinese, "),
        ("", "unknown rules ''"),
        ("x" * 1000, "unknown rules '" + "x" * 80 + "'"),
        ("{", "are not JSON"),
        ("{" + '"a":[' * 100_000, "are not JSON"),
        ('{"k":1}', "unknown rule 'k': did you mean 'ko'"),
        ('{"zzz":1}', "unknown rule 'zzz': expected ko, scoring, "),
        ('{"ko":"SPIGHT"}', "ko 'SPIGHT' is not supported: expected SIMPLE or POSITIONAL or "),
        ('{"ko":["SIMPLE"]}', "is not supported"),
        ('{"hasButton":true}', "hasButton 'True' is not supported: expected FALSE"),
        ('{"tax":"ALL"}', "tax 'ALL' is not supported: expected NONE or SEKI"),
        ('{"tax":"SEKI"}', "tax 'SEKI' with area scoring: expected 'NONE'"),
        ('{"suicide":"perhaps"}', "suicide 'perhaps' is not supported: expected TRUE or FALSE"),
        ('{"komi":7.3}', "komi 7.3: expected a number in halves"),
        ('{"komi":NaN}', "komi nan: expected a number in halves"),
        ('{"komi":"many"}', "komi 'many': expected a number in halves"),
    ],
)
def test_errors_name_the_text(text: str, message: str) -> None:
    with pytest.raises(RulesError) as error:
        parse_rules(text)
    assert message in str(error.value)
    assert len(str(error.value)) < 400


def test_territory_needs_dead_stones_removed() -> None:
    with pytest.raises(ValueError, match="territory scoring needs remove_dead"):
        Rules(scoring="territory")


def test_preset_name_overlooks_the_komi() -> None:
    assert preset_name(CHINESE.model_copy(update={"komi": 0})) == "chinese"
    assert preset_name(ALIASES["chinese-kgs"]) == "chinese-ogs"
    assert preset_name(CHINESE.model_copy(update={"suicide": True})) is None


def test_native_rules_take_the_komi_of_the_game() -> None:
    native = PRESETS["aga"].with_komi(-0.5)
    assert native == gtpcore.GoRules(
        ko="situational",
        scoring="area",
        suicide=False,
        komi=-0.5,
        handicap_bonus="n-1",
        remove_dead=True,
    )
