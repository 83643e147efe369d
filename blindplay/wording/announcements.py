"""The table's sentences about rulings, with their listeners and their urgency.

:func:`announcements` is the only place where rulings become sentences for people. Loudspeaker,
pages and other outputs use its result. Information is given only on request (D.2.10.4):
players do not hear what they feel with their own fingers or have just done themselves.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import chess

from blindplay.language import Language, in_language, join
from blindplay.laws import Game, Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws import rulings as r
from blindplay.laws.due import due
from blindplay.laws.facts import SIDES
from blindplay.laws.state import OTHER

from .pack_words import answer_in_words
from .position import diagnosis, move_in_words, ply_in_words
from .readers import Readers, announcing, name_of_announcements


@dataclass(frozen=True)
class Announcement:
    """One sentence about a ruling.

    - ``to``: the one person it concerns ("white", "assistant:black", "arbiter"), None for all.
    - ``urgent``: it interrupts what is being said.
    - ``fleeting``: "repeat" does not repeat it, but the sentence before.
    - ``answers_press``: it answers a press of the clock; a short sound may take its place.
    - ``refuses``: it says why something is not done.
    - ``while_same``: it holds as long as these of the game's :func:`aspects` stay the same. The
      aspect ``time`` stays the same, but only for a while.

    Announced moves are parts in the language of announcements (D.2.1), see
    :class:`~blindplay.language.MixedText`.
    """

    words: str
    to: str | None = None
    urgent: bool = False
    fleeting: bool = False
    answers_press: bool = False
    refuses: bool = False
    while_same: tuple[str, ...] = ()


def announcements(taken: Taken, game: Game, pack: Language) -> list[Announcement]:
    """Return the sentences about a fact that was taken, in ``pack``'s language.

    ``game`` is the game right after it. Rulings that the fact's origin reports are left out.
    """
    omitted = taken.origin.reports
    if any(isinstance(ruling, r.SlipCorrected) for ruling in taken.rulings):
        omitted = (*omitted, r.Announced)  # one announcement per event: the correction has it
    readings = [ruling for ruling in taken.rulings if isinstance(ruling, r.ClockReading)]
    early = readings[:-1]  # the last reading is enough: say both times once
    context = _Context(game, pack, taken)
    return [
        replace(
            one,
            urgent=isinstance(ruling, URGENT),
            fleeting=isinstance(ruling, FLEETING),
            refuses=isinstance(ruling, r.Refused | r.NotMade),
            while_same=one.while_same or while_same(ruling, game),
        )
        for ruling in taken.rulings
        if type(ruling) in _TELLERS and not isinstance(ruling, omitted)
        if not any(ruling is one for one in early)
        for one in _TELLERS[type(ruling)](context, ruling)
    ]


def told(taken: Taken, game: Game, readers: Readers) -> list[Announcement]:
    """Return the sentences about a fact that was taken, each in the listener's own language."""
    found = announcements(taken, game, readers.everybody)
    people = {one.to for one in found} - {None}
    own = {who: announcements(taken, game, readers.of(who)) for who in people}
    return [own.get(one.to, found)[place] for place, one in enumerate(found)]


def to_everybody(taken: Taken, game: Game, pack: Language) -> list[Announcement]:
    """Return those of the :func:`announcements` that everybody may hear."""
    found = announcements(taken, game, pack)
    return [one for one in found if one.to is None or not goes_to_earphone(game, one.to)]


def goes_to_earphone(game: Game, who: str, absent: str = "") -> bool:
    """True if sentences for ``who`` alone go into the earphone.

    There is one earphone. It belongs to the impaired player, or to the one who was White at first
    if both or none are impaired: reversed colours (7.3) put it into no other ear. The other player
    would not hear it. If one side is ``absent`` it is the other's.
    """
    side = who.removeprefix("assistant:")
    seats = SIDES[::-1] if game.swapped else SIDES
    owner = next((side for side in seats if game.impaired(side)), seats[0])
    owner = OTHER[absent] if absent else owner
    return side not in SIDES or side == owner


