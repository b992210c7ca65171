"""Logs and messages are as they were recorded: databases and bots that exist depend on them.

The scenarios are in ``golden_tables``, and how to write the files anew.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from server import golden_tables
from server.golden_driver import FixedChance, Json
from server.golden_tables import GOLDEN, OLDER, RELEASED, SCENARIOS

MOST_LINES = 40
HEXADECIMAL = re.compile(r"[0-9a-f]{64}")


# --- comparing ----------------------------------------------------------------------------------
def differences(where: str, old: Any, new: Any) -> Iterator[str]:
    """List the differences, each with its place."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            place = f"{where}/{key}"
            if key not in new:
                yield f"{place}: is gone, was {text(old[key])}"
            elif key not in old:
                yield f"{place}: is new, {text(new[key])}"
            else:
                yield from differences(place, old[key], new[key])
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield f"{where}: {len(new)} entries, not {len(old)}"
        for number, (before, now) in enumerate(zip(old, new, strict=False)):
            found = list(differences(f"{where}[{number}]", before, now))
            yield from found
            if found and len(old) != len(new):  # all that follows is in another place
                return
    elif old != new or type(old) is not type(new):  # 1 is not 1.0 in JSON, nor true
        yield f"{where}: {text(new)}, not {text(old)}"


def text(value: Any) -> str:
    line = json.dumps(value, ensure_ascii=False)
    return line if len(line) < 200 else f"{line[:200]}..."


def compare(name: str, now: Json) -> None:
    told = list(differences("", golden_tables.read(name), now))
    if told:
        more = f"\n... and {len(told) - MOST_LINES} more" if len(told) > MOST_LINES else ""
        lines = "\n".join(told[:MOST_LINES])
        pytest.fail(f"{name} is not as recorded:\n{lines}{more}", pytrace=False)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_golden_table_is_as_it_was_recorded(name: str, tmp_path: Path) -> None:
    now = golden_tables.played(name, tmp_path)
    no_leaks(now)
    compare(name, golden_tables.shortened(now))


@pytest.mark.parametrize("changes", [(), (OLDER,)], ids=["released", "first version"])
def test_a_released_database_goes_on_as_it_was_recorded(
    changes: tuple[str, ...], tmp_path: Path
) -> None:
    now = golden_tables.shortened(golden_tables.resumed(tmp_path, *changes))
    assert {each["table"][0]["status"] for each in now["tables"].values()} == {"finished"}
    compare(RELEASED, now)


def test_golden_files_say_what_happened_and_are_not_large() -> None:
    files = list(GOLDEN.iterdir())
    assert {file.stem for file in files} == {*SCENARIOS, RELEASED}
    assert sum(file.stat().st_size for file in files) < 10**6
    for name in (*SCENARIOS, RELEASED):
        golden = golden_tables.read(name)
        assert golden_tables.unpacked(golden_tables.packed(golden)) == golden


# --- what nobody is told before it is due -------------------------------------------------------
def derived(key: bytes, label: str) -> bytes:
    return hmac.new(key, label.encode(), hashlib.sha256).digest()


@lru_cache(maxsize=256)
def secrets_of(secret: str) -> dict[str, tuple[str, int]]:
    """All that follows from a game's secret: what it is, and of which round."""
    found = {secret: ("secret", 0)}
    for number in range(1, 41):
        seed = derived(bytes.fromhex(secret), f"round {number}")
        found[seed.hex()] = ("round seed", number)
        for seat in range(6):
            found[derived(seed, f"seat {seat}").hex()] = ("seat key", number)
    return found


