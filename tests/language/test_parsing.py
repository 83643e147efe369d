"""Texts are parsed into commands, questions, corrections and moves, and remnants into none."""

import chess
import pytest

from blindplay.language import QUESTIONS, TYPED_ONLY, About, Command, Kind, load

DE = load("de")
START = chess.Board()


def uci(*moves: str) -> tuple[chess.Move, ...]:
    return tuple(chess.Move.from_uci(move) for move in moves)


@pytest.mark.parametrize(
    "text",
    [
        "Springer",
        "Felix",
        "drei",
        "nach Eva vier",
        "schlägt David fünf",
        "Springer von Felix drei",
        "Springer Gustav eins",
        "Springer Gustav eins Felix",
        "Springer Springer Felix drei",
        "Springer [unk] Felix drei",
        "Läufer xyz Felix drei",
        "eins Eva vier",
        "Springer Felix drei Eva vier Eva fünf",
        "Bc4",
        "guten Tag",
        "\x00",
        "🙂",
        "½",
        "Dame kurze Rochade",
    ],
)
def test_remnants_and_other_words_are_never_a_move(text: str) -> None:
    meant = DE.understand(text, START)
    assert meant.move is None
    assert meant.kind in (Kind.UNCLEAR, Kind.ILLEGAL, Kind.NOTHING)


@pytest.mark.parametrize(
    ("language", "text", "squares"),
    [
        ("de", "Springer", ["b1", "g1"]),
        ("de", "Springer Gustav", ["g1"]),
        ("de", "Springer Gustav eins", ["g1"]),
        ("de", "der Springer von Gustav eins nach", ["g1"]),
        ("de", "Korrektur, Springer Gustav eins", ["g1"]),
        ("de", "Turm Anna eins schlägt Bauer", ["a1"]),
        ("de", "Gustav eins", ["g1"]),
        ("de", "sg1", ["g1"]),
        ("en", "bc1", ["c1"]),
        ("de", "Springer Felix drei", []),
        ("de", "Läufer Anna eins", []),
        ("de", "Springer Gustav acht", []),
        ("de", "Gustav", ["g1", "g2"]),
        ("de", "Springer Hector", ["g1"]),
        ("de", "Springer Gustav eins Felix", ["g1"]),
        ("de", "eins", []),
        ("de", "Springer und Läufer", []),
        ("de", "Kurze Rochade", []),
        ("de", "Zeit", []),
        ("de", "", []),
    ],
)
def test_a_piece_or_a_file_or_the_square_that_it_leaves_begins_an_announcement(
    language: str, text: str, squares: list[str]
) -> None:
    assert [chess.square_name(one) for one in load(language).begins(text, START)] == squares


def test_remnant_that_could_be_corrected_is_unclear_and_not_illegal() -> None:
    assert DE.understand("Springer Gustav eins Felix", START).kind is Kind.UNCLEAR


@pytest.mark.parametrize("text", ["", "   ", "äh", "...", "-", "bitte"])
def test_nothing_said_is_nothing(text: str) -> None:
    assert DE.understand(text, START).kind is Kind.NOTHING


@pytest.mark.parametrize(
    ("text", "correction", "move"),
    [
        ("Korrektur Eva vier", True, "e2e4"),
        ("korrigiere: Springer Felix drei", True, "g1f3"),
        ("nein, Eva vier", True, "e2e4"),
        ("Springer Hektor drei, nein, Springer Felix drei", True, "g1f3"),
        ("Eva vier", False, "e2e4"),
    ],
)
def test_correction_is_reported_with_its_move(text: str, correction: bool, move: str) -> None:
    meant = DE.understand(text, START)
    assert (meant.correction, meant.moves) == (correction, uci(move))


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("Zeit", Command.CLOCK_MINE),
        ("Wieviel Zeit hat mein Gegner?", Command.CLOCK_OPPONENT),
        ("letzter Zug", Command.LAST_MOVE),
        ("Wie viele Züge", Command.MOVES),
        ("noch einmal, bitte", Command.REPEAT),
        ("Korrektur", Command.CORRECTION),
        ("ich biete Remis an", Command.OFFER_DRAW),
        ("Remis angenommen", Command.ACCEPT_DRAW),
        ("ich gebe auf", Command.RESIGN),
        ("ja", Command.YES),
        ("nein", Command.NO),
        ("J'adoube", Command.ADJUST),
        ("j’adoube", Command.ADJUST),
        ("Schiedsrichter bitte", Command.CALL_ARBITER),
        ("fuenfzig zuege", Command.CLAIM_FIFTY_MOVES),
    ],
)
def test_command_is_understood(text: str, command: Command) -> None:
    meant = DE.understand(text, START)
    assert (meant.kind, meant.command, meant.moves) == (Kind.COMMAND, command, ())


@pytest.mark.parametrize("text", ["Eva vier Korrektur", "Eva vier, nein", "Bauer falsch"])
def test_announcement_that_is_only_taken_back_is_a_correction_without_a_move(text: str) -> None:
    meant = DE.understand(text, START)
    assert (meant.command, meant.correction, meant.move) == (Command.CORRECTION, True, None)