class _Context:
    """The game and the language of some announcements, and the fact and the rulings that they are
    about."""

    def __init__(self, game: Game, pack: Language, taken: Taken) -> None:
        self.game = game
        self.pack = pack
        self.fact: f.Fact = taken.fact
        self.rulings = taken.rulings

    def sentence(self, key: str, **values: str) -> Announcement:
        """A sentence for everybody."""
        return Announcement(self.pack.sentence(key, **values).strip())

    def private(self, to: str, key: str, **values: str) -> Announcement:
        """A sentence for one person."""
        return Announcement(self.pack.sentence(key, **values), to=to)

    def needed(self, reason: str, decides: bool = False, /, **values: str) -> Announcement:
        """The arbiter is needed, and why. Where nobody presides the players settle it, unless the
        arbiter ``decides``."""
        return self.call(self.pack.sentence(f"needed_{reason}", **values), decides=decides)

    def call(self, why: str, *, decides: bool = False) -> Announcement:
        """A call for the arbiter with its reason ``why``, a sentence."""
        there = decides or self.game.presided
        return self.sentence("arbiter_needed" if there else "arbiter_needed_none", why=why)

    def player(self, side: str) -> str:
        return self.pack.sentence(side.removeprefix("assistant:"))

    def move(self, uci: str) -> str:
        """A move of the current position or, failing that, of the one before."""
        history, board = self.game.history, self.game.board
        if history and not board.is_legal(chess.Move.from_uci(uci)):
            board = history[-1].before
        return self._move(board, uci)

    def move_at(self, ply: int, uci: str) -> str:
        """A move of the position before ``ply``."""
        history = self.game.history
        return self._move(history[ply - 1].before if ply <= len(history) else self.game.board, uci)

    def _move(self, board: chess.Board, uci: str) -> str:
        setup = self.game.setup
        assert setup is not None
        move = chess.Move.from_uci(uci)
        return move_in_words(board, move, self.pack, setup.edition, setup.announce_check)

    def place(self, ply: int) -> dict[str, str]:
        """The values ``number`` and ``player`` of a ply."""
        first = "white" if self.game.start_board.turn else "black"
        return ply_in_words(ply, first, self.pack)


_Sentences = Iterable[Announcement]
_Teller = Callable[[_Context, Any], _Sentences]


def _simple(key: str, *, player: str = "by", **moves: str) -> _Teller:
    """Say one sentence to everybody.

    It may name the player in the ruling's field ``player``, and the moves in its fields ``moves``.
    """

    def tell(context: _Context, ruling: Ruling) -> _Sentences:
        values = {name: context.move(getattr(ruling, field)) for name, field in moves.items()}
        if side := getattr(ruling, player, None):
            values["player"] = context.player(side)
        yield context.sentence(key, **values)

    return tell


def _executed_differs(context: _Context, ruling: r.ExecutedDiffers) -> _Sentences:
    """A player who sees has made the move by hand alone, so the executed one counts (4.7). Where
    somebody does not see it, it must still be announced (D.2.1): the next step says so."""
    game = context.game
    made = game.turn.made is not None and game.turn.made.uci() == ruling.executed
    counts = made and not any(map(game.impaired, SIDES))
    key = "executed_counts" if counts else "executed_differs"
    moves = {name: context.move(getattr(ruling, name)) for name in ("announced", "executed")}
    yield context.sentence(key, **moves)


def _present(here: str, gone: str) -> _Teller:
    """Say that a person is here from now on, or gone."""
    here_now, gone_now = (_simple(key, player="of") for key in (here, gone))
    return lambda context, ruling: (here_now if ruling.present else gone_now)(context, ruling)


