"""The typed words for ending, leaving out, going back and repeating."""

from __future__ import annotations

import pytest

from blindplay.language import Key, key_of, load, word_of

CODES = ("da", "de", "en", "nb", "sv")


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize(
    ("typed", "key"),
    [
        ("quit", Key.END),
        ("Q", Key.END),
        ("exit", Key.END),
        ("end", Key.END),
        ("skip", Key.SKIP),
        ("s", Key.SKIP),
        ("continue", Key.SKIP),
        ("back", Key.BACK),
        ("repeat", Key.REPEAT),
        ("", None),
        ("e4", None),
    ],
)
def test_the_english_words_are_known_everywhere(code: str, typed: str, key: Key | None) -> None:
    assert key_of(load(code), typed) is key


@pytest.mark.parametrize(
    ("code", "typed", "key"),
    [
        ("da", "afslut", Key.END),
        ("da", "slut", Key.END),
        ("de", "Beenden", Key.END),
        ("de", "ende", Key.END),
        ("nb", "avslutt", Key.END),
        ("nb", "slutt", Key.END),
        ("sv", "avsluta", Key.END),
        ("sv", "slut", Key.END),
        ("de", "weiter", Key.SKIP),
        ("de", "auslassen", Key.SKIP),
        ("nb", "hopp", Key.SKIP),
        ("de", "zurueck", Key.BACK),
        ("da", "tilbage", Key.BACK),
        ("sv", "tillbaka", Key.BACK),
        ("de", "noch einmal", Key.REPEAT),
        ("de", "slutt", None),
    ],
)
def test_each_language_has_its_own_words(code: str, typed: str, key: Key | None) -> None:
    assert key_of(load(code), typed) is key


@pytest.mark.parametrize("code", CODES)
@pytest.mark.parametrize("key", Key)
def test_the_word_that_a_table_names_is_understood(code: str, key: Key) -> None:
    pack = load(code)
    assert key_of(pack, word_of(pack, key)) is key
