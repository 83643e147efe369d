"""Every language has all words, and no word with two meanings."""

import copy
import itertools
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

import chess
import pytest

from benchmarks.roundtrip import positions
from blindplay.language import (
    TYPED_ONLY,
    About,
    Command,
    Key,
    Kind,
    Language,
    LanguageError,
    key_of,
    languages,
    load,
)
from blindplay.language.pack import Pack, written_out
from blindplay.language.pack_check import STARTS
from blindplay.language.parsing import TextParser
from blindplay.speech import synthesis

LANGUAGES = languages()
BOARDS = [board.copy() for board in positions(200, 17)][::20] + [chess.Board(fen) for fen in STARTS]
CASTLING = chess.Board("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1")
PROMOTION = chess.Board("8/4P3/8/8/8/8/k7/7K w - - 0 1")
EN_PASSANT = chess.Board("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1")


def test_the_languages_are_those_of_the_players() -> None:
    assert LANGUAGES == ["da", "de", "en", "nb", "sv"]


def _names(table: Mapping[str, Any], prefix: str = "") -> set[str]:
    found = set()
    for name, value in table.items():
        if isinstance(value, Mapping):
            found |= _names(value, f"{prefix}{name}.")
        else:
            found.add(prefix + name)
    return found


def _whole(language: str) -> set[str]:
    # Tables of each language's own words.
    own = (
        *("spoken.", "certainty.", "sounds_like.", "pronunciations.", "fillers.", "typed_moves."),
        "numbers.said_apart",  # where voices stress compound numbers wrongly
        *(f"typed.{command.value}" for command in Command),  # what is typed only
    )
    return {name for name in _names(Pack.read(language).data) if not name.startswith(own)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_pack_has_what_the_german_one_has_and_nothing_else(language: str) -> None:
    assert _whole(language) == _whole("de")


@pytest.mark.parametrize("language", LANGUAGES)
def test_sentences_need_the_same_values_in_every_language(language: str) -> None:
    words, german = load(language), load("de")
    for key in german.sentences():
        assert words.fields(key) == german.fields(key), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_sentence_can_be_given_to_the_synthesiser(language: str) -> None:
    words = load(language)
    values = {"player": words.sentence("white"), "square": words.square(chess.C1)}
    for key in words.sentences():
        fields = {name: values.get(name, words.square(chess.E4)) for name in words.fields(key)}
        said = words.sentence(key, **fields)
        assert said == said.strip() and said
        assert synthesis.words_only(said, language) == said
        assert synthesis.is_words(synthesis.respeller(words.spoken)(said), language)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_names_a_file_by_its_letter(language: str) -> None:
    # "a draw" is English, "a four" is a square that a voice reads in any way.
    pack = Pack.read(language)
    ranks = "|".join(word for n in "12345678" for word in pack.words("ranks", n))
    letter = re.compile(rf"\b[a-h] (?:{ranks}|{{(?:square|rank|file|number|count)}})\b", re.I)
    for key in load(language).sentences():
        assert not letter.search(str(pack.data["sentences"][key])), key


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_else_that_is_said_is_words_only(language: str) -> None:
    words = load(language)
    said = [words.number(n) for n in range(10_000)]
    assert len(set(said)) == 10_000
    said += [words.duration(1000 * seconds) for seconds in range(0, 20_000, 61)]
    said += [words.square(square) for square in chess.SQUARES]
    said += [
        words.piece(chess.Piece(kind, colour))
        for kind, colour in itertools.product(chess.PIECE_TYPES, chess.COLORS)
    ]
    for board in BOARDS:
        said += [words.announce(board, move, check=True) for move in board.legal_moves]
    respell = synthesis.respeller(words.spoken)
    for text in said:
        assert synthesis.words_only(text, language) == text
        assert synthesis.is_words(respell(text), language), text


@pytest.mark.parametrize(
    ("language", "board", "move", "words"),
    [
        ("nb", chess.Board(), "g1f3", "Springer Gustav en Felix tre"),
        ("nb", CASTLING, "e1g1", "Kort rokade"),
        ("nb", CASTLING, "e1c1", "Lang rokade"),
        ("nb", PROMOTION, "e7e8q", "Bonde Eva sju Eva åtte forvandling til dronning"),
        ("nb", EN_PASSANT, "e5d6", "Bonde Eva fem slår David seks en passant"),
        ("sv", chess.Board(), "g1f3", "Springare Gustav ett Felix tre"),
        ("sv", CASTLING, "e1g1", "Kort rockad"),
        ("sv", CASTLING, "e1c1", "Lång rockad"),
        ("sv", PROMOTION, "e7e8r", "Bonde Eva sju Eva åtta förvandling till torn"),
        ("sv", EN_PASSANT, "e5d6", "Bonde Eva fem slår David sex en passant"),
        ("da", chess.Board(), "g1f3", "Springer Gustav et Felix tre"),
        ("da", CASTLING, "e1g1", "Kort rokade"),
        ("da", CASTLING, "e1c1", "Lang rokade"),
        ("da", PROMOTION, "e7e8b", "Bonde Eva syv Eva otte forvandling til løber"),
        ("da", EN_PASSANT, "e5d6", "Bonde Eva fem slår David seks en passant"),
        ("en", chess.Board(), "g1f3", "Knight Gustav one Felix three"),
        ("en", CASTLING, "e1g1", "Castles kingside"),
        ("en", CASTLING, "e1c1", "Castles queenside"),
        ("en", PROMOTION, "e7e8n", "Pawn Eva seven Eva eight promotes to knight"),
        ("en", EN_PASSANT, "e5d6", "Pawn Eva five takes David six en passant"),
    ],
)
def test_announcement(language: str, board: chess.Board, move: str, words: str) -> None:
    assert load(language).announce(board, chess.Move.from_uci(move)) == words


@pytest.mark.parametrize(
    ("language", "text", "move"),
    [
        ("nb", "springeren til Felix tre", "g1f3"),
        ("nb", "med springeren på Felix tre", "g1f3"),
        ("nb", "hest Felix tre", "g1f3"),
        ("nb", "bonde fra Cæsar to til Cæsar fire", "c2c4"),
        ("nb", "Nei, Eva fire", "e2e4"),
        ("nb", "Sf3", "g1f3"),
        ("sv", "springaren till Hektor tre", "g1h3"),
        ("sv", "bonde Caesar två till Cesar fyra", "c2c4"),
        ("sv", "bonde Eva tva\u030a Eva fyra", "e2e4"),
        ("sv", "rättelse springare Felix tre", "g1f3"),
        ("sv", "Sf3", "g1f3"),
        ("da", "springeren til Felix tre", "g1f3"),
        ("da", "springer Gustav en Felix tre", "g1f3"),
        ("da", "bonde Eva to til Eva fire", "e2e4"),
        ("da", "Sf3", "g1f3"),
        ("en", "knight to Felix three", "g1f3"),
        ("en", "the horse goes to Felix three", "g1f3"),
        ("en", "pawn eva two to eva four please", "e2e4"),
        ("en", "Nf3", "g1f3"),
        ("en", "no, Caesar four", "c2c4"),
    ],
)
def test_same_move_may_be_said_in_many_ways(language: str, text: str, move: str) -> None:
    assert load(language).understand(text, chess.Board()).moves == (chess.Move.from_uci(move),)


@pytest.mark.parametrize(
    ("language", "text", "move"),
    [
        ("nb", "liten rokade", "e1g1"),
        ("sv", "stor rockad", "e1c1"),
        ("da", "rokerer kort", "e1g1"),
        ("en", "king-side castling", "e1g1"),
        ("en", "short castling", "e1g1"),
        ("en", "castle queen side", "e1c1"),
        *((language, "Kurze Rochade", "e1g1") for language in LANGUAGES),
        *((language, "0-0-0", "e1c1") for language in LANGUAGES),
    ],
)
def test_castling_may_be_said_in_many_ways(language: str, text: str, move: str) -> None:
    assert load(language).understand(text, CASTLING).moves == (chess.Move.from_uci(move),)


@pytest.mark.parametrize(
    ("language", "text", "move"),
    [
        ("nb", "Bonde Anna sju slår springeren på Bella åtte og blir dronning", "a7b8q"),
        ("nb", "Anna åtte tårn", "a7a8r"),
        ("sv", "bonden slår springaren på Bella åtta och blir dam", "a7b8q"),
        ("da", "bonden slår springeren på Bella otte og bliver dronning", "a7b8q"),
        ("de", "Bauer schlägt den Springer auf Bella acht und wird Dame", "a7b8q"),
        ("en", "pawn takes the knight on Bella eight and becomes queen", "a7b8q"),
        ("en", "Anna eight promote to bishop", "a7a8b"),
        ("en", "a8=Q", "a7a8q"),
    ],
)
def test_promotion_may_be_said_in_many_ways(language: str, text: str, move: str) -> None:
    board = chess.Board("1n5k/P7/8/8/8/8/8/K7 w - - 0 1")
    assert load(language).understand(text, board).moves == (chess.Move.from_uci(move),)


@pytest.mark.parametrize("language", LANGUAGES)
def test_german_numbers_and_pieces_are_understood_in_every_language(language: str) -> None:
    # The arbiter sets the words of the ranks (fide-2023 D.2.1).
    words = load(language)
    for text, move in {
        "Springer Gustav eins Felix drei": "g1f3",
        "Bauer Eva zwei Eva vier": "e2e4",
        "Bauer Cäsar zwo Cäsar vier": "c2c4",
    }.items():
        assert words.understand(text, chess.Board()).moves == (chess.Move.from_uci(move),)


@pytest.mark.parametrize(("language", "letter"), [("en", "S"), ("nb", "B"), ("sv", "B")])
def test_letter_of_another_country_is_not_understood(language: str, letter: str) -> None:
    assert load(language).understand(f"{letter}f3", chess.Board()).kind is Kind.UNCLEAR


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "text", ["Nf3", "nf3", "nf3+", "ng1f3", "Caesar 4", "CÄSAR 4", "Cäsar vier"]
)
def test_what_is_typed_everywhere_is_understood(language: str, text: str) -> None:
    move = "c2c4" if "4" in text or "vier" in text else "g1f3"
    meant = load(language).understand(text, chess.Board())
    assert meant.moves == (chess.Move.from_uci(move),)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_piece_may_be_typed_in_small_letters(language: str) -> None:
    board, words = chess.Board(), load(language)
    for move in board.legal_moves:
        written = words.write(board, move)
        assert words.understand(written.lower(), board).move == move


