"""A second, slow reading of docs/rules.md, which the compiled engine is compared with.

Plain Python, written from the clauses alone. A round's state holds the dice and what has been said;
everything else is worked out afresh whenever it is asked for. Actions are text: ``3x5``, ``dudo``,
``calza``, ``decline``, ``pass``, ``doubt``, ``palafico``. Seats are numbers from 0.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import product

from perudo.games.perudo.rules import Rules

Seat = int
Hand = tuple[int, ...]
"""A cup's dice, sorted; empty for a player who is out."""
Bid = tuple[int, int]
"""(quantity, face)"""

FACES = (1, 2, 3, 4, 5, 6)
ONES = 1
UNCAPPED = 80
"""2.4 The highest quantity when bids are not capped."""


# --- What is on the table ---------------------------------------------------------------------


@dataclass(frozen=True)
class Match:
    """A match between two rounds."""

    rules: Rules
    counts: tuple[int, ...]
    """Number of dice of each seat."""
    opener: Seat | None = None
    """The opener of the next round, once it is known."""
    been: frozenset[Seat] = frozenset()
    """5.2 Who has been palafico."""
    due: Seat | None = None
    """5.1 Who came down to one die in the last round, for the first time, and opens the next."""
    winner: Seat | None = None


@dataclass(frozen=True)
class Settlement:
    """The result of a round."""

    reason: str
    caller: Seat
    target: Seat
    count: int | None
    """Number of dice that matched the bid; None for a doubted pass."""
    lost: tuple[int, ...]
    gained: tuple[int, ...]
    shown: tuple[Hand, ...]
    """The cups that were lifted; the others are empty here."""
    match: Match
    """The match after it."""


@dataclass(frozen=True)
class State:
    """A round: the match it belongs to, the dice, and what has been said so far."""

    match: Match
    hands: tuple[Hand, ...]
    opener: Seat
    history: tuple[tuple[Seat, str], ...] = ()
    """The bids, the passes and a declared palafico, each with its seat."""
    declined: int = 0
    """Number of seats that have declined calza since the last bid or pass."""
    settlement: Settlement | None = None

    @property
    def rules(self) -> Rules:
        """The rules of the match."""
        return self.match.rules


def start_match(rules: Rules, counts: list[int]) -> Match:
    """1.1, 1.2 The match before its first round."""
    return Match(rules, tuple(counts))


def start_round(match: Match, hands: list[list[int]], opener: Seat) -> State:
    """1.4 A round with these dice."""
    assert match.winner is None
    assert tuple(len(hand) for hand in hands) == match.counts
    assert match.counts[opener] > 0
    assert match.opener in (None, opener)
    return State(match, tuple(tuple(sorted(hand)) for hand in hands), opener)


def live_seats(counts: tuple[int, ...]) -> list[Seat]:
    """1.4 The seats that still have dice."""
    return [seat for seat, count in enumerate(counts) if count > 0]


def left_of(counts: tuple[int, ...], seat: Seat) -> Seat:
    """The next seat that still has dice."""
    seat = (seat + 1) % len(counts)
    while counts[seat] == 0:
        seat = (seat + 1) % len(counts)
    return seat


def this_or_left(counts: tuple[int, ...], seat: Seat) -> Seat:
    """4.4, 6.6, 7.7 The seat itself, or the one to its left if it is out."""
    return seat if counts[seat] > 0 else left_of(counts, seat)


# --- What has been said -----------------------------------------------------------------------


def bid_text(bid: Bid) -> str:
    """A bid as it is written."""
    return f"{bid[0]}x{bid[1]}"


def read_bid(action: str) -> Bid | None:
    """The bid that an action is, if it is one."""
    quantity, cross, face = action.partition("x")
    return (int(quantity), int(face)) if cross and quantity.isdigit() else None


def last_bid(state: State) -> tuple[Seat, Bid] | None:
    """The round's last bid, and whose it is."""
    for seat, action in reversed(state.history):
        bid = read_bid(action)
        if bid is not None:
            return seat, bid
    return None


def standing_bid(state: State) -> Bid | None:
    """The bid that stands."""
    last = last_bid(state)
    return None if last is None else last[1]


def bidder(state: State) -> Seat | None:
    """The seat that made the standing bid."""
    last = last_bid(state)
    return None if last is None else last[0]


def passer(state: State) -> Seat | None:
    """7.3 Who has just passed."""
    if state.history and state.history[-1][1] == "pass":
        return state.history[-1][0]
    return None


