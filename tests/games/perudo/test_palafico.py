"""Part 5 of docs/rules.md: palafico."""

from __future__ import annotations

import pytest

from perudo.games.perudo import PERUDO, PerudoState, Rules, position

THREE = "22/3333/4444"
"""Dice with which A, having bid 9x6, falls to one die when B doubts."""


def legal(notation: str) -> str:
    """Return the legal actions as text, bids as ranges of quantities."""
    return str(position(notation).legal_actions)


def after_fall(rules: str, hands: str = THREE, flags: str = "") -> PerudoState:
    """The round after A, who held two dice, lost one to B."""
    dice = sum(len(hand) for hand in hands.split("/") if hand != "-")
    state = position(f"{rules} {hands} B {dice}x6 {flags}").apply("dudo")
    assert state.dice_counts[0] == 1
    return state.deal(1)


def test_rule_5_1_off() -> None:
    state = after_fall("official:palafico=off")
    assert (state.palafico, state.wild_face, state.opener) == (None, 1, 0)
    assert "palafico" not in state.legal_actions
    assert str(state.legal_actions) == "1-9x2, 1-9x3, 1-9x4, 1-9x5, 1-9x6"


def test_rule_5_1_automatic() -> None:
    state = after_fall("official:palafico=automatic")
    assert (state.palafico, state.wild_face, state.opener) == (0, None, 0)
    assert "palafico" not in state.legal_actions


def test_rule_5_1_declared_only_if_the_player_says_so() -> None:
    state = after_fall("official:palafico=declared")
    assert (state.palafico, state.wild_face, state.opener) == (None, 1, 0)
    assert str(state.legal_actions) == "1-9x2, 1-9x3, 1-9x4, 1-9x5, 1-9x6, palafico"
    declared = state.apply("palafico")
    assert (declared.palafico, declared.wild_face, declared.actor) == (0, None, 0)
    assert "palafico" not in declared.legal_actions
    assert "dudo" not in declared.legal_actions
    assert str(declared.apply("2x3").legal_actions) == "3-9x3, dudo"


def test_rule_5_1_declared_before_bidding_or_never() -> None:
    state = after_fall("s0_sim:palafico=declared").apply("2x3")
    assert (state.palafico, state.wild_face) == (None, 1)
    for bid in ("3x3", "4x3", "5x3"):
        assert "palafico" not in state.legal_actions
        assert "9x5" in state.legal_actions
        state = state.apply(bid)


def test_rule_5_1_the_round_after_it_is_an_ordinary_one() -> None:
    palafico = position("s0_sim 2/3333/4444 C 1x2,9x2 palafico=A")
    state = palafico.apply("dudo").deal(1)
    assert (state.dice_counts, state.turn) == ((1, 3, 4), 1)
    assert (state.palafico, state.wild_face) == (None, 1)
    assert "2x2" in state.apply("1x3").legal_actions


@pytest.mark.parametrize("palafico", ["automatic", "declared"])
def test_rule_5_1_only_if_that_player_opens(palafico: str) -> None:
    state = after_fall(f"official:palafico={palafico},dudo_starter=winner")
    assert (state.palafico, state.opener, state.wild_face) == (None, 1, 1)
    assert "palafico" not in state.legal_actions


def test_rule_5_1_the_right_is_for_that_round_only() -> None:
    rules = "s0_sim:palafico=declared"
    lost = after_fall(rules).apply("1x2").apply("9x2").apply("dudo")
    assert lost.opener == 1
    assert "due" not in lost.notation
    later = position(f"{rules} 3/2222/333 A - been=A round=5")
    assert "palafico" not in later.legal_actions


def test_rule_5_1_a_palafico_by_calza_and_by_a_pass() -> None:
    calza = position("official 2222/33/4444 B 9x6").apply("calza").deal(1)
    assert (calza.palafico, calza.opener) == (1, 1)
    doubt = position("official 22222/33/444 B 3x2,pass").apply("doubt").deal(1)
    assert (doubt.palafico, doubt.opener) == (1, 1)


@pytest.mark.parametrize("palafico", ["automatic", "declared"])
def test_rule_5_1_who_did_not_open_then_has_no_palafico_later(palafico: str) -> None:
    state = after_fall(f"s0_sim:palafico={palafico},dudo_starter=winner")
    assert state.opener == 1
    state = state.apply("1x2").apply("9x6").apply("dudo")
    assert (state.dice_counts, state.opener) == ((1, 4, 3), 0)
    later = state.deal(1)
    assert (later.turn, later.palafico, later.wild_face) == (0, None, 1)
    assert "palafico" not in later.legal_actions


