"""Records that another version wrote: an option less, an option more (docs/rules.md, part 12)."""

from __future__ import annotations

import json
from dataclasses import fields, make_dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import pytest

from cli.test_cli import perudo
from golden_options import record_lines
from perudo.games import games
from perudo.games.errors import PerudoError, RulesError
from perudo.games.king_up import KING_UP
from perudo.games.options import CHANGES_NOTHING
from perudo.games.perudo import PERUDO, PerudoGame, Rules
from perudo.record import MatchRecord, RecordError
from perudo.server.wire.table_options import TableOptions, stored_options
from playthrough import RECORDS

TEXTS = {path.stem: record_lines(path) for path in sorted(RECORDS.glob("*.jsonl"))}
OPTIONS = [
    (game.name, option.name) for game in games().values() for option in fields(game.setting_type)
]
LACKING = [
    (record, option)
    for record, lines in TEXTS.items()
    for option in json.loads(lines[0])["options"]
]

# Written out here once more: the game without the option.
BEFORE: dict[str, dict[str, Any]] = {
    "perudo": {
        **PERUDO.setting_options(Rules()),
        "max_players": 10,
        "ace_rank": "lowest",
        "ace_opening": "no",
        "palafico": "off",
        "calza": False,
        "enable_pass": False,
    },
    "king_up": KING_UP.setting_options(KING_UP.setting("thesis_match")),
    "rock_paper_scissors": {},
}

IMPOSSIBLE = {("perudo-1-openspiel", "max_players")}  # one round is for two


def with_header(lines: list[str], **change: Any) -> list[str]:
    header = json.loads(lines[0])
    return [json.dumps({**header, "options": {**header["options"], **change}}), *lines[1:]]


def without(lines: list[str], option: str) -> list[str]:
    header = json.loads(lines[0])
    del header["options"][option]
    return [json.dumps(header), *lines[1:]]


def test_every_option_of_the_games_is_here() -> None:
    assert {(game, option) for game, values in BEFORE.items() for option in values} == set(OPTIONS)


@pytest.mark.parametrize("record, option", LACKING)
def test_a_missing_option_has_its_declared_value(record: str, option: str) -> None:
    written = MatchRecord.parse(TEXTS[record])
    options = json.loads(without(TEXTS[record], option)[0])["options"]
    if (record, option) in IMPOSSIBLE:
        with pytest.raises(RulesError, match="single_round=yes needs max_players=2"):
            written.game.setting_from_options(options)
        return
    declared = BEFORE[written.game.name][option]
    expected = replace(written.setting, **{option: declared})
    assert written.game.setting_from_options(options) == expected


def played_as_declared(game: str, option: str) -> list[str]:
    """The records of games that had the option at that value."""
    headers = {name: json.loads(lines[0]) for name, lines in TEXTS.items()}
    return [
        name
        for name, header in headers.items()
        if header["game"] == game and header["options"][option] == BEFORE[game][option]
    ]


@pytest.mark.parametrize("game, option", OPTIONS)
def test_a_record_without_an_option_replays_to_the_same_bytes(
    game: str, option: str, tmp_path: Path
) -> None:
    """Of each option: games that were played as it is declared, read from a file without it."""
    names = played_as_declared(game, option)
    assert names
    for name in names:
        path = tmp_path / f"{name}.jsonl"
        path.write_text("\n".join(without(TEXTS[name], option)) + "\n", encoding="utf-8")
        record = MatchRecord.load(path)
        assert len(list(record.replay())) == len(TEXTS[name]) - 1
        assert list(record.lines()) == TEXTS[name]


@pytest.mark.parametrize("value", CHANGES_NOTHING)
@pytest.mark.parametrize("record", TEXTS)
def test_an_unknown_option_that_changes_nothing_is_passed_over(record: str, value: object) -> None:
    read = MatchRecord.parse(with_header(TEXTS[record], jokers=value))
    assert list(read.lines()) == TEXTS[record]