def test_a_small_letter_that_may_be_a_file_is_asked_about_where_both_can_be_played() -> None:
    both = chess.Board("4k3/8/8/8/2p5/1P1B4/8/4K3 w - - 0 1")
    meant = load("en").understand("bc4", both)
    assert meant.kind is Kind.AMBIGUOUS
    assert set(meant.moves) == {chess.Move.from_uci("b3c4"), chess.Move.from_uci("d3c4")}
    bishop = chess.Board("4k3/8/8/8/2p5/3B4/8/4K3 w - - 0 1")
    assert load("en").understand("bc4", bishop).move == chess.Move.from_uci("d3c4")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", ["Caesar", "Cäsar", "Cæsar", "Cesar", "caesar"])
def test_caesar_is_understood_however_he_is_written(language: str, name: str) -> None:
    words = load(language)
    rank = words.square(chess.C4).split()[1]
    assert words.understand(f"{name} {rank}", chess.Board()).move == chess.Move.from_uci("c2c4")


@pytest.mark.parametrize("language", LANGUAGES)
def test_english_bishop_and_file_b_are_told_apart(language: str) -> None:
    board = chess.Board("4k3/8/8/8/8/2p5/1P1B4/4K3 w - - 0 1")
    words = load(language)
    for move in ("b2c3", "d2c3"):
        written = words.write(board, chess.Move.from_uci(move))
        assert words.understand(written, board).moves == (chess.Move.from_uci(move),)


