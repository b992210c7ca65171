"""Games as people write them down: what the record writes is read back."""

from __future__ import annotations

import pytest

from perudo.games.chance import stream_of, uniform
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.table import SeededDice, Table
from perudo.transcript import parse_record


def played(rules: str, seed: int) -> Table:
    """A game in which everybody does anything."""
    table = Table(PERUDO, Rules.parse(rules), ["Ann", "B, the second", "Cy"], SeededDice(seed))
    luck = stream_of(seed)
    while not table.over:
        legal = list(table.legal_actions)
        doubts = [each for each in legal if str(each) in ("dudo", "doubt")]
        doubting = doubts and uniform(luck) < 0.4
        chosen = doubts[0] if doubting else legal[int(uniform(luck) * min(len(legal), 8))]
        table.act(table.actor, chosen)
    return table


@pytest.mark.parametrize("rules", ["official", "common:dice=3", "uk", "asmodee"])
@pytest.mark.parametrize("seed", range(3))
def test_a_transcript_is_read_back(rules: str, seed: int) -> None:
    record = played(rules, seed).record
    read = parse_record(record.transcript())
    assert read.transcript() == record.transcript()
    assert read.players == record.players
    assert read.setting == record.setting
    assert [e["event"] for e in read.events] == [e["event"] for e in record.events]


def test_a_record_is_read_too() -> None:
    record = played("common", 1).record
    assert list(parse_record("\n".join(record.lines())).lines()) == list(record.lines())


HEAD = "perudo, common:dice=1: A Ann, B Bob\n"


@pytest.mark.parametrize(
    "text, reason",
    [
        ("", "there is no record here"),
        ("chess", "line 1: the first line should be like"),
        ("perudo, unheard: A Ann, B Bob", "line 1: unknown rules 'unheard'"),
        ("perudo, common: A Ann, C Bob", "line 1: players should be named A, B, C"),
        ("king_up, standard: A Ann, B Bob", "line 1: "),
        (HEAD + "1. 3/4 A 1x3 B dud", "line 2: "),
        (HEAD + "1. 3/4", "line 2: this round has no actions"),
        (HEAD + "1. 33/4 A 1x3 B dudo", "line 2: "),
        (HEAD + "1. 3/4 A 1x3 A dudo", "line 2: A is not to act"),
        (HEAD + "1. 3/4 A 1x3 B 1x2", "line 2: 1x2 is not legal"),
        (HEAD + "1. 3/4 A 1x3", "the record stops before the match has ended"),
    ],
)
def test_what_is_wrong_is_said(text: str, reason: str) -> None:
    with pytest.raises(PerudoError) as error:
        parse_record(text)
    assert reason in str(error.value)
