"""Finds what a language pack lacks and what in it would be misunderstood, for its translator.

A check finds all faults in one go: if half of a pack is missing, it checks the other half. Errors
make a pack unusable. Warnings are worth knowing.
"""

import difflib
import itertools
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import chess

from blindplay.translation import _, one_of

from .language import Language
from .lexicon import WordVariants, variants
from .pack import (
    GrammarSign,
    LanguageError,
    Pack,
    built_in,
    fold,
    parse_pack,
    words_of_moves,
    written_out,
)
from .understanding import QUESTIONS, TYPED_ONLY, Command, Kind

STARTS = (
    chess.STARTING_FEN,
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R w KQkq - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "8/PPPPk3/8/8/8/8/4Kppp/8 w - - 0 1",
    "1n1r1b2/P1P1P1P1/8/7k/K7/8/p1p1p1p1/1N1R1B2 w - - 0 1",
    "4k3/2p1p1p1/8/1P1P1P2/1p1p1p2/8/2P1P1P1/4K3 w - - 0 1",
    "4k3/p1p1p1p1/8/1P1P1P1P/p1p1p1p1/8/1P1P1P1P/4K3 w - - 0 1",
    "7k/8/8/1Q3Q2/8/8/8/1Q5K w - - 0 1",
    "6k1/8/1Q6/8/1Q1Q4/8/5q1q/K7 w - - 0 1",
    "4k3/4r3/8/1b6/8/3NB3/4R3/4K1R1 w - - 0 1",
    "k7/8/2N1N3/1N3N2/3q4/1N3N2/2N1N3/K7 w - - 0 1",
    "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 2 3",
    "k1r5/8/8/2pP4/8/8/8/2K5 w - c6 0 1",
    "8/8/8/K1pP3r/8/8/8/7k w - c6 0 1",
)
"""The usual position, and others that have, or soon have, promotions, en passant, castling on both
sides, pins, checks, or queens that only their file and rank tell apart."""

ALIKE = 3.0
"""Names that take each other's place cause a warning below this difference, in nats."""
THE_SAME = 0.5
"""Below this difference, in nats, nobody can tell two words apart by ear."""

Likeness = Callable[[Sequence[str], Sequence[str], float], float]
"""Gives how different two pronunciations sound, in nats, or the third argument if it is less."""

# Tables whose keys are words, each language's own.
_WORDS = ("spoken", "certainty", "sounds_like", "pronunciations", "fillers")
_TABLES_OF_NAMES = ("files", "ranks", "pieces")
_OWN = ("files_of_edition", *_WORDS)
_SAID = [command for command in Command if command not in TYPED_ONLY]
_COMMANDS = frozenset(command.value for command in Command)
_CASTLINGS = frozenset({"move.castles_short", "move.castles_long"})
# These lists say nothing about a move, so their words may sound like others.
_SILENT = frozenset({"move.link", "move.article", "move.ignored", "move.correction"})
_EXAMPLES = 3  # of one fault
_MOST_PHRASES = 600  # to listen for; comparing their sounds takes the time of the square
_MOST_UNKNOWN = 20  # unknown names for which a similar one is searched
# The lists of words to listen for, and what these words mean.
_LISTENED = {
    "to": (GrammarSign.TO,),
    "captures": (GrammarSign.CAPTURES,),
    "promotes": (GrammarSign.PROMOTES,),
    "castles": (GrammarSign.CASTLES_SHORT, GrammarSign.CASTLES_LONG),
    "correction": (GrammarSign.CORRECTION,),
}


@dataclass(frozen=True)
class PackFinding:
    """One fault of a pack.

    ``key`` is its place, such as "ranks.3", ``line`` the line where that begins, if it is in the
    file, and ``text`` one sentence that says what to do.
    """

    key: str
    line: int | None
    text: str

    def __str__(self) -> str:
        if not self.key:
            return self.text
        place = "" if self.line is None else _("line {line},", line=self.line) + " "
        return place + f"{self.key}: " + self.text


@dataclass
class PackReport:
    """The faults of the pack ``file``."""

    file: str
    errors: list[PackFinding] = field(default_factory=list)
    warnings: list[PackFinding] = field(default_factory=list)

    @property
    def usable(self) -> bool:
        """True if a table can be run in this language."""
        return not self.errors