@pytest.mark.parametrize("loss", ["one", "difference"])
def test_rule_5_1_down_to_one_by_any_number_of_dice(loss: str) -> None:
    state = position(f"official:loss={loss} 2222/3333/4444 B 3x6").apply("dudo").deal(1)
    assert state.dice_counts[0] == (1 if loss == "difference" else 3)
    assert state.palafico == (0 if loss == "difference" else None)


def test_rule_5_2_once_a_match_for_each_player() -> None:
    again = after_fall("official", flags="been=A")
    assert (again.palafico, again.opener, again.wild_face) == (None, 0, 1)


def test_rule_5_2_a_regained_die_does_not_bring_it_back() -> None:
    regained = position("s0_sim 4/333/444 A 2x3,3x3 been=A").apply("calza")
    assert regained.dice_counts == (2, 3, 3)
    assert regained.been_palafico == (0,)
    lost = regained.deal(1).apply("8x6").apply("dudo")
    assert (lost.dice_counts, lost.opener) == ((1, 3, 3), 0)
    assert lost.deal(2).palafico is None


@pytest.mark.parametrize(
    ("rules", "hands"),
    [
        ("official", THREE),
        ("official:dudo_starter=winner", THREE),
        ("official", "22/3333/-"),
        ("official:palafico=declared", THREE),
    ],
)
def test_rule_5_2_the_mark_is_set_whether_or_not_a_palafico_round_follows(
    rules: str, hands: str
) -> None:
    assert after_fall(rules, hands).been_palafico == (0,)


def test_rule_5_2_who_starts_with_one_die_is_not_marked() -> None:
    state = PERUDO.start(Rules(), 3, [1, 5, 5], opener=0).deal(1)
    assert (state.been_palafico, state.palafico, state.opener) == ((), None, 0)
    declared = PERUDO.start(Rules(palafico="declared"), 3, [1, 5, 5], opener=0).deal(1)
    assert "palafico" not in declared.legal_actions


def test_rule_5_2_who_goes_out_is_not_marked() -> None:
    state = position("official 2/3333/4444 B 9x6").apply("dudo")
    assert (state.dice_counts, state.been_palafico) == ((0, 4, 4), ())


@pytest.mark.parametrize(
    ("options", "ones"),
    [("", True), (":ace_opening=no", False), (":ace_rank=not_biddable,ace_opening=no", False)],
)
def test_rule_5_3_the_palafico_player_opens_on_any_face(options: str, ones: bool) -> None:
    state = position(f"official{options} 2/33/44 A - palafico=A")
    others = "1-5x2, 1-5x3, 1-5x4, 1-5x5, 1-5x6"
    assert str(state.legal_actions) == ("1-5x1, " + others if ones else others)


@pytest.mark.parametrize("opening", ["1x1", "2x3", "1x6"])
def test_rule_5_4_palafico_fixes_the_face(opening: str) -> None:
    low = int(opening[0]) + 1
    fixed = f"{low}-5x{opening[2]}, dudo"
    assert legal(f"official 2/33/44 B {opening} palafico=A") == fixed


def test_rule_5_4_also_where_there_is_nothing_but_bids_and_dudo() -> None:
    state = after_fall("common_palafico")
    assert (state.palafico, state.wild_face) == (0, 1)
    assert str(state.legal_actions) == "1-9x2, 1-9x3, 1-9x4, 1-9x5, 1-9x6"
    assert str(state.apply("2x3").legal_actions) == "3-9x3, dudo"


def test_rule_5_4_not_in_other_rounds() -> None:
    assert "3x2" in position("official 2/33/44 B 2x3").legal_actions


CHANGE = "3-6x1, 3-6x2, 3-6x3, 2-6x4, 2-6x5, 2-6x6, dudo"
FIXED = "3-6x3, dudo"


@pytest.mark.parametrize(
    ("option", "hands", "been", "expected"),
    [
        ("nobody", "2/3/4444", "AB", FIXED),
        ("nobody", "2/3/4444", "A", FIXED),
        ("one_die", "2/3/4444", "AB", CHANGE),
        ("one_die", "2/3/4444", "A", CHANGE),
        ("one_die", "2/33/444", "AB", FIXED),
        ("already_palafico", "2/3/4444", "AB", CHANGE),
        ("already_palafico", "2/3/4444", "A", FIXED),
        ("already_palafico", "2/33/444", "AB", FIXED),
    ],
)
def test_rule_5_5_who_may_change_the_face(
    option: str, hands: str, been: str, expected: str
) -> None:
    rules = f"official:palafico_face_change={option}"
    assert legal(f"{rules} {hands} B 2x3 palafico=A been={been}") == expected


def test_rule_5_5_their_bid_binds_those_after_them() -> None:
    state = position("official 2/3/4444 C 2x3,2x5 palafico=A been=AB")
    assert str(state.legal_actions) == "3-6x5, dudo"


