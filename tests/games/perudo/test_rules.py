"""Part 8 of docs/rules.md: what cannot be combined; presets (part 9), and rules as text."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest

from perudo.games.errors import RulesError, UnknownNameError
from perudo.games.options import format_value
from perudo.games.perudo import OPTIONS, PRESETS, Rules
from perudo.games.perudo.rules import option_values


def test_rule_8_1_bidding_in_circles() -> None:
    with pytest.raises(RulesError, match="circles"):
        Rules(ace_exit_plus_one=False, ace_exit_monotone=False)
    Rules(ace_exit_plus_one=False, ace_exit_monotone=True)
    Rules(ace_exit_plus_one=True, ace_exit_monotone=False)
    for rank in ("below_double", "lowest"):
        Rules(ace_rank=rank, ace_exit_plus_one=False, ace_exit_monotone=False)


@pytest.mark.parametrize("wild", ["highest", "none"])
def test_rule_8_2_ones_are_halved_because_they_are_wild(wild: str) -> None:
    for rank in ("above_double", "below_double"):
        with pytest.raises(RulesError, match=f"ace_rank={rank} halves .* wild={wild}"):
            Rules(wild=wild, ace_rank=rank)
        Rules(wild="ones", ace_rank=rank)
    Rules(wild=wild, ace_rank="lowest")
    Rules(wild=wild, ace_rank="not_biddable", ace_opening="no")


@pytest.mark.parametrize("opening", ["palafico_only", "yes"])
def test_rule_8_3_opening_on_ones_that_are_not_biddable(opening: str) -> None:
    with pytest.raises(RulesError, match=f"ace_opening={opening} contradicts"):
        Rules(ace_rank="not_biddable", ace_opening=opening)
    Rules(ace_rank="not_biddable", ace_opening="no")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"max_players": 3}, "single_round=yes needs max_players=2"),
        ({"calza": True}, "single_round=yes needs calza=no"),
        ({"palafico": "automatic"}, "single_round=yes needs palafico=off"),
        ({"palafico": "declared"}, "single_round=yes needs palafico=off"),
    ],
)
def test_rule_8_4_a_single_round(change: dict[str, Any], reason: str) -> None:
    single = Rules(single_round=True, max_players=2, calza=False, palafico="off")
    with pytest.raises(RulesError, match=reason):
        replace(single, **change)
    replace(single, **change, single_round=False)


def test_rule_8_5_calza_that_nobody_could_claim() -> None:
    with pytest.raises(RulesError, match="nobody could ever claim"):
        Rules(calza_who="any_but_next", max_players=2)
    Rules(calza_who="any_but_next", max_players=3)
    Rules(calza_who="any_but_next", max_players=2, calza=False)
    Rules(calza_who="any_but_bidder", max_players=2)


def test_reasons_are_one_line() -> None:
    with pytest.raises(RulesError) as caught:
        Rules(wild="none")
    assert "\n" not in str(caught.value)


def differences(name: str) -> dict[str, object]:
    """Return the options in which a preset differs from the official game."""
    official, rules = Rules(), PRESETS[name].rules
    return {
        option: getattr(rules, option)
        for option in OPTIONS
        if getattr(rules, option) != getattr(official, option)
    }


RULES_PAGE = (Path(__file__).parents[3] / "docs" / "rules.md").read_text(encoding="utf-8")
CLAUSES = re.split(r"\n(?:- |## )", RULES_PAGE.partition("## 8.")[0])


@pytest.mark.parametrize("name", OPTIONS)
def test_official_is_what_is_bold_in_the_rules(name: str) -> None:
    clause = next(clause for clause in CLAUSES if f"`{name}`" in clause)
    bold = set(re.findall(r"\*\*`?(\w+)`?\*\*", clause)) & set(option_values(name))
    assert bold == {format_value(getattr(Rules(), name))}


def test_official_is_the_default() -> None:
    assert Rules.preset("official") == Rules()


COMMON = {
    "max_players": 10,
    "start_mode": "random",
    "ace_rank": "not_biddable",
    "ace_opening": "no",
    "palafico": "off",
    "calza": False,
    "enable_pass": False,
}
TWO_PLAYERS = {"max_players": 2, "palafico": "off", "calza": False, "enable_pass": False}
ONES_LOWEST = {"ace_rank": "lowest", "ace_opening": "yes"}
UK = {"enable_pass": False, "calza_who": "any_but_next"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("official", {}),
        (
            "s0_sim",
            {
                "enable_pass": False,
                "calza_who": "turn_only",
                "calza_two_players": True,
                "start_mode": "random",
            },
        ),
        ("common", COMMON),
        (
            "common_palafico",
            {
                **{key: value for key, value in COMMON.items() if key != "palafico"},
                "palafico_aces_wild": True,
                "palafico_face_change": "nobody",
                "two_player_palafico": "full",
            },
        ),
        ("perudish2", {**COMMON, "max_players": 2, "single_round": True}),
        ("perudish_n", {key: value for key, value in COMMON.items() if key != "max_players"}),
        ("uk", UK),
        (
            "asmodee",
            {
                **UK,
                "raise_rule": "one_of_two",
                "palafico_face_change": "nobody",
                "start_mode": "random",
            },
        ),
        (
            "wikipedia",
            {
                **UK,
                "calza_who": "turn_only",
                "calza_reward": "void",
                "palafico_face_change": "one_die",
            },
        ),
        ("dudo_ai", {**TWO_PLAYERS, **ONES_LOWEST}),
        (
            "openspiel",
            {
                **TWO_PLAYERS,
                **ONES_LOWEST,
                "wild": "highest",
                "single_round": True,
                "start_mode": "fixed",
            },
        ),
    ],
)
def test_preset(name: str, expected: dict[str, object]) -> None:
    assert differences(name) == expected


def test_preset_common_aces() -> None:
    """Ones at half the quantity, and back at double."""
    rules = PRESETS["common_aces"].rules
    assert (rules.ace_rank, rules.ace_exit_plus_one) == ("above_double", False)
    assert (rules.calza, rules.enable_pass, rules.palafico) == (False, False, "off")


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_is_written_by_its_name(name: str) -> None:
    assert str(PRESETS[name].rules) == name
    assert Rules.parse(name) == PRESETS[name].rules
    assert PRESETS[name].summary


def test_rules_are_written_as_the_nearest_preset_and_what_differs() -> None:
    assert str(Rules(dice=3, calza=False)) == "official:dice=3,calza=no"
    assert str(replace(PRESETS["common"].rules, loss="difference")) == "common:loss=difference"
    assert str(Rules.parse("openspiel:dice=1")) == "openspiel:dice=1"


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("houserules", UnknownNameError, "unknown rules 'houserules'; there are: official"),
        ("", UnknownNameError, "unknown rules ''"),
        ("official:colour=red", UnknownNameError, "unknown rule option 'colour'"),
        ("official:dice", RulesError, "dice='' is not possible; choose 1 to 8"),
        ("official:dice=9", RulesError, "dice='9' is not possible; choose 1 to 8"),
        ("official:dice=05", RulesError, "dice='05' is not possible"),
        ("official:calza=True", RulesError, "calza='True' is not possible; choose yes or no"),
        ("official:wild=twos", RulesError, "wild='twos' .* choose ones, none or highest"),
        ("official:single_round=yes", RulesError, "single_round=yes needs"),
    ],
)
def test_unreadable_rules(text: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message) as caught:
        Rules.parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "options",
    [{"dice": "5"}, {"dice": True}, {"calza": 1}, {"calza": "yes"}, {"wild": None}, {"loss": 0}],
)
def test_values_of_the_wrong_type(options: dict[str, Any]) -> None:
    with pytest.raises(RulesError, match="is not possible; choose"):
        Rules(**options)


def test_every_option_reads_each_of_its_values() -> None:
    for name in OPTIONS:
        values = [Rules.parse_option(name, text) for text in option_values(name)]
        assert len(set(values)) == len(values) > 1
        assert getattr(Rules(), name) in values


def test_rules_do_not_change() -> None:
    with pytest.raises(FrozenInstanceError):
        Rules().dice = 3  # type: ignore[misc]  # that it cannot be set is the point