@pytest.mark.parametrize("text", ["Moment", "Entschuldigung", "halt"])
def test_hesitation_is_no_correction_yet(text: str) -> None:
    assert DE.understand(text, START).kind is Kind.NOTHING


def test_every_command_has_words_and_every_phrase_is_its_command() -> None:
    # All but those that are typed only, and the sealed move, which is written and never said.
    listened_for = set(Command) - {Command.SEAL} - TYPED_ONLY
    assert {DE.understand(p, START).command for p in DE.command_phrases(Command)} == listened_for
    in_play = {DE.understand(p, START).command for p in DE.command_phrases()}
    assert in_play == listened_for - QUESTIONS


@pytest.mark.parametrize(
    ("text", "command", "about"),
    [
        ("was steht auf Eva vier", Command.SQUARE, About((chess.E4,))),
        ("Was steht auf dem Feld e4?", Command.SQUARE, About((chess.E4,))),
        ("was greift Felix zwo an?", Command.ATTACKERS, About((chess.F2,))),
        ("Linie e", Command.FILE, About(tuple(chess.SquareSet(chess.BB_FILE_E)))),
        ("Reihe 4", Command.RANK, About(tuple(chess.SquareSet(chess.BB_RANK_4)))),
        ("wo steht der König", Command.PIECES, About(piece=chess.KING)),
        (
            "wo steht der schwarze König",
            Command.PIECES,
            About(piece=chess.KING, color=chess.BLACK),
        ),
        ("wo stehen die weißen Figuren", Command.PIECES, About(color=chess.WHITE)),
        ("was steht auf Eva neun", None, None),
        ("Feld Eva vier", None, None),
        ("Reihe", None, None),
    ],
)
def test_question_about_the_position_says_what_it_is_about(
    text: str, command: Command | None, about: About | None
) -> None:
    meant = DE.understand(text, START)
    assert (meant.command, meant.about) == (command, about)


def test_what_is_sealed_is_kept_as_it_was_written() -> None:
    # A sealed move that is illegal or unclear loses (fide-2023 I.8): it is for the Laws to read.
    meant = DE.understand("Abgabezug Sxf3", START)
    assert (meant.command, meant.rest, meant.moves) == (Command.SEAL, "Sxf3", ())


CAPTURE = chess.Board("rnbqkbnr/ppp1pppp/8/3p4/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")
PROMOTION = chess.Board("8/4P3/8/k7/8/8/8/4K3 w - - 0 1")


@pytest.mark.parametrize(
    ("language", "text", "move"),
    [
        ("de", "nicht Eva drei, sondern Eva vier", "e2e4"),
        ("de", "Springer nicht Hektor drei, sondern Felix drei", "g1f3"),
        ("de", "Eva nicht drei, sondern vier", "e2e4"),
        ("de", "nicht Springer, sondern Bauer Felix drei", "f2f3"),
        ("en", "no, not Eva three but Eva four", "e2e4"),
        ("nb", "ikke Eva tre, men Eva fire", "e2e4"),
        ("sv", "inte Eva tre, utan Eva fyra", "e2e4"),
        ("da", "ikke Eva tre, men Eva fire", "e2e4"),
    ],
)
def test_denied_words_are_replaced_by_those_that_are_meant(
    language: str, text: str, move: str
) -> None:
    meant = load(language).understand(text, START)
    assert (meant.moves, meant.correction) == (uci(move), True)


@pytest.mark.parametrize("text", ["nicht Eva vier", "Eva zwei, sondern Eva vier", "nicht sondern"])
def test_denial_or_replacement_alone_is_no_move(text: str) -> None:
    assert DE.understand(text, START).move is None


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Eva zwei nach vier"),
        ("en", "pawn Eva two to four"),
        ("nb", "Eva to til fire"),
        ("sv", "Eva två till fyra"),
        ("da", "Eva to til fire"),
    ],
)
def test_a_rank_after_a_square_is_of_its_file(language: str, text: str) -> None:
    assert load(language).understand(text, START).move == chess.Move.from_uci("e2e4")