def last_bid_on_another_face(state: State) -> Bid | None:
    """3.5 The round's last bid that is not on ones."""
    for _, action in reversed(state.history):
        bid = read_bid(action)
        if bid is not None and bid[1] != ONES:
            return bid
    return None


def turn(state: State) -> Seat:
    """1.3 Whose turn it is."""
    if not state.history:
        return state.opener
    seat, action = state.history[-1]
    return seat if action == "palafico" else left_of(state.match.counts, seat)


# --- Part 5: palafico -------------------------------------------------------------------------


def two_left(state: State) -> bool:
    """5.9, 6.8 Whether two players are left."""
    return len(live_seats(state.match.counts)) == 2


def palafico_rounds_possible(state: State) -> bool:
    """5.1, 5.9 Whether there can be a palafico round at all."""
    if state.rules.palafico == "off":
        return False
    return not two_left(state) or state.rules.two_player_palafico == "full"


def palafico_seat(state: State) -> Seat | None:
    """5.1 Whose palafico round this is."""
    if not palafico_rounds_possible(state):
        return None
    if state.rules.palafico == "automatic":
        return state.match.due
    first_act = state.history[0] if state.history else None
    return state.opener if first_act == (state.opener, "palafico") else None


def may_declare(state: State) -> bool:
    """5.1 Whether the opener may say palafico: as the round's first act only."""
    return (
        state.rules.palafico == "declared"
        and palafico_rounds_possible(state)
        and state.match.due is not None
        and not state.history
    )


def two_players_without_wild(state: State) -> bool:
    """5.9 Whether nothing is wild because two players are left."""
    if state.rules.palafico == "off" or not two_left(state):
        return False
    both_hold_one = all(count in (0, 1) for count in state.match.counts)
    match state.rules.two_player_palafico:
        case "literal":
            return both_hold_one
        case "nonwild_trigger":
            return both_hold_one or state.match.due is not None
    return False


def wild_suspended(state: State) -> bool:
    """5.7, 5.9 Whether nothing is wild because of part 5."""
    if palafico_seat(state) is not None:
        return not state.rules.palafico_aces_wild
    return two_players_without_wild(state)


def wild_face(state: State) -> int | None:
    """2.5 The face that counts for every other face."""
    if wild_suspended(state):
        return None
    return {"ones": 1, "highest": 6, "none": None}[state.rules.wild]


def may_choose_face(state: State, seat: Seat) -> bool:
    """5.5, 5.6 Whether this seat may leave the face that is fixed in a palafico round."""
    if seat == palafico_seat(state):
        return state.rules.palafico_owner_may_change
    if state.match.counts[seat] != 1:
        return False
    match state.rules.palafico_face_change:
        case "one_die":
            return True
        case "already_palafico":
            return seat in state.match.been
    return False


# --- Parts 2 and 3: bids ----------------------------------------------------------------------


def ace_rank(state: State) -> str:
    """3.1, 5.8 Where ones stand in this round."""
    if state.rules.ace_rank == "not_biddable":
        return "not_biddable"
    if wild_suspended(state) and state.rules.nonwild_order == "lexicographic":
        return "lowest"
    return state.rules.ace_rank


def highest_quantity(state: State) -> int:
    """2.4 The highest quantity that can be bid."""
    if state.rules.cap_bids_at_total:
        return sum(state.match.counts)
    return UNCAPPED


def face_can_be_bid(state: State, bid: Bid) -> bool:
    """3.1 Nobody bids on ones if they are not biddable."""
    return bid[1] != ONES or state.rules.ace_rank != "not_biddable"


def may_open_on_ones(state: State) -> bool:
    """3.2 Whether the round may be opened on ones by the player whose turn it is."""
    match state.rules.ace_opening:
        case "yes":
            return True
        case "palafico_only":
            return palafico_seat(state) == turn(state)
    return False


def beats_any_face(old: Bid, new: Bid) -> bool:
    """2.2 More of any face, or as many of a higher face."""
    return new[0] > old[0] or (new[0] == old[0] and new[1] > old[1])


def beats_one_of_two(old: Bid, new: Bid) -> bool:
    """2.2 More of the same face, or as many of a higher face."""
    more = new[0] > old[0] and new[1] == old[1]
    higher = new[0] == old[0] and new[1] > old[1]
    return more or higher


def beats_neither_falls(old: Bid, new: Bid) -> bool:
    """2.2 Neither quantity nor face falls, and one rises."""
    return new[0] >= old[0] and new[1] >= old[1] and new != old