@pytest.mark.parametrize(
    ("language", "number", "words"),
    [
        ("nb", 77, "syttisju"),
        ("nb", 101, "ett hundre og en"),
        ("nb", 2345, "to tusen tre hundre og førtifem"),
        ("sv", 77, "sjuttiosju"),
        ("sv", 101, "etthundraett"),
        ("sv", 2345, "tvåtusentrehundrafyrtiofem"),
        ("da", 21, "enogtyve"),
        ("da", 77, "syvoghalvfjerds"),
        ("da", 1001, "et tusind og et"),
        ("en", 77, "seventy-seven"),
        ("en", 1200, "one thousand two hundred"),
        ("en", 2345, "two thousand three hundred and forty-five"),
    ],
)
def test_number_in_words(language: str, number: int, words: str) -> None:
    assert load(language).number(number) == words


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("nb", "en time to minutter"),
        ("sv", "en timme två minuter"),
        ("da", "en time to minutter"),
        ("en", "one hour two minutes"),
    ],
)
def test_duration_in_words(language: str, words: str) -> None:
    assert load(language).duration(3_725_000) == words


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_command_has_words_and_every_phrase_is_its_command(language: str) -> None:
    words, pack = load(language), Pack.read(language)
    assert set(pack.table("commands")) == {command.value for command in set(Command) - TYPED_ONLY}
    names = {
        "square": words.square(chess.E4),
        "file": pack.file_names[4],
        "rank": pack.rank_names[3],
        "pieces": words.pieces(chess.ROOK, chess.WHITE),
    }
    for command in Command:
        for phrase in pack.said(command):
            for said in (phrase.format(**names), f"{words.opening_word}, {phrase.format(**names)}"):
                meant = words.understand(said, chess.Board())
                assert (meant.kind, meant.command) == (Kind.COMMAND, command), said
                assert meant.opened is said.startswith(words.opening_word)


