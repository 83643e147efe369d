"""Laws about whole games: senseless ones never break the fold, proper ones are played through."""

from __future__ import annotations

import json
import random
from typing import Any

import chess
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from blindplay.laws import FactError, Game, Ruling
from blindplay.laws.editions import names
from blindplay.laws.facts import Fact, parse
from blindplay.laws.placement import pieces_of
from blindplay.laws.rulings import dumps
from tests.laws.table import PlainWords, Table, kinds, one
from tests.sampling import examples, first

SIDES = st.sampled_from(("white", "black"))
PEOPLE = st.sampled_from(("white", "black", "assistant:white", "assistant:black", "arbiter"))
# Few squares and moves, so that random facts meet: an opening, a capture, a castling, a promotion.
SQUARES = st.sampled_from(["e2", "e4", "d7", "d5", "g1", "f3", "e1", "h1", "f1", "a7", "a8", "b8"])
MOVES = st.sampled_from(
    ["e2e4", "d7d5", "e4d5", "g1f3", "e1g1", "f1e2", "a7b8q", "a7a8", "d5e4", "g8f6", "e4e5"]
)
CLAIMS = ("repetition", "fifty_moves", "cannot_win", "no_effort")
PIECES = st.sampled_from([None, "P", "p", "N", "K", "R", "Q"])
POSITIONS = (
    chess.STARTING_FEN,
    "rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2",
    "1n2k3/P2p4/8/8/4P3/5N2/4B3/4K2R w K - 0 1",
    "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
)


def _fact(kind: str, /, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"fact": st.just(kind), **fields})


DECISIONS = st.one_of(
    _fact("arbiter", do=st.sampled_from(("confirm", "reject", "stop_clocks", "start_clocks"))),
    _fact("arbiter", do=st.just("set_clock"), white=st.integers(0, 500)),
    _fact("arbiter", do=st.just("penalty"), player=SIDES, black=st.integers(0, 99)),
    _fact("arbiter", do=st.just("restore"), ply=st.integers(0, 5)),
    _fact("arbiter", do=st.sampled_from(("adjourn", "postpone", "preside", "withdraw"))),
    _fact("arbiter", do=st.just("penalty"), player=SIDES, kind=st.just("warning")),
)
WHATS = (
    "two_hands", "displaced", "wrong_start", "reversed_colours", "board_turned", "wrong_clock",
    "illegal_move", "phone", "disturbance",
)  # fmt: skip
FACTS = st.one_of(
    _fact("start"),
    _fact("lift", board=SIDES, square=SQUARES),
    _fact("lift", board=SIDES, square=SQUARES),
    _fact("place", board=SIDES, square=SQUARES, piece=PIECES),
    _fact("place", board=SIDES, square=SQUARES, piece=PIECES),
    _fact("position", board=SIDES, placement=st.sampled_from([p.split()[0] for p in POSITIONS])),
    _fact("adjust", by=SIDES),
    _fact("announce", by=PEOPLE.filter(lambda by: by != "arbiter"), move=MOVES),
    _fact("announce", by=SIDES, text=st.sampled_from(("e2e4", "Nf3", "nonsense", "e2e5"))),
    _fact("repeat", by=SIDES, move=MOVES),
    _fact("correct", by=SIDES, move=MOVES),
    _fact("make", by=PEOPLE.filter(lambda by: by != "arbiter"), move=MOVES),
    _fact("touch", by=SIDES, square=SQUARES),
    _fact("press", by=PEOPLE.filter(lambda by: by != "arbiter")),
    _fact("press", by=SIDES),
    _fact("record", by=SIDES, ply=st.integers(1, 6), text=MOVES),
    _fact("offer_draw", by=SIDES),
    _fact("decline_draw", by=SIDES),
    _fact("claim_draw", by=SIDES, rule=st.sampled_from(CLAIMS)),
    _fact("claim_draw", by=SIDES, rule=st.sampled_from(CLAIMS), move=MOVES),
    _fact("request_extra_time", by=SIDES),
    _fact("call_arbiter", by=SIDES),
    _fact("two_boards", by=SIDES),
    _fact("inspect", board=SIDES, fulfils=st.just(["pegs"])),
    _fact("assistant", of=SIDES, present=st.booleans()),
    _fact("arrive", by=SIDES),
    _fact("touch", by=SIDES, square=SQUARES, ply=st.integers(1, 4), seen_by=PEOPLE),
    _fact("adjourn", by=SIDES, declined=st.booleans()),
    _fact("seal", by=SIDES, text=st.sampled_from(("e2e4", "d7d5", "e2e5", "nonsense"))),
    _fact("open_envelope", missing=st.booleans()),
    _fact("claim_time", by=PEOPLE),
    _fact("query", by=PEOPLE, about=st.sampled_from(("time", "moves", "last_move", "position"))),
    _fact("irregular", by=PEOPLE, what=st.sampled_from(WHATS)),
    _fact("irregular", by=PEOPLE, what=st.sampled_from(WHATS), player=SIDES),
    _fact("tick"),
    DECISIONS,
)
ENDS = st.one_of(
    _fact("accept_draw", by=SIDES),
    _fact("resign", by=SIDES),
    _fact("arbiter", do=st.just("declare"), result=st.just("1-0")),
)


