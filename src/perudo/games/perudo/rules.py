"""The rules of Perudo as data: every option, checked when constructed.

A variant is a value of ``Rules``, never a subclass. The clause numbers are those of docs/rules.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, fields, replace
from typing import Any, ClassVar

from perudo.games.errors import RulesError, UnknownNameError
from perudo.games.options import Setting, Value, choice, number, option_texts, switch

MAX_PLAYERS = 10
MAX_DICE = 8
MAX_QUANTITY = MAX_PLAYERS * MAX_DICE
"""The largest quantity that can be bid when the rules set no cap."""
FACES = 6

# The values of each option that is a choice, and their numbers in kernels.
START_MODES = ("roll", "random", "fixed")
START_ROLL, START_RANDOM, START_FIXED = range(3)
START_ROLL_TIES = ("reroll_tied", "reroll_all")
REROLL_TIED, REROLL_ALL = range(2)
WILDS = ("ones", "none", "highest")
WILD_ONES, WILD_NONE, WILD_HIGHEST = range(3)
ACE_RANKS = ("above_double", "below_double", "lowest", "not_biddable")
ABOVE_DOUBLE, BELOW_DOUBLE, LOWEST, NOT_BIDDABLE = range(4)
ACE_OPENINGS = ("no", "palafico_only", "yes")
ACE_OPENING_NO, ACE_OPENING_PALAFICO, ACE_OPENING_YES = range(3)
RAISES = ("any_face", "one_of_two", "neither_falls")
ANY_FACE, ONE_OF_TWO, NEITHER_FALLS = range(3)
DUDO_STARTERS = ("loser", "winner")
LOSER_STARTS, WINNER_STARTS = range(2)
LOSSES = ("one", "difference")
LOSE_ONE, LOSE_DIFFERENCE = range(2)
EXACT_DOUBTED = ("challenger_loses", "all_others_lose")
CHALLENGER_LOSES, ALL_OTHERS_LOSE = range(2)
CALZA_WHO = ("turn_only", "any_but_bidder", "any_but_next")
TURN_ONLY, ANY_BUT_BIDDER, ANY_BUT_NEXT = range(3)
CALZA_STARTERS = ("caller", "bidder")
CALLER_STARTS, BIDDER_STARTS = range(2)
CALZA_REWARDS = ("die", "void", "others_lose", "die_and_others_lose")
REWARD_DIE, REWARD_VOID, REWARD_OTHERS_LOSE, REWARD_BOTH = range(4)
PALAFICOS = ("off", "automatic", "declared")
PALAFICO_OFF, PALAFICO_AUTOMATIC, PALAFICO_DECLARED = range(3)
FACE_CHANGES = ("nobody", "one_die", "already_palafico")
NOBODY_CHANGES, ONE_DIE_CHANGES, ALREADY_PALAFICO_CHANGES = range(3)
NONWILD_ORDERS = ("lexicographic", "unchanged")
LEXICOGRAPHIC, UNCHANGED = range(2)
TWO_PLAYER_PALAFICOS = ("literal", "off_wild", "nonwild_trigger", "full")
TWO_LITERAL, TWO_OFF_WILD, TWO_NONWILD_TRIGGER, TWO_FULL = range(4)


# Each option's ``before`` is its value in records that are older than the option: docs/rules.md,
# 12.2, lists those that are not the official ones.


@dataclass(frozen=True, kw_only=True)
class Rules(Setting):
    """A set of rules; the defaults are the official game. See docs/rules.md for each clause.

    >>> Rules(wild="twos")
    Traceback (most recent call last):
    ...
    perudo.games.errors.RulesError: wild='twos' is not possible; choose ones, none or highest
    """

    revision: ClassVar[int] = 1
    """The version of the rules, stored in records; changing the meaning of an option raises it."""

    max_players: int = number(6, 2, MAX_PLAYERS, before=MAX_PLAYERS)
    """1.1 The largest number of players; the smallest is two."""
    dice: int = number(5, 1, MAX_DICE, before=5)
    """1.2 The dice that each player starts with, and the most that a calza can win back."""
    single_round: bool = switch(False, before=False)
    """1.4 The match is one round, lost by the player who would lose a die."""
    start_mode: str = choice("roll", START_MODES, before="roll")
    """1.5 The opener of the first round: the highest roll, a random seat, or the first seat."""
    start_roll_tie: str = choice("reroll_tied", START_ROLL_TIES, before="reroll_tied")
    """1.6 The players who roll again after a tied start roll."""

    raise_rule: str = choice("any_face", RAISES, before="any_face")
    """2.2 The changes that a raise may make to quantity and face."""
    cap_bids_at_total: bool = switch(True, before=True)
    """2.4 Bids are limited to the number of dice in play; otherwise to 80."""
    wild: str = choice("ones", WILDS, before="ones")
    """2.5 The face that counts for every other face."""

    ace_rank: str = choice("above_double", ACE_RANKS, before="lowest")
    """3.1 The rank of bids on ones among the others."""
    ace_opening: str = choice("palafico_only", ACE_OPENINGS, before="no")
    """3.2 Permission to open a round on ones."""
    ace_exit_plus_one: bool = switch(True, before=True)
    """3.4 After n ones, another face needs 2n+1; otherwise 2n."""
    ace_exit_monotone: bool = switch(True, before=True)
    """3.5 When leaving ones, the last bid on another face must be beaten too."""

    dudo_starter: str = choice("loser", DUDO_STARTERS, before="loser")
    """4.4 The opener after a dudo."""
    loss: str = choice("one", LOSSES, before="one")
    """4.5 The dice lost by a dudo: one, or the difference between bid and count (at least one)."""
    exact_bid_doubted: str = choice("challenger_loses", EXACT_DOUBTED, before="challenger_loses")
    """4.6 The loser when a doubted bid was exactly right."""

    palafico: str = choice("automatic", PALAFICOS, before="off")
    """5.1 Palafico rounds of players newly down to one die: none, always, or at their choice."""
    palafico_face_change: str = choice("already_palafico", FACE_CHANGES, before="already_palafico")
    """5.5 The other players who may change the face in a palafico round."""
    palafico_owner_may_change: bool = switch(False, before=False)
    """5.6 The palafico player may change the face later in the round."""
    palafico_aces_wild: bool = switch(False, before=False)
    """5.7 Ones stay wild in a palafico round."""
    nonwild_order: str = choice("lexicographic", NONWILD_ORDERS, before="lexicographic")
    """5.8 The rank of ones while nothing is wild: the lowest face, or as in other rounds."""
    two_player_palafico: str = choice("literal", TWO_PLAYER_PALAFICOS, before="literal")
    """5.9 The part of palafico that remains when two players are left."""

    calza: bool = switch(True, before=False)
    """6.1 Players may claim that a bid is exactly right."""
    calza_who: str = choice("any_but_bidder", CALZA_WHO, before="any_but_bidder")
    """6.3 The players who may claim calza."""
    calza_reward: str = choice("die", CALZA_REWARDS, before="die")
    """6.4 The reward of a right calza."""
    calza_success_starter: str = choice("caller", CALZA_STARTERS, before="caller")
    """6.5 The opener after a right calza."""
    calza_failure_starter: str = choice("caller", CALZA_STARTERS, before="caller")
    """6.6 The opener after a wrong calza."""
    calza_in_palafico: bool = switch(False, before=False)
    """6.7 Calza is allowed in palafico rounds."""
    calza_two_players: bool = switch(False, before=False)
    """6.8 Calza is allowed when two players are left."""
    calza_after_pass: bool = switch(False, before=False)
    """6.9 Calza is allowed right after a pass."""

    enable_pass: bool = switch(True, before=False)
    """7.1 Players with five dice may pass."""
    consecutive_pass: bool = switch(False, before=False)
    """7.4 A pass may follow a pass."""
    pass_on_opening: bool = switch(False, before=False)
    """7.5 The opener may pass."""
    pass_in_palafico: bool = switch(True, before=True)
    """7.6 Passing is allowed in palafico rounds."""

    noun: ClassVar[str] = "rules"

    def __post_init__(self) -> None:
        """Raise RulesError if options contradict each other."""
        super().__post_init__()
        for impossible, reason in _contradictions(self):
            if impossible:
                raise RulesError(reason)

    @classmethod
    def presets(cls) -> Mapping[str, Rules]:
        """Return the named rules.

        >>> Rules.preset("dudo_ai").max_players
        2
        >>> Rules.parse("official:calza=no,dice=3").dice
        3
        """
        return {name: preset.rules for name, preset in PRESETS.items()}

    @classmethod
    def parse_option(cls, name: str, text: str) -> Value:
        """Parse the value of an option."""
        if name not in OPTIONS:
            raise UnknownNameError(
                f"unknown rule option {name!r}; see 'perudo rules' for all of them"
            )
        return super().parse_option(name, text)


OPTIONS: dict[str, Field[Any]] = {option.name: option for option in fields(Rules)}
"""Every option by name."""


def option_values(name: str) -> tuple[str, ...]:
    """Return all values of an option, as text."""
    return option_texts(OPTIONS[name])


def _contradictions(rules: Rules) -> list[tuple[bool, str]]:
    """Return checks for impossible combinations, each with its error message (clause 8)."""
    return [
        (
            rules.ace_rank == "above_double"
            and not rules.ace_exit_plus_one
            and not rules.ace_exit_monotone,
            "ace_exit_plus_one=no needs ace_exit_monotone=yes: otherwise bidding can go round in "
            "circles (4x2, 2x1, 4x2, ...)",
        ),
        (
            rules.wild != "ones" and rules.ace_rank in ("above_double", "below_double"),
            f"ace_rank={rules.ace_rank} halves quantities because ones are wild; with "
            f"wild={rules.wild} choose ace_rank=lowest or not_biddable",
        ),
        (
            rules.ace_rank == "not_biddable" and rules.ace_opening != "no",
            f"ace_opening={rules.ace_opening} contradicts ace_rank=not_biddable; choose "
            "ace_opening=no",
        ),
        (
            rules.single_round and rules.max_players > 2,
            "single_round=yes needs max_players=2: with more players one round has no winner",
        ),
        (
            rules.single_round and rules.calza,
            "single_round=yes needs calza=no: after a right calza nobody has lost",
        ),
        (
            rules.single_round and rules.palafico != "off",
            "single_round=yes needs palafico=off: nobody comes down to one die",
        ),
        (
            rules.calza and rules.calza_who == "any_but_next" and rules.max_players == 2,
            "calza_who=any_but_next needs three players: of two, nobody could ever claim",
        ),
    ]


# --- presets ------------------------------------------------------------------------------------
@dataclass(frozen=True)
class Preset:
    """A named set of rules."""

    rules: Rules
    summary: str


_OFFICIAL = Rules()

_COMMON = Rules(
    max_players=MAX_PLAYERS,
    ace_rank="not_biddable",
    ace_opening="no",
    palafico="off",
    calza=False,
    enable_pass=False,
    start_mode="random",
)

_UK = replace(_OFFICIAL, enable_pass=False, calza_who="any_but_next")

PRESETS: dict[str, Preset] = {
    "official": Preset(_OFFICIAL, "the full game: palafico, calza by anybody, passing"),
    "s0_sim": Preset(
        replace(
            _OFFICIAL,
            enable_pass=False,
            calza_who="turn_only",
            calza_two_players=True,
            start_mode="random",
        ),
        "the full game as the Perudo thesis simulated it: no passing, calza on your turn",
    ),
    "common": Preset(_COMMON, "just bids on 2-6 and dudo, ones wild; up to ten players"),
    "common_aces": Preset(
        replace(_COMMON, ace_rank="above_double", ace_exit_plus_one=False),
        "common, with bids on ones at half the quantity and back at double",
    ),
    "common_palafico": Preset(
        replace(
            _COMMON,
            palafico="automatic",
            palafico_aces_wild=True,
            palafico_face_change="nobody",
            two_player_palafico="full",
        ),
        "common, with a palafico round that fixes the face; ones stay wild",
    ),
    "perudish2": Preset(
        replace(_COMMON, max_players=2, single_round=True),
        "two players, single hands of five dice, ones wild",
    ),
    "perudish_n": Preset(replace(_COMMON, max_players=6), "perudish for two to six players"),
    "uk": Preset(_UK, "the British booklet: calza by the others, no passing"),
    "asmodee": Preset(
        replace(
            _UK,
            raise_rule="one_of_two",
            palafico_face_change="nobody",
            start_mode="random",
        ),
        "a raise changes the quantity or the face; palafico faces stay fixed",
    ),
    "wikipedia": Preset(
        replace(_UK, calza_who="turn_only", calza_reward="void", palafico_face_change="one_die"),
        "calza on your turn voids the round; one die may change the palafico face",
    ),
    "dudo_ai": Preset(
        replace(
            _OFFICIAL,
            max_players=2,
            ace_rank="lowest",
            ace_opening="yes",
            palafico="off",
            calza=False,
            enable_pass=False,
        ),
        "two players; ones are the lowest face, wild for the others",
    ),
    "openspiel": Preset(
        replace(
            _OFFICIAL,
            max_players=2,
            single_round=True,
            start_mode="fixed",
            wild="highest",
            ace_rank="lowest",
            ace_opening="yes",
            palafico="off",
            calza=False,
            enable_pass=False,
        ),
        "OpenSpiel's liars_dice: two players, one round, sixes wild",
    ),
}
