"""The champion's learnt knowledge: models of players and match values.

The file has, for each family of rules, the weights of a network (``player_models``) and a table of
match values (``match_worth``). It ships with the package; ``perudo train champion`` makes it.
"""

from __future__ import annotations

import functools
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

import numpy as np
import numpy.typing as npt

from perudo.agents.champion.features import MOVE_WIDTH, POSITION_WIDTH
from perudo.agents.champion.match_worth import SIZE
from perudo.agents.champion.player_models import HIDDEN_UNITS, MODELS, WEIGHT_COUNT
from perudo.games.perudo import Rules
from perudo.search.files.sealed import Format, Header, SealedFileError

FILE = "champion.habits"
FAMILIES = ("common", "official")
"""Families of rules: bids and dudo only, and more than that."""
WORTH_SCALE = 65535


class Shape(Header, total=False):
    """Sizes of the network to which the weights belong."""

    models: list[str]
    position: int
    move: int
    hidden: int


class HabitsHeader(Shape, total=False):
    """Header of the file, its first line."""

    families: list[str]


FORMAT = Format[HabitsHeader]("perudo habits", 2)
SHAPE: Shape = {
    "models": list(MODELS),
    "position": POSITION_WIDTH,
    "move": MOVE_WIDTH,
    "hidden": HIDDEN_UNITS,
}


def family_of(rules: Rules) -> str:
    """Return the family to which rules belong."""
    more = rules.calza or rules.enable_pass or rules.palafico != "off"
    return "official" if more else "common"


@dataclass(frozen=True)
class Family:
    """The weights and match values for one family of rules."""

    weights: npt.NDArray[np.float32]
    worth: npt.NDArray[np.float64]


@dataclass(frozen=True)
class Habits:
    """The knowledge for all families, as a file holds it."""

    families: Mapping[str, Family]
    about: Header

    def to_bytes(self) -> bytes:
        """Return the content of a file."""
        parts: list[bytes] = []
        for family in self.families.values():
            worth = (np.clip(family.worth, 0.0, 1.0) * WORTH_SCALE).round()
            parts += [family.weights.astype("<f4").tobytes(), worth.astype("<u2").tobytes()]
        header: HabitsHeader = {"families": list(self.families)}
        return FORMAT.seal(zlib.compress(b"".join(parts), 9), self.about, SHAPE, header)

    @staticmethod
    def from_bytes(content: bytes, name: str) -> Habits:
        """Read a file; one that is wrong or damaged is refused with the reason."""
        header, payload = FORMAT.unseal(content, name)
        block = zlib.decompress(payload)
        names = list(header.pop("families", []))
        shape: Shape = {
            "models": header.pop("models", []),
            "position": header.pop("position", 0),
            "move": header.pop("move", 0),
            "hidden": header.pop("hidden", 0),
        }
        if shape != SHAPE or len(block) != len(names) * (4 * WEIGHT_COUNT + 2 * SIZE):
            raise SealedFileError(f"{name} was made for another version of the champion")
        families, begin = {}, 0
        for family in names:
            weights = np.frombuffer(block, "<f4", WEIGHT_COUNT, begin)
            begin += 4 * WEIGHT_COUNT
            worth = np.frombuffer(block, "<u2", SIZE, begin) / float(WORTH_SCALE)
            begin += 2 * SIZE
            families[family] = Family(weights.astype(np.float32), np.ascontiguousarray(worth))
        return Habits(families, header)


def packaged(name: str) -> bytes:
    """Return the content of a data file of the package."""
    try:
        return files("perudo").joinpath("data", name).read_bytes()
    except OSError as error:
        raise SealedFileError(f"cannot read {name}: {error.strerror}") from None


@functools.cache
def shipped() -> Habits:
    """Return the knowledge that ships with the package."""
    return Habits.from_bytes(packaged(FILE), FILE)
