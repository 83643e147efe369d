"""Random games: sensible play, with much that goes wrong or means nothing in between."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import chess

from blindplay.laws import Fact, Game, Ruling
from blindplay.laws import facts as f
from blindplay.laws.editions import names
from blindplay.laws.placement import change, laid_over, pieces_of, write_placement
from tests.laws.table import PlainWords

STARTS = (
    *[chess.STARTING_FEN] * 6,
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "3r2k1/1P2P3/8/8/8/8/1p4p1/4KB1R w - - 0 1",
    "4k3/8/8/2pPpP2/1p2P1p1/8/P1P4P/4K3 w - e6 0 1",
    "8/8/4k3/8/8/3QK3/8/8 w - - 90 80",
)
CONTROLS = ("5400+30", "300", "60", "-", "900+10", "3/60+2:60", "3600:60")
SIDES = ("white", "black")
Told = dict[str, Any]
# What an arbiter does most, besides everything else.
USUAL = ("confirm", "confirm", "confirm", "reject", "start_clocks", "start_clocks")


def play(seed: int, facts: int) -> Iterator[tuple[Fact, list[Ruling], Game]]:
    """A game of that many facts at most: each fact with its rulings, and the game after it."""
    rng, game, t = random.Random(seed), Game(PlainWords()), 0.0
    people = People(game, rng)
    for number in range(facts):
        told = _setup(rng) if not number else {"fact": "start"} if number == 1 else people.act()
        usual = rng.choice((0, 0, 0, 0.5, 2)) if number else 0
        t += float(told.pop("wait", usual))
        fact = f.parse({"t": t, **told})
        yield fact, game.apply(fact), game


def _setup(rng: random.Random) -> Told:
    told: Told = {
        "fact": "setup",
        "edition": rng.choice(names()),
        "mode": rng.choice(("standard", "standard", "rapid", "blitz")),
        "supervised": rng.random() < 0.2,
        "fen": rng.choice(STARTS),
        "time_control": rng.choice(CONTROLS),
        "clock_mode": rng.choice(("increment", "increment", "delay", "bronstein")),
        "arbiter": rng.choice(("present", "present", "automatic")),
        "quickplay_finish": rng.random() < 0.3,
    }
    for side, often in (("white", 0.6), ("black", 0.3)):
        told[side] = {"impaired": rng.random() < often, "assistant": rng.random() < 0.3}
        told[side]["hearing_impaired"] = rng.random() < 0.05
    if rng.random() < 0.1:
        told |= {
            "variant": "chess960",
            "fen": chess.Board.from_chess960_pos(rng.randrange(960)).fen(),
        }
    if rng.random() < 0.4:
        told["boards"] = rng.choice((1, 2))
    return told


class People:
    """Everybody at the table."""

    def __init__(self, game: Game, rng: random.Random) -> None:
        self.game, self.rng = game, rng
        self.plan: list[Told] = []

    def act(self) -> Told:
        if not self.plan and self.rng.random() < 0.75:
            self._plan_a_move()
        return self.plan.pop(0) if self.plan and self.rng.random() < 0.8 else self._anything()

    def _plan_a_move(self) -> None:
        game, rng = self.game, self.rng
        board = game.position
        moves = list(board.legal_moves)
        if not moves:
            return
        move, side = rng.choice(moves), "white" if board.turn else "black"
        self.plan.append({"fact": "announce", "by": side, "move": move.uci()})
        boards = list(game.tables)
        if rng.random() < 0.15:
            shown = write_placement(laid_over(pieces_of(board), change(board, move)))
            self.plan += [{"fact": "position", "board": on, "placement": shown} for on in boards]
        elif rng.random() < 0.5:
            for name in boards:
                by = name if len(boards) == 2 else side
                self.plan.append({"fact": "make", "by": by, "move": move.uci()})
                self.plan[-1]["presumed"] = rng.random() < 0.3
        else:
            for name in boards:
                self.plan += self._hands(board, move, name, named=rng.random() < 0.6)
        if rng.random() < 0.6:
            ply = len(game.history) + 1
            entry = {"fact": "record", "by": rng.choice(SIDES), "ply": ply, "text": move.uci()}
            self.plan.append(entry)
        if rng.random() < 0.92:
            self.plan.append({"fact": "press", "by": side})
        if rng.random() < 0.15:
            rng.shuffle(self.plan)
        if rng.random() < 0.15:
            adjusted = self._adjust(boards[0] if len(boards) == 1 else side, side)
            at = rng.randrange(len(self.plan))
            self.plan[at:at] = adjusted

    def _adjust(self, board: str, side: str) -> list[Told]:
        """A player says j'adoube, and lifts a piece and puts it back (4.2.1)."""
        square, piece = self.rng.choice(sorted(self.game.tables[board].placement.items()))
        on = {"board": board, "square": chess.square_name(square)}
        return [
            {"fact": "adjust", "by": side},
            {"fact": "lift", **on},
            {"fact": "place", **on, "piece": piece},
        ]

    @staticmethod
    def _hands(board: chess.Board, move: chess.Move, name: str, *, named: bool) -> list[Told]:
        pieces, changed = pieces_of(board), change(board, move)
        on = {"board": name}
        lifts = [
            {"fact": "lift", **on, "square": chess.square_name(at)}
            for at in sorted(changed, key=lambda at: changed[at] is not None)
            if at in pieces
        ]
        places = [
            {"fact": "place", **on, "square": chess.square_name(at), "piece": now}
            for at, now in changed.items()
            if now is not None
        ]
        return [*lifts, *({**told, "piece": told["piece"] if named else None} for told in places)]

    def _anything(self) -> Told:
        """A fact of any kind, by anybody, about anything."""
        game, rng = self.game, self.rng
        kinds = [*f.KINDS, "tick", "arbiter", "lift", "place", "position"]
        kind = rng.choice([kind for kind in kinds if kind != "setup"])
        side, near = rng.choice(SIDES), max(1, len(game.history) + rng.choice((-2, -1, 0, 1, 2)))
        square = chess.square_name(rng.choice([rng.randrange(64), *sorted(game.pieces)]))
        told: Told = {"fact": kind, "by": rng.choice(f.PEOPLE)}
        more: dict[str, Callable[[], Told]] = {
            "inspect": lambda: {"board": side, "fulfils": ["size"]},
            "assistant": lambda: {"of": side, "present": rng.random() < 0.6},
            "lift": lambda: {"board": side, "square": square},
            "place": lambda: {
                "board": side,
                "square": square,
                "piece": rng.choice([None, *"PNRKpnrk"]),
            },
            "position": lambda: {"board": side, "placement": self._placement()},
            "touch": lambda: {"square": square, "seen_by": rng.choice([None, *f.PEOPLE])},
            "record": lambda: {"ply": near, "text": self._move()},
            "claim_draw": lambda: {
                "rule": rng.choice(f.CLAIMS),
                "move": rng.choice([None, self._move()]),
            },
            "board_owners": lambda: {"by": "table", "known": rng.random() < 0.5},
            "consent": lambda: {"given": rng.random() < 0.5},
            "adjourn": lambda: {"declined": rng.random() < 0.3},
            "query": lambda: {"about": rng.choice(f.QUESTIONS)},
            "irregular": lambda: {
                "what": rng.choice(f.IRREGULARITIES),
                "player": rng.choice([None, side]),
            },
            "seal": lambda: {"text": self._move(), "absent": rng.random() < 0.3},
            "sign": lambda: {"result": rng.choice(f.RESULTS)},
            "open_envelope": lambda: {"missing": rng.random() < 0.2},
            "arbiter": lambda: {"by": "arbiter", **self.decision(side, near)},
            "tick": lambda: {"wait": rng.choice((0, 1, 5, 30, 200))},
        }
        more |= dict.fromkeys(
            ("announce", "repeat", "correct", "make"), lambda: {"move": self._move()}
        )
        if kind in ("touch", "irregular") and rng.random() < 0.3:
            told["ply"] = near
        if kind == "resign" and rng.random() < 0.9:
            return {"fact": "tick"}
        return told | more.get(kind, dict)()

    def _move(self) -> str:
        legal = list(self.game.board.legal_moves)
        if legal and self.rng.random() < 0.8:
            return self.rng.choice(legal).uci()
        low, high = self.rng.randrange(32), self.rng.randrange(32, 64)
        return chess.square_name(low) + chess.square_name(high)

    def _placement(self) -> str:
        game, rng = self.game, self.rng
        pieces = dict(rng.choice([game.pieces, game.position_pieces()]))
        if game.history and rng.random() < 0.3:
            pieces = dict(rng.choice(game.history).pieces)
        if rng.random() < 0.2 and pieces:
            pieces.pop(rng.choice(sorted(pieces)))
        return write_placement(pieces)

    def decision(self, side: str, ply: int) -> Told:
        """Some decision of the arbiter, about this side or this ply."""
        do = self.rng.choice((*USUAL, *(one for one in f.DECISIONS if one != "forfeit")))
        if do == "declare" and self.rng.random() < 0.9:
            do = "confirm"
        elif do == "declare" and ply % 2:
            do = "forfeit"
        kind = self.rng.choice(("warning", "time", "time", "fine"))
        seconds = self.rng.choice((0, 30, 600))
        about: Told = {
            "ply": ply - 1,
            "player": side,
            "kind": kind,
            "result": "1/2-1/2",
            "language": "nb",
        }
        return {"do": do, "white": seconds, **about}
