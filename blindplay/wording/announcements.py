"""What the table says about rulings, to whom, and how urgently.

:func:`announcements` is the only place where rulings become sentences for people. Loudspeaker,
pages and other outputs take what it returns. Information is given only on request (D.2.10.4):
players are not told what they feel with their own fingers or have just done themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import chess

from blindplay.language import Language
from blindplay.laws import Game, Ruling, Taken
from blindplay.laws import rulings as r
from blindplay.laws.facts import SIDES

from .moves import move_in_words, ply_in_words


@dataclass(frozen=True)
class Announcement:
    """One sentence about a ruling.

    ``to`` is the person it concerns alone ("white", "assistant:black", "arbiter"), None for
    everybody. ``urgent``: it interrupts what is being said. ``in_table_language``: its words are
    those of the announcing language (D.2.1), whatever pack was used.
    """

    words: str
    to: str | None = None
    urgent: bool = False
    in_table_language: bool = False


def announcements(taken: Taken, game: Game, pack: Language) -> list[Announcement]:
    """What is said about a fact that was taken, in ``pack``'s language; ``game`` is the game right
    after it. What the fact's origin reports itself is left out."""
    omitted = taken.origin.reports
    if any(isinstance(ruling, r.SlipCorrected) for ruling in taken.rulings):
        omitted = (*omitted, r.Announced)  # one announcement per event: the correction has it
    found = []
    for ruling in taken.rulings:
        if isinstance(ruling, omitted):
            continue
        tell = _TELLERS.get(type(ruling))
        if tell is not None:
            found += [
                replace(one, urgent=isinstance(ruling, URGENT))
                for one in tell(_Telling(game, pack), ruling)
            ]
    return found


def goes_to_earphone(game: Game, who: str) -> bool:
    """Whether what concerns ``who`` alone is said into the earphone. There is one, the impaired
    player's, or White's where both or none of them are; the other player would not hear it."""
    side = who.removeprefix("assistant:")
    owner = next((side for side in SIDES if game.impaired(side)), "white")
    return side not in SIDES or side == owner


class _Telling:
    """What the sentences about one game need."""

    def __init__(self, game: Game, pack: Language) -> None:
        assert game.setup is not None
        self.game = game
        self.pack = pack
        self.edition = game.setup.edition
        self.first = "white" if game.start_board.turn else "black"

    def sentence(self, key: str, **values: str) -> Announcement:
        """A sentence for everybody."""
        return Announcement(self.pack.sentence(key, **values).strip())

    def private(self, to: str, key: str, **values: str) -> Announcement:
        """A sentence for one person."""
        return Announcement(self.pack.sentence(key, **values), to=to)

    def player(self, side: str) -> str:
        return self.pack.sentence(side.removeprefix("assistant:"))

    def move(self, uci: str) -> str:
        """A move of the current position or, failing that, of the one before."""
        move, board = chess.Move.from_uci(uci), self.game.board
        if not board.is_legal(move) and self.game.history:
            board = self.game.history[-1].before
        return move_in_words(board, move, self.pack, self.edition)

    def move_at(self, ply: int, uci: str) -> str:
        """A move of the position before ``ply``."""
        history = self.game.history
        board = history[ply - 1].before if ply <= len(history) else self.game.board
        return move_in_words(board, chess.Move.from_uci(uci), self.pack, self.edition)

    def place(self, ply: int) -> dict[str, str]:
        return ply_in_words(ply, self.first, self.pack)


_Told = Iterable[Announcement]


# --- announcing and executing ----------------------------------------------------------------


def _announced(tell: _Telling, ruling: r.Announced) -> _Told:
    yield Announcement(ruling.words, in_table_language=True)


def _not_understood(tell: _Telling, ruling: r.NotUnderstood) -> _Told:
    yield tell.private(ruling.by, "not_understood")


def _ambiguous(tell: _Telling, ruling: r.Ambiguous) -> _Told:
    candidates = tell.pack.either([tell.move(move) for move in ruling.moves])
    yield tell.private(ruling.by, "ambiguous", candidates=candidates)


def _repeat_differs(tell: _Telling, ruling: r.RepeatDiffers) -> _Told:
    yield tell.sentence("repeat_differs", move=tell.move(ruling.announced))


def _slip_corrected(tell: _Telling, ruling: r.SlipCorrected) -> _Told:
    yield tell.sentence("corrected", move=tell.move(ruling.now))


def _too_late(tell: _Telling, ruling: r.TooLate) -> _Told:
    yield tell.sentence("too_late")


def _executed_differs(tell: _Telling, ruling: r.ExecutedDiffers) -> _Told:
    announced, executed = tell.move(ruling.announced), tell.move(ruling.executed)
    yield tell.sentence("executed_differs", announced=announced, executed=executed)


def _not_made(tell: _Telling, ruling: r.NotMade) -> _Told:
    for missing in ruling.missing:
        yield tell.private(ruling.by, f"not_made_{missing}")


