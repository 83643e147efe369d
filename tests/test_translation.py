"""Messages in the reader's language: the catalogues are whole, and each message finds its own."""

from __future__ import annotations

import json
import re
import string
import tomllib
from functools import cache
from pathlib import Path

import pytest

from blindplay import translation
from blindplay.translation import MessageCatalogue, parts_of, translated, values_of
from tests.messages_in_source import HEADINGS, PACKAGE, messages

LANGUAGES = [code for code in translation.codes() if code != "en"]
NO_MESSAGES = {
    "Smart Chess",  # a Bluetooth name
    # What an engine says to the program that asks it, and commands of systems.
    "id name BlindPlay\noption name UCI_LimitStrength type check default false",
    "option name UCI_Elo type spin default {} min {} max {}",
    "option name UCI_Chess960 type check default false\nuciok",
    "info score {} pv {}\nbestmove {}", "mate {}", "cp {}",
    "sudo apt install stockfish", "brew install stockfish",
    # Headers of answers, and drawings.
    "default-src 'none'; style-src 'unsafe-inline'", 'inline; filename="game.pgn"',
    "default-src 'none'; style-src {}; frame-ancestors 'none'",
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{}">{}</svg>',
    '<view id="{}" viewBox="0 {} {} {}"/><g transform="translate(0 {})">{}</g>',
    "{} and {}", "{}, not {}", "{}s that are not shown: {}; --json shows them.",  # in longer ones
    "{} {}. Errors: {}; warnings: {}.", "can be used", "cannot be used yet", "of {}",
    "{} leads to", "there are: {};", "install it with: blindplay models install {} --language {}",
    ", or choose another with: blindplay models use --language {}", "{} is missing:",
    "{}, line {}", "{} ({} in {})", "{} speaks: {}",
    "Illegal character '\\n'", "Cannot overwrite", "Cannot declare", "Unclosed array",  # Python's
    "Expected '='", "Invalid value", "Invalid statement", "Expected newline", "exclusively lock",
    "Discard all samples",  # ALSA's
    "the receiver of board events failed on %s", "the line to %s was lost: %s",  # logs
    "the driver of the board at %s failed", "the USB ports could not be listed",
    "a callback for the broker's messages failed on %s",
    "closing a lost port failed", "A request failed.",
    "The broadcast failed.", "The push failed.",
    "Bearer {}", "text/plain; charset=utf-8", "id: {}\ndata: {}", "event: time\ndata: {}",  # HTTP
    "retry: {}\n\nevent: time\ndata: {}",
    "allow_anonymous true", "listener {} 127.0.0.1\nmax_queued_messages 100000",  # Mosquitto's
    "C:\\Program Files\\mosquitto", "sudo apt install mosquitto", "brew install mosquitto",
    "winget install EclipseFoundation.Mosquitto",
    '[broker]\nhost = "127.0.0.1"\nport = {}',  # the start of a file
    "user {}", "topic {} {}/{}/{}/{}", "Authority of {}", "Broker of {}",
    "# Start Mosquitto in this folder: mosquitto -c {}\nlistener {{port}}\ncertfile {}\nkeyfile {}"
    "\ntls_version tlsv1.2\nallow_anonymous false\npassword_file {}\nacl_file {}"
    "\nmax_queued_messages 100000\nmax_packet_size 1000000\npersistence false",
    "listener {{port}}\ncertfile {}\nkeyfile {}\ntls_version tlsv1.2\nallow_anonymous true"
    "\nacl_file {}\nmax_connections {}\nmax_packet_size 20000"
    "\nmax_queued_messages 500\nmax_queued_bytes 2000000\nmemory_limit 300000000"
    "\nmax_keepalive 60\nset_tcp_nodelay true\npersistence false",
    "topic write {}", "topic readwrite {}", "pattern read {}", "{} play --against wait@{}:{}",
    '# What everybody sees of the games, with blindplay hall serve --public or blindplay hall cast.'
    '\n[broadcast]\ndelay = "15m"\nnames = false\n# folder = "livechess"',
    "The hall. Give this file to nobody. Everybody who has it can decide at every table.",
    "Table {}. Give this file to this table only. Everybody who has it can act as this table.",
    "{} hall broker {}", "{} hall serve {} --host 0.0.0.0", "{} play --hall table-1.toml",
    "status {}", "read anew", "go back",  # Lichess's status in a message; names of steps
    "no position", "no gameFull", "variant {}", "no game", "no state", "another game",  # inner ones
    "Anna Anna", "BlindPlay, {}",
    "BlindPlay demonstration", "BlindPlay {}", "{} with the ranks of {}",  # names
    "{} play --resume --journal {}", "{} review {}", "{} play --hall {}",  # commands
    "blindplay models use {} --language {}",
}  # fmt: skip
"""Texts in the source that no reader meets, or that only begin or end a message."""


ENOUGH = 12
"""Letters of a template that no other message has by chance."""


def file_of(code: str) -> dict[str, dict[str, str]]:
    return tomllib.loads((PACKAGE / "translations" / f"{code}.toml").read_text("utf-8"))


def keys_of(code: str) -> dict[str, str]:
    return {key: own for part in file_of(code).values() for key, own in part.items()}


