"""The words of a table besides moves: numbers, times, names and sentences, in one language."""

import datetime
import string
from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType

import chess

from blindplay.translation import UserError, translated

from .mixed_text import fill, join
from .pack import PIECE_NAMES, LanguageError, Pack
from .understanding import Command


class Sentences:
    """The sentences of one pack. All of them are words: no digit, no notation."""

    def __init__(self, pack: Pack) -> None:
        self.code = pack.code
        self.name = pack.text("name")
        self._pack = pack
        self._sentences = pack.table("sentences")
        self._below_hundred = pack.text("numbers", "below_hundred").split()
        self._hundreds = pack.words("numbers", "hundreds")
        self._thousands = pack.words("numbers", "thousands")
        if (len(self._below_hundred), len(self._hundreds), len(self._thousands)) != (100, 9, 9):
            raise LanguageError(
                "{file}: numbers needs 100, 9 and 9 words: count them.", file=pack.file
            )
        self._squares = cache(self._square_names)
        spoken = {word.casefold(): str(said) for word, said in pack.table("spoken").items()}
        self.spoken: Mapping[str, str] = MappingProxyType(dict(self._said_apart()) | spoken)
        """Spellings of some words (in small letters) for a synthesiser and a speech model, some
        with espeak's phonemes in double brackets."""

    def _said_apart(self) -> Iterator[tuple[str, str]]:
        """Compound numbers of languages in which voices stress them wrongly, and their parts."""
        joint = self._pack.table("numbers").get("said_apart")
        if joint is None:
            return
        for n in range(21, 100):
            word, tens = self._below_hundred[n], self._below_hundred[n // 10 * 10]
            if word == tens:
                continue
            if word.startswith(tens):
                yield word.casefold(), f"{tens} {word.removeprefix(tens)}"
            else:
                yield word.casefold(), f"{word.removesuffix(joint + tens)} {joint} {tens}"

    def number(self, n: int) -> str:
        """``n`` in words, from 0 to 9999.

        :raises ValueError: other numbers

        >>> from blindplay.language import load
        >>> load("de").number(27)
        'siebenundzwanzig'
        """
        if not 0 <= n <= 9999:
            raise UserError("{number} cannot be said: give a number from 0 to 9999.", number=n)
        thousands, hundreds, rest = n // 1000, n // 100 % 10, n % 100
        parts = [self._thousands[thousands - 1]] if thousands else []
        if hundreds:
            parts.append(self._hundreds[hundreds - 1])
        great = self._pack.text("numbers", "joined_by").join(parts)
        if not great:
            return self._below_hundred[rest]
        if not rest:
            return great
        return great + self._pack.text("numbers", "tens_joined_by") + self._below_hundred[rest]

    def duration(self, milliseconds: int) -> str:
        """A time in words: minutes and seconds, or from one hour on hours and minutes.

        It is rounded down, so nobody hears more time than there is. Negative times are zero.

        >>> from blindplay.language import load
        >>> load("de").duration(63_000)
        'eine Minute drei Sekunden'
        """
        minutes, seconds = divmod(max(0, milliseconds) // 1000, 60)
        hours, minutes = divmod(minutes, 60)
        units = {"hour": hours, "minute": minutes, "second": 0 if hours else seconds}
        parts = []
        for unit, n in units.items():
            if n:
                one, several = self._pack.words("duration", unit)
                parts.append(one if n == 1 else several.format(n=self.number(n)))
        if not parts:
            return self._pack.text("duration", "none")
        return self._pack.text("duration", "joined_by").join(parts)

    def date(self, date: datetime.date) -> str:
        """A date in words.

        >>> from blindplay.language import load
        >>> load("de").date(datetime.date(2026, 11, 22))
        'zweiundzwanzigster November zweitausendsechsundzwanzig'
        """
        day = self._pack.text("date", "days").split()[date.day - 1]
        month = self._pack.text("date", "months").split()[date.month - 1]
        form = self._pack.text("date", "form")
        return form.format(day=day, month=month, year=self.number(date.year))

    def printed_date(self, date: datetime.date) -> str:
        """A date to be read: its day and year in digits.

        >>> from blindplay.language import load
        >>> load("de").printed_date(datetime.date(2026, 11, 22))
        '22. November 2026'
        """
        month = self._pack.text("date", "months").split()[date.month - 1]
        form = self._pack.text("date", "printed")
        return form.format(day=date.day, month=month, year=date.year)

    def square(self, square: chess.Square, *, edition: str = "fide-2023") -> str:
        """The name of ``square`` (0 to 63): "Gustav eins"."""
        return self._squares(edition)[square]

    def _square_names(self, edition: str) -> tuple[str, ...]:
        """The names of all squares, as the rule text ``edition`` spells them."""
        files = list(self._pack.file_names)
        for name, spelling in self._pack.data.get("files_of_edition", {}).get(edition, {}).items():
            files["abcdefgh".index(name)] = spelling
        return tuple(f"{files[s & 7]} {self._pack.rank_names[s >> 3]}" for s in chess.SQUARES)

    def piece(self, piece: chess.Piece) -> str:
        """The piece with its colour: "weißer Springer"."""
        colour = "white" if piece.color else "black"
        return self._pack.text("pieces_with_colour", colour, PIECE_NAMES[piece.piece_type])

    def pieces(self, kind: chess.PieceType | None, color: chess.Color | None = None) -> str:
        """Several pieces of a kind and a colour, where None is any: "weiße Springer", "Figuren"."""
        name = self._pack.words("pieces_plural", PIECE_NAMES[kind] if kind else "all")[0]
        if color is None:
            return name
        return f"{self._pack.words('colours', 'white' if color else 'black')[0]} {name}"

    def piece_alone(self, kind: chess.PieceType) -> str:
        """A piece without its colour: "Springer"."""
        return self._pack.piece_names[kind]

    def file(self, file: int) -> str:
        """The name of a file (0 to 7): "Anna"."""
        return self._pack.file_names[file]

    def rank(self, rank: int) -> str:
        """The name of a rank (0 to 7): "eins"."""
        return self._pack.rank_names[rank]

    def sentence(self, key: str, **values: str) -> str:
        """The sentence ``key`` of the pack's ``[sentences]`` with words for its ``{names}``.

        Ignores values that the sentence does not use.

        :raises LanguageError: if there is no such sentence, or if a value is missing.
        """
        if key not in self._sentences:
            raise LanguageError(
                "{file} has no sentence {key}: add it.", file=self._pack.file, key=repr(key)
            )
        missing = self.fields(key) - values.keys()
        if missing:
            raise LanguageError(
                "The sentence {key} needs {missing}: give a value for each.",
                key=repr(key),
                missing=", ".join(sorted(missing)),
            )
        return fill(str(self._sentences[key]), values, self.code)

    def sentences(self) -> list[str]:
        """The keys of all sentences."""
        return list(self._sentences)

    def fields(self, key: str) -> set[str]:
        """The names of the values that the sentence ``key`` needs."""
        parts = string.Formatter().parse(str(self._sentences[key]))
        return {name for _, name, _, _ in parts if name}

    def printed(self, key: str, **values: object) -> str:
        """A text of the pack's ``[printed]``, with ``values`` for its ``{names}`` if there are any.

        It is shown, not spoken, and may hold notation.
        """
        text = self._pack.text("printed", key).strip()
        if not values:
            return text
        return text.format(**{name: self._told(value) for name, value in values.items()})

    def _told(self, value: object) -> object:
        """A message, or an error with one, in this language."""
        if isinstance(value, str | Exception):
            return translated(str(value), self.code)
        return value

    def trouble(self, sentence: str) -> str:
        """Return a sentence about what went wrong, written in English, as it is printed."""
        return self.printed("trouble", sentence=translated(sentence, self.code))

    def command(self, command: Command) -> str:
        """The name of a command: the first of its phrases, with an example in a question."""
        known = self._pack.said(command) or self._pack.typed(command.value)
        words = known[0].format(
            square=self.square(chess.E4),
            file=self._pack.file_names[4],
            rank=self._pack.rank_names[3],
            pieces=self.pieces(chess.ROOK),
        )
        return words[0].upper() + words[1:]

    def either(self, choices: list[str]) -> str:
        """Several announcements as one question: "… , … oder …"."""
        if len(choices) < 2:
            return "".join(choices)
        said = join(", ", choices[:-1], self.code)
        return join(f" {self.sentence('or')} ", [said, choices[-1]], self.code)
