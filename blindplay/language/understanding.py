"""From words to a move, a command, or the reason why it is neither.

Two steps. The words alone are parsed, without a board (:class:`ParsedMove`). Then the result is
compared with the legal moves. No word is dropped to make a move fit, and none is added: a player
who names no promotion piece is asked for it (D.2.1).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property

import chess

from .pack import PIECE_NAMES, LanguageError, Pack, Sign, Word, fold


class Kind(Enum):
    """What a text turned out to be."""

    MOVE = "move"
    AMBIGUOUS = "ambiguous"
    ILLEGAL = "illegal"
    COMMAND = "command"
    UNCLEAR = "unclear"
    NOTHING = "nothing"


class Command(Enum):
    """What a player can say that is no move; the values are the names in the packs."""

    CLOCK_MINE = "clock_mine"
    CLOCK_OPPONENT = "clock_opponent"
    CLOCK_BOTH = "clock_both"
    MOVES = "moves"
    LAST_MOVE = "last_move"
    POSITION = "position"
    REPEAT = "repeat"
    CORRECTION = "correction"
    OFFER_DRAW = "offer_draw"
    ACCEPT_DRAW = "accept_draw"
    DECLINE_DRAW = "decline_draw"
    RESIGN = "resign"
    YES = "yes"
    NO = "no"
    HELP = "help"
    CALL_ARBITER = "call_arbiter"
    CALL_ASSISTANT = "call_assistant"
    PAUSE = "pause"
    RESUME = "resume"
    ADJUST = "adjust"
    CLAIM_REPETITION = "claim_repetition"
    CLAIM_FIFTY_MOVES = "claim_fifty_moves"
    CLAIM_TIME = "claim_time"
    LOUDER = "louder"
    SOFTER = "softer"
    SLOWER = "slower"
    FASTER = "faster"
    MORE = "more"
    REQUEST_EXTRA_TIME = "request_extra_time"
    CLAIM_CANNOT_WIN = "claim_cannot_win"
    CLAIM_NO_EFFORT = "claim_no_effort"
    ADJOURN = "adjourn"
    SEAL = "seal"
    SQUARE = "square"
    RANK = "rank"
    FILE = "file"
    PIECES = "pieces"
    ATTACKERS = "attackers"
    CAPTURED = "captured"


QUESTIONS = frozenset(
    (
        Command.POSITION,
        Command.SQUARE,
        Command.RANK,
        Command.FILE,
        Command.PIECES,
        Command.ATTACKERS,
        Command.CAPTURED,
    )
)
"""Questions about the position, which nobody may ask in a game under the Laws (D.2.10.4)."""

NEVER_OPENED = frozenset(
    (
        Command.YES,
        Command.NO,
        Command.MORE,
        Command.CORRECTION,
        Command.ADJUST,
        Command.ACCEPT_DRAW,
        Command.DECLINE_DRAW,
    )
)
"""Heard without the opening word even where commands need it: answers, and what cannot wait."""

# After these a move may be said: the one that a draw is claimed with (9.2.1, 9.3.1), and the one
# that is sealed, which is written and never spoken.
_WITH_MOVE = (Command.CLAIM_REPETITION, Command.CLAIM_FIFTY_MOVES, Command.SEAL)


class IllegalReason(Enum):
    """Why a move that was said cannot be played; ``illegal_<value>`` is its sentence."""

    NO_SUCH_PIECE = "no_such_piece"
    NOT_YOUR_PIECE = "not_your_piece"
    OWN_PIECE_THERE = "own_piece_there"
    BLOCKED = "blocked"
    CANNOT_MOVE_THERE = "cannot_move_there"
    PINNED_OR_CHECK = "pinned_or_check"
    CASTLING_NOT_ALLOWED = "castling_not_allowed"
    PROMOTION_MISSING = "promotion_missing"
    PROMOTION_NOT_POSSIBLE = "promotion_not_possible"
    PROMOTION_PIECE = "promotion_piece"
    NOTHING_TO_CAPTURE = "nothing_to_capture"
    CAPTURES_ANOTHER_PIECE = "captures_another_piece"
    NOT_EN_PASSANT = "not_en_passant"


@dataclass(frozen=True, slots=True)
class About:
    """What a question is about: these squares, or pieces of this kind and colour (None: any)."""

    squares: tuple[chess.Square, ...] = ()
    piece: chess.PieceType | None = None
    color: chess.Color | None = None


@dataclass(frozen=True)
class Understanding:
    """What a text means on a board.

    ``moves``: the move (MOVE), the candidates (AMBIGUOUS), or what was meant (ILLEGAL; may be
    empty). ``command`` is set for COMMAND only, ``why`` for ILLEGAL only. ``words`` are the words
    in the pack's spelling, notation spelled out. ``correction``: the text said that it corrects
    an announcement (D.2.8). ``cost``: 0 when every word belongs to the move; 0.5 for each word
    passed over; 1 more when check or mate was said and is not so, which ``false_check`` reports:
    announcing check is no part of the move (fide-2023 C.13.4 and C.13.5 are optional).
    ``alternatives``: after ILLEGAL, the legal moves that differ in one thing said; never played,
    only to be asked about. Of a COMMAND: ``about`` is what a question asks about; ``rest`` is what
    was said after a claim or "sealed move", and ``moves`` the one legal move it means; ``opened``:
    the opening word went before it. ``uttered`` are the words of the announcement alone: without
    fillers, articles, and what was void because it was corrected; ``core`` the same with each word
    replaced by the usual one of its meaning, so that equal announcements are equal.
    """

    kind: Kind
    words: str
    moves: tuple[chess.Move, ...] = ()
    command: Command | None = None
    why: IllegalReason | None = None
    correction: bool = False
    cost: float = 0.0
    false_check: bool = False
    alternatives: tuple[chess.Move, ...] = ()
    about: About | None = None
    rest: str = ""
    opened: bool = False
    uttered: str = ""
    core: str = ""

    @property
    def move(self) -> chess.Move | None:
        """The move when there is exactly one to be played, else None."""
        return self.moves[0] if self.kind is Kind.MOVE else None


@dataclass(frozen=True, slots=True)
class ParsedMove:
    """A well-formed announcement, before any board is looked at. None: not said."""

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
    castles: Sign | None = None

    @property
    def origin(self) -> chess.Square | None:
        """The square the piece comes from when it was said in full."""
        if self.from_file is None or self.from_rank is None:
            return None
        return chess.square(self.from_file, self.from_rank)


@dataclass(frozen=True, slots=True)
class ParsedText:
    """A text read without a board: a command, an announcement, or neither."""

    words: str
    empty: bool
    command: Command | None
    said: ParsedMove | None
    correction: bool
    passed_over: int
    about: About | None = None
    rest: str = ""
    opened: bool = False
    uttered: str = ""
    core: str = ""


@dataclass(frozen=True, slots=True)
class MoveFeatures:
    """All that can be said about a legal (or pseudo-legal) move."""

    move: chess.Move
    piece: chess.PieceType
    from_square: chess.Square
    to_square: chess.Square
    captured: chess.PieceType | None
    en_passant: bool
    castles: Sign | None


_LINK = r"(?:>?x>?a?(?P<captured{0}>P)?>?a?|>a?)?"
_MOVE = re.compile(
    r"m?a?(?P<piece>P)?(?:"
    rf"[v>]?a?(?P<origin>fr|f|r)(?P<link1>{_LINK.format(1)})"
    rf"|(?P<link2>{_LINK.format(2)})"
    r")(?P<to>fr)(?P<suffix>(?:=*a?P|e|m?[+#])*)"
)
_CASTLING = re.compile(r"m?a?P?(?P<side>[SLC])(?:m?[+#])*")
_UCI_LETTERS = {"q": chess.QUEEN, "r": chess.ROOK, "b": chess.BISHOP, "n": chess.KNIGHT}
_CAPITAL_SQUARES = re.compile(r"[A-H][1-8](?:[-x:]?[A-H][1-8])?[+#]?")
_ZERO_OR_O = re.compile(r"[0oO]([-–])?[0oO](?:([-–])?[0oO])?(?P<check>\+\+|[+#†]?)[!?]*")
# "dx e5": so fide-1997 prints its examples of captures (E.8).
_PRINTED_CAPTURE = re.compile(r"\b([a-h]x)\s+(?=[a-h][1-8])")
_MOVE_NUMBER = re.compile(r"^\s*\d+\s*\.+\s*")


class TextParser:
    """Reads texts without a board, by the words of one pack."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self._dictionary = pack.dictionary
        self._commands: dict[str, Command] = {}
        self._questions: list[tuple[Command, re.Pattern[str]]] = []
        self._opening = {fold(word) for word in pack.words("listen", "opening")}
        slots = self._slots()
        for command in Command:
            for phrase in pack.words("commands", command.value):
                if "{" in phrase:
                    pattern = " ".join(slots.get(part) or fold(part) for part in phrase.split())
                    self._questions.append((command, re.compile(pattern)))
                elif self._commands.setdefault(fold(phrase), command) is not command:
                    raise LanguageError(
                        f"{pack.file}: {phrase!r} is two commands: keep one of them."
                    )
        self._letters = {letter: piece for piece, letter in pack.piece_letters.items()}
        self._one_word = {
            (word.sign, word.value): word for word in reversed(list(pack.dictionary.values()))
        }

    def read(self, text: str) -> ParsedText:
        """What was said. Never raises for any text."""
        pieces = [part.strip(".,;:!?\"'„“”»«()…") for part in self._split(text)]
        raw = [part for part in pieces if part]
        if len(raw) > 1 and fold(raw[0]) in self._opening:
            # What follows the opening word is a command, or nothing: a move is announced to the
            # opponent, not to the table.
            heard = self._read(raw[1:])
            words = f"{fold(raw[0])} {heard.words}"
            if heard.command is None:
                return ParsedText(words, False, None, None, False, heard.passed_over)
            return replace(heard, words=words, opened=True)
        return self._read(raw)

    def _read(self, raw: list[str]) -> ParsedText:
        command = self._commands.get(" ".join(key for key in map(fold, raw) if key))
        words = self._words(raw)
        spelled = " ".join(word.text for word in words)
        if command is not None:
            return ParsedText(spelled, False, command, None, command is Command.CORRECTION, 0)

        kept = [word for word in words if word.sign is not Sign.IGNORED]
        passed_over = len(words) - len(kept)
        if not kept:
            return ParsedText(spelled, True, None, None, False, 0)
        asked = self._question(kept)
        if asked is not None:
            command, about = asked
            return ParsedText(spelled, False, command, None, False, passed_over, about)
        begun = self._with_move(raw)
        if begun is not None:
            command, rest = begun
            said = self._read(rest.split()).said
            return ParsedText(spelled, False, command, said, False, passed_over, rest=rest)
        # A slip is corrected where it is noticed, if need be in mid-sentence: what came before
        # the last such word is void (D.2.8).
        correction, marker = False, ""
        for index in range(len(kept) - 1, -1, -1):
            if kept[index].sign is Sign.CORRECTION:
                before = kept[:index]
                if all(word.sign is not Sign.UNKNOWN for word in before):
                    correction, marker = True, fold(kept[index].text)
                    kept = kept[index + 1 :]
                break
        if correction and not kept:
            # "Korrektur" or "nein" after a move takes it back; "Moment" only asks for time.
            retracted = Command.CORRECTION if marker in self._commands else None
            return ParsedText(spelled, False, retracted, None, True, passed_over)
        command = self._commands.get(fold(" ".join(word.text for word in kept)))
        if command is not None:
            return ParsedText(spelled, False, command, None, correction, passed_over)
        told = [word for word in kept if word.sign is not Sign.ARTICLE]
        return ParsedText(
            spelled,
            False,
            None,
            self._said(kept),
            correction,
            passed_over,
            uttered=" ".join(word.text for word in told),
            core=" ".join(self._one_word.get((w.sign, w.value), w).text for w in told),
        )

    def _question(self, words: list[Word]) -> tuple[Command, About] | None:
        """The question about the position that these words ask, and what about."""
        text = " ".join(fold(word.text) for word in words)
        for command, pattern in self._questions:
            match = pattern.fullmatch(text)
            if match is None:
                continue
            found = match.groupdict()
            file, rank = (
                self._dictionary[found[name]].value if found.get(name) else None
                for name in ("file", "rank")
            )
            if file is not None or rank is not None:
                squares = tuple(
                    square
                    for square in chess.SQUARES
                    if file in (None, square & 7) and rank in (None, square >> 3)
                )
                return command, About(squares)
            color = chess.WHITE if found["white"] else chess.BLACK if found["black"] else None
            return command, About(piece=self._plural[found["kind"]], color=color)
        return None

    def _with_move(self, raw: list[str]) -> tuple[Command, str] | None:
        """A claim or "sealed move" that begins the text, and the rest of it as it was written."""
        for length in range(len(raw) - 1, 0, -1):
            key = " ".join(key for key in map(fold, raw[:length]) if key)
            if self._commands.get(key) in _WITH_MOVE:
                return self._commands[key], " ".join(raw[length:])
        return None

    def _slots(self) -> dict[str, str]:
        """What may stand for a name in a question, as patterns over folded words."""

        def one_of(words: Iterable[str]) -> str:
            return "|".join(sorted(map(re.escape, words), key=len, reverse=True))

        pack = self._pack
        signs: dict[Sign, list[str]] = {}
        for key, word in self._dictionary.items():
            signs.setdefault(word.sign, []).append(key)
        self._plural: dict[str, chess.PieceType | None] = {
            key: word.value for key, word in self._dictionary.items() if word.sign is Sign.PIECE
        }
        for name in (*PIECE_NAMES.values(), "all"):
            kind = next((kind for kind, its in PIECE_NAMES.items() if its == name), None)
            for phrase in pack.words("pieces_plural", name):
                self._plural[fold(phrase)] = kind
        articles = f"(?:(?:{one_of(signs[Sign.ARTICLE])}) )*"
        file, rank = (one_of(signs[sign]) for sign in (Sign.FILE, Sign.RANK))
        white, black = (one_of(map(fold, pack.words("colours", c))) for c in ("white", "black"))
        return {
            "{square}": f"{articles}(?P<file>{file}) (?P<rank>{rank})",
            "{file}": f"{articles}(?P<file>{file})",
            "{rank}": f"{articles}(?P<rank>{rank})",
            "{pieces}": f"{articles}(?:(?:(?P<white>{white})|(?P<black>{black})) )?"
            f"(?P<kind>{one_of(self._plural)})",
        }

    def _split(self, text: str) -> list[str]:
        text = unicodedata.normalize("NFC", text).replace("_", " ")
        text = _MOVE_NUMBER.sub("", text).replace("(=)", " (=)")
        text = _PRINTED_CAPTURE.sub(r"\1", text)
        found: list[str] = []
        for part in text.split():
            bare = part.rstrip(".,;:")
            if self._pack.notation.fullmatch(bare) or _ZERO_OR_O.fullmatch(bare):
                found.append(bare)
            else:
                found += re.split(r"[-–—.,;:/]", part)
        return found

    def _words(self, raw: list[str]) -> list[Word]:
        found: list[Word] = []
        keys = [fold(part) for part in raw]
        index = 0
        while index < len(raw):
            for length in range(min(self._pack.longest, len(raw) - index), 0, -1):
                word = self._dictionary.get(" ".join(keys[index : index + length]))
                if word is not None:
                    found.append(word)
                    index += length
                    break
            else:
                if keys[index]:
                    found += self._written(raw[index])
                index += 1
        return found

    def _written(self, part: str) -> list[Word]:
        """The words for a move, piece, file or rank in notation; else one unknown word."""
        castling = _ZERO_OR_O.fullmatch(part)
        if castling and (castling[1] or "0" in part or part.isupper()):
            queenside = part.lower().replace("o", "0").count("0") == 3
            sign = Sign.CASTLES_LONG if queenside else Sign.CASTLES_SHORT
            return [self._word(sign), *self._check(castling["check"])]
        if _CAPITAL_SQUARES.fullmatch(part):
            part = part.lower()  # E2 or E2-E4: no piece letter is followed by a rank alone
        match = self._pack.notation.fullmatch(part)
        if match is None:
            if part in self._letters:
                return [self._word(Sign.PIECE, self._letters[part])]
            if part in "abcdefgh" and len(part) == 1:
                return [self._word(Sign.FILE, "abcdefgh".index(part))]
            if part in "12345678" and len(part) == 1:
                return [self._word(Sign.RANK, int(part) - 1)]
            return [Word(Sign.UNKNOWN, 0, part.casefold())]
        words: list[Word] = []
        if match["piece"]:
            words.append(self._word(Sign.PIECE, self._letters[match["piece"]]))
        if match["file"]:
            words.append(self._word(Sign.FILE, "abcdefgh".index(match["file"])))
        if match["rank"]:
            words.append(self._word(Sign.RANK, int(match["rank"]) - 1))
        if match["link"]:
            words.append(self._word(Sign.CAPTURES if match["link"] in "x:×" else Sign.TO))
        words.append(self._word(Sign.FILE, "abcdefgh".index(match["to_file"])))
        words.append(self._word(Sign.RANK, int(match["to_rank"]) - 1))
        if match["promotion"]:
            letter = match["promotion"]
            piece = self._letters.get(letter.upper()) or _UCI_LETTERS[letter.lower()]
            words += [self._word(Sign.PROMOTES), self._word(Sign.PIECE, piece)]
        if match["en_passant"]:
            words.append(self._word(Sign.EN_PASSANT))
        return words + self._check(match["check"])

    def _check(self, mark: str) -> list[Word]:
        if not mark:
            return []
        return [self._word(Sign.CHECK if mark in "+†" else Sign.CHECKMATE)]

    def _word(self, sign: Sign, value: int = 0) -> Word:
        return self._one_word[sign, value]

    @staticmethod
    def _said(words: list[Word]) -> ParsedMove | None:
        signs = "".join(word.sign.value for word in words)
        castling = _CASTLING.fullmatch(signs)
        if castling is not None:
            if "P" in signs and words[signs.index("P")].value != chess.KING:
                return None
            return ParsedMove(
                castles=Sign(castling["side"]), check="+" in signs, checkmate="#" in signs
            )
        match = _MOVE.fullmatch(signs)
        if match is None:
            return None

        def value(group: str) -> int | None:
            return words[match.start(group)].value if match[group] else None

        suffix = match["suffix"]
        if suffix.count("P") > 1 or suffix.count("e") > 1:
            return None
        promotion: int | None = None
        if "P" in suffix:
            promotion = words[match.start("suffix") + suffix.index("P")].value
        piece = value("piece")
        origin = match["origin"] or ""
        if piece is None and len(origin) < 2:
            # Without a piece's name, a square alone or with its file is a pawn's move, as in
            # notation (fide-1997 C.3). Any other remnant has lost a word: it is not guessed.
            if origin == "r" or (not origin and match.start("to") > 0):
                return None
            piece = chess.PAWN
        start = match.start("origin")
        return ParsedMove(
            piece=piece,
            from_file=words[start].value if origin.startswith("f") else None,
            from_rank=words[start + len(origin) - 1].value if origin.endswith("r") else None,
            to=chess.square(words[match.start("to")].value, words[match.start("to") + 1].value),
            captures="x" in (match["link1"] or match["link2"] or ""),
            captured=value("captured1") or value("captured2"),
            promotion=promotion,
            en_passant="e" in suffix,
            check="+" in suffix,
            checkmate="#" in suffix,
        )