@pytest.mark.parametrize(
    ("text", "position", "move"),
    [
        ("ich schlage David fünf", CAPTURE, "e4d5"),
        ("schlägt den Bauern auf David fünf", CAPTURE, "e4d5"),
        ("schlägt David vier", CAPTURE, None),
        ("neue Dame", PROMOTION, "e7e8q"),
        ("Bauer wird Springer", PROMOTION, "e7e8n"),
        ("Bauer wird König", PROMOTION, None),
        ("Turm wird Dame", PROMOTION, None),
        ("neue Dame", START, None),
    ],
)
def test_a_move_said_in_part_is_played_if_one_fits(
    text: str, position: chess.Board, move: str | None
) -> None:
    meant = DE.understand(text, position)
    assert meant.move == (chess.Move.from_uci(move) if move else None)
    assert meant.in_part or meant.kind is Kind.UNCLEAR


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Eva acht mit Dame", Kind.MOVE),
        ("Eva acht Dame", Kind.MOVE),
        ("Eva acht mit", Kind.UNCLEAR),
    ],
)
def test_a_promotion_may_name_its_piece_after_with(text: str, kind: Kind) -> None:
    assert DE.understand(text, PROMOTION).kind is kind


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("nein, nein", Command.NO),
        ("nein, ich habe mich versprochen", Command.CORRECTION),
        ("das war es, ich gebe auf", Command.RESIGN),
        ("gut gespielt, aufgegeben", Command.RESIGN),
        ("ja gut, machen wir Remis", Command.ACCEPT_DRAW),
        ("nein danke, Remis", Command.DECLINE_DRAW),
        ("ich gebe auf, Remis anbieten", None),
        ("ich gebe nicht auf, sagt sie", None),
        ("mein Gegner sagt: aufgeben", None),
        ("tut mir leid, was hat er gespielt", Command.LAST_MOVE),
    ],
)
def test_clauses_say_one_thing_of_oneself(text: str, command: Command | None) -> None:
    assert DE.understand(text, START).command is command


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("mein Gegner, wie steht es um seine Restzeit", Command.CLOCK_OPPONENT),
        ("ich bräuchte hier dringend mal einen Schiedsrichter", Command.CALL_ARBITER),
        ("nein nicht Eva drei, Eva vier", None),
        ("vielleicht ja, vielleicht nein", None),
        ("Remis oder aufgeben", None),
        ("gib auf", None),
    ],
)
def test_words_that_are_like_one_command_alone_are_taken_for_it(
    text: str, command: Command | None
) -> None:
    assert DE.understand(text, START).command is command


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Ich gebe nicht auf"),
        ("en", "I do not resign"),
        ("nb", "Jeg gir ikke opp"),
        ("sv", "Jag ger inte upp"),
        ("da", "Jeg opgiver ikke"),
    ],
)
def test_a_command_that_is_denied_is_not_given(language: str, text: str) -> None:
    assert load(language).understand(text, START).command is None


def test_a_denial_of_something_else_leaves_the_command() -> None:
    # The Norwegian form is "dette går ikke jeg gir opp".
    meant = load("nb").understand("dette går ikke nå jeg gir opp", START)
    assert meant.command is Command.RESIGN


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "gut gespielt"),
        ("de", "ja vielleicht"),
        ("en", "good game"),
        ("en", "okay wait"),
        ("nb", "ok vent"),
        ("sv", "okej vänta"),
        ("da", "ja måske"),
    ],
)
def test_a_word_of_a_yes_beside_other_words_is_no_yes(language: str, text: str) -> None:
    # "Do you want to resign?"
    assert load(language).understand(text, START).command is not Command.YES


@pytest.mark.parametrize(
    ("language", "text"), [("de", "gut, ja"), ("en", "right, yes"), ("sv", "okej, ja")]
)
def test_several_words_of_a_yes_are_a_yes(language: str, text: str) -> None:
    assert load(language).understand(text, START).command is Command.YES


def test_what_is_denied_before_a_comma_is_replaced_by_what_follows() -> None:
    meant = DE.understand("nein nicht Eva drei, Eva vier", START)
    assert (meant.moves, meant.correction) == (uci("e2e4"), True)
    assert DE.understand("Eva vier, nicht Eva drei", START).move is None


@pytest.mark.parametrize(
    ("language", "text", "move"),
    [
        ("en", "the pawn becomes a knight on Eva eight", "e7e8n"),
        ("da", "ny dronning på Eva otte", "e7e8q"),
        ("nb", "bonden blir springer på Eva åtte", "e7e8n"),
    ],
)
def test_a_promotion_may_be_named_before_its_square(language: str, text: str, move: str) -> None:
    assert load(language).understand(text, PROMOTION).move == chess.Move.from_uci(move)


def test_a_verb_may_stand_before_the_piece() -> None:
    meant = load("nb").understand("rykker bonden til Eva fire", START)
    assert meant.move == chess.Move.from_uci("e2e4")


def test_a_file_may_stand_before_its_pawn() -> None:
    meant = DE.understand("der Eva-Bauer schlägt auf David fünf", CAPTURE)
    assert meant.move == chess.Move.from_uci("e4d5")
    assert DE.understand("der Anna-Bauer schlägt auf David fünf", CAPTURE).move is None


def test_check_alone_asks_for_nothing() -> None:
    assert DE.understand("Schach", START).kind is Kind.NOTHING


def test_in_a_text_of_hundreds_of_words_nothing_is_understood() -> None:
    """Somebody has pasted it. It is not taken apart, which would hold up the table."""
    said = "das war es. " * 99 + "Ich gebe auf."
    assert DE.understand("das war es. Ich gebe auf.", chess.Board()).command is Command.RESIGN
    assert DE.understand(said, chess.Board()).kind is Kind.UNCLEAR
