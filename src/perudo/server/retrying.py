"""A decision of a finished game, decided anew: the others are played by an AI from there on."""

from __future__ import annotations

from typing import Any

from perudo.games.perudo import PERUDO
from perudo.games.state import action_code
from perudo.protocol import settled
from perudo.record import MatchRecord
from perudo.server.match import action_text
from perudo.server.service import Refused
from perudo.server.thinking import Thinkers
from perudo.server.views import odds_of
from perudo.table import SeededDice, Table

OTHERS = "observer"
"""Who plays in the other seats."""
THINK_SECONDS = 5.0
MOST_ACTIONS = 600


async def play_again(
    record: MatchRecord, n: int, actions: list[str], seed: int, thinkers: Thinkers
) -> dict[str, Any]:
    """The game from event ``n`` on, with these actions instead, up to the player's next decision.

    Nothing is kept here: whoever plays sends again all that was done since, with the same seed.
    """
    if not 1 <= n <= len(record.events) or record.events[n - 1]["event"] != "act":
        raise Refused("no_decision", f"event {n} of this game is not a decision")
    seat = int(record.events[n - 1]["seat"])
    before = MatchRecord(record.game, record.setting, record.players, record.start)
    before.events = [dict(event) for event in record.events[: n - 1]]
    table = Table.resume(before, SeededDice(seed))
    for action in actions:
        if table.actor is None:
            raise Refused("not_playing", "this game is over")
        table.act(table.actor, action)
    done = list(actions)
    while table.actor is not None and table.actor != seat:
        if len(done) >= MOST_ACTIONS:
            raise Refused("too_many", "this game has gone on for too long")
        view = table.observe(table.actor)
        thought = await thinkers.decide(OTHERS, view.record, None, THINK_SECONDS)
        table.act(table.actor, thought.action)
        done.append(action_text(action_code(PERUDO, thought.action)))
    seen = table.observe(seat)
    outcome = seen.outcome
    return {
        "seat": seat,
        "others": OTHERS,
        "actions": done,
        "events": [_shown(event) for event, _ in table.story(seat, n - 1)],
        "round": seen.round,
        "dice": seen.hand(seat),
        "counts": list(seen.dice_counts),
        "bid": None if seen.bid is None else str(seen.bid),
        "bidder": seen.bidder,
        "history": [[each, str(action)] for each, action in seen.history],
        "wild": seen.wild_face,
        "palafico": seen.palafico,
        "total": seen.total_dice,
        "legal": [action_text(code) for code in seen.legal_actions.codes],
        "odds": odds_of(seen) if seen.actor == seat else None,
        "last": None if outcome is None else settled(outcome, seen.opener),
        "winner": seen.winner,
        "over": seen.over,
    }


def _shown(event: dict[str, Any]) -> dict[str, Any]:
    kept = {key: value for key, value in event.items() if key not in ("event", "fair")}
    return {"kind": event["event"], **kept}