@dataclass(frozen=True, slots=True)
class Parts:
    """What an announcement is made of, to be compared with another: each None if unsaid."""

    piece: chess.PieceType | None
    from_file: int | None
    from_rank: int | None
    to: chess.Square | None
    promotion: chess.PieceType | None
    castles: Sign | None

    @classmethod
    def of(cls, said: ParsedMove) -> Parts:
        """The parts that were said."""
        return cls(
            said.piece, said.from_file, said.from_rank, said.to, said.promotion, said.castles
        )

    @property
    def form(self) -> tuple[bool, ...]:
        """Which parts were said, but for the promotion: how much of the move was said."""
        said = (self.piece, self.from_file, self.from_rank, self.to, self.castles)
        return tuple(part is not None for part in said)

    def completed(self, board: chess.Board, move: chess.Move) -> Parts:
        """With piece and origin as ``move``, which is what was meant, has them."""
        return replace(
            self,
            piece=board.piece_type_at(move.from_square),
            from_file=move.from_square & 7,
            from_rank=move.from_square >> 3,
        )


def facts(board: chess.Board, *, legal: bool = True) -> list[MoveFeatures]:
    """What can be said about each legal move, or each pseudo-legal one."""
    moves = board.legal_moves if legal else board.pseudo_legal_moves
    return [fact_of(board, move) for move in moves]