def says(key: str, template: str) -> bool:
    """Whether a key of a catalogue is this message, or it with some of its values filled in.

    A message about a field of a fact begins with the name of the field.
    """
    if key in (template, f"{{}} {template}"):
        return True
    parts = parts_of(template)
    return sum(map(len, parts)) >= ENOUGH and values_of(parts, _filled(key)) is not None


@cache
def _filled(key: str) -> str:
    return key.format(*["x"] * (len(parts_of(key)) - 1))


def test_every_message_of_the_source_is_in_the_catalogues() -> None:
    keys = keys_of("de")
    missing = {
        template: place
        for template, place in messages().items()
        if template not in NO_MESSAGES and not any(says(key, template) for key in keys)
    }
    assert not missing


def test_no_translation_is_left_of_a_message_that_is_gone() -> None:
    """The messages of click and of the system, and single words, are not in the source."""
    for name, section in file_of("de").items():
        if name not in ("click", "system", "words"):
            left = [key for key in section if not any(says(key, one) for one in messages())]
            assert not left, name


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_has_the_values_of_its_message(code: str) -> None:
    for template, own in keys_of(code).items():
        count = len(parts_of(template)) - 1
        fields = [field for _, field, _, _ in string.Formatter().parse(own) if field is not None]
        numbered = sorted(map(int, fields)) if any(fields) else list(range(len(fields)))
        assert numbered == list(range(count)), template
        assert own.strip() == own, template


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_translation_ends_and_is_typed_like_its_message(code: str) -> None:
    """Commands, options and values are not translated: people type them."""
    typed = re.compile(r"--[a-z][\w-]+|blindplay [a-z]+(?: [a-z]+\b)?")
    for template, own in keys_of(code).items():
        assert own[-1:] == template[-1:] or template[-1] not in ".?:", template
        options = {word for word in typed.findall(template) if word.startswith("--")}
        assert options == {word for word in typed.findall(own) if word.startswith("--")}, template


@pytest.mark.parametrize("code", LANGUAGES)
def test_all_catalogues_have_the_same_messages(code: str) -> None:
    parts, german = file_of(code), file_of("de")
    assert list(parts) == list(german)
    assert [list(part) for part in parts.values()] == [list(part) for part in german.values()]


@pytest.mark.parametrize("code", LANGUAGES)
def test_headings_of_the_help_are_translated(code: str) -> None:
    known = MessageCatalogue(keys_of(code))
    assert all(known.known(heading) for heading in HEADINGS)


# --- how a message finds its translation ----------------------------------------------------------

GERMAN = MessageCatalogue(
    {
        "There is no file {}; check the name.": "Es gibt keine Datei {}; prüfen Sie den Namen.",
        "There is no {} called {}.": "{1} heißt kein {0}.",
        "{} needs {}": "{} braucht {}",
        "{} was not installed: {}": "{} wurde nicht installiert: {}",
        "It is damaged.": "Es ist beschädigt.",
        "in use": "in Gebrauch",
        "audio output": "Tonausgabe",
        "an object {{a}} with {}": "ein Objekt {{a}} mit {}",
    }
)


@pytest.mark.parametrize(
    ("message", "own"),
    [
        ("It is damaged.", "Es ist beschädigt."),
        ("  It is damaged.", "  Es ist beschädigt."),
        ("There is no audio output called 'x'.", "'x' heißt kein Tonausgabe."),
        ("an object {a} with b", "ein Objekt {a} mit b"),
        ("m was not installed: It is damaged.", "m wurde nicht installiert: Es ist beschädigt."),
        ("It is damaged. It is damaged.", "Es ist beschädigt. Es ist beschädigt."),
        ("a/b.toml: It is damaged.", "a/b.toml: Es ist beschädigt."),
        ("small: in use, 40 MB", "small: in Gebrauch, 40 MB"),
        ("Somebody else wrote this.", "Somebody else wrote this."),
        ("", ""),
    ],
)
def test_a_message_is_translated_whole_or_in_its_parts(message: str, own: str) -> None:
    assert GERMAN.translated(message) == own


@pytest.mark.parametrize("given", ["in use", "'audio output'", "{}", "{0}", "what she needs now"])
def test_what_somebody_has_given_stays_as_it_is(given: str) -> None:
    quoted = given if given.startswith("'") or given != "in use" else "'in use'"
    own = GERMAN.translated(f"There is no file {quoted}; check the name.")
    assert own == f"Es gibt keine Datei {quoted}; prüfen Sie den Namen."


def test_a_long_text_is_no_work() -> None:
    long = "a, b; c: " * 100_000
    assert GERMAN.translated(long) == long


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


def test_a_reader_of_an_unknown_language_reads_english() -> None:
    assert translated("Stopped.", "fr") == "Stopped."
    assert translated("Stopped.", "de") == "Beendet."


def test_the_catalogues_are_part_of_the_package() -> None:
    wheel = tomllib.loads((PACKAGE.parent / "pyproject.toml").read_text("utf-8"))
    assert "exclude" not in json.dumps(wheel["tool"]["hatch"]["build"]["targets"]["wheel"])
    assert isinstance(translation.codes(), list) and Path(translation.__file__).parent == PACKAGE
