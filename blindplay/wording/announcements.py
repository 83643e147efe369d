"""The language packs as the Laws see them, and rulings as people hear them."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import chess

from blindplay import language as packs
from blindplay.language import Kind, Language
from blindplay.language.scoresheets import reading
from blindplay.language.scoresheets.notation import meanings
from blindplay.laws import Game, Heard, Ruling
from blindplay.laws.deviation import UNKNOWN, Explanation, Slip
from blindplay.laws.facts import SIDES
from blindplay.laws.sheet_comparison import EntryCertainty, EntryReader, WrittenEntry
from blindplay.speech.speaker import Output


class PackWords:
    """Understands and announces with the language packs; implements :class:`laws.Words`.

    A player's own language may have no pack yet; then the announcing language serves.
    """

    def __init__(self, fallback: str = "de") -> None:
        self.fallback = fallback
        self._packs: dict[str, Language] = {}

    def pack(self, language: str) -> Language:
        """The pack of ``language``, or the fallback's where there is none; "de+nb" has the ranks
        of another language."""
        if language not in self._packs:
            own, _, ranks = language.partition("+")
            code = _code(own) or self.fallback
            numbers = _code(ranks)
            self._packs[language] = packs.load(f"{code}+{numbers}" if numbers else code)
        return self._packs[language]

    def understand(self, text: str, board: chess.Board, language: str) -> Heard:
        """What is *announced*: a correction or a command among the words is no announcement."""
        understood = self.pack(language).understand(text, board)
        if understood.kind is Kind.MOVE:
            return Heard("move", understood.moves)
        if understood.kind is Kind.AMBIGUOUS:
            return Heard("ambiguous", understood.moves)
        if understood.kind is Kind.ILLEGAL:
            return Heard(
                "illegal", understood.moves, understood.why.value if understood.why else ""
            )
        return Heard("other")

    def announce(self, board: chess.Board, move: chess.Move, language: str, edition: str) -> str:
        return self.pack(language).announce(board, move, edition=edition)

    def reader(self, entries: Collection[str]) -> EntryReader:
        """The sheet as a whole tells in whose letters it is written, whatever its player speaks."""
        notations = reading.notation_of(entries)

        def read(text: str, board: chess.Board) -> WrittenEntry:
            found = reading.read(text, board, notations)
            certainty: EntryCertainty = found.certainty.value
            meant: frozenset[object] = frozenset()
            if certainty == "illegal":  # no move tells that two of them say the same
                meant = frozenset(
                    (one.piece, one.origins, one.targets, one.promotion, one.castles)
                    for one in meanings(text, frozenset(notations))
                    if one.own
                )
            remarks = tuple(remark.value for remark in found.remarks)
            return WrittenEntry(text, certainty, found.moves, remarks, meant)

        return read

    def diagnosis(
        self, explanations: Sequence[Explanation], board: str, first: str, language: str
    ) -> str:
        return diagnosis(explanations, board, first, self.pack(language))

    def answer(self, about: str, figures: Mapping[str, Any], language: str) -> str:
        pack = self.pack(language)
        if about == "time":
            times = {side: pack.duration(round(figures[side] * 1000)) for side in SIDES}
            mine = str(figures["to"]).removeprefix("assistant:")
            if mine not in SIDES:
                both = (f"{pack.sentence(side)}: {times[side]}." for side in SIDES)
                return " ".join(both)
            other = "black" if mine == "white" else "white"
            return pack.sentence("clock_both", mine=times[mine], opponent=times[other])
        if about == "moves":
            if not figures["moves"]:
                return pack.sentence("no_moves_completed")
            return pack.sentence("moves_completed", count=pack.number(figures["moves"]))
        if about == "position":
            return self._position(pack, chess.Board(figures["fen"]))
        if figures.get("move", "0000") != "0000" and "announcement" not in figures:
            move = chess.Move.from_uci(figures["move"])
            squares = f"{pack.square(move.from_square)} {pack.square(move.to_square)}"
            return pack.sentence("last_move", player=pack.sentence(figures["by"]), move=squares)
        if "announcement" not in figures:
            return pack.sentence("no_last_move")
        return pack.sentence(
            "last_move", player=pack.sentence(figures["by"]), move=figures["announcement"]
        )

    @staticmethod
    def _position(pack: Language, board: chess.Board) -> str:
        """Every piece and its square, White's first, kings before pawns."""
        told = []
        for side in SIDES:
            colour = side == "white"
            pieces = [
                f"{pack.piece(chess.Piece(kind, colour))} {pack.square(square)}"
                for kind in reversed(chess.PIECE_TYPES)
                for square in board.pieces(kind, colour)
            ]
            told.append(", ".join(pieces))
        return ". ".join(told) + "."


