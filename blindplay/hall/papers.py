"""The papers of a round: pairings, cards for the tables, result slips, results, standings and the
report; in print, large print and Braille, as a text to read by ear, and as sound.

A paper is made once, as sheets of lines, and each form is made of these.
"""

import functools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from blindplay.console.messages import catalogue, negotiate
from blindplay.language import Language
from blindplay.language.scoresheets import braille
from blindplay.laws import time_controls
from blindplay.laws.facts import SIDES
from blindplay.record.writing import PAPER, Paper, braille_pages, brf, print_page
from blindplay.speech.synthesis import is_words
from blindplay.translation import UserError
from blindplay.wording.announcements import result_in_words
from blindplay.wording.values import (
    Pairing,
    number_in_words,
    pairing_in_words,
    speakable,
    standing_in_words,
    time_control_in_words,
)

from .broadcast.lists import ListedGame, ListedRound, figures, ranking_of
from .event_file import EventFile
from .follower import Follower
from .overview import natural
from .pairings.played import NEWER, PlayedGames, TableResult, all_results_in
from .pairings.round_report import ReportedGame, ReportedIncident, Reporter, RoundReport
from .pairings.rounds import Assignment, PlayerPlace, Round, kept_round, place_in_words
from .pairings.trf import TrfFile

if TYPE_CHECKING:
    from blindplay.speech.synthesis import Synthesiser

SLIP_RESULTS = ("1–0", "½–½", "0–1")
_PAUSE_S = 0.4  # between two lines of a sound


class PaperKind(StrEnum):
    """The papers."""

    PAIRINGS = "pairings"
    """By table."""
    PLAYERS = "players"
    """The pairings by name."""
    CARDS = "cards"
    """A sheet for each table."""
    SLIPS = "slips"
    """Slips for the result, to be signed by both."""
    RESULTS = "results"
    STANDINGS = "standings"
    REPORT = "report"


class PaperForm(StrEnum):
    """The forms of a paper."""

    PRINT = "print"
    LARGE = "large"
    BRAILLE = "braille"
    TEXT = "text"
    SOUND = "sound"


ENDINGS = {
    PaperForm.PRINT: ".html",
    PaperForm.LARGE: "-large.html",
    PaperForm.BRAILLE: ".brf",
    PaperForm.TEXT: ".txt",
    PaperForm.SOUND: ".wav",
}
"""How the names of files end. They begin with the kind of paper."""
APART = (PaperKind.CARDS, PaperKind.SLIPS)
"""Papers of which each sheet goes to another place."""


@dataclass(frozen=True)
class PaperLine:
    """One line of a sheet: its cells as they are printed, and a sentence, as a text has it and as a
    voice can speak it."""

    cells: tuple[str, ...]
    written: str
    spoken: str


@dataclass(frozen=True)
class Sheet:
    """Lines that belong together: a list, or what lies at one table. Without ``columns`` each line
    has a name and a value."""

    heading: str
    columns: tuple[str, ...]
    lines: tuple[PaperLine, ...]
    remarks: tuple[PaperLine, ...] = ()
    """Below the lines; each has one cell."""


