"""How well a player is understood."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path

import pytest

from blindplay.hearing import voice_check
from blindplay.hearing.prompting import Booth
from blindplay.hearing.script import UtteranceKind
from blindplay.language import Part, languages, load
from blindplay.speech.synthesis import words_only
from tests import ROOT

from .player import GERMAN, Person, booth_of


def test_the_check_names_what_was_not_understood_and_the_microphone(
    say: Callable[[str], bytes], model: Path
) -> None:
    asked = voice_check.lines(GERMAN, seed=1, words=6, moves=2)
    person = Person(say, {one.words for one in asked})
    person.instead = {"bella": ["fünf"]}
    with booth_of(person) as booth:
        said = voice_check.record(booth, GERMAN, asked)
        result = voice_check.judged(GERMAN, [model], said)
        voice_check.tell(booth, GERMAN, said, result, None)
    assert (result.words, result.moves) == (6, 2)
    assert "bella" in result.missed and result.moves_wrong == 0
    told = " ".join(person.told)
    assert GERMAN.sentence("check_microphone_good") in told
    assert "bella" in told


class Words:
    """A loudspeaker: what is said is words, or refused."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def say(
        self, words: str | tuple[Part, ...], *, to: object, on_done: Callable[[object], None]
    ) -> None:
        parts = [(words, "")] if isinstance(words, str) else words
        self.said.append("".join(words_only(text) for text, _ in parts))
        self.languages = [language for _, language in parts]
        on_done(None)


def test_prompts_are_spoken_in_their_language_and_the_rest_in_the_players() -> None:
    english, speaker = load("en"), Words()
    asked = voice_check.lines(GERMAN, seed=1, words=1, moves=0)
    person = Person(lambda words: bytes(3200), {asked[0].words})
    result = voice_check.VoiceCheckResult(1, 1, 1, 1, 0, 0, ())
    with Booth(english, speaker, person, ["quit"], person) as booth:  # type: ignore[arg-type]
        voice_check.record(booth, GERMAN, asked)
        assert speaker.said[-1] == asked[0].words and speaker.languages == ["de"]
        voice_check.tell(booth, GERMAN, [], result, None)
    assert english.sentence("check_people") in speaker.said


@pytest.mark.parametrize("code", languages())
def test_the_check_says_which_model_to_take_and_what_people_can_expect(code: str) -> None:
    pack, speaker, out = load(code), Words(), io.StringIO()
    booth = Booth(pack, speaker, Person(bytes, set()), (), out)  # type: ignore[arg-type]
    result = voice_check.VoiceCheckResult(40, 20, 10, 5, 1, 0, ("anna",))
    for best in ("vosk-model-small-en-us-0.15", "vosk-model-cs-0.4"):
        voice_check.tell(booth, pack, [], result, best)
    assert pack.sentence("check_model", model="english") in speaker.said
    assert speaker.said.count(pack.sentence("check_people")) == 2
    told = out.getvalue().splitlines()
    assert f"blindplay models use english --language {code}" in told
    assert f"blindplay models use vosk-model-cs-0.4 --language {code}" in told
    assert pack.sentence("check_model", model="vosk-model-cs-0.4") in told


def test_the_check_has_forty_words_and_ten_moves() -> None:
    asked = voice_check.lines(GERMAN, seed=1)
    assert [one.what for one in asked] == [UtteranceKind.WORD] * 40 + [UtteranceKind.MOVE] * 10
    assert len({one.words for one in asked[:40]}) == 40


def test_another_model_is_named_only_if_it_is_clearly_better() -> None:
    def result(right: int, wrong: int = 0) -> voice_check.VoiceCheckResult:
        return voice_check.VoiceCheckResult(40, right, 10, 10 - wrong, 0, wrong, ())

    used = result(30)
    assert voice_check.better({"small": result(31), "big": result(38)}, used) == "big"
    assert voice_check.better({"small": result(31)}, used) is None
    assert voice_check.better({"big": result(40, wrong=1)}, used) is None
    assert voice_check.better({}, used) is None


def test_what_people_can_expect_is_said_by_the_check_as_in_the_model_card() -> None:
    for code in languages():
        card = (ROOT / "models" / code / "README.md").read_text("utf-8")
        for language in ("en", code):
            assert load(language).sentence("check_people") in " ".join(card.split())
