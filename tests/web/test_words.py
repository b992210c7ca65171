"""The catalogues: the same keys everywhere, and every key that the page uses."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import pytest

from perudo.games.perudo.bidding import REFUSALS
from perudo.games.perudo.rules import OPTIONS, PRESETS, option_values
from perudo.server.history.reviews import REVIEW_FAILED, REVIEW_LATE
from perudo.server.wire.client_messages import PHRASES, REACTIONS

WEB = Path(__file__).resolve().parents[2] / "src" / "perudo" / "web"
LANGUAGES = {path.stem: json.loads(path.read_text("utf-8")) for path in WEB.glob("lang/*.json")}
SCRIPTS = "".join(path.read_text("utf-8") for path in sorted(WEB.rglob("*.js")))


def holes(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def test_every_language_can_be_chosen_and_has_the_same_keys() -> None:
    words = (WEB / "js" / "words.js").read_text("utf-8")
    chosen = re.search(r"LANGUAGES = \{(.*)\}", words)
    assert chosen is not None
    assert set(re.findall(r"(\w+):", chosen[1])) == set(LANGUAGES)
    for catalogue in LANGUAGES.values():
        assert list(catalogue) == list(LANGUAGES["en"])


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_translations_fill_in_the_same_words(language: str) -> None:
    for key, text in LANGUAGES["en"].items():
        assert holes(LANGUAGES[language][key]) - {"count"} == holes(text) - {"count"}, key
        assert LANGUAGES[language][key].strip(), key


def test_every_key_that_the_page_names_is_there() -> None:
    known = set(LANGUAGES["en"])
    stems = {key.rsplit(".", 1)[0] for key in known}
    named = set(re.findall(r'\bt\("([\w.]+)"', SCRIPTS))
    assert len(named) > 150
    assert not {key for key in named if key not in known and key not in stems}


def test_what_the_service_names_has_words() -> None:
    known = LANGUAGES["en"]
    for preset in PRESETS:
        assert f"preset.{preset}" in known
        assert f"preset.{preset}.summary" in known
    for option in ("wild", "ace_rank", "palafico", "raise_rule", "loss", "calza_who"):
        assert option in OPTIONS
        for value in option_values(option):
            assert f"rule.{option}.{value}" in known
    assert all(f"phrase.{phrase}" in known for phrase in PHRASES)
    assert all(f"reaction.{place}" in known for place in range(len(REACTIONS)))
    for reaction in REACTIONS:
        assert reaction in SCRIPTS


REFUSING = ("Refused", "ProtocolError", "_refuse", "_error")
"""Names that are called to refuse something."""


def _called(node: ast.Call) -> str:
    return str(getattr(node.func, "id", getattr(node.func, "attr", "")))


def error_codes() -> set[str]:
    """Every code with which the service refuses something, found where it is written."""
    source = WEB.parent
    codes = {"refused", "not_your_turn", REVIEW_LATE, REVIEW_FAILED, *REFUSALS[1:]}
    for path in [*source.glob("server/**/*.py"), source / "protocol.py"]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and _called(node) in REFUSING:
                first = 1 if _called(node) == "Refused" else None  # its third is a limit's name
                texts = [each.value for each in node.args[:first] if isinstance(each, ast.Constant)]
                codes |= {text for text in texts if isinstance(text, str) and text.isidentifier()}
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "_CODES":
                codes |= set(ast.literal_eval(node.value).values())
    return codes


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_refusal_of_the_service_has_a_sentence(language: str) -> None:
    codes = error_codes()
    assert {"too_fast", "origin", "unreadable", "name_taken", "not_higher"} <= codes
    assert len(codes) > 70
    missing = {code for code in codes if f"error.{code}" not in LANGUAGES[language]}
    assert not missing


def test_no_key_is_left_over() -> None:
    """Keys made of parts are known by their beginnings."""
    made = set(re.findall(r"`([\w.]+\.)\$\{", SCRIPTS)) | {"you.", "they.", "told.", "keys."}
    left = [
        key
        for key in LANGUAGES["en"]
        if f'"{key}"' not in SCRIPTS
        and f'"{key.rsplit(".", 1)[0]}"' not in SCRIPTS
        and not key.startswith(tuple(made))
    ]
    assert not left


def test_nothing_of_the_page_comes_from_elsewhere() -> None:
    for path in [*WEB.rglob("*.js"), *WEB.rglob("*.css"), *WEB.rglob("*.html")]:
        text = path.read_text("utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|//[a-z]+\.", text), path


def test_nothing_needs_https() -> None:
    """Tables in a local network are served over plain http, where browsers have no such things."""
    assert not re.search(r"crypto\.subtle|serviceWorker|randomUUID", SCRIPTS)
