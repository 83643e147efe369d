"""A player alone with the table: what he is asked, what is learned, and what is kept of it.

The player is a voice of the machine that took no part in the training of the model; he says what
was printed last, through the same source and cutter as a person.
"""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import chess
import numpy as np
import platformdirs
import pytest

from blindplay.hearing import enrolment, speaker_models, speaker_preferences, voice_check
from blindplay.hearing.enrolment import Prompt, PromptAnswer, Score
from blindplay.hearing.evaluation import scoring
from blindplay.hearing.evaluation.corpus import ScriptLine, UtteranceKind
from blindplay.hearing.prompting import Booth, PromptKey, RecordingFault, Take
from blindplay.hearing.recognisers import open_recogniser
from blindplay.language import languages, lexicon, load
from blindplay.speech.audio import BLOCK_MS, RATE, AudioError, read_audio
from blindplay.speech.models.folders import adapted_folder, built_in
from blindplay.speech.synthesis import Synthesiser, words_only
from tests import ROOT
from tests.command_line import run

GERMAN = load("de")
_BLOCK = RATE * BLOCK_MS // 1000


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for kind in ("user_data_path", "user_config_path"):
        monkeypatch.setattr(platformdirs, kind, lambda *_, kind=kind, **__: tmp_path / kind)
    return tmp_path


@pytest.fixture(scope="module")
def model() -> Path:
    found = built_in("de")
    assert found is not None
    return found


@pytest.fixture(scope="module")
def say(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[[str], bytes]]:
    cache = tmp_path_factory.mktemp("voice")
    with Synthesiser("de", cache=cache, spellings=GERMAN.spoken) as synthesiser:
        yield lambda words: read_audio(synthesiser.render(words, voice="de+UniRobot"))


