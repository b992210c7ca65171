"""Options of a new table, validated on input."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from perudo.games.errors import RulesError
from perudo.games.hosting import Hosting
from perudo.games.options import Setting, known_only
from perudo.server.hosted import HOSTING, parsed, shortest

MAX_SEATS = 6
MAX_GAMES = 1000
NAME = r"^[^\x00-\x1f\x7f\u0080-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]*$"
"""Pattern of visible names and text: no control characters, nothing invisible."""


class Strict(BaseModel):
    """Base of message parts; rejects unknown fields and other types."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )


class OpenSeat(Strict):
    """A seat for the first person or bot to take it."""

    kind: Literal["open"] = "open"


class InvitedSeat(Strict):
    """A seat for a person with the key in the table's link (``invitations``)."""

    kind: Literal["invited"] = "invited"


class AiSeat(Strict):
    """A built-in AI, by level or by name with parameters."""

    kind: Literal["ai"] = "ai"
    agent: Annotated[str, Field(max_length=200)] | None = None
    level: Annotated[str, Field(max_length=32)] | None = None


SeatChoice = Annotated[OpenSeat | InvitedSeat | AiSeat, Field(discriminator="kind")]


class TableOptions(Strict):
    """Options that the creator chooses for a table.

    Logs of older tables may lack an option with a default; the default is how they behaved.
    """

    rules: Annotated[str, Field(max_length=1000)] = "official"
    """A preset, with options after a colon: ``uk:calza=no``."""
    seats: Annotated[list[SeatChoice], Field(min_length=2, max_length=MAX_SEATS)]
    private: bool = False
    """Hide the table from everyone without its link, and allow free text."""
    timer: Annotated[int, Field(ge=10, le=120)] | None = None
    """Seconds for each decision of a person or bot; null means no limit, or 120 at rated tables."""
    games: Annotated[int, Field(ge=1, le=MAX_GAMES)] = 1
    rated: bool = False
    pace: Annotated[float, Field(ge=0, le=10)] | None = None
    """Seconds that AIs and bots wait at a table with a person; the server's default if null."""
    calza_window: Annotated[float, Field(ge=0.5, le=15)] | None = None
    """Seconds after a bid in which calza can be called; the server's default if null."""
    absence: Literal["ai", "wait"] = "ai"
    """Let an AI play for an absent player, or let everybody wait."""
    absence_seconds: Annotated[float, Field(ge=5, le=3600)] | None = None
    """Seconds of absence after which the AI plays; the server's default if null."""

    def parsed_rules(self) -> Setting:
        """Return the rules; raise if the table has too many seats for them."""
        rules = parsed(self.rules)
        most = HOSTING.max_players(rules)
        if len(self.seats) > most:
            raise RulesError(f"{len(self.seats)} players cannot play {rules}; at most {most}")
        return rules

    @property
    def hosting(self) -> Hosting:
        """The game that is played here."""
        return HOSTING

    @property
    def preset(self) -> str | None:
        """The preset's name if the rules are a preset, else None."""
        name = self.rules_text
        return name if name in HOSTING.game.presets else None

    @property
    def rules_text(self) -> str:
        """The text of the rules in its shortest form."""
        return shortest(self.rules)


def stored_options(stored: dict[str, Any]) -> TableOptions:
    """Read a table's options from its log, which another version may have written."""
    kept = known_only(stored, TableOptions.model_fields)
    kept["rules"] = _known_rules(kept.get("rules", "official"))
    kept["seats"] = [known_only(seat, _SEAT_FIELDS) for seat in kept["seats"]]
    return TableOptions.model_validate_json(json.dumps(kept))


_SEAT_FIELDS = AiSeat.model_fields
"""Every field that a seat can have."""


def _known_rules(text: str) -> str:
    """Return the text of rules without unknown options whose values change nothing."""
    preset, colon, changes = text.partition(":")
    pairs = [change.partition("=") for change in changes.split(",") if change]
    values = {name: value for name, _, value in pairs}
    # Numbers are text here; 0 may be the value at which an unknown option has no effect.
    known_only(
        {name: 0 if value == "0" else value for name, value in values.items()}, HOSTING.options
    )
    kept = [f"{name}={value}" for name, value in values.items() if name in HOSTING.options]
    return preset + colon + ",".join(kept)