# Norwegian is one language at a chessboard, whichever way it is written.
_SAME_WORDS = {"no": "nb", "nn": "nb"}
_ENTRIES = frozenset(("illegible_entry", "illegal_entry", "entry_differs"))
# Where these are refused, what is not legal is a move.
_MOVES = frozenset(("announce", "repeat", "correct", "make"))
_WINNERS = {"1-0": "white_wins", "0-1": "black_wins", "1/2-1/2": "draw", "0-0": "both_lose"}


def _code(language: str) -> str | None:
    """The code of the pack for a language such as "de-AT", if there is one."""
    known = packs.languages()
    primary = re.split("[-_]", language.lower())[0]
    return next((c for c in (primary, _SAME_WORDS.get(primary, "")) if c in known), None)


def ears(game: Game, who: str) -> Output:
    """Where to say what concerns ``who`` alone. There is one earphone, the impaired player's
    (White's where both are, or nobody is); the other player would not hear what is said in it."""
    side = who.removeprefix("assistant:")
    owner = next((side for side in SIDES if game.impaired(side)), "white")
    return Output.PUBLIC if side in SIDES and side != owner else Output.PRIVATE


def move_in_words(board: chess.Board, move: chess.Move, pack: Language, edition: str) -> str:
    """A move as it is announced; one that is not legal by its squares."""
    if board.is_legal(move):
        return pack.announce(board, move, edition=edition)
    return f"{pack.square(move.from_square)} {pack.square(move.to_square)}"


def diagnosis(
    explanations: Sequence[Sequence[Slip]], board: str, first: str, pack: Language,
    before: int = 0,
) -> str:  # fmt: skip
    """What must have happened on ``board``: the slips of each explanation, a sentence each;
    nothing where there is none. ``first`` is the side that made the first ply, ``before`` how
    many numbers the sheets are ahead of it."""
    told = [
        " ".join(_slip_in_words(slip, first, pack, before) for slip in slips)
        for slips in explanations
        if slips
    ]
    if not told:
        return ""
    alternative = f" {pack.sentence('slip_or')} "
    intro = pack.sentence("slip_board", player=pack.sentence(board))
    return f"{intro} {alternative.join(told)}"


