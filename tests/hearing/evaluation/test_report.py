"""What the benchmark of the voice rests on: noise as loud as it says, weights that are found."""

import json
import random
import shutil
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import chess
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from blindplay.hearing.decision import Verdict, decide
from blindplay.hearing.evaluation import (
    calibration,
    comparison,
    conditions,
    corpus,
    report,
    resources,
    scoring,
)
from blindplay.hearing.evaluation.conditions import Condition, Noise, Samples
from blindplay.hearing.evaluation.corpus import ScriptLine, UtteranceKind
from blindplay.hearing.evaluation.scoring import ScoredOutcome, ScoredUtterance
from blindplay.hearing.expectation import Expected
from blindplay.language import Kind, load
from blindplay.speech.audio import RATE, write_wav
from blindplay.speech.confidence import MeaningKind as Meant
from blindplay.speech.confidence import confidence_of, read
from blindplay.speech.models.folders import find_model
from blindplay.speech.recogniser import Hypothesis, Recognition
from blindplay.speech.synthesis import Synthesiser

PACK = load("de")
CONFIDENCE = confidence_of(find_model("de"))
START = chess.Board()
CLEAN = Condition(Noise.NONE)


def tone(seconds: float = 1.0) -> Samples:
    return np.asarray(8000 * np.sin(2 * np.pi * 300 * np.arange(int(RATE * seconds)) / RATE))


def hiss(seconds: float = 4.0) -> Samples:
    return np.random.default_rng(1).normal(0, 1000, int(RATE * seconds))


# --- conditions ----------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [Noise.BABBLE, Noise.PINK, Noise.HUM])
@pytest.mark.parametrize("snr", [20.0, 10.0, 5.0, -3.0])
def test_noise_is_as_many_decibels_below_the_voice_as_it_says(noise: Noise, snr: float) -> None:
    voice = tone() / 20  # far from full scale: nothing is turned down
    heard = conditions.apply(Condition(noise, snr), voice, hiss(), 1)
    added = np.mean((heard - voice) ** 2)
    assert 10 * np.log10(conditions.power(voice) / added) == pytest.approx(snr, abs=0.01)


def test_pauses_do_not_count_for_the_level_of_a_voice() -> None:
    paused = np.concatenate([np.zeros(RATE), tone(), np.zeros(RATE)])
    assert conditions.power(paused) == pytest.approx(conditions.power(tone()), rel=0.02)
    assert conditions.power(np.zeros(100)) == 0


@pytest.mark.parametrize("name", ["clean", "20", "10", "5", "hum", "room", "pink10", "babble-5"])
def test_a_condition_is_as_long_as_the_voice_never_too_loud_and_seeded(name: str) -> None:
    (condition,) = conditions.parse(name)
    heard = conditions.apply(condition, tone() * 4, hiss(), 3)
    assert len(heard) == len(tone())
    assert np.abs(heard).max() <= 32_767
    assert np.array_equal(heard, conditions.apply(condition, tone() * 4, hiss(), 3))
    assert conditions.parse(condition.name) == [condition]


