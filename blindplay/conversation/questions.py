"""The questions to a player, in words. Each sounds like a question and names what a yes does."""

from collections.abc import Mapping, Sequence

import chess

from blindplay.hearing.statement import Statement, interpret
from blindplay.language import (
    Command,
    IllegalReason,
    Kind,
    Language,
    Understanding,
    in_language,
    join,
)
from blindplay.laws.state import OTHER
from blindplay.wording.announcements import result_in_words
from blindplay.wording.readers import announcing

from .state import CLAIMS_WITH_MOVE, Beginning, Question, Reply, Situation

MOST_OPTIONS = 4
"""The highest number of options of a question."""
_CONFIRMATIONS: Mapping[Command, str] = {
    Command.RESIGN: "resign_sure",
    Command.OFFER_DRAW: "offer_draw_sure",
    Command.ACCEPT_DRAW: "accept_draw_sure",
    Command.DECLINE_DRAW: "decline_draw_sure",
    Command.REQUEST_EXTRA_TIME: "extra_time_sure",
    Command.CALL_ARBITER: "call_arbiter_sure",
    Command.PAUSE: "pause_sure",
    Command.TAKE_BACK: "take_back_sure",
    Command.ADJOURN: "adjourn_wish_sure",
    Command.SEAL: "seal_sure",
    Command.SIGN: "sign_sure",
    Command.RESUME: "envelope_of_sure",
    Command.NEW_GAME: "new_game_sure",
    Command.REMATCH: "rematch_sure",
}
"""The questions before commands; the others are claims."""


def read_back(about: Situation, side: str, said: Statement) -> Question:
    """Ask whether this was said."""
    words = about.readers.of(side).sentence("confirm_move", move=name(about, side, said))
    return Question((said,), words)


def confirm(about: Situation, side: str, said: Statement) -> Question:
    """Ask whether a command that ends or changes the game is meant."""
    command, pack = said.meant.command, about.readers.of(side)
    assert command is not None
    may_name_a_move = command in CLAIMS_WITH_MOVE and not said.meant.moves
    key = _CONFIRMATIONS.get(command, "claim_move_sure" if may_name_a_move else "claim_sure")
    if command is Command.CALL_ARBITER and not about.game.clock:
        key = "call_arbiter_unclocked_sure"
    what = name(about, side, said)
    if command is Command.SIGN and about.game.result is not None:
        what = result_in_words(pack, about.game.result)
    words = pack.sentence(key, what=what, player=pack.sentence(side))
    return Question((said,), words, confirms=True)


def agree_to_adjourn(about: Situation, side: str) -> Question:
    """Ask whether ``side`` agrees to adjourn, as the opponent wishes."""
    pack = about.readers.of(side)
    text = pack.command(Command.ADJOURN)
    agreed = Statement(text, Understanding(Kind.COMMAND, text, command=Command.ADJOURN))
    words = pack.sentence("adjourn_sure", player=pack.sentence(side))
    return Question((agreed,), words, confirms=True, consents=True)


def agree_to_play_again(about: Situation, side: str, command: Command) -> Question:
    """Ask whether ``side`` wants another game, as the opponent does."""
    pack, everybody = about.readers.of(side), about.readers.everybody
    text = pack.command(command)
    agreed = Statement(text, Understanding(Kind.COMMAND, text, command=command))
    asked = []
    for one in {one.code: one for one in (everybody, pack)}.values():
        player, other = one.sentence(OTHER[side]), one.sentence(side)
        words = one.sentence(f"{command.value}_asked", player=player, other=other)
        asked.append(in_language(words, one.code))
    return Question((agreed,), join(" ", asked, everybody.code), confirms=True)


def correct(about: Situation, side: str, said: Statement) -> Question:
    """Ask whether the move in ``said`` is to replace the announced one, or which move is."""
    pack, announced = about.readers.of(side), about.game.turn.announced
    if said.meant.move is not None:
        move = _announcement(about, side, said.meant.move, said)
        return Question((said,), pack.sentence("correct_sure", move=move), confirms=True)
    assert announced is not None
    move = _announcement(about, side, announced, said)
    words, again = (pack.sentence(key, move=move) for key in ("correct_which", "correct_how"))
    return Question((said,), words, again, confirms=True)


