"""From a text to a command, or to a move as it was said, before any board is looked at."""

import itertools
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias

import chess

from .pack import PIECE_NAMES, GrammarSign, LanguageError, Pack, Word, fold
from .understanding import CHANGES_NOTHING, About, Command, Kind, Understanding


@dataclass(frozen=True, slots=True)
class ParsedMove:
    """A well-formed announcement. None stands for what was not said. ``in_part``: the piece or the
    square is unsaid, as in "takes David five", "pawn takes pawn" and "a new queen"."""

    piece: chess.PieceType | None = None
    from_file: int | None = None
    from_rank: int | None = None
    to: chess.Square | None = None
    captures: bool = False
    captured: chess.PieceType | None = None
    promotion: chess.PieceType | None = None
    en_passant: bool = False
    check: bool = False
    checkmate: bool = False
    castles: GrammarSign | None = None
    to_file: int | None = None
    in_part: bool = False

    @property
    def origin(self) -> chess.Square | None:
        """The square that the piece comes from, if it was said in full."""
        if self.from_file is None or self.from_rank is None:
            return None
        return chess.square(self.from_file, self.from_rank)

    @property
    def form(self) -> tuple[bool, ...]:
        """Return which parts of the move were said, apart from the promotion."""
        said = (self.piece, self.from_file, self.from_rank, self.to, self.castles)
        return tuple(part is not None for part in said)

    def comes_from(self, square: chess.Square) -> bool:
        """True if the file and the rank that were said are those of ``square``."""
        return self.from_file in (None, square & 7) and self.from_rank in (None, square >> 3)


ParsedText: TypeAlias = tuple[Understanding, ParsedMove | None]
"""The meaning of the words, and the move in them. Without a move, that is the text's whole
meaning."""

_LINK = r"(?:>?x>?e?>?a?(?P<captured{0}>P)?>?a?|>a?)?"
_ENDS = r"(?P<suffix>(?:m?=*a?P|e|m?[+#])*)"
# The grammar of moves, in the letters of the signs.
_MOVE = re.compile(
    r"(?:>?m?a?(?P<piece>P)|m?a?)(?:"
    rf"[v>]?a?(?P<origin>fr|f|r)(?P<link1>{_LINK.format(1)})"
    rf"|(?P<link2>{_LINK.format(2)})"
    rf")(?P<to>fr){_ENDS}"
)
# From a square to a rank of its file: "Eva two to four".
_TO_RANK = re.compile(r"(?P<before>m?a?P?[v>]?a?)fr>a?(?=r)")
_FILE_FIRST = re.compile(r"m?a?fP(?=[x>])")  # "the Eva pawn takes"
# "The pawn becomes a knight on Eva eight", "a new queen on Eva eight".
_PROMOTION_FIRST = re.compile(r"(?:m?a?P)?(?P<promotion>=+a?P)>?a?(?P<square>fr)")
# A move without its piece or its square: "takes David five", "pawn takes pawn", "Eva takes David",
# "takes en passant", "the pawn becomes a queen".
_IN_PART = re.compile(
    r"m?a?(?P<piece>P)?(?:[v>]?a?(?P<origin>f))?"
    r"(?:>?(?:x>?e?|e)>?a?(?P<captured>P)?>?a?(?P<to_file>f)?(?P<to_rank>r)?)?"
    rf"{_ENDS}"
)
_BEGINNING = re.compile(
    rf"m?a?(?P<piece>P)?(?:[v>]?a?(?P<origin>fr|f|r))?v?{_LINK.format(3)}(?P<to_file>f)?"
)
# The piece that takes comes last: "I take the bishop on Eva six with my bishop".
_TAKER_LAST = re.compile(r"(?:m?a?)(?P<taking>xa?P?>?a?fr)ma?(?P<piece>P)")
# "I take with the bishop on Eva six".
_TAKER_NEXT = re.compile(r"m?a?x>?ma?(?P<piece>P)(?P<to>>?a?fr)")
_CASTLING = re.compile(r"m?a?P?(?P<side>[SLC])(?:m?[+#])*")
UCI_PIECES = {"q": chess.QUEEN, "r": chess.ROOK, "b": chess.BISHOP, "n": chess.KNIGHT}
# Letters of pieces that are typed everywhere. "B" is the pawn in many languages.
_INTERNATIONAL = {"N": chess.KNIGHT, "Q": chess.QUEEN, "R": chess.ROOK}
_CAPITAL_SQUARES = re.compile(r"[A-H][1-8](?:[-x:]?[A-H][1-8])?[+#]?")
_NAME_AND_RANK = re.compile(r"([^\W\d_]{2,})([1-8])")
_BETWEEN_WORDS = re.compile("[-–—.,;:/]")
_ZERO_OR_O = re.compile(r"[0oO]([-–])?[0oO](?:([-–])?[0oO])?(?P<check>\+\+|[+#†]?)[!?]*")
# "dx e5": fide-1997 prints its examples of captures like this (E.8).
_PRINTED_CAPTURE = re.compile(r"\b([a-h]x)\s+(?=[a-h][1-8])")
_CLAUSE = re.compile(r"[,;.!?]\s+")
_MOVE_NUMBER = re.compile(r"^\s*\d+\s*\.+\s*")
_MOST_WORDS = 200  # nobody says so much in one breath; parsing takes the time of the square
_MOST_WORDS_PER_WORD = 4  # of a text that has other words around those of a command
_LIKE_ENOUGH = 0.6  # of 1: how like a form a text must be if it has not all words of it
_CARRIED = 0.7  # of 1: how much of the weight of a text is of words that a command's forms have
_FEWEST_SHARED = 2  # words that both have
_LIKER = 0.08  # how much less like it must be to the forms of every other command
_UNKNOWN_WEIGHT = 2.0  # of a word that no form has
_TELLING_WEIGHT = 1.0  # of a form that other words may stand around
_STEM = 7  # letters that tell words apart: "turneringslederen", "turneringsleder"
_OF_ONESELF = frozenset(
    map(Command, ("clock_mine", "repeat", "offer_draw", "accept_draw", "decline_draw", "resign"))
)
_WORD_FOR_WORD = (Command.MORE, Command.CHAT)  # all words of a form must be there
# A move may follow these: the move of a claim (9.2.1, 9.3.1), and the sealed move.
_WITH_MOVE = (Command.CLAIM_REPETITION, Command.CLAIM_FIFTY_MOVES, Command.SEAL)


