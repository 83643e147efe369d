"""Enrolment: what a player is asked to say, and what is learned."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from blindplay.hearing import enrolment, speaker_models
from blindplay.hearing.enrolment import Prompt, Score
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import lexicon, load
from blindplay.speech.audio import AudioError
from tests.command_line import run

from .player import GERMAN, Person, booth_of, keep, line, put, recording


def test_what_is_to_be_said_has_every_name_in_it_and_moves_apart_from_the_first_minute_on() -> None:
    asked = enrolment.prompts(GERMAN, seed=3)
    learning = [one for one in asked if not one.apart]
    said = " ".join(one.line.words for one in learning).lower().split()
    names = [name for square in range(8) for name in GERMAN.square(9 * square).lower().split()]
    assert not set(names) - set(said)
    assert len(learning) == enrolment.LEARNING + len(enrolment.COMMANDS)
    apart = {one.line.words for one in asked if one.apart}
    assert len(apart) == enrolment.JUDGING + len(enrolment.COMMANDS_APART)
    assert not apart & {one.line.words for one in learning}
    assert any(one.apart for one in asked[:6])
    assert asked == enrolment.prompts(GERMAN, seed=3)
    assert 3 <= round(len(asked) * enrolment.SECONDS_EACH / 60) <= 5


def test_what_is_too_soft_too_loud_or_something_else_is_asked_for_again(
    say: Callable[[str], bytes], model: Path
) -> None:
    words = [
        "Springer Gustav eins Felix drei",
        "Bauer Eva zwei Eva vier",
        "Dame David eins Hector fünf",
    ]
    asked = [Prompt(line(one), apart=False) for one in words]
    person = Person(say, set(words))
    person.instead = {words[1]: [words[2]], words[2]: ["", ""]}
    with booth_of(person) as booth:
        session = enrolment.EnrolmentSession()
        enrolment.record(booth, GERMAN, asked, open_recogniser(GERMAN, model), session)
    # The second was first something else; the third was silence twice.
    assert person.asked == [words[0], words[1], words[1], words[2], words[2], words[2]]
    assert [one.words for one in session.answers] == words
    assert person.told.count(GERMAN.sentence("enrol_again")) == 1
    assert person.told.count(GERMAN.sentence("nothing_heard")) == 2
    assert not session.ended


def test_a_microphone_that_hears_nothing_is_named_and_ends_it(say: Callable[[str], bytes]) -> None:
    words = [f"Turm Anna eins Anna {rank}" for rank in ("zwei", "drei", "vier", "fünf")]
    person = Person(say, set(words))
    person.loudness = 0.0
    with booth_of(person) as booth:
        session = enrolment.EnrolmentSession()
        asked = [Prompt(line(one), apart=False) for one in words]
        enrolment.record(booth, GERMAN, asked, None, session)
    assert session.ended and not session.answers and len(set(person.asked)) == 3
    assert person.told[-1] == GERMAN.sentence("voice_microphone")


def answer(prompt: Prompt, pcm: bytes) -> SpeakerRecording:
    return SpeakerRecording(prompt.line.words, prompt.line.fen, pcm, prompt.apart)


def answered(say: Callable[[str], bytes], prompts: list[Prompt]) -> list[SpeakerRecording]:
    return [answer(one, bytes(8000) + say(one.line.words) + bytes(16000)) for one in prompts]


def test_what_is_learned_is_kept_only_if_it_is_better_and_can_be_forgotten(
    say: Callable[[str], bytes], model: Path, home: Path
) -> None:
    prompts = enrolment.prompts(GERMAN, seed=1, learning=8, judging=4)
    answers = answered(say, prompts)
    done: list[float] = []
    learned = enrolment.learn(GERMAN, "Anna", [model], answers, progress=done.append)
    assert done == sorted(done) and done[-1] == 1 and len(done) > 10
    assert learned.before.of == learned.after.of == 4
    assert bool(learned.own) == learned.after.better_than(learned.before)
    own = speaker_models.models("Anna", "de", [model])
    assert (own != (model,)) == bool(learned.own)
    assert speaker_models.models("Bernd", "de", [model]) == (model,)
    if learned.own:  # it hears every word of the table that its base hears
        recogniser = open_recogniser(GERMAN, *own)
        assert not recogniser.unknown_words(lexicon("de").words)
    kept = keep(*answers)
    entries = [json.loads(text) for text in (kept / "index.jsonl").read_text().splitlines()]
    assert [one["words"] for one in entries] == [one.line.words for one in prompts]
    assert speaker_models.forget("Anna") and not speaker_models.forget("Anna")
    assert speaker_models.models("Anna", "de", [model]) == (model,)
    assert not [file for file in home.rglob("*") if file.is_file() and "player" in str(file)]


def test_what_was_recorded_is_learned_from_again_as_it_was_said(home: Path) -> None:
    prompts = enrolment.prompts(GERMAN, seed=1, learning=8, judging=4)
    noise = np.random.default_rng(1)
    answers = [answer(one, noise.integers(-9, 9, 4000).astype("<i2").tobytes()) for one in prompts]
    place = keep(*answers)
    again = enrolment.understood(GERMAN, speaker_models.kept("anna", "de"))
    assert [Prompt(line, one.apart) for line, one in again] == prompts
    assert [one for _, one in again] == answers
    assert speaker_models.kept("Anna", "en") == speaker_models.kept("Bernd", "de") == []
    # What cannot be read, or is understood no more, is passed over; the rest is learned from.
    (place / "002.wav").unlink()
    with (place / "index.jsonl").open("a", encoding="utf-8") as index:
        index.write('{"file": "001.wav", "words": "abrakadabra"}\n{"words": \n5\n')
    again = enrolment.understood(GERMAN, speaker_models.kept("Anna", "de"))
    assert [one for _, one in again] == [answers[0], *answers[2:]]


class EndedError(Exception):
    """Learning was ended."""


def test_learning_is_ended_at_once_and_changes_nothing(
    say: Callable[[str], bytes], model: Path, home: Path
) -> None:
    prompts = enrolment.prompts(GERMAN, seed=1, learning=8, judging=4)

    def end(done: float) -> None:
        if done > 0.1:
            raise EndedError

    with pytest.raises(EndedError):
        enrolment.learn(GERMAN, "Anna", [model], answered(say, prompts), progress=end)
    assert speaker_models.models("Anna", "de", [model]) == (model,)


def test_what_would_be_better_alone_is_not_kept_where_those_that_listen_are_not_better(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Two models; each alone would be better with what was learned of it, and of the two together
    # only the first is. What is heard is stood for by the models' names.
    first, second = (Path(shutil.copytree(model, tmp_path / name)) for name in ("1", "2"))
    tried = {first: Path(shutil.copytree(model, tmp_path / "1 learned")), second: second}
    monkeypatch.setattr(
        enrolment, "_tries",
        lambda pack, of, *_: [(tried[of], enrolment.OwnModel(of, ("dame",), trained=False))],
    )  # fmt: skip
    rights = {("1", "2"): 2, ("1 learned", "2"): 3}

    class NamesOnly:
        """A judge by the names of models."""

        def __init__(self, *_: object, built_in: bool) -> None: ...

        def hear(self, folder: Path, progress: object) -> str:
            return folder.name

        def score(self, heard: list[str]) -> Score:
            return Score(4, rights.get((heard[0], heard[1]), 0), 0, 2, 0, 0.0)

    monkeypatch.setattr(enrolment, "_Judge", NamesOnly)
    asked = enrolment.prompts(GERMAN, seed=1, learning=8, judging=4)
    answers = [answer(one, b"") for one in asked]
    learned = enrolment.learn(GERMAN, "Anna", [first, second], answers)
    assert (learned.before.right, learned.after.right) == (2, 3)
    assert [one.model for one in learned.own] == [first]
    own = speaker_models.models("Anna", "de", [first, second])
    assert own[0] != first and own[1] == second


def test_too_few_answers_teach_nothing(model: Path) -> None:
    with pytest.raises(enrolment.NotEnoughError, match="say at least half"):
        enrolment.learn(GERMAN, "Anna", [model], [])


def test_only_what_loses_nothing_is_better() -> None:
    def score(right: int = 10, asked: int = 1, commands: int = 5, wrong: int = 1,
              doubt: float = 0.0) -> Score:  # fmt: skip
        return Score(12, right, asked, commands, wrong, doubt)

    assert score(right=11).better_than(score())
    assert score(wrong=0).better_than(score())
    assert score(commands=6).better_than(score())
    assert score(doubt=-1.0).better_than(score())
    assert not score(doubt=-0.4).better_than(score())
    assert not score().better_than(score())
    # A command that is not understood any more, or one wrong move, is not price for anything.
    assert not score(right=12, commands=4, doubt=-9.0).better_than(score())
    assert not score(right=12, wrong=2, doubt=-9.0).better_than(score())
    assert not score(right=9, wrong=0).better_than(score())


def test_what_was_learned_before_stays_when_nothing_better_comes(
    model: Path, monkeypatch: pytest.MonkeyPatch, say: Callable[[str], bytes]
) -> None:
    own = put(model)
    monkeypatch.setattr(enrolment._Judge, "score", lambda *_: Score(4, 4, 0, 2, 0, -9.0))
    prompts = enrolment.prompts(GERMAN, seed=2, learning=8, judging=4)
    assert not enrolment.learn(GERMAN, "Anna", [model], answered(say, prompts)).own
    assert speaker_models.models("Anna", "de", [model]) == (own,)


def test_the_command_keeps_what_is_said_although_the_microphone_is_lost(
    say: Callable[[str], bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    from blindplay.commands import voice

    words = ["Springer Gustav eins Felix drei", "Bauer Eva zwei Eva vier"]
    person = Person(say, set(words))

    def lost(self: Person) -> None:
        if self.asked[-1] == words[1]:
            raise AudioError("The microphone is gone.")
        speak()

    speak = person.discard
    monkeypatch.setattr(Person, "discard", lost)
    monkeypatch.setattr(voice, "_booth", lambda *given, **named: booth_of(person))
    monkeypatch.setattr(
        enrolment, "prompts", lambda pack, seed: [Prompt(line(one), apart=False) for one in words]
    )
    done = run("voice", "enrol", "Anna")
    assert (done.status, done.stderr) == (2, "The microphone is gone.\n")
    assert [one.words for one in speaker_models.kept("Anna", "de")] == words[:1]
    assert str(speaker_models.recordings("Anna", "de")) in done.stdout


def test_learning_again_without_recordings_says_what_to_do() -> None:
    done = run("voice", "learn", "Anna", "--announce-in", "en", "--silent")
    assert done.status == 2 and "There are no recordings of Anna" in done.stderr
    assert str(speaker_models.recordings("Anna", "en")) in done.stderr
    assert done.stdout.strip() == load("en").sentence("enrol_nothing")


def test_learning_again_from_too_little_says_so_and_changes_nothing() -> None:
    keep(recording("ja"))
    done = run("voice", "learn", "Anna", "--silent", reader="de")
    assert done.status == 2 and "Nur 1 Antworten" in done.stderr
    assert done.stdout.splitlines() == [
        GERMAN.sentence("enrol_working"), GERMAN.sentence("enrol_not_enough"),
    ]  # fmt: skip