def check(
    text: bytes,
    file: str,
    code: str,
    *,
    likeness: Likeness,
    is_sound: Callable[[str], bool],
    is_words: Callable[[str], bool],
) -> PackReport:
    """Check a pack. Never raises, whatever ``text`` is.

    ``likeness`` and ``is_sound`` know the sounds of pronunciations. ``is_words`` is true for a
    text that a synthesiser can say.
    """
    report = PackReport(file)
    try:
        data = parse_pack(text, file)
    except LanguageError as error:
        place = re.search(r", line (\d+): ", str(error))
        report.errors.append(PackFinding("", int(place[1]) if place else None, str(error)))
        return report
    checking = _Checking(report, data, _lines(text.decode("utf-8-sig")), is_words)
    checking.structure()
    checking.sentences()
    checking.letters()
    checking.sounds(checking.pronunciations(is_sound), likeness)
    if report.usable:
        checking.use(Pack(code, data, file))
    return report


def _lines(text: str) -> dict[str, int]:
    """The line on which each key begins."""
    found: dict[str, int] = {}
    table, quotes = "", None
    for number, line in enumerate(text.splitlines(), 1):
        if quotes is not None:
            if quotes in line:
                quotes = None
            continue
        if header := re.match(r"\s*\[([^\[\]]+)\]", line):
            table = header[1].replace('"', "").replace(" ", "") + "."
            found.setdefault(table[:-1], number)
        elif key := re.match(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w.-]+))\s*=\s*(.*)""", line):
            found.setdefault(table + (key[1] or key[2] or key[3]), number)
            for quote in ('"""', "'''"):
                if key[4].startswith(quote) and quote not in key[4][3:]:
                    quotes = quote
    return found


