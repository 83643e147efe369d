"""Messages in the reader's language: the catalogues are whole, and what somebody gives stays."""

from __future__ import annotations

import ast
import json
import pickle
import re
import string
import sys
from pathlib import Path

import click
import pytest
from babel.messages.catalog import Catalog
from babel.messages.catalog import Message as Entry

from blindplay import translation
from blindplay.translation import (
    Message,
    _,
    _n,
    all_of,
    join_texts,
    one_of,
    packed,
    translated,
    unpacked,
)
from tests import ROOT

sys.path.insert(0, str(ROOT / "docs" / "development"))

import messages

LANGUAGES = [code for code in translation.codes() if code != "en"]


def catalogue_of(code: str) -> Catalog:
    return messages.read(messages.FOLDER / f"{code}.po")


def forms(entry: Entry) -> list[tuple[str, str]]:
    """Each form of a message with its translation."""
    if isinstance(entry.id, tuple):
        return list(zip(entry.id, entry.string or (), strict=True))
    return [(str(entry.id), str(entry.string))]


def pairs(code: str) -> list[tuple[str, str]]:
    return [pair for entry in catalogue_of(code) if entry.id for pair in forms(entry)]


def fields(text: str, like: str) -> set[str]:
    """The placeholders of a text, if the message ``like`` is one that has any."""
    if not re.search(r"\{\w+(![rs])?\}", like):
        return set()
    return {str(field) for _text, field, *_rest in string.Formatter().parse(text) if field}


# --- the catalogues -------------------------------------------------------------------------------


def test_there_are_catalogues_of_four_languages() -> None:
    assert LANGUAGES == ["da", "de", "nb", "sv"]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_catalogue_has_exactly_the_messages_of_the_source(code: str) -> None:
    """If this fails: make messages, then translate what is empty."""
    wanted = {entry.id for entry in messages.extracted() if entry.id}
    found = {entry.id for entry in catalogue_of(code) if entry.id}
    assert (wanted - found, found - wanted) == (set(), set())


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_message_is_translated_and_none_is_in_doubt(code: str) -> None:
    assert not [message for message, own in pairs(code) if not own]
    assert not [entry.id for entry in catalogue_of(code) if entry.id and entry.fuzzy]


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_has_the_values_of_its_message(code: str) -> None:
    for message, own in pairs(code):
        assert fields(message, message) == fields(own, message), message
        assert own.strip() == own, message


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_ends_and_is_typed_like_its_message(code: str) -> None:
    """Commands, options and values are not translated: people type them."""
    typed = re.compile(r"--[a-z][\w-]+|blindplay [a-z]+(?: [a-z]+\b)?")
    for message, own in pairs(code):
        assert own[-1:] == message[-1:] or message[-1] not in ".?:", message
        options = {word for word in typed.findall(message) if word.startswith("--")}
        assert options == {word for word in typed.findall(own) if word.startswith("--")}, message


def test_the_texts_of_click_are_those_of_the_installed_click() -> None:
    found = {
        node.value
        for path in Path(click.__file__).parent.glob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Constant)
    }
    for message in messages.OF_CLICK:
        assert found.issuperset([message] if isinstance(message, str) else message), message


def test_the_compiled_catalogues_are_those_of_the_source() -> None:
    for code in LANGUAGES:
        known = translation.catalogue(code)
        assert all(
            known.gettext(str(entry.id)) == entry.string
            for entry in catalogue_of(code)
            if entry.id and isinstance(entry.id, str)
        )


# --- messages -------------------------------------------------------------------------------------


def test_a_message_is_its_english_text_and_is_translated_where_it_leaves() -> None:
    told = _("There is no file {file}; check the name.", file="moves.txt")
    assert told == "There is no file moves.txt; check the name."
    assert translated(told, "de") == "Es gibt keine Datei moves.txt; prüfen Sie den Namen."
    assert translated(told, "fr") == translated(told, "en") == told


@pytest.mark.parametrize(
    "given", ["Stopped.", "in use", "No such file or directory", "Karl May instead of Bert"]
)
@pytest.mark.usefixtures("english_words")
def test_what_somebody_has_given_stays_as_it_is(given: str) -> None:
    assert translated(given, "de") == given
    told = _("There is no file {file}; check the name.", file=given)
    assert translated(told, "de") == f"Es gibt keine Datei {given}; prüfen Sie den Namen."


def test_braces_in_a_value_and_in_a_text_without_values_stay() -> None:
    assert _("There is no file {file}; check the name.", file="{0}{x}").count("{0}{x}") == 1
    assert _("an {odd} text") == "an {odd} text"
    assert translated(join_texts(" {} ", ("{a}", "{b}")), "de") == "{a} {} {b}"


def test_a_message_in_an_error_and_in_another_message_is_translated_too() -> None:
    error = ValueError(_("Stopped."))
    assert translated(str(error), "de") == "Beendet."
    outer = _("{error} Until then the guide is printed.", error=error)
    assert outer == "Stopped. Until then the guide is printed."
    assert translated(outer, "de").startswith("Beendet. ")
    assert translated(_("Stopped.") + " Karl in use", "de") == "Beendet. Karl in use"
    assert translated("in use: " + _("Stopped."), "de") == "in use: Beendet."


def test_lists_are_joined_in_the_readers_language() -> None:
    assert (all_of(["a"]), all_of(["a", "b", "c"])) == ("a", "a, b and c")
    assert translated(all_of(["a", "b", "c"]), "de") == "a, b und c"
    assert translated(one_of(["in use", _("Stopped.")]), "sv") == "in use eller Avslutat."
    assert join_texts(", ", []) == ""


@pytest.mark.parametrize(
    ("count", "own"), [(1, "nach 1 Zug"), (2, "nach 2 Zügen"), (0, "nach 0 Zügen")]
)
def test_a_number_chooses_the_form(count: int, own: str) -> None:
    told = _n("after {count} move", "after {count} moves", count)
    assert told == f"after {count} move{'' if count == 1 else 's'}"
    assert translated(told, "de") == own


def test_a_message_is_kept_as_its_english_text_and_copied_whole() -> None:
    told = _("{error} Until then the guide is printed.", error=_("Stopped."))
    assert json.loads(json.dumps({"text": told})) == {"text": str(told)}
    for copy in (pickle.loads(pickle.dumps(told)), unpacked(json.loads(json.dumps(packed(told))))):
        assert copy == told and isinstance(copy, Message)
        assert translated(copy, "de") == translated(told, "de")
    assert unpacked(packed("Stopped.")) == "Stopped."
    assert not isinstance(unpacked(packed("Stopped.")), Message)


@pytest.mark.parametrize(
    ("language", "code"),
    [
        ("de_AT.UTF-8", "de"),
        ("nn_NO", "nb"),
        ("no", "nb"),
        ("en_US", "en"),
        ("C", None),
        ("", None),
    ],
)
def test_a_language_is_known_by_any_of_its_names(language: str, code: str | None) -> None:
    assert translation.code_of(language) == code


def test_every_message_is_given_its_values() -> None:
    for path in messages.PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
                continue
            named = {one.arg for one in node.keywords}
            if node.func.id in messages.MARKS and named - {None}:
                forms = [one.value for one in node.args if isinstance(one, ast.Constant)]
                wanted = {
                    field
                    for form in forms
                    for _text, field, *_rest in string.Formatter().parse(str(form))
                    if field is not None
                }
                assert wanted - {"count"} == named - {"count"}, f"{path}, line {node.lineno}"