@dataclass(frozen=True)
class RoundPaper:
    """One paper, in one language."""

    kind: PaperKind
    title: str
    spoken: str
    """The title as a voice can speak it."""
    sheets: tuple[Sheet, ...]
    pack: Language

    def html(self, points: int) -> str:
        """The paper for a printer; ``points`` is the size of type. Large print has no columns: no
        name would fit.

        :raises ValueError: for another size than :func:`print_page` allows.
        """
        return print_page(
            "hall", "paper.html", points,
            paper=self, large=points >= 16, say=_say(self.pack),
            results=SLIP_RESULTS, language=self.pack.code, sides=SIDES,
        )  # fmt: skip

    def brf(self, paper: Paper = PAPER) -> str:
        """The paper for an embosser.

        :raises ValueError: if the size of the paper is too small.
        """
        pages: list[list[str]] = []
        blocks = [self.title] if self.kind not in APART else []
        for sheet in self.sheets:
            blocks += self._blocks(sheet)
            if self.kind in APART:
                pages += self._pages(blocks, paper)
                blocks = []
        pages += self._pages(blocks, paper) if blocks else []
        return brf(map(braille.to_brf, page) for page in pages)

    def _blocks(self, sheet: Sheet) -> Iterator[str]:
        if sheet.heading:
            yield sheet.heading
        if sheet.columns:
            yield _in_short(sheet.columns)
        yield from (_in_short(line.cells) for line in sheet.lines)
        yield from (line.written for line in sheet.remarks)
        if self.kind is PaperKind.SLIPS:
            say = _say(self.pack)
            yield f"{say['hall_report_result']}:"
            yield from (f"{_plain_figures(result)}: ----" for result in SLIP_RESULTS)
            for side in SIDES:
                yield f"{say['print_signature'].format(side=say[side])}: --------"

    def _pages(self, blocks: Iterable[str], paper: Paper) -> list[list[str]]:
        code = self.pack.code
        return braille_pages(
            (braille.write(_plain_figures(block), code) for block in blocks),
            cells=paper.cells,
            lines=paper.lines,
            number=lambda page: braille.write(str(page), code),
        )

    def text(self) -> str:
        """The paper to read by ear: a sentence a line."""
        lines = [self.title]
        for sheet in self.sheets:
            lines += ["", sheet.heading] if sheet.heading else [""]
            lines += [line.written for line in (*sheet.lines, *sheet.remarks)]
        return "\n".join(lines) + "\n"

    def spoken_lines(self) -> Iterator[str]:
        """The paper as a voice can speak it."""
        yield self.spoken
        for sheet in self.sheets:
            if self.kind not in APART and (heading := _spoken(sheet.heading, self.pack)):
                yield f"{heading.rstrip('.')}."
            yield from (line.spoken for line in (*sheet.lines, *sheet.remarks) if line.spoken)

    def sound(self, synthesiser: "Synthesiser") -> bytes:
        """The paper as a WAV file.

        :raises SynthesisError: if the voice cannot speak.
        """
        from blindplay.speech.audio import read_wav, wav

        rendered = [read_wav(synthesiser.render(line, public=True)) for line in self.spoken_lines()]
        rate = rendered[0][1]
        pause = bytes(2 * round(rate * _PAUSE_S))
        return wav(pause.join(pcm for pcm, _rate in rendered), rate)


def _say(pack: Language) -> Mapping[str, str]:
    return catalogue(negotiate(pack.code))


def _spoken(text: str, pack: Language) -> str:
    """A text of the pages as a voice can speak it: numbers in words, without what is no word."""
    text = re.sub(r"\d{1,4}", lambda digits: f" {pack.number(int(digits[0]))}", text)
    return " ".join(word for word in text.split() if is_words(word, pack.code))


def _in_short(cells: Sequence[str]) -> str:
    """A line with little room: "4: Anna Berg, Bert Dahl"."""
    first, rest = cells[0], [cell or "-" for cell in cells[1:]]
    return f"{first}: {', '.join(rest)}" if rest else first


def _plain_figures(text: str) -> str:
    """``text`` with the signs that Braille has."""
    text = re.sub(r" \(([^()]*)\)", r", \1", text)
    return text.replace("½", "1/2").replace(" : ", ":")


@dataclass(frozen=True)
class EventRound:
    """What the papers of a round are made of."""

    title: str
    """The event's name for people."""
    paired: Round
    play: Mapping[str, Any] = field(default_factory=dict)
    """The settings of the event's file for its tables."""
    results: Sequence[TableResult] = ()
    """The games of the round of which the hall has copies."""
    ranked: TrfFile | None = None
    """The report file with the standings; None if there is none."""
    report: RoundReport | None = None

    @classmethod
    def of(
        cls,
        joined: EventFile,
        number: int | str | None,
        language: str,
        ranked: TrfFile | None = None,
    ) -> "EventRound":
        """Round ``number``, or the newest one, from the hall's folder of the event.
        ``ranked``: the report file of the pairing program.

        :raises ValueError: if the round is not paired, or the pairings cannot be read.
        :raises OSError: if the copies of the journals cannot be read.
        """
        paired = kept_round(joined.folder, number)
        if paired is None:
            raise UserError("This round is not paired yet; do it with: blindplay hall pair FILE")
        return cls(
            joined.title,
            paired,
            joined.play,
            all_results_in(joined.folder, paired.round),
            ranked,
            reporter_of(joined).report(negotiate(language), paired.round),
        )

    def paper(self, kind: PaperKind, pack: Language) -> RoundPaper | None:
        """The paper in the language of ``pack``; None if there is nothing for it yet."""
        return _Maker(self, pack).paper(kind)


