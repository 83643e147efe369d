"""Twenty short games: known openings and quiet moves, with one or two planted blunders each.

In the traps the blunders are those that books tell. In the other games a strong engine has played
all moves after the opening but the planted one.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Planted:
    """A game in notation, and its blunders: the ply from 0, the move, and its reason with what is
    lost, missed or allowed."""

    moves: str
    blunders: tuple[tuple[int, str, str], ...]


TRAPS = (
    # The scholar's mate, given, and missed.
    Planted("1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7#", ((5, "Nf6", "allows_mate"),)),
    Planted(
        "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qe2 Nd4 5. Qd1 Nxe4 6. d3 Nc5",
        ((5, "Nf6", "allows_mate"), (6, "Qe2", "misses_mate")),
    ),
    # Caro-Kann, smothered mate.
    Planted(
        "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Nd7 5. Qe2 Ngf6 6. Nd6#",
        ((9, "Ngf6", "allows_mate"),),
    ),
    # Budapest Gambit.
    Planted(
        "1. d4 Nf6 2. c4 e5 3. dxe5 Ng4 4. Bf4 Nc6 5. Nf3 Bb4+ 6. Nbd2 Qe7 7. a3 Ngxe5 8. axb4 "
        "Nd3#",
        ((14, "axb4", "allows_mate"),),
    ),
    # Noah's Ark.
    Planted(
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 d6 5. d4 b5 6. Bb3 Nxd4 7. Nxd4 exd4 8. Qxd4 c5 "
        "9. Qd5 Be6 10. Qc6+ Bd7 11. Qd5 c4",
        ((14, "Qxd4", "loses"),),
    ),
    # The Elephant Trap.
    Planted(
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Nbd7 5. cxd5 exd5 6. Nxd5 Nxd5 7. Bxd8 Bb4+ "
        "8. Qd2 Bxd2+ 9. Kxd2 Kxd8",
        ((10, "Nxd5", "loses knight"),),
    ),
    # The Rubinstein Trap.
    Planted(
        "1. d4 d5 2. Nf3 Nf6 3. c4 e6 4. Bg5 Nbd7 5. e3 Be7 6. Nc3 O-O 7. Rc1 Re8 8. Qc2 a6 "
        "9. cxd5 exd5 10. Bd3 c6 11. O-O Ne4 12. Bf4 f5 13. Nxd5 cxd5 14. Bc7",
        ((23, "f5", "loses"), (25, "cxd5", "loses")),
    ),
)
"""The blunders of books."""

HANGING = (
    Planted(
        "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O 9. "
        "h3 Be6 10. d4 Bxb3 11. Qxb3 Qb8 12. Qc4 bxc4 13. Na3 exd4 14. cxd4 Re8 15. Nxc4",
        ((22, "Qc4", "loses queen"),),
    ),
    Planted(
        "1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. h3 Be6 8. Bxe6 Rc8 "
        "9. Bb3 d5 10. exd5 Na5 11. Bg5 Nxb3",
        ((15, "Rc8", "misses bishop"),),
    ),
    Planted(
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 6. Be2 e5 7. Nb3 Be7 8. Be3 Be6 "
        "9. Nd5 Nbd7 10. Qd3 Bxd5 11. exd5 Ng4 12. Bxg4 O-O 13. Bh3 Nc5 14. Nxc5 dxc5",
        ((21, "Ng4", "loses knight"),),
    ),
    Planted(
        "1. e4 c5 2. Nf3 Nc6 3. d4 cxd4 4. Nxd4 g6 5. Nc3 Bg7 6. Be3 Nf6 7. Nxc6 bxc6 8. e5 "
        "Ng8 9. f4 Bf6 10. exf6 Nxf6 11. Be2 d5 12. Bd4 O-O",
        ((17, "Bf6", "loses bishop"),),
    ),
    Planted(
        "1. e4 e6 2. d4 d5 3. exd5 exd5 4. Nf3 Nf6 5. Bd3 Bd6 6. O-O O-O 7. Bg5 Bg4 8. Nbd2 "
        "Nbd7 9. Nh4 Bxd1 10. Raxd1 c5 11. c4 Kh8 12. Kh1",
        ((16, "Nh4", "loses queen"),),
    ),
    Planted(
        "1. e4 c6 2. d4 d5 3. Nc3 dxe4 4. Nxe4 Bf5 5. Ng3 Bg6 6. h4 h6 7. Nf3 Nd7 8. Bd3 Bxd3 "
        "9. Rf1 Ba6 10. Rh1 e6 11. Bd2 Qb6 12. b3",
        ((16, "Rf1", "misses bishop"),),
    ),
    Planted(
        "1. e4 c6 2. d4 d5 3. exd5 cxd5 4. Bd3 Nc6 5. c3 Nf6 6. h3 e5 7. dxe5 Nxe5 8. Qe2 Qb6 "
        "9. Qxe5+ Be6 10. Nf3 Ne4 11. Bxe4 dxe4",
        ((15, "Qb6", "loses knight"),),
    ),
    Planted(
        "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 4. d4 Nf6 5. Nf3 c6 6. Ne5 Be6 7. Bd3 Nbd7 8. Ba6 "
        "Qxa6 9. Nd3 Bf5 10. O-O e6 11. Ne5",
        ((14, "Ba6", "loses bishop"),),
    ),
    Planted(
        "1. e4 d6 2. d4 Nf6 3. Nc3 g6 4. Nf3 Bg7 5. Be2 O-O 6. O-O c5 7. d5 e6 8. Bf4 exd5 9. "
        "Qd4 cxd4 10. Nxd5 Nxe4 11. Rae1 Nf6 12. Bg5",
        ((16, "Qd4", "loses queen"),),
    ),
    Planted(
        "1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 Be7 5. e3 O-O 6. Nf3 Nbd7 7. cxd5 Nxd5 8. Bxe7 "
        "Nc5 9. Bxd8 Nxc3 10. bxc3 Rxd8 11. dxc5 Rxd1+",
        ((15, "Nc5", "loses"),),
    ),
    Planted(
        "1. d4 d5 2. c4 c6 3. Nf3 Nf6 4. Nc3 dxc4 5. a4 Bf5 6. e3 e6 7. Bxc4 Bb4 8. O-O Nbd7 "
        "9. Rb1 Bxc3 10. Bxe6 fxe6 11. bxc3 Bxb1 12. Ba3",
        ((16, "Rb1", "loses"),),
    ),
    Planted(
        "1. d4 d5 2. c4 dxc4 3. Nf3 Nf6 4. e3 e6 5. Bxc4 c5 6. O-O a6 7. dxc5 Bxc5 8. Qxd8+ "
        "Kxd8 9. Be2 Ke7 10. Rd1 Bd7 11. Ne5 Nh5 12. Bxh5 Rd8 13. Nc3 Be8 14. Rxd8 Kxd8",
        ((21, "Nh5", "loses bishop"),),
    ),
    Planted(
        "1. d4 Nf6 2. c4 e6 3. Nc3 Bb4 4. e3 O-O 5. Bd3 d5 6. Nf3 c5 7. O-O dxc4 8. Bxc4 Ba3 "
        "9. bxa3 cxd4 10. exd4 Qc7 11. Qe2 Bd7",
        ((15, "Ba3", "loses bishop"),),
    ),
)
"""A piece is left where it can be taken, or one that was taken is not taken back."""

GAMES = TRAPS + HANGING
