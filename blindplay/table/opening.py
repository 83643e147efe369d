"""The opening of a table: what it tells before the game begins or goes on, and how it begins.

A game begins when people are ready: with the Enter key, with ``start``, by the arbiter, or when
all its boards show the position. Until then the clocks stand.
"""

from blindplay.language import Command, Key, Language, in_language, join, word_of
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import Adjourned, ExecutedDiffers, GameOver
from blindplay.laws.state import OTHER
from blindplay.speech.speaker import Output
from blindplay.wording.announcements import both_clocks, result_in_words
from blindplay.wording.position import move_in_words
from blindplay.wording.values import (
    Pairing,
    pairing_in_words,
    players_in_words,
    settings_in_words,
    speakable,
)

from .devices import hears
from .session import Session


def open_game(session: Session, *, resumed: bool) -> None:
    """Tell which game this is, and begin it, or go on with it, when people are ready."""
    game = session.table.game
    (_tell_where if resumed else _tell_settings)(session)
    waits = not (game.over or _rests(session) or game.served)
    stands = game.paused == "table" or session.table.shared
    waits = waits and (not game.started or stands)
    waits = waits or (session.table.hall.elsewhere is not None and not game.over)
    if waits and session.setting_up.begins_by_boards and len(game.tables) > 1:
        session.desk.tell_all("begin_boards")
    session.setting_up.start(
        lambda: _begin(session),
        waits=waits,
        objection=lambda: _objection(session),
        how=lambda: _tell_how(session),
    )
    session.table.listen(lambda taken: _tell_how_to_go_on(session, taken))
    session.table.pairings.listen(lambda paired: _tell_next(session, paired))
    session.table.hall.listen(lambda there: _tell_hall(session, there))
    session.table.hall.on_elsewhere(
        lambda: session.desk.say(Output.PUBLIC, _elsewhere_in_words(session))
    )
    if game.over:
        _say_how_to_leave(session)


def _tell_hall(session: Session, there: bool) -> None:
    """Tell whether the hall can be reached: an arbiter who is called may not hear of it."""
    with session.table.lock:
        if not session.table.game.over:
            session.desk.tell_all("hall_back" if there else "hall_gone")


def _objection(session: Session) -> str:
    """What speaks against beginning the game, or going on with it, in words; empty if nothing
    does."""
    table, pack = session.table, session.pack
    if table.hall.elsewhere is not None:
        return _elsewhere_in_words(session)
    replaced = None if table.game.started else table.pairings.replaced(table.game)
    if replaced is None:
        return ""
    return join(
        " ", (pack.sentence("pairing_replaced"), pairing_in_words(replaced, pack)), pack.code
    )


def _elsewhere_in_words(session: Session) -> str:
    elsewhere, pack = session.table.hall.elsewhere, session.pack
    if elsewhere is None or not elsewhere.result:
        return pack.sentence("hall_elsewhere")
    return pack.sentence("hall_elsewhere_over", result=result_in_words(pack, elsewhere.result))


def _tell_how_to_go_on(session: Session, taken: Taken) -> None:
    """Tell how to leave when the game is over or adjourned, and how that one is resumed."""
    game = session.table.game
    if game.over and any(isinstance(ruling, GameOver) for ruling in taken.rulings):
        _say_how_to_leave(session)
    elif game.adjourned and any(isinstance(ruling, Adjourned) for ruling in taken.rulings):
        session.desk.tell_all("adjourned_leave", end=word_of(session.pack, Key.END))
        _tell_how_to_resume(session)


def _say_how_to_leave(session: Session) -> None:
    session.desk.tell_all("over_leave", end=word_of(session.pack, Key.END))


def _tell_how_to_resume(session: Session) -> None:
    """Tell how the envelope is opened when the player who must answer is there (I.9.1)."""
    desk, game, pack = session.desk, session.table.game, session.pack
    key = "envelope_arbiter" if game.presided else "envelope_key"
    desk.tell_all(key, player=pack.sentence(OTHER[game.side]))
    if hears(session) and not game.presided:
        desk.tell_all("begin_say", words=_words_to_go_on(pack))


def _words_to_go_on(pack: Language) -> str:
    return f"{pack.opening_word}, {pack.command(Command.RESUME)}"


def _rests(session: Session) -> bool:
    """Return whether the game is adjourned, and not even the clock of a player who is away has been
    started (I.9.2)."""
    return session.table.game.adjourned and session.table.game.resumed_at is None


def _begin(session: Session) -> None:
    """Start the clocks, unless somebody else has started or stopped them."""
    table, game = session.table, session.table.game
    table.hall.go_on()
    if game.over or _rests(session):
        return
    if table.opponent is not None and table.opponent.begins():
        return
    if not game.started:
        table.submit(f.Start())
        if not game.clock:
            session.desk.tell_all("game_begins")
    elif game.paused == "table":  # the last process ended while they ran
        table.submit(f.Arbiter(by="table", do="start_clocks"))
        session.steps.tell_players()