class TextParser:
    """Parses texts with the words of one pack.

    :raises LanguageError: if the pack lacks words, or if two meanings share the same words.
    """

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._dictionary = pack.dictionary
        self._longest = max(key.count(" ") + 1 for key in self._dictionary)
        self._opening = {fold(word) for word in pack.words("listen", "opening")}
        self._commands: dict[str, Command] = {}
        self._questions: list[tuple[Command, str]] = []
        for command in Command:
            for phrase in (*pack.said(command), *pack.typed(command.value)):
                if "{" in phrase:
                    self._questions.append((command, phrase))
                elif self._commands.setdefault(fold(phrase), command) is not command:
                    raise LanguageError(
                        "{file}: {phrase} is two commands: keep one of them.",
                        file=pack.file,
                        phrase=repr(phrase),
                    )
        self._negations, self._instead, self._another, self._conditions = (
            frozenset(map(fold, pack.words("typed", name)))
            for name in ("negation", "instead", "another", "condition")
        )
        self._in_place_of = [fold(phrase).split() for phrase in pack.typed("in_place_of")]
        self._courtesy, self._asking = (
            frozenset(map(fold, pack.typed(name))) for name in ("courtesy", "asking")
        )
        self._colours = [[fold(w) for w in pack.words("colours", c)] for c in ("white", "black")]
        self._kinds: dict[str, chess.PieceType | None] = {
            key: word.value
            for key, word in self._dictionary.items()
            if word.sign is GrammarSign.PIECE
        }
        for kind, name in (*PIECE_NAMES.items(), (None, "all")):
            self._kinds |= {fold(phrase): kind for phrase in pack.words("pieces_plural", name)}
        self._usual = {
            (word.sign, word.value): word for word in reversed(list(self._dictionary.values()))
        }
        self._characters = {
            **{"abcdefgh"[n]: self._usual[GrammarSign.FILE, n] for n in range(8)},
            **{"12345678"[n]: self._usual[GrammarSign.RANK, n] for n in range(8)},
            **{
                name: self._usual[GrammarSign.PIECE, kind]
                for kind, name in pack.piece_letters.items()
            },
        }
        for letter, kind in _INTERNATIONAL.items():
            self._characters.setdefault(letter, self._usual[GrammarSign.PIECE, kind])
        letters = "".join({*pack.piece_letters.values(), *_INTERNATIONAL})
        # "b2c3" and "bxc3" can only be the file's.
        of_files, others = (
            "".join(letter for letter in letters.lower() if (letter in "abcdefgh") is of_file)
            for of_file in (True, False)
        )
        self._small_letter = re.compile(
            rf"(?<!\S)(?:[{others}](?=\s?[a-h]?[1-8]?[x:×–-]?[a-h][1-8]\b)"
            rf"|[{of_files}-](?=[a-h]?[a-h][1-8]\b))"
        )
        # A move as it is written: Sf3, Sbd2, exd6e.p., e8=D+, e2-e4, e7e8q.
        self._notation = re.compile(
            rf"(?P<move>[{letters}]?[a-h]?[1-8]?[x:×–-]?[a-h][1-8])"
            rf"(?:[=/(]?(?P<promotion>[{letters}{letters.lower()}QRBNqrbn])\)?)?"
            r"(?P<en_passant>(?:e\.?p\.?)?)(?P<check>\+\+|[+#†]?)[!?]*"
        )

    def capitalised(self, text: str) -> str:
        """``text`` with capitals for the letters of pieces in notation: "nf3" becomes "Nf3"."""
        return self._small_letter.sub(lambda found: found[0].upper(), text)

    @cached_property
    def vocabulary(self) -> frozenset[str]:
        """Every folded word that can be part of a move, or of a command with a move."""
        phrases = (*self._dictionary, *self._commands)
        return frozenset(word for phrase in phrases for word in phrase.split())

    def parse(self, text: str) -> ParsedText:
        """Return what was said. Never raises, whatever the text is."""
        parts = self._split(text)
        if len(parts) > _MOST_WORDS:
            return Understanding(Kind.UNCLEAR, " ".join(parts).casefold()), None
        if len(parts) < 2 or fold(parts[0]) not in self._opening:
            meant, said = self._parse(parts)
            if said is None and (meant.loose or meant.kind is Kind.UNCLEAR):
                said_in_clauses = self._clauses(text)
                if len(said_in_clauses) > 1:
                    return Understanding(Kind.UNCLEAR, meant.words, cost=meant.cost), None
                for command in said_in_clauses:
                    corrects = command is Command.CORRECTION
                    meant = replace(meant, correction=corrects, loose=True)
                    return _as_command(meant, command), None
                if not self._negations.isdisjoint(map(fold, parts)):
                    return self._denied_before_a_comma(text) or (meant, said)
                return self._said_instead(text) or self._agreed_first(text) or (meant, said)
            return meant, said
        # Only a command follows the opening word. A player announces a move to the opponent, not
        # to the table.
        meant, said = self._parse(parts[1:])
        words = f"{fold(parts[0])} {meant.words}"
        if meant.kind is not Kind.COMMAND:
            return Understanding(Kind.UNCLEAR, words, cost=meant.cost), None
        return replace(meant, words=words, opened=True), said

    def signs(self, text: str) -> tuple[GrammarSign, ...]:
        """Return the roles of the words in an announcement."""
        parts = self._split(text)
        return tuple(word.sign for word in self._words(parts, [fold(part) for part in parts]))

    def beginning(self, text: str) -> ParsedMove | None:
        """Return the piece and the origin in ``text`` if an announcement may begin so and its
        destination is missing, or the rank of it; else None. What is said of the origin may be of
        the destination all the same: only a board tells."""
        parts = self._split(text)
        words = [
            word
            for word in self._words(parts, [fold(part) for part in parts])
            if word.sign is not GrammarSign.IGNORED
        ]
        signs = "".join(word.sign.value for word in words)
        corrected = signs.rfind(GrammarSign.CORRECTION.value) + 1
        match = _BEGINNING.fullmatch(signs, corrected)
        if match is None:
            return None
        origin = match["origin"] or ""
        start = match.start("origin")
        if not match["piece"] and not origin.startswith("f"):
            return None
        return ParsedMove(
            piece=words[match.start("piece")].value if match["piece"] else None,
            from_file=words[start].value if origin.startswith("f") else None,
            from_rank=words[start + len(origin) - 1].value if origin.endswith("r") else None,
        )

    def _parse(self, parts: list[str]) -> ParsedText:
        keys = [fold(part) for part in parts]
        words = self._words(parts, keys)
        kept = [word for word in words if word.sign is not GrammarSign.IGNORED]
        heard = Understanding(
            Kind.UNCLEAR, " ".join(word.text for word in words), cost=0.5 * (len(words) - len(kept))
        )
        command = self._command(keys)
        if command is not None:
            correction = command is Command.CORRECTION
            return _as_command(replace(heard, correction=correction, cost=0.0), command), None
        if all(word.sign is GrammarSign.CHECK for word in kept):  # it need not be said (C.13.4)
            return replace(heard, kind=Kind.NOTHING, cost=0.0), None
        # "I move" is no word of a move in "where can I move from Eva four".
        texts = dict.fromkeys((" ".join(_keys_of(kept)), " ".join(_keys_of(words))))
        asked = next(filter(None, map(self._question, texts)), None)
        if asked is not None:
            return replace(_as_command(heard, asked[0]), about=asked[1]), None
        for length in range(len(parts) - 1, 0, -1):
            command = self._command(keys[:length])
            if command in _WITH_MOVE:
                rest = parts[length:]
                meant = replace(_as_command(heard, command), rest=" ".join(rest))
                return meant, self._parse(rest)[1]
        meant, said = self._corrected(heard, kept)
        if said is None and meant.kind is Kind.UNCLEAR:
            signs = "".join(word.sign.value for word in kept)
            after = kept[len(signs) - len(signs.lstrip(GrammarSign.CORRECTION.value)) :]
            if self._command(fold(word.text) for word in after) is Command.CORRECTION:
                # "no, no, I said it wrong"
                return _as_command(replace(heard, correction=True), Command.CORRECTION), None
            polite = self._politely(_keys_of(words)) or self._politely(_keys_of(kept))
            if polite is not None:
                command, about = polite
                corrects = command is Command.CORRECTION
                meant = replace(heard, loose=True, about=about, correction=corrects)
                return _as_command(meant, command), None
            command = self._nearest(list(filter(None, keys)), words)
            if command is not None:
                corrects = command is Command.CORRECTION
                return _as_command(replace(heard, loose=True, correction=corrects), command), None
        return meant, said

    def _denied_before_a_comma(self, text: str) -> ParsedText | None:
        """The move of a text such as "not Eva three, Eva four"."""
        for comma in re.finditer(",", text):
            instead = f" {next(iter(self._instead))} "
            parts = self._split(text[: comma.start()] + instead + text[comma.end() :])
            meant, said = self._parse(parts)
            if said is not None and meant.correction:
                return meant, said
        return None

    def _said_instead(self, text: str) -> ParsedText | None:
        """The move of a text such as "David four instead of Eva four"."""
        parts = self._split(text)
        keys = [fold(part) for part in parts]
        for phrase in self._in_place_of:
            for start in range(1, len(keys) - len(phrase)):
                if keys[start : start + len(phrase)] == phrase:
                    meant, said = self._parse(parts[:start])
                    return (replace(meant, correction=True), said) if said else None
        return None

    def _agreed_first(self, text: str) -> ParsedText | None:
        """The move of a text such as "right, knight goes to Felix three"."""
        first, _comma, rest = text.partition(",")
        if self._parse(self._split(first))[0].command is not Command.YES:
            return None
        meant, said = self._parse(self._split(rest))
        return (meant, said) if said is not None else None

    def _clauses(self, text: str) -> set[Command]:
        """The commands that a text says in clauses of their own: "that was that, I resign", "all
        right, a draw"."""
        if not self._conditions.isdisjoint(fold(part) for part in self._split(text)):
            return set()
        meanings = [self._parse(self._split(clause)) for clause in _CLAUSE.split(text)]
        if len(meanings) < 2 or any(said for _, said in meanings):
            return set()
        found: dict[Command, bool] = {}  # and whether it was said in words of a form
        for meant, said in meanings:
            if said is None and meant.command is not None:
                found[meant.command] = found.get(meant.command, False) or not meant.loose
        if Command.CORRECTION in found:
            return {Command.CORRECTION}
        answers = found.keys() & {Command.YES, Command.NO}
        if found.keys() == answers and any(meant.kind is Kind.UNCLEAR for meant, _ in meanings):
            return set()
        if len(found) == 1:
            return set(found)
        # "Sorry, what did he play?" is a question, and "all right, a draw" an answer.
        others = found.keys() - {*answers, Command.REPEAT}
        if others == {Command.OFFER_DRAW} and len(answers) == 1:
            return {Command.ACCEPT_DRAW if Command.YES in answers else Command.DECLINE_DRAW}
        exact = {command for command in others if found[command]}
        return exact or set(others)

    def _politely(self, keys: list[str]) -> tuple[Command, About | None] | None:
        """The command in a text with words of courtesy around it: "well, I resign, please". Only
        questions and other harmless commands may also follow "can you tell me"."""
        after = _cuts(keys, self._courtesy | self._asking)
        before = [len(keys) - n for n in _cuts(keys[::-1], self._courtesy_backwards)]
        spans = sorted((n - m, m, n) for m in after for n in before if m < n)
        for _length, start, stop in reversed(spans[:-1]):
            core = " ".join(keys[start:stop])
            asked = self._question(core)
            if asked is not None:
                return asked
            command = self._commands.get(core)
            if command in CHANGES_NOTHING or (
                command not in (None, Command.YES) and start in _cuts(keys, self._courtesy)
            ):
                return command, None
        return None

    @cached_property
    def _courtesy_backwards(self) -> frozenset[str]:
        return frozenset(" ".join(reversed(text.split())) for text in self._courtesy)

    def _carries(self, command: Command, form: Sequence[str], words: Sequence[Word]) -> bool:
        """True if a text has the words of ``form`` in their order, and between and around them
        nothing but courtesy, articles, and words of other forms of the command."""
        wanted = list(form)
        if command is Command.YES:  # "okay, wait" does not confirm that its player resigns
            return set(map(_stem, _keys_of(words))) <= self._vocabularies[command]
        own = self._vocabularies[command] if len(form) > 1 else frozenset()
        told = {GrammarSign.ARTICLE, GrammarSign.IGNORED}
        if command is Command.ADJUST:
            told.add(GrammarSign.PIECE)  # "I adjust the rook"
        for word in words:
            for key in _keys_of([word]):
                if wanted and key == wanted[0]:
                    del wanted[0]
                elif word.sign in told or key in self._courtesy or _stem(key) in own:
                    continue
                else:
                    return False
        return not wanted

    @cached_property
    def _vocabularies(self) -> dict[Command, frozenset[str]]:
        """The stems of the words in all forms of each command."""
        found: dict[Command, set[str]] = {}
        for _unused, command, stems in self._forms:
            found.setdefault(command, set()).update(stems)
        return {command: frozenset(stems) for command, stems in found.items()}

    def _nearest(self, keys: Sequence[str], words: Sequence[Word]) -> Command | None:
        """The command with a form that is most like a text: "please do tell me my time now". None
        if another command is nearly as like.

        The form of a command that does something in the game carries the whole text. Forms of the
        others have nearly all of its weight.

        No form fits a text with another negation, or one that names a square. No form about
        oneself fits a text about somebody else: "my opponent resigns".
        """
        signs = {word.sign for word in words}
        if {GrammarSign.FILE, GrammarSign.RANK} <= signs:
            return None
        denied = self._negations & set(keys)
        of_another = not self._another.isdisjoint(keys)
        stems = {_stem(key) for key in keys if key not in self._courtesy} or set(map(_stem, keys))
        weights = {stem: self._weights.get(stem, _UNKNOWN_WEIGHT) for stem in stems}
        total = sum(weights.values())
        carried = {
            command: sum(weights[stem] for stem in stems & vocabulary)
            for command, vocabulary in self._vocabularies.items()
        }
        likeness: dict[Command, float] = {}
        longest: dict[Command, int] = {}  # form of which the text has all words
        refused: set[Command] = set()  # commands that the text denies: "I do not resign"
        near = (one for stem in stems for one in self._forms_by_stem.get(stem, ()))
        for form, command, of_form, weight in near:
            shared = of_form & stems
            harmless = command in CHANGES_NOTHING
            if not harmless and (shared != of_form or not self._carries(command, form, words)):
                continue
            if harmless and carried[command] < _CARRIED * total:
                continue
            like = 2 * sum(weights[stem] for stem in shared) / (total + weight)
            if like < _LIKE_ENOUGH and shared != of_form:
                continue
            if of_another and command in _OF_ONESELF and self._another.isdisjoint(form):
                continue
            refuses = command in (Command.NO, Command.DECLINE_DRAW)
            contained = not harmless or _contains(keys, form, command)
            if not refuses and denied != self._negations & set(form):
                if contained and denied:
                    refused.add(command)
                continue
            if contained:
                longest[command] = max(longest.get(command, 0), len(form))
            elif len(shared) < _FEWEST_SHARED or command in _WORD_FOR_WORD:
                continue
            likeness[command] = max(likeness.get(command, 0.0), like)
        for command in refused - longest.keys():
            likeness.pop(command, None)
        if len(longest) > 1:  # "yes, agreed"
            longest = {c: n for c, n in longest.items() if c not in (Command.YES, Command.NO)}
        whole = {command for command, n in longest.items() if n == max(longest.values())}
        best = sorted(likeness, key=lambda command: -likeness[command])[:2]
        clear = len(best) < 2 or likeness[best[0]] - likeness[best[1]] >= _LIKER
        like_one = best[0] if best and clear and likeness[best[0]] >= _LIKE_ENOUGH else None
        if not whole:
            return like_one
        # A text that has a form of one command, but is more like those of another, may be either.
        return whole.pop() if len(whole) == 1 and like_one in (None, *whole) else None

    @cached_property
    def _forms(self) -> list[tuple[tuple[str, ...], Command, frozenset[str]]]:
        """The words of each form, its command, and the stems of the words."""
        words = (
            (tuple(filter(None, form.split())), command)
            for form, command in self._commands.items()
            if command is not Command.SEAL  # other words follow it
        )
        return [
            (form, command, frozenset([word[:_STEM] for word in form])) for form, command in words
        ]

    @cached_property
    def _weights(self) -> dict[str, float]:
        """What a word weighs, by its stem. The fewer commands have it, the more it tells."""
        having = Counter(itertools.chain.from_iterable(self._vocabularies.values()))
        return {stem: math.log(len(Command) / times) + 0.1 for stem, times in having.items()}

    @cached_property
    def _forms_by_stem(
        self,
    ) -> dict[str, list[tuple[tuple[str, ...], Command, frozenset[str], float]]]:
        """The forms and what their words weigh, by the heaviest stem in each. A form of one word
        that says little, such as "I", a yes in Swedish, is not among them."""
        found: dict[str, list[tuple[tuple[str, ...], Command, frozenset[str], float]]] = {}
        weights = self._weights
        ordered = sorted(weights, key=lambda stem: (weights[stem], stem))
        place = {stem: number for number, stem in enumerate(ordered)}
        for form, command, stems in self._forms:
            weight = sum(map(weights.__getitem__, stems))
            if weight >= _TELLING_WEIGHT:
                heaviest = max(stems, key=place.__getitem__)
                found.setdefault(heaviest, []).append((form, command, stems, weight))
        return found

    def _corrected(self, heard: Understanding, words: list[Word]) -> ParsedText:
        """A command or a move, perhaps after a correction.

        A player corrects a slip on noticing it, if need be in mid-sentence. The words before the
        last correction are void (D.2.8).
        """
        signs = [word.sign for word in words]
        markers = [n for n, sign in enumerate(signs, 1) if sign is GrammarSign.CORRECTION]
        begins = markers[-1] if markers else 0
        marker = ""
        void = (word for word in words[: max(begins - 1, 0)] if word.sign is GrammarSign.UNKNOWN)
        if begins and all(fold(word.text) in self._negations for word in void):
            marker, words = fold(words[begins - 1].text), words[begins:]
            if not words and begins == len(markers) and self._commands.get(marker) is Command.NO:
                return _as_command(heard, Command.NO), None  # "no, no"
            if not words:
                # "Korrektur" or "nein" after a move takes it back; "Moment" only asks for time.
                if marker not in self._commands:
                    kind = Kind.NOTHING if begins == 1 else heard.kind
                    return replace(heard, kind=kind, cost=0.0), None
                return _as_command(replace(heard, correction=True), Command.CORRECTION), None
        command = self._command([fold(word.text) for word in words])
        # "No draw" refuses what it names. After words of an announcement a no only corrects them.
        denied = self._commands.get(marker) is Command.NO and len(markers) == begins
        if command is not None and not denied:
            heard = replace(heard, correction=command is Command.CORRECTION)
            return _as_command(heard, command), None
        denied_words = self._denied(words)
        if denied_words:
            marker, words = fold(words[denied_words.stop - 1].text), _without(words, denied_words)
        said = _said(words)
        # "Korrektur" says so by itself. Other words correct only with a move: "nei til remis".
        corrects = said is not None or self._commands.get(marker) is Command.CORRECTION
        told = [word for word in words if word.sign is not GrammarSign.ARTICLE]
        core = (self._usual.get((word.sign, word.value), word) for word in told)
        meant = replace(
            heard,
            correction=bool(marker) and corrects,
            uttered=" ".join(word.text for word in told),
            core=" ".join(word.text for word in core),
        )
        return meant, said

    def _denied(self, words: Sequence[Word]) -> slice | None:
        """The words that a player denies and replaces: "not Eva three but" Eva four."""
        keys = [fold(word.text) for word in words]
        for stop in range(len(keys) - 1, 1, -1):
            if keys[stop - 1] in self._instead:
                starts = (n for n in range(stop - 2) if keys[n] in self._negations)
                return next((slice(n, stop) for n in starts), None)
        return None

    def _command(self, keys: Iterable[str]) -> Command | None:
        return self._commands.get(" ".join(key for key in keys if key))

    def _question(self, text: str) -> tuple[Command, About] | None:
        """The question that a folded text asks, and what it is about."""
        word = text.partition(" ")[0]
        asked = self._questions_by_word.get(word, [])
        if word in self._names:
            asked = [*asked, *self._questions_by_word.get("", [])]
        for command, before, gap, after in asked:
            ends = len(text) - len(after)
            if not (len(before) < ends and text.startswith(before) and text.endswith(after)):
                continue
            match = gap.fullmatch(text, len(before), ends)
            if match is None:
                continue
            found = match.groupdict()
            if "kind" in found:
                color = chess.WHITE if found["white"] else chess.BLACK if found["black"] else None
                return command, About(piece=self._kinds[found["kind"]], color=color)
            if "number" in found:
                number = found["number"]
                written = int(number) if number.isdecimal() else self._numbers[number]
                return command, About(number=written)
            file, rank = (
                self._dictionary[found[name]].value if name in found else None
                for name in ("file", "rank")
            )
            line = chess.BB_ALL if file is None else chess.BB_FILES[file]
            across = chess.BB_ALL if rank is None else chess.BB_RANKS[rank]
            return command, About(tuple(chess.scan_forward(line & across)))
        return None

    @cached_property
    def _numbers(self) -> dict[str, int]:
        """The numbers below a hundred by their folded names."""
        names = self._pack.text("numbers", "below_hundred").split()
        ranks = {key: word.value + 1 for key, word in self._dictionary.items()
                 if word.sign is GrammarSign.RANK}  # fmt: skip
        return {fold(name): number for number, name in enumerate(names)} | ranks

    @cached_property
    def _questions_by_word(self) -> dict[str, list[tuple[Command, str, re.Pattern[str], str]]]:
        """Each question as the folded words before its gap, what may stand in the gap, and the
        words after it; by its first word, by none if it begins with a name."""
        gaps = {name: re.compile(pattern) for name, pattern in self._slots.items()}
        found: dict[str, list[tuple[Command, str, re.Pattern[str], str]]] = {}
        for command, phrase in self._questions:
            parts = phrase.split()
            gap = next((part for part in parts if part in gaps), "")
            if not gap:
                continue
            at = parts.index(gap)
            before = "".join(f"{fold(part)} " for part in parts[:at])
            after = "".join(f" {fold(part)}" for part in parts[at + 1 :])
            begins = "" if phrase.startswith("{") else fold(parts[0])
            found.setdefault(begins, []).append((command, before, gaps[gap], after))
        return found

    @cached_property
    def _names(self) -> frozenset[str]:
        """The first words of what a square or pieces may be called."""
        signs = (GrammarSign.FILE, GrammarSign.ARTICLE)
        words = [key for key, word in self._dictionary.items() if word.sign in signs]
        names = [*words, *self._kinds, *(name for names in self._colours for name in names)]
        return frozenset(name.split()[0] for name in names)

    @cached_property
    def _slots(self) -> dict[str, str]:
        """What may stand for each gap of a question."""

        def one_of(words: Iterable[str]) -> str:
            return "|".join(sorted(map(re.escape, words), key=len, reverse=True))

        def with_sign(sign: GrammarSign) -> str:
            return one_of(key for key, word in self._dictionary.items() if word.sign is sign)

        articles = f"(?:(?:{with_sign(GrammarSign.ARTICLE)}) )*"
        file = f"(?P<file>{with_sign(GrammarSign.FILE)})"
        rank = f"(?P<rank>{with_sign(GrammarSign.RANK)})"
        white, black = map(one_of, self._colours)
        return {
            "{square}": f"{articles}{file} {rank}",
            "{file}": f"{articles}{file}",
            "{rank}": f"{articles}{rank}",
            "{pieces}": f"{articles}(?:(?:(?P<white>{white})|(?P<black>{black})) )?"
            f"(?P<kind>{one_of(self._kinds)})",
            "{number}": rf"(?P<number>\d{{1,3}}|{one_of(self._numbers)})",
        }

    def _split(self, text: str) -> list[str]:
        text = unicodedata.normalize("NFC", text).replace("_", " ")
        text = _MOVE_NUMBER.sub("", text).replace("(=)", " (=)")
        text = _PRINTED_CAPTURE.sub(r"\1", text)
        found: list[str] = []
        for part in text.split():
            if part.isalpha():  # most are: a word, and no notation but that of castling
                found.append(part)
                continue
            bare = part.rstrip(".,;:")
            if self._notation.fullmatch(bare) or _ZERO_OR_O.fullmatch(bare):
                found.append(bare)
            else:
                for one in _BETWEEN_WORDS.split(part):
                    named = _NAME_AND_RANK.fullmatch(one)  # "Eva4"
                    known = named and fold(named[1]) in self._dictionary
                    found += [named[1], named[2]] if named and known else [one]
        stripped = (part.strip(".,;:!?\"'„“”»«()…") for part in found)
        return [part for part in stripped if part]

    def _words(self, parts: Sequence[str], keys: Sequence[str]) -> list[Word]:
        """The words of a text; of several that fit at one place, the longest."""
        found: list[Word] = []
        index = 0
        while index < len(parts):
            for end in range(min(index + self._longest, len(parts)), index, -1):
                word = self._dictionary.get(" ".join(keys[index:end]))
                if word is not None:
                    found.append(word)
                    index = end
                    break
            else:
                if keys[index]:
                    found += self._written(parts[index])
                index += 1
        return found

    def _written(self, part: str) -> list[Word]:
        """The words for a move, piece, file or rank in notation; else one unknown word."""
        castling = _ZERO_OR_O.fullmatch(part)
        if castling:
            queenside = part.lower().replace("o", "0").count("0") == 3
            side = GrammarSign.CASTLES_LONG if queenside else GrammarSign.CASTLES_SHORT
            return [self._usual[side, 0], *self._check(castling["check"])]
        if _CAPITAL_SQUARES.fullmatch(part):
            part = part.lower()  # E2 or E2-E4: no piece letter is followed by a rank alone
        match = None if part.isalpha() else self._notation.fullmatch(part)
        if match is None:
            known = self._characters.get(part)
            return [known or Word(GrammarSign.UNKNOWN, 0, part.casefold())]
        words = [
            self._characters.get(character)
            or self._usual[GrammarSign.CAPTURES if character in "x:×" else GrammarSign.TO, 0]
            for character in match["move"]
        ]
        if letter := match["promotion"]:
            piece = self._characters.get(letter.upper())
            words.append(self._usual[GrammarSign.PROMOTES, 0])
            words.append(piece or self._usual[GrammarSign.PIECE, UCI_PIECES[letter.lower()]])
        if match["en_passant"]:
            words.append(self._usual[GrammarSign.EN_PASSANT, 0])
        return words + self._check(match["check"])

    def _check(self, mark: str) -> list[Word]:
        if not mark:
            return []
        return [self._usual[GrammarSign.CHECK if mark in "+†" else GrammarSign.CHECKMATE, 0]]