@pytest.mark.parametrize("value", [True, 1, -1, 0.5, "yes", "red", "", [], {}, [False]])
@pytest.mark.parametrize("record", TEXTS)
def test_an_unknown_option_that_may_change_the_game_is_refused(record: str, value: object) -> None:
    with pytest.raises(RecordError) as caught:
        MatchRecord.parse(with_header(TEXTS[record], jokers=value))
    assert str(caught.value) == (
        f"line 1: option 'jokers' is unknown to this version, and {value!r} may change the game"
    )


def test_a_known_option_at_an_unknown_value_is_refused() -> None:
    values: tuple[object, ...] = ("joker", None, 0, [], {})
    for value in values:
        with pytest.raises(RecordError, match=r"line 1: wild=.* is not possible; choose ones"):
            MatchRecord.parse(with_header(TEXTS["perudo-1-official"], wild=value))


def test_a_game_that_declares_nothing_needs_all_its_options() -> None:
    class Other(PerudoGame):
        setting_type: ClassVar[Any] = make_dataclass("Setting", [("stakes", int)], frozen=True)

    with pytest.raises(RulesError, match="option 'stakes' is missing"):
        Other().setting_from_options({})
    assert Other().setting_from_options({"stakes": 3, "jokers": False}).stakes == 3


def test_verify_reads_records_of_other_versions(tmp_path: Path) -> None:
    def verified(lines: list[str]) -> tuple[int, str, str]:
        path = tmp_path / "match.jsonl"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        done = perudo("verify", str(path))
        return done.returncode, done.stdout, done.stderr

    common, official = TEXTS["perudo-1-common"], TEXTS["perudo-1-official"]
    as_written = verified(common)
    assert as_written[0] == 0
    assert verified(without(common, "calza")) == as_written
    assert verified(with_header(common, jokers=False)) == as_written

    code, printed, told = verified(with_header(common, jokers="red"))
    assert (code, printed, told.count("\n")) == (2, "", 1)
    assert "line 1: option 'jokers' is unknown to this version, and 'red' may" in told

    # Calza was claimed here, so this is no record from before there was calza.
    code, printed, told = verified(without(official, "calza"))
    assert (code, printed, told.count("\n")) == (2, "", 1)
    assert "line 4: seat 3 acts" in told


@pytest.mark.parametrize("value", ["no", "off", "none", "0"])
def test_what_people_write_is_read_strictly(value: str) -> None:
    for text in (f"official:jokers={value}", f"common:dice=3,jokers={value}"):
        with pytest.raises(PerudoError, match="unknown rule option 'jokers'"):
            Rules.parse(text)
        stored = stored_options({"rules": text, "seats": [{"kind": "open"}] * 2})
        assert stored.parsed_rules() == Rules.parse(text.partition("jokers")[0])
    with pytest.raises(PerudoError, match="unknown option 'jokers'"):
        KING_UP.setting(f"thesis:jokers={value}")
    with pytest.raises(ValueError, match="jokers"):
        TableOptions.model_validate({"seats": [{"kind": "open"}] * 2, "jokers": False})


def test_options_of_a_stored_table() -> None:
    made = TableOptions.model_validate(
        {
            "rules": "uk:dice=3",
            "seats": [{"kind": "open"}, {"kind": "ai", "agent": "observer"}],
            "games": 3,
            "absence_seconds": 20,
        }
    )
    stored = made.model_dump(mode="json")
    assert stored_options(stored) == made
    for name, option in TableOptions.model_fields.items():
        if not option.is_required():
            less = {key: value for key, value in stored.items() if key != name}
            assert stored_options(less) == made.model_copy(update={name: option.default})
    seats = [{**seat, "handicap": 0} for seat in stored["seats"]]
    assert stored_options({**stored, "seats": seats, "jokers": None}) == made
    for more in (
        {"jokers": "red"},
        {"rules": "uk:jokers=red"},
        {"seats": [{"kind": "open", "jokers": "red"}] * 2},
    ):
        with pytest.raises(RulesError, match=r"option 'jokers' is unknown .* 'red' may change"):
            stored_options({**stored, **more})
