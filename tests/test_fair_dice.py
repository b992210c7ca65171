"""Fair dice: a downloaded record can be checked by anybody, and what was changed is found."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from perudo.cli.app import app
from perudo.fair_dice import (
    FairDice,
    KeyedDraws,
    UnfairDiceError,
    chain_to,
    check_dice,
    derive,
    games_between,
    sha,
)
from perudo.games.errors import PerudoError
from perudo.games.hosting import hosting_of
from perudo.games.perudo import PERUDO, Rules
from perudo.games.perudo.game import Deal
from perudo.games.perudo.rules import PRESETS
from perudo.record import MatchRecord
from perudo.table import Table
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


def verify(text: str, path: Path, *notes: str) -> Any:
    file = path / "record.jsonl"
    file.write_text(text)
    return CliRunner().invoke(app, ["verify", str(file), *notes])


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


# --- what a player noted ------------------------------------------------------------------------
LAST_SECRET = bytes(range(32))
SEEDS = ["aa" * 16, "bb" * 16, ""]
CHAIN = chain_to(LAST_SECRET, 3)
ANCHORS = [sha(secret) for secret in CHAIN]


def game(number: int, rules: str = "common:dice=1", **changes: Any) -> MatchRecord:
    """The record of a game of a series of three, as an honest server deals it."""
    given: dict[str, Any] = {"secret": CHAIN[number - 1], "seeds": SEEDS, "later": 3 - number}
    given |= changes
    dice = FairDice(given["secret"], given["seeds"], given["later"])
    table = Table(PERUDO, PERUDO.setting(rules), ["Ann", "Bob", "Cleo"], dice)
    while table.actor is not None:
        legal = [str(action) for action in table.state.legal_actions]
        calls = [action for action in legal if action in ("dudo", "doubt")]
        table.act(table.actor, (calls or legal)[0])
    return table.record


def told(*games: MatchRecord) -> str:
    return "".join(f"{line}\n" for each in games for line in each.lines())


def test_an_honest_series_fits_what_a_player_noted(tmp_path: Path) -> None:
    series = told(*(game(number) for number in (1, 2, 3)))
    notes = ("--anchor", ANCHORS[0].upper(), "--seed", SEEDS[0])
    for text in (series, told(game(1)), told(game(3)), told(game(1), game(3))):
        result = verify(text, tmp_path, *notes)
        assert result.exit_code == 0, result.output
        assert "the anchor that was noted commits to them" in result.output
        assert f"seat A (Ann) gave the noted seed {SEEDS[0]}" in result.output
        assert "1 other player gave a seed" in result.output
    both = ("--anchor", ",".join(ANCHORS[:2]), "--seed", f"{SEEDS[0]},{SEEDS[1]}", "--json")
    found = json.loads(verify(series, tmp_path, *both).output)
    assert [each["dice"]["anchor"] for each in found["games"]] == ANCHORS


NOTED = ("--anchor", ANCHORS[0], "--seed", SEEDS[0])
OTHER = bytes(32)
FRESH = ("--anchor", ",".join(ANCHORS), "--seed", SEEDS[0])


def without_fair(record: MatchRecord) -> MatchRecord:
    for event in record.events:
        cast(dict[str, Any], event).pop("fair", None)
    return record


def claiming(later: int) -> MatchRecord:
    return game(2, secret=OTHER, later=later)


@pytest.mark.parametrize(
    ("games", "notes", "problem"),
    [
        pytest.param([game(1, secret=OTHER)], NOTED, "from the anchor", id="secret drawn later"),
        pytest.param([game(1, seeds=["cc", *SEEDS[1:]])], NOTED, "seeds", id="seed swapped"),
        pytest.param([game(1), game(2, secret=OTHER)], (), "does not follow", id="second secret"),
        pytest.param([game(1), claiming(0)], (), "does not follow", id="a new chain"),
        pytest.param([game(1), claiming(2)], (), "does not follow", id="a longer chain"),
        pytest.param([game(2, secret=OTHER)], NOTED, "from the anchor", id="second game alone"),
        pytest.param([game(1), without_fair(game(2))], (), "lacks", id="no promise in game 2"),
        pytest.param([without_fair(game(1))], NOTED, "lacks", id="no promise at all"),
        pytest.param([game(1)], (*NOTED[:2], "--seed", "cc"), "seeds", id="another seed"),
        pytest.param([game(1)], FRESH, "no game was dealt", id="a game is left out"),
        pytest.param([game(1)], ("--anchor", "not hexadecimal"), "anchor", id="a mistyped anchor"),
    ],
)
def test_a_cheating_server_is_caught(
    games: list[MatchRecord], notes: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    result = verify(told(*games), tmp_path, *notes)
    assert result.exit_code == 1
    assert problem in result.output
    assert len(result.output.splitlines()) == 1


@pytest.mark.parametrize("preset", sorted(PRESETS))
def test_a_record_without_its_start_key_or_from_a_chosen_start_is_refused(preset: str) -> None:
    players = 2 if PRESETS[preset].rules.max_players == 2 else 3
    dice = FairDice(LAST_SECRET, SEEDS[:players])
    for mode in ("roll", "random", "fixed"):
        rules = PERUDO.setting(f"{preset}:start_mode={mode}")
        table = Table(PERUDO, rules, ["Ann", "Bob", "Cleo"][:players], dice)
        while table.actor is not None:
            legal = [str(action) for action in table.state.legal_actions]
            table.act(table.actor, "dudo" if "dudo" in legal else legal[-1])
        lines = [json.loads(line) for line in table.record.lines()]
        settled = next(n for n, line in enumerate(lines, 1) if line.get("event") == "result")
        del lines[1]["fair"]["start_key"]
        chosen = {name: value for name, value in lines[1].items() if name != "start_roll"}
        header = {**lines[0], "start": {"opener": chosen["opener"]}}
        for end in (2, settled, len(lines)):
            for changed in (lines[:2], [header, chosen]):
                text = map(json.dumps, [*changed, *lines[2:end]])
                record = MatchRecord.parse(text, unfinished=True)
                with pytest.raises(UnfairDiceError, match=r"start_key|does not follow|chosen"):
                    check_dice(record)


@given(last=st.binary(min_size=32, max_size=32), games=st.integers(1, 40), data=st.data())
def test_every_anchor_of_a_chain_commits_to_all_later_games(
    last: bytes, games: int, data: st.DataObject
) -> None:
    secrets = chain_to(last, games)
    assert (len(secrets), secrets[-1]) == (games, last)
    earlier = data.draw(st.integers(0, games - 1))
    later = data.draw(st.integers(earlier, games - 1))
    assert games_between(sha(secrets[earlier]), sha(secrets[later])) == later - earlier
    if earlier < later:
        assert sha(secrets[earlier + 1]) == secrets[earlier].hex()
        assert games_between(sha(secrets[later]), sha(secrets[earlier])) is None
