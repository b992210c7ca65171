"""The games of a tournament on disk: Parquet files in a directory, written and read by DuckDB.

A row is a game: its ``block``, ``deal`` and ``rotation``, its ``rounds``, the ``agents`` and their
``scores`` by seat, and the ``winner``, which is a seat counted from 1 (``agents[winner]`` in SQL)
or NULL if a win was shared.

A file is written under a temporary name, synced to the disk and then renamed, so there are only
complete files, with whole blocks. A directory belongs to one tournament, and to one run at a time.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from perudo.games.errors import PerudoError
from perudo.lab.tournament.summaries import TestData, TournamentData

IDENTITY, SUMMARY, LOCK = "tournament.json", "summary.json", "lock"
PART, UNFINISHED = "games-*.parquet", ".unfinished"

Whole = npt.NDArray[np.int64]


@dataclass
class Games:
    """Finished games, one row each."""

    block: Whole
    deal: Whole
    """The number of the deal in its block."""
    rotation: Whole
    """The number of seats that all agents have moved on."""
    rounds: Whole
    lineup: Whole
    """The index of the agent in each seat: (games, players)."""
    scores: npt.NDArray[np.float64]
    """The payoff of each seat: (games, players)."""

    def __len__(self) -> int:
        return len(self.block)

    @staticmethod
    def none(players: int) -> Games:
        """Return an empty set of games."""
        empty = np.zeros(0, np.int64)
        rows = np.zeros((0, players), np.int64)
        return Games(empty, empty, empty, empty, rows, rows.astype(np.float64))

    @staticmethod
    def joined(parts: Sequence[Games]) -> Games:
        """Return the games of all parts."""
        columns = [column.name for column in fields(Games)]
        return Games(*(np.concatenate([getattr(part, name) for part in parts]) for name in columns))

    @property
    def shares(self) -> npt.NDArray[np.float64]:
        """Shares of the win by seat: 1 for the only winner, equal parts for joint winners."""
        best = self.scores == self.scores.max(axis=1, keepdims=True, initial=-np.inf)
        shares: npt.NDArray[np.float64] = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        return shares

    def in_order(self) -> Games:
        """Return the games sorted by block, deal and rotation."""
        return self.chosen(np.lexsort((self.rotation, self.deal, self.block)))

    def up_to(self, block: int) -> Games:
        """Return the games of the blocks before this one."""
        return self.chosen(self.block < block)

    def chosen(self, rows: npt.NDArray[Any]) -> Games:
        """Return the games of some rows."""
        return Games(*(getattr(self, column.name)[rows] for column in fields(self)))


@dataclass(frozen=True)
class Identity:
    """Everything that the games of a tournament depend on."""

    agents: list[str]
    players: int
    seed: int
    game: str
    rules: str
    series: int
    teams: bool
    code: str
    """A hash of the sources."""


class Store:
    """The directory of a tournament; use it in a ``with`` statement."""

    def __init__(self, directory: Path, identity: Identity) -> None:
        try:
            import duckdb
        except ImportError:
            raise PerudoError("tournaments need DuckDB: pip install 'perudo[lab]'") from None
        self.directory = directory
        self._names, self._players = identity.agents, identity.players
        self._database_error = duckdb.Error
        try:
            directory.mkdir(parents=True, exist_ok=True)
            self._lock = open(directory / LOCK, "w")  # noqa: SIM115  # held until the end
        except OSError as error:
            reason = error.strerror or str(error)
            raise PerudoError(f"cannot store a tournament in {directory}: {reason}") from None
        try:
            self._take(identity)
            self._connection = duckdb.connect()
            self._saved = self._read()
        except BaseException:
            self._lock.close()
            raise
        self._unsaved: list[Games] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._connection.close()
        self._lock.close()

    def blocks(self) -> set[int]:
        """Return the numbers of the blocks that have been played."""
        return set(self.games().block.tolist())

    def games(self) -> Games:
        """Return all games, in order."""
        return Games.joined([self._saved, *self._unsaved]).in_order()

    def add(self, games: Games) -> None:
        """Add whole blocks; ``save`` writes them to the disk."""
        self._unsaved.append(games)

    def save(self) -> None:
        """Write the games added since the last call to a new file."""
        if not self._unsaved:
            return
        fresh = Games.joined(self._unsaved)
        number = 1 + max([_number(path) for path in self.directory.glob(PART)], default=0)
        path = self.directory / PART.replace("*", f"{number:06}")
        self._write_part(path.with_suffix(UNFINISHED), fresh)
        _settle(path.with_suffix(UNFINISHED), path)
        self._saved = Games.joined([self._saved, fresh])
        self._unsaved = []

    def write_summary(self, data: TournamentData | TestData) -> None:
        """Write the results beside the games."""
        _write(self.directory / SUMMARY, json.dumps(data, indent=1))

    # --- files ----------------------------------------------------------------------------------
    def _take(self, identity: Identity) -> None:
        """Claim the directory for this tournament, or check that it belongs to it."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise PerudoError(f"another run is using {self.directory}") from None
        file = self.directory / IDENTITY
        if file.exists():
            _compare(self.directory, _read_identity(file), identity)
        elif any(path.name != LOCK for path in self.directory.iterdir()):
            raise PerudoError(f"{self.directory} contains other files than a tournament's")
        else:
            _write(file, json.dumps(asdict(identity), indent=1))
        for path in self.directory.glob(f"*{UNFINISHED}"):
            path.unlink()

    def _write_part(self, path: Path, games: Games) -> None:
        columns: dict[str, npt.NDArray[Any]] = {
            name: getattr(games, name) for name in ("block", "deal", "rotation", "rounds")
        }
        columns["winner"] = np.where(games.shares.max(axis=1) == 1, games.shares.argmax(axis=1), -1)
        for seat in range(self._players):
            columns[f"lineup{seat}"] = np.ascontiguousarray(games.lineup[:, seat])
            columns[f"score{seat}"] = np.ascontiguousarray(games.scores[:, seat])
        lineup, scores = (
            ", ".join(f"{name}{seat}" for seat in range(self._players))
            for name in ("lineup", "score")
        )
        self._connection.register("fresh", columns)
        relation = self._connection.sql(
            "SELECT block, deal, rotation, rounds, "
            f"list_transform([{lineup}], lambda agent: $names[agent + 1]) AS agents, "
            "CASE WHEN winner >= 0 THEN winner + 1 END AS winner, "
            f"[{scores}] AS scores FROM fresh",
            params={"names": self._names},
        )
        relation.write_parquet(str(path), compression="zstd")
        self._connection.unregister("fresh")

    def _read(self) -> Games:
        parts = sorted(str(path) for path in self.directory.glob(PART))
        if not parts:
            return Games.none(self._players)
        seats = range(1, self._players + 1)
        lineup = ", ".join(
            f"list_position($names, agents[{seat}]) - 1 AS s{seat}" for seat in seats
        )
        scores = ", ".join(f"scores[{seat}] AS p{seat}" for seat in seats)
        try:
            columns = self._connection.execute(
                f"SELECT block, deal, rotation, rounds, {lineup}, {scores} "
                "FROM read_parquet($parts)",
                {"names": self._names, "parts": parts},
            ).fetchnumpy()
        except self._database_error as error:
            reason = " ".join(str(error).split())
            raise PerudoError(f"cannot read the games in {self.directory}: {reason}") from None
        games = Games(
            block=columns["block"],
            deal=columns["deal"],
            rotation=columns["rotation"],
            rounds=columns["rounds"],
            lineup=np.stack([columns[f"s{seat}"] for seat in seats], axis=1).astype(np.int64),
            scores=np.stack([columns[f"p{seat}"] for seat in seats], axis=1),
        )
        keys = np.stack([games.block, games.deal, games.rotation], axis=1)
        if len(np.unique(keys, axis=0)) != len(games):
            raise PerudoError(f"{self.directory} contains some games twice")
        return games


def _number(path: Path) -> int:
    return int(path.stem.rpartition("-")[2])


def _settle(unfinished: Path, place: Path) -> None:
    """Sync a file to the disk and rename it, atomically."""
    _bring_to_disk(unfinished)
    os.replace(unfinished, place)
    _bring_to_disk(place.parent)


def _bring_to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write(path: Path, text: str) -> None:
    unfinished = path.with_suffix(UNFINISHED)
    unfinished.write_text(text + "\n", encoding="utf-8")
    _settle(unfinished, path)


def _read_identity(path: Path) -> Identity:
    try:
        return Identity(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise PerudoError(f"cannot read {path}") from None


def _compare(directory: Path, there: Identity, asked: Identity) -> None:
    """Raise an error with the first difference if a directory holds another tournament."""
    for name, wanted in asdict(asked).items():
        kept = getattr(there, name)
        if kept != wanted:
            difference = f"{name} {_text(kept)}, not {_text(wanted)}"
            if name == "code":
                difference = "a different version of perudo, or of an agent's file"
            raise PerudoError(
                f"{directory} holds another tournament: {difference}; choose another --out"
            )


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