@dataclass(frozen=True)
class _Checking:
    """Checks one pack. Each method checks one thing, in the well-formed parts of the pack."""

    report: PackReport
    data: Mapping[str, Any]
    lines: Mapping[str, int]
    is_words: Callable[[str], bool]
    whole: Mapping[str, Any] = field(default_factory=lambda: built_in("en.toml"))

    def _finding(self, key: str, text: str) -> PackFinding:
        known = key
        while known not in self.lines and "." in known:
            known = known.rpartition(".")[0]
        return PackFinding(key, self.lines.get(known), text)

    def _error(self, key: str, text: str) -> None:
        self.report.errors.append(self._finding(key, text))

    def _warn(self, key: str, text: str) -> None:
        self.report.warnings.append(self._finding(key, text))

    def _table(self, name: str) -> Mapping[str, Any]:
        """The table ``name``; empty if there is none."""
        found = self.data.get(name)
        return found if isinstance(found, Mapping) else {}

    def _words(self, table: str, name: str) -> list[str]:
        """The well-formed words of a list; none if there is none."""
        found = self._table(table).get(name)
        return [word for word in found if isinstance(word, str)] if isinstance(found, list) else []

    def _typed(self, command: Command) -> list[str]:
        """The well-formed forms of a command that are typed only, written out."""
        return [
            text
            for form in self._words("typed", command.value)
            for text in self._written_out(form, f"typed.{command.value}")
        ]

    def _written_out(self, form: str, key: str) -> list[str]:
        try:
            return written_out(form, self.report.file)
        except LanguageError as error:
            if key not in {one.key for one in self.report.errors}:
                self._error(key, str(error))
            return []

    def _typed_words(self, table: str, name: str) -> list[str]:
        """The well-formed words of a list for moves that are typed only."""
        listed = self._table("typed_moves").get(table)
        found = listed.get(name) if isinstance(listed, Mapping) else None
        forms = found if isinstance(found, list) else []
        return [
            text
            for form in forms
            if isinstance(form, str)
            for text in self._written_out(form, f"typed_moves.{table}.{name}")
        ]

    # --- what is there

    def structure(self) -> None:
        """Every key of a whole pack is there and has the right kind. Others are misspelled."""
        whole = {
            **self.whole,
            "typed": self.whole["typed"] | {name: ["…"] for name in _COMMANDS},
            "typed_moves": {table: self.whole[table] for table in (*_TABLES_OF_NAMES, "move")},
        }
        self._compare(self.data, whole, "")
        for table in _OWN:
            if not isinstance(self.data.get(table, {}), Mapping):
                self._error(table, _("This must be a table of words."))
        for table, remedy in (
            ("spoken", _("Give the letters to be spoken, as a text.")),
            ("sounds_like", _("Give the words that sound the same, as a text.")),
        ):
            for word, instead in self._table(table).items():
                if not fold(word) or not isinstance(instead, str) or not instead.strip():
                    self._error(f"{table}.{word}", remedy)
        for phrase, nats in self._table("certainty").items():
            if not fold(phrase) or not isinstance(nats, int | float) or not 0 <= nats <= 20:
                self._error(
                    f"certainty.{phrase}", _("Give the nats as a number from zero to twenty.")
                )
        for edition, names in self._table("files_of_edition").items():
            known = isinstance(names, Mapping) and names.keys() <= set("abcdefgh")
            if not known or not all(isinstance(spelling, str) for spelling in names.values()):
                key = f"files_of_edition.{edition}"
                self._error(key, _("This must name files by their letters, a to h."))

    def _compare(self, given: Mapping[str, Any], whole: Mapping[str, Any], under: str) -> None:
        own = _OWN if not under else ()
        unknown = sorted(given.keys() - whole.keys() - set(own))
        for number, name in enumerate(unknown):
            missing = whole.keys() - given.keys() if number < _MOST_UNKNOWN else ()
            close = difflib.get_close_matches(str(name), missing, 1)
            meant = _("did you mean {close}?", close=close[0]) if close else _("remove it.")
            self._warn(under + str(name), _("Nothing is known by this name; {meant}", meant=meant))
        for name, example in whole.items():
            key = under + name
            if name in own:
                if name not in given and name == "pronunciations":
                    self._error(name, _("This table is missing: without it nothing can be heard."))
            elif name not in given:
                if not _is_optional(key):
                    self._error(
                        key, _("This is missing; in English it is {shown}.", shown=_shown(example))
                    )
            elif not isinstance(given[name], type(example)) or given[name] == []:
                self._error(key, _wanted(example))
            elif isinstance(example, Mapping):
                self._compare(given[name], example, f"{key}.")
            elif isinstance(example, list):
                self._compare_list(key, given[name], example)

    def _compare_list(self, key: str, given: list[object], example: list[str]) -> None:
        may_be_empty = "" in example  # no word at all is a variant, too
        if not all(isinstance(w, str) and (fold(w) or (may_be_empty and not w)) for w in given):
            self._error(key, _("Each entry of the list must be a word in quotes."))
        elif key.startswith(("numbers.", "duration.")) and len(given) != len(example):
            self._error(key, _("This needs {count} words; count them.", count=len(example)))

    # --- sentences

    def sentences(self) -> None:
        """Sentences have their placeholders and hold only words."""
        texts = dict(_texts(self.data))
        for key, example in _texts(self.whole):
            if key in texts:
                self._sentence(key, texts[key], _placeholders(example) or set())
        for command in _SAID:
            key = f"commands.{command.value}"
            wanted = _placeholders(self.whole["commands"][command.value][0])
            said = (("commands", phrase) for phrase in self._words("commands", command.value))
            typed = (("typed", phrase) for phrase in self._typed(command))
            for table, phrase in (*said, *typed):
                counts = table == "typed" and command in (Command.SCORE, Command.LAST_MOVES)
                if (_placeholders(phrase) or set()) - ({"number"} if counts else set()) != wanted:
                    needed = _braced(wanted or ()) or _("no braces")
                    self._error(
                        f"{table}.{command.value}",
                        _("{phrase} must have {needed}.", phrase=repr(phrase), needed=needed),
                    )

    def _sentence(self, key: str, given: str, wanted: set[str]) -> None:
        found = _placeholders(given)
        if found is None:
            self._error(key, _("A brace { or } stands alone, or has more than a name in it."))
            return
        if wanted - found:
            self._error(key, _("This lacks {names}.", names=_braced(wanted - found)))
        if strange := _braced(found - wanted):
            known = (
                _("it may have {names}", names=_braced(wanted)) if wanted else _("it may have none")
            )
            self._error(
                key,
                _(
                    "This has {strange}, which is not known here; {known}.",
                    strange=strange,
                    known=known,
                ),
            )
        if key.startswith("printed.") or wanted != found:
            return
        said = given.format(**dict.fromkeys(found, "Anna Anna"))
        if not said.strip() or said != said.strip():
            self._error(key, _("This is empty, or has spaces at its ends."))
        elif not self.is_words(said):
            self._error(
                key, _("This has a digit, a sign or a letter alone; write it out in words.")
            )

    # --- by letters

    def letters(self) -> None:
        """No two meanings have the same letters."""
        known: dict[str, tuple[str, str, GrammarSign]] = {}
        typed = words_of_moves(self._typed_words)
        for path, word in itertools.chain(words_of_moves(self._words), typed):
            place = ".".join(path)
            text, other, _rest = known.setdefault(fold(word.text), (word.text, place, word.sign))
            if other != place and fold(word.text):
                same = (
                    _("the same word")
                    if text == word.text
                    else _("the same letters as {text}", text=repr(text))
                )
                self._error(
                    place,
                    _(
                        "{text} is {same} in {other}: keep one of them.",
                        text=repr(word.text),
                        same=same,
                        other=other,
                    ),
                )
        places = {key: place for key, (_, place, _) in known.items()}
        signs = {key: sign for key, (_, _, sign) in known.items()}
        commands: dict[str, str] = {}

        def also_in(place: str, words: str, other: str | None) -> None:
            if other not in (None, place):
                self._error(
                    place,
                    _(
                        "{words} is also in {other}: keep one of them.",
                        words=repr(words),
                        other=other,
                    ),
                )

        for command in Command:
            place = f"commands.{command.value}"
            spoken = self._words("commands", command.value) if command in _SAID else []
            for phrase in (*spoken, *self._typed(command)):
                also_in(place, phrase, commands.setdefault(fold(phrase), place))
                # "No" answers a question and corrects an announcement.
                if signs.get(fold(phrase)) not in (GrammarSign.CORRECTION, GrammarSign.CASTLES):
                    also_in(place, phrase, places.get(fold(phrase)))
        # A word for the end is obeyed whatever else it means.
        for table, name in (("listen", "opening"), ("typed", "end")):
            for said in self._words(table, name):
                for found in (commands, places):
                    also_in(f"{table}.{name}", said, found.get(fold(said)))
        for listed, wanted in _LISTENED.items():
            for said in self._words("listen", listed):
                if said and signs.get(fold(said)) not in wanted:
                    lists = one_of(f"move.{one.name.lower()}" for one in wanted)
                    self._error(
                        f"listen.{listed}",
                        _("{said} is not in {lists}: add it there.", said=repr(said), lists=lists),
                    )
        for said in self._words("listen", "also"):
            if fold(said) not in known:
                wrong = _("{said} is not a word for a move: add it to its list.", said=repr(said))
                self._error("listen.also", wrong)
        notation = self._table("notation").items()
        pieces = [x for name, x in notation if "castles" not in name and isinstance(x, str)]
        if any(len(x) != 1 or not x.isupper() for x in pieces) or len(set(pieces)) < len(pieces):
            self._error("notation", _("Each piece needs a capital letter of its own."))

    # --- by sounds

    def pronunciations(self, is_sound: Callable[[str], bool]) -> Mapping[str, WordVariants]:
        """Each word has a pronunciation of known sounds. Returns the pronunciations of words."""
        spoken: dict[str, WordVariants] = {}
        for table in ("pronunciations", "fillers"):
            for word, lines in self._table(table).items():
                key = f"{table}.{word}"
                said = self._variants(word, lines)
                strange = sorted({sound for one in said for sound in one if not is_sound(sound)})
                if not said:
                    self._error(
                        key,
                        _(
                            "{lines} is not a pronunciation: write the word in small "
                            'letters and its sounds with spaces between them, such as "a n '
                            'a", a cost after them as +0.7.',
                            lines=repr(lines),
                        ),
                    )
                elif strange:
                    self._error(
                        key,
                        _(
                            "{strange} is not a sound; take those of the other packs, or "
                            "of speech/adaptation/sounds.toml.",
                            strange=", ".join(strange),
                        ),
                    )
                elif table == "pronunciations":
                    spoken[word] = said
                elif word in spoken:
                    self._error(key, _("This is a word of the table, too: keep one of them."))
        if isinstance(self.data.get("pronunciations"), Mapping):
            announced = {
                part
                for table in _TABLES_OF_NAMES
                for words in self._first_words(table)
                for part in _parts(words)
            }
            for word in sorted(self._needed() - self._table("pronunciations").keys()):
                if word in announced:
                    self._error(
                        "pronunciations",
                        _("{word} is missing: moves cannot be heard without it.", word=repr(word)),
                    )
                else:
                    self._warn(
                        "pronunciations",
                        _("{word} is missing: phrases with it cannot be heard.", word=repr(word)),
                    )
        return spoken

    def _variants(self, word: str, lines: object) -> WordVariants:
        """The pronunciations of a word; none if one of them cannot be read."""
        try:
            return variants(word, lines, self.report.file)
        except LanguageError:
            return {}

    def _first_words(self, table: str) -> Iterator[str]:
        lists = (self._words(table, name) for name in self._table(table))
        return (words[0].lower() for words in lists if words)

    def _listened_for(self) -> dict[str, str]:
        """Everything that is listened for with one meaning, and its place.

        Of two spellings of a word, such as Cæsar and Caesar, only the first.
        """
        found: dict[str, tuple[str, str]] = {}
        for path, word in words_of_moves(self._words):
            found.setdefault(fold(word.text), (word.text, ".".join(path)))
        others = [("commands", command.value) for command in _SAID if command is not Command.SEAL]
        for table, name in (*others, ("listen", "opening")):
            for phrase in self._words(table, name):
                if table != "commands" or "{" not in phrase:
                    found.setdefault(fold(phrase), (phrase.lower(), f"{table}.{name}"))
        return dict(sorted(found.values()))

    def _needed(self) -> set[str]:
        """Every word that a recogniser must know; see :meth:`Language.grammar_words`."""
        words = {part for text in self._listened_for() for part in _parts(text)}
        for command in QUESTIONS:
            for phrase in self._words("commands", command.value)[:1]:
                words.update(part for part in _parts(phrase.lower()) if "{" not in part)
        for table in ("pieces_plural", "colours"):
            for name in self._first_words(table):
                words.update(_parts(name))
        return {word for word in words if len(word) > 1}

    def sounds(self, spoken: Mapping[str, WordVariants], likeness: Likeness) -> None:
        """Names that take each other's place sound different, and nothing sounds the same."""
        places = self._listened_for()
        if len(places) > _MOST_PHRASES:
            self._error(
                "",
                _(
                    "There are more than {most_phrases} words and phrases; remove some.",
                    most_phrases=_MOST_PHRASES,
                ),
            )
            return
        sounds = {
            text: _pronunciations([spoken[part] for part in _parts(text)])
            for text in places
            if all(part in spoken for part in _parts(text))
        }
        least: dict[tuple[str, str], tuple[float, str, str]] = {}
        ordered = sorted((places[text], text) for text in sounds if sounds[text])
        for (place, one), (of, other) in itertools.combinations(ordered, 2):
            rivals = _are_rivals(place, of)
            if place == of or not (rivals or _SILENT.isdisjoint((place, of))):
                continue
            most = least.get((place, of), (ALIKE if rivals else THE_SAME,))[0]
            pairs = itertools.product(sounds[one], sounds[other])
            apart = min(likeness(a, b, most) for a, b in pairs)
            if apart < most:
                least[place, of] = apart, one, other
        for (place, of), (apart, one, other) in sorted(least.items(), key=lambda item: item[1]):
            far = _("{apart} apart, {alike} is enough", apart=f"{apart:.1f}", alike=f"{ALIKE:.0f}")
            alike = _(
                "{one} sounds like {other} in {of} ({far})",
                one=repr(one),
                other=repr(other),
                of=of,
                far=far,
            )
            if not _are_rivals(place, of):
                self._warn(
                    place,
                    _("{alike}: only what is said around them tells them apart.", alike=alike),
                )
            elif apart < THE_SAME:
                self._error(place, _("{alike}: take another word for one of them.", alike=alike))
            else:
                self._warn(place, _("{alike}: the table will ask now and then.", alike=alike))
        words = {one: text for text in sorted(sounds) for one in sounds[text]}
        for filler, lines in self._table("fillers").items():
            same = self._variants(filler, lines).keys() & words.keys()
            for word in sorted({words[one] for one in same}):
                self._warn(
                    f"fillers.{filler}",
                    _(
                        "This sounds the same as {word} in {places}, which is always heard "
                        "instead: remove it.",
                        word=repr(word),
                        places=places[word],
                    ),
                )

    # --- in use

    def use(self, pack: Pack) -> None:
        """Announcements are understood as their moves, and phrases as their commands."""
        try:
            language = Language(pack)
        except LanguageError as error:
            self._error("", str(error))
            return
        numbers: dict[str, int] = {}
        for n in range(10_000):
            said = language.number(n)
            if numbers.setdefault(said, n) != n or not self.is_words(said):
                self._error(
                    "numbers",
                    _(
                        "{number} is {said}, and so is {numbers}, or no word.",
                        number=n,
                        said=repr(said),
                        numbers=numbers[said],
                    ),
                )
                break
        self._use_commands(language, pack)
        failed = [text for fen in STARTS for text in self._failed(language, chess.Board(fen))]
        for text in dict.fromkeys(failed[:_EXAMPLES]):
            self._error("move", text)
        if len(failed) > _EXAMPLES:
            self._error(
                "move",
                _("{count} more announcements fail like this.", count=len(failed) - _EXAMPLES),
            )

    def _use_commands(self, language: Language, pack: Pack) -> None:
        names = {
            "square": language.square(chess.E4),
            "file": pack.file_names[4],
            "rank": pack.rank_names[3],
            "pieces": language.pieces(chess.ROOK, chess.WHITE),
            "number": language.number(5),
        }
        for command in Command:
            for phrase in (*pack.said(command), *self._typed(command)):
                said = phrase.format(**names)
                meant = language.understand(said, chess.Board())
                if (meant.kind, meant.command) != (Kind.COMMAND, command):
                    other = meant.command.value if meant.command else meant.kind.value
                    self._error(
                        f"commands.{command.value}",
                        _("{said} is understood as {other}.", said=repr(said), other=other),
                    )

    def _failed(self, language: Language, board: chess.Board) -> Iterator[str]:
        for move in board.legal_moves:
            said = language.announce(board, move)
            if not self.is_words(said):
                yield _("{said} is announced, which is not words only.", said=repr(said))
            elif language.understand(said, board).move != move:
                yield _(
                    "{uci} is announced as {said}, which is not understood as it.",
                    uci=move.uci(),
                    said=repr(said),
                )
        for form in language.forms(board):
            if (command := language.understand(form, board).command) is not None:
                yield _(
                    "{form} is a move and the command {value}.",
                    form=repr(form),
                    value=command.value,
                )