def test_a_room_falls_by_sixty_decibels_in_its_time() -> None:
    click = np.zeros(2 * RATE)
    click[0] = 20_000.0
    heard = conditions.apply(Condition(Noise.ROOM), click, hiss(), 1)
    length = int(conditions.REVERBERATION_S * RATE)

    def level(first: int) -> float:
        return float(10 * np.log10(np.mean(heard[first : first + RATE // 20] ** 2)))

    early, late = RATE // 100, length - RATE // 20
    fall = 60 * (late - early) / length
    assert level(early) - level(late) == pytest.approx(fall, abs=2)
    assert not heard[length + 1 :].any() or level(length + RATE // 10) < level(late) - 60


@pytest.mark.parametrize("name", ["loud", "clean10", "room5", "pinkish", "10 dB"])
def test_a_condition_that_nobody_knows_is_told(name: str) -> None:
    with pytest.raises(ValueError, match="There is no condition"):
        conditions.parse(name)


# --- what is said --------------------------------------------------------------------------------


def test_what_is_said_is_what_it_is_counted_as() -> None:
    said = corpus.lines(PACK, 20, 20, random.Random(1))
    assert sum(line.what is UtteranceKind.MOVE for line in said) == 20
    for line in said:
        meant = PACK.understand(line.words or "", line.board)
        if line.what is UtteranceKind.MOVE:
            assert meant.move is not None and line.board.is_legal(meant.move), line
        elif line.what is UtteranceKind.ILLEGAL:
            assert meant.kind is Kind.ILLEGAL, line
        elif line.what is UtteranceKind.TALK:
            assert meant.kind in (Kind.UNCLEAR, Kind.NOTHING), line
        else:
            assert meant.command is not None and meant.opened is (
                line.what is UtteranceKind.OPENED
            ), line
    assert said == corpus.lines(PACK, 20, 20, random.Random(1))


def test_announcements_hold_every_kind_of_move_and_form() -> None:
    said = [corpus.announcement(PACK, random.Random(seed)) for seed in range(80)]
    words = " ".join(line.words or "" for line in said).lower()
    for word in ("rochade", "schlägt", "nach", "von"):
        assert word in words
    moves = [PACK.understand(line.words or "", line.board).move for line in said]
    assert any(
        move and line.board.is_en_passant(move) for line, move in zip(said, moves, strict=True)
    )


@pytest.mark.parametrize("code", ["en", "nb", "sv", "da"])
def test_every_language_has_lines_but_other_speech_only_where_it_was_written(code: str) -> None:
    pack = load(code)
    said = corpus.lines(pack, 8, 8, random.Random(1))
    assert sum(line.what is UtteranceKind.ILLEGAL for line in said) == 8
    for line in said:
        if line.what is UtteranceKind.MOVE:
            assert pack.understand(line.words or "", line.board).kind is Kind.MOVE


def test_recordings_are_what_their_list_says(tmp_path: Path) -> None:
    write_wav(tmp_path / "a.wav", tone(0.2).astype("<i2").tobytes())
    rows = [
        {"file": "a.wav", "speaker": "x", "words": "Springer Gustav eins Felix drei",
         "fen": chess.STARTING_FEN},
        {"file": "a.wav", "speaker": "y", "words": None},
        {"file": "a.wav", "words": "drei"},
        {"file": "a.wav", "words": "Turm Anna eins Anna fünf", "fen": chess.STARTING_FEN},
        {"file": "a.wav", "words": "Uhr"},
        {"file": "a.wav", "words": "guten Morgen"},
    ]  # fmt: skip
    index = tmp_path / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = corpus.recordings(PACK, tmp_path, 10, 10, 1)
    kinds = sorted(one.line.what.name for one in found)
    assert kinds == ["COMMAND", "ILLEGAL", "MOVE", "TALK", "TALK", "WORD"]
    assert len(corpus.recordings(PACK, tmp_path, 10, 1, 1)) == 5
    index.write_text("{}\n", "utf-8")
    with pytest.raises(ValueError, match=r"index.jsonl:1: needs"):
        corpus.recordings(PACK, tmp_path, 10, 10, 1)


# --- what comes of it ----------------------------------------------------------------------------


def heard(
    what: UtteranceKind, words: str, *alternatives: tuple[str, float], voice: str = "v"
) -> ScoredUtterance:
    line = ScriptLine(what, chess.STARTING_FEN, words)
    phrases = dict.fromkeys([*PACK.forms(START), *PACK.command_phrases()])
    others = frozenset(PACK.command_phrases())
    ranked = sorted((Hypothesis(*one) for one in alternatives), key=lambda one: -one.score)
    recognition = Recognition(tuple(ranked))
    return ScoredUtterance(
        line, voice, CLEAN, PACK.understand(words, START), Expected((START,), phrases, others),
        recognition, recognition, 2.0,
    )  # fmt: skip


def comes(one: ScoredUtterance) -> ScoredOutcome:
    return scoring.outcome(one, scoring.deciding(PACK, CONFIDENCE)(one), PACK)


KNIGHT = "springer gustav eins felix drei"


def test_what_comes_of_an_utterance_is_counted_by_what_was_said() -> None:
    assert comes(heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100))) is ScoredOutcome.RIGHT
    assert (
        comes(heard(UtteranceKind.MOVE, "bauer eva zwei eva drei", (KNIGHT, -100)))
        is ScoredOutcome.WRONG
    )
    assert (
        comes(heard(UtteranceKind.ILLEGAL, "turm anna eins anna fünf", (KNIGHT, -100)))
        is ScoredOutcome.WRONG
    )
    assert comes(heard(UtteranceKind.TALK, "guten morgen", (KNIGHT, -100))) is ScoredOutcome.WRONG
    assert comes(heard(UtteranceKind.TALK, "guten morgen")) is ScoredOutcome.REFUSED
    close = [("bauer eva zwei eva drei", -100.0), ("bauer eva zwei eva vier", -100.5)]
    assert (
        comes(heard(UtteranceKind.MOVE, "bauer eva zwei eva vier", *close)) is ScoredOutcome.ASKED
    )
    assert comes(heard(UtteranceKind.MOVE, "bauer eva zwei", *close)) is ScoredOutcome.IN_VAIN
    clock = heard(UtteranceKind.COMMAND, "wie viel zeit habe ich", ("wie viel zeit habe ich", -100))
    assert comes(clock) is ScoredOutcome.RIGHT
    assert (
        comes(replace(clock, line=replace(clock.line, what=UtteranceKind.TALK)))
        is ScoredOutcome.COMMAND
    )


def test_heard_freely_the_phrase_with_the_fewest_other_words_wins() -> None:
    assert (
        scoring.freely(heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -1)), PACK) is ScoredOutcome.RIGHT
    )
    near = heard(UtteranceKind.MOVE, KNIGHT, ("springer gustav eins felix zwei", -1))
    assert scoring.freely(near, PACK) is ScoredOutcome.RIGHT
    wrong = heard(UtteranceKind.ILLEGAL, "springer gustav eins felix zwei", *[
        (one.words, one.score) for one in near.recognition.hypotheses])  # fmt: skip
    assert scoring.freely(wrong, PACK) is ScoredOutcome.WRONG
    assert (
        scoring.freely(heard(UtteranceKind.TALK, "ach so", ("haus und hof", -1)), PACK)
        is ScoredOutcome.REFUSED
    )


def test_the_higher_the_threshold_the_fewer_are_taken_right_or_wrong() -> None:
    utterances = [
        heard(
            UtteranceKind.MOVE,
            KNIGHT,
            (KNIGHT, -100),
            ("springer gustav eins hector drei", -100 - gap),
        )
        for gap in (0, 2, 4, 8, 16)
    ] + [
        heard(UtteranceKind.TALK, "ach so", (KNIGHT, -100), ("haus und hof", -100 + by))
        for by in (0, 9)
    ]
    points = scoring.curve(utterances, PACK, CONFIDENCE)
    for before, after in pairwise(points):
        assert after.right <= before.right and after.wrong <= before.wrong
    assert points[0].right > points[-1].right or points[0].right == 5


def test_hands_that_did_something_else_are_never_overruled() -> None:
    one = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100))
    done = scoring.with_hands(PACK, CONFIDENCE, scoring.other_lifted)(one)
    assert done.verdict is Verdict.ASK
    assert scoring.with_hands(PACK, CONFIDENCE, scoring.lifted)(one).verdict is Verdict.ACCEPT


