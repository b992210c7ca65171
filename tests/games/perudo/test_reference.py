"""The engine and the slow reference play the same matches and have to agree at every step."""

from __future__ import annotations

import random
from dataclasses import fields
from itertools import combinations_with_replacement, product

import pytest

import reference
from perudo.games.errors import RulesError
from perudo.games.perudo.game import PERUDO
from perudo.games.perudo.position import position
from perudo.games.perudo.rules import MAX_DICE, PRESETS, Rules, option_values
from perudo.games.perudo.state import PerudoState

WORDS = ("dudo", "calza", "decline", "pass", "doubt", "palafico")
OPTION_NAMES = [option.name for option in fields(Rules)]
MANY_ROUNDS = 60
"""Matches in which dice come back can go on for long; they are left here."""


# --- Settings to play -------------------------------------------------------------------------


def draw_rules(rng: random.Random) -> Rules:
    """Any rules: every option at random, or a preset with a few options changed."""
    while True:
        base = rng.choice(list(PRESETS.values())).rules
        names = OPTION_NAMES if rng.random() < 0.6 else rng.sample(OPTION_NAMES, rng.randint(1, 5))
        options = {name: rng.choice(option_values(name)) for name in names}
        try:
            return base.with_options(options)
        except RulesError:
            continue


def draw_dice(rng: random.Random, rules: Rules) -> list[int]:
    """A number of players, most often few, and their dice: equal, few, or any."""
    players = rng.randint(2, min(rules.max_players, rng.choice((2, 3, 3, 4, 6, 10))))
    highest = rng.choice((2, 3, 5, 6, MAX_DICE))
    while True:
        match rng.randrange(4):
            case 0:
                return [rules.dice] * players
            case 1:
                return [rng.randint(1, highest) for _ in range(players)]
            case 2:
                return [rng.choice((1, 2, 5, 5)) for _ in range(players)]
            case _:
                counts = [rng.randint(0, highest) for _ in range(players)]
                if sum(count > 0 for count in counts) >= 2:
                    return counts


def bid_order(text: str) -> tuple[int, int]:
    """Bids by quantity, then by face."""
    bid = reference.read_bid(text)
    assert bid is not None
    return bid


