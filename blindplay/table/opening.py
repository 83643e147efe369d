"""The opening of a table: what it tells before the game begins or goes on, and how it begins.

A game begins when people are ready: with the Enter key, with ``start``, by the arbiter, or when
all its boards show the position. Until then the clocks stand.
"""

from collections.abc import Iterator

from blindplay.language import PLAYS_AGAIN, Command, Key, Language, in_language, join, word_of
from blindplay.laws import Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import Adjourned, ExecutedDiffers, GameOver
from blindplay.laws.state import OTHER
from blindplay.speech.speaker import Output
from blindplay.wording.announcements import both_clocks, result_in_words
from blindplay.wording.position import move_in_words
from blindplay.wording.values import (
    Pairing,
    boards_in_words,
    pairing_in_words,
    players_in_words,
    settings_in_words,
    speakable,
    time_in_settings,
)

from .devices import hears
from .session import Session


def open_game(session: Session, *, resumed: bool, interrupted: bool = False) -> None:
    """Tell which game this is, and begin it, or go on with it, when people are ready.
    ``interrupted``: it was told already that the game was."""
    game = session.table.game
    if resumed:
        _tell_where(session, interrupted=interrupted)
    else:
        _tell_settings(session)
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
        holds=lambda: session.model_offer is not None and session.model_offer.holds,
    )
    session.table.listen(lambda taken: _tell_how_to_go_on(session, taken))
    session.table.pairings.listen(lambda paired: _tell_next(session, paired))
    session.table.pairings.on_lost(lambda: _tell_withdrawn(session))
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
    if elsewhere is not None and elsewhere.now:
        return pack.sentence("hall_twice")
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
    pack, again = session.pack, ""
    if Command.NEW_GAME in session.talking.sayable(session.steps.typist()).commands:
        words = {one.value: pack.command(one) for one in PLAYS_AGAIN}
        again = pack.sentence("over_again", **words)
    alone = hears(session) and not session.steps.has_keyboard
    how = pack.sentence("over_closes" if alone else "over_leave", end=word_of(pack, Key.END))
    _tell(session, how, again)


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
    """Read back what was agreed, one line for each matter. A player who is alone hears no more than
    the opponent, the time and the board."""
    desk, game, pack = session.desk, session.table.game, session.pack
    assert game.setup is not None
    if session.table.hall.elsewhere is not None:
        desk.say(Output.PUBLIC, _elsewhere_in_words(session))
    welcome, names = pack.sentence("welcome"), _names(session)
    if (paired := session.table.pairings.played(game)) is not None:
        _tell(session, welcome)
        _tell_pairing(session, paired)
        welcome, names = "", dict.fromkeys(names, "")  # they have been said
    boards = [seat.side for seat in session.boards.values()]
    if _is_alone(session):
        _tell(session, welcome, *_opponent_in_words(session))
        _tell(session, time_in_settings(game.setup, pack))
        _tell(session, *boards_in_words(boards, pack))
    else:
        lines = list(settings_in_words(game.setup, names, boards, pack))
        _tell(session, welcome, lines.pop(0) if any(names.values()) else "")
        for words in lines:
            _tell(session, words)
    chosen = game.setup.announce_in
    if pack.code != "de" and not chosen and game.announcing_language() == "de":
        # fide-1997 fixes the German numbers (F.1)
        changes = ("settings_german_changed",) if game.switch("ranks_by_arbiter") else ()
        _tell(session, *map(pack.sentence, ("settings_german", *changes)))
    desk.announce(session.table.log[0])  # the session did not listen yet at the set-up
    _introduce(session)


def _tell(session: Session, *sentences: str) -> None:
    """Tell everybody these sentences, as one line."""
    told = list(filter(None, sentences))
    if told:
        session.desk.tell(None, join(" ", told, session.pack.code))


def _is_alone(session: Session) -> bool:
    """Return whether one person plays here against a program or a server."""
    return bool(session.table.absent) and not session.table.shared


def _opponent_in_words(session: Session) -> Iterator[str]:
    """Yield the side of the only player here, and the opponent's name. How strong it plays, only
    an engine that has begun can say."""
    absent, pack = session.table.absent, session.pack
    yield pack.sentence("settings_own", player=pack.sentence(OTHER[absent]))
    yield from players_in_words({**dict.fromkeys(OTHER, ""), absent: _names(session)[absent]}, pack)


def _introduce(session: Session) -> None:
    """Tell how to find out what can be said and typed."""
    typed = session.steps.has_keyboard
    if hears(session) or len(session.readers.languages) > 1 or not typed:
        session.introduce()
    if typed:
        words = {
            "help": session.pack.command(Command.HELP),
            "end": word_of(session.pack, Key.END),
        }
        session.desk.tell_all("begin_type", **words)


def _tell_where(session: Session, *, interrupted: bool) -> None:
    """Tell which game is continued, and where it stands."""
    desk, game, pack = session.desk, session.table.game, session.pack
    assert game.setup is not None
    alone = _is_alone(session)
    going_on = "" if interrupted and alone else pack.sentence("going_on")
    players = _opponent_in_words(session) if alone else players_in_words(_names(session), pack)
    _tell(session, going_on, *players)
    if session.table.hall.elsewhere is not None:
        desk.say(Output.PUBLIC, _elsewhere_in_words(session))
    if not game.over:
        _introduce(session)
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
    if running is None and not alone:  # they have just heard that the game waits for them
        desk.tell_all("clock_stopped")
    elif running is not None:
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
    game = session.table.game
    if session.setting_up.waits:
        pack, says = session.pack, hears(session)
        if session.steps.has_keyboard:
            key = pack.sentence("going_on_key" if game.started else "begin_key")
            said = pack.sentence("begin_say", words=_words_to_go_on(pack)) if says else ""
            _tell(session, key, said)
        elif says:
            session.desk.tell_all("begin_only_say", words=_words_to_go_on(pack))
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


def _tell_withdrawn(session: Session) -> None:
    """Tell that the next pairing is withdrawn, when no game is disturbed by it."""
    game = session.table.game
    with session.table.lock:
        if game.over or not game.started or _rests(session):
            session.desk.tell_all("pairing_withdrawn")


def _tell_next(session: Session, paired: Pairing) -> None:
    """Tell where somebody plays next, when no game is disturbed by it."""
    desk, game = session.desk, session.table.game
    with session.table.lock:
        playing = game.started and not game.over  # they hear it when they ask
        if playing or paired == session.table.pairings.played(game):
            return
        _tell_pairing(session, paired)
        if paired.table == session.table.pairings.here and game.started:
            desk.tell_all("pairing_leave", end=word_of(session.pack, Key.END))
