"""What a language pack lacks, and what in it would be misunderstood, told to its translator.

Every fault is found in one go, as far as it can be: a pack of which half is missing is looked at
in its other half. Errors are what makes a pack unusable; warnings are what one should know.
"""

from __future__ import annotations

import difflib
import itertools
import re
import string
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import chess

from .language import Language
from .lexicon import WordVariants, variants
from .pack import LanguageError, Pack, Sign, built_in, fold, parse, words_of_moves
from .roundtrip import STARTS
from .understanding import QUESTIONS, Command, Kind

ALIKE = 3.0
"""Names that take each other's place are told of when they are less unlike than this, in nats."""
THE_SAME = 0.5
"""So little unlike, in nats, are words that nobody can tell apart by ear."""

Likeness = Callable[[Sequence[str], Sequence[str], float], float]
"""How unlike two pronunciations sound, in nats, or the third where it is more."""

# Tables whose keys are words, each language's own.
_WORDS = ("spoken", "pronunciations", "fillers")
# A correction may also be a command ("no" answers a question, and corrects what was announced).
_TABLES_OF_NAMES = ("files", "ranks", "pieces")
_CASTLINGS = frozenset({"move.castles_short", "move.castles_long"})
_TOLD = 3  # examples of one kind
_LISTENED = {
    "to": (Sign.TO,),
    "captures": (Sign.CAPTURES,),
    "promotes": (Sign.PROMOTES,),
    "castles": (Sign.CASTLES_SHORT, Sign.CASTLES_LONG),
    "correction": (Sign.CORRECTION,),
}


@dataclass(frozen=True)
class PackFinding:
    """One thing about a pack. ``key`` is its place, such as "ranks.3", ``line`` where that begins
    in the file, if it is there; ``text`` is one sentence that says what to do."""

    key: str
    line: int | None
    text: str

    def __str__(self) -> str:
        place = "" if self.line is None else f"line {self.line}, "
        return f"{place}{self.key}: {self.text}" if self.key else self.text


@dataclass
class PackReport:
    """What was found in the pack called ``file``."""

    file: str
    errors: list[PackFinding] = field(default_factory=list)
    warnings: list[PackFinding] = field(default_factory=list)

    @property
    def usable(self) -> bool:
        """Whether a table can be held in this language."""
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
    """Look at a pack, whatever it may be; never raises.

    ``likeness`` and ``is_sound`` know the sounds that pronunciations are made of, ``is_words``
    whether a synthesiser can say a text.
    """
    report = PackReport(file)
    try:
        data = parse(text, file)
    except LanguageError as error:
        place = re.search(r", line (\d+): ", str(error))
        report.errors.append(PackFinding("", int(place[1]) if place else None, str(error)))
        return report
    checking = _Checking(
        report, data, built_in("en.toml"), _lines(text.decode("utf-8-sig")), is_words
    )
    checking.structure()
    checking.sentences()
    checking.letters()
    checking.pronunciations(is_sound)
    checking.sounds(likeness)
    if report.usable:
        checking.use(Pack(code, data, file))
    return report


def _lines(text: str) -> dict[str, int]:
    """The line on which each key begins, by its place."""
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
            name = key[1] or key[2] or key[3]
            found.setdefault(table + name, number)
            for quote in ('"""', "'''"):
                if key[4].startswith(quote) and quote not in key[4][3:]:
                    quotes = quote
    return found