def _proposed(context: _Context, ruling: r.Proposable) -> _Sentences:
    """A proposal calls the arbiter, and says for what; or it asks both players. A rejected one is
    not told."""
    pending = context.game.pending
    claimable = isinstance(ruling, r.IllegalMove) and ruling.claimable  # only by the opponent
    if pending is not None and pending.asked and pending.ruling == ruling:
        confirmed = replace(ruling, status="confirmed")
        what = [one.words for one in _TELLERS[type(ruling)](context, confirmed)]
        yield context.sentence("consent_asked", what=join(" ", what, context.pack.code))
        yield from _answers_due(context)
    elif ruling.status == "proposed" and not claimable:
        by = getattr(ruling, "by", None) or ""
        reason = "both_flags" if by == "both" else ruling.kind
        player = context.player(by) if by in SIDES else ""
        yield context.needed(reason, True, player=player)


def _answers_due(context: _Context) -> _Sentences:
    """Ask the players who still have to say yes or no."""
    pending = context.game.pending
    for side in SIDES:
        if pending is not None and side in pending.asked:
            yield context.sentence("consent_due", player=context.player(side))


def _consented(context: _Context, ruling: r.Consented) -> _Sentences:
    key = "consent_given" if ruling.given else "consent_refused"
    yield context.sentence(key, player=context.player(ruling.by))
    yield from _answers_due(context)


def _confirmed(tell: _Teller) -> _Teller:
    """Tell a confirmed ruling, and call the arbiter, or ask the players, for a proposed one."""
    return lambda context, ruling: (tell if ruling.status == "confirmed" else _proposed)(
        context, ruling
    )


# --- announcing and executing ----------------------------------------------------------------


def _announced(context: _Context, ruling: r.Announced) -> _Sentences:
    yield Announcement(in_language(ruling.words, announcing(context.game).code))


def _touched(context: _Context, ruling: r.Touched) -> _Sentences:
    """A touch that somebody has reported. The player need not hear of one that a board has felt."""
    if ruling.seen_by is None:
        return
    values = {
        "player": context.player(ruling.by),
        "piece": context.pack.piece(chess.Piece.from_symbol(ruling.piece)),
        "square": context.pack.square(chess.parse_square(ruling.square)),
    }
    if ruling.status == "proposed":
        yield context.needed("touched", True, **values)
    elif ruling.status == "rejected":
        yield context.sentence("play_on")
    else:
        yield context.sentence("touched", **values)


def _explained(context: _Context, ruling: r.Explained) -> _Sentences:
    first = "white" if context.game.start_board.turn else "black"
    yield Announcement(diagnosis(ruling.explanations, ruling.board, first, context.pack))


def _announces_in(context: _Context, ruling: r.AnnouncesIn) -> _Sentences:
    yield context.sentence("announces_in", language=name_of_announcements(context.game))


def _not_understood(context: _Context, ruling: r.NotUnderstood) -> _Sentences:
    yield context.private(ruling.by, "not_understood")


def _ambiguous(context: _Context, ruling: r.Ambiguous) -> _Sentences:
    candidates = context.pack.either([context.move(move) for move in ruling.moves])
    yield context.private(ruling.by, "ambiguous", candidates=candidates)


def _not_made(context: _Context, ruling: r.NotMade) -> _Sentences:
    game = context.game
    if not game.tables[game.board_of(ruling.by)].sensors:  # nothing tells where pieces are
        missing = "entered" if game.turn.announced is None else "unexecuted"
        yield context.private(ruling.by, f"not_made_{missing}")
        return
    for missing in ruling.missing:
        yield context.private(ruling.by, f"not_made_{missing}")


def _made(context: _Context, ruling: r.Made) -> _Sentences:
    """A move out of the envelope: everybody hears it (I.9.1). All others have been announced."""
    game = context.game
    if set(game.edition.cite("opening_envelope", game.regime)) <= set(ruling.articles):
        yield _out_of_the_envelope(context, ruling.by, context.move(ruling.move))


def _out_of_the_envelope(context: _Context, by: str, move: str) -> Announcement:
    return context.sentence("envelope_opened", player=context.player(by), move=move)