def fact_of(board: chess.Board, move: chess.Move) -> MoveFeatures:
    """What can be said about a (pseudo-)legal move of ``board``."""
    piece = board.piece_type_at(move.from_square)
    assert piece is not None  # a generated move always has a piece
    castles: Sign | None = None
    captured = board.piece_type_at(move.to_square)
    en_passant = False
    if piece == chess.KING and board.is_castling(move):
        castles = Sign.CASTLES_SHORT if board.is_kingside_castling(move) else Sign.CASTLES_LONG
        captured = None
    elif piece == chess.PAWN and captured is None:
        en_passant = chess.square_file(move.from_square) != chess.square_file(move.to_square)
        if en_passant:
            captured = chess.PAWN
    return MoveFeatures(
        move, piece, move.from_square, move.to_square, captured, en_passant, castles
    )


class MoveIndex:
    """The legal moves of one position, arranged for comparison with what is said."""

    def __init__(self, board: chess.Board) -> None:
        self.board = board.copy(stack=False)
        self.facts = facts(self.board)
        self.by_square: dict[chess.Square, list[MoveFeatures]] = {}
        for fact in self.facts:
            self.by_square.setdefault(fact.to_square, []).append(fact)

    def understand(self, heard: ParsedText) -> Understanding:
        """What ``heard`` means here."""
        if heard.empty:
            return Understanding(Kind.NOTHING, heard.words)
        cost = 0.5 * heard.passed_over
        if heard.command is not None:
            meant = self._move(heard.said) if heard.said and heard.said.to is not None else None
            return Understanding(
                Kind.COMMAND,
                heard.words,
                moves=meant.moves if meant and meant.kind is Kind.MOVE else (),
                command=heard.command,
                correction=heard.correction,
                cost=cost,
                about=heard.about,
                rest=heard.rest,
                opened=heard.opened,
            )
        if heard.said is None:
            return Understanding(
                Kind.UNCLEAR,
                heard.words,
                correction=heard.correction,
                cost=cost,
                uttered=heard.uttered,
                core=heard.core,
            )
        found = self._castling(heard.said) if heard.said.castles else self._move(heard.said)
        false_check = found.kind is Kind.MOVE and self._false_check(heard.said, found.moves[0])
        return replace(
            found,
            words=heard.words,
            correction=heard.correction,
            cost=cost + (1.0 if false_check else 0.0),
            false_check=false_check,
            uttered=heard.uttered,
            core=heard.core,
        )

    def _castling(self, said: ParsedMove) -> Understanding:
        # "Rochade" alone may have lost its "kurze" or "lange": even when only one side is legal
        # it is asked, not played.
        moves = tuple(
            fact.move
            for fact in self.facts
            if fact.castles and said.castles in (fact.castles, Sign.CASTLES)
        )
        if not moves:
            return Understanding(
                Kind.ILLEGAL,
                "",
                self._meant_castling(said),
                why=IllegalReason.CASTLING_NOT_ALLOWED,
            )
        kind = Kind.AMBIGUOUS if said.castles is Sign.CASTLES else Kind.MOVE
        return Understanding(kind, "", moves)

    def _meant_castling(self, said: ParsedMove) -> tuple[chess.Move, ...]:
        king = self.board.king(self.board.turn)
        if king is None or self.board.chess960 or chess.square_file(king) != chess.E1:
            return ()
        sides = {Sign.CASTLES_SHORT: (2,), Sign.CASTLES_LONG: (-2,)}
        steps = sides.get(said.castles or Sign.CASTLES, (2, -2))
        return tuple(chess.Move(king, king + step) for step in steps)

    def _move(self, said: ParsedMove) -> Understanding:
        assert said.to is not None  # the grammar has a destination
        near = [f for f in self.by_square.get(said.to, ()) if self._could_be(said, f)]
        exact = [fact for fact in near if _contradiction(said, fact) is None]
        if exact:
            moves = tuple(fact.move for fact in exact)
            if said.promotion is None and any(move.promotion for move in moves):
                return Understanding(
                    Kind.ILLEGAL,
                    "",
                    moves,
                    why=IllegalReason.PROMOTION_MISSING,
                    alternatives=moves,
                )
            return Understanding(Kind.MOVE if len(moves) == 1 else Kind.AMBIGUOUS, "", moves)
        if near:
            why = _contradiction(said, near[0])
            moves = tuple(fact.move for fact in near)
            return Understanding(Kind.ILLEGAL, "", moves, why=why, alternatives=moves)
        moves, reason = self._why_not(said, said.to)
        return Understanding(
            Kind.ILLEGAL, "", moves, why=reason, alternatives=self._alternatives(said, said.to)
        )

    def _could_be(self, said: ParsedMove, fact: MoveFeatures) -> bool:
        """Whether piece, origin and destination are as said."""
        if fact.castles and (
            # A castling can be said as the king's move when both squares are said, as it is
            # written in UCI. In chess960 that is the king taking his rook: written only.
            said.origin is None or said.captures or (self.board.chess960 and said.piece is not None)
        ):
            return False
        return (
            said.piece in (None, fact.piece)
            and said.from_file in (None, fact.from_square & 7)
            and said.from_rank in (None, fact.from_square >> 3)
        )

    @cached_property
    def _pseudo_legal(self) -> list[MoveFeatures]:
        return facts(self.board, legal=False)

    def _why_not(
        self, said: ParsedMove, to: chess.Square
    ) -> tuple[tuple[chess.Move, ...], IllegalReason]:
        """What was meant by a move that is not legal, and why it is not."""
        board = self.board
        pseudo = [
            fact.move
            for fact in self._pseudo_legal
            if fact.to_square == to
            and not fact.castles
            and self._could_be(said, fact)
            and fact.move.promotion == said.promotion
        ]
        if pseudo:
            return tuple(pseudo), IllegalReason.PINNED_OR_CHECK
        origin = said.origin
        if origin is not None:
            there = board.piece_at(origin)
            meant = (chess.Move(origin, to, said.promotion),) if origin != to else ()
            if there is None or said.piece not in (None, there.piece_type):
                return meant, IllegalReason.NO_SUCH_PIECE
            if there.color != board.turn:
                return meant, IllegalReason.NOT_YOUR_PIECE
            return meant, self._obstacle(origin, to)
        origins = [
            square
            for square, there in board.piece_map().items()
            if there.color == board.turn
            and said.piece == there.piece_type
            and said.from_file in (None, square & 7)
            and said.from_rank in (None, square >> 3)
        ]
        if not origins:
            return (), IllegalReason.NO_SUCH_PIECE
        reasons = {square: self._obstacle(square, to) for square in origins}
        for reason in _MOST_TELLING:
            squares = [square for square, found in reasons.items() if found is reason]
            if squares:
                if reason is IllegalReason.CANNOT_MOVE_THERE:
                    return (), reason
                return tuple(chess.Move(square, to) for square in squares), reason
        return (), IllegalReason.CANNOT_MOVE_THERE

    def _obstacle(self, origin: chess.Square, to: chess.Square) -> IllegalReason:
        """Why the piece of the player on move on ``origin`` cannot get to ``to``."""
        board = self.board
        if not reaches(board, origin, to):
            return IllegalReason.CANNOT_MOVE_THERE
        if board.occupied_co[board.turn] & chess.BB_SQUARES[to]:
            return IllegalReason.OWN_PIECE_THERE
        if board.piece_type_at(origin) == chess.PAWN:
            if chess.square_file(origin) != chess.square_file(to):
                return IllegalReason.NOTHING_TO_CAPTURE
            return IllegalReason.BLOCKED
        if chess.between(origin, to) & board.occupied:
            return IllegalReason.BLOCKED
        # Pseudo-legal after all, but not as it was said: its promotion was not.
        return IllegalReason.PINNED_OR_CHECK

    def _alternatives(self, said: ParsedMove, to: chess.Square) -> tuple[chess.Move, ...]:
        found = []
        for fact in self.facts:
            if fact.castles or fact.move.promotion != said.promotion:
                continue
            differing = sum(
                (
                    said.piece not in (None, fact.piece),
                    said.from_file not in (None, fact.from_square & 7),
                    said.from_rank not in (None, fact.from_square >> 3),
                    to & 7 != fact.to_square & 7,
                    to >> 3 != fact.to_square >> 3,
                )
            )
            if differing == 1 and _contradiction(said, fact) is None:
                found.append(fact.move)
        return tuple(found)

    def _false_check(self, said: ParsedMove, move: chess.Move) -> bool:
        if not (said.check or said.checkmate):
            return False
        if not self.board.copy(stack=False).gives_check(move):
            return True
        if not said.checkmate:
            return False
        after = self.board.copy(stack=False)
        after.push(move)
        return not after.is_checkmate()


