"""Calling back into code that may fail."""

import logging

import pytest

from blindplay.speech.callbacks import call, call_all


def test_a_callback_that_fails_is_logged_and_stops_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[str] = []

    def fails(sentence: str) -> None:
        raise RuntimeError(sentence)

    with caplog.at_level(logging.ERROR):
        call_all([fails, told.append], "a sentence")
    assert told == ["a sentence"]
    assert "a callback failed" in caplog.text


def test_no_callback_is_no_call() -> None:
    call(None, "a sentence")