@pytest.mark.parametrize(
    ("raise_rule", "expected"),
    [("one_of_two", "3-6x3, 2x4, 2x5, 2x6"), ("neither_falls", "3-6x3, 2-6x4, 2-6x5, 2-6x6")],
)
def test_rule_5_5_their_bid_must_still_be_a_raise(raise_rule: str, expected: str) -> None:
    rules = f"official:raise_rule={raise_rule}"
    assert legal(f"{rules} 2/3/4444 B 2x3 palafico=A been=AB") == f"{expected}, dudo"


def test_rule_5_5_with_ones_wild_their_raise_goes_by_part_3() -> None:
    rules = "official:palafico_aces_wild=yes"
    assert legal(f"{rules} 2/3/4444 B 2x3 palafico=A been=AB") == (
        "1-6x1, 3-6x2, 3-6x3, 2-6x4, 2-6x5, 2-6x6, dudo"
    )
    assert legal(f"{rules} 2/3/4444 B 2x1 palafico=A been=AB") == (
        "3-6x1, 5-6x2, 5-6x3, 5-6x4, 5-6x5, 5-6x6, dudo"
    )


@pytest.mark.parametrize("change", ["one_die", "already_palafico"])
@pytest.mark.parametrize(
    ("option", "expected"),
    [("no", "5-6x3, dudo"), ("yes", "5-6x1, 5-6x2, 5-6x3, 4-6x4, 4-6x5, 4-6x6, dudo")],
)
def test_rule_5_6_whether_the_palafico_player_may_change_the_face_later(
    option: str, expected: str, change: str
) -> None:
    rules = f"official:palafico_owner_may_change={option},palafico_face_change={change}"
    assert legal(f"{rules} 2/33/444 A 2x3,3x3,4x3 palafico=A") == expected


def test_rule_5_6_concerns_nobody_else() -> None:
    rules = "official:palafico_owner_may_change=yes,palafico_face_change=nobody"
    assert legal(f"{rules} 2/3/4444 B 2x3 palafico=A been=AB") == FIXED


@pytest.mark.parametrize(
    ("rules", "wild_face", "count"),
    [
        ("official:palafico_aces_wild=no", None, 1),
        ("official:palafico_aces_wild=yes", 1, 3),
        ("official:palafico_aces_wild=no,wild=highest,ace_rank=lowest", None, 1),
        ("official:palafico_aces_wild=yes,wild=highest,ace_rank=lowest", 6, 2),
    ],
)
def test_rule_5_7_nothing_is_wild_in_a_palafico_round(
    rules: str, wild_face: int | None, count: int
) -> None:
    state = position(f"{rules} 3/1155/46 B 2x3 palafico=A")
    assert state.wild_face == wild_face
    outcome = state.apply("dudo").outcome
    assert outcome is not None
    assert outcome.count == count


@pytest.mark.parametrize(
    ("options", "ones"),
    [
        ("nonwild_order=lexicographic", "5-6x1, "),
        ("nonwild_order=unchanged", "2-6x1, "),
        ("nonwild_order=unchanged,ace_rank=below_double", "3-6x1, "),
        ("nonwild_order=lexicographic,ace_rank=below_double", "5-6x1, "),
        ("nonwild_order=lexicographic,ace_rank=not_biddable,ace_opening=no", ""),
        ("nonwild_order=unchanged,ace_rank=not_biddable,ace_opening=no", ""),
    ],
)
def test_rule_5_8_the_rank_of_ones_while_nothing_is_wild(options: str, ones: str) -> None:
    state = position(f"official:{options} 2/3/4444 B 4x3 palafico=A been=AB")
    others = "5-6x2, 5-6x3, 4-6x4, 4-6x5, 4-6x6, dudo"
    assert str(state.legal_actions) == ones + others


@pytest.mark.parametrize(
    ("order", "expected"),
    [("lexicographic", "3-6x1, 2-6x2, 2-6x3, 2-6x4"), ("unchanged", "3-6x1, 5-6x2, 5-6x3, 5-6x4")],
)
def test_rule_5_8_back_from_ones(order: str, expected: str) -> None:
    notation = f"official:nonwild_order={order} 2/3/4444 B 2x1 palafico=A been=AB"
    assert legal(notation).startswith(expected)


@pytest.mark.parametrize(("order", "ones"), [("lexicographic", "2x1"), ("unchanged", "1-2x1")])
def test_rule_5_8_also_with_two_players_and_nothing_wild(order: str, ones: str) -> None:
    notation = f"official:nonwild_order={order} 2/3 B 1x3"
    assert legal(notation) == f"{ones}, 2x2, 2x3, 1-2x4, 1-2x5, 1-2x6, dudo"