def _completed(context: _Context, ruling: r.Completed) -> _Sentences:
    if isinstance(context.fact, f.OpenEnvelope):
        if not any(isinstance(one, r.Made) for one in context.rulings):
            # It was made on the board before it was sealed (I.1.1), and nobody has announced it.
            move = context.move_at(ruling.ply, ruling.move)
            yield _out_of_the_envelope(context, ruling.by, move)
        if not context.game.clock and not context.game.over:
            to_move = context.sentence("to_move", player=context.player(context.game.side))
            yield replace(to_move, while_same=TO_MOVE)
        return
    yield from _unannounced(context, ruling)
    if isinstance(context.fact, f.Press) and not context.game.over:
        pressed = _pressed(context, context.fact.by)
        yield replace(pressed, answers_press=True, while_same=TO_MOVE)


def _unannounced(context: _Context, ruling: r.Completed) -> _Sentences:
    """A sighted player's move without an announcement.

    The opponent, who does not see, would not know of it (D.2.1). No announcement is recorded,
    because there was none.
    """
    game, history = context.game, context.game.history
    if ruling.ply > len(history) or history[ruling.ply - 1].announced is not None:
        return
    if game.impaired(OTHER[ruling.by]) and not game.impaired(ruling.by):
        move = context.move_at(ruling.ply, ruling.move)
        yield context.sentence("last_move", player=context.player(ruling.by), move=move)


def _pressed(context: _Context, by: str) -> Announcement:
    """Return the sentence about a press. Only sighted players need not hear their opponent's."""
    game, side = context.game, by.removeprefix("assistant:")
    to_move = context.player(game.side)
    stopped = bool(game.clock) and game.clock.running != side
    if stopped and goes_to_earphone(game, side) and not game.impaired(OTHER[side]):
        return context.private(side, "pressed", player=to_move)
    return context.sentence("to_move", player=to_move)


def _refused(context: _Context, ruling: r.Refused) -> _Sentences:
    reason = f"illegal_{ruling.why}"
    if reason in context.pack.sentences():
        yield context.private(ruling.by, "illegal", why=context.pack.sentence(reason))
    else:
        yield context.private(ruling.by, f"refused_{ruling.why}")


# --- boards and scoresheets ------------------------------------------------------------------


def _boards_differ(context: _Context, ruling: r.BoardsDiffer) -> _Sentences:
    """Say that the boards differ from each other. If both show the same, but not the game, only the
    corrections say so."""
    if not differing_squares(context.game):
        return
    squares = (context.pack.square(chess.parse_square(one.square)) for one in ruling.squares)
    yield context.sentence("boards_differ", squares=", ".join(squares))


def _scoresheets(context: _Context, ruling: r.Scoresheets) -> _Sentences:
    if ruling.agree:
        yield context.sentence("scoresheets_agree")
        return
    assert ruling.from_ply is not None
    yield context.sentence("scoresheets_differ", number=context.place(ruling.from_ply)["number"])
    for side, meant in (("white", ruling.white_move), ("black", ruling.black_move)):
        if meant is not None:
            move = context.move_at(ruling.from_ply, meant)
            yield context.sentence("scoresheet_wrote", player=context.player(side), move=move)


def _correct_board(context: _Context, ruling: r.CorrectBoard) -> _Sentences:
    yield context.sentence("correct_board", player=context.player(ruling.board))
    for step in ruling.steps:
        piece = context.pack.piece(chess.Piece.from_symbol(step.piece))
        square = context.pack.square(chess.parse_square(step.square))
        yield context.sentence(f"correct_board_{step.do}", piece=piece, square=square)


def _take_back(context: _Context, ruling: r.TakeBack) -> _Sentences:
    if ruling.new_game:
        yield context.sentence("new_game")
    elif ruling.undone:
        key = "take_back_undone" if ruling.to_ply else "play_on"
        yield context.sentence(key, **context.place(ruling.to_ply))
    else:
        yield _taken_back(context, ruling.to_ply)


def _taken_back(context: _Context, to_ply: int) -> Announcement:
    key = "take_back" if to_ply else "take_back_all"
    return context.sentence(key, **context.place(to_ply))


