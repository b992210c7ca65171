"""What each viewer is told: made from that viewer's observation and from what is public.

Every message about a game that leaves the server is made here.
"""

from __future__ import annotations

from typing import cast

from perudo import protocol
from perudo.games.game import SPECTATOR
from perudo.games.perudo import PERUDO, PerudoState
from perudo.games.perudo.odds import chance_right
from perudo.server.table.match import Match, action_text
from perudo.server.table.table import RECORD_KINDS, Logged, TableState
from perudo.server.wire.events import Event, PublicEvent, RecordEvent
from perudo.server.wire.server_messages import (
    Decide,
    ProgramMessage,
    PublicView,
    View,
    Where,
    Window,
)

_KEPT = {
    "anchor": ("game", "anchor"),
    "seated": ("seat", "player"),
    "left": ("seat", "reason", "stand_in"),
    "absent": ("seat", "agent"),
    "back": ("seat",),
    "started": ("game", "players", "sitting", "commit"),
    "answered": ("seat",),
    "free": ("seats",),
    "paused": ("on", "by"),
    "absence": ("action", "seconds"),
    "rematch": ("seat",),
    "said": ("seat", "reaction", "phrase", "text"),
    "muted": ("seat", "on"),
    "closed": ("reason",),
}
"""What everybody is told of each kind of event; nothing else leaves the log."""


def told_events(state: TableState, viewer: int, after: int) -> list[Event]:
    """The events after a number, as the viewer may know them."""
    fresh = []
    for event in reversed(state.log):
        if event.n <= after:
            break
        fresh.append(_told(state, event, viewer))
    return fresh[::-1]


def _told(state: TableState, event: Logged, viewer: int) -> Event:
    if event.kind == "deal":
        return _record_event(state, event, viewer)
    if event.kind == "answered" and event.data["seat"] == viewer:
        return _public_event(event, "action")
    if event.n not in state.told:
        if event.kind in RECORD_KINDS:
            state.told[event.n] = _record_event(state, event)
        else:
            state.told[event.n] = _public_event(event)
    return state.told[event.n]


def _record_event(state: TableState, event: Logged, viewer: int = SPECTATOR) -> RecordEvent:
    """An event of the game's own record; a seat is told another than a spectator only of a deal."""
    assert state.match is not None
    seen = event.data["record"]
    if event.kind == "deal" and event is _last_deal(state):
        seen = state.match.deal(viewer)
    elif event.kind != "act":  # what is said at a table of Perudo everybody hears
        seen, _ = next(state.match.table.story(viewer, seen["n"] - 1))
    told = {key: value for key, value in seen.items() if key not in ("n", "event")}
    if event.kind == "act":
        told["by"] = event.data["by"]
    return cast(RecordEvent, {**_stamp(event), **told})


def _last_deal(state: TableState) -> Logged | None:
    return next((event for event in reversed(state.log) if event.kind == "deal"), None)


def _public_event(event: Logged, *private: str) -> PublicEvent:
    kept = (*_KEPT[event.kind], *private)
    told = {key: event.data[key] for key in kept if key in event.data}
    if event.kind == "seated":
        told["player"] = {key: told["player"][key] for key in ("name", "kind", "id", "agent")}
    return cast(PublicEvent, {**_stamp(event), **told})


def _stamp(event: Logged) -> dict[str, float | str]:
    return {"n": event.n, "at": round(event.at, 3), "kind": event.kind}


def view_of(
    state: TableState,
    viewer: int,
    *,
    odds: bool = False,
    seconds: float | None = None,
    window_seconds: float = 0.0,
) -> View | None:
    """The game on the table as a viewer may see it now.

    What everybody may know is made once, from what a spectator sees; a seat's dice, legal actions
    and odds are made from that seat's observation.
    """
    match = state.match
    if match is None:
        return None
    if state.public_view is None:
        state.public_view = _public_view(match)
    asked = viewer >= 0 and viewer in match.awaited and not state.paused
    return {
        **state.public_view,
        "seat": viewer if viewer >= 0 else None,
        "question": state.question,
        "dice": match.hand(viewer) if viewer >= 0 else None,
        "legal": match.legal(viewer) if asked else None,
        "odds": (
            odds_of(match.observe(viewer)) if asked and odds and not state.options.rated else None
        ),
        "window": _window(match, window_seconds),
        "seconds": seconds,
    }


def _public_view(match: Match) -> PublicView:
    """What everybody may know: the log of what was said and shown, and what a spectator sees.

    The log is read rather than the record where that saves calls into compiled code, each of which
    takes as long as a hundred steps of Python and lets other threads go first.
    """
    bidding = match.bidding()
    bidder, bid = next((said for said in reversed(bidding) if said[1] != "pass"), (None, None))
    return {
        **match.facts(),
        "game": match.number,
        "turn": match.turn,
        "bid": bid,
        "bidder": bidder,
        "history": bidding,
    }


def odds_of(observation: PerudoState) -> dict[str, float | None]:
    """The chance that what each legal action claims is so, as its actor can know it."""
    record, actor = observation.record, observation.actor
    assert actor is not None
    odds = {}
    for code in observation.legal_actions.codes:
        chance = chance_right(record, actor, code)
        odds[action_text(code)] = None if chance is None else round(chance, 6)
    return odds


def _window(match: Match, seconds: float) -> Window | None:
    if not match.window:
        return None
    return {
        "seats": list(match.window),
        "answered": sorted(match.answers),
        "seconds": seconds,
    }


# --- to programs --------------------------------------------------------------------------------
def told_program(state: TableState, viewer: int, after: int) -> list[ProgramMessage]:
    """The events after a number in the messages that programs know."""
    match = state.match
    if match is None:
        return []
    messages: list[ProgramMessage] = []
    for event in state.log:
        if event.n <= after:
            continue
        if event.kind == "started":
            setting = match.table.record.setting
            seat = None if viewer == SPECTATOR else viewer
            hello = protocol.hello(PERUDO, setting, seat, match.table.players)
            messages.append({**hello, **_where(state, event.n)})
        elif event.kind in ("result", "end"):
            number = event.data["record"]["n"]
            (_, view), *_ = match.table.story(viewer, number - 1)
            where = _where(state, event.n)
            if event.kind == "result":
                messages.append({**protocol.result(view), **where})
            else:
                messages.append({**protocol.end(view), **where})
    return messages


def question_for_program(state: TableState, seat: int) -> Decide | None:
    """``decide``, if the seat is asked."""
    match = state.match
    if match is None or state.paused or seat not in match.awaited:
        return None
    return {**protocol.decide(match.observe(seat), state.question), **_where(state, state.question)}


def _where(state: TableState, n: int) -> Where:
    return {"table": state.id, "n": n}
