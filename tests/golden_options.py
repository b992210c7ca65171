"""Golden files as this version writes them: with the options that were added since.

An added option has the value that it declares for records from before it (docs/rules.md, 12.2), so
a new option changes no golden file.
"""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import Any

from perudo.games import games
from perudo.games.perudo import Rules


def with_new_options(options: dict[str, Any], setting_type: Any = Rules) -> dict[str, Any]:
    """Return options in the order of the setting, those that are missing at ``before``."""
    before = {option.name: option.metadata["before"] for option in fields(setting_type)}
    return before | options


def with_new_options_everywhere(value: Any) -> Any:
    """Return JSON with the new options in every set of rules in it, headers of records too."""
    if isinstance(value, str) and value.startswith('{"record":'):
        return header_line(value)
    if isinstance(value, list):
        return [with_new_options_everywhere(each) for each in value]
    if not isinstance(value, dict):
        return value
    if {"max_players", "start_mode"} <= value.keys():
        return with_new_options(value)
    return {key: with_new_options_everywhere(each) for key, each in value.items()}


def header_line(line: str) -> str:
    """Return the first line of a record with the new options."""
    header = json.loads(line)
    setting_type = games()[header["game"]].setting_type
    header["options"] = with_new_options(header["options"], setting_type)
    return json.dumps(header, separators=(",", ":"), ensure_ascii=False)


def record_lines(path: Path) -> list[str]:
    """Return the lines of a golden record with the new options."""
    first, *events = path.read_text(encoding="utf-8").splitlines()
    return [header_line(first), *events]
