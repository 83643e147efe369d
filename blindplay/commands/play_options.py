"""The options of ``blindplay play``, as data: the one source of their names, types and help.

An option is called as it is typed, with underscores: ``--sighted-board`` is ``sighted_board``.
"""

from collections.abc import Iterable, Mapping
from typing import Any

import click

from blindplay.laws import facts
from blindplay.opponents.distant import LAG_LIMITS_S
from blindplay.table.choices import BrailleBy, Keep, OpeningWord, PressAnswer, Printed, PrivateVoice

from . import against, lichess_game, options


def _option(name: str, text: str, default: str | None = None, **settings: Any) -> click.Option:
    shown = {"show_default": bool(default)}
    return click.Option([f"--{name}"], help=text, default=default, **shown, **settings)


def _flag(name: str, text: str) -> click.Option:
    return click.Option([f"--{name}/--no-{name}"], default=False, show_default=False, help=text)


def _choice(name: str, text: str, of: Iterable[Any], default: str | None = None) -> click.Option:
    return _option(name, text, default, type=options.MemberChoice(of))


OPTIONS: Mapping[str, tuple[click.Option, ...]] = {
    "Boards": (
        _option("board", "Use this port or URL for the impaired player's board. Without it, all "
                "ports are searched."),
        _option("sighted-board", "Use this sensor board for the opponent. NAME:PORT is a board of "
                "that maker, such as dgt; the name alone searches for one."),
        _flag("talk-levers", "Use the levers of the impaired player's board as talk buttons only."),
    ),
    "Microphone": (
        _option("microphone", "Use the microphone with this in its name; none: type instead of "
                "speaking."),
        _flag("push-to-talk", "Listen only after the talk button: t and Enter, or a lever."),
        _flag("shared-microphone", "The microphone stands between the players and hears both."),
        _choice("opening-word", 'Say which spoken commands need the opening word, "Brett". Without '
                "it, those of one word need it; with --push-to-talk none does.", OpeningWord),
        _option("model", "Use the Vosk model in this folder instead of the chosen ones; it can "
                "be repeated.", type=options.FOLDER, multiple=True),
    ),
    "Voice and print": (
        _option("language", "Print, ask and understand commands in this language. Without it, it "
                "is that of the system, or English."),
        _option("announce-in", "Announce moves in this language; de+nb is German with the ranks in "
                "Norwegian. Without it, German is spoken, or what D.2.1 says."),
        _flag("check", "Announce check and checkmate, too, which the Laws do not ask for."),
        _option("private-output", "Use the earphone with this in its name for what one player "
                "may hear."),
        _option("public-output", "Use the loudspeaker with this in its name."),
        _choice("voice", "Choose who speaks what one player may hear. own: BlindPlay; reader: this "
                "player's own screen reader.", PrivateVoice, "own"),
        _option("reader-rate", "Say how many words a minute your screen reader speaks, because "
                "most readers do not tell when they end.", "160",
                type=click.IntRange(60, 900)),
        _choice("braille", "Show all that the impaired player hears on a Braille display. brltty: "
                "that of BRLTTY, whose keys are read, too; reader: that of the screen reader.",
                BrailleBy, "off"),
        _flag("silent", "Print everything and say nothing."),
        _choice("print", "Choose what is printed. unspoken: only what no voice speaks, so that a "
                "screen reader does not talk over it; words: also what is said; all: also every "
                "ruling.",
                Printed, "unspoken"),
        _choice("press-answer", "Answer a press of the clock in words, or by a short sound.",
                PressAnswer, "words"),
        _choice("tape", "Choose what is kept on tape. table: what it says to everybody; voices: "
                "also the announcements of the players.", Keep, "off"),
        _option("time-warnings", "Say when the impaired player has so little time left, such as "
                "10:00,1:00; under the Laws only when the arbiter permits it."),
    ),
    "Rules": (
        _option("edition", "Use this edition of the Laws.", "fide-2023", type=options.EDITION),
        _option("time-control", "Give each player this time, such as 90m+30s, 40/90m+30m+30s or "
                "3h, or write it as in PGN; - means no clock.", "90m+30s",
                type=options.TIME_CONTROL),
        _choice("mode", "Play standard chess, rapid or blitz. Without it, the time control decides "
                "(A.1, B.1).", facts.MODES),
        _flag("supervised", "Apply the rules for fully supervised rapid or blitz (A.4, B.2)."),
        _flag("quickplay-finish", "Apply the rules of the quickplay finish, which were announced."),
        _flag("chess960", "Castle as in Chess960."),
        _option("fen", "Begin with this position, in FEN.", options.START,
                type=options.PLACED),
        _flag("arbiter", "Leave the decisions that the Laws give to arbiters to one."),
        _flag("training", "Answer questions about the position, which the Laws forbid."),
    ),
    "Players": (
        _option("white", "Call White by this name.", ""),
        _option("black", "Call Black by this name.", ""),
        _choice("impaired", "Say which player is visually impaired.",
                (*facts.SIDES, "both", "none"), "white"),
        _option("white-language", "Answer White, and understand commands of White, in this "
                "language."),
        _option("black-language", "Answer Black, and understand commands of Black, in this "
                "language."),
        _flag("white-hearing-impaired", "Say that White hears badly and needs an assistant "
                "(D.2.11)."),
        _flag("black-hearing-impaired", "Say that Black hears badly and needs an assistant "
                "(D.2.11)."),
        _flag("white-assistant", "Say that White has an assistant."),
        _flag("black-assistant", "Say that Black has an assistant."),
    ),
    "Opponent": (
        _option("against", "Play against an opponent who is not at this table: engine is Stockfish "
                "or, where it is not installed, a small opponent that is built in; lichess is "
                "anybody at Lichess; wait waits for another table, at port 16464 or wait:PORT, or "
                "at a hall with wait@HOST; that table gives the digits and the address, such as "
                "482915@192.168.1.20.", type=against.OpponentParameter()),
        _option("level", "Play at this level: beginner, learner, club, strong, master, "
                "full, or a number of Elo. Without it, it is club. Play against the computer of "
                "Lichess at a level from 1 to 8."),
        _option("lag-limit", "With --against wait: a connection without an answer for so many "
                "seconds counts as lost, and both clocks stop. Without it, it is 5.",
                type=click.IntRange(LAG_LIMITS_S[0], LAG_LIMITS_S[-1])),
        _flag("voices", "Talk with the opponent at a distant table, if that player wants it, too. "
              "It needs an earphone: --private-output."),
        _option("engine", "Use this UCI engine instead of Stockfish."),
        _option("challenge", "Play against this player at Lichess, if they accept.",
                type=options.LICHESS_USER),
        _flag("accept", "Take a challenge that comes at Lichess, and seek nobody."),
        _flag("rated", "Play for the rating at Lichess."),
        _choice("days", "Give so many days for each move at Lichess.",
                lichess_game.DAYS),
    ),
    "Record": (
        _option("event", "Write this competition into the record.", ""),
        _option("site", "Write this place into the record.", ""),
        _option("round", "Write this round into the record.", ""),
        _option("journal", "Keep the game in this file. Without it, a new one in your data "
                "folder is made.",
                type=options.FILE),
        _flag("resume", "Continue the game in --journal or, without it, the last unfinished one."),
        _choice("dead-time", "With --resume: whose clock is charged for the time without a table.",
                ("nobody", "running"), "nobody"),
    ),
    "Console": (
        _flag("console", "Serve web pages for everybody at the table. Each link is shown once."),
        _option("host", "Serve the console at this address; 0.0.0.0 is all. Without it, only "
                "this machine is served."),
        _option("console-port", "Serve the console at this port.", type=click.IntRange(0, 65535)),
        _option("certificate", "Encrypt the console with this certificate, in PEM.",
                type=options.FILE),
        _option("key", "Use this private key of the certificate, in PEM, without a password.",
                type=options.FILE),
        _option("remember-browsers", "Let a browser that was closed come in again without a new "
                "link for this time since it was last open, such as 12h.",
                type=options.LENGTH),
        _flag("public", "Show the game to everybody at /public/, without a link."),
        _option("public-delay", "Show it so much later, such as 15m or 90s; 0 is at once. Without "
                "it, it is shown 15 minutes later.", type=options.LENGTH),
        _flag("public-names", "Show the players' names there, too."),
        click.Option(["--qr/--no-qr"], default=None, help="Draw each link as a QR code. No screen "
                     "reader can read it. Without it, they are drawn only on a terminal."),
    ),
    "Hall": (
        _option("hall", "Take part in a tournament's hall with this file, which the organiser has "
                "given you, or with a ticket from the hall's page, such as 482915@192.168.1.20. "
                "The network may fail: the table does not need it.", type=options.FILE),
        _flag("await-pairing", "Wait for the hall's pairing before each game; players and round "
              "come from it. It needs --hall."),
    ),
    "Without devices": (
        _flag("or-demo", "Offer a game against the computer, one of two people, or the "
              "demonstration. Where nobody can be asked, show the demonstration if there is "
              "neither board nor microphone."),
    ),
}  # fmt: skip
"""The options of ``blindplay play``, by the headings of its help."""
