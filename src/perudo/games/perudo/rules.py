"""The rules of Perudo as data: every option, checked when a value is made.

A variant is a value of ``Rules``, never a subclass. The clause numbers are those of docs/rules.md.
"""

from __future__ import annotations

from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar

from perudo.games.errors import RulesError, UnknownNameError

MAX_PLAYERS = 10
MAX_DICE = 8
MAX_QUANTITY = MAX_PLAYERS * MAX_DICE
"""The largest quantity that can be bid when the rules set no cap."""
FACES = 6

# The values of each option that is a choice, and the numbers that kernels know them by.
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


# Each option says what it is in records from before there was the option: the value with which the
# game is what it is without it. docs/rules.md, 12.2, lists those that are not the official ones.


def _choice(default: str, values: tuple[str, ...], *, before: str) -> Any:
    return field(default=default, metadata={"values": values, "before": before})


def _number(default: int, lowest: int, highest: int, *, before: int) -> Any:
    return field(default=default, metadata={"range": (lowest, highest), "before": before})


def _switch(default: bool, *, before: bool) -> Any:
    return field(default=default, metadata={"before": before})


@dataclass(frozen=True, kw_only=True)
class Rules:
    """One set of rules; the defaults are the official game. See docs/rules.md for each clause.

    >>> Rules(wild="twos")
    Traceback (most recent call last):
    ...
    perudo.games.errors.RulesError: wild='twos' is not possible; choose ones, none or highest
    """

    revision: ClassVar[int] = 1
    """Raised when the meaning of an option changes; records carry it."""

    max_players: int = _number(6, 2, MAX_PLAYERS, before=MAX_PLAYERS)
    """1.1 How many may sit down; at least two."""
    dice: int = _number(5, 1, MAX_DICE, before=5)
    """1.2 Dice each player starts with, and the most a calza can bring back."""
    single_round: bool = _switch(False, before=False)
    """1.4 The match is one round: whoever would lose a die loses it."""
    start_mode: str = _choice("roll", START_MODES, before="roll")
    """1.5 Who opens the first round: highest roll, a random seat, or the first seat."""
    start_roll_tie: str = _choice("reroll_tied", START_ROLL_TIES, before="reroll_tied")
    """1.6 Who rolls again when the start roll is tied."""

    raise_rule: str = _choice("any_face", RAISES, before="any_face")
    """2.2 What may change when a bid is raised."""
    cap_bids_at_total: bool = _switch(True, before=True)
    """2.4 No bid above the number of dice in play; otherwise up to 80."""
    wild: str = _choice("ones", WILDS, before="ones")
    """2.5 The face that counts for every other face."""

    ace_rank: str = _choice("above_double", ACE_RANKS, before="lowest")
    """3.1 Where bids on ones stand among the others."""
    ace_opening: str = _choice("palafico_only", ACE_OPENINGS, before="no")
    """3.2 Whether a round may be opened on ones."""
    ace_exit_plus_one: bool = _switch(True, before=True)
    """3.4 After n ones, another face needs 2n+1; otherwise 2n."""
    ace_exit_monotone: bool = _switch(True, before=True)
    """3.5 When leaving ones, the last bid on another face must be beaten too."""

    dudo_starter: str = _choice("loser", DUDO_STARTERS, before="loser")
    """4.4 Who opens after a dudo."""
    loss: str = _choice("one", LOSSES, before="one")
    """4.5 Dice lost by a dudo: one, or as many as the bid was off (at least one)."""
    exact_bid_doubted: str = _choice("challenger_loses", EXACT_DOUBTED, before="challenger_loses")
    """4.6 Who loses when a doubted bid was exactly right."""

    palafico: str = _choice("automatic", PALAFICOS, before="off")
    """5.1 Whether a player first down to one die plays a palafico round, and who decides."""
    palafico_face_change: str = _choice("already_palafico", FACE_CHANGES, before="already_palafico")
    """5.5 Who else may change the face in a palafico round."""
    palafico_owner_may_change: bool = _switch(False, before=False)
    """5.6 Whether the palafico player may change the face later in the round."""
    palafico_aces_wild: bool = _switch(False, before=False)
    """5.7 Whether ones stay wild in a palafico round."""
    nonwild_order: str = _choice("lexicographic", NONWILD_ORDERS, before="lexicographic")
    """5.8 Rank of ones while nothing is wild: the lowest face, or as in other rounds."""
    two_player_palafico: str = _choice("literal", TWO_PLAYER_PALAFICOS, before="literal")
    """5.9 What is left of palafico when two players are left."""

    calza: bool = _switch(True, before=False)
    """6.1 Whether a bid can be claimed to be exactly right."""
    calza_who: str = _choice("any_but_bidder", CALZA_WHO, before="any_but_bidder")
    """6.3 Who may claim it."""
    calza_reward: str = _choice("die", CALZA_REWARDS, before="die")
    """6.4 What a right calza brings."""
    calza_success_starter: str = _choice("caller", CALZA_STARTERS, before="caller")
    """6.5 Who opens after a right calza."""
    calza_failure_starter: str = _choice("caller", CALZA_STARTERS, before="caller")
    """6.6 Who opens after a wrong one."""
    calza_in_palafico: bool = _switch(False, before=False)
    """6.7 Whether calza is allowed in palafico rounds."""
    calza_two_players: bool = _switch(False, before=False)
    """6.8 Whether calza is allowed when two players are left."""
    calza_after_pass: bool = _switch(False, before=False)
    """6.9 Whether calza is allowed right after a pass."""

    enable_pass: bool = _switch(True, before=False)
    """7.1 Whether a player with five dice may pass."""
    consecutive_pass: bool = _switch(False, before=False)
    """7.4 Whether a pass may follow a pass."""
    pass_on_opening: bool = _switch(False, before=False)
    """7.5 Whether the opener may pass."""
    pass_in_palafico: bool = _switch(True, before=True)
    """7.6 Whether passing is allowed in palafico rounds."""

    def __post_init__(self) -> None:
        for option in fields(self):
            _check_value(option, getattr(self, option.name))
        for impossible, reason in _contradictions(self):
            if impossible:
                raise RulesError(reason)

    @staticmethod
    def preset(name: str) -> Rules:
        """The named preset.

        >>> Rules.preset("dudo_ai").max_players
        2
        """
        from perudo.games.perudo.presets import PRESETS

        if name not in PRESETS:
            raise UnknownNameError(f"unknown rules {name!r}; there are: {', '.join(PRESETS)}")
        return PRESETS[name].rules

    @staticmethod
    def parse(text: str) -> Rules:
        """Read a preset, with options after a colon.

        >>> Rules.parse("official:calza=no,dice=3").dice
        3
        """
        name, _, options = text.partition(":")
        pairs = [option.partition("=") for option in options.split(",") if option]
        return Rules.preset(name).with_options({key: value for key, _, value in pairs})

    def with_options(self, options: dict[str, str]) -> Rules:
        """These rules with some options changed, their values given as text."""
        return replace(self, **{name: parse_option(name, text) for name, text in options.items()})

    def __str__(self) -> str:
        """The shortest text that ``parse`` reads back: the nearest preset and what differs."""
        from perudo.games.perudo.presets import PRESETS

        def differences(name: str) -> list[str]:
            base = PRESETS[name].rules
            return [
                f"{option.name}={format_option(getattr(self, option.name))}"
                for option in fields(self)
                if getattr(self, option.name) != getattr(base, option.name)
            ]

        nearest = min(PRESETS, key=lambda name: len(differences(name)))
        changed = differences(nearest)
        return f"{nearest}:{','.join(changed)}" if changed else nearest