_MOST_TELLING = (
    IllegalReason.PINNED_OR_CHECK,
    IllegalReason.BLOCKED,
    IllegalReason.OWN_PIECE_THERE,
    IllegalReason.NOTHING_TO_CAPTURE,
    IllegalReason.CANNOT_MOVE_THERE,
)


def _contradiction(said: ParsedMove, fact: MoveFeatures) -> IllegalReason | None:
    """What was said and is not so, of a move whose piece and squares are as said."""
    if said.captures and fact.captured is None:
        return IllegalReason.NOTHING_TO_CAPTURE
    if said.en_passant and not fact.en_passant:
        return IllegalReason.NOT_EN_PASSANT
    if said.captured is not None and said.captured != fact.captured:
        return IllegalReason.CAPTURES_ANOTHER_PIECE
    if said.promotion is not None and said.promotion != fact.move.promotion:
        if fact.move.promotion is None:
            return IllegalReason.PROMOTION_NOT_POSSIBLE
        return IllegalReason.PROMOTION_PIECE
    return None


def reaches(board: chess.Board, origin: chess.Square, to: chess.Square) -> bool:
    """Whether the piece on ``origin`` could move to ``to`` if nothing else hindered it.

    A pawn may step, step twice from its first rank, or go aslant.
    """
    piece = board.piece_at(origin)
    if piece is None or origin == to:
        return False
    files = (to & 7) - (origin & 7)
    ranks = (to >> 3) - (origin >> 3)
    if piece.piece_type == chess.PAWN:
        forward = 1 if piece.color == chess.WHITE else -1
        first = 1 if piece.color == chess.WHITE else 6
        if ranks == forward:
            return abs(files) <= 1
        return files == 0 and ranks == 2 * forward and origin >> 3 == first
    straight = files == 0 or ranks == 0
    aslant = abs(files) == abs(ranks)
    return {
        chess.KING: max(abs(files), abs(ranks)) == 1,
        chess.QUEEN: straight or aslant,
        chess.ROOK: straight,
        chess.BISHOP: aslant,
        chess.KNIGHT: abs(files * ranks) == 2,
    }[piece.piece_type]