class Person(io.StringIO):
    """Says what was printed last as soon as the microphone listens; both its out and its source.

    ``loudness`` scales what is said; ``instead`` is what is said instead, once each."""

    def __init__(self, say: Callable[[str], bytes], phrases: set[str]) -> None:
        super().__init__()
        self.loudness = 1.0
        self.instead: dict[str, list[str]] = {}
        self.asked: list[str] = []
        self.told: list[str] = []
        self._say, self._phrases = say, phrases
        self._sound = b""
        self._room = np.random.default_rng(1)

    def write(self, text: str) -> int:
        if text in self._phrases:
            self.asked.append(text)
        elif text.strip():
            self.told.append(text)
        return len(text)

    def discard(self) -> None:
        words = self.asked[-1]
        others = self.instead.get(words)
        spoken = others.pop(0) if others else words
        sound = np.frombuffer(self._say(spoken) if spoken else b"", "<i2") * self.loudness
        pause = np.zeros(RATE)
        self._sound = np.concatenate([pause, sound, pause, pause]).clip(-32768, 32767).tobytes()
        self._sound = (
            np.frombuffer(self._sound, float) + self._room.normal(0, 5, len(self._sound) // 8)
        ).clip(-32768, 32767).astype("<i2").tobytes()  # fmt: skip

    def __iter__(self) -> Iterator[bytes]:  # type: ignore[override]
        while True:
            block, self._sound = self._sound[: 2 * _BLOCK], self._sound[2 * _BLOCK :]
            yield block if len(block) == 2 * _BLOCK else bytes(2 * _BLOCK)

    def reopen(self) -> bool:
        return False


def booth_of(person: Person, *keys: str) -> Booth:
    return Booth(GERMAN, None, person, keys, person)


def line(words: str, what: UtteranceKind = UtteranceKind.MOVE) -> ScriptLine:
    return ScriptLine(what, chess.STARTING_FEN, words)


def test_what_is_to_be_said_has_every_name_in_it_and_moves_apart_from_the_first_minute_on() -> None:
    asked = enrolment.prompts(GERMAN, seed=3)
    learning = [one for one in asked if not one.apart]
    said = " ".join(one.line.words or "" for one in learning).lower().split()
    names = [name for square in range(8) for name in GERMAN.square(9 * square).lower().split()]
    assert not set(names) - set(said)
    assert len(learning) == enrolment.LEARNING + len(enrolment.COMMANDS)
    apart = {one.line.words for one in asked if one.apart}
    assert len(apart) == enrolment.JUDGING + len(enrolment.COMMANDS_APART)
    assert not apart & {one.line.words for one in learning}
    assert any(one.apart for one in asked[:6])
    assert asked == enrolment.prompts(GERMAN, seed=3)
    assert enrolment.minutes(len(asked)) in (3, 4, 5)


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
    assert [one.prompt.line.words for one in session.answers] == words
    assert person.told.count(GERMAN.sentence("enrol_again")) == 1
    assert person.told.count(GERMAN.sentence("nothing_heard")) == 2
    assert not session.left_out and not session.ended


def test_a_microphone_that_hears_nothing_is_named_and_ends_it(say: Callable[[str], bytes]) -> None:
    words = [f"Turm Anna eins Anna {rank}" for rank in ("zwei", "drei", "vier", "fünf")]
    person = Person(say, set(words))
    person.loudness = 0.0
    with booth_of(person) as booth:
        session = enrolment.EnrolmentSession()
        asked = [Prompt(line(one), apart=False) for one in words]
        enrolment.record(booth, GERMAN, asked, None, session)
    assert session.ended and not session.answers and len(session.left_out) == 3
    assert person.told[-1] == GERMAN.sentence("voice_microphone")


@pytest.mark.parametrize(
    ("loudness", "fault"), [(0.005, RecordingFault.SOFT), (8.0, RecordingFault.LOUD)]
)
def test_a_bad_level_is_told(
    loudness: float, fault: RecordingFault, say: Callable[[str], bytes]
) -> None:
    person = Person(say, {"Dame"})
    person.loudness = loudness
    with booth_of(person) as booth:
        booth.say("Dame")
        take = booth.hear()
    assert isinstance(take, Take) and take.fault in (
        fault,
        RecordingFault.SILENCE if loudness < 1 else fault,
    )


def test_keys_repeat_leave_out_and_end(say: Callable[[str], bytes]) -> None:
    person = Person(say, {"Dame", "Turm"})
    with booth_of(person, "", "s", "q") as booth:
        booth.say("Dame")
        assert [booth.hear() for _ in range(3)] == [PromptKey.AGAIN, PromptKey.SKIP, PromptKey.QUIT]


def answered(say: Callable[[str], bytes], prompts: list[Prompt]) -> list[PromptAnswer]:
    return [
        PromptAnswer(
            one, Take(bytes(8000) + say(one.line.words or "") + bytes(16000), -20.0, -70.0)
        )
        for one in prompts
    ]


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
    kept = keep(*map(enrolment.recording, answers))
    entries = [json.loads(text) for text in (kept / "index.jsonl").read_text().splitlines()]
    assert [one["words"] for one in entries] == [one.line.words for one in prompts]
    assert speaker_models.forget("Anna") and not speaker_models.forget("Anna")
    assert speaker_models.models("Anna", "de", [model]) == (model,)
    assert not [file for file in home.rglob("*") if file.is_file() and "player" in str(file)]


def test_what_was_recorded_is_learned_from_again_as_it_was_said(home: Path) -> None:
    prompts = enrolment.prompts(GERMAN, seed=1, learning=8, judging=4)
    noise = np.random.default_rng(1)
    answers = [
        PromptAnswer(one, Take(noise.integers(-9, 9, 4000).astype("<i2").tobytes(), -20.0, -70.0))
        for one in prompts
    ]
    place = keep(*map(enrolment.recording, answers))
    again = enrolment.answered(GERMAN, speaker_models.kept("anna", "de"))
    assert [one.prompt for one in again] == prompts
    assert [one.said for one in again] == [one.said for one in answers]
    assert speaker_models.kept("Anna", "en") == speaker_models.kept("Bernd", "de") == []
    # What cannot be read, or is understood no more, is passed over; the rest is learned from.
    (place / "002.wav").unlink()
    with (place / "index.jsonl").open("a", encoding="utf-8") as index:
        index.write('{"file": "001.wav", "words": "abrakadabra"}\n{"words": \n5\n')
    again = enrolment.answered(GERMAN, speaker_models.kept("Anna", "de"))
    assert [one.prompt for one in again] == [prompts[0], *prompts[2:]]


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


def put(model: Path) -> Path:
    """Anna has a model of her own, like this one."""
    return speaker_models.install(
        "Anna", "de", model, lambda to: void(shutil.copytree(model, to)), {}
    )


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
    monkeypatch.setattr(enrolment, "_heard", lambda pack, folder, *_: [folder.name])
    monkeypatch.setattr(scoring, "together", " and ".join)
    rights = {"1 and 2": 2, "1 learned and 2": 3}
    monkeypatch.setattr(
        enrolment, "_score",
        lambda pack, decide, heard: Score(4, rights[next(iter(heard))], 0, 2, 0, 0.0),
    )  # fmt: skip
    answers = [
        PromptAnswer(one, Take(b"", -20.0, -70.0))
        for one in enrolment.prompts(GERMAN, seed=1, learning=8, judging=4)
    ]
    learned = enrolment.learn(GERMAN, "Anna", [first, second], answers)
    assert (learned.before.right, learned.after.right) == (2, 3)
    assert [one.model for one in learned.own] == [first]
    own = speaker_models.models("Anna", "de", [first, second])
    assert own[0] != first and own[1] == second


def recording(words: str) -> speaker_models.SpeakerRecording:
    return speaker_models.SpeakerRecording(words, None, bytes(3200))


def keep(*said: speaker_models.SpeakerRecording) -> Path:
    """What Anna says in an enrolment, and where it is."""
    with speaker_models.Keeper("Anna", "de") as keeper:
        for one in said:
            keeper.add(one)
    return speaker_models.recordings("Anna", "de")


def void(_: object) -> None:
    """What is not wanted of a function's answer."""


def test_a_players_model_is_not_used_when_its_base_has_become_another(
    model: Path, tmp_path: Path
) -> None:
    base = tmp_path / "base"
    shutil.copytree(model, base)
    put(base)
    assert speaker_models.models("Anna", "de", [base]) != (base,)
    with (base / "graph" / "words.txt").open("a", encoding="utf-8") as words:
        words.write("neu 9999\n")
    assert speaker_models.models("Anna", "de", [base]) == (base,)


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
    # A command that is not understood any more, or one wrong move, is no price for anything.
    assert not score(right=12, commands=4, doubt=-9.0).better_than(score())
    assert not score(right=12, wrong=2, doubt=-9.0).better_than(score())
    assert not score(right=9, wrong=0).better_than(score())


def test_what_was_learned_before_stays_when_nothing_better_comes(
    model: Path, monkeypatch: pytest.MonkeyPatch, say: Callable[[str], bytes]
) -> None:
    own = put(model)
    monkeypatch.setattr(enrolment, "_score", lambda *_: Score(4, 4, 0, 2, 0, -9.0))
    prompts = enrolment.prompts(GERMAN, seed=2, learning=8, judging=4)
    assert not enrolment.learn(GERMAN, "Anna", [model], answered(say, prompts)).own
    assert speaker_models.models("Anna", "de", [model]) == (own,)


def test_a_players_model_that_is_damaged_is_told_and_the_models_own_is_used(model: Path) -> None:
    own = put(model)
    graph = own / "graph" / "HCLr.fst"
    graph.write_bytes(graph.read_bytes()[:1000])
    told: list[str] = []
    assert speaker_models.models("Anna", "de", [model], told.append) == (model,)
    assert len(told) == 1 and "blindplay voice learn" in told[0]


def test_a_short_session_does_not_replace_a_long_one() -> None:
    keep(recording("dame"), recording("turm"))
    place = keep(recording("bauer"))
    assert len((place / "index.jsonl").read_text().splitlines()) == 2


def test_what_was_recorded_before_the_power_failed_is_learned_from() -> None:
    def words() -> list[str]:
        return [one.words for one in speaker_models.kept("Anna", "de")]

    cut_off = speaker_models.Keeper("Anna", "de")
    for said in ("dame", "turm"):
        cut_off.add(recording(said))
        (index,) = speaker_models.folder("Anna").rglob("index.jsonl")
        assert json.loads(index.read_text("utf-8").splitlines()[-1])["words"] == said
    with index.open("a", encoding="utf-8") as half:
        half.write('{"file": "003.w')
    assert words() == ["dame", "turm"]
    # What is cut off sooner replaces nothing, and nor does one that nothing came of.
    speaker_models.Keeper("Anna", "de").add(recording("bauer"))
    assert words() == ["dame", "turm"]
    keep()
    assert words() == ["dame", "turm"]
    keep(*map(recording, ("ja", "nein", "vier")))
    assert words() == ["ja", "nein", "vier"]


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


def test_the_check_names_what_was_not_understood_and_the_microphone(
    say: Callable[[str], bytes], model: Path
) -> None:
    asked = voice_check.lines(GERMAN, seed=1, words=6, moves=2)
    person = Person(say, {one.words or "" for one in asked})
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

    def say(self, words: str, *, to: object, on_done: Callable[[object], None]) -> None:
        self.said.append(words_only(words))
        on_done(None)


@pytest.mark.parametrize("code", languages())
def test_the_check_says_which_model_to_take_and_what_people_can_expect(code: str) -> None:
    pack, speaker, out = load(code), Words(), io.StringIO()
    booth = Booth(pack, speaker, Person(bytes, set()), (), out)  # type: ignore[arg-type]
    result = voice_check.VoiceCheckResult(40, 20, 10, 5, 1, 0, ("anna",))
    for best in ("vosk-model-small-en-us-0.15", "vosk-model-cs-0.4"):
        voice_check.tell(booth, pack, voice_check.CheckedSpeech(), result, best)
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
    for code in ("de", "en"):
        card = (ROOT / "models" / code / "README.md").read_text("utf-8")
        for language in ("en", code):
            assert load(language).sentence("check_people") in " ".join(card.split())


def test_forgetting_a_player_forgets_his_wishes_and_his_voice() -> None:
    keep(recording("dame"))
    speaker_preferences.learn("Anna", [("dame", "turm")])
    assert "Nothing is kept of Anna any more." in run("voice", "forget", "Anna").stdout
    assert speaker_preferences.habits("Anna").table == {}
    assert "Nothing is kept of Anna" in run("voice", "forget", "Anna").stderr


def test_learning_again_without_recordings_says_what_to_do() -> None:
    done = run("voice", "learn", "Anna", "--language", "en", "--silent")
    assert done.status == 2 and "There are no recordings of Anna" in done.stderr
    assert str(speaker_models.recordings("Anna", "en")) in done.stderr
    assert done.stdout.strip() == load("en").sentence("enrol_nothing")


def test_learning_again_from_too_little_says_so_and_changes_nothing() -> None:
    keep(recording("ja"))
    done = run("voice", "learn", "Anna", "--silent")
    assert done.status == 2 and "Only 1 answers" in done.stderr
    assert done.stdout.splitlines() == [
        GERMAN.sentence("enrol_working"), GERMAN.sentence("enrol_not_enough"),
    ]  # fmt: skip


def test_what_was_learned_for_a_model_goes_with_it_and_the_recordings_stay(
    model: Path,
) -> None:
    for name in ("other", "mine"):
        shutil.copytree(model, adapted_folder("de") / name)
        put(adapted_folder("de") / name)
    keep(recording("ja"))
    told = run("models", "remove", "mine").stdout
    assert "mine has been removed from de." in told
    assert "What it had learned of 1 voice" in told and "blindplay voice learn" in told
    other, mine = (adapted_folder("de") / name for name in ("other", "mine"))
    assert speaker_models.models("Anna", "de", [other]) != (other,)
    shutil.copytree(model, mine)
    lost: list[str] = []
    assert speaker_models.models("Anna", "de", [mine], lost.append) == (mine,) and not lost
    assert len(speaker_models.kept("Anna", "de")) == 1