def _tell_settings(session: Session) -> None:
    """Read back what was agreed."""
    desk, game, pack = session.desk, session.table.game, session.pack
    assert game.setup is not None
    desk.tell_all("welcome")
    names = _names(session)
    if (paired := session.table.pairings.played(game)) is not None:
        _tell_pairing(session, paired)
        names = dict.fromkeys(names, "")  # they have been said
    boards = [seat.side for seat in session.boards.values()]
    for words in settings_in_words(game.setup, names, boards, pack):
        desk.tell(None, words)
    chosen = game.setup.announce_in
    if pack.code != "de" and not chosen and game.announcing_language() == "de":
        desk.tell_all("settings_german")
        if game.switch("ranks_by_arbiter"):  # fide-1997 fixes the German numbers (F.1)
            desk.tell_all("settings_german_changed")
    desk.announce(session.table.log[0])  # the session did not listen yet at the set-up
    session.introduce()


def _tell_where(session: Session) -> None:
    """Tell which game is continued, and where it stands."""
    desk, game, pack = session.desk, session.table.game, session.pack
    assert game.setup is not None
    desk.tell_all("going_on")
    if session.table.hall.elsewhere is not None:
        desk.say(Output.PUBLIC, _elsewhere_in_words(session))
    for words in players_in_words(_names(session), pack):
        desk.tell(None, words)
    if not game.over:
        session.introduce()
    if not game.history:
        desk.tell_all("no_last_move")
    else:
        last = game.history[-1]
        move = move_in_words(last.before, last.move, pack, game.setup.edition)
        desk.tell_all("last_move", player=pack.sentence(last.side), move=move)
    if game.over:
        _tell_result(session)
        return
    proposed = () if game.pending is None or game.pending.claimable else (game.pending.ruling,)
    # That the clocks stand after an interruption has been said.
    calls = () if game.adjourned else game.unattended
    desk.announce(Taken(f.Tick(), tuple(dict.fromkeys((*proposed, *calls)))))
    _tell_what_is_due(session)
    if not game.clock:
        return
    desk.speak(both_clocks(pack, game))
    running = None if session.table.shared else game.clock.running
    if running is None:
        desk.tell_all("clock_stopped")
    else:
        desk.tell_all("clock_started", player=pack.sentence(running))


def _tell_what_is_due(session: Session) -> None:
    desk, game, pack = session.desk, session.table.game, session.pack
    mover = pack.sentence(game.side)
    if game.adjourned:
        desk.tell_all("adjourned")
    if game.sealed is None:
        desk.tell_all("seal_asked" if game.adjourning else "to_move", player=mover)
    else:
        desk.tell_all("sealed", player=mover)
        if game.adjourned and not _rests(session):
            desk.tell_all("envelope_waits", player=pack.sentence(OTHER[game.side]))
    _tell_move_at_hand(session)
    if game.wants_to_adjourn:
        desk.tell_all("adjourn_wanted", player=pack.sentence(game.wants_to_adjourn))


def _tell_move_at_hand(session: Session) -> None:
    """Tell the announced move, which is not completed yet, and if another one was executed."""
    desk, game, pack = session.desk, session.table.game, session.pack
    announced, made = game.turn.announced, game.turn.made
    if announced is None or game.setup is None:
        return
    if made not in (None, announced):
        differs = ExecutedDiffers(
            board=game.board_of(game.side), announced=announced.uci(), executed=made.uci()
        )
        desk.announce(Taken(f.Tick(), (differs,)))
        return
    move = move_in_words(game.board, announced, pack, game.setup.edition)
    desk.tell_all("announced_now", player=pack.sentence(game.side), move=move)


def _tell_result(session: Session) -> None:
    for taken in reversed(session.table.log):  # an earlier result was undone
        ended = tuple(ruling for ruling in taken.rulings if isinstance(ruling, GameOver))
        if ended:
            session.desk.announce(Taken(taken.fact, ended))
            return


def _tell_how(session: Session) -> None:
    """Tell which key and which words begin the game, or go on with it."""
    desk, game = session.desk, session.table.game
    if session.setting_up.waits:
        desk.tell_all("going_on_key" if game.started else "begin_key")
        if hears(session):
            desk.tell_all("begin_say", words=_words_to_go_on(session.pack))
    elif game.adjourned and not game.over:
        _tell_how_to_resume(session)


def _names(session: Session) -> dict[str, str]:
    """The players' names as a voice can speak them: digits in words, and no initials."""
    names = {side: session.table.game.player(side).name for side in f.SIDES}
    return {side: speakable(name, session.pack) for side, name in names.items()}


def _tell_pairing(session: Session, paired: Pairing) -> None:
    """Tell who plays whom, once in each language of the people here."""
    for pack in session.readers.languages:
        words = pairing_in_words(paired, pack)
        session.desk.say(Output.PUBLIC, in_language(words, pack.code))


def _tell_next(session: Session, paired: Pairing) -> None:
    """Tell where somebody plays next, when no game is disturbed by it."""
    desk, game = session.desk, session.table.game
    with session.table.lock:
        playing = game.started and not game.over  # they hear it when they ask
        if playing or paired == session.table.pairings.played(game):
            return
        _tell_pairing(session, paired)
        if paired.table == session.table.pairings.here:
            desk.tell_all("pairing_leave", end=word_of(session.pack, Key.END))