def _completed(tell: _Telling, ruling: r.Completed) -> _Told:
    """A sighted player's move that nobody has announced: the opponent, who does not see, would not
    know of it (D.2.1). No announcement is recorded, for there was none."""
    history, other = tell.game.history, "black" if ruling.by == "white" else "white"
    if ruling.ply > len(history) or history[ruling.ply - 1].announced is not None:
        return
    if tell.game.impaired(other) and not tell.game.impaired(ruling.by):
        move = tell.move_at(ruling.ply, ruling.move)
        yield tell.sentence("last_move", player=tell.player(ruling.by), move=move)


# Where one of these is refused because it is not legal, it is a move that is not.
_MOVES = frozenset(("announce", "repeat", "correct", "make"))


def _refused(tell: _Telling, ruling: r.Refused) -> _Told:
    reason = f"illegal_{ruling.why}"
    if ruling.why == "not_on_move" and ruling.what not in _MOVES:
        yield tell.private(ruling.by, reason)
    elif reason in tell.pack.sentences():
        yield tell.private(ruling.by, "illegal", why=tell.pack.sentence(reason))
    else:
        yield tell.private(ruling.by, "refused")


# --- boards and scoresheets ------------------------------------------------------------------


def _boards_differ(tell: _Telling, ruling: r.BoardsDiffer) -> _Told:
    squares = (tell.pack.square(chess.parse_square(one.square)) for one in ruling.squares)
    yield tell.sentence("boards_differ", squares=", ".join(squares))


def _boards_agree(tell: _Telling, ruling: r.BoardsAgree) -> _Told:
    yield tell.sentence("boards_equal")


def _scoresheets(tell: _Telling, ruling: r.Scoresheets) -> _Told:
    if ruling.agree:
        yield tell.sentence("scoresheets_agree")
        return
    assert ruling.from_ply is not None
    yield tell.sentence("scoresheets_differ", number=tell.place(ruling.from_ply)["number"])
    for side, meant in (("white", ruling.white_move), ("black", ruling.black_move)):
        if meant is not None:
            move = tell.move_at(ruling.from_ply, meant)
            yield tell.sentence("scoresheet_wrote", player=tell.player(side), move=move)


def _must_record(tell: _Telling, ruling: r.MustRecord) -> _Told:
    yield tell.sentence("must_record", player=tell.player(ruling.by))


def _explained(tell: _Telling, ruling: r.Explained) -> _Told:
    yield Announcement(ruling.words, in_table_language=True)


def _correct_board(tell: _Telling, ruling: r.CorrectBoard) -> _Told:
    yield tell.sentence("correct_board", player=tell.player(ruling.board))
    for step in ruling.steps:
        piece = tell.pack.piece(chess.Piece.from_symbol(step.piece))
        square = tell.pack.square(chess.parse_square(step.square))
        yield tell.sentence(f"correct_board_{step.do}", piece=piece, square=square)


def _take_back(tell: _Telling, ruling: r.TakeBack) -> _Told:
    if ruling.status != "confirmed":
        yield from _proposed(tell, ruling)
    elif ruling.new_game:
        yield tell.sentence("new_game")
    elif ruling.to_ply == 0:
        yield tell.sentence("take_back_all")
    else:
        yield tell.sentence("take_back", **tell.place(ruling.to_ply))


def _two_boards(tell: _Telling, ruling: r.TwoBoardsDemanded) -> _Told:
    yield tell.sentence("two_boards", player=tell.player(ruling.by))


def _special_board(tell: _Telling, ruling: r.SpecialBoardInspected) -> _Told:
    missing = [tell.pack.sentence(f"special_board_{name}") for name in ruling.missing]
    if missing:
        yield tell.sentence("special_board_missing", what=", ".join(missing))
    else:
        yield tell.sentence("special_board_ok")


# --- offences, claims, the clock, the end ----------------------------------------------------


def _proposed(tell: _Telling, ruling: r.Proposable) -> _Told:
    """A proposal calls the arbiter; what is rejected is not told."""
    if ruling.status == "proposed":
        yield tell.sentence("arbiter_needed", why="")


def _illegal(tell: _Telling, ruling: r.IllegalMove) -> _Told:
    if ruling.status == "confirmed":
        number = tell.pack.number(ruling.number)
        yield tell.sentence("illegal_number", player=tell.player(ruling.by), number=number)
    else:
        yield from _proposed(tell, ruling)


def _penalty(tell: _Telling, ruling: r.Penalty) -> _Told:
    if ruling.gives is not None:
        if ruling.status == "confirmed":  # a proposed penalty may never be given
            time = tell.pack.duration(round((ruling.seconds or 0) * 1000))
            yield tell.sentence("penalty", player=tell.player(ruling.gives), time=time)
    elif ruling.penalty == "warning":
        yield tell.sentence("warning", player=tell.player(ruling.player))
    else:
        yield from _proposed(tell, ruling)


def _flag(tell: _Telling, ruling: r.FlagFell) -> _Told:
    if ruling.by in SIDES:
        yield tell.sentence("flag", player=tell.player(ruling.by))
    else:
        yield from _proposed(tell, ruling)


