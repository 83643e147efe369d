"""The options of ``blindplay play``, as data: the one source of their names, types and help.

An option is called as it is typed, with underscores: ``--sighted-board`` is ``sighted_board``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import click

from blindplay.laws import facts
from blindplay.table.choices import Keep, OpeningWord, Printed

from . import options


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
                type=options.FOLDER, multiple=True),
    ),
    "Voice and print": (
        _option("language", "Language of messages, questions and commands. If not given, that of "
                "the system, else English."),
        _option("announce-in", "Language of announced moves. de+nb: German, ranks in Norwegian. "
                "If not given, German, or what D.2.1 says."),
        _flag("check", "Announce check and checkmate, too, which the Laws do not ask for."),
        _option("private-output", "Part of the name of the player's earphone."),
        _option("public-output", "Part of the name of the loudspeaker."),
        _flag("silent", "Print everything and say nothing."),
        _choice("print", "What is printed. unspoken: only what no voice speaks, so that a screen "
                "reader does not talk over it; words: also what is said; all: also every ruling.",
                Printed, "unspoken"),
        _choice("tape", "What is kept on tape. table: what it says to everybody; voices: also the "
                "announcements of the players.", Keep, "off"),
    ),
    "Rules": (
        _option("edition", "The edition of the Laws.", "fide-2023", type=options.EDITION),
        _option("time-control", "The time of each player, such as 90m+30s, 40/90m+30m+30s or 3h, "
                "or as in PGN; -: no clock.", "90m+30s", type=options.TIME_CONTROL),
        _choice("mode", "Standard play, rapid or blitz. If not given, the time control decides "
                "(A.1, B.1).", facts.MODES),
        _flag("supervised", "Rapid or blitz is fully supervised (A.4, B.2)."),
        _flag("quickplay-finish", "The rules of the quickplay finish were announced."),
        _flag("chess960", "Castle as in Chess960."),
        _option("fen", "The position at the start, in FEN.", options.START,
                type=options.PLACED),
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
        _flag("resume", "Continue the game in --journal or, without it, the last unfinished one."),
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