def test_rule_5_8_not_while_something_is_wild() -> None:
    assert legal("official 2/33 B 2x6") == "1-3x1, 3x2, 3x3, 3x4, 3x5, 3x6, dudo"


@pytest.mark.parametrize(
    ("option", "one_die_each", "fallen", "ordinary"),
    [
        ("literal", None, 1, 1),
        ("off_wild", 1, 1, 1),
        ("nonwild_trigger", None, None, 1),
        ("full", 1, None, 1),
    ],
)
def test_rule_5_9_what_is_wild_with_two_players_left(
    option: str, one_die_each: int | None, fallen: int | None, ordinary: int | None
) -> None:
    rules = f"official:two_player_palafico={option}"
    assert position(f"{rules} 2/-/3 A - been=AC").wild_face == one_die_each
    assert after_fall(rules, "22/33/-").wild_face == fallen
    assert position(f"{rules} 2/-/33 A - been=A").wild_face == ordinary


@pytest.mark.parametrize("option", ["literal", "off_wild", "nonwild_trigger"])
def test_rule_5_9_faces_are_not_fixed_and_the_round_is_ordinary(option: str) -> None:
    state = after_fall(f"official:two_player_palafico={option}", "22/33/-")
    assert state.palafico is None
    assert "1x1" not in state.legal_actions
    raised = state.apply("1x3")
    assert "2x2" in raised.legal_actions
    assert "1x5" in raised.legal_actions


def test_rule_5_9_full_is_as_with_more_players() -> None:
    state = after_fall("official:two_player_palafico=full", "22/33/-")
    assert state.palafico == 0
    assert "1x1" in state.legal_actions
    assert str(state.apply("1x3").legal_actions) == "2-3x3, dudo"


@pytest.mark.parametrize(
    ("option", "allowed"),
    [("literal", False), ("off_wild", False), ("nonwild_trigger", False), ("full", True)],
)
def test_rule_5_9_declaring_with_two_players_left(option: str, allowed: bool) -> None:
    rules = f"official:two_player_palafico={option},palafico=declared"
    state = after_fall(rules, "22/33/-")
    assert ("palafico" in state.legal_actions) is allowed


@pytest.mark.parametrize("option", ["literal", "off_wild", "nonwild_trigger", "full"])
def test_rule_5_9_says_nothing_while_three_are_left(option: str) -> None:
    rules = f"official:two_player_palafico={option}"
    assert after_fall(rules).palafico == 0
    assert position(f"{rules} 2/3/4 A -").wild_face == 1


@pytest.mark.parametrize("option", ["literal", "off_wild", "nonwild_trigger", "full"])
def test_rule_5_9_nothing_changes_with_palafico_off(option: str) -> None:
    rules = f"official:two_player_palafico={option},palafico=off"
    assert position(f"{rules} 2/-/3 A -").wild_face == 1
    assert after_fall(rules, "22/33/-").wild_face == 1


def test_rule_5_9_is_decided_at_the_start_of_a_round() -> None:
    """A falls to one die while B goes out: two players are left when the next round starts."""
    rules = "official:exact_bid_doubted=all_others_lose"
    state = position(f"{rules} 44/2/333 A 2x3,3x3").apply("dudo")
    assert state.dice_counts == (1, 0, 3)
    rolled = state.deal(1)
    assert (rolled.opener, rolled.palafico, rolled.been_palafico) == (0, None, (0,))


def test_rule_5_10_several_fall_to_one_die_and_the_opener_is_one_of_them() -> None:
    rules = "official:exact_bid_doubted=all_others_lose"
    state = position(f"{rules} 22/33/55/666 B 2x2").apply("dudo")
    assert state.dice_counts == (2, 1, 1, 2)
    rolled = state.deal(1)
    assert (rolled.opener, rolled.palafico, rolled.been_palafico) == (1, 1, (1, 2))


def test_rule_5_10_several_fall_to_one_die_and_the_opener_is_not_one_of_them() -> None:
    rules = "official:exact_bid_doubted=all_others_lose,dudo_starter=winner"
    state = position(f"{rules} 22/33/55/666 B 2x2").apply("dudo")
    rolled = state.deal(1)
    assert (rolled.opener, rolled.palafico, rolled.been_palafico) == (0, None, (1, 2))


def test_rule_5_10_the_opener_fell_to_one_die_before() -> None:
    rules = "official:exact_bid_doubted=all_others_lose"
    state = position(f"{rules} 22/33/55/666 B 2x2 been=B").apply("dudo")
    rolled = state.deal(1)
    assert (rolled.opener, rolled.palafico, rolled.been_palafico) == (1, None, (1, 2))