def _is_optional(key: str) -> bool:
    """True for the forms that are typed only, except for the keys: a pack may have none."""
    table, _dot, name = key.partition(".")
    return table == "typed_moves" or (table == "typed" and name in _COMMANDS)


def _texts(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The texts of a pack that may have placeholders, after their keys."""
    for table in ("sentences", "printed", "duration"):
        found = data.get(table)
        for key, given in found.items() if isinstance(found, Mapping) else ():
            if table == "duration":
                texts = enumerate(given if isinstance(given, list) else (), 1)
                yield from ((f"duration.{key}.{n}", t) for n, t in texts if isinstance(t, str))
            elif isinstance(given, str):
                # A printed text has braces of its own.
                yield f"{table}.{key}", given if table == "sentences" else ""


def _pronunciations(said: Sequence[WordVariants]) -> list[tuple[str, ...]]:
    """The likely pronunciations of one word, or the usual one of several words."""
    if len(said) == 1:
        return [one for one, cost in said[0].items() if cost <= 1.0]
    usual = tuple(itertools.chain.from_iterable(next(iter(word)) for word in said))
    return [usual] if said else []


def _are_rivals(one: str, other: str) -> bool:
    """True if one may be said in the place of the other, with another meaning."""
    if one.startswith("commands.") and other.startswith("commands."):
        return True
    table = one.split(".")[0]
    if table in _TABLES_OF_NAMES:
        return other.startswith(f"{table}.")
    return {one, other} == _CASTLINGS


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[\s-]+", text) if part]


def _placeholders(text: str) -> set[str] | None:
    """The names in braces; None if there is anything but names in them."""
    try:
        found = list(string.Formatter().parse(text))
    except ValueError:
        return None
    names = {name for _, name, _, _ in found if name is not None}
    plain = all(not spec and not conversion for _, _, spec, conversion in found)
    return names if plain and all(name.isidentifier() for name in names) else None


def _braced(names: Iterable[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in sorted(names))


def _wanted(example: object) -> str:
    """What must stand in the place of ``example``."""
    if isinstance(example, Mapping):
        return _("This must be a table; see the English pack.")
    if isinstance(example, list):
        return _("This must be a list of words, such as {example}.", example=_shown(example))
    return _("This must be a text in quotes, such as {example}.", example=_shown(example))


def _shown(example: object) -> str:
    if isinstance(example, list):
        return "[" + ", ".join(f'"{word}"' for word in example[:3]) + "]"
    if isinstance(example, Mapping):
        return _("a table with {examples}", examples=", ".join(list(example)[:3]))
    text = " ".join(str(example).split())
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'