class Due:
    """The events of a table's log that may contain each of its secrets."""

    def __init__(self, rows: list[Json]) -> None:
        self._secrets: dict[str, tuple[int, str, int]] = {}
        self._events: dict[int, tuple[str, int, int]] = {}
        self._ends: dict[int, int] = {}
        """The event that ends each game; from then on its secret is the next game's anchor."""
        game = number = 0
        for row in rows:
            if row["kind"] == "anchor":
                self._take(row["data"], bytes.fromhex(row["hidden"]["secret"]))
            if row["kind"] == "end":
                self._ends[game] = row["n"]
            game = row["data"]["game"] if row["kind"] == "started" else game
            number = row["data"]["record"]["round"] if row["kind"] == "deal" else number
            self._events[row["n"]] = (row["kind"], game, number)

    def _take(self, anchor: Any, secret: bytes) -> None:
        """Note all secrets that an anchor commits to, of its last game first."""
        first = anchor["game"]
        for game in range(anchor.get("last", first), first - 1, -1):
            for found, what in secrets_of(secret.hex()).items():
                self._secrets[found] = (game, *what)
            secret = hashlib.sha256(secret).digest()

    def check(self, value: Any, n: int | None = None, last: int | None = None) -> None:
        """Assert that a value contains no secret too early.

        It is of event ``n``, or of a message that was sent after event ``last``; None: after all.
        """
        kind, game, number = self._events[n] if n is not None else ("", 0, 0)
        now = max(self._events) if last is None else last
        now = now if n is None else n
        for found in HEXADECIMAL.findall(json.dumps(value)):
            if found not in self._secrets:
                continue
            of_game, what, of_round = self._secrets[found]
            due = (what == "secret" and self._ends.get(of_game, now + 1) <= now) or (
                what == "seat key" and (kind, game, number) == ("result", of_game, of_round)
            )
            assert due, f"the {what} of game {of_game} is told in {value}"


def no_leaks(golden: Json) -> None:
    """Assert that secrets, keys and others' dice are sent to nobody before they are due."""
    due = {table: Due(each["rows"]) for table, each in golden["tables"].items()}
    keys = []
    for table, each in golden["tables"].items():
        for row in each["rows"]:
            due[table].check(row["data"], row["n"])
            if row["kind"] == "opened" and row["hidden"]:
                keys.append(row["hidden"]["key"])
        due[table].check({**each, "rows": None})
    for messages in golden["transcripts"].values():
        for message in messages:
            if "sent" not in message:
                no_leak(message, due, keys)


def own(message: Json, table: str) -> bool:
    """Return whether a message tells of a table, and of its last event."""
    return message.get("table") == table and message.get("n") is not None


def no_leak(message: Json, due: dict[str, Due], keys: list[str]) -> None:
    line = json.dumps(message)
    assert '"hidden"' not in line
    assert '"owner"' not in line
    assert message.get("type") == "challenge" or not any(key in line for key in keys)
    for table, each in due.items():
        each.check({**message, "events": None}, last=message["n"] if own(message, table) else 0)
    events, seat = message.get("events", []), (message.get("view") or {}).get("seat")
    for event in events:
        due[message["table"]].check(event, event["n"])
        if event["kind"] == "deal":
            assert [place for place, dice in enumerate(event["dice"]) if dice] in ([], [seat])


def test_secrets_that_are_told_too_early_are_found() -> None:
    golden = golden_tables.read("window_of_four")
    ((table, kept),) = golden["tables"].items()
    due = Due(kept["rows"])
    secret = next(row["hidden"]["secret"] for row in kept["rows"] if row["kind"] == "anchor")
    told = next(row["n"] for row in kept["rows"] if row["kind"] == "result")
    first = {what: found for found, what in secrets_of(secret).items() if what[1] < 2}
    due.check({"key": first["seat key", 1]}, told)
    for what, n in (("secret", told), ("round seed", told), ("seat key", told - 1)):
        with pytest.raises(AssertionError, match=what):
            due.check({"fair": first[what, 0 if what == "secret" else 1]}, n)
    dealt = {"n": 8, "kind": "deal", "dice": ["12", None]}
    with pytest.raises(AssertionError):
        no_leak(
            {"type": "events", "table": table, "events": [dealt], "view": {"seat": 1}},
            {table: due},
            [],
        )


def test_chance_is_the_same_in_every_run() -> None:
    first, again = FixedChance("name", "id"), FixedChance("name", "id")
    assert first.token_bytes(32) == again.token_bytes(32) != first.token_bytes(32)
    assert first.token_urlsafe(12) == "id-01"
    assert FixedChance("other", "id").token_bytes(32) != FixedChance("name", "id").token_bytes(32)