_UNDONE: Mapping[str, str] = {
    "penalty": "undone_penalty",
    **dict.fromkeys(("stop_clocks", "start_clocks", "set_clock"), "undone_clocks"),
}


def _undone(context: _Context, ruling: r.Undone) -> _Sentences:
    key = "undone_result" if ruling.reopened else _UNDONE.get(ruling.what, "undone_decision")
    yield context.sentence(key, player=context.player(ruling.player) if ruling.player else "")
    if ruling.to_ply is not None:
        key = "undone_position" if ruling.to_ply else "undone_start"
        yield context.sentence(key, **context.place(ruling.to_ply))
    if ruling.reason:
        yield context.sentence("undone_reason", reason=ruling.reason.rstrip("."))


def _corrected(context: _Context, ruling: r.ResultCorrected) -> _Sentences:
    yield context.sentence("result_corrected")
    yield context.sentence("undone_reason", reason=ruling.reason.rstrip("."))


def _owners_known(context: _Context, ruling: r.Owners) -> _Sentences:
    yield context.sentence("owners_known" if ruling.known else "owners_asked")


def _special_board(context: _Context, ruling: r.SpecialBoardInspected) -> _Sentences:
    missing = ", ".join(context.pack.sentence(f"special_board_{name}") for name in ruling.missing)
    yield context.sentence("special_board_missing" if missing else "special_board_ok", what=missing)


# --- offences, claims, the clock, the end ----------------------------------------------------


def _illegal(context: _Context, ruling: r.IllegalMove) -> _Sentences:
    number = context.pack.number(ruling.number)
    yield context.sentence("illegal_number", player=context.player(ruling.by), number=number)
    if ruling.to_ply is not None and not context.game.over:
        yield _taken_back(context, ruling.to_ply)


def _penalty(context: _Context, ruling: r.Penalty) -> _Sentences:
    if ruling.status != "confirmed":
        if ruling.gives is None:  # an illegal move or a claim is proposed, and says what it costs
            yield from _proposed(context, ruling)
    elif ruling.gives is not None:
        time = context.pack.duration(round((ruling.seconds or 0) * 1000))
        yield context.sentence("penalty", player=context.player(ruling.gives), time=time)
    elif ruling.penalty == "warning":
        yield context.sentence("warning", player=context.player(ruling.player))


def _flag(context: _Context, ruling: r.FlagFell) -> _Sentences:
    if ruling.by in SIDES:
        yield context.sentence("flag", player=context.player(ruling.by))


# The arbiter's decisions about clocks, and the sentence that comes before both times.
_SET: Mapping[str, str] = {
    "set_clock": "clocks_set",
    "penalty": "clocks_set",
    "restore": "",
    "undo": "",
}
# Decisions that start a stopped clock.
_STARTING = frozenset(("start_clocks", "confirm", "reject", "postpone", "undo"))


def _clock(context: _Context, ruling: r.ClockReading) -> _Sentences:
    """The clocks were started, stopped or set: not by a press, which is answered otherwise."""
    fact, running, game = context.fact, ruling.running, context.game
    # The press that leaves an answer with the arbiter starts the absent player's clock (I.9.3).
    delivers = isinstance(fact, f.Press) and game.delivered
    starts = delivers or isinstance(fact, f.Start | f.OpenEnvelope | f.Consent)
    if isinstance(fact, f.Start) and game.adjourned:  # the player who must answer is away (I.9.2)
        yield context.sentence("envelope_waits", player=context.player(OTHER[game.side]))
    elif isinstance(fact, f.Start):
        yield context.sentence("game_begins")
    elif isinstance(fact, f.Arbiter):
        starts = fact.do in _STARTING
        if fact.do == "stop_clocks" and fact.by == "arbiter":
            yield context.sentence("clock_stopped")
        elif fact.do in _SET and game.pending is None:
            if _SET[fact.do]:
                yield context.sentence(_SET[fact.do])
            passing = PASSING if running else ()
            yield replace(both_clocks(context.pack, game), while_same=passing)
    if running in SIDES and starts:
        yield context.sentence("clock_started", player=context.player(running))