@pytest.mark.parametrize("language", LANGUAGES)
def test_question_about_the_position_is_understood_as_it_is_listened_for(language: str) -> None:
    words = load(language)

    def asked(command: Command) -> list[About]:
        meant = [words.understand(p, chess.Board()) for p in words.command_phrases([command])]
        assert {m.command for m in meant} == {command}
        return [m.about for m in meant if m.about is not None]

    for command in (Command.SQUARE, Command.ATTACKERS):
        assert [about.squares for about in asked(command)] == [(s,) for s in chess.SQUARES]
    assert [set(about.squares) for about in asked(Command.RANK)] == [
        set(chess.SquareSet(rank)) for rank in chess.BB_RANKS
    ]
    assert [set(about.squares) for about in asked(Command.FILE)] == [
        set(chess.SquareSet(file)) for file in chess.BB_FILES
    ]
    kinds = list(chess.PIECE_TYPES)
    assert {(about.piece, about.color) for about in asked(Command.PIECES)} == {
        *itertools.product(kinds, (None, *chess.COLORS)),
        *itertools.product((None,), chess.COLORS),
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_opening_word_makes_a_command_and_never_a_move(language: str) -> None:
    words = load(language)
    move = words.announce(chess.Board(), chess.Move.from_uci("g1f3"))
    assert words.understand(f"{words.opening_word} {move}", chess.Board()).kind is Kind.UNCLEAR
    assert words.understand(words.opening_word, chess.Board()).kind is Kind.UNCLEAR
    opened, bare = words.command_phrases(opened=True), words.command_phrases()
    assert opened == [f"{words.opening_word.lower()} {phrase}" for phrase in bare]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_draw_may_be_claimed_with_a_move(language: str) -> None:
    words = load(language)
    claim = Pack.read(language).words("commands", "claim_repetition")[0]
    link = Pack.read(language).words("move", "link")[0]
    move = words.announce(chess.Board(), chess.Move.from_uci("g1f3"))
    for text in (f"{claim} {link} {move}", f"{claim} {move}"):
        meant = words.understand(text, chess.Board())
        assert (meant.command, meant.moves) == (
            Command.CLAIM_REPETITION,
            (chess.Move.from_uci("g1f3"),),
        )


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_command_is_among_the_moves_that_are_listened_for(language: str) -> None:
    words = load(language)
    commands = set(words.command_phrases(Command))
    for board in BOARDS[::3]:
        assert not commands & {*words.phrases(board), *words.illegal_phrases(board)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_a_sentence_tells_to_say_is_understood(language: str) -> None:
    words = load(language)

    def commands(text: str) -> list[Command | None]:
        return [words.understand(part, chess.Board()).command for part in text.split(", ")]

    correction = words.command(Command.CORRECTION)
    assert correction in words.sentence("help_correct", correction=correction)
    assert commands(correction) == [Command.CORRECTION]
    accept, decline = re.findall(r": ([^:,.]*)", words.sentence("draw_offered", player="Eva"))
    assert commands(accept) == [Command.ACCEPT_DRAW]
    assert commands(decline) == [Command.DECLINE_DRAW]
    for key in ("resign_sure", "offer_draw_sure", "pause_sure", "correct_sure", "claim_sure"):
        asked = words.sentence(key, what="Remis", move="Eva").rstrip(".").split()
        assert words.understand(asked[-1], chess.Board()).command is Command.NO
        assert words.understand(asked[-3], chess.Board()).command is Command.YES


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    "formula",
    [
        "j'adoube",  # fide-2023, 4.2.1
        "I adjust",
        "jeg retter",  # as the Norwegian federation has it
        "jeg retter på brikkerne",
        "jag rättar till",
        "jag ställer till rätta",
        "ich rücke zurecht",
    ],
)
def test_who_says_the_formula_before_adjusting_corrects_nothing(
    language: str, formula: str
) -> None:
    meant = load(language).understand(formula, chess.Board())
    assert (meant.command, meant.correction) == (Command.ADJUST, False)


@pytest.mark.parametrize(
    ("language", "text", "command"),
    [
        ("nb", "stopp klokka", Command.CALL_ARBITER),  # that stops the clocks (6.11)
        ("da", "stop uret", Command.CALL_ARBITER),
        ("sv", "stopp klockan", Command.CALL_ARBITER),
        ("en", "stop the clocks", Command.CALL_ARBITER),
        ("nb", "nei til remis", Command.DECLINE_DRAW),
        ("da", "nej til remis", Command.DECLINE_DRAW),
        ("sv", "nej till remi", Command.DECLINE_DRAW),
        ("nb", "nei da", Command.NO),
        ("de", "nein zum Remis", Command.DECLINE_DRAW),
        ("de", "Moment, Zeit", Command.CLOCK_MINE),
    ],
)
def test_no_and_stop_correct_only_with_a_move(
    language: str, text: str, command: Command | None
) -> None:
    meant = load(language).understand(text, chess.Board())
    assert (meant.command, meant.correction) == (command, False)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_comes_to_nothing_does_not_sound_like_an_adjourned_game(language: str) -> None:
    def words_of(*keys: str) -> set[str]:
        sentences = (load(language).sentence(key, player="-") for key in keys)
        return {word for one in sentences for word in re.findall(r"\w+", one.lower())}

    assert not words_of("cancelled") & words_of("adjourned", "refused_adjourned", "adjourn_wanted")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_step_is_skipped_by_a_word_of_its_own(language: str) -> None:
    words = load(language)
    skip = words.command(Command.SKIP)
    assert words.understand(skip, chess.Board()).command is Command.SKIP
    assert key_of(words, skip) is Key.SKIP
    assert key_of(words, words.command(Command.RESUME)) is None


def test_a_typed_form_has_words_that_may_be_left_out_and_words_to_choose_from() -> None:
    assert written_out("[ich] (will|möchte) aufgeben", "") == [
        "will aufgeben",
        "möchte aufgeben",
        "ich will aufgeben",
        "ich möchte aufgeben",
    ]
    assert written_out("a [b [c]] d", "") == ["a d", "a b d", "a b c d"]
    for wrong in ("(a|b", "a]", "[a)", "[a][b][c][d][e][f][g][h][i][j][k]"):
        with pytest.raises(LanguageError, match="bracket"):
            written_out(wrong, "xx.toml")


def test_words_that_are_typed_only_are_understood_and_not_listened_for() -> None:
    data = copy.deepcopy(dict(Pack.read("de").data))
    data["typed_moves"] = {"pieces": {"knight": ["Rössl"]}, "move": {"captures": ["frisst"]}}
    data["typed"]["resign"] = ["[ich] (will|möchte) nicht mehr"]
    words = Language(Pack("de", data))
    board = chess.Board("4k3/8/8/3p4/8/4N3/8/4K3 w - - 0 1")
    assert words.understand("Rössl frisst David fünf", board).move == chess.Move.from_uci("e3d5")
    assert words.understand("ich möchte nicht mehr", board).command is Command.RESIGN
    assert words.has_typed_word("rössl david fünf")
    assert not words.has_typed_word("springer schlägt david fünf")
    assert not {"rössl", "frisst", "mehr nicht"} & set(words.grammar_words())
    assert words.grammar_words() == load("de").grammar_words()
    assert words.command_phrases() == load("de").command_phrases()
    assert words.announce(board, chess.Move.from_uci("e3d5")) == (
        "Springer Eva drei schlägt David fünf"
    )


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("das war's, ich gebe jetzt wirklich auf", Command.RESIGN),
        ("ich rücke den Turm zurecht", Command.ADJUST),
        ("ja, einverstanden", Command.ACCEPT_DRAW),  # the more special answer
        ("ich gebe nicht auf", None),
        ("das Wetter ist schön, und die Zeit vergeht", None),
        ("Remis oder aufgeben", None),
        ("ich gebe Eva vier auf", None),
    ],
)
def test_other_words_around_a_typed_command_do_not_hide_it(
    text: str, command: Command | None
) -> None:
    assert load("de").understand(text, chess.Board()).command is command


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("Eva takes David", "e5d6"),
        ("pawn takes pawn", "e5d6"),
        ("takes en passant", "e5d6"),
        ("en passant", "e5d6"),
        ("knight takes pawn", None),
        ("Anna takes Bella", None),
    ],
)
def test_a_capture_may_be_named_without_its_square(text: str, move: str | None) -> None:
    meant = load("en").understand(text, EN_PASSANT)
    assert meant.move == (chess.Move.from_uci(move) if move else None)
    assert meant.in_part