@st.composite
def games(draw: st.DrawFn) -> list[Fact]:
    setup = {
        "t": 0,
        "fact": "setup",
        "edition": draw(st.sampled_from(names())),
        "mode": draw(st.sampled_from(("standard", "rapid", "blitz"))),
        "fen": draw(st.sampled_from(POSITIONS)),
        "boards": draw(st.sampled_from((1, 2, 2))),
        "time_control": draw(st.sampled_from(("-", "60", "300+5", "2/60+2:60"))),
        "clock_mode": draw(st.sampled_from(("increment", "delay", "bronstein"))),
        "arbiter": draw(st.sampled_from(("present", "automatic"))),
        "supervised": draw(st.booleans()),
        "quickplay_finish": draw(st.booleans()),
        "white": {"impaired": draw(st.booleans())},
        "black": {"impaired": draw(st.booleans())},
    }
    body = draw(st.lists(FACTS, max_size=40)) + draw(st.lists(ENDS, max_size=1))
    body += draw(st.lists(FACTS, max_size=4))
    if draw(st.booleans()):
        body.insert(0, {"fact": "start"})
    t, facts = 0.0, [setup]
    for fact in body:
        t += draw(st.sampled_from((0, 0, 0.5, 1, 7)))
        facts.append({"t": t, **fact})
    return [parse(json.loads(json.dumps(fact))) for fact in facts]


def _told(facts: list[Fact]) -> list[str]:
    game = Game(PlainWords())
    return [dumps(ruling) for fact in facts for ruling in game.apply(fact)]


def _made_without_conditions(game: Game) -> bool:
    turn, side = game.turn, game.side
    if turn.made is None or not game.player(side).impaired:
        return False
    after = game.board.copy()
    after.push(turn.made)
    shown = game.tables[game.board_of(side)].placement
    return turn.announced != turn.made or shown != pieces_of(after)


@examples(300, suppress_health_check=list(HealthCheck))
@given(games())
def test_whatever_happens_at_the_table_is_ruled_and_never_raised(facts: list[Fact]) -> None:
    _fold_and_check(facts)


@pytest.mark.long
@settings(max_examples=20_000, suppress_health_check=list(HealthCheck))
@given(games())
def test_whatever_happens_at_twenty_thousand_tables_is_ruled(facts: list[Fact]) -> None:
    _fold_and_check(facts)