class _Checking:
    """One pack being looked at; each method looks at one thing, in the parts that are well."""

    def __init__(
        self,
        report: PackReport,
        data: Mapping[str, Any],
        whole: Mapping[str, Any],
        lines: Mapping[str, int],
        is_words: Callable[[str], bool],
    ) -> None:
        self._report = report
        self._data = data
        self._whole = whole
        self._lines = lines
        self._is_words = is_words
        self._said: dict[str, list[WordVariants]] = {}

    def _line(self, key: str) -> int | None:
        while key not in self._lines and "." in key:
            key = key.rpartition(".")[0]
        return self._lines.get(key)

    def _error(self, key: str, text: str) -> None:
        self._report.errors.append(PackFinding(key, self._line(key), text))

    def _warn(self, key: str, text: str) -> None:
        self._report.warnings.append(PackFinding(key, self._line(key), text))

    def _words(self, *path: str) -> list[str]:
        """The words at ``path`` that are well; none where there are none."""
        found: Any = self._data
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
        return [w for w in found if isinstance(w, str)] if isinstance(found, list) else []

    # ------------------------------------------------------------ what is there

    def structure(self) -> None:
        """Every key of a whole pack is there and is of its kind; others are misspelled."""
        self._compare(self._data, self._whole, "")
        for table in _WORDS:
            given = self._data.get(table, {})
            if not isinstance(given, Mapping):
                self._error(table, "This must be a table of words.")
            elif table == "spoken":
                for word, instead in given.items():
                    if not fold(word) or not isinstance(instead, str) or not instead.strip():
                        self._error(f"spoken.{word}", "Give the letters to be spoken, as a text.")
        given = self._data.get("files_of_edition", {})
        for edition, names in given.items() if isinstance(given, Mapping) else [("", None)]:
            fine = isinstance(names, Mapping) and all(
                name in "abcdefgh" and len(name) == 1 and isinstance(spelling, str)
                for name, spelling in names.items()
            )
            if not fine:
                key = f"files_of_edition.{edition}".rstrip(".")
                self._error(key, "This must name files by their letters, a to h.")

    def _compare(self, given: Mapping[str, Any], whole: Mapping[str, Any], under: str) -> None:
        own = ("files_of_edition", *_WORDS) if not under else ()
        for name in given.keys() - whole.keys() - set(own):
            close = difflib.get_close_matches(str(name), whole.keys() - given.keys(), 1)
            meant = f"did you mean {close[0]}?" if close else "remove it."
            self._warn(under + str(name), f"Nothing is known by this name; {meant}")
        for name, example in whole.items():
            key = under + name
            if name in own:
                if name not in given and name == "pronunciations":
                    self._error(name, "This table is missing: without it nothing can be heard.")
            elif name not in given:
                self._error(key, f"This is missing; in English it is {_shown(example)}.")
            elif isinstance(example, Mapping):
                if isinstance(given[name], Mapping):
                    self._compare(given[name], example, f"{key}.")
                else:
                    self._error(key, "This must be a table; see the English pack.")
            elif isinstance(example, list):
                self._list(key, given[name], example)
            elif not isinstance(given[name], str):
                self._error(key, f"This must be a text in quotes, such as {_shown(example)}.")

    def _list(self, key: str, given: object, example: list[str]) -> None:
        empty = "" in example  # where nothing may be said, too
        if not isinstance(given, list) or not given:
            self._error(key, f"This must be a list of words, such as {_shown(example)}.")
        elif not all(isinstance(w, str) and (fold(w) or (empty and not w)) for w in given):
            self._error(key, "Each of the list must be a word in quotes.")
        elif key.startswith(("numbers.", "duration.")) and len(given) != len(example):
            self._error(key, f"This needs {len(example)} words; count them.")

    # ------------------------------------------------------------ sentences

    def sentences(self) -> None:
        """Sentences have their placeholders, and hold words only."""
        for key, example in self._texts(self._whole):
            given = dict(self._texts(self._data)).get(key)
            if given is None:
                continue
            wanted = _placeholders(example)
            found = _placeholders(given)
            if found is None:
                self._error(key, "A brace { or } stands alone, or has more than a name in it.")
                continue
            assert wanted is not None  # our own pack
            if missing := sorted(wanted - found):
                self._error(key, f"This lacks {_braced(missing)}.")
            if strange := sorted(found - wanted):
                known = f"it may have {_braced(sorted(wanted))}" if wanted else "it may have none"
                self._error(key, f"This has {_braced(strange)}, which is not known here; {known}.")
            if key.startswith("printed.") or missing or strange:
                continue
            said = given.format(**dict.fromkeys(found, "Anna Anna"))
            if not said.strip() or said != said.strip():
                self._error(key, "This is empty, or has spaces at its ends.")
            elif not self._is_words(said):
                self._error(
                    key, "This has a digit, a sign or a letter alone; write it out in words."
                )
        for command in Command:
            key = f"commands.{command.value}"
            example = self._whole["commands"][command.value][0]
            for phrase in self._words("commands", command.value):
                if _placeholders(phrase) != _placeholders(example):
                    needed = _braced(sorted(_placeholders(example) or ())) or "no braces"
                    self._error(key, f"{phrase!r} must have {needed}.")

    def _texts(self, data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        for table in ("sentences", "printed"):
            found = data.get(table)
            for key, text in found.items() if isinstance(found, Mapping) else ():
                if isinstance(text, str):
                    # What is printed has braces of its own.
                    yield f"{table}.{key}", text if table == "sentences" else ""
        found = data.get("duration")
        for key, texts in found.items() if isinstance(found, Mapping) else ():
            for number, text in enumerate(texts if isinstance(texts, list) else ()):
                if isinstance(text, str):
                    yield f"duration.{key}.{number + 1}", text

    # ------------------------------------------------------------ by letters

    def letters(self) -> None:
        """No two meanings have the same letters."""
        known: dict[str, tuple[str, str, Sign | None]] = {}
        for path, name in words_of_moves(self._words):
            place = ".".join(path)
            text, other, _ = known.setdefault(fold(name.text), (name.text, place, name.sign))
            if other != place and fold(name.text):
                same = "the same word" if text == name.text else f"the same letters as {text!r}"
                self._error(place, f"{name.text!r} is {same} in {other}: keep one of them.")
        nothing = ("", "", None)
        commands: dict[str, str] = {}
        for command in Command:
            for phrase in self._words("commands", command.value):
                place = f"commands.{command.value}"
                other = commands.setdefault(fold(phrase), place)
                if other != place:
                    self._error(place, f"{phrase!r} is also in {other}: keep one of them.")
                _, other, sign = known.get(fold(phrase), nothing)
                if sign not in (None, Sign.CORRECTION, Sign.CASTLES):
                    self._error(place, f"{phrase!r} is also in {other}: keep one of them.")
        for word in self._words("listen", "opening"):
            for other in (commands.get(fold(word), ""), known.get(fold(word), nothing)[1]):
                if other:
                    self._error("listen.opening", f"{word!r} is also in {other}: keep one of them.")
        for listed, signs in _LISTENED.items():
            for word in self._words("listen", listed):
                if word and known.get(fold(word), nothing)[2] not in signs:
                    lists = " or ".join(f"move.{one.name.lower()}" for one in signs)
                    self._error(f"listen.{listed}", f"{word!r} is not in {lists}: add it there.")
        for word in self._words("listen", "also"):
            if fold(word) not in known:
                self._error("listen.also", f"{word!r} is no word for a move: add it to its list.")
        notation = self._data.get("notation")
        pieces = [
            letter
            for name, letter in (notation.items() if isinstance(notation, Mapping) else ())
            if not name.startswith("castles") and isinstance(letter, str)
        ]
        if any(len(x) != 1 or not x.isupper() for x in pieces) or len(set(pieces)) < len(pieces):
            self._error("notation", "Each piece needs a capital letter of its own.")

    # ------------------------------------------------------------ by sounds

    def pronunciations(self, is_sound: Callable[[str], bool]) -> None:
        """Each word has a pronunciation, made of sounds that are known."""
        spoken: dict[str, WordVariants] = {}
        for table in ("pronunciations", "fillers"):
            given = self._data.get(table)
            for word, lines in given.items() if isinstance(given, Mapping) else ():
                key = f"{table}.{word}"
                try:
                    said = variants(word, lines, self._report.file)
                except LanguageError:
                    self._error(
                        key,
                        f"{lines!r} is no pronunciation: write the word in small letters and its "
                        'sounds with spaces between them, such as "a n a", a cost after them as '
                        "+0.7.",
                    )
                    continue
                strange = sorted({sound for one in said for sound in one if not is_sound(sound)})
                if strange:
                    self._error(
                        key,
                        f"{', '.join(strange)} is no sound; take those of the other packs, or of "
                        "speech/adaptation/sounds.toml.",
                    )
                elif table == "pronunciations":
                    spoken[word] = said
                elif word in spoken:
                    self._error(key, "This is a word of the table, too: keep one of them.")
        if not isinstance(self._data.get("pronunciations"), Mapping):
            return
        announced = {
            part
            for table in _TABLES_OF_NAMES
            for names in self._names(table)
            for part in _parts(names[0])
        }
        needed = self._needed()
        for word in sorted(needed - self._data["pronunciations"].keys()):
            key = "pronunciations"
            if word in announced:
                self._error(key, f"{word!r} is missing: moves cannot be heard without it.")
            else:
                self._warn(key, f"{word!r} is missing: what it is said in cannot be heard.")
        self._said = {
            text: found
            for text in {*self._names_and_phrases()}
            if (found := [spoken[part] for part in _parts(text) if part in spoken])
            and len(found) == len(_parts(text))
        }

    def _names(self, table: str) -> Iterator[list[str]]:
        found = self._data.get(table)
        for name in found if isinstance(found, Mapping) else ():
            if words := [w.lower() for w in self._words(table, name)]:
                yield words

    def _names_and_phrases(self) -> dict[str, str]:
        """Everything that is listened for with one meaning, and where it stands.

        Of two spellings of a word, such as Cæsar and Caesar, the first.
        """
        found: dict[str, tuple[str, str]] = {}
        for path, name in words_of_moves(self._words):
            found.setdefault(fold(name.text), (name.text, ".".join(path)))
        for command in set(Command) - {Command.SEAL}:  # which is written, never said
            for phrase in self._words("commands", command.value):
                if "{" not in phrase:
                    place = f"commands.{command.value}"
                    found.setdefault(fold(phrase), (phrase.lower(), place))
        for word in self._words("listen", "opening"):
            found.setdefault(fold(word), (word.lower(), "listen.opening"))
        return dict(sorted(found.values()))

    def _needed(self) -> set[str]:
        """Every word that a recogniser must know; see :meth:`Language.grammar_words`."""
        words = {part for text in self._names_and_phrases() for part in _parts(text)}
        for command in QUESTIONS:
            for phrase in self._words("commands", command.value)[:1]:
                words.update(part for part in _parts(phrase.lower()) if "{" not in part)
        for table in ("pieces_plural", "colours"):
            for names in self._names(table):
                words.update(_parts(names[0]))
        return {word for word in words if len(word) > 1}

    def sounds(self, likeness: Likeness) -> None:
        """Names that take each other's place do not sound alike, and nothing sounds the same."""
        places = self._names_and_phrases()
        usual = {text: self._pronounced(said) for text, said in sorted(self._said.items()) if said}
        least: dict[tuple[str, str], tuple[float, str, str]] = {}
        for texts in itertools.combinations(usual, 2):
            (one, place), (other, of) = sorted((places[text], text)[::-1] for text in texts)
            if place > of:
                one, place, other, of = other, of, one, place
            rivals = _rivals(place, of)
            if place == of or not (rivals or _may_be_told(place, of)):
                continue
            most = least.get((place, of), (ALIKE if rivals else THE_SAME,))[0]
            apart = min(
                likeness(a, b, most) for a, b in itertools.product(usual[one], usual[other])
            )
            if apart < most:
                least[place, of] = apart, one, other
        for (place, of), (apart, one, other) in sorted(least.items(), key=lambda item: item[1]):
            alike = (
                f"{one!r} sounds like {other!r} in {of} ({apart:.1f} apart, {ALIKE:.0f} is well)"
            )
            if not _rivals(place, of):
                self._warn(place, f"{alike}: only what is said around them tells them apart.")
            elif apart < THE_SAME:
                self._error(place, f"{alike}: take another word for one of them.")
            else:
                self._warn(place, f"{alike}: the table will ask now and then.")
        self._fillers(usual, places)

    def _fillers(
        self, usual: Mapping[str, list[tuple[str, ...]]], places: Mapping[str, str]
    ) -> None:
        words = {one: text for text, all_said in usual.items() for one in all_said}
        given = self._data.get("fillers")
        for filler, lines in given.items() if isinstance(given, Mapping) else ():
            try:
                said = variants(filler, lines, self._report.file)
            except LanguageError:
                continue
            for word in sorted({words[one] for one in said if one in words}):
                self._warn(
                    f"fillers.{filler}",
                    f"This sounds the same as {word!r} in {places[word]}, which is always heard "
                    "instead: remove it.",
                )

    @staticmethod
    def _pronounced(said: list[WordVariants]) -> list[tuple[str, ...]]:
        """All pronunciations of one word, and the usual one of several."""
        if len(said) == 1:
            return [one for one, cost in said[0].items() if cost <= 1.0]
        return [tuple(itertools.chain.from_iterable(next(iter(word)) for word in said))]

    # ------------------------------------------------------------ in use

    def use(self, pack: Pack) -> None:
        """What is announced is understood again, and every command is that command."""
        try:
            words = Language(pack)
        except LanguageError as error:
            self._error("", str(error))
            return
        numbers: dict[str, int] = {}
        for n in range(10_000):
            said = words.number(n)
            if numbers.setdefault(said, n) != n or not self._is_words(said):
                self._error("numbers", f"{n} is {said!r}, and so is {numbers[said]}, or no word.")
                break
        self._commands(words, pack)
        failed: list[str] = []
        for fen in STARTS:
            board = chess.Board(fen)
            for move in board.legal_moves:
                said = words.announce(board, move)
                if not self._is_words(said):
                    failed.append(f"{said!r} is announced, which is not words only.")
                elif words.understand(said, board).move != move:
                    failed.append(
                        f"{move.uci()} is announced as {said!r}, which is not understood as it."
                    )
            for form in words.forms(board):
                if (meant := words.understand(form, board)).command is not None:
                    failed.append(f"{form!r} is a move and the command {meant.command.value}.")
        for text in dict.fromkeys(failed[:_TOLD]):
            self._error("move", text)
        if len(failed) > _TOLD:
            self._error("move", f"So it is with {len(failed) - _TOLD} announcements more.")

    def _commands(self, words: Language, pack: Pack) -> None:
        names = {
            "square": words.square(chess.E4),
            "file": pack.file_names[4],
            "rank": pack.rank_names[3],
            "pieces": words.pieces(chess.ROOK, chess.WHITE),
        }
        for command in Command:
            for phrase in pack.words("commands", command.value):
                said = phrase.format(**names)
                meant = words.understand(said, chess.Board())
                if (meant.kind, meant.command) != (Kind.COMMAND, command):
                    other = meant.command.value if meant.command else meant.kind.value
                    self._error(f"commands.{command.value}", f"{said!r} is understood as {other}.")


def _rivals(one: str, other: str) -> bool:
    """Whether one stands where the other may stand, with another meaning."""
    if one.startswith("commands.") and other.startswith("commands."):
        return True
    table = one.split(".")[0]
    if table in _TABLES_OF_NAMES:
        return other.startswith(f"{table}.")
    return {one, other} == _CASTLINGS


def _may_be_told(one: str, other: str) -> bool:
    """Whether it is worth telling that they sound the same: words that say nothing may."""
    silent = {"move.link", "move.article", "move.ignored", "move.correction"}
    return not {one, other} & silent


def _parts(text: str) -> list[str]:
    return [part for part in re.split(r"[\s-]+", text) if part]


def _placeholders(text: str) -> set[str] | None:
    """The names in braces; None where there is anything but names in them."""
    try:
        found = list(string.Formatter().parse(text))
    except ValueError:
        return None
    names = {name for _, name, _, _ in found if name is not None}
    plain = all(not spec and not conversion for _, _, spec, conversion in found)
    return names if plain and all(name.isidentifier() for name in names) else None


def _braced(names: Sequence[str]) -> str:
    return ", ".join(f"{{{name}}}" for name in names)


def _shown(example: object) -> str:
    if isinstance(example, list):
        return "[" + ", ".join(f'"{word}"' for word in example[:3]) + "]"
    if isinstance(example, Mapping):
        return "a table with " + ", ".join(list(example)[:3])
    text = " ".join(str(example).split())
    return f'"{text[:60]}…"' if len(text) > 60 else f'"{text}"'
