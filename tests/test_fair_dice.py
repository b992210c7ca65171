"""Fair dice: a downloaded record can be checked by anybody, and what was changed is found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from typer.testing import CliRunner

from perudo.cli.app import app
from perudo.fair_dice import KeyedDraws, check_dice, derive
from perudo.games.errors import PerudoError
from perudo.games.hosting import hosting_of
from perudo.games.perudo import PERUDO, Rules
from perudo.games.perudo.game import Deal
from perudo.record import MatchRecord
from server.kit import play_out, settings_for, site
from server.rooms.test_tables import two_at_a_table

Lines = list[dict[str, Any]]


@pytest.fixture(scope="module")
def downloaded(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The record of a game between two people, as the service hands it out."""
    path = tmp_path_factory.mktemp("fair")

    async def main() -> str:
        async with site(settings_for(path)) as here:
            table, players, tokens = await two_at_a_table(here)
            early = await here.raw(tokens[0], "GET", f"/api/games/{table}.1/record")
            assert early.json()["code"] == "not_over"
            await play_out(players, table)
            answer = await here.raw(tokens[0], "GET", f"/api/games/{table}.1/record")
            assert "attachment" in answer.headers["content-disposition"]
            return answer.text

    return asyncio.run(main())


def verify(text: str, path: Path) -> Any:
    file = path / "record.jsonl"
    file.write_text(text)
    return CliRunner().invoke(app, ["verify", str(file)])


def test_a_downloaded_record_is_verified_by_the_command(downloaded: str, tmp_path: Path) -> None:
    result = verify(downloaded, tmp_path)
    assert result.exit_code == 0, result.output
    assert "follow from" in result.output


def lines_of(text: str) -> Lines:
    return [json.loads(line) for line in text.splitlines()]


def first(lines: Lines, kind: str) -> dict[str, Any]:
    return next(line for line in lines if line.get("event") == kind)


def other_secret(lines: Lines) -> None:
    lines[-1]["fair"]["secret"] = "00" * 32


def other_seed(lines: Lines) -> None:
    first(lines, "deal")["fair"]["seeds"] = ["", ""]


def other_lock(lines: Lines) -> None:
    first(lines, "deal")["fair"]["locks"][0] = "00" * 32


def other_commit(lines: Lines) -> None:
    first(lines, "deal")["fair"]["next"] = "00" * 32


def other_key(lines: Lines) -> None:
    first(lines, "result")["fair"]["keys"][0] = "00" * 32


def no_hexadecimal(lines: Lines) -> None:
    lines[-1]["fair"]["secret"] = "not hexadecimal"


def nothing_of_a_round(lines: Lines) -> None:
    del first(lines, "deal")["fair"]["locks"]


@pytest.mark.parametrize(
    "change",
    [
        other_secret,
        other_seed,
        other_lock,
        other_commit,
        other_key,
        no_hexadecimal,
        nothing_of_a_round,
    ],
)
def test_what_was_changed_is_found(
    change: Callable[[Lines], None], downloaded: str, tmp_path: Path
) -> None:
    lines = lines_of(downloaded)
    change(lines)
    text = "".join(json.dumps(line) + "\n" for line in lines)
    with pytest.raises(PerudoError, match="dice"):
        check_dice(MatchRecord.parse(text.splitlines()))
    assert verify(text, tmp_path).exit_code == 1


def dealt(keys: list[bytes], seeds: list[str], dice: int) -> list[str]:
    position = Rules.preset("common").with_options({"dice": str(dice)})
    start = PERUDO.start(position, len(keys), opener=0)
    draws = KeyedDraws(keys, b"", seeds)
    return cast(Deal, hosting_of("perudo").deal(start.record, draws))["dice"]  # type: ignore[return-value]


def test_faces_are_equally_likely() -> None:
    """60,000 dice; in a thousand such samples of fair dice one is further from even."""
    counts = [0] * 6
    for number in range(6_000):
        keys = [derive(b"a key", f"{number} {seat}") for seat in range(2)]
        for die in "".join(dealt(keys, ["ab", "cd"], 5)):
            counts[int(die) - 1] += 1
    assert sum(counts) == 60_000
    assert sum((count - 10_000) ** 2 / 10_000 for count in counts) < 20.5  # chi squared, 5 df


def test_every_players_seed_changes_everybodys_dice() -> None:
    keys = [derive(b"a key", f"seat {seat}") for seat in range(2)]
    choices = (["", ""], ["ab", ""], ["", "ab"], ["abab", ""])
    assert len({tuple(dealt(keys, seeds, 8)) for seeds in choices}) == 4
