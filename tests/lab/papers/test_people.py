"""Stored records of games with people."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from perudo.agents import agent_named
from perudo.games.errors import PerudoError
from perudo.games.perudo import PERUDO, Rules
from perudo.lab.experiments.experiment import Conditions, Findings
from perudo.lab.papers import EXPERIMENTS
from perudo.lab.papers.people import PERSON, duels, read_records
from perudo.table import SeededDice, Table


def play(path: Path, rules: str, names: list[str], seed: int, moves: int = 10_000) -> Table:
    """A game in which the probabilistic agent plays the person's part."""
    table = Table(PERUDO, Rules.parse(rules), names, SeededDice(seed))
    players = [agent_named("probabilistic"), agent_named("l-dumb")]
    stream = np.array([seed], np.uint64)
    while table.actor is not None and moves:
        agent = players[table.actor]
        decision = agent.decide(table.observe(table.actor), agent.new_memory(), stream)
        table.act(table.actor, decision.action)
        moves -= 1
    table.record.save(path)
    return table


def reproduced(name: str, place: Path) -> Findings:
    (experiment,) = (one for one in EXPERIMENTS if one.id == name)
    return experiment.run(Conditions(records=place))


def test_games_with_a_person_are_counted(tmp_path: Path) -> None:
    tables = [
        play(tmp_path / f"{seed}.jsonl", "common", ["Ann", "l-dumb"], seed) for seed in range(6)
    ]
    play(tmp_path / "unfinished.jsonl", "common", ["Ann", "l-dumb"], 7, moves=3)
    play(tmp_path / "others.jsonl", "common", ["random (A)", "l-dumb (B)"], 8)
    records = read_records(tmp_path)
    assert len(records) == 7
    found = duels(records, lambda record: True, "l-dumb")
    person, robot = found[PERSON], found["l-dumb"]
    assert person.games == robot.games == 6
    wins = sum(table.record.events[-1]["payoffs"][0] > 0 for table in tables)
    assert (person.wins, robot.wins) == (wins, 6 - wins)
    settled = [
        event for table in tables for event in table.record.events if event["event"] == "result"
    ]
    assert person.calls + robot.calls == len(settled)  # a round ends by a call under these rules
    assert person.dice_left + robot.dice_left == 6 * 10 - len(settled)  # one die lost a round
    assert 0 < person.right_calls + robot.right_calls < len(settled)


def test_table_5_5_from_records(tmp_path: Path) -> None:
    for seed in range(3):
        play(tmp_path / f"{seed}.jsonl", "common", ["you", "l-dumb"], seed)
    findings = reproduced("5.5", tmp_path)
    assert findings.notes == ["3 records of such games were found."]
    assert {row.verdict for row in findings.rows} <= {"agrees", "differs", "cannot be compared"}
    assert findings.rows[1].value is not None
    assert findings.rows[1].reported == 45


def test_hands_against_robots_from_records(tmp_path: Path) -> None:
    for seed in range(3):
        play(tmp_path / f"{seed}.jsonl", "perudish2", ["you", "heuristic-max"], seed)
    play(tmp_path / "game.jsonl", "common", ["you", "heuristic-max"], 5)  # not a single hand
    against_max, against_random = reproduced("S3-h", tmp_path).rows
    assert against_max.value in (0, pytest.approx(100 / 3), pytest.approx(200 / 3), 100)
    assert against_random.why == "needs people"


@pytest.mark.parametrize("name, command", [("5.5", "--against l-dumb"), ("S3-h", "perudish2")])
def test_without_people_it_says_how(name: str, command: str) -> None:
    (experiment,) = (one for one in EXPERIMENTS if one.id == name)
    findings = experiment.run(Conditions())
    assert findings.verdict == "cannot be compared"
    assert {row.why for row in findings.rows} == {"needs people"}
    assert command in findings.notes[0]
    assert "--records" in findings.notes[0]


def test_what_is_wrong_with_records_is_said(tmp_path: Path) -> None:
    with pytest.raises(PerudoError, match="should be a directory"):
        read_records(tmp_path / "nowhere")
    (tmp_path / "bad.jsonl").write_text("nonsense\n")
    with pytest.raises(PerudoError, match=r"bad\.jsonl: line 1: not a whole line of JSON"):
        read_records(tmp_path)