def which(about: Situation, side: str, options: Sequence[Statement]) -> Question | None:
    """Ask for the one thing in which ``options`` differ; None if there is no such thing."""
    if len({option.repeats for option in options}) > 1:
        return None
    pack = about.readers.of(side)
    answers = pack.differing([option.text for option in options], about.board(options[0]))
    if answers is None:
        return None
    return Question(tuple(options), _which(pack, answers), answers=_lower(answers))


def either(about: Situation, side: str, options: Sequence[Statement]) -> Question:
    """Ask which of two moves was meant that differ in more than one thing. The answer is the piece,
    if it tells them apart, or the whole announcement."""
    pack = about.readers.of(side)
    names = [name(about, side, option) for option in options]
    pieces = [one.split()[0] for one in names]
    answers = [[piece] if len(set(pieces)) > 1 else [] for piece in pieces]
    words = pack.sentence("which", choices=pack.either(names))
    return Question(tuple(options), words, answers=_lower(answers))


def where(about: Situation, side: str, begun: Beginning) -> Question:
    """Ask for the rest of an announcement."""
    pack, words = announcing(about.game), begun.said.meant.uttered
    for square in map(pack.square, chess.SQUARES):
        words = words.replace(square.lower(), square)
    what = in_language(words[:1].upper() + words[1:], pack.code)
    asked = about.readers.of(side).sentence("begun_where", what=what)
    return Question((begun.said,), asked, begun=True)


def rest(about: Situation, side: str, said: Statement) -> Question | None:
    """Ask for what an announcement left open: which piece, which side, or the promotion (D.2.1);
    None if too much is open."""
    meant, board, pack = said.meant, about.game.board, about.readers.of(side)
    missing = meant.why is IllegalReason.PROMOTION_MISSING
    moves = meant.alternatives if missing else sorted(meant.moves, key=_origin)
    texts = [pack.announce(board, move) for move in moves]
    answers = pack.differing(texts, board)
    if answers is None or len(texts) > MOST_OPTIONS:
        return None
    words = pack.sentence("promotion_which") if missing else _which(pack, answers)
    options = tuple(interpret(text, (board,), pack) for text in texts)
    return Question(options, words, answers=_lower(answers), text=said.text)


def narrowed(
    question: Question, found: Mapping[str, Statement], pack: Language
) -> Mapping[str, Statement]:
    """The options that ``found``, as an answer, leaves open; ``found`` itself if it is something
    else; nothing if it is an answer that chooses none."""
    left: dict[str, Statement] = {}
    for statement in found.values():
        kind, option = question.reply(statement, pack)
        if kind is Reply.CHOSEN and option is not None:
            left[option.key] = option
        elif kind is not Reply.OTHER:
            return {}
    return left or found


def corrected(
    question: Question, found: Mapping[str, Statement], pack: Language
) -> dict[str, Statement]:
    """Return what ``found`` may be instead of the move that was read back, if another move is
    likelier; else nothing. A player who hears the right move read back does not say another."""
    if not question.is_a_doubt or len(question.options) > 1:
        return {}
    option, likeliest = question.options[0], next(iter(found.values()), None)
    if likeliest is None or likeliest.meant.command is not None:
        return {}
    if question.reply(likeliest, pack)[0] is not Reply.OTHER:
        return {}
    return {key: statement for key, statement in found.items() if key != option.key}


def name(about: Situation, side: str, said: Statement) -> str:
    """Return what was said, in the words for ``side``."""
    meant, pack = said.meant, about.readers.of(side)
    if meant.command is not None:
        moves = [_announcement(about, side, move, said) for move in meant.moves]
        return join(", ", [pack.command(meant.command), *moves], pack.code)
    if meant.move is not None:
        return _announcement(about, side, meant.move, said)
    return said.text[:1].upper() + said.text[1:]


def _announcement(about: Situation, side: str, move: chess.Move, said: Statement) -> str:
    setup = about.game.setup
    assert setup is not None
    return about.readers.of(side).announce(about.board(said), move, edition=setup.edition)


def _which(pack: Language, answers: Sequence[Sequence[str]]) -> str:
    return pack.sentence("which", choices=pack.either([words[0] for words in answers]))


def _lower(answers: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(word.lower() for word in words) for words in answers)


def _origin(move: chess.Move) -> int:
    return move.from_square