def beats_by_raise_rule(rules: Rules, old: Bid, new: Bid) -> bool:
    """2.2 Whether a bid raises another where ones need no special treatment."""
    beats = {
        "any_face": beats_any_face,
        "one_of_two": beats_one_of_two,
        "neither_falls": beats_neither_falls,
    }
    return beats[rules.raise_rule](old, new)


def enough_ones(rank: str, quantity: int, ones: int) -> bool:
    """3.3 Return True if this many ones raise that quantity of another face."""
    if rank == "above_double":
        return 2 * ones >= quantity
    return 2 * ones > quantity


def enough_after_ones(rules: Rules, rank: str, ones: int, quantity: int) -> bool:
    """3.4 Return True if that quantity of another face raises this many ones."""
    if rank == "above_double" and rules.ace_exit_plus_one:
        return quantity >= 2 * ones + 1
    return quantity >= 2 * ones


def beats_earlier_bid(state: State, new: Bid) -> bool:
    """3.5 Whether a bid that leaves ones beats the last bid on another face, where it has to."""
    rules = state.rules
    if ace_rank(state) != "above_double" or rules.ace_exit_plus_one or not rules.ace_exit_monotone:
        return True
    earlier = last_bid_on_another_face(state)
    return earlier is None or beats_any_face(earlier, new)


def is_raise(state: State, old: Bid, new: Bid) -> bool:
    """2.2, 3.3 to 3.5 Whether a bid raises the standing one, leaving palafico aside."""
    rank = ace_rank(state)
    if rank in ("lowest", "not_biddable"):
        return beats_by_raise_rule(state.rules, old, new)
    if old[1] == ONES and new[1] == ONES:
        return new[0] > old[0]
    if new[1] == ONES:
        return enough_ones(rank, old[0], new[0])
    if old[1] == ONES:
        enough = enough_after_ones(state.rules, rank, old[0], new[0])
        return enough and beats_earlier_bid(state, new)
    return beats_by_raise_rule(state.rules, old, new)


def keeps_to_the_face(state: State, old: Bid, new: Bid) -> bool:
    """5.4 to 5.6 Whether the face is the fixed one of a palafico round, or need not be."""
    if palafico_seat(state) is None or may_choose_face(state, turn(state)):
        return True
    return new[1] == old[1]


def bid_is_legal(state: State, bid: Bid) -> bool:
    """2.1 Whether the player whose turn it is may make this bid."""
    if not 1 <= bid[0] <= highest_quantity(state) or not face_can_be_bid(state, bid):
        return False
    old = standing_bid(state)
    if old is None:
        return bid[1] != ONES or may_open_on_ones(state)
    return is_raise(state, old, bid) and keeps_to_the_face(state, old, bid)


# --- Parts 4, 6 and 7: dudo, calza, passing ---------------------------------------------------


def may_say_dudo(state: State) -> bool:
    """4.1, 7.3 There is a bid to doubt, and nobody has just passed."""
    return standing_bid(state) is not None and passer(state) is None


def calza_is_open(state: State) -> bool:
    """6.1, 6.7 to 6.9 Whether the standing bid can be claimed by anybody."""
    rules = state.rules
    if not rules.calza or standing_bid(state) is None:
        return False
    if palafico_seat(state) is not None and not rules.calza_in_palafico:
        return False
    if two_left(state) and not rules.calza_two_players:
        return False
    return passer(state) is None or rules.calza_after_pass


def may_claim(state: State, seat: Seat) -> bool:
    """6.3, 6.10 Whether this seat may say calza, now or when it is asked."""
    if not calza_is_open(state) or seat == bidder(state):
        return False
    match state.rules.calza_who:
        case "turn_only":
            return seat == turn(state)
        case "any_but_next":
            return seat != turn(state)
    return True


def asked_seats(state: State) -> list[Seat]:
    """6.3 The seats that are asked about calza before the turn, in their order."""
    first = bidder(state)
    if first is None:
        return []
    counts = state.match.counts
    order = []
    seat = left_of(counts, first)
    while seat != first:
        order.append(seat)
        seat = left_of(counts, seat)
    return [seat for seat in order if seat != turn(state) and may_claim(state, seat)]


def may_pass(state: State) -> bool:
    """7.1 to 7.6 Whether the player whose turn it is may pass."""
    rules, seat = state.rules, turn(state)
    if not rules.enable_pass or state.match.counts[seat] != 5:
        return False
    if (seat, "pass") in state.history:
        return False
    if passer(state) is not None and not rules.consecutive_pass:
        return False
    if not state.history and not rules.pass_on_opening:
        return False
    return palafico_seat(state) is None or rules.pass_in_palafico


