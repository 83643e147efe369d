"""The commands. Bad input is one sentence on standard error and exit status 2."""

from __future__ import annotations

import contextlib
import datetime
import json
import logging
import sys
from collections.abc import Iterable
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, NoReturn, TextIO

import chess
import typer

from blindplay import __version__, language
from blindplay.commands import forget as forget_command
from blindplay.commands import help as help_command
from blindplay.commands import language as language_commands
from blindplay.commands import models as models_commands
from blindplay.commands import voice as voice_commands
from blindplay.commands.bench_endurance import bench_crash, bench_soak
from blindplay.commands.bench_models import (
    ConditionsOption,
    CountOption,
    RecordingsOption,
    VoicesOption,
    bench_models,
)
from blindplay.language import Language, Understanding
from blindplay.laws import Fact, editions, facts
from blindplay.laws.clock import TimeControl

app = typer.Typer(
    name="blindplay",
    help="Chess between a visually impaired player and an opponent, under FIDE's Laws.",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

FenOption = Annotated[str, typer.Option(help="The position in FEN.")]
EditionOption = Annotated[
    str, typer.Option(help=f"Edition of the Laws: {', '.join(editions.names())}.")
]
ModelOption = Annotated[
    Path | None, typer.Option(help="Folder of a Vosk model instead of the chosen ones.")
]
ModelsOption = Annotated[
    list[Path] | None,
    typer.Option("--model", help="Folder of a Vosk model instead of those chosen; repeatable."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON instead of plain lines.")]


class Mode(StrEnum):
    """How fast the game is, as the Laws tell it."""

    STANDARD = "standard"
    RAPID = "rapid"
    BLITZ = "blitz"


class Side(StrEnum):
    """Which players are visually impaired."""

    WHITE = "white"
    BLACK = "black"
    BOTH = "both"
    NONE = "none"


class Needed(StrEnum):
    """Whether something must be there."""

    REQUIRED = "required"
    SINGLE = "single"
    OPTIONAL = "optional"


class DeadTime(StrEnum):
    """Whose time it is while a table is down: the arbiter says."""

    NOBODY = "nobody"
    RUNNING = "running"


class Shown(StrEnum):
    """What a table prints."""

    UNSPOKEN = "unspoken"
    WORDS = "words"
    ALL = "all"


class Taped(StrEnum):
    """What a tape keeps."""

    OFF = "off"
    TABLE = "table"
    VOICES = "voices"


def main() -> None:
    """Run the command line; every foreseeable fault is one sentence and exit status 2."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(AttributeError, ValueError):
            stream.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    with contextlib.suppress(AttributeError, ValueError):
        # A key that a terminal sends in another encoding is a sign nobody knows, and no error.
        sys.stdin.reconfigure(errors="replace")  # type: ignore[union-attr]
    if logging.lastResort is not None:
        logging.lastResort.setFormatter(_OneLine())
    try:
        language.look_in(language_commands.own_folder())
        status = app(sys.argv[1:] or ["--help"], standalone_mode=False)
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # The reader has gone (`| head`): nobody is left to tell.
        with contextlib.suppress(OSError):
            sys.stdout.close()
        sys.exit(0)
    except typer.Exit as ended:
        sys.exit(ended.exit_code)
    except typer.Abort:
        sys.exit(130)
    except (ValueError, RuntimeError, OSError) as error:
        fail(str(error))
    except Exception as error:
        # typer's own complaints about options and arguments are its TyperException.
        message = getattr(error, "format_message", None)
        if message is None:
            raise
        fail(message())
    sys.exit(status if isinstance(status, int) else 0)


class _OneLine(logging.Formatter):
    """What went wrong inside, as a line that can be read aloud at a table: its kind and its place
    instead of a traceback, and not its words, for there may be names in them."""

    def format(self, record: logging.LogRecord) -> str:
        line = " ".join(record.getMessage().split())
        kind, _, trace = record.exc_info or (None, None, None)
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        if kind is None or trace is None:
            return line
        place = f"{Path(trace.tb_frame.f_code.co_filename).name}, line {trace.tb_lineno}"
        return f"{line} ({kind.__name__} in {place})"


def fail(sentence: str) -> NoReturn:
    """Say what is wrong on standard error and exit with status 2."""
    print(" ".join(str(sentence).split()), file=sys.stderr)
    sys.exit(2)


def _position(fen: str) -> chess.Board:
    try:
        # One reader for positions: what a table may be set up with is what can be asked about.
        facts.parse({"t": 0, "fact": "setup", "fen": fen})
    except facts.FactError:
        raise ValueError(f"{fen!r} is not a position of a game in FEN; check it.") from None
    # Ordinary castling rights are written as e1g1 everywhere; only a real chess960 position is not.
    plain = chess.Board(fen)
    return plain if plain.status() == chess.STATUS_VALID else chess.Board(fen, chess960=True)


def _move(board: chess.Board, uci: str) -> chess.Move:
    try:
        return board.parse_uci(uci)
    except chess.InvalidMoveError:
        raise ValueError(
            f"{uci!r} is not a move in UCI; write from and to, such as g1f3."
        ) from None
    except ValueError:
        raise ValueError(f"{uci} is not a legal move in this position.") from None


app.command("help")(help_command.tell)


# --- words -------------------------------------------------------------------------------------


@app.command()
def announce(
    fen: FenOption,
    move: Annotated[str, typer.Option(help="The move in UCI, such as g1f3 or e7e8q.")],
    language_id: Annotated[str, typer.Option("--language", help="Language of the words.")] = "de",
    edition: EditionOption = "fide-2023",
    check: Annotated[bool, typer.Option(help="Say check and mate, too.")] = False,
) -> None:
    """Print the words in which a move is announced (D.2.1)."""
    pack = language.load(language_id)
    editions.load(edition)
    board = _position(fen)
    print(pack.announce(board, _move(board, move), edition=edition, check=check))


@app.command()
def say(
    words: Annotated[list[str], typer.Argument(help="What to say; words only, no digits.")],
    language_id: Annotated[str, typer.Option("--language", help="Language of the voice.")] = "de",
    voice: Annotated[str | None, typer.Option(help="A voice of the system by name.")] = None,
    rate: Annotated[int | None, typer.Option(help="Words a minute, 80 to 450.")] = None,
    output: Annotated[Path | None, typer.Option(help="Write a WAV file instead.")] = None,
) -> None:
    """Say something aloud, or into a WAV file."""
    import shutil
    import threading

    from blindplay.speech.audio import DeviceSink, read_wav
    from blindplay.speech.synthesis import Synthesiser

    pack = language.load(language_id)
    with Synthesiser(language_id, spellings=pack.spoken, voice=voice) as synthesiser:
        rendered = synthesiser.render(" ".join(words), rate=rate)
        if output is not None:
            if not output.parent.is_dir():
                raise ValueError(f"There is no folder {output.parent}; make it first.")
            shutil.copyfile(rendered, output)
            print(output)
            return
        sink = DeviceSink()
        try:
            pcm, sample_rate = read_wav(rendered)
            sink.play(pcm, sample_rate, threading.Event())
        finally:
            sink.close()


def _meaning(board: chess.Board, understood: Understanding) -> dict[str, Any]:
    """What an understanding is on paper; ``kind`` is move, ambiguous, illegal, command, …"""
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
    what = meaning["kind"]
    if meaning["move"]:
        return f"move {meaning['move']} {meaning['san']}"
    if meaning["command"]:
        return f"command {meaning['command']}"
    if meaning["why"]:
        return f"illegal, {meaning['why'].replace('_', ' ')}"
    if what == "ambiguous":
        return f"ambiguous: {' or '.join(meaning['alternatives'])}"
    return str(what)


@app.command()
def understand(
    files: Annotated[list[Path] | None, typer.Argument(help="Sound files, any WAV.")] = None,
    fen: FenOption = chess.STARTING_FEN,
    text: Annotated[str | None, typer.Option(help="Words instead of sound.")] = None,
    batch: Annotated[
        Path | None,
        typer.Option(help='Lines {"file": …, "fen": …, "language": …}, paths relative to it.'),
    ] = None,
    language_id: Annotated[str, typer.Option("--language", help="Language spoken.")] = "de",
    model: ModelsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Print what words or sound files mean in a position."""
    given = [bool(files), text is not None, batch is not None]
    if sum(given) != 1:
        raise ValueError("Give one of: --text WORDS, sound files, or --batch FILE.")
    pack = language.load(language_id)
    if text is not None:
        board = _position(fen)
        meaning = {"text": text, **_meaning(board, pack.understand(text, board))}
        print(json.dumps(meaning, ensure_ascii=False) if as_json else _in_words(meaning))
        return
    board = _position(fen)
    ears = _Ears(model)
    if batch is not None:
        _understand_batch(batch, language_id, ears)
        return
    for path in files or []:
        heard = ears.heard(str(path), path, board, pack)
        if as_json:
            print(json.dumps(heard, ensure_ascii=False), flush=True)
        else:
            told = _in_words(heard)
            if heard["decision"] in ("ask", "refuse"):
                told = " or ".join([heard["decision"], *heard["alternatives"]])
                told = told.replace(" or ", ": ", 1)
            print(f"{path}: {told}; heard: {heard['heard']}", flush=True)


def _understand_batch(batch: Path, language_id: str, ears: _Ears) -> None:
    """One JSON line a line. What cannot be read is told in its own, and the others are heard."""
    if not batch.is_file():
        raise ValueError(f"There is no file {batch}; check the name.")
    unread = 0
    for number, line in enumerate(batch.read_text("utf-8").splitlines(), 1):
        if not line.strip():
            continue
        name = None
        try:
            entry = json.loads(line)
            if not isinstance(entry, dict) or not isinstance(entry.get("file"), str):
                raise ValueError(f"line {number} needs an object with file and fen.")
            name = entry["file"]
            position = _position(entry.get("fen", chess.STARTING_FEN))
            pack = language.load(entry.get("language", language_id))
            heard = ears.heard(name, batch.parent / name, position, pack)
        except (ValueError, TypeError, AttributeError) as error:
            unread += 1
            heard = {"file": name, "move": None, "decision": "nothing", "error": str(error)}
        print(json.dumps(heard), flush=True)
    if unread:
        raise ValueError(f"{unread} lines of {batch} could not be heard; theirs say why.")


class _Ears:
    """Recognisers, each loaded once."""

    def __init__(self, models: list[Path] | None) -> None:
        self._models = tuple(models or ())
        self._loaded: dict[str, Any] = {}

    def recogniser(self, pack: Language) -> Any:
        """The recogniser, and how far it may be believed."""
        from blindplay.hearing.decision import listening_models, open_recogniser
        from blindplay.speech.confidence import ears_of

        def lost(sentence: str) -> None:
            print(sentence, file=sys.stderr)

        if pack.code not in self._loaded:
            folders = self._models or listening_models(pack.code, lost)
            recogniser = open_recogniser(pack, *folders, lost=lost)
            self._loaded[pack.code] = recogniser, ears_of(*recogniser.folders, lost=lost)
        return self._loaded[pack.code]

    def heard(self, name: str, path: Path, board: chess.Board, pack: Language) -> dict[str, Any]:
        from blindplay.hearing.decision import understand_sound
        from blindplay.speech.audio import read_audio

        recogniser, ears = self.recogniser(pack)
        decision, understood = understand_sound(recogniser, pack, board, read_audio(path), ears)
        return {
            "file": name,
            **_meaning(board, understood),
            "decision": decision.verdict.value,
            "heard": decision.hearing.words,
            "cost": round(decision.cost, 3) if decision.candidates else None,
            "alternatives": [
                item.phrase for item in decision.candidates if item.phrase != decision.phrase
            ],
        }


app.add_typer(language_commands.app, name="language")


# --- the Laws ----------------------------------------------------------------------------------


@app.command()
def mating(
    fen: Annotated[str | None, typer.Option(help="The position in FEN.")] = None,
    batch: Annotated[
        str | None, typer.Option(help="A file with a FEN a line, answered in JSON; - for input.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Say whether each side can still mate by any series of legal moves, and how (5.2.2, 6.9)."""
    if (fen is None) == (batch is None):
        raise ValueError("Give one of: --fen FEN or --batch FILE.")
    if fen is not None:
        given = _mating(_position(fen))
        if as_json:
            print(json.dumps({"fen": fen, **given}))
            return
        for side, told in given.items():
            detail = told.get("reason") or " ".join(told.get("line", ()))
            print(f"{side}: {told['verdict']}{': ' if detail else ''}{detail}")
        return
    assert batch is not None
    with contextlib.ExitStack() as stack:
        for number, line in enumerate(_input(batch, stack), 1):
            if not line.strip():
                continue
            try:
                board = _position(line.strip())
            except ValueError as error:
                raise ValueError(f"{batch}:{number}: {error}") from None
            print(json.dumps({"fen": line.strip(), **_mating(board)}), flush=True)


def _mating(board: chess.Board) -> dict[str, dict[str, Any]]:
    from blindplay.laws.mating import MatingVerdict, can_mate

    told: dict[str, dict[str, Any]] = {}
    for side, colour in (("white", chess.WHITE), ("black", chess.BLACK)):
        found = can_mate(board, colour)
        told[side] = {"verdict": found.verdict.value}
        if found.verdict is MatingVerdict.POSSIBLE:
            told[side]["line"] = [move.uci() for move in found.line]
        elif found.verdict is MatingVerdict.IMPOSSIBLE:
            told[side]["reason"] = found.reason
    return told


# --- the table ---------------------------------------------------------------------------------


@app.command()
def play(
    board: Annotated[
        str | None, typer.Option(help="Port or URL of the impaired player's board; none: search.")
    ] = None,
    sighted_board: Annotated[
        str | None,
        typer.Option(help="The opponent's sensor board; dgt:PORT for a DGT board, dgt to search."),
    ] = None,
    microphone: Annotated[
        str | None, typer.Option(help="Part of the microphone's name; 'none' for keys only.")
    ] = None,
    push_to_talk: Annotated[
        bool,
        typer.Option(help="Hear only what is said after the talk button: t and Enter, or a lever."),
    ] = False,
    shared_microphone: Annotated[
        bool, typer.Option(help="The microphone stands between the players and hears both.")
    ] = False,
    talk_levers: Annotated[
        bool,
        typer.Option(help="The levers of the impaired player's board talk, and press no clock."),
    ] = False,
    private_output: Annotated[
        str | None, typer.Option(help="Part of the name of the player's earphone.")
    ] = None,
    public_output: Annotated[
        str | None, typer.Option(help="Part of the name of the loudspeaker.")
    ] = None,
    language_id: Annotated[
        str, typer.Option("--language", help="Language of the table; de+nb: ranks in Norwegian.")
    ] = "de",
    edition: EditionOption = "fide-2023",
    time_control: Annotated[
        str, typer.Option(help="As in PGN: 5400+30, 40/5400+30:1800+30, or - for no clock.")
    ] = "5400+30",
    mode: Annotated[Mode, typer.Option(help="Standard play, rapid or blitz.")] = Mode.STANDARD,
    supervised: Annotated[
        bool, typer.Option(help="Rapid or blitz under full supervision (A.4, B.2).")
    ] = False,
    quickplay_finish: Annotated[
        bool, typer.Option(help="The rules of the quickplay finish were announced.")
    ] = False,
    chess960: Annotated[bool, typer.Option(help="Castle as in Chess960.")] = False,
    white: Annotated[str, typer.Option(help="White's name.")] = "",
    black: Annotated[str, typer.Option(help="Black's name.")] = "",
    impaired: Annotated[Side, typer.Option(help="Which player is visually impaired.")] = Side.WHITE,
    white_hearing_impaired: Annotated[
        bool, typer.Option(help="White hears badly or not at all: an assistant is needed (D.2.11).")
    ] = False,
    black_hearing_impaired: Annotated[
        bool, typer.Option(help="Black hears badly or not at all: an assistant is needed (D.2.11).")
    ] = False,
    white_assistant: Annotated[bool, typer.Option(help="White has an assistant.")] = False,
    black_assistant: Annotated[bool, typer.Option(help="Black has an assistant.")] = False,
    arbiter: Annotated[
        bool, typer.Option(help="An arbiter confirms what the Laws give to him.")
    ] = False,
    fen: FenOption = chess.STARTING_FEN,
    event: Annotated[str, typer.Option(help="The competition, for the record.")] = "",
    site: Annotated[str, typer.Option(help="Where it is played, for the record.")] = "",
    round_number: Annotated[str, typer.Option("--round", help="The round, for the record.")] = "",
    journal: Annotated[
        Path | None, typer.Option(help="The journal's file; a new one in your data folder if none.")
    ] = None,
    resume: Annotated[bool, typer.Option(help="Go on with the game in --journal.")] = False,
    dead_time: Annotated[
        DeadTime, typer.Option(help="With --resume: to whom the time without a table is charged.")
    ] = DeadTime.NOBODY,
    tape: Annotated[
        Taped,
        typer.Option(help="Keep on tape what the table says to all; voices: announcements, too."),
    ] = Taped.OFF,
    opening_word: Annotated[
        Needed | None,
        typer.Option(
            help='Which spoken commands need the opening word, "Brett"; if none is given, those of '
            "one word, and with --push-to-talk none."
        ),
    ] = None,
    training: Annotated[
        bool, typer.Option(help="Answer questions about the position, which the Laws forbid.")
    ] = False,
    console: Annotated[
        bool, typer.Option(help="Serve pages for who is at the table; each link is shown once.")
    ] = False,
    host: Annotated[
        str | None,
        typer.Option(help="Address to serve the console at, 0.0.0.0 for all; this machine alone."),
    ] = None,
    console_port: Annotated[
        int | None, typer.Option(help="Port of the console.", min=0, max=65535)
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="Encrypt the console: the server's certificate, PEM.")
    ] = None,
    key: Annotated[
        Path | None, typer.Option(help="The certificate's private key, PEM, without a password.")
    ] = None,
    qr: Annotated[
        bool | None,
        typer.Option(
            help="Draw each link for a phone's camera too; a screen reader makes nothing of it. "
            "If not given, only where the output is a terminal."
        ),
    ] = None,
    model: ModelsOption = None,
    silent: Annotated[bool, typer.Option(help="Print only, say nothing.")] = False,
    shown: Annotated[
        Shown,
        typer.Option(
            "--print",
            help="What is printed. unspoken: only what no voice speaks, so that a screen reader "
            "does not talk over it; words: what is said, too; all: every ruling, too.",
        ),
    ] = Shown.UNSPOKEN,
    or_demo: Annotated[
        bool, typer.Option(help="With neither board nor microphone, show a demonstration game.")
    ] = False,
) -> None:
    """Run a table: voice and board where there are some, typed words where not."""
    from blindplay.laws import facts as f
    from blindplay.table import play as table_play
    from blindplay.table.conversation import OpeningWord
    from blindplay.table.session import Printed
    from blindplay.table.taping import Keep

    language.load(language_id)
    if "+" in language_id and not editions.load(edition).switch("ranks_by_arbiter"):
        raise ValueError(
            f"{edition} fixes the German numbers of the ranks (F.1); leave out what follows the + "
            "in --language, or choose another edition."
        )
    editions.load(edition)
    try:
        TimeControl.parse(time_control)
    except ValueError as error:
        raise ValueError(f"--time-control {error}.") from None
    _position(fen)
    if resume and journal is None:
        raise ValueError("--resume needs --journal FILE, the game to go on with.")
    if not console and any(one is not None for one in (host, console_port, certificate, key, qr)):
        raise ValueError("--host, --console-port, --certificate, --key and --qr need --console.")
    if (certificate is None) is not (key is None):
        raise ValueError("--certificate and --key need each other.")
    drawn = sys.stdout.isatty() if qr is None else qr
    served = table_play.ConsoleAt(host, console_port, certificate, key, drawn) if console else None
    keep = Keep(tape.value)
    devices = table_play.WantedDevices(
        board, sighted_board, microphone, private_output, public_output, tuple(model or ()), silent,
        push_to_talk, shared_microphone, talk_levers,
    )  # fmt: skip
    if or_demo and not devices.any_present():
        demo(journal=journal, language_id=language_id)
        return
    setup: f.Setup | None = None
    if not resume:
        sides = {"white": (Side.WHITE, white, white_assistant, white_hearing_impaired),
                 "black": (Side.BLACK, black, black_assistant, black_hearing_impaired)}  # fmt: skip
        fact = f.parse(
            {
                "t": 0,
                "fact": "setup",
                "edition": edition,
                "mode": mode.value,
                "supervised": supervised,
                "quickplay_finish": quickplay_finish,
                "variant": "chess960" if chess960 else "chess",
                "fen": fen,
                "time_control": time_control,
                "announce_in": language_id,
                "arbiter": "present" if arbiter else "automatic",
                "event": event,
                "site": site,
                "round": round_number,
                "date": datetime.date.today().isoformat(),
                **{
                    side: {
                        "name": name,
                        "impaired": impaired in (which, Side.BOTH),
                        "hearing_impaired": deaf,
                        "assistant": assistant,
                        "language": language_id,
                    }
                    for side, (which, name, assistant, deaf) in sides.items()
                },
            }
        )
        assert isinstance(fact, f.Setup)
        setup = fact
    path = journal or _new_journal()
    needed = opening_word or (Needed.OPTIONAL if push_to_talk else Needed.SINGLE)
    manner = table_play.TableOptions(training, OpeningWord(needed.value), Printed(shown.value))
    table_play.run(
        path, setup, language_id, devices, sys.stdin, sys.stdout, keep, manner, served,
        charge_dead_time=dead_time is DeadTime.RUNNING,
    )  # fmt: skip


def _new_journal() -> Path:
    from blindplay.record.storage import new_journal

    return new_journal()


@app.command()
def demo(
    journal: Annotated[Path | None, typer.Option(help="Keep the journal in this file.")] = None,
    language_id: Annotated[str, typer.Option("--language", help="Language spoken.")] = "de",
) -> None:
    """Show a short game through every real part, with emulated boards and synthetic voices."""
    from blindplay.table.demo import demonstrate

    language.load(language_id)
    demonstrate(sys.stdout, journal or _new_journal(), language_id)


@app.command()
def replay(
    file: Annotated[str, typer.Argument(help="Facts as JSON Lines; - for standard input.")] = "-",
    edition: Annotated[
        str | None, typer.Option(help="Replace the edition that setup names.")
    ] = None,
    journal: Annotated[
        Path | None, typer.Option(help="Read the facts of this table's journal instead.")
    ] = None,
) -> None:
    """Read facts and print the rulings, both as JSON Lines (see the table's contract)."""
    from blindplay.laws.rulings import dumps
    from blindplay.record import Journal
    from blindplay.record.replay import ReplayError, read
    from blindplay.record.replay import replay as rule

    if edition is not None:
        editions.load(edition)
    with contextlib.ExitStack() as stack:
        if journal is not None:
            opened = stack.enter_context(Journal(journal, read_only=True))
            given: Iterable[tuple[str, Fact]] = (
                (f"{journal}:{n}", fact) for n, fact in enumerate(opened.facts(), 1)
            )
        else:
            given = read(_input(file, stack), "-" if file == "-" else file)
        try:
            for ruling in rule(given, edition):
                print(dumps(ruling), flush=True)
        except ReplayError as error:
            fail(str(error))


class ScoreFormat(StrEnum):
    """What can be written of a game."""

    PGN = "pgn"
    SHEET = "sheet"
    BRAILLE = "braille"
    BRF = "brf"
    LONGHAND = "longhand"
    HTML = "html"
    TAPE = "tape"


class Colour(StrEnum):
    """A player."""

    WHITE = "white"
    BLACK = "black"


class ScoreEntries(StrEnum):
    """How a scoresheet's entries are given again."""

    WRITTEN = "written"
    NOTATION = "notation"
    WORDS = "words"


@app.command()
def score(
    journal: Annotated[Path, typer.Argument(help="The journal of a game.")],
    form: Annotated[
        ScoreFormat,
        typer.Option(
            "--format",
            help="pgn; a scoresheet as plain text, as Braille in Unicode or for an embosser (brf), "
            "in longhand, or as a page for a printer (html); tape: what was said.",
        ),
    ] = ScoreFormat.PGN,
    side: Annotated[
        Colour | None,
        typer.Option(help="Whose scoresheet; the impaired player's, or White's, if not given."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option(help="Write a file; a tape as .flac, .opus or .wav.")
    ] = None,
    entries: Annotated[
        ScoreEntries | None,
        typer.Option(
            help="Entries as written, in notation, or in words; if not given, plain text is as "
            "written, Braille in notation, longhand and html in words."
        ),
    ] = None,
    language_id: Annotated[
        str | None, typer.Option("--language", help="Language; the sheet's owner's if not given.")
    ] = None,
    cells: Annotated[int, typer.Option(help="Cells in a line of Braille.")] = 40,
    lines: Annotated[int, typer.Option(help="Lines on a page of Braille.")] = 25,
    points: Annotated[int, typer.Option(help="Size of type in html; 18 is large print.")] = 14,
    first: Annotated[
        int | None, typer.Option("--from", help="Play the tape from this move on.", min=1)
    ] = None,
    header: Annotated[
        list[str] | None, typer.Option(help="A tag of PGN, as Site=Oslo; may be given often.")
    ] = None,
) -> None:
    """Write a game's record from its journal: PGN, scoresheets, Braille; or play its tape."""
    from blindplay.record import tape_playback, writing
    from blindplay.speech.audio import DeviceSink

    if first is not None and form is not ScoreFormat.TAPE:
        raise ValueError("--from goes with --format tape; a scoresheet is always written whole.")
    if output is not None and not output.parent.is_dir():
        raise ValueError(f"There is no folder {output.parent}; make it first.")
    if output is not None:
        writing.check_output(journal, output)
    if form is ScoreFormat.TAPE:
        tape_playback.find_tape(journal)  # who has none needs no loudspeaker to be told so
        sink = DeviceSink() if output is None else None
        try:
            tape_playback.play_tape(journal, first, output, sink, sys.stdout)
        finally:
            if sink is not None:
                sink.close()
        return
    if language_id is not None:
        language.load(language_id)
    tags = [(name, value) for name, _, value in (given.partition("=") for given in header or [])]
    broken = None
    try:
        scored = writing.Scored.of(journal, dict(tags))
    except writing.BrokenGameError as error:  # what comes before is written all the same
        scored, broken = error.before, error
    text = scored.write(
        writing.RecordFormat(form.value),
        None if side is None else side.value,
        language=language_id,
        entries=None if entries is None else writing.EntryForm(entries.value),
        paper=writing.Paper(cells, lines, points),
    )
    # As bytes: an embosser's ends of lines are CR LF on every system, and those of text are not.
    if output is not None:
        try:
            output.write_bytes(text.encode("utf-8"))
        except OSError as error:
            raise ValueError(f"{output} cannot be written ({error.strerror}).") from None
        print(output)
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode("utf-8"))
        sys.stdout.buffer.flush()
    if broken is not None:
        raise broken


def _input(file: str, stack: contextlib.ExitStack) -> TextIO:
    if file == "-":
        with contextlib.suppress(AttributeError, ValueError):
            sys.stdin.reconfigure(encoding="utf-8-sig")  # type: ignore[union-attr]
        return sys.stdin
    path = Path(file)
    if not path.is_file():
        raise ValueError(f"There is no file {file}; check the name.")
    try:
        return stack.enter_context(path.open(encoding="utf-8-sig"))
    except OSError as error:
        raise ValueError(f"{file} cannot be read ({error.strerror}).") from None


@app.command()
def reconcile(
    white: Annotated[Path, typer.Option(help="White's scoresheet, a file of moves as written.")],
    black: Annotated[Path, typer.Option(help="Black's scoresheet.")],
    white_board: Annotated[
        str | None, typer.Option(help="What stands on White's board, in FEN; ? for any piece.")
    ] = None,
    black_board: Annotated[str | None, typer.Option(help="What stands on Black's board.")] = None,
    fen: FenOption = chess.STARTING_FEN,
    edition: EditionOption = "fide-2023",
    language_id: Annotated[str, typer.Option("--language", help="Language printed.")] = "de",
    as_json: JsonOption = False,
) -> None:
    """Compare two scoresheets and boards: where they part, who corrects what, and how (D.2.9)."""
    from blindplay.record.disputes import check_board, decide, read_sheet

    pack = language.load(language_id)
    editions.load(edition)
    sheets = {"white": read_sheet(white), "black": read_sheet(black)}
    given = {"white": white_board, "black": black_board}
    boards = {
        side: check_board(placement, f"--{side}-board")
        for side, placement in given.items()
        if placement is not None
    }
    decision = decide(sheets, boards, _position(fen), edition, pack)
    if as_json:
        print(json.dumps(decision.to_json(), ensure_ascii=False))
        return
    for sentence, articles in decision.lines:
        print(f"{sentence} ({', '.join(articles)})")


board_app = typer.Typer(
    help="Show live what a pegged board reports, or look after it.", rich_markup_mode=None
)
app.add_typer(board_app, name="board")
PortOption = Annotated[
    str | None, typer.Option(help="Port or URL of the board; searched for if none.")
]


@board_app.callback(invoke_without_command=True)
def board(
    context: typer.Context,
    port: PortOption = None,
    as_json: JsonOption = False,
    seconds: Annotated[float | None, typer.Option(help="Stop after so long.")] = None,
) -> None:
    """Show live what a pegged board reports, or look after it."""
    if context.invoked_subcommand is not None:
        return
    from blindplay.boards.monitor import monitor

    monitor(port, json=as_json, seconds=seconds, out=sys.stdout)


@board_app.command()
def setup(
    port: PortOption = None,
    fen: FenOption = chess.STARTING_FEN,
    language_id: Annotated[str, typer.Option("--language", help="Language spoken.")] = "de",
    silent: Annotated[bool, typer.Option(help="Print only, say nothing.")] = False,
) -> None:
    """Lead hands to a position, step by step; each step is felt by the board.

    Exit status 1 if the board does not show the position at the end.
    """
    from blindplay.laws.placement import pieces_of
    from blindplay.table.board_setup import set_up

    pack = language.load(language_id)
    goal = pieces_of(_position(fen))
    if not set_up(port, goal, pack, silent, sys.stdin, sys.stdout):
        raise typer.Exit(1)


@board_app.command()
def calibrate(
    port: PortOption = None,
    language_id: Annotated[str, typer.Option("--language", help="Language spoken.")] = "de",
    silent: Annotated[bool, typer.Option(help="Print only, say nothing.")] = False,
) -> None:
    """Check each contact and each kind of piece, led by voice: Enter when a step is done.

    Exit status 1 if a square is bad or none was checked. What was found is kept and told before a
    game.
    """
    from blindplay.table.board_calibration import calibrate as check_board

    if not check_board(port, language.load(language_id), silent, sys.stdin, sys.stdout):
        raise typer.Exit(1)


@board_app.command()
def flash(
    file: Annotated[Path, typer.Argument(help="The firmware, a file in Intel HEX.")],
    port: PortOption = None,
    kind: Annotated[
        str, typer.Option("--board", help="nano, nano-old (old boot loader) or uno.")
    ] = "nano",
    baud: Annotated[
        int | None, typer.Option(help="Another rate of the boot loader.", min=1)
    ] = None,
) -> None:
    """Write firmware into a board through avrdude, saying first what will be done."""
    from blindplay.boards import flashing
    from blindplay.boards.line import check_url

    if port is not None:
        check_url(port)
    planned = flashing.plan(file, port, kind, baud)
    print(planned.sentence, flush=True)
    flashing.flash(planned, sys.stdout)
    print("The firmware has been written.", flush=True)


class Protocol(StrEnum):
    """Boards of other makes whose streams can be read."""

    DGT = "dgt"


class CommitBy(StrEnum):
    """What makes a move on a sensor board final."""

    CLOCK = "clock"
    POSITION = "position"


@board_app.command()
def decode(
    file: Annotated[str, typer.Argument(help="What a board sent, byte by byte; - for input.")],
    protocol: Annotated[Protocol, typer.Option(help="Whose board it was.")] = Protocol.DGT,
    commit: Annotated[
        CommitBy | None,
        typer.Option(help="What makes a move final; the clock, if it was pressed, if not given."),
    ] = None,
    fen: Annotated[
        str | None, typer.Option(help="Where the game begins, if not as the first dump shows it.")
    ] = None,
    turned: Annotated[
        bool | None,
        typer.Option("--turned/--not-turned", help="How the board lay; seen if not given."),
    ] = None,
) -> None:
    """Print the moves of a recorded stream in UCI, one a line; on standard error what cannot be
    told."""
    from blindplay.boards.dgt import Commit, MoveFound, NoRecordingError
    from blindplay.boards.dgt import decode as decode_dgt

    position = None if fen is None else _position(fen)
    try:
        data = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        by: Commit | None = None
        if commit is not None:
            by = "clock" if commit is CommitBy.CLOCK else "position"
        for finding in decode_dgt(data, commit=by, position=position, turned=turned):
            if isinstance(finding, MoveFound):
                print(finding.uci, flush=True)
            else:
                print(finding.sentence, file=sys.stderr, flush=True)
    except FileNotFoundError:
        raise ValueError(f"There is no file {file}; check the name.") from None
    except NoRecordingError as error:
        raise ValueError(f"{file} is no {protocol.value} recording: {error}.") from None
    except BrokenPipeError:
        raise
    except OSError as error:
        raise ValueError(f"{file} cannot be read ({error.strerror}).") from None


@app.command()
def emulate(
    fen: FenOption = chess.STARTING_FEN,
    socket: Annotated[
        bool, typer.Option("--socket", help="A TCP port instead of a serial one.")
    ] = False,
    identity: Annotated[
        bool, typer.Option(help="The board knows which piece is in a hole.")
    ] = True,
) -> None:
    """Be a pegged board without hardware: prints its URL, takes lift e2, place e4 P, move e2e4,
    press white, fault e2, mend e2, unplug, plug, fen and quit from standard input."""
    from blindplay.boards.emulator import EmulatedBoard
    from blindplay.boards.practice import practise

    placement = fen.split()[0] if fen.split() else ""
    with EmulatedBoard(placement, force_socket=socket, identity=identity) as emulated:
        practise(emulated, sys.stdin, sys.stdout)


app.command("forget")(forget_command.forget)
app.add_typer(voice_commands.app, name="voice")
app.add_typer(models_commands.app, name="models")


@app.command()
def doctor(
    language_id: Annotated[str, typer.Option("--language", help="Language of the table.")] = "de",
    model: ModelOption = None,
    microphone: Annotated[str | None, typer.Option(help="Part of the microphone's name.")] = None,
    as_json: JsonOption = False,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a file to send with a question, without names and sound."),
    ] = None,
) -> None:
    """Say what is there and what is missing, each in one sentence with the remedy."""
    from blindplay.commands import diagnosis as examiner

    pack = language.load(language_id)
    if report is not None and not report.parent.is_dir():
        raise ValueError(f"There is no folder {report.parent}; make it first.")
    found = []
    for finding in examiner.examine(pack, model, microphone):
        found.append(finding)
        if as_json:
            print(
                json.dumps(
                    {"ok": finding.ok, "about": finding.about, "sentence": finding.sentence},
                    ensure_ascii=False,
                ),
                flush=True,
            )
        else:
            print(f"{'Good' if finding.ok else 'Missing'}: {finding.sentence}", flush=True)
    if report is not None:
        report.write_text(examiner.report(found), "utf-8")
        if not as_json:
            print(f"The report is in {report}; read it before you send it.")


bench_app = typer.Typer(help="Measure on this machine.", rich_markup_mode=None)
app.add_typer(bench_app, name="bench")
bench_app.command("models")(bench_models)
bench_app.command("crash")(bench_crash)
bench_app.command("soak")(bench_soak)


@bench_app.callback(invoke_without_command=True)
def bench(
    context: typer.Context,
    positions: Annotated[int, typer.Option(help="Positions of the round trip.", min=1)] = 20_000,
    board_moves: Annotated[
        int, typer.Option(help="Random moves on a board; 20000 takes many minutes.", min=1)
    ] = 500,
    language_id: Annotated[str, typer.Option("--language", help="Language measured.")] = "de",
    wrong_boards: Annotated[
        int | None, typer.Option("--reconcile", help="Only explain so many wrong boards.", min=1)
    ] = None,
) -> None:
    """Measure: words, time to the first sample, recogniser, folding facts, mating, the board."""
    if context.invoked_subcommand is not None:
        return
    from blindplay.bench.laws_and_words import measure, measure_reconciling

    pack = language.load(language_id)
    if wrong_boards is not None:
        figures = measure_reconciling(pack, wrong_boards)
    else:
        figures = measure(pack, positions, board_moves)
    for line in figures:
        print(line, flush=True)


@bench_app.command("voice")
def bench_voice(
    language_id: Annotated[str, typer.Option("--language", help="Language spoken.")] = "de",
    model: ModelsOption = None,
    count: CountOption = 80,
    conditions: ConditionsOption = None,
    voices: VoicesOption = "",
    recordings: RecordingsOption = None,
    measure: Annotated[
        bool, typer.Option("--measure", help="Print how far the model may be believed.")
    ] = False,
    write: Annotated[
        bool, typer.Option("--write", help="With --measure: write it beside the model.")
    ] = False,
    as_json: JsonOption = False,
) -> None:
    """Measure how well spoken moves are understood: right, asked, refused, and wrong accepted."""
    from blindplay.hearing.evaluation import report
    from blindplay.speech.confidence import file_of
    from blindplay.speech.models.folders import unread_choices

    if write and not measure:
        raise ValueError("--write goes with --measure: it writes what was measured.")
    pack = language.load(language_id)
    chosen = tuple(name.strip() for name in voices.split(",") if name.strip())
    wanted = conditions or (report.MEASURED_IN if measure else report.CONDITIONS)
    others = count if measure else count // 2
    options = report.Options(tuple(model or ()), count, others, wanted, chosen, recordings)
    if not model and (unread := unread_choices()):
        print(unread, file=sys.stderr, flush=True)
    if measure:
        measured = report.measure(pack, options)
        for line in measured.lines:
            print(line, file=sys.stderr, flush=True)
        told = json.dumps(measured.ears.as_json(), ensure_ascii=False, indent=1) + "\n"
        if not write:
            sys.stdout.write(told)
            return
        file = file_of(*report.listening(pack, options))
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(told, "utf-8")
        print(file)
        return
    for figures in report.bench(pack, options):
        if isinstance(figures, str) != as_json:
            print(json.dumps(figures, ensure_ascii=False) if as_json else figures, flush=True)


@app.command()
def version() -> None:
    """Print the version."""
    print(__version__)