def ply_in_words(ply: int, first: str, pack: Language, before: int = 0) -> dict[str, str]:
    """The number of a ply's move, and whose it is, as sentences need them."""
    begun = ply if first == "white" else ply + 1
    return {
        "number": pack.number((begun + 1) // 2 + before),
        "player": pack.sentence("white" if begun % 2 else "black"),
    }


def _slip_in_words(slip: Slip, first: str, pack: Language, before: int) -> str:
    def piece(letter: str | None) -> str:
        named = letter not in (None, UNKNOWN)
        return pack.piece(chess.Piece.from_symbol(letter)) if named else ""  # type: ignore[arg-type]

    values = {"piece": piece(slip.piece), "other": piece(slip.other)}
    for name, square in (("square", slip.square), ("to", slip.to)):
        values[name] = "" if square is None else pack.square(square)
    if slip.move is not None:
        values["origin"] = pack.square(slip.move.from_square)
        values["right"] = pack.square(slip.move.to_square)
    for name, move in (("promoted", slip.executed), ("wanted", slip.move)):
        if move is not None and move.promotion:
            white = chess.square_rank(move.to_square) == 7
            values[name] = pack.piece(chess.Piece(move.promotion, white))
    if slip.ply is not None:
        values |= ply_in_words(slip.ply, first, pack, before)
    key = f"slip_{slip.what.value}"
    if key == "slip_other_piece":
        key = "slip_other_move"
    if key == "slip_displaced" and slip.other is not None:
        key = "slip_displaced_onto"
    if key == "slip_extra" and not values["piece"]:
        key = "slip_extra_unknown"
    return pack.sentence(key, **values)


def spoken(ruling: Ruling, game: Game, pack: Language) -> Iterator[tuple[Output, str]]:
    """What is said about a ruling, and to whom. ``game`` is the game after it.

    Information is given only on request (D.2.10.4): what a player feels with his own fingers, or
    did himself, is not said.
    """
    assert game.setup is not None

    def player(side: str) -> str:
        return pack.sentence(side.removeprefix("assistant:"))

    def words(uci: str) -> str:
        move, board = chess.Move.from_uci(uci), game.board
        if not board.is_legal(move) and game.history:
            board = game.history[-1].before
        if board.is_legal(move):
            return pack.announce(board, move, edition=game.setup.edition)  # type: ignore[union-attr]
        return f"{pack.square(move.from_square)} {pack.square(move.to_square)}"

    def words_at(ply: int, uci: str) -> str:
        move = chess.Move.from_uci(uci)
        board = game.history[ply - 1].before if ply <= len(game.history) else game.board
        return move_in_words(board, move, pack, game.setup.edition)  # type: ignore[union-attr]

    kind = ruling.kind
    if kind == "announced":
        yield Output.PUBLIC, ruling["words"]
    elif kind == "answer":
        yield ears(game, ruling["to"]), ruling["words"]
    elif kind == "not_understood":
        yield ears(game, ruling["by"]), pack.sentence("not_understood")
    elif kind == "ambiguous":
        candidates = pack.either([words(move) for move in ruling["moves"]])
        yield ears(game, ruling["by"]), pack.sentence("ambiguous", candidates=candidates)
    elif kind == "refused":
        reason = f"illegal_{ruling['why']}"
        if ruling["why"] == "not_on_move" and ruling["what"] not in _MOVES:
            yield ears(game, ruling["by"]), pack.sentence(reason)
        elif reason in pack.sentences():
            yield ears(game, ruling["by"]), pack.sentence("illegal", why=pack.sentence(reason))
        else:
            yield ears(game, ruling["by"]), pack.sentence("refused")
    elif kind == "slip_corrected":
        yield Output.PUBLIC, pack.sentence("corrected", move=words(ruling["now"]))
    elif kind in ("too_late", "draw_declined"):
        yield Output.PUBLIC, pack.sentence(kind)
    elif kind == "draw_offered":
        yield Output.PUBLIC, pack.sentence(kind, player=player(ruling["by"]))
    elif kind == "repeat_differs":
        yield Output.PUBLIC, pack.sentence(kind, move=words(ruling["announced"]))
    elif kind == "not_made":
        for missing in ruling["missing"]:
            yield ears(game, ruling["by"]), pack.sentence(f"not_made_{missing}")
    elif kind == "executed_differs":
        yield (
            Output.PUBLIC,
            pack.sentence(
                kind,
                announced=words(ruling["announced"]),
                executed=words(ruling["executed"]),
            ),
        )
    elif kind == "boards_differ":
        squares = ", ".join(
            pack.square(chess.parse_square(entry["square"])) for entry in ruling["squares"]
        )
        yield Output.PUBLIC, pack.sentence(kind, squares=squares)
    elif kind == "boards_agree":
        yield Output.PUBLIC, pack.sentence("boards_equal")
    elif kind == "scoresheets":
        if ruling["agree"]:
            yield Output.PUBLIC, pack.sentence("scoresheets_agree")
        else:
            first = "white" if game.start_board.turn else "black"
            number = ply_in_words(ruling["from_ply"], first, pack)["number"]
            yield Output.PUBLIC, pack.sentence("scoresheets_differ", number=number)
            for side in SIDES:
                if f"{side}_move" in ruling.fields:
                    move = words_at(ruling["from_ply"], ruling[f"{side}_move"])
                    wrote = pack.sentence("scoresheet_wrote", player=player(side), move=move)
                    yield Output.PUBLIC, wrote
    elif kind == "must_record":
        yield Output.PUBLIC, pack.sentence(kind, player=player(ruling["by"]))
    elif kind == "explained":
        yield Output.PUBLIC, ruling["words"]
    elif kind == "correct_board":
        yield Output.PUBLIC, pack.sentence(kind, player=player(ruling["board"]))
        for step in ruling["steps"]:
            yield (
                Output.PUBLIC,
                pack.sentence(
                    f"correct_board_{step['do']}",
                    piece=pack.piece(chess.Piece.from_symbol(step["piece"])),
                    square=pack.square(chess.parse_square(step["square"])),
                ),
            )
    elif kind == "take_back" and ruling["status"] == "confirmed":
        ply = ruling["to_ply"]
        if ruling.get("new_game"):
            yield Output.PUBLIC, pack.sentence("new_game")
        elif ply == 0:
            yield Output.PUBLIC, pack.sentence("take_back_all")
        else:
            first = "white" if game.start_board.turn else "black"
            yield Output.PUBLIC, pack.sentence(kind, **ply_in_words(ply, first, pack))
    elif kind == "illegal" and ruling["status"] == "confirmed":
        number = pack.number(ruling["number"])
        yield (
            Output.PUBLIC,
            pack.sentence("illegal_number", player=player(ruling["by"]), number=number),
        )
    elif kind == "penalty" and ruling.get("gives"):
        if ruling["status"] != "confirmed":
            return  # the price of what is proposed: it may never be exacted
        time = pack.duration(round(ruling["seconds"] * 1000))
        yield Output.PUBLIC, pack.sentence(kind, player=player(ruling["gives"]), time=time)
    elif kind == "penalty" and ruling.get("kind") == "warning":
        yield Output.PUBLIC, pack.sentence("warning", player=player(ruling["player"]))
    elif kind == "flag" and ruling["by"] in SIDES:
        yield Output.PUBLIC, pack.sentence(kind, player=player(ruling["by"]))
    elif kind == "claim":
        if ruling["status"] == "confirmed" and "correct" in ruling.fields:
            answer = "claim_correct" if ruling["correct"] else "claim_incorrect"
            yield Output.PUBLIC, pack.sentence(answer)
        elif ruling["status"] == "proposed":
            claimed = f"claim_{ruling['rule']}"
            yield Output.PUBLIC, pack.sentence(claimed, player=player(ruling["by"]))
        else:
            yield Output.PUBLIC, pack.sentence("play_on")
    elif kind in ("two_boards", "late", "sealed"):
        yield Output.PUBLIC, pack.sentence(kind, player=player(ruling["by"]))
    elif kind == "special_board":
        missing = [pack.sentence(f"special_board_{name}") for name in ruling["missing"]]
        if missing:
            yield Output.PUBLIC, pack.sentence("special_board_missing", what=", ".join(missing))
        else:
            yield Output.PUBLIC, pack.sentence("special_board_ok")
    elif kind == "assistant":
        key = "assistant_present" if ruling["present"] else "assistant_gone"
        yield Output.PUBLIC, pack.sentence(key, player=player(ruling["of"]))
    elif kind == "presides":
        key = "arbiter_presides" if ruling["present"] else "arbiter_withdrew"
        yield Output.PUBLIC, pack.sentence(key)
    elif kind == "adjourned" or (kind == "extra_time" and ruling["status"] == "confirmed"):
        yield Output.PUBLIC, pack.sentence(kind)
    elif kind == "arbiter_needed" and ruling["why"] in ("mate_undecided", "assistant_compulsory"):
        yield Output.PUBLIC, pack.sentence(ruling["why"])
    elif kind == "arbiter_needed" and ruling["why"] == "seal":
        yield Output.PUBLIC, pack.sentence("seal_asked", player=player(ruling["by"]))
    elif kind == "arbiter_needed" and ruling["why"] in _ENTRIES:
        place = ply_in_words(ruling["ply"], "white" if game.start_board.turn else "black", pack)
        yield (
            Output.PUBLIC,
            pack.sentence(
                ruling["why"],
                owner=player(ruling["by"]),
                **place,
            ),
        )
        yield Output.PUBLIC, pack.sentence("arbiter_needed", why="").strip()
    elif kind == "arbiter_needed" or ruling.get("status") == "proposed":
        yield Output.PUBLIC, pack.sentence("arbiter_needed", why="").strip()
    elif kind == "game_over":
        reason = pack.sentence(f"game_over_{ruling['reason']}")
        ending = f"game_over_{_WINNERS[ruling['result']]}"
        yield Output.PUBLIC, pack.sentence(ending, reason=reason)