# --- weights -------------------------------------------------------------------------------------


def test_the_fit_finds_known_weights_and_no_wrong_sign() -> None:
    chance = np.random.default_rng(1)
    wanted = np.array([-0.5, 1.5, 0.8, -2.0])
    values = np.column_stack([np.ones(6000), chance.normal(0, 2, (6000, 3))])
    right = (chance.random(6000) < 1 / (1 + np.exp(-values @ wanted))).astype(float)
    found = calibration.logistic(values, right, np.ones(6000), (0, 1, 1, -1), lenient=0.1)
    assert found == pytest.approx(wanted, abs=0.2)
    bound = calibration.logistic(values, right, np.ones(6000), (0, 1, -1, -1), lenient=0.1)
    assert bound[2] == 0 and bound[1] > 0 and bound[3] < 0


@settings(max_examples=20)
@given(st.integers(0, 1000))
def test_at_the_thresholds_hardly_anything_wrong_is_taken(seed: int) -> None:
    chance = np.random.default_rng(seed)
    one = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100))
    (usual,) = calibration.samples([one], PACK)
    several, odds = [], []
    for _ in range(300):
        right = bool(chance.random() < 0.8)
        found = replace(usual.found, short_form=bool(chance.random() < 0.3))
        several.append(replace(usual, right=right, found=found))
        odds.append(chance.normal(2 if right else -2, 1.5))
    fitted = calibration.Fitted(np.zeros(11), several, np.array(odds))
    accept, short = calibration.thresholds(fitted, 1000, 0, (0.001, 0.002))
    assert accept <= short
    wrong = sum(
        not sample.right and value >= (short if sample.found.short_form else accept)
        for sample, value in zip(several, odds, strict=True)
    )
    assert wrong <= 1


