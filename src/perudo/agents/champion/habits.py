"""What the champion knows: how players of several kinds play, and what standings are worth.

For each family of rules a table of models (``models.py``) and of match values (``standings.py``).
It ships with the package; ``perudo train champion`` makes it anew.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.models import NO_ROW, Index, Rows
from perudo.agents.champion.situation import SITUATIONS, SLOTS
from perudo.agents.champion.standings import SIZE
from perudo.games.perudo import Rules
from perudo.search.sealed import SealedFileError, seal, unseal

KIND, VERSION = "perudo habits", 1
FILE = "champion.habits"
MODELS = (
    "blueprint",
    "observer",
    "pomcp-pgt-ucb",
    "boros-bluff",
    "macleod",
    "l-dumb",
    "hmax-random",
    "champion",
)
"""The blueprint learnt by playing against itself, the others from watching these agents."""
FAMILIES = ("common", "official")
"""Rules with bids and dudo only, and rules with more. Others play by what is nearest."""
CHANCE_SCALE, WORTH_SCALE = 255, 65535
Counts = npt.NDArray[np.float32]


def family_of(rules: Rules) -> str:
    """Whose tables these rules are played with."""
    more = rules.calza or rules.enable_pass or rules.palafico != "off"
    return "official" if more else "common"


@dataclass(frozen=True)
class Family:
    """What is known of one family of rules."""

    situations: npt.NDArray[np.int32]
    """Those that have a row, in order."""
    rows: Rows
    """By row, model and slot."""
    worth: npt.NDArray[np.uint16]
    index: Index

    @staticmethod
    def of(situations: npt.NDArray[Any], rows: npt.NDArray[Any], worth: npt.NDArray[Any]) -> Family:
        """With an index of the rows."""
        index = np.full(SITUATIONS, NO_ROW, np.int64)
        index[situations] = np.arange(len(situations))
        return Family(
            situations.astype(np.int32),
            np.ascontiguousarray(rows, np.uint16),
            np.ascontiguousarray(worth, np.uint16),
            index,
        )

    @property
    def parameters(self) -> list[float]:
        """How many models there are, and where the arrays lie as long as this is kept."""
        models = self.rows.shape[1]
        index, rows = self.index.ctypes.data, self.rows.ctypes.data
        return [models, float(index), self.rows.size, float(rows), float(self.worth.ctypes.data)]


@dataclass(frozen=True)
class Habits:
    """All of it."""

    families: Mapping[str, Family]
    about: dict[str, Any]

    def to_bytes(self) -> bytes:
        """The content of a file."""
        parts: list[bytes] = []
        for family in self.families.values():
            parts += [family.situations.astype("<i4").tobytes()]
            parts += [family.rows.astype(np.uint8).tobytes(), family.worth.astype("<u2").tobytes()]
        sizes = {name: len(family.situations) for name, family in self.families.items()}
        about = {**self.about, "models": list(MODELS), "slots": SLOTS, "situations": SITUATIONS}
        return seal(KIND, VERSION, {**about, "families": sizes}, b"".join(parts))

    @staticmethod
    def from_bytes(content: bytes, name: str) -> Habits:
        """Read a file; one that is wrong or damaged is refused with the reason."""
        header, block = unseal(content, KIND, VERSION, name)
        sizes = dict(header.pop("families", {}))
        shape = (header.pop("models", None), header.pop("slots", 0), header.pop("situations", 0))
        per_row = 4 + len(MODELS) * SLOTS
        length = sum(count * per_row + 2 * SIZE for count in sizes.values())
        if shape != (list(MODELS), SLOTS, SITUATIONS) or length != len(block):
            raise SealedFileError(f"{name} was made for another version of the champion")
        families, begin = {}, 0
        for family, count in sizes.items():
            situations = np.frombuffer(block, "<i4", count, begin)
            begin += 4 * count
            rows = np.frombuffer(block, np.uint8, count * len(MODELS) * SLOTS, begin)
            begin += rows.size
            worth = np.frombuffer(block, "<u2", SIZE, begin)
            begin += 2 * SIZE
            families[family] = Family.of(situations, rows.reshape(count, len(MODELS), SLOTS), worth)
        return Habits(families, header)


@functools.cache
def shipped() -> Habits:
    """Those that come with the package."""
    content = files("perudo").joinpath("data", FILE).read_bytes()
    return Habits.from_bytes(content, FILE)


# --- making them --------------------------------------------------------------------------------
LEAST_SHARE = 0.01
"""Moves that the blueprint makes less often are left out."""
ENOUGH = 20.0
"""Decisions after which one kind of player weighs in full in what is usual."""
USUAL = 2.0
"""How many decisions what is usual counts for, where somebody was watched."""


def assemble(sums: Counts, watched: Mapping[str, Counts], worth: npt.NDArray[np.float64]) -> Family:
    """Make tables of what was learnt and watched; where little was seen, of what is usual.

    ``sums`` is the blueprint's average strategy, ``watched`` how often each agent did what; both by
    situation and slot.
    """
    met = sums.any(axis=1)
    for counts in watched.values():
        met = met | counts.any(axis=1)
    situations = np.flatnonzero(met)
    blueprint = _shares(sums[situations])
    blueprint[blueprint < LEAST_SHARE] = 0.0
    blueprint = _shares(blueprint)
    usual = 0.5 * blueprint
    for counts in watched.values():
        seen = counts[situations]
        usual = usual + _shares(seen) * np.minimum(seen.sum(axis=1, keepdims=True), ENOUGH)
    usual = _shares(usual)
    tables = [np.where(blueprint.any(axis=1, keepdims=True), blueprint, usual)]
    for name in MODELS[1:]:
        seen = watched[name][situations] if name in watched else np.zeros_like(usual)
        tables.append(_shares(seen + USUAL * usual))
    rows = np.stack(tables, axis=1)
    largest = rows.max(axis=2, keepdims=True)
    scaled = np.where(largest > 0, rows / np.where(largest > 0, largest, 1.0), 0.0)
    return Family.of(
        situations,
        (scaled * CHANCE_SCALE).round(),
        (np.clip(worth, 0.0, 1.0) * WORTH_SCALE).round(),
    )


def _shares(counts: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Each row divided by its sum; empty rows stay empty."""
    numbers = counts.astype(np.float64)
    totals = numbers.sum(axis=1, keepdims=True)
    return np.asarray(np.where(totals > 0, numbers / np.where(totals > 0, totals, 1.0), 0.0))