def _stem(word: str) -> str:
    return word[:_STEM]


def _keys_of(words: Iterable[Word]) -> list[str]:
    return [key for word in words for key in fold(word.text).split()]


def _cuts(keys: Sequence[str], phrases: frozenset[str]) -> list[int]:
    """The places in ``keys`` up to which there is nothing but ``phrases``."""
    found = [0]
    for start in found:
        for stop in range(start + 1, len(keys)):
            if stop not in found and " ".join(keys[start:stop]) in phrases:
                found.append(stop)
    return found


def _contains(keys: Sequence[str], form: Sequence[str], command: Command) -> bool:
    """True if the words of ``form`` are in ``keys`` in their order, and not too few of them. One
    word alone, or an answer, must not be a small part of what was typed."""
    few = len(form) == 1 or command in _WORD_FOR_WORD
    most = 2 if few else _MOST_WORDS_PER_WORD
    if command is Command.CALL_ASSISTANT:
        most = 2 * _MOST_WORDS_PER_WORD
    rest = iter(keys)
    return len(form) * most >= len(keys) and all(word in rest for word in form)


def _as_command(heard: Understanding, command: Command) -> Understanding:
    return replace(heard, kind=Kind.COMMAND, command=command)


def _said(words: Sequence[Word]) -> ParsedMove | None:
    """The move that these words announce; None if they are not well formed."""
    signs = "".join(word.sign.value for word in words)
    castling = _CASTLING.fullmatch(signs)
    if castling is not None:
        if "P" in signs and words[signs.index("P")].value != chess.KING:
            return None
        return ParsedMove(
            castles=GrammarSign(castling["side"]), check="+" in signs, checkmate="#" in signs
        )
    if match := _FILE_FIRST.match(signs):
        of_file = match.end() - 2
        words = [*words[:of_file], words[of_file + 1], words[of_file], *words[match.end() :]]
        signs = "".join(word.sign.value for word in words)
    if match := _TO_RANK.match(signs):
        words = [*words[: match.end()], words[match.end("before")], *words[match.end() :]]
        signs = "".join(word.sign.value for word in words)
    elif match := _PROMOTION_FIRST.fullmatch(signs):
        said, square = match.span("promotion"), match.start("square")
        words = [*words[: said[0]], *words[square:], *words[slice(*said)]]
        signs = "".join(word.sign.value for word in words)
    elif (match := _TAKER_LAST.fullmatch(signs)) and 0 < words[match.end("taking") - 1].value < 7:
        taker = words[match.start("piece")]
        words = [taker, *words[slice(*match.span("taking"))]]
        signs = "P" + match["taking"]
    elif match := _TAKER_NEXT.fullmatch(signs):
        taker, takes = words[match.start("piece")], words[signs.index("x")]
        words = [taker, takes, *words[slice(*match.span("to"))]]
        signs = "Px" + match["to"]
    match = _MOVE.fullmatch(signs)
    if match is None:
        return _said_in_part(signs, words)

    def value(group: str) -> int | None:
        return words[match.start(group)].value if match[group] else None

    link, suffix = match["link1"] or match["link2"] or "", match["suffix"]
    if suffix.count("P") > 1 or (link + suffix).count("e") > 1:
        return None
    promotion = words[match.start("suffix") + suffix.index("P")].value if "P" in suffix else None
    piece = value("piece")
    origin = match["origin"] or ""
    if piece is None and len(origin) < 2:
        # Without a piece's name, a square alone or with its file is a pawn's move, as in notation
        # (fide-1997 C.3). Any other remnant has lost a word. It is not guessed.
        if origin == "r" or (not origin and match.start("to") > 0):
            return _said_in_part(signs, words)
        piece = chess.PAWN
    start, to = match.start("origin"), match.start("to")
    return ParsedMove(
        piece=piece,
        from_file=words[start].value if origin.startswith("f") else None,
        from_rank=words[start + len(origin) - 1].value if origin.endswith("r") else None,
        to=chess.square(words[to].value, words[to + 1].value),
        captures="x" in link,
        captured=value("captured1") or value("captured2"),
        promotion=promotion,
        en_passant="e" in link + suffix,
        check="+" in suffix,
        checkmate="#" in suffix,
    )


