"""``blindplay announce``, ``say`` and ``understand``: words and sounds of moves."""

import contextlib
import threading
from collections.abc import Callable
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import chess
import click

from blindplay.given import BATCH, SOUND, in_time, read_bytes, read_json
from blindplay.language import Kind, Language, Understanding
from blindplay.translation import UserError, _, one_of

from . import options

if TYPE_CHECKING:
    from blindplay.hearing.recognisers import Ear
    from blindplay.speech.synthesis import Synthesiser


_NO_MEANING = (Kind.UNCLEAR, Kind.NOTHING)


@click.command()
@options.fen_from_start()
@click.option(
    "--move", required=True, help=_("Announce this move, such as Nf3, g1f3, e8=Q or e7e8q.")
)
@options.announced_in(help=_("Announce in this language."))
@options.edition()
@options.flag("check", _("Announce check and checkmate as well."))
def announce(board: chess.Board, move: str, pack: Language, edition: str, check: bool) -> None:
    """Print the words that announce a move (D.2.1)."""
    legal = options.legal_move(board, move, pack)
    print(pack.announce(board, legal, edition=edition, check=check))


@click.command()
@click.argument("words", nargs=-1, help=_("Say this text; it has words only, no digits."))
@options.language(help=_("Speak with a voice of this language."))
@click.option("--voice", help=_("Speak with this voice; --list-voices lists them."))
@click.option("--rate", type=int, help=_("Speak so many words in a minute, from 80 to 450."))
@click.option("--output", type=options.FILE, help=_("Write this WAV file and say nothing."))
@options.overwrite
@click.option("--list-voices", is_flag=True, help=_("List the voices for the language instead."))
def say(
    words: tuple[str, ...],
    pack: Language,
    voice: str | None,
    rate: int | None,
    output: Path | None,
    overwrite: bool,
    list_voices: bool,
) -> None:
    """Say words aloud, or write them to a WAV file."""
    from blindplay.record.files import write_new
    from blindplay.speech.synthesis import Synthesiser

    options.check_new(output, overwrite=overwrite)
    if bool(words) is list_voices:
        raise UserError("Give either the words to say or --list-voices.")
    with Synthesiser(pack.code, spellings=pack.spoken, voice=voice) as synthesiser:
        if list_voices:
            _list_voices(synthesiser)
            return
        rendered = synthesiser.render(" ".join(words), rate=rate, public=True)
        if output is not None:
            write_new(output, read_bytes(rendered, SOUND))
            print(output)
            return
        _play(rendered)


def _play(file: Path) -> None:
    from blindplay.speech.audio import read_wav
    from blindplay.speech.audio_devices import DeviceSink

    with contextlib.closing(DeviceSink()) as sink:
        sink.play(*read_wav(file), threading.Event())


def aloud(pack: Language, sentence: str) -> None:
    """Say a sentence to everybody in the room, if that is possible. A voice speaks words only; of a
    sentence with digits or paths it says nothing."""
    from blindplay.speech.audio import AudioError
    from blindplay.speech.synthesis import NotWordsError, Synthesiser, SynthesisError

    try:
        with Synthesiser(pack.code, spellings=pack.spoken) as synthesiser:
            _play(synthesiser.render(sentence, public=True))
    except NotWordsError:
        return
    except (AudioError, SynthesisError) as error:
        options.warn(str(error))


def _list_voices(synthesiser: "Synthesiser") -> None:
    voices = synthesiser.voices()
    if not voices:
        raise UserError("There is no voice for this language; blindplay doctor says what to do.")
    for voice in voices:
        options.show(f"{voice.name}, {voice.language}")


@click.command()
@click.argument(
    "files", nargs=-1, type=options.FILE, help=_("Interpret these sound files in WAV format.")
)
@options.fen_from_start(help=_("Take this position before the move, in FEN."))
@click.option("--text", help=_("Interpret these words; no sound is read."))
@click.option(
    "--batch",
    type=options.FILE,
    help=_("Read the names of sound files from this file, one line of JSON each."),
)
@options.announced_in(help=_("Take this language as the one that is spoken."))
@options.models(
    help=_("Use the Vosk model in this folder instead of the chosen ones; it can be repeated.")
)
@options.as_json(help=_("Print JSON instead of plain lines."))
def understand(
    files: tuple[Path, ...],
    board: chess.Board,
    text: str | None,
    batch: Path | None,
    pack: Language,
    models: tuple[Path, ...],
    as_json: bool,
) -> None:
    """Print what words or sound files mean in a position.

    Text such as nf3, which is not a file but means a move or a command, is taken as words.

    A line of a batch is {"file": …, "fen": …, "language": …}. Its path is relative to the batch.
    """
    if [bool(files), text is not None, batch is not None].count(True) != 1:
        raise UserError("Give one of: --text WORDS, sound files, or --batch FILE.")
    if files:
        text = _as_words(files, board, pack)
    if text is not None:
        meaning = {"text": text, **_meaning(board, pack.understand(text, board))}
        options.show(meaning if as_json else _in_words(meaning))
        return
    from blindplay.hearing.recognisers import Ear

    ear_of = cache(partial(Ear, models=models, lost=options.warn))
    if batch is not None:
        _understand_batch(batch, pack, ear_of)
        return
    for file in files:
        heard = _recognition(str(file), file, board, ear_of(pack))
        options.show(heard if as_json else f"{file}: {_heard_in_words(heard)}")