def reporter_of(joined: EventFile) -> Reporter:
    """What reports of the copies in the hall's folder. A hall may be running."""
    return Reporter(Follower(joined.event, joined.folder, lambda topic, payload: None))


_STATES = {NEWER: "list_no_result", "over": "list_no_result"}


class _Maker:
    """Makes the papers of a round in one language."""

    def __init__(self, about: EventRound, pack: Language) -> None:
        self._about, self._pack = about, pack
        self._say = _say(pack)
        self._number = about.paired.round
        self._played = PlayedGames(about.results)

    def paper(self, kind: PaperKind) -> RoundPaper | None:
        sheets = {
            PaperKind.PAIRINGS: self._pairings,
            PaperKind.PLAYERS: self._players,
            PaperKind.CARDS: self._cards,
            PaperKind.SLIPS: self._slips,
            PaperKind.RESULTS: self._results,
            PaperKind.STANDINGS: self._standings,
            PaperKind.REPORT: self._report,
        }[kind]()
        if not sheets:
            return None
        title = self._say[f"print_{kind}"]
        spoken = title.format(round=number_in_words(self._number, self._pack))
        return RoundPaper(
            kind,
            f"{self._about.title}: {title.format(round=self._number)}",
            f"{_spoken(f'{self._about.title}: {spoken}', self._pack)}.",
            tuple(sheets),
            self._pack,
        )

    # --- lists -----------------------------------------------------------------------------------

    @functools.cached_property
    def _listed(self) -> ListedRound:
        paired = self._about.paired
        games = [self._listed_game(game) for game in paired.games]
        games.sort(key=lambda game: natural(game.table))
        return ListedRound(paired.round, tuple(games), paired.resting, paired.byes)

    def _listed_game(self, game: Assignment) -> ListedGame:
        played = self._played.of(game.white, game.black)
        known = played is not None and bool(played.result)
        known = known and not self._played.doubt(game.white, game.black)
        result = figures(*played.scores) if played is not None and known else ""
        return ListedGame(game.table, game.white, game.black, result)

    def _pairings(self) -> list[Sheet]:
        say = self._say
        columns = say["hall_col_table"], say["white"], say["black"]
        lines = [
            PaperLine((game.table, game.white, game.black), *self._place(_of_table(game)))
            for game in self._listed.games
        ]
        return [Sheet("", columns, tuple(lines), self._byes())]

    def _place(self, pairing: Pairing) -> tuple[str, str]:
        """The sentence about a pairing, as it is printed, and as it is spoken."""
        place = PlayerPlace(pairing.white, pairing)
        if pairing.round:
            return place_in_words(place, self._about.paired, self._pack)
        printed = self._pack.sentence(
            "pairing_of_table",
            round="", table=pairing.table, white=pairing.white, black=pairing.black,
        )  # fmt: skip
        return printed, pairing_in_words(pairing, self._pack)

    def _byes(self) -> tuple[PaperLine, ...]:
        paired = self._about.paired
        lines = []
        for name in paired.resting:
            bye = paired.byes.get(name, "")
            words = place_in_words(PlayerPlace(name, None, bye), paired, self._pack)
            lines.append(PaperLine((f"{name}: {self._bye(bye)}",), *words))
        return tuple(lines)

    def _bye(self, bye: str) -> str:
        return self._say[f"list_bye_{bye}"] if bye else self._say["list_rests"]

    def _players(self) -> list[Sheet]:
        say = self._say
        columns = (
            say["list_player"], say["hall_col_table"], say["list_colour"], say["list_opponent"],
        )  # fmt: skip
        lines = [self._of_player(player) for player in self._listed.players()]
        return [Sheet("", columns, tuple(lines))]

    def _of_player(self, player: PlayerPlace) -> PaperLine:
        if not player.table:
            words = place_in_words(player, self._about.paired, self._pack)
            return PaperLine((player.name, self._bye(player.bye)), *words)
        say, pack = self._say, self._pack

        def told(name: str, table: str, opponent: str) -> str:
            at = say["of_table"].format(table=table)
            return f"{name}: {at}, {say[player.side]}. {say['list_opponent']}: {opponent}."

        names = speakable(player.name, pack), speakable(player.opponent, pack)
        return PaperLine(
            (player.name, player.table, say[player.side], player.opponent),
            told(player.name, player.table, player.opponent),
            told(names[0], number_in_words(player.table, pack), names[1]),
        )

    def _results(self) -> list[Sheet]:
        if not self._about.results:
            return []
        say = self._say
        columns = (
            say["hall_col_table"], say["white"], say["black"], say["hall_report_result"],
            say["print_remark"],
        )  # fmt: skip
        lines = tuple(map(self._result, self._listed.games))
        return [Sheet("", columns, lines, self._byes())]

    def _result(self, game: ListedGame) -> PaperLine:
        played, pack = self._played.of(game.white, game.black), self._pack
        doubt = self._played.doubt(game.white, game.black)
        remarks = ", ".join(self._remarks(played, doubt))
        shown = game.result
        if not shown:
            state = "setup" if played is None else played.state
            shown = self._say[_STATES.get(state, f"hall_state_{state}")]
        known = played is not None and bool(game.result)
        told = result_in_words(pack, played.result) if played and known else _sentence(shown)
        written, spoken = self._place(_of_table(game))
        after = [told, _sentence(remarks)]
        return PaperLine(
            (game.table, game.white, game.black, shown, remarks),
            " ".join(filter(None, (written, *after))),
            " ".join(filter(None, (spoken, *(_spoken(text, pack) for text in after)))),
        )

    def _remarks(self, played: TableResult | None, doubt: str) -> Iterator[str]:
        if doubt:
            yield self._say[f"print_{doubt}"]
        if played is None:
            return
        if played.result and not doubt:
            if played.former:
                yield self._say["print_corrected"]
            if len(played.signed) < len(SIDES) and not played.forfeited:
                yield self._say["print_unsigned"]
        if played.in_conflict:
            yield self._say["hall_need_conflict"]

    def _standings(self) -> list[Sheet]:
        ranking, say, pack = ranking_of(self._about.ranked), self._say, self._pack
        if ranking is None:
            return []
        columns = say["list_rank"], say["list_player"], say["list_points"]
        decimal = pack.printed("decimal")
        lines = []
        for row in ranking.rows:
            points = row.points.replace(".", decimal)
            key = "standing" if points else "standing_place"
            written = pack.sentence(key, rank=str(row.rank), name=row.name, points=points)
            spoken = standing_in_words(row.rank, row.name, row.points, pack)
            lines.append(PaperLine((str(row.rank), row.name, points), written, spoken))
        return [Sheet(ranking.about(say), columns, tuple(lines))]

    # --- what lies at a table --------------------------------------------------------------------

    def _slips(self) -> list[Sheet]:
        return [
            Sheet(self._heading(game), (), tuple(self._people(game))) for game in self._sorted()
        ]

    def _cards(self) -> list[Sheet]:
        return [
            Sheet(self._heading(game), (), (*self._people(game), *self._rules(game)))
            for game in self._sorted()
        ]

    def _sorted(self) -> list[Assignment]:
        return sorted(self._about.paired.games, key=lambda game: natural(game.table))

    def _heading(self, game: Assignment) -> str:
        return self._say["of_table"].format(table=game.table)

    def _people(self, game: Assignment) -> Iterator[PaperLine]:
        """The names first: they are what people look for. A voice says both in one sentence."""
        pairing = pairing_in_words(game.pairing, self._pack)
        yield self._named(self._say["white"], game.white, pairing)
        yield self._named(self._say["black"], game.black, "")
        yield self._named(self._say["about_round"], game.round, "")
        yield self._named(self._say["about_event"], self._about.title, "")

    def _rules(self, game: Assignment) -> Iterator[PaperLine]:
        say, pack = self._say, self._pack
        if control := game.time_control or str(self._about.play.get("time-control", "")):
            words = time_control_in_words(time_controls.stored(control), pack)
            yield self._named(say["about_timecontrol"], words, None)
        name, _rest, year = str(self._about.play.get("edition", "fide-2023")).partition("-")
        if year.isdecimal():
            edition = pack.sentence("settings_edition", year=year).rstrip(".")
            spoken = pack.sentence("settings_edition", year=pack.number(int(year)))
            yield self._named(say["about_rules"], edition, f"{say['about_rules']}: {spoken}")
        elif f"settings_edition_{name}" in pack.sentences():
            edition = pack.sentence(f"settings_edition_{name}").rstrip(".")
            yield self._named(say["about_rules"], edition, None)
        if game.impaired in SIDES:
            impaired = pack.sentence("settings_impaired", player=pack.sentence(game.impaired))
            label, _colon, value = impaired.rstrip(".").partition(": ")
            yield self._named(label, value, None)
        if game.impaired != "none":
            yield self._named(say["print_moves"], say["print_announced"], None)

    def _named(self, name: str, value: str, spoken: str | None) -> PaperLine:
        """``spoken`` None: as it is written."""
        written = f"{name}: {value}"
        return PaperLine((name, value), written, f"{written}." if spoken is None else spoken)

    # --- the report ------------------------------------------------------------------------------

    def _report(self) -> list[Sheet]:
        report, say = self._about.report, self._say
        if report is None or not report.games:
            return []

        def columns(*names: str) -> tuple[str, ...]:
            return tuple(say[f"hall_report_{name}"] for name in names)

        games = columns(
            "table", "white", "black", "result", "moves", "took", "left_white", "left_black"
        )  # fmt: skip
        sheets = [Sheet(say["hall_report_games"], games, tuple(map(self._reported, report.games)))]
        heading, incidents = (
            say["hall_report_incidents"],
            tuple(map(self._incident, report.incidents)),
        )
        if incidents:
            names = columns("table", "time", "incident", "articles")
            return [*sheets, Sheet(heading, names, incidents)]
        none = PaperLine((say["hall_report_none"],), *[say["hall_report_none"]] * 2)
        return [*sheets, Sheet(heading, (), (), (none,))]

    def _reported(self, game: ReportedGame) -> PaperLine:
        pack = self._pack
        result = game.result or self._say["hall_report_goes_on"]
        words = result_in_words(pack, game.result) if game.result else _sentence(result)
        told = f"{words} {_sentence(game.reason)}".strip()
        written, spoken = self._place(Pairing("", game.table, game.white, game.black))
        cells = (
            game.table, game.white, game.black,
            f"{result} ({game.reason})" if game.reason else result, str(game.moves), game.took,
            game.left.get("white", ""), game.left.get("black", ""),
        )  # fmt: skip
        return PaperLine(cells, f"{written} {told}", f"{spoken} {_spoken(told, pack)}")

    def _incident(self, one: ReportedIncident) -> PaperLine:
        cells = one.table, one.time, one.text, ", ".join(one.articles)
        at = self._say["of_table"].format(table=one.table)
        cited = f" ({cells[3]})" if cells[3] else ""
        spoken = _spoken(f"{at}: {one.text}", self._pack)
        return PaperLine(cells, f"{at}, {one.time}: {one.text}{cited}", spoken)


def _sentence(words: str) -> str:
    """Words as a sentence; empty for none."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""


def _of_table(game: ListedGame) -> Pairing:
    """The pairing, without its round: a list says that once."""
    return Pairing("", game.table, game.white, game.black)