def _reader(language: str, table: str, name: str, words: list[str]) -> TextParser:
    data = copy.deepcopy(dict(Pack.read(language).data))
    data[table][name] = [*data[table][name], *words]
    return TextParser(Pack(language, data))


def test_pack_in_which_two_things_have_the_same_words_is_refused() -> None:
    with pytest.raises(LanguageError, match="'tid' is two commands"):
        _reader("nb", "commands", "help", ["tid"])
    with pytest.raises(LanguageError, match="'fire' has two meanings"):
        _reader("nb", "ranks", "5", ["fire"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_command_is_called_by_words_that_are_it(language: str) -> None:
    words = load(language)
    for command in Command:
        assert synthesis.is_words(words.command(command))
        assert words.understand(words.command(command), chess.Board()).command is command


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_printed_help_names_what_is_typed(language: str) -> None:
    pack = Pack.read(language)
    topics = (key for key in pack.table("printed") if key.startswith("help_"))
    text = "\n".join(pack.text("printed", key) for key in topics if key != "help_topics")
    for typed in ("white:", "execute", "record", "confirm", "restore", "quit"):
        assert typed in text
    assert all(len(line) <= 100 for line in text.splitlines())


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_letter_means_one_command_and_the_same_as_its_words(language: str) -> None:
    pack, words = Pack.read(language), load(language)
    assert len(pack.letters) == len(pack.table("letters"))
    for letter, command in words.letters.items():
        assert len(letter) == 1 and letter.islower()
        assert words.understand(words.command(command), chess.Board()).command is command
    named = [words.command(command) for command in pack.letters.values()]
    assert len(set(named)) == len(named)


MOST_WORDS = 25
"""A listener keeps no longer sentence in mind."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sentence_is_too_long_for_the_ear(language: str) -> None:
    # A value, such as a square, may be two words or more.
    too_long = []
    for key, text in Pack.read(language).data["sentences"].items():
        for sentence in re.split(r"[.!?:;](?:\s|$)", text):
            if len(sentence.split()) > MOST_WORDS:
                too_long.append((key, sentence))
    assert not too_long


@pytest.mark.parametrize(
    ("language", "he"),
    [
        ("en", r"he|him|his|himself"),
        ("de", r"er|ihm|seine|seiner|seinem|seinen"),
        ("nb", r"han|ham|hans"),
        ("sv", r"han|honom|hans"),
        ("da", r"han|ham|hans"),
    ],
)
def test_nobody_is_he_by_office(language: str, he: str) -> None:
    # German "er" may be a move or a board: only sentences about people count.
    people = {
        "en": "arbiter|assistant|player|opponent",
        "de": "Schiedsrichter|Assistent",
        "nb": "turneringsleder|dommer|assistent|spiller|motstander",
        "sv": "domare|assistent|spelare|motståndare",
        "da": "dommer|turneringsleder|assistent|spiller|modstander",
    }[language]
    found = [
        (key, text)
        for key, text in Pack.read(language).data["sentences"].items()
        if re.search(rf"\b(?:{he})\b", text) and re.search(people, text, re.IGNORECASE)
    ]
    assert not found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_pack_says_at_its_head_who_has_read_it(language: str) -> None:
    head = files("blindplay.language").joinpath("packs", f"{language}.toml").read_text("utf-8")
    assert "# Read by native speakers:" in head[:300]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_formulas_of_the_laws_are_listened_for(language: str) -> None:
    assert {"j'adoube", "i adjust"} <= set(load(language).command_phrases([Command.ADJUST]))