def _as_words(files: tuple[Path, ...], board: chess.Board, pack: Language) -> str | None:
    """The words that were given in place of files; None for files.

    :raises ValueError: if one of them is missing.
    """
    missing = next((file for file in files if not file.exists()), None)
    if missing is None:
        return None
    words = " ".join(map(str, files))
    if pack.understand(words, board).kind in _NO_MEANING or any(path.exists() for path in files):
        raise UserError(
            "There is no file {missing}; check the name, or give words with --text.",
            missing=missing,
        )
    return words


def _meaning(board: chess.Board, understood: Understanding) -> dict[str, Any]:
    """An understanding as JSON; ``kind`` is move, ambiguous, illegal, command, …"""
    move = understood.move
    return {
        "kind": understood.kind.value,
        "move": move.uci() if move else None,
        "san": board.san(move) if move else None,
        "words": understood.words,
        "command": understood.command.value if understood.command else None,
        "why": understood.why.value if understood.why else None,
        "correction": understood.correction,
        "cost": understood.cost,
        "alternatives": [
            other.uci() for other in (*understood.moves, *understood.alternatives) if other != move
        ],
    }


def _in_words(meaning: dict[str, Any]) -> str:
    if meaning["move"]:
        return _("move {move} {san}", move=meaning["move"], san=meaning["san"])
    if meaning["command"]:
        return _("command {command}", command=meaning["command"])
    if meaning["why"]:
        return _("illegal, {why}", why=meaning["why"].replace("_", " "))
    if meaning["kind"] == "ambiguous":
        return _("ambiguous: {alternatives}", alternatives=one_of(meaning["alternatives"]))
    return str(meaning["kind"])


def _heard_in_words(heard: dict[str, Any]) -> str:
    verdict = heard["decision"]
    if verdict not in ("ask", "refuse"):
        result = _in_words(heard)
    elif heard["alternatives"]:
        result = f"{verdict}: {one_of(heard['alternatives'])}"
    else:
        result = verdict
    return _("{result}; heard: {heard}", result=result, heard=heard["heard"])


def _understand_batch(batch: Path, pack: Language, ear_of: Callable[[Language], "Ear"]) -> None:
    """Print one line of JSON for each line of ``batch``.

    For a line that cannot be read, the JSON holds the error, and the next line follows.
    """
    unread = 0
    with options.open_text(str(batch)) as opened:
        lines = [line.rstrip("\n") for line in opened]
    for number, line in enumerate(in_time(lines, BATCH, batch), 1):
        if not line.strip():
            continue
        name = None
        try:
            entry = read_json(line)
            if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
                raise UserError("line {number} needs an object with file and fen.", number=number)
            name = entry["file"]
            board = options.position(entry.get("fen", options.START))
            spoken = options.load_language(entry["language"]) if "language" in entry else pack
            heard = _recognition(name, batch.parent / name, board, ear_of(spoken))
        except (ValueError, TypeError, AttributeError) as error:
            unread += 1
            heard = {"file": name, "move": None, "decision": "nothing", "error": str(error)}
        options.show(heard)
    if unread:
        raise UserError(
            "{unread} lines of {batch} could not be read; see the error in each.",
            unread=unread,
            batch=batch,
        )


def _recognition(name: str, path: Path, board: chess.Board, ear: "Ear") -> dict[str, Any]:
    """Return what a sound file means on ``board``, as JSON; ``name`` is the file's name in it."""
    decision = ear.hear(path, board)
    return {
        "file": name,
        **_meaning(board, decision.meant),
        "decision": decision.verdict.value,
        "heard": decision.recognition.words,
        "cost": round(decision.cost, 3) if decision.candidates else None,
        "alternatives": [
            item.phrase for item in decision.candidates if item.phrase != decision.phrase
        ],
    }