def _fold_and_check(facts: list[Fact]) -> None:
    game = Game(PlainWords())
    told: list[str] = []
    for fact in facts:
        was_over = game.over
        rulings = game.apply(fact)
        told += [dumps(ruling) for ruling in rulings]
        for ruling in rulings:
            assert ruling.articles and all(" " in article for article in ruling.articles)
            assert ruling.t == fact.t
        assert not was_over or set(kinds(rulings)) <= {"refused"}
        assert kinds(rulings).count("game_over") == (not was_over and game.over)
        assert min(game.clock.left.values()) >= 0
        made = [ruling for ruling in rulings if ruling.kind == "made"]
        if made and not game.over and game.turn.made is not None:
            assert not _made_without_conditions(game)
        assert len(game.keys) == len(game.history) + 1
        assert (
            game.start_board.fen() == (game.history[0].before if game.history else game.board).fen()
        )
        assert all(0 <= table.plies <= len(game.history) for table in game.tables.values())
    # The journal is the game: replayed it says the same, and a prefix of it says a prefix.
    assert _told(facts) == told
    half = _told(facts[: len(facts) // 2 + 1])
    assert told[: len(half)] == half


@pytest.mark.parametrize("first", ["tick", "start", "press"])
def test_the_first_fact_must_be_setup(first: str) -> None:
    fact = parse({"t": 0, "fact": first, **({"by": "white"} if first == "press" else {})})
    with pytest.raises(FactError, match="first fact must be setup"):
        Game(PlainWords()).apply(fact)


def test_time_that_goes_back_and_a_second_setup_are_no_game() -> None:
    table = Table()
    table.feed({"t": 5, "fact": "tick"})
    with pytest.raises(FactError, match="must not decrease: 4 after 5"):
        table.feed({"t": 4, "fact": "tick"})
    with pytest.raises(FactError, match="only once"):
        table.feed({"t": 5, "fact": "setup"})
    assert table.feed({"t": 5, "fact": "tick"}) == []


# --- games played properly -------------------------------------------------------------------


class Hands:
    """Two people who play properly, each in his own human order."""

    def __init__(self, chance: random.Random, *, identities: bool, fen: str, variant: str) -> None:
        self.chance = chance
        self.identities = identities
        self.table = Table(
            white={"impaired": True}, black={}, time_control="5400+30", boards=2, fen=fen,
            variant=variant,
        )  # fmt: skip
        self.board = chess.Board(fen, chess960=variant == "chess960")
        self.table.feed({"fact": "start"})

    def moved(self, board: str, move: chess.Move) -> list[dict[str, Any]]:
        """Lifts and placements that execute ``move``: king before rook, else in any order."""
        before = self.board.piece_map()
        after = self.board.copy()
        after.push(move)
        goal = after.piece_map()
        castling = self.board.is_castling(move)
        lifts = [square for square, piece in before.items() if goal.get(square) != piece]
        places = [square for square, piece in goal.items() if before.get(square) != piece]
        self.chance.shuffle(lifts)
        self.chance.shuffle(places)
        if castling:
            lifts.sort(key=lambda square: before[square].piece_type != chess.KING)
            places.sort(key=lambda square: goal[square].piece_type != chess.KING)
        facts = [self._hand("lift", board, square) for square in lifts]
        for square in places:
            more = {"piece": goal[square].symbol()} if self.identities else {}
            facts.append(self._hand("place", board, square) | more)
        return facts

    @staticmethod
    def _hand(what: str, board: str, square: int) -> dict[str, Any]:
        return {"fact": what, "board": board, "square": chess.square_name(square)}

    def ply(self, move: chess.Move) -> list[Ruling]:
        side = "white" if self.board.turn == chess.WHITE else "black"
        other = "black" if side == "white" else "white"
        announce = {"fact": "announce", "by": side, "move": move.uci()}
        own = self.moved(side, move)
        theirs = self.moved(other, move)
        # A board that cannot tell pieces apart learns a promotion only from the announcement.
        first = not self.identities or self.chance.random() < 0.5
        facts = [announce, *own] if first else [*own, announce]
        got = self.table.feed({"fact": "tick", "t": self.table.game.t / 1000 + 1})
        if self.chance.random() < 0.5:
            facts += [*theirs, {"fact": "press", "by": side}]
        else:
            facts += [{"fact": "press", "by": side}, *theirs]
        for fact in facts:
            if not self.table.game.over:
                got += self.table.feed(fact)
        self.board.push(move)
        return got


REASONS = {
    chess.Termination.CHECKMATE: "checkmate",
    chess.Termination.STALEMATE: "stalemate",
    chess.Termination.INSUFFICIENT_MATERIAL: "dead_position",
    chess.Termination.FIVEFOLD_REPETITION: "fivefold",
    chess.Termination.SEVENTYFIVE_MOVES: "seventyfive_moves",
}
CASTLING = "r3k2r/1P4P1/8/3pP3/2pP4/8/1p4p1/R3K2R w KQkq d6 0 1"


@pytest.mark.parametrize("identities", [True, False], ids=["pieces-known", "pieces-unknown"])
@pytest.mark.parametrize(
    ("fen", "variant"),
    [
        (chess.STARTING_FEN, "chess"),
        (CASTLING, "chess"),
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", "chess960"),
        ("4k3/8/8/8/8/8/4q3/K7 w - - 148 90", "chess"),
        ("8/8/8/3k4/8/3K4/4R2p/8 b - - 0 60", "chess"),
    ],
)
@pytest.mark.parametrize("seed", first(1, range(3)))
def test_a_game_played_properly_completes_every_ply_and_ends_as_chess_ends(
    fen: str, variant: str, seed: int, identities: bool
) -> None:
    chance = random.Random(f"{fen} {seed}")
    hands = Hands(chance, identities=identities, fen=fen, variant=variant)
    for number in range(1, 61):
        moves = list(hands.board.legal_moves)
        striking = [move for move in moves if hands.board.is_castling(move) or move.promotion]
        move = chance.choice(striking if striking and chance.random() < 0.5 else moves)
        rulings = hands.ply(move)
        done = one(rulings, "completed")
        assert (done.move, done.ply) == (move.uci(), number), kinds(rulings)
        assert not set(kinds(rulings)) & {
            "boards_differ", "executed_differs", "illegal", "refused", "not_made",
        }, (move.uci(), [dumps(ruling) for ruling in rulings])  # fmt: skip
        outcome = hands.board.outcome()
        if outcome is not None:
            end = one(rulings, "game_over")
            assert (end.result, end.reason) == (
                outcome.result(), REASONS[outcome.termination],
            )  # fmt: skip
            break
        assert not hands.table.game.over
        assert hands.table.game.board.fen() == hands.board.fen()
        assert {table.plies for table in hands.table.game.tables.values()} == {number}
