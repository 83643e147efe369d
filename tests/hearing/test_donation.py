"""A donation of one's voice, from the explanation to the archive."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks import corpus
from blindplay.commands import voice
from blindplay.hearing import donation, kept_recordings, voice_archive
from blindplay.hearing.kept_recordings import SpeakerRecording
from blindplay.hearing.script import ScriptLine, UtteranceKind, word_names
from blindplay.language import load
from blindplay.speech.audio import AudioError
from tests.command_line import run

from .player import GERMAN, Person, booth_of, line, typing

BLANKS = dict.fromkeys(("yes", "no", "end", "count", "code", "minutes"), "…")
Donate = Callable[..., tuple[str, Person]]
STATEMENT = GERMAN.sentence("donate_statement")


@pytest.fixture
def agreed() -> donation.UnfinishedDonation:
    return donation.begin("de", STATEMENT, b"\x00\x10" * 16_000, "ja")


def donor(say: Callable[[str], bytes], lines: list[ScriptLine]) -> Person:
    return Person(say, {STATEMENT, *(one.words for one in lines)})


@pytest.fixture
def donate(say: Callable[[str], bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Donate:
    """Runs the command for a donor who types these lines and has these things to say."""

    def donated(lines: list[ScriptLine], *typed: tuple[str, str]) -> tuple[str, Person]:
        person = donor(say, lines)
        keys = typing(person, *((GERMAN.sentence(key, **BLANKS)[:20], text) for key, text in typed))
        booth = lambda *given, **named: booth_of(person, typed=keys)  # noqa: E731
        monkeypatch.setattr(voice, "_booth", booth)
        monkeypatch.setattr(donation, "prompts", lambda pack, seed: lines)
        done = run("voice", "donate", "--language", "de", "--output", str(tmp_path))
        assert (done.status, done.stderr) == (0, "")
        return done.stdout, person

    return donated


@pytest.mark.parametrize(
    "code",
    ["nb", *(pytest.param(code, marks=pytest.mark.long) for code in ("da", "de", "en", "sv"))],
)
def test_what_a_donor_says_covers_the_table_in_every_language(code: str) -> None:
    pack = load(code)
    asked = donation.prompts(pack, 5)
    kinds = [one.what for one in asked]
    assert kinds.count(UtteranceKind.MOVE) == donation.MOVES
    assert kinds.count(UtteranceKind.TALK) == donation.TALK
    assert kinds.count(UtteranceKind.COMMAND) == donation.COMMANDS + donation.ANSWERS
    assert kinds.count(UtteranceKind.OPENED) == donation.OPENED
    said = {word for one in asked for word in one.tokens}
    assert not {name.lower() for names in word_names(pack) for name in names} - said
    # Some of each kind is among the first third, and it takes ten minutes.
    assert {*kinds[: len(kinds) // 3]} == {*kinds}
    assert 9 <= round(len(asked) * donation.SECONDS_EACH / 60) <= 11
    assert asked != donation.prompts(pack, 6)


def test_nothing_is_kept_of_a_donor_who_does_not_agree(
    donate: Donate,
) -> None:
    explained = [GERMAN.sentence(one) for one in donation.EXPLAINED]
    # Ending at once; typing something else than yes; typing nothing any more.
    for keys in ([("donate_what", "q")], [("donate_sign", "Anna")], []):
        _, person = donate([], *keys)
        assert person.told[-1] == GERMAN.sentence("donate_declined")
        assert person.told[0] == explained[0]
        assert not donation.folder().exists()
    assert person.asked == [STATEMENT] and person.told[:5] == explained


def test_a_consent_that_was_not_heard_is_asked_for_again_and_then_ends(
    say: Callable[[str], bytes],
) -> None:
    person = Person(say, {STATEMENT})
    person.instead = {STATEMENT: ["", "", ""]}
    with booth_of(person, "ja") as booth:
        assert donation.consent(booth) is None
    assert person.asked == [STATEMENT] * 3
    assert person.told[-1] == GERMAN.sentence("voice_microphone")


def test_each_recording_is_kept_before_the_next_prompt_and_the_rest_is_said_later(
    say: Callable[[str], bytes],
    agreed: donation.UnfinishedDonation,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = [line("Dame"), line("Turm"), line("Läufer")]
    monkeypatch.setattr(donation, "prompts", lambda pack, seed: lines)
    person = donor(say, lines)

    def lost(self: Person) -> None:
        if self.asked[-1] == "Läufer":
            raise AudioError("The microphone is gone.")
        speak()

    speak = person.discard
    with monkeypatch.context() as patched:
        patched.setattr(Person, "discard", lost)
        with booth_of(person) as booth, pytest.raises(AudioError):
            donation.record(booth, GERMAN, agreed, None)
    (again,) = donation.unfinished("de")
    assert again == agreed and [one.words for one in again.left(GERMAN)] == ["Läufer"]
    # The power failed while the index was written: what was cut off is asked for again.
    index = agreed.place / "index.jsonl"
    index.write_bytes(index.read_bytes()[:-9])
    assert [one.words for one in again.left(GERMAN)] == ["Turm", "Läufer"]
    person = donor(say, lines)
    with booth_of(person) as booth:
        assert donation.record(booth, GERMAN, again, None)
    assert person.asked == ["Turm", "Läufer"]
    kept = [one.words for one in kept_recordings.read(agreed.place)]
    assert kept == ["Dame", "Turm", "Läufer"] and again.left(GERMAN) == []
    assert not list(donation.unfinished("en"))


def test_somebody_else_begins_anew_and_the_other_donation_stays(
    donate: Donate, agreed: donation.UnfinishedDonation
) -> None:
    said = SpeakerRecording("Dame", line("Dame").fen, bytes(3200))
    kept_recordings.add(agreed.place, said, speaker=agreed.donation.speaker, language="de")
    _, person = donate(
        [line("Dame")], ("donate_resume", "nein"), ("donate_sign", "ja"), ("donate_begin", "q")
    )
    assert GERMAN.sentence("donate_resume", count="eins", yes="ja", no="nein") in person.told
    assert STATEMENT in person.asked
    assert len(list(donation.unfinished("de"))) == 2
    _, person = donate([line("Dame")], ("donate_resume", "q"))
    assert STATEMENT not in person.asked  # who ends here has begun nothing, and nothing is lost
    assert person.told[-1] == GERMAN.sentence("donate_saved")


def test_too_little_makes_no_archive_and_loses_nothing(donate: Donate, tmp_path: Path) -> None:
    _, person = donate([line("Dame"), line("Turm")], ("donate_sign", "ja"))
    assert person.told[-1] == GERMAN.sentence("donate_incomplete")
    assert not list(tmp_path.glob("*.zip"))
    (kept,) = donation.unfinished("de")
    assert len(kept_recordings.lines(kept.place)) == 2


@pytest.mark.long
def test_a_whole_donation_becomes_one_archive_that_can_be_measured(
    donate: Donate, tmp_path: Path
) -> None:
    lines = donation.prompts(GERMAN, 7)
    _, person = donate(
        lines, ("donate_sign", ""), ("donate_sign", "ja"), ("donate_code", ""), ("donate_code", "q")
    )
    (archive,) = tmp_path.glob("*.zip")
    assert GERMAN.sentence("donate_done") in person.told and not list(donation.unfinished("de"))
    held = voice_archive.read(archive)
    code = next(one for one in person.told if len(one) == 16)
    assert voice_archive.speaker_of(code) == held.donation.speaker
    assert [one.words for one in held.recordings.values()] == [one.words for one in lines]
    done = run("voice", "donate", "--check", str(archive), "--collect", str(tmp_path / "voices"))
    assert done.status == 0, done.stdout
    found = corpus.recordings(GERMAN, tmp_path / "voices", 100, 100, 1)
    assert len(found) == len(lines)
    assert {one.line for one in found} == set(lines)
