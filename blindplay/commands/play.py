"""``blindplay play`` and ``blindplay demo``: run a table.

``OPTIONS`` holds every option of ``play`` as data, in groups. An option is called as it is typed,
with underscores: ``--sighted-board`` is ``sighted_board``.
"""

import datetime
import itertools
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from blindplay.laws import facts
from blindplay.table.choices import Keep, OpeningWord, PressAnswer, Printed

from . import options
from .resuming import kept_values, with_kept_options
from .user_language import user_language

if TYPE_CHECKING:
    from blindplay.table.devices import WantedDevices
    from blindplay.table.play import ConsoleAt, TableOptions


_SHOWN = (Printed.WORDS, Printed.ALL)


def _option(name: str, text: str, default: str | None = None, **settings: Any) -> click.Option:
    shown = {"show_default": bool(default)}
    return click.Option([f"--{name}"], help=text, default=default, **shown, **settings)


def _flag(name: str, text: str) -> click.Option:
    return click.Option([f"--{name}/--no-{name}"], default=False, show_default=False, help=text)


def _choice(name: str, text: str, of: Iterable[Any], default: str | None = None) -> click.Option:
    return _option(name, text, default, type=options.MemberChoice(of))


OPTIONS: Mapping[str, tuple[click.Option, ...]] = {
    "Boards": (
        _option("board", "Port or URL of the impaired player's board. If not given, search."),
        _option("sighted-board", "The opponent's sensor board. dgt:PORT is a DGT board; dgt "
                "searches for one."),
        _flag("talk-levers", "The levers of the impaired player's board are talk buttons only."),
    ),
    "Microphone": (
        _option("microphone", "Part of the microphone's name; none: type instead of speaking."),
        _flag("push-to-talk", "Listen only after the talk button: t and Enter, or a lever."),
        _flag("shared-microphone", "The microphone stands between the players and hears both."),
        _choice("opening-word", 'Which spoken commands need the opening word, "Brett". If not '
                "given, those of one word; with --push-to-talk none.", OpeningWord),
        _option("model", "Folder of a Vosk model instead of the chosen ones; repeatable.",
                type=options.FILE, multiple=True),
    ),
    "Voice and print": (
        _option("language", "Language of messages, questions and commands. If not given, that of "
                "the system, else English."),
        _option("announce-in", "Language of announced moves. de+nb: German, ranks in Norwegian. "
                "If not given, German, or what D.2.1 says."),
        _option("private-output", "Part of the name of the player's earphone."),
        _option("public-output", "Part of the name of the loudspeaker."),
        _flag("silent", "Print everything and say nothing."),
        _choice("print", "What is printed. unspoken: only what no voice speaks, so that a screen "
                "reader does not talk over it; words: also what is said; all: also every ruling.",
                Printed, "unspoken"),
        _choice("press-answer", "How a press of the clock is answered: in words, or by a short "
                "sound.", PressAnswer, "words"),
        _choice("tape", "What is kept on tape. table: what it says to everybody; voices: also the "
                "announcements of the players.", Keep, "off"),
    ),
    "Rules": (
        _option("edition", "The edition of the Laws.", "fide-2023", type=options.EDITION),
        _option("time-control", "As in PGN: 5400+30, 40/5400+30:1800+30; -: no clock.", "5400+30"),
        _choice("mode", "Standard play, rapid or blitz.", facts.MODES, "standard"),
        _flag("supervised", "Rapid or blitz is fully supervised (A.4, B.2)."),
        _flag("quickplay-finish", "The rules of the quickplay finish were announced."),
        _flag("chess960", "Castle as in Chess960."),
        _option("fen", "The position at the start, in FEN.", options.START),
        _flag("arbiter", "An arbiter takes the decisions that the Laws give to arbiters."),
        _flag("training", "Answer questions about the position, which the Laws forbid."),
    ),
    "Players": (
        _option("white", "White's name.", ""),
        _option("black", "Black's name.", ""),
        _choice("impaired", "Which player is visually impaired.",
                (*facts.SIDES, "both", "none"), "white"),
        _option("white-language", "White's own language for answers and commands."),
        _option("black-language", "Black's own language for answers and commands."),
        _flag("white-hearing-impaired", "White hears badly and needs an assistant (D.2.11)."),
        _flag("black-hearing-impaired", "Black hears badly and needs an assistant (D.2.11)."),
        _flag("white-assistant", "White has an assistant."),
        _flag("black-assistant", "Black has an assistant."),
    ),
    "Record": (
        _option("event", "The competition.", ""),
        _option("site", "The place.", ""),
        _option("round", "The round.", ""),
        _option("journal", "The journal's file. If not given, a new one in your data folder.",
                type=options.FILE),
        _flag("resume", "Continue the game in --journal."),
        _choice("dead-time", "With --resume: whose clock is charged for the time without a table.",
                ("nobody", "running"), "nobody"),
    ),
    "Console": (
        _flag("console", "Serve web pages for everybody at the table. Each link is shown once."),
        _option("host", "Address of the console; 0.0.0.0: all. If not given, only this machine."),
        _option("console-port", "Port of the console.", type=click.IntRange(0, 65535)),
        _option("certificate", "Encrypt the console with this certificate, in PEM.",
                type=options.FILE),
        _option("key", "The certificate's private key, in PEM, without a password.",
                type=options.FILE),
        click.Option(["--qr/--no-qr"], default=None, help="Draw each link as a QR code. No screen "
                     "reader can read it. If not given, only on a terminal."),
    ),
    "Without devices": (
        _flag("or-demo", "With neither board nor microphone, show a demonstration game."),
    ),
}  # fmt: skip
"""The options of ``blindplay play``, by the headings of its help."""