def hand_fits_a_pass(hand: Hand) -> bool:
    """7.2 All different, all equal, or three and two."""
    return sorted(Counter(hand).values()) in ([1, 1, 1, 1, 1], [5], [2, 3])


# --- Acting -----------------------------------------------------------------------------------


def seat_asked(state: State) -> Seat | None:
    """6.3 Who is being asked about calza, if anybody."""
    waiting = asked_seats(state)[state.declined :]
    return waiting[0] if waiting else None


def actor(state: State) -> Seat | None:
    """The seat to act; None when the round is settled."""
    if state.settlement is not None:
        return None
    asked = seat_asked(state)
    return turn(state) if asked is None else asked


def legal_actions(state: State) -> set[str]:
    """All that the player who is to act may do."""
    if state.settlement is not None:
        return set()
    if seat_asked(state) is not None:
        return {"calza", "decline"}
    quantities = range(1, highest_quantity(state) + 1)
    candidates = [(quantity, face) for quantity in quantities for face in FACES]
    actions = {bid_text(bid) for bid in candidates if bid_is_legal(state, bid)}
    if may_declare(state):
        actions.add("palafico")
    if may_say_dudo(state):
        actions.add("dudo")
    if may_claim(state, turn(state)):
        actions.add("calza")
    if may_pass(state):
        actions.add("pass")
    if passer(state) is not None:
        actions.add("doubt")
    return actions


def apply(state: State, action: str) -> State:
    """The state after a legal action."""
    match action:
        case "dudo":
            return replace(state, settlement=settle_dudo(state))
        case "calza":
            return replace(state, settlement=settle_calza(state))
        case "doubt":
            return replace(state, settlement=settle_doubted_pass(state))
        case "decline":
            return replace(state, declined=state.declined + 1)
    return replace(state, history=(*state.history, (turn(state), action)), declined=0)


# --- Settling a round -------------------------------------------------------------------------


def matching_dice(state: State) -> int:
    """4.2, 2.5 How many dice on the table match the standing bid."""
    bid = standing_bid(state)
    assert bid is not None
    dice = [die for hand in state.hands for die in hand]
    return sum(die in (bid[1], wild_face(state)) for die in dice)


def settle_dudo(state: State) -> Settlement:
    """4.3 to 4.6 The player whose turn it is doubts the bid."""
    rules, last, caller = state.rules, last_bid(state), turn(state)
    assert last is not None
    target, bid = last
    count = matching_dice(state)
    loser, winner = (target, caller) if count < bid[0] else (caller, target)
    dice = max(1, abs(count - bid[0])) if rules.loss == "difference" else 1
    lost = {loser: min(dice, len(state.hands[loser]))}
    if count == bid[0] and rules.exact_bid_doubted == "all_others_lose":
        lost = {seat: 1 for seat in live_seats(state.match.counts) if seat != target}
    reason = "bid too high" if count < bid[0] else "dudo too soon"
    opens = loser if rules.dudo_starter == "loser" else winner
    return settle(state, reason, caller, target, count, state.hands, lost, {}, opens)


def settle_calza(state: State) -> Settlement:
    """6.1 to 6.6 Somebody claims that the bid is exactly right."""
    rules, last, caller = state.rules, last_bid(state), actor(state)
    assert last is not None
    assert caller is not None
    target, bid = last
    count = matching_dice(state)
    lost: dict[Seat, int] = {}
    gained: dict[Seat, int] = {}
    if count != bid[0]:
        reason, starter = "calza wrong", rules.calza_failure_starter
        lost = {caller: 1}
    else:
        reason, starter = "calza right", rules.calza_success_starter
        if rules.calza_reward in ("others_lose", "die_and_others_lose"):
            lost = {seat: 1 for seat in live_seats(state.match.counts) if seat != caller}
        if rules.calza_reward in ("die", "die_and_others_lose"):
            gained = {caller: 1 if len(state.hands[caller]) < rules.dice else 0}
    opens = caller if starter == "caller" else target
    return settle(state, reason, caller, target, count, state.hands, lost, gained, opens)


def settle_doubted_pass(state: State) -> Settlement:
    """7.7 The player whose turn it is doubts the last pass."""
    target, caller = passer(state), turn(state)
    assert target is not None
    fits = hand_fits_a_pass(state.hands[target])
    loser = caller if fits else target
    reason = "pass doubted wrongly" if fits else "pass caught"
    shown = tuple(hand if seat == target else () for seat, hand in enumerate(state.hands))
    return settle(state, reason, caller, target, None, shown, {loser: 1}, {}, loser)


