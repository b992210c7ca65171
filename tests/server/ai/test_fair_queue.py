"""The order of questions to AIs, with a clock that only the test moves and no processes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from perudo.server.ai.callers import SERVER, Caller, Urgency
from perudo.server.ai.fair_queue import COSTLY_SECONDS, HALF_LIFE_SECONDS, Call, FairQueue


class Line:
    """A queue whose questions are named."""

    def __init__(self, most_costly: int = 1) -> None:
        self.seconds = 0.0
        self.queue: FairQueue[Any] = FairQueue(most_costly, lambda: self.seconds)

    def add(self, kind: str, caller: Caller, **more: bool) -> Call[Any]:
        turn: Any = asyncio.Future(loop=asyncio.new_event_loop())
        turn.get_loop().close()
        call = Call(kind, caller, turn, **more)
        self.queue.add(call)
        return call

    def order(self) -> list[str]:
        """Answer all questions, one after the other, without using any time."""
        found = []
        while (call := self.queue.take()) is not None:
            found.append(call.kind)
            self.queue.ended(call, 0.0)
        return found


def guest(name: str, address: str = "10.0.0.1", urgency: Urgency = Urgency.PEOPLE) -> Caller:
    return Caller((f"person:{name}", f"address:{address}"), urgency)


ADA, BOB, CLEO = (Caller((f"person:{name}",)) for name in ("ada", "bob", "cleo"))


def test_equals_are_served_in_the_order_of_arrival() -> None:
    line = Line()
    for kind, caller in (("1", ADA), ("2", BOB), ("3", ADA)):
        line.add(kind, caller)
    assert line.order() == ["1", "2", "3"]


def test_who_has_used_least_goes_first_however_much_others_ask() -> None:
    line = Line()
    line.queue.used(ADA, 5.0)
    line.queue.used(CLEO, 1.0)
    for number in range(50):
        line.add(f"ada {number}", ADA)
    line.add("cleo", CLEO)
    line.add("bob", BOB)
    assert line.order()[:2] == ["bob", "cleo"]


def test_what_was_used_long_ago_counts_less() -> None:
    line = Line()
    line.queue.used(ADA, 4.0)
    line.seconds += 3 * HALF_LIFE_SECONDS
    assert line.queue.recent(ADA) == [pytest.approx(0.5)]
    line.queue.used(BOB, 1.0)
    line.add("bob", BOB)
    line.add("ada", ADA)
    assert line.order() == ["ada", "bob"]


def test_guests_of_one_address_count_together() -> None:
    line = Line()
    line.queue.used(guest("ada", "10.0.0.1"), 5.0)
    line.add("new guest of that address", guest("zoe", "10.0.0.1"))
    line.add("ada", guest("ada", "10.0.0.1"))
    line.add("elsewhere", guest("bob", "10.0.0.2"))
    assert line.order() == ["elsewhere", "new guest of that address", "ada"]


def test_play_with_people_goes_before_ais_alone_and_these_before_work_ahead() -> None:
    line = Line()
    line.queue.used(ADA, 50.0)
    line.add("ahead", Caller(BOB.names, Urgency.AHEAD))
    line.add("ais", Caller(BOB.names, Urgency.AIS_ALONE))
    line.add("people", ADA)
    assert line.order() == ["people", "ais", "ahead"]


def test_costly_questions_of_one_caller_run_one_at_a_time() -> None:
    line = Line(most_costly=3)
    first = line.add("deep", ADA, costly=True)
    line.add("deep", ADA, costly=True)
    quick = line.add("quick", ADA)
    other = line.add("deep", BOB, costly=True)
    assert [line.queue.take() for _ in range(4)] == [first, quick, other, None]
    line.queue.ended(first, 0.5)
    assert line.order() == ["deep"]


def test_costly_questions_of_one_address_run_one_at_a_time() -> None:
    line = Line(most_costly=3)
    first = line.add("deep", guest("ada"), costly=True)
    line.add("deep", guest("bob"), costly=True)
    assert [line.queue.take(), line.queue.take()] == [first, None]


def test_costly_questions_of_many_callers_leave_a_process_free() -> None:
    line = Line(most_costly=1)
    first = line.add("deep", ADA, costly=True)
    line.add("deep", BOB, costly=True)
    assert [line.queue.take(), line.queue.take()] == [first, None]
    quick = line.add("quick", CLEO)
    assert line.queue.take() is quick


def test_a_kind_is_costly_by_what_it_was_measured_to_cost() -> None:
    line = Line(most_costly=3)
    for caller in (ADA, BOB):
        line.add("expected to be quick", caller)
        line.add("expected to be costly", caller, costly=True)
    for _ in range(4):
        call = line.queue.take()
        assert call is not None
        costs = 2 * COSTLY_SECONDS if "quick" in call.kind else 0.0
        line.queue.ended(call, costs)
    line.add("expected to be quick", CLEO)
    line.add("expected to be quick", CLEO)
    line.add("expected to be costly", CLEO, costly=True)
    line.add("expected to be costly", CLEO, costly=True)
    running = [line.queue.take() for _ in range(4)]
    kinds = [call.kind for call in running if call is not None]
    assert kinds == ["expected to be quick", *["expected to be costly"] * 2]


def test_ais_of_one_caller_are_loaded_one_at_a_time_beside_costly_questions() -> None:
    line = Line(most_costly=1)
    deep = line.add("deep", ADA, costly=True)
    loading = line.add("load", BOB, preparing=True)
    line.add("load", BOB, preparing=True)
    assert [line.queue.take() for _ in range(3)] == [deep, loading, None]


def test_the_server_itself_is_never_limited_by_what_it_has_asked() -> None:
    line = Line(most_costly=1)
    for _ in range(2):
        line.add("load", SERVER, preparing=True)
    assert len([line.queue.take(), line.queue.take()]) == 2
    assert line.queue.recent(SERVER) == []


def test_a_question_that_is_dropped_leaves_its_place() -> None:
    line = Line()
    first = line.add("deep", ADA, costly=True)
    waiting = line.add("deep", ADA, costly=True)
    assert line.queue.take() is first
    line.queue.remove(waiting)
    line.queue.dropped(first)
    line.add("deep", ADA, costly=True)
    assert line.order() == ["deep"]