class TableCommand(click.Command):
    """``blindplay play``. Its help shows the options under their headings."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        groups = {**OPTIONS, "Help": self.get_params(ctx)[-1:]}
        for heading, group in groups.items():
            with formatter.section(heading):
                formatter.write_dl([row for one in group if (row := one.get_help_record(ctx))])


def _play(**given: Any) -> None:
    from blindplay.record.storage import new_journal
    from blindplay.table.play import run

    _check(given)
    journal = given["journal"] or new_journal()
    if given["resume"]:
        given = with_kept_options(journal, given)
    devices = _devices(given)
    if given["or_demo"] and not devices.any_present():
        words = Printed.ALL if given["print"] is Printed.ALL else Printed.WORDS
        _demonstrate(given["journal"], _language(given), words, instead=True)
        return
    run(
        journal,
        None if given["resume"] else _setup(given),
        devices,
        sys.stdin,
        sys.stdout,
        _table_options(given),
        _console(given),
    )


play = TableCommand(
    "play",
    params=list(itertools.chain.from_iterable(OPTIONS.values())),
    callback=_play,
    help="Run a table with voice and board, or with typed words.",
)


def _language(given: Mapping[str, Any]) -> str:
    return str(given["language"] or user_language())


def _check(given: Mapping[str, Any]) -> None:
    """Raise ValueError for values that are wrong, or that do not go together."""
    from blindplay.laws import editions
    from blindplay.laws.clock import TimeControl

    for name in ("language", "white_language", "black_language", "announce_in"):
        code = given[name] or "de"
        options.load_language(code)
        if "+" in code and name != "announce_in":
            raise ValueError(
                f"--{name.replace('_', '-')} {code} names two languages; give one there, and "
                f"--announce-in {code} for the ranks in another language."
            )
    announced, edition = given["announce_in"] or "de", given["edition"]
    if announced != "de" and not editions.load(edition).switch("ranks_by_arbiter"):
        raise ValueError(
            f"{edition} fixes the German numbers of the ranks (F.1); leave out --announce-in, or "
            "choose another edition."
        )
    try:
        TimeControl.parse(given["time_control"])
    except ValueError as error:
        raise ValueError(f"--time-control {error}.") from None
    options.position(given["fen"])
    if given["resume"] and given["journal"] is None:
        raise ValueError("--resume needs --journal FILE, the game to continue.")
    served = [given[name] for name in ("host", "console_port", "certificate", "key", "qr")]
    if not given["console"] and any(value is not None for value in served):
        raise ValueError("--host, --console-port, --certificate, --key and --qr need --console.")
    if (given["certificate"] is None) is not (given["key"] is None):
        raise ValueError("--certificate and --key need each other.")


def _devices(given: Mapping[str, Any]) -> "WantedDevices":
    from blindplay.table.devices import WantedDevices

    same = ("board", "sighted_board", "microphone", "private_output", "public_output", "silent",
            "push_to_talk", "shared_microphone", "talk_levers")  # fmt: skip
    return WantedDevices(models=given["model"], **{name: given[name] for name in same})


def _table_options(given: Mapping[str, Any]) -> "TableOptions":
    from blindplay.table.play import TableOptions

    usual = OpeningWord.OPTIONAL if given["push_to_talk"] else OpeningWord.SINGLE
    return TableOptions(
        language=_language(given),
        training=given["training"],
        opening_word=given["opening_word"] or usual,
        printed=given["print"],
        tape=given["tape"],
        charge_dead_time=given["dead_time"] == "running",
        press_answer=given["press_answer"],
        command=options.called(),
        kept=kept_values(given),
    )


def _console(given: Mapping[str, Any]) -> "ConsoleAt | None":
    from blindplay.table.play import ConsoleAt

    if not given["console"]:
        return None
    qr = sys.stdout.isatty() if given["qr"] is None else given["qr"]
    return ConsoleAt(given["host"], given["console_port"], given["certificate"], given["key"], qr)


def _setup(given: Mapping[str, Any]) -> facts.Setup:
    players = {
        side: {
            "name": given[side],
            "impaired": given["impaired"] in (side, "both"),
            "hearing_impaired": given[f"{side}_hearing_impaired"],
            "assistant": given[f"{side}_assistant"],
            "language": given[f"{side}_language"] or _language(given),
        }
        for side in facts.SIDES
    }
    as_given = ("edition", "mode", "supervised", "quickplay_finish", "fen", "time_control",
                "event", "site", "round")  # fmt: skip
    setup = facts.parse(
        {
            "t": 0,
            "fact": "setup",
            **{name: given[name] for name in as_given},
            "variant": "chess960" if given["chess960"] else "chess",
            "announce_in": given["announce_in"] or "",
            "arbiter": "present" if given["arbiter"] else "automatic",
            "date": datetime.date.today().isoformat(),
            **players,
        }
    )
    assert isinstance(setup, facts.Setup)
    return setup


@click.command()
@click.option("--journal", type=options.FILE, help="Keep the journal in this file, else nowhere.")
@click.option("--language", default=user_language, help="The language that is spoken.")
@click.option("--print", "printed", default="words", type=options.MemberChoice(_SHOWN),
              help="words: a report; all: also every ruling.")  # fmt: skip
def demo(journal: Path | None, language: str, printed: Printed) -> None:
    """Show a short game with emulated boards and synthetic voices."""
    _demonstrate(journal, language, printed)


def _demonstrate(
    journal: Path | None, language: str, printed: Printed, *, instead: bool = False
) -> None:
    from blindplay.table.demo import Shown, demonstrate

    options.load_language(language)
    demonstrate(sys.stdout, language, Shown(journal, printed, instead, options.called()))
