"""The names that the rule texts set, and the ranks in the words that the arbiter sets (D.2.1)."""

from __future__ import annotations

import itertools

import chess
import pytest

from blindplay import language
from blindplay.language import Kind, LanguageError, lexicon, load
from blindplay.language.pack import Pack
from blindplay.language.pack_check import STARTS
from blindplay.speech.adaptation.sounds import sounds_of
from tests.command_line import run

# fide-2023 D.2.1, fide-2014 D.2.1, fide-1997 F.1
FILES = ["Anna", "Bella", "Cäsar", "David", "Eva", "Felix", "Gustav", "Hector"]
RANKS = ["eins", "zwei", "drei", "vier", "fünf", "sechs", "sieben", "acht"]
PIECES = {"king": "König", "queen": "Dame", "rook": "Turm", "bishop": "Läufer",
          "knight": "Springer", "pawn": "Bauer"}  # fmt: skip
SCANDINAVIAN = ["nb", "sv", "da"]


def test_german_names_are_those_of_the_rule_texts() -> None:
    pack = Pack.read("de")
    assert list(pack.file_names) == FILES
    assert list(pack.rank_names) == RANKS
    assert {*pack.piece_names.values()} == {*PIECES.values()}
    board = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    for move, words in (("e1c1", "Lange Rochade"), ("e1g1", "Kurze Rochade")):
        assert load("de").announce(board, chess.Move.from_uci(move)) == words


@pytest.mark.parametrize("code", SCANDINAVIAN)
def test_between_scandinavian_players_their_own_words_are_spoken_and_the_german_ones_understood(
    code: str,
) -> None:
    words, board = load(code), chess.Board()
    assert not {*Pack.read(code).rank_names} & {*RANKS}
    for move in board.legal_moves:
        german = load("de").announce(board, move)
        assert words.understand(german, board).move == move
        assert words.understand(words.announce(board, move), board).move == move
    for name in ("Lange Rochade", "Kurze Rochade"):
        castling = chess.Board("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
        assert words.understand(name, castling).kind is Kind.MOVE


PAIRS = [
    (own, ranks)
    for own, ranks in itertools.permutations(["de", *SCANDINAVIAN], 2)
]  # fmt: skip


@pytest.mark.parametrize(("own", "ranks"), PAIRS)
def test_ranks_may_be_in_the_words_of_another_language(own: str, ranks: str) -> None:
    words = load(f"{own}+{ranks}")
    assert words.code == own
    names = Pack.read(ranks).rank_names
    for square in chess.SQUARES:
        file = load(own).square(square).split()[0]
        assert words.square(square) == f"{file} {names[square >> 3]}"
    for fen in STARTS[1:3]:
        board = chess.Board(fen)
        phrases = set(words.phrases(board))
        for move in board.legal_moves:
            said = words.announce(board, move)
            assert words.understand(said, board).move == move
            # Who goes on in the usual words is understood, too.
            assert words.understand(load(own).announce(board, move), board).move == move
            assert said.lower() in phrases


@pytest.mark.parametrize(("own", "ranks"), PAIRS)
def test_only_the_ranks_that_the_arbiter_set_are_listened_for(own: str, ranks: str) -> None:
    words = load(f"{own}+{ranks}")
    heard = {word for phrase in words.forms(chess.Board()) for word in phrase.split()}
    others = {w.lower() for n in "12345678" for w in Pack.read(own).words("ranks", n)}
    others -= {w.lower() for n in "12345678" for w in Pack.read(ranks).words("ranks", n)}
    others -= {w.lower() for w in Pack.read(own).words("move", "en_passant")}
    assert not heard & others
    assert {name.lower() for name in Pack.read(ranks).rank_names[:4]} & heard


@pytest.mark.parametrize(("own", "ranks"), PAIRS)
def test_the_ranks_of_another_language_can_be_heard(own: str, ranks: str) -> None:
    known = lexicon(f"{own}+{ranks}")
    missing = set(load(f"{own}+{ranks}").grammar_words()) - known.words.keys()
    assert not missing
    assert not known.words.keys() & known.fillers.keys()
    file, rank = load(f"{own}+{ranks}").square(chess.G7).lower().split()
    assert known.squares[f"{file}_{rank}"] == (file, rank)
    assert all(sounds_of(sound) for said in known.words[rank] for sound in said)


def test_ranks_that_mean_something_else_are_refused_in_one_sentence() -> None:
    # English "to" goes before a square; Norwegian "to" is two.
    with pytest.raises(LanguageError, match=r"en.toml with the ranks of .*'to' has two meanings"):
        load("en+nb")
    for wrong in ("de+xx", "xx+de", "de+", "+de"):
        with pytest.raises(LanguageError, match="Unknown language"):
            load(wrong)
    assert "de+nb" not in language.languages()


def test_a_table_has_no_other_ranks_where_the_edition_fixes_them() -> None:
    told = run("play", "--announce-in", "de+nb", "--edition", "fide-1997")
    assert told.status == 2 and "F.1" in told.stderr
    told = run("announce", "--language", "de+nb", "--fen", chess.STARTING_FEN, "--move", "g1f3")
    assert told.stdout == "Springer Gustav en Felix tre\n"