def both_clocks(pack: Language, game: Game) -> Announcement:
    """Both times, for everybody."""
    times = {side: pack.duration(game.clock.left[side]) for side in SIDES}
    return Announcement(pack.sentence("clocks_read", **times))


def _claim(context: _Context, ruling: r.Claimed) -> _Sentences:
    if ruling.status == "confirmed" and ruling.correct is not None:
        yield context.sentence("claim_correct" if ruling.correct else "claim_incorrect")
    elif ruling.status == "proposed":
        yield context.sentence(f"claim_{ruling.rule}", player=context.player(ruling.by))
    elif ruling.status == "rejected":
        yield context.sentence("play_on")
    elif ruling.status == "postponed":
        yield context.sentence("claim_postponed")


def _draw_offered(context: _Context, ruling: r.DrawOffered) -> _Sentences:
    if not ruling.again:
        yield context.sentence("draw_offered", player=context.player(ruling.by))


def _game_over(context: _Context, ruling: r.GameOver) -> _Sentences:
    told = context.game.served and ruling.reason == "declared"  # the server's reason is said first
    reason = "" if told else context.pack.sentence(f"game_over_{ruling.reason}")
    yield Announcement(result_in_words(context.pack, ruling.result, reason))


def result_in_words(pack: Language, result: str, reason: str = "") -> str:
    """Return the sentence that ends the game, with its result and the sentence ``reason``."""
    return pack.sentence(f"game_over_{_ENDINGS[result]}", reason=reason).strip()


_ENDINGS = {
    "1-0": "white_wins",
    "0-1": "black_wins",
    "1/2-1/2": "draw",
    "0-0": "both_lose",
    "1/2-0": "half_to_white",
    "0-1/2": "half_to_black",
}


# --- people, the arbiter ---------------------------------------------------------------------


def _answer(context: _Context, ruling: r.Answer) -> _Sentences:
    yield Announcement(answer_in_words(ruling, context.pack), to=ruling.to)


_ENTRIES = frozenset(("illegible_entry", "illegal_entry", "entry_differs", "entry_slip"))


def _arbiter_needed(context: _Context, ruling: r.ArbiterNeeded) -> _Sentences:
    why, player = ruling.why, context.player(ruling.by) if ruling.by else ""
    if ruling.again or ruling.status not in (None, "proposed"):
        return
    if why == "seal":
        yield context.sentence("seal_asked", player=player)
    elif why in _ENTRIES and ruling.ply is not None:
        yield from _entry(context, ruling, player)
    elif (ruling.by or "").startswith("assistant:"):
        yield _needed_by_assistant(context, why, player)
    else:
        yield context.needed(why, player=player)


def _entry(context: _Context, ruling: r.ArbiterNeeded, owner: str) -> _Sentences:
    """An entry that decides nothing. Of all that cannot be read on a sheet, the first is named: a
    whole sheet may be in letters that the table does not know."""
    why, ply, count = str(ruling.why), ruling.ply or 0, 1
    if why == "illegible_entry":
        alike = [
            one
            for one in context.rulings
            if isinstance(one, r.ArbiterNeeded) and (one.why, one.by) == (why, ruling.by)
        ]
        if ruling is not alike[0]:
            return
        count = len(alike)
    key = "illegible_entries" if count > 1 else why
    history = context.game.history
    if why == "entry_slip" and ply > len(history):
        key = "illegal_entry"
    values = {"owner": owner, "count": context.pack.number(count), **context.place(ply)}
    if key == "entry_slip":
        values["move"] = context.move_at(ply, history[ply - 1].move.uci())
    yield context.call(context.pack.sentence(key, **values))


def _needed_by_assistant(context: _Context, why: str, player: str) -> Announcement:
    """An assistant calls the arbiter, or reports something irregular (12.7)."""
    if why == "called":
        return context.needed("called_by_assistant", player=player)
    seen = context.pack.sentence(f"needed_{why}", player=player)
    reported = context.pack.sentence("needed_reported_by_assistant", player=player)
    return context.call(f"{seen} {reported}")


