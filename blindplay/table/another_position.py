"""Setting up another position to analyse, by words or by hands."""

from collections.abc import Callable

import chess

from blindplay.language import About, AnalysisWord, Command, Language, analysis_word_of
from blindplay.laws.deviation import UNKNOWN
from blindplay.laws.placement import Change, Pieces, difference
from blindplay.wording.piece_lists import read_pieces
from blindplay.wording.position import look_at, whole_position

from .attendant import Prompter

SETTING_UP = (AnalysisWord.CLEAR, AnalysisWord.EMPTY, AnalysisWord.READY)
"""The words of the analysis that are heard while a position is set up, and not otherwise."""


class AnotherPosition:
    """The pieces that a person puts on squares. ``voice`` tells what stands there, and ``say`` why
    a position cannot be one. ``pieces`` is where the person begins."""

    def __init__(self, voice: Prompter, say: Callable[[str], None], pieces: Pieces) -> None:
        self._voice, self._pack, self._say = voice, voice.pack, say
        self._pieces = dict(pieces)

    def put(self, line: str) -> bool:
        """Put pieces where ``line`` says, or take them off; return whether it says that."""
        word, squares = analysis_word_of(self._pack, line) or (None, "")
        if word is AnalysisWord.CLEAR:
            self._pieces.clear()
            self._voice.tell([self._pack.sentence("analyse_cleared")])
            return True
        empties = word is AnalysisWord.EMPTY
        put = read_pieces(self._pack, squares if empties else line, empty=empties)
        for at in [at for at, letter in self._pieces.items() if letter in "Kk"]:
            if self._pieces[at] in put.values():  # a king has one place
                del self._pieces[at]
        self._put(put)
        return bool(put)

    def put_by_hand(self, before: Pieces, pieces: Pieces) -> None:
        """Put what hands have changed on the board between ``before`` and ``pieces``."""
        if UNKNOWN not in pieces.values():
            self._put(difference(pieces, before))

    def _put(self, put: Change) -> None:
        if not put:
            return
        for square, letter in put.items():
            self._pieces.pop(square, None)
            if letter is not None:
                self._pieces[square] = letter
        board = self._board()
        self._voice.tell(
            look_at(self._pack, board, Command.SQUARE, About(squares=(at,))) for at in put
        )

    def tell(self) -> None:
        """Tell what stands on the squares."""
        if self._pieces:
            self._voice.tell([whole_position(self._pack, self._board())])

    def finished(self, turn: chess.Color) -> chess.Board | None:
        """The position with ``turn`` to move, or the other side where ``turn`` cannot be. If there
        is none, tell why."""
        board = self._board()
        board.turn = turn
        board.castling_rights = board.clean_castling_rights()
        if not board.is_valid():
            board.turn = not turn
        return self._possible(board)

    def of_fen(self, fen: str) -> chess.Board | None:
        """The position that ``fen`` writes. If there is none, tell why."""
        try:
            board = chess.Board(fen)
        except ValueError:
            self._say("analyse_impossible")
            return None
        return self._possible(board)

    def _possible(self, board: chess.Board) -> chess.Board | None:
        if board.is_valid():
            return board
        kings = all(len(board.pieces(chess.KING, side)) == 1 for side in chess.COLORS)
        self._say("analyse_impossible" if kings else "analyse_kings")
        return None

    def _board(self) -> chess.Board:
        """The pieces on a board, with every right to castle that they allow."""
        board = chess.Board(None)
        for square, letter in self._pieces.items():
            board.set_piece_at(square, chess.Piece.from_symbol(letter))
        board.castling_rights = chess.BB_CORNERS
        return board


def phrases_for_pieces(pack: Language) -> list[str]:
    """What can be said while a position is set up."""
    pieces = [chess.Piece(kind, side) for side in chess.COLORS for kind in chess.PIECE_TYPES]
    empty = pack.analysis_phrases(AnalysisWord.EMPTY)[0]
    return [
        *(phrase for word in SETTING_UP for phrase in pack.analysis_phrases(word)),
        *pack.command_phrases((Command.DONE,)),
        *(
            f"{words} {pack.square(square)}"
            for words in (empty, *map(pack.piece, pieces))
            for square in chess.SQUARES
        ),
    ]