def settle(
    state: State,
    reason: str,
    caller: Seat,
    target: Seat,
    count: int | None,
    shown: tuple[Hand, ...],
    lost: dict[Seat, int],
    gained: dict[Seat, int],
    opens: Seat,
) -> Settlement:
    """1.4 Take and give the dice, and see who opens the next round, or who has won."""
    match = state.match
    seats = range(len(match.counts))
    losses = tuple(lost.get(seat, 0) for seat in seats)
    gains = tuple(gained.get(seat, 0) for seat in seats)
    if state.rules.single_round:
        after = replace(match, opener=None, due=None, winner=single_round_winner(match, losses))
    else:
        counts = tuple(match.counts[seat] - losses[seat] + gains[seat] for seat in seats)
        after = next_match(match, counts, opens)
    return Settlement(reason, caller, target, count, losses, gains, shown, after)


def single_round_winner(match: Match, losses: tuple[int, ...]) -> Seat:
    """1.4 Whoever would lose a die has lost the match."""
    (winner,) = [seat for seat in live_seats(match.counts) if losses[seat] == 0]
    return winner


def next_match(match: Match, counts: tuple[int, ...], opens: Seat) -> Match:
    """1.4, 5.1, 5.2, 5.10 The match when the dice have changed hands."""
    live = live_seats(counts)
    down = newly_down(match, counts)
    been = match.been | down
    if len(live) == 1:
        return Match(match.rules, counts, None, been, None, live[0])
    opener = this_or_left(counts, opens)
    return Match(match.rules, counts, opener, been, opener if opener in down else None)


def newly_down(match: Match, counts: tuple[int, ...]) -> frozenset[Seat]:
    """5.1, 5.2 The seats that have just come down to one die for the first time."""
    return frozenset(
        seat
        for seat, (before, after) in enumerate(zip(match.counts, counts, strict=True))
        if before > 1 and after == 1 and seat not in match.been
    )


# --- What it is worth -------------------------------------------------------------------------


def round_payoffs(state: State) -> list[float]:
    """10.1 Each lost die costs its loser 1, shared equally by the others in the round."""
    assert state.settlement is not None
    playing = live_seats(state.match.counts)
    payoffs = [0.0] * len(state.hands)
    for loser, dice in enumerate(state.settlement.lost):
        for seat in playing:
            if dice > 0:
                payoffs[seat] += -dice if seat == loser else dice / (len(playing) - 1)
    return payoffs


def match_payoffs(match: Match) -> list[float]:
    """10.1 1 to the winner, -1 shared equally by the others."""
    others = len(match.counts) - 1
    return [1.0 if seat == match.winner else -1.0 / others for seat in range(len(match.counts))]


# --- Counting a round's tree ------------------------------------------------------------------


def perft(rules: Rules, dice_counts: list[int], opener: Seat = 0) -> dict[str, int]:
    """10.2 The size of the tree of a match's first round."""
    return count_round(start_match(rules, dice_counts), opener)


def count_round(match: Match, opener: Seat) -> dict[str, int]:
    """10.2 Walk the whole tree of the next round once for each ordered roll, and count.

    What may be said is worked out once for each thing said so far, with the dice taken away: it
    could not look at them.
    """
    decisions = terminals = 0
    information_sets = set()
    known: dict[object, tuple[Seat, Seat | None, set[str]]] = {}
    rolls = [product(FACES, repeat=count) for count in match.counts]
    for hands in product(*rolls):
        waiting = [start_round(match, [list(hand) for hand in hands], opener)]
        while waiting:
            state = waiting.pop()
            if state.settlement is not None:
                terminals += 1
                continue
            decisions += 1
            said = (state.history, state.declined)
            if said not in known:
                known[said] = _without_dice(state)
            seat, asked, actions = known[said]
            information_sets.add((seat, state.hands[seat], state.history, asked))
            waiting.extend(apply(state, action) for action in actions)
    return {
        "decision_nodes": decisions,
        "terminal_nodes": terminals,
        "information_sets": len(information_sets),
    }


def _without_dice(state: State) -> tuple[Seat, Seat | None, set[str]]:
    """Return the seat to act, the seat asked, and the legal actions, computed without dice."""
    blind = replace(state, hands=())
    seat = actor(blind)
    assert seat is not None
    return seat, seat_asked(blind), legal_actions(blind)
