"""The language of the user: LC_ALL, LC_MESSAGES, LANG, then English."""

from __future__ import annotations

import sys

import pytest

from blindplay.commands.reader import user_language


@pytest.mark.parametrize(
    ("environment", "code"),
    [
        ({"LANG": "de_AT.UTF-8"}, "de"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": "en_GB.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LC_MESSAGES": "sv_SE"}, "sv"),
        ({"LANG": "de_DE.UTF-8", "LC_ALL": ""}, "de"),
        ({"LANG": "nn_NO.UTF-8"}, "nb"),
        ({"LANG": "no"}, "nb"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LC_ALL": "POSIX"}, "en"),
        ({"LANG": "fr_FR.UTF-8"}, "en"),
        ({"LANG": "../de"}, "en"),
    ],
)
def test_the_first_variable_that_is_set_names_the_language(
    environment: dict[str, str], code: str
) -> None:
    assert user_language(environment) == code


@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows its user's language.")
def test_without_any_variable_it_is_english() -> None:
    assert user_language({}) == "en"
