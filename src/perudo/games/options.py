"""A game's options: declared as fields, checked, and converted to text, bytes and stored data.

A setting is a frozen dataclass whose fields are made by ``choice``, ``number`` and ``switch``. Text
from people is parsed strictly; stored data may come from another version (docs/rules.md, 12).
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar, Self, TypeVar

import numpy as np

from perudo.games.errors import RulesError, UnknownNameError

Value = bool | int | str
"""The value of an option."""
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""Any JSON value."""
Stored = TypeVar("Stored")

CHANGES_NOTHING: tuple[Any, ...] = (False, None, 0, "none", "off", "no")
"""The neutral values: an unknown option with one of these does not change the game.

Each new option must therefore use one of them to mean that it does nothing.
"""


# --- declaring options --------------------------------------------------------------------------
# ``before`` is an option's value in records that are older than the option: the value with which
# the game is what it was without it.


def choice(default: str, values: Iterable[str], *, before: str) -> Any:
    """Declare an option that is one of a few words."""
    return field(default=default, metadata={"values": tuple(values), "before": before})


def number(default: int, lowest: int, highest: int, *, before: int) -> Any:
    """Declare an option that is an integer."""
    values = tuple(range(lowest, highest + 1))
    return field(default=default, metadata={"values": values, "before": before})


def switch(default: bool, *, before: bool) -> Any:
    """Declare an option that is on or off."""
    return field(default=default, metadata={"values": (True, False), "before": before})


@dataclass(frozen=True, kw_only=True)
class Setting:
    """The options of a game, checked when constructed. The default preset is ``standard``."""

    noun: ClassVar[str] = "setting"

    def __post_init__(self) -> None:
        """Raise RulesError if an option has an impossible value."""
        for option in fields(self):
            value, values = getattr(self, option.name), option.metadata["values"]
            if type(value) is not type(values[0]) or value not in values:
                raise _wrong_value(option, value)

    @classmethod
    def presets(cls) -> Mapping[str, Self]:
        """Return the named settings; the first is the default."""
        return {"standard": cls()}

    @classmethod
    def preset(cls, name: str) -> Self:
        """Return the setting with this name."""
        presets = cls.presets()
        if name not in presets:
            raise UnknownNameError(f"unknown {cls.noun} {name!r}; there are: {', '.join(presets)}")
        return presets[name]

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse a preset, with options after a colon: ``official:calza=no,dice=3``."""
        name, _, options = text.partition(":")
        pairs = [option.partition("=") for option in options.split(",") if option]
        return cls.preset(name).with_options({key: value for key, _, value in pairs})

    def with_options(self, options: Mapping[str, str]) -> Self:
        """Return this setting with some options changed, their values given as text."""
        return replace(self, **{name: self.parse_option(name, options[name]) for name in options})

    @classmethod
    def parse_option(cls, name: str, text: str) -> Value:
        """Parse the value of an option; raise if there is no such option or value."""
        options = {option.name: option for option in fields(cls)}
        if name not in options:
            raise UnknownNameError(
                f"unknown option {name!r}; there are: {', '.join(options) or 'none'}"
            )
        for value in options[name].metadata["values"]:
            if format_value(value) == text:
                return value  # type: ignore[no-any-return]  # metadata has no types
        raise _wrong_value(options[name], text)

    def __str__(self) -> str:
        """Return the shortest text that ``parse`` reads back: a preset and differing options."""
        presets = self.presets()

        def differences(name: str) -> list[str]:
            return [
                f"{option.name}={format_value(value)}"
                for option in fields(self)
                if (value := getattr(self, option.name)) != getattr(presets[name], option.name)
            ]

        nearest = min(presets, key=lambda name: len(differences(name)))
        return ":".join(filter(None, [nearest, ",".join(differences(nearest))]))


SettingType = TypeVar("SettingType", bound=Setting)


def format_value(value: Value) -> str:
    """Format the value of an option as text."""
    return ("no", "yes")[value] if isinstance(value, bool) else str(value)


def option_texts(option: Field[Any]) -> tuple[str, ...]:
    """Return all values of an option, as text."""
    return tuple(map(format_value, option.metadata["values"]))


def _wrong_value(option: Field[Any], value: object) -> RulesError:
    *most, last = option_texts(option)
    is_number = type(option.metadata["values"][0]) is int
    possible = f"{most[0]} to {last}" if is_number else f"{', '.join(most)} or {last}"
    return RulesError(f"{option.name}={value!r} is not possible; choose {possible}")


# --- options in a game's record -----------------------------------------------------------------
def options_dtype(setting_type: type[Setting]) -> np.dtype[Any]:
    """Return the record type that holds every option of a setting in a byte."""
    return np.dtype((np.record, [(option.name, "i1") for option in fields(setting_type)]))


def write_options(record: Any, setting: Setting) -> None:
    """Write the options into a record; words become their index among the possible ones."""
    for option in fields(setting):
        value, values = getattr(setting, option.name), option.metadata["values"]
        record[option.name] = values.index(value) if isinstance(value, str) else int(value)


def read_options(record: Any, setting_type: type[SettingType]) -> SettingType:
    """Return the setting that a record holds."""
    options: dict[str, Value] = {}
    for option in fields(setting_type):
        values, byte = option.metadata["values"], int(record[option.name])
        is_word = isinstance(values[0], str)
        options[option.name] = values[byte] if is_word else type(values[0])(byte)
    return setting_type(**options)


# --- stored options -----------------------------------------------------------------------------
def known_only(options: Mapping[str, Stored], known: Container[str]) -> dict[str, Stored]:
    """Return the known options; raise RulesError if an unknown one may change the game."""
    for name, value in options.items():
        if name not in known and value not in CHANGES_NOTHING:
            raise RulesError(
                f"option {name!r} is unknown to this version, and {value!r} may change the game"
            )
    return {name: value for name, value in options.items() if name in known}


def complete(setting_type: Any, stored: Mapping[str, Json]) -> dict[str, Json]:
    """Return every option of a setting: the stored value, or ``before`` if none is stored.

    Raise RulesError if an option is missing whose field does not declare ``before``.
    """
    before = {option.name: option.metadata for option in fields(setting_type)}
    options = known_only(stored, before)
    for name, metadata in before.items():
        if name not in options and "before" not in metadata:
            raise RulesError(f"option {name!r} is missing")
        options.setdefault(name, metadata.get("before"))
    return options