def _adjournment_asked(context: _Context, ruling: r.AdjournmentAsked) -> _Sentences:
    key = "adjourn_declined" if ruling.declined else "adjourn_wanted"
    yield context.sentence(key, player=context.player(ruling.by))


def _sealed(context: _Context, ruling: r.Sealed) -> _Sentences:
    yield context.sentence("sealed", player=context.player(ruling.by))
    if context.game.clock and not context.game.adjourned:
        yield context.private(ruling.by, "seal_press")


_TELLERS: Mapping[type[Ruling], _Teller] = {
    r.Touched: _touched,
    r.Announced: _announced,
    r.AnnouncesIn: _announces_in,
    r.NotUnderstood: _not_understood,
    r.Ambiguous: _ambiguous,
    r.RepeatDiffers: _simple("repeat_differs", move="announced"),
    r.SlipCorrected: _simple("corrected", move="now"),
    r.AnnouncementVoid: _simple("announcement_void", move="move"),
    r.TooLate: _simple("too_late"),
    r.ExecutedDiffers: _executed_differs,
    r.NotMade: _not_made,
    r.Made: _made,
    r.Completed: _completed,
    r.ClockReading: _clock,
    r.Refused: _refused,
    r.BoardsDiffer: _boards_differ,
    r.BoardsAgree: _simple("boards_equal"),
    r.Scoresheets: _scoresheets,
    r.MustRecord: _simple("must_record"),
    r.Explained: _explained,
    r.CheckBoard: _simple("check_board", player="board"),
    r.CorrectBoard: _correct_board,
    r.TakeBack: _confirmed(_take_back),
    r.Undone: _undone,
    r.Attended: _simple("attended"),
    r.TwoBoardsDemanded: _simple("two_boards"),
    r.Owners: _owners_known,
    r.SpecialBoardInspected: _special_board,
    r.IllegalMove: _confirmed(_illegal),
    r.Penalty: _penalty,
    r.FlagFell: _confirmed(_flag),
    r.Claimed: _claim,
    r.ExtraTime: _confirmed(_simple("extra_time")),
    r.Late: _confirmed(_simple("late")),
    r.Arrived: _simple("arrived"),
    r.Consented: _consented,
    r.DrawOffered: _draw_offered,
    r.DrawDeclined: _simple("draw_declined"),
    r.GameOver: _game_over,
    r.ResultCorrected: _corrected,
    r.Signed: _simple("signed"),
    r.AdjournmentAsked: _adjournment_asked,
    r.Sealed: _sealed,
    r.Adjourned: _simple("adjourned"),
    r.AssistantPresence: _present("assistant_present", "assistant_gone"),
    r.Presides: _present("arbiter_presides", "arbiter_withdrew"),
    r.WarningsPermitted: _simple("warnings_permitted"),
    r.Answer: _answer,
    r.ArbiterNeeded: _arbiter_needed,
}
URGENT = (
    r.AnnouncementVoid,
    r.ArbiterNeeded,
    r.BoardsDiffer,
    r.CheckBoard,
    r.ExecutedDiffers,
    r.FlagFell,
    r.GameOver,
    r.IllegalMove,
    r.Owners,
    r.RepeatDiffers,
    r.ResultCorrected,
    r.TooLate,
    r.Touched,
    r.Undone,
)
"""Rulings that interrupt a screen reader."""
FLEETING = (r.NotUnderstood,)
"""Rulings that are not worth a repetition."""


