"""The meanings of a text: a move, a command, or the reason why it is neither."""

from dataclasses import dataclass
from enum import Enum

import chess


class Kind(Enum):
    """The kind of a text's meaning."""

    MOVE = "move"
    AMBIGUOUS = "ambiguous"
    ILLEGAL = "illegal"
    COMMAND = "command"
    UNCLEAR = "unclear"
    NOTHING = "nothing"


class Command(Enum):
    """A request or answer that a player can say besides moves. The values are the names in the
    packs."""

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
    SKIP = "skip"
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
    LEGAL_MOVES = "legal_moves"
    LEGAL_MOVES_HERE = "legal_moves_here"
    KING = "king"
    PAWNS = "pawns"
    DIAGONALS = "diagonals"
    TAKE_BACK = "take_back"
    HINT = "hint"
    DONE = "done"
    CHAT = "chat"
    SIGN = "sign"
    WHERE_I_PLAY = "where_i_play"
    WHAT_NOW = "what_now"
    SCORE = "score"
    LAST_MOVES = "last_moves"
    CHECK = "check"
    MATERIAL = "material"
    NEW_GAME = "new_game"
    REMATCH = "rematch"
    SAVE = "save"


QUESTIONS = frozenset(
    (
        Command.POSITION, Command.SQUARE, Command.RANK, Command.FILE, Command.DIAGONALS,
        Command.PIECES, Command.KING, Command.PAWNS, Command.ATTACKERS, Command.CAPTURED,
        Command.LEGAL_MOVES, Command.LEGAL_MOVES_HERE, Command.CHECK, Command.MATERIAL,
    )
)  # fmt: skip
"""Questions about the position. The Laws forbid them during a game (D.2.10.4)."""

ON_A_SCREEN = QUESTIONS - {Command.ATTACKERS}
"""Questions that any chess server answers by what it shows: where pieces stand, what is captured,
and where a piece can go."""

CHANGES_NOTHING = QUESTIONS | frozenset(
    (
        Command.CLOCK_MINE, Command.CLOCK_OPPONENT, Command.CLOCK_BOTH, Command.MOVES,
        Command.LAST_MOVE, Command.REPEAT, Command.HELP, Command.CALL_ASSISTANT, Command.LOUDER,
        Command.SOFTER, Command.SLOWER, Command.FASTER, Command.MORE, Command.HINT, Command.CHAT,
        Command.WHERE_I_PLAY, Command.WHAT_NOW, Command.SCORE, Command.LAST_MOVES, Command.SAVE,
    )
)  # fmt: skip
"""Commands that neither change the game nor end anything: words that are merely like a form of
theirs are enough."""

TYPED_ONLY = frozenset((Command.SAVE,))
"""Commands that are typed only: the packs list them in ``[typed]``, and nobody listens for them."""

PLAYS_AGAIN = (Command.NEW_GAME, Command.REMATCH)
"""Commands that begin another game after this one; a rematch changes the colours."""

NEVER_OPENED = frozenset(
    map(Command, ("yes", "no", "more", "correction", "adjust", "accept_draw", "decline_draw"))
)
"""Commands that never need the opening word: answers, and what cannot wait."""


class IllegalReason(Enum):
    """A reason why a move cannot be played. ``illegal_<value>`` is its sentence in the packs."""

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
    """The subject of a question: these squares, pieces of a kind and colour (None: any), or so many
    moves, or those from this number on."""

    squares: tuple[chess.Square, ...] = ()
    number: int | None = None
    piece: chess.PieceType | None = None
    color: chess.Color | None = None


@dataclass(frozen=True, slots=True)
class Understanding:
    """The meaning of a text on a board.

    - ``words``: the text in the pack's spelling, notation spelled out.
    - ``moves``: the move (MOVE), the candidates (AMBIGUOUS), the moves that were meant (ILLEGAL,
      may be empty), or the legal move after a claim (COMMAND).
    - ``command`` is set for COMMAND only, ``why`` for ILLEGAL only.
    - ``correction``: the text corrects an announcement (D.2.8).
    - ``cost``: 0.5 for each ignored word, and 1 for a false check.
    - ``false_check``: the text names check or mate, and the move gives none. Announcing check is
      not part of the move (fide-2023 C.13.4 and C.13.5 are optional).
    - ``alternatives``: after ILLEGAL, the legal moves that differ in one thing. A table may ask
      about them; it never plays them.
    - ``loose``: other words stand between or around those of the command.
    - ``in_part``: a capture or promotion without its piece or its square: "pawn takes pawn".
    - ``about``: what a question is about.
    - ``rest``: the words after a claim or after "sealed move".
    - ``opened``: the opening word came before the command.
    - ``uttered``: the words of the announcement without fillers, articles and corrected words.
    - ``core``: ``uttered`` with the first word of each meaning, so equal announcements are equal.
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
    loose: bool = False
    in_part: bool = False
    about: About | None = None
    rest: str = ""
    opened: bool = False
    uttered: str = ""
    core: str = ""

    @property
    def move(self) -> chess.Move | None:
        """The move if there is exactly one to play, else None."""
        return self.moves[0] if self.kind is Kind.MOVE else None
