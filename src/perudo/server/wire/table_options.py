"""What whoever makes a table chooses, checked when it comes in."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from perudo.games.errors import RulesError
from perudo.games.hosting import Hosting, hosting_of
from perudo.games.options import known_only
from perudo.games.perudo import PERUDO, Rules
from perudo.games.perudo.rules import OPTIONS, PRESETS

MAX_SEATS = 6
MAX_GAMES = 1000
NAME = r"^[^\x00-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$"
"""Names and words that people see: no control characters, nothing invisible."""


@lru_cache(maxsize=256)
def parsed(text: str) -> Rules:
    """Rules from their text."""
    return Rules.parse(text)


@lru_cache(maxsize=256)
def shortest(text: str) -> str:
    """Rules' text in its shortest form; finding it takes longer than a move."""
    return str(parsed(text))


@lru_cache(maxsize=256)
def options_of(text: str) -> dict[str, bool | int | str]:
    """Every option of rules by name."""
    return PERUDO.setting_options(parsed(text))


class Strict(BaseModel):
    """A part of a message: nothing unknown in it, nothing of another type."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class OpenSeat(Strict):
    """Whoever comes first."""

    kind: Literal["open"] = "open"


class InvitedSeat(Strict):
    """Somebody who has the key in the table's link (``invitations``)."""

    kind: Literal["invited"] = "invited"


class AiSeat(Strict):
    """A built-in AI, by level or by name with parameters."""

    kind: Literal["ai"] = "ai"
    agent: Annotated[str, Field(max_length=200)] | None = None
    level: Annotated[str, Field(max_length=32)] | None = None


SeatChoice = Annotated[OpenSeat | InvitedSeat | AiSeat, Field(discriminator="kind")]


class TableOptions(Strict):
    """A table as its creator wants it.

    An option with a default may be missing in a table's log: it is then what tables were before.
    """

    rules: Annotated[str, Field(max_length=1000)] = "official"
    """A preset, with options after a colon: ``uk:calza=no``."""
    seats: Annotated[list[SeatChoice], Field(min_length=2, max_length=MAX_SEATS)]
    private: bool = False
    """Only those who have the link find it; free text can be said there."""
    timer: Annotated[int, Field(ge=10, le=120)] | None = None
    """Seconds for each decision of a person or bot; at rated tables null means 120."""
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = 1
    rated: bool = False
    pace: Annotated[float, Field(ge=0, le=10)] | None = None
    """Seconds that AIs and bots wait at a table with a person; the server's if null."""
    calza_window: Annotated[float, Field(ge=0.5, le=15)] | None = None
    """Seconds in which a calza can be claimed after a bid; the server's if null."""
    absence: Literal["ai", "wait"] = "ai"
    """Whether an AI plays for somebody who is away, or everybody waits."""
    absence_seconds: Annotated[float, Field(ge=5, le=3600)] | None = None
    """After how long; the server's if null."""

    def parsed_rules(self) -> Rules:
        """The rules; raises if they cannot be played by so many."""
        rules = parsed(self.rules)
        if len(self.seats) > rules.max_players:
            raise RulesError(
                f"{len(self.seats)} players cannot play {rules}; at most {rules.max_players}"
            )
        return rules

    @property
    def hosting(self) -> Hosting:
        """The game that is played here."""
        return hosting_of(PERUDO.name)

    @property
    def preset(self) -> str | None:
        """The preset, if the rules are exactly one."""
        name = self.rules_text
        return name if name in PRESETS else None

    @property
    def rules_text(self) -> str:
        """The rules in their shortest form."""
        return shortest(self.rules)


def stored_options(stored: dict[str, Any]) -> TableOptions:
    """A table's options from its log, which another version may have written."""
    kept = known_only(stored, TableOptions.model_fields)
    kept["rules"] = _known_rules(kept.get("rules", "official"))
    kept["seats"] = [known_only(seat, _SEAT_FIELDS) for seat in kept["seats"]]
    return TableOptions.model_validate_json(json.dumps(kept))


_SEAT_FIELDS = AiSeat.model_fields
"""Every field that a seat can have."""


def _known_rules(text: str) -> str:
    """Rules' text without unknown options at values that change nothing."""
    preset, colon, changes = text.partition(":")
    pairs = [change.partition("=") for change in changes.split(",") if change]
    values = {name: value for name, _, value in pairs}
    # A number at which an option does nothing is written as text here.
    known_only({name: 0 if value == "0" else value for name, value in values.items()}, OPTIONS)
    kept = [f"{name}={value}" for name, value in values.items() if name in OPTIONS]
    return preset + colon + ",".join(kept)