NOW = ("turn", "arbiter", "result")
"""The aspects of a sentence that says why something cannot be done now."""
TO_MOVE = (*NOW, "clocks")
"""The aspects of a sentence that says whose move it is."""
OWED = (*TO_MOVE, "step")
"""The aspects of a sentence about an obligation of the player on move; see :func:`name_of_step`."""
PASSING = ("time",)
"""The aspect of a sentence that reports a past event, and soon is no news any more."""
_LASTING: tuple[tuple[tuple[type[Ruling], ...], tuple[str, ...]], ...] = (
    ((r.GameOver, r.ResultCorrected), ("result",)),
    ((r.DrawOffered,), ("offers", "result")),
    ((r.Consented,), ("arbiter", "result")),
    ((r.CorrectBoard, r.Explained, r.Owners), ("boards", "result")),
    ((r.BoardsDiffer,), ("differing", "result")),
    ((r.BoardsAgree,), ("differing", "result", *PASSING)),
    ((r.FlagFell,), ("arbiter", "calls", "clocks", "result")),
    ((r.AdjournmentAsked, r.Sealed, r.Adjourned), ("adjournment", "arbiter", "result")),
    ((r.Refused, r.NotMade, r.NotUnderstood, r.Ambiguous, r.CheckBoard), NOW),
    (
        (
            r.AnnouncementVoid, r.ExecutedDiffers, r.IllegalMove, r.RepeatDiffers, r.TooLate,
            r.Touched, r.Undone,
        ),
        ("turn", "result"),
    ),
    ((r.ClockReading,), ("clocks", "adjournment", "result")),
)  # fmt: skip


def aspects(game: Game) -> dict[str, str]:
    """Return the aspects of a game whose change makes a sentence about it outdated, such as the
    move that is due, the boards to be corrected, the clocks or the result. Everybody may know
    them."""
    pending, turn = game.pending, game.turn
    wrong = [name for name, table in game.tables.items() if table.wanted is not None]
    sealing = (game.wants_to_adjourn, game.adjourning, game.sealed is not None, game.adjourned)
    return {
        "turn": f"{len(game.history)}{' made' * (turn.made is not None)}",
        "arbiter": game.paused if pending is None else f"{pending.ruling.kind} {pending.ruling.t}",
        "calls": " ".join(f"{one.why} {one.by} {one.t}" for one in game.calls),
        "offers": " ".join(sorted(game.offers)),
        "boards": " ".join(wrong if game.owners_known else (*wrong, "owners")),
        # Until it was told, what a hand does on one board is nobody else's to know.
        "differing": str([*differing_squares(game)]) if wrong or game.differ_told else "",
        "clocks": game.clock.running or "",
        "adjournment": " ".join(map(str, filter(None, sealing))),
        "result": game.result or "",
        "time": "",
    }


def name_of_step(game: Game, person: str) -> str:
    """The aspect ``step`` of a sentence that tells ``person`` what is due from them. It tells no
    more than that sentence: a move that somebody else's hands have made is not theirs to know."""
    step = due(game, person)
    if step.do == "wait":
        return f"wait {step.whom} {step.why}"
    move = "" if step.move is None else step.move.move.uci()
    return f"{step.do} {step.board} {move} {len(step.owed)}"


def differing_squares(game: Game) -> dict[int, tuple[str | None, str | None]]:
    """The squares on which the two boards differ, or the only board and the game, and what stands
    on them."""
    shown = [table.placement for table in game.tables.values()]
    first, other = shown[0], shown[1] if len(shown) == 2 else game.position_pieces()
    squares = sorted(first.keys() | other.keys())
    return {at: (first.get(at), other.get(at)) for at in squares if first.get(at) != other.get(at)}


def needed(game: Game) -> tuple[str, ...]:
    """The aspects of a sentence that asks for the arbiter."""
    waits = bool(aspects(game)["arbiter"])
    return ("arbiter", "calls", "clocks", "result") if waits else ("calls", *NOW)


def while_same(ruling: Ruling, game: Game) -> tuple[str, ...]:
    """The aspects on which a sentence about ``ruling``, just given, rests."""
    waits = isinstance(ruling, r.Proposable) and ruling.status == "proposed"
    if waits or isinstance(ruling, r.ArbiterNeeded):
        return needed(game)
    return next((found for kinds, found in _LASTING if isinstance(ruling, kinds)), PASSING)