OPTIONS: dict[str, Field[Any]] = {option.name: option for option in fields(Rules)}
"""Every option by name."""


def option_values(name: str) -> tuple[str, ...]:
    """What an option can be, as text."""
    option = OPTIONS[name]
    if "values" in option.metadata:
        return tuple(option.metadata["values"])
    if "range" in option.metadata:
        lowest, highest = option.metadata["range"]
        return tuple(str(number) for number in range(lowest, highest + 1))
    return ("yes", "no")


def format_option(value: object) -> str:
    """An option's value as text."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def parse_option(name: str, text: str) -> Any:
    """An option's value from text; raises if there is no such option or value."""
    if name not in OPTIONS:
        raise UnknownNameError(f"unknown rule option {name!r}; see 'perudo rules' for all of them")
    if text not in option_values(name):
        raise _wrong_value(name, text)
    option = OPTIONS[name]
    if "values" in option.metadata:
        return text
    return int(text) if "range" in option.metadata else text == "yes"


def _wrong_value(name: str, value: object) -> RulesError:
    *most, last = option_values(name)
    if "range" in OPTIONS[name].metadata:
        return RulesError(f"{name}={value!r} is not possible; choose {most[0]} to {last}")
    return RulesError(f"{name}={value!r} is not possible; choose {', '.join(most)} or {last}")


def _check_value(option: Field[Any], value: object) -> None:
    if "values" in option.metadata:
        fits = value in option.metadata["values"]
    elif "range" in option.metadata:
        lowest, highest = option.metadata["range"]
        fits = type(value) is int and lowest <= value <= highest
    else:
        fits = type(value) is bool
    if not fits:
        raise _wrong_value(option.name, value)


def _contradictions(rules: Rules) -> list[tuple[bool, str]]:
    """Combinations that cannot be played, each with the reason (clause 8)."""
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