def _claim(tell: _Telling, ruling: r.Claimed) -> _Told:
    if ruling.status == "confirmed" and ruling.correct is not None:
        yield tell.sentence("claim_correct" if ruling.correct else "claim_incorrect")
    elif ruling.status == "proposed":
        yield tell.sentence(f"claim_{ruling.rule}", player=tell.player(ruling.by))
    elif ruling.status != "confirmed":
        yield tell.sentence("play_on")


def _extra_time(tell: _Telling, ruling: r.ExtraTime) -> _Told:
    if ruling.status == "confirmed":
        yield tell.sentence("extra_time")
    else:
        yield from _proposed(tell, ruling)


def _late(tell: _Telling, ruling: r.Late) -> _Told:
    yield tell.sentence("late", player=tell.player(ruling.by))


def _draw_offered(tell: _Telling, ruling: r.DrawOffered) -> _Told:
    yield tell.sentence("draw_offered", player=tell.player(ruling.by))


def _draw_declined(tell: _Telling, ruling: r.DrawDeclined) -> _Told:
    yield tell.sentence("draw_declined")


def _game_over(tell: _Telling, ruling: r.GameOver) -> _Told:
    reason = tell.pack.sentence(f"game_over_{ruling.reason}")
    yield tell.sentence(f"game_over_{_ENDINGS[ruling.result]}", reason=reason)


_ENDINGS = {"1-0": "white_wins", "0-1": "black_wins", "1/2-1/2": "draw", "0-0": "both_lose"}


# --- adjournment, people, the arbiter --------------------------------------------------------


def _sealed(tell: _Telling, ruling: r.Sealed) -> _Told:
    yield tell.sentence("sealed", player=tell.player(ruling.by))


def _adjourned(tell: _Telling, ruling: r.Adjourned) -> _Told:
    yield tell.sentence("adjourned")


def _assistant(tell: _Telling, ruling: r.AssistantPresence) -> _Told:
    key = "assistant_present" if ruling.present else "assistant_gone"
    yield tell.sentence(key, player=tell.player(ruling.of))


def _presides(tell: _Telling, ruling: r.Presides) -> _Told:
    yield tell.sentence("arbiter_presides" if ruling.present else "arbiter_withdrew")


def _answer(tell: _Telling, ruling: r.Answer) -> _Told:
    yield Announcement(ruling.words, to=ruling.to)


_ENTRIES = frozenset(("illegible_entry", "illegal_entry", "entry_differs"))


def _arbiter_needed(tell: _Telling, ruling: r.ArbiterNeeded) -> _Told:
    why = ruling.why
    if why in ("mate_undecided", "assistant_compulsory"):
        yield tell.sentence(why)
    elif why == "seal":
        yield tell.sentence("seal_asked", player=tell.player(str(ruling.by)))
    else:
        if why in _ENTRIES and ruling.ply is not None:
            owner = tell.player(str(ruling.by))
            yield tell.sentence(why, owner=owner, **tell.place(ruling.ply))
        yield tell.sentence("arbiter_needed", why="")


_TELLERS: Mapping[type[Ruling], Callable[[_Telling, Any], _Told]] = {
    r.Announced: _announced,
    r.NotUnderstood: _not_understood,
    r.Ambiguous: _ambiguous,
    r.RepeatDiffers: _repeat_differs,
    r.SlipCorrected: _slip_corrected,
    r.TooLate: _too_late,
    r.ExecutedDiffers: _executed_differs,
    r.NotMade: _not_made,
    r.Completed: _completed,
    r.Refused: _refused,
    r.BoardsDiffer: _boards_differ,
    r.BoardsAgree: _boards_agree,
    r.Scoresheets: _scoresheets,
    r.MustRecord: _must_record,
    r.Explained: _explained,
    r.CorrectBoard: _correct_board,
    r.TakeBack: _take_back,
    r.TwoBoardsDemanded: _two_boards,
    r.SpecialBoardInspected: _special_board,
    r.IllegalMove: _illegal,
    r.Penalty: _penalty,
    r.FlagFell: _flag,
    r.Claimed: _claim,
    r.ExtraTime: _extra_time,
    r.Late: _late,
    r.DrawOffered: _draw_offered,
    r.DrawDeclined: _draw_declined,
    r.GameOver: _game_over,
    r.Sealed: _sealed,
    r.Adjourned: _adjourned,
    r.AssistantPresence: _assistant,
    r.Presides: _presides,
    r.Answer: _answer,
    r.ArbiterNeeded: _arbiter_needed,
}
UNTOLD = frozenset(
    (r.Touched, r.Obliged, r.Adjusting, r.Repeated, r.Executed, r.Made, r.ClockReading)
)
"""Rulings of which nothing is said: people feel them, did them, or may ask for them."""
URGENT = (
    r.ArbiterNeeded,
    r.BoardsDiffer,
    r.ExecutedDiffers,
    r.FlagFell,
    r.GameOver,
    r.IllegalMove,
    r.RepeatDiffers,
    r.TooLate,
)
"""Rulings that cannot wait until a screen reader has finished what it is saying."""