def test_what_was_measured_is_read_again_as_it_was_written(tmp_path: Path) -> None:
    utterances = []
    for number, voice in enumerate("abcdefgh" * 3):
        gap = number % 6
        right = (KNIGHT, -100.0), ("springer bella eins cäsar drei", -101.0 - gap)
        utterances.append(heard(UtteranceKind.MOVE, KNIGHT, *right, voice=voice))
        talk = ("bauer eva zwei eva vier", -100.0), ("haus und hof", -99.0 + gap)
        utterances.append(heard(UtteranceKind.TALK, "ach so", *talk, voice=voice))
    done = calibration.measured(utterances, PACK, {"voices": ["a", "b"]})
    again = read(json.dumps(done.confidence.as_json()), tmp_path)
    assert again.measured["utterances"] == len(utterances)
    for meant in Meant:
        assert again.weights[meant].weights == pytest.approx(
            done.confidence.weights[meant].weights, abs=1e-4
        )
    sure = heard(UtteranceKind.MOVE, KNIGHT, (KNIGHT, -100), ("haus und hof", -130))
    assert decide(sure.recognition, sure.expected, PACK, done.confidence).verdict is Verdict.ACCEPT
    assert any("not said" in line for line in done.lines)


# --- models compared -----------------------------------------------------------------------------


def test_models_are_compared_alone_and_together_on_the_same_utterances(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("platformdirs.user_data_path", lambda *_, **__: tmp_path / "data")
    monkeypatch.setattr(resources, "memory", lambda *_: (40.0, 70.0))
    with Synthesiser("de", cache=tmp_path / "phrases", spellings=PACK.spoken) as synthesiser:
        rows: list[dict[str, str | None]] = []
        for words, what in ((KNIGHT, KNIGHT), ("Guten Morgen", None)):
            shutil.copy(synthesiser.render(words), tmp_path / f"{len(rows)}.wav")
            rows.append({"file": f"{len(rows)}.wav", "words": what, "fen": chess.STARTING_FEN})
        monkeypatch.setattr(corpus, "babble", lambda *_: hiss())
    index = tmp_path / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    folders = [tmp_path / name for name in ("one", "two")]
    for folder in folders:
        shutil.copytree(find_model("de"), folder)
    damaged = tmp_path / "damaged"
    damaged.mkdir()
    options = report.Options((*folders, damaged), 4, 4, "clean", recordings=tmp_path)
    told = list(comparison.compare(PACK, options))
    found = {row.models: row for row in told if isinstance(row, comparison.ComparisonRow)}
    assert list(found) == [("one",), ("two",), ("one", "two")]
    for row in found.values():
        assert row.counts[UtteranceKind.MOVE.value] == {"of": 1, "right": 1}
        assert row.counts[UtteranceKind.TALK.value]["of"] == 1
        assert row.cost.memory_mb == 30
    assert found["one",].measured and not found["one", "two"].measured
    together = found["one", "two"].as_json()
    assert together["size_mb"] == pytest.approx(2 * found["one",].cost.size_mb)
    assert together["counts"]["moves"]["right"] == 1
    lines = [line for line in told if isinstance(line, str)]
    assert any(line.startswith("damaged is left out: ") for line in lines)
    assert any(
        "one and two together; clean; moves, 1: right first time 1" in line for line in lines
    )


def test_what_enrolment_is_worth_is_measured_on_what_was_not_learned_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resources, "memory", lambda *_: None)
    monkeypatch.setattr(corpus, "babble", lambda *_: hiss())
    moves = [KNIGHT, "bauer eva zwei eva vier", "bauer david zwei david drei", KNIGHT]
    with Synthesiser("de", cache=tmp_path / "phrases", spellings=PACK.spoken) as synthesiser:
        rows = []
        for number, words in enumerate(moves):
            shutil.copy(synthesiser.render(words), tmp_path / f"{number}.wav")
            rows.append({"file": f"{number}.wav", "words": words, "fen": chess.STARTING_FEN})
    index = tmp_path / "index.jsonl"
    index.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    options = report.Options((find_model("de"),), 4, 4, "clean", recordings=tmp_path)
    told = list(comparison.compare(PACK, options, enrolled=True))
    rows_of = {row.stage: row for row in told if isinstance(row, comparison.ComparisonRow)}
    assert list(rows_of) == [None, *comparison.Familiarity]
    assert [row.counts[UtteranceKind.MOVE.value]["of"] for row in rows_of.values()] == [4, 2, 2]
    assert rows_of[comparison.Familiarity.AFTER].as_json()["stage"] == "after enrolment"
    assert any("de; after enrolment; clean; moves, 2: " in str(line) for line in told)