def _said_in_part(signs: str, words: Sequence[Word]) -> ParsedMove | None:
    """The capture or promotion that these words announce in part; None if there is none."""
    match = _IN_PART.fullmatch(signs)
    if match is None:
        return None

    def value(group: str) -> int | None:
        return words[match.start(group)].value if match[group] else None

    suffix = match["suffix"]
    piece, origin, taken = value("piece"), value("origin"), value("captured")
    to_file, to_rank = value("to_file"), value("to_rank")
    captures, en_passant = "x" in signs, "e" in signs
    if suffix.count("P") > 1 or signs.count("e") > 1:
        return None
    if to_rank is not None:
        # A piece or an origin that was said belongs to a whole announcement.
        if to_file is None or (piece, origin) != (None, None):
            return None
    elif not en_passant and captures:
        if (piece, origin) == (None, None) or (taken, to_file) == (None, None):
            return None
    elif not en_passant and not ("=" in suffix and "P" in suffix):
        return None
    whole = to_file is not None and to_rank is not None
    return ParsedMove(
        piece=chess.PAWN if piece is None and not (whole and captures) else piece,
        from_file=origin,
        to=chess.square(to_file, to_rank) if to_file is not None and to_rank is not None else None,
        captures=captures,
        captured=taken,
        promotion=words[match.start("suffix") + suffix.index("P")].value if "P" in suffix else None,
        en_passant=en_passant,
        check="+" in suffix,
        checkmate="#" in suffix,
        to_file=to_file,
        in_part=True,
    )


def _without(words: Sequence[Word], denied: slice) -> list[Word]:
    """``words`` with others in place of those that are denied: "Eva, not three but, four". What
    stands before them belongs to the move if it makes one with the rest."""
    after = list(words[denied.stop :])
    whole = [*words[: denied.start], *after]
    return whole if _said(whole) is not None else after