class Player:
    """Chooses actions at random, with habits drawn for each match."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.ends = rng.choice((0.02, 0.1, 0.25, 0.5))
        self.passes = rng.choice((0.1, 0.5, 0.9))
        self.claims = rng.choice((0.0, 0.05, 0.3))
        self.leaps = rng.choice((0.0, 0.1, 0.6))
        self.insight = rng.choice((0.0, 0.5))

    def choose(self, state: reference.State, legal: set[str]) -> str:
        """One of the legal actions."""
        rng, bids = self.rng, sorted(legal.difference(WORDS), key=bid_order)
        if "palafico" in legal and rng.random() < 0.6:
            return "palafico"
        if "pass" in legal and rng.random() < self.passes:
            return "pass"
        if "calza" in legal and rng.random() < self.chance_to_claim(state):
            return "calza"
        if "decline" in legal:
            return "decline"
        enders = sorted(legal & {"dudo", "doubt"})
        if enders and (not bids or rng.random() < self.ends):
            return enders[0]
        if rng.random() < self.leaps:
            return rng.choice(bids)
        return rng.choice(bids[: rng.choice((1, 2, 6))])

    def chance_to_claim(self, state: reference.State) -> float:
        """Return the probability of a claim; some players know when one is right, which is rare."""
        bid = reference.standing_bid(state)
        right = bid is not None and reference.matching_dice(state) == bid[0]
        return max(self.claims, self.insight if right else 0.0)


# --- Comparing --------------------------------------------------------------------------------


def same(what: str, state: PerudoState, engine: object, expected: object) -> None:
    """Fail, naming the position, unless the two are equal."""
    if engine != expected:
        pytest.fail(f"{state.notation}: {what}: engine {engine}, reference {expected}")


def compare_decision(state: PerudoState, table: reference.State, probes: list[str]) -> set[str]:
    """Compare what is known and allowed at a decision; returns the legal actions."""
    same("actor", state, state.actor, reference.actor(table))
    same("turn", state, state.turn, reference.turn(table))
    same("opener", state, state.opener, table.opener)
    same("bidder", state, state.bidder, reference.bidder(table))
    bid = reference.standing_bid(table)
    same("bid", state, state.bid and str(state.bid), bid and reference.bid_text(bid))
    same("palafico", state, state.palafico, reference.palafico_seat(table))
    same("wild face", state, state.wild_face, reference.wild_face(table))
    legal = reference.legal_actions(table)
    allowed = state.legal_actions
    listed = [PERUDO.format_action(code) for code in allowed.codes]
    extra, missing = sorted(set(listed) - legal), sorted(legal - set(listed))
    same("legal actions", state, f"+{extra} -{missing}", "+[] -[]")
    same("actions listed twice", state, len(listed), len(legal))
    for action in probes:
        same(f"{action} legal", state, action in allowed, action in legal)
    return legal


def compare_settlement(
    before: PerudoState, said: str, state: PerudoState, table: reference.State
) -> None:
    """Compare how a round ended when something was said in the position before."""
    settled, outcome = table.settlement, state.outcome
    assert settled is not None
    same(f"{said} ends the round", before, state.round_over and outcome is not None, True)
    assert outcome is not None
    after = settled.match
    same(f"{said}: reason", before, outcome.reason, settled.reason)
    same(f"{said}: caller", before, outcome.caller, settled.caller)
    same(f"{said}: target", before, outcome.target, settled.target)
    same(f"{said}: count", before, outcome.count, settled.count)
    same(f"{said}: lost", before, outcome.lost, settled.lost)
    same(f"{said}: gained", before, outcome.gained, settled.gained)
    shown = tuple("".join(map(str, hand)) for hand in settled.shown)
    same(f"{said}: hands", before, outcome.hands, shown)
    same(f"{said}: opener", before, outcome.opener, after.opener)
    same(f"{said}: winner", before, outcome.winner, after.winner)
    same(f"{said}: dice", before, state.dice_counts, after.counts)
    if table.rules.palafico != "off":
        same(f"{said}: been", before, state.been_palafico, tuple(sorted(after.been)))
    same(f"{said}: over", before, state.over, after.winner is not None)
    payoffs = pytest.approx(reference.round_payoffs(table))
    same(f"{said}: payoffs", before, state.round_payoffs(), payoffs)
    if after.winner is not None:
        payoffs = pytest.approx(reference.match_payoffs(after))
        same(f"{said}: match payoffs", before, state.payoffs(), payoffs)


def compare_first_opener(state: PerudoState, match: reference.Match) -> None:
    """1.5 Somebody with dice opens; with ``fixed``, the first seat that has some."""
    live = reference.live_seats(match.counts)
    fixed = match.rules.start_mode == "fixed"
    same("first opener", state, state.opener in (live[:1] if fixed else live), True)


def compare_match(rules: Rules, dice: list[int], seed: int) -> None:
    """Play a match on both and compare every step of it."""
    rng = random.Random(seed)
    player = Player(rng)
    state = PERUDO.start(rules, len(dice), dice)
    match = reference.start_match(rules, dice)
    for number in range(1, MANY_ROUNDS + 1):
        state = state.deal(rng.getrandbits(64))
        if match.opener is None:
            compare_first_opener(state, match)
        same("round", state, state.round, number)
        hands = [[int(die) for die in state.hand(seat) or ""] for seat in range(len(dice))]
        assert state.opener is not None
        same("opener", state, state.opener, state.opener if number == 1 else match.opener)
        table = reference.start_round(match, hands, state.opener)
        before, said = state, ""
        while table.settlement is None:
            same(f"round over after {said}", before, state.round_over, False)
            probes = [*WORDS, *(f"{rng.randint(1, 80)}x{rng.randint(1, 6)}" for _ in range(3))]
            said = player.choose(table, compare_decision(state, table, probes))
            before, state, table = state, state.apply(said), reference.apply(table, said)
        compare_settlement(before, said, state, table)
        match = table.settlement.match
        if match.winner is not None:
            return


# --- Tests ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PRESETS)
def test_presets_agree_with_the_reference(name: str) -> None:
    """1 to 7, 10.1 Whole matches by every preset."""
    rng = random.Random(name)
    rules = Rules.preset(name)
    for seed in range(5):
        players = rng.randint(2, min(rules.max_players, 4))
        compare_match(rules, [rules.dice] * players, seed)
        compare_match(rules, draw_dice(rng, rules), seed)


@pytest.mark.parametrize("batch", range(8))
def test_any_rules_agree_with_the_reference(batch: int) -> None:
    """1 to 7, 10.1 Whole matches by rules in which every option is drawn at random."""
    rng = random.Random(1000 + batch)
    for seed in range(30):
        rules = draw_rules(rng)
        compare_match(rules, draw_dice(rng, rules), seed)


@pytest.mark.parametrize(
    ("options", "cups"),
    [
        pytest.param(
            {"palafico": "declared", "max_players": "4"}, (1, 2, 2, 3), id="declared palafico"
        ),
        pytest.param(
            {"palafico_face_change": "one_die", "palafico_owner_may_change": "yes"},
            (1, 2, 2, 3),
            id="changing the palafico face",
        ),
        pytest.param(
            {"two_player_palafico": "nonwild_trigger", "palafico": "automatic"},
            (2, 3),
            id="two players",
        ),
        pytest.param(
            {"two_player_palafico": "nonwild_trigger", "palafico": "declared"},
            (2, 3),
            id="two players who could declare",
        ),
        pytest.param(
            {"pass_in_palafico": "no", "calza": "no"}, (2, 2, 5, 5), id="no passes in palafico"
        ),
        pytest.param(
            {"consecutive_pass": "yes", "pass_on_opening": "yes", "calza_after_pass": "yes"},
            (5, 5, 5, 5),
            id="passes",
        ),
        pytest.param(
            {"calza_reward": "die_and_others_lose", "exact_bid_doubted": "all_others_lose"},
            (1, 2, 2, 2),
            id="several lose at once",
        ),
    ],
)
def test_rare_clauses_agree_with_the_reference(
    options: dict[str, str], cups: tuple[int, ...]
) -> None:
    """5.1, 5.5, 5.9, 5.10, 6.9, 7.4, 7.5 Settings in which what is rare elsewhere happens often."""
    rng = random.Random(str(options))
    for seed in range(10):
        raise_rule = rng.choice(option_values("raise_rule"))
        rules = Rules().with_options({**options, "raise_rule": raise_rule})
        dice = list(cups)
        rng.shuffle(dice)
        compare_match(rules, dice, seed)


def test_the_longest_round_agrees_with_the_reference() -> None:
    """2.4, 3.5 No round has more bids than this one: 680, as ones come back again and again."""
    rules = Rules.parse("common_aces:cap_bids_at_total=no")
    state = PERUDO.start(rules, 2, [1, 1], opener=0).deal(1)
    hands = [[int(die) for die in state.hand(seat) or ""] for seat in range(2)]
    table = reference.start_round(reference.start_match(rules, [1, 1]), hands, 0)
    others = [(quantity, face) for quantity in range(1, 81) for face in range(2, 7)]
    bids = []
    for quantity, face in others:
        bids.append((quantity, face))
        if quantity % 2 == 0 or face == 6:
            bids.append(((quantity + 1) // 2, 1))
    bids += [(quantity, 1) for quantity in range(41, 81)]
    assert len(bids) == 680
    for number, bid in enumerate(bids):
        said = reference.bid_text(bid)
        if number % 20 == 0:
            assert said in compare_decision(state, table, [said])
        state, table = state.apply(said), reference.apply(table, said)
    assert compare_decision(state, table, []) == {"dudo"}
    history = [(seat, str(action)) for seat, action in state.history]
    same("history", state, history, list(table.history))
    compare_settlement(state, "dudo", state.apply("dudo"), reference.apply(table, "dudo"))


def test_every_hand_of_five_settles_a_doubted_pass_as_in_the_reference() -> None:
    """7.2, 7.7 All 252 hands, which are 7776 rolls."""
    fitting = 0
    for roll in product(range(1, 7), repeat=5):
        fitting += reference.hand_fits_a_pass(roll)
    assert fitting == 1026
    for hand in combinations_with_replacement(range(1, 7), 5):
        state = position("official", [hand, "2", "34"], turn="A", bids=["1x2"]).apply("pass")
        outcome = state.apply("doubt").outcome
        assert outcome is not None
        fits = reference.hand_fits_a_pass(hand)
        same(f"{hand} fits", state, outcome.reason == "pass doubted wrongly", fits)
        same(f"{hand}: lost", state, outcome.lost, (0, 1, 0) if fits else (1, 0, 0))


def test_nobody_says_palafico_where_there_is_none() -> None:
    """5.1 With ``palafico=off`` coming down to one die gives no right to anything."""
    state = PERUDO.start(Rules.preset("common"), 3, [2, 3, 3], opener=0).deal(1)
    state = state.apply("8x6").apply("dudo").deal(2)
    assert state.dice_counts == (1, 3, 3)
    assert state.actor == 0
    assert "palafico" not in state.legal_actions
    assert "palafico" not in [str(action) for action in state.legal_actions]


@pytest.mark.parametrize("mode", option_values("start_mode"))
def test_the_first_opener_has_dice(mode: str) -> None:
    """1.4, 1.5 A seat that starts without dice is out, and does not open."""
    rules = Rules(start_mode=mode)
    for key in range(40):
        state = PERUDO.start(rules, 4, [0, 2, 0, 3]).deal(key)
        assert state.opener in ((1,) if mode == "fixed" else (1, 3))
