"""The keyboard of a table: each typed line becomes words of a player, or a decision."""

import logging
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from blindplay.conversation.state import ANSWER_SECONDS
from blindplay.given import plain
from blindplay.language import (
    AnalysisWord,
    Command,
    Key,
    Kind,
    Language,
    analysis_word_of,
    join,
    key_of,
)
from blindplay.language.pack import fold
from blindplay.laws import Ruling, Taken
from blindplay.laws import facts as f
from blindplay.laws.rulings import (
    ArbiterNeeded,
    ClockReading,
    GameOver,
    IllegalMove,
    TakeBack,
    Undone,
)
from blindplay.laws.sheets import brought_back
from blindplay.laws.state import OTHER
from blindplay.laws.undoing import undoable
from blindplay.record.score import ply_of
from blindplay.wording.announcements import announcements, goes_to_earphone
from blindplay.wording.values import read_time

from .session import Session

if TYPE_CHECKING:
    from blindplay.console.server import ConsoleHost

log = logging.getLogger(__name__)

_ARBITER = "arbiter:"
# The arbiter's decisions of one word, as typed and as in the contract.
_DECISIONS = {
    word: word for word in ("confirm", "reject", "attend", "adjourn", "preside", "withdraw")
}
_ABOUT_CLOCKS = {"stop": "stop_clocks", "start": "start_clocks"}
_DECISIONS |= _ABOUT_CLOCKS


class Keyboard:
    """Does what is typed at the table of ``session``. ``console`` serves its pages, if given. With
    ``qr`` its links are also drawn as codes for a camera.

    Words of the player with the earphone end what is read to them, because they go on. Nothing else
    that is typed does: a press, and words of the opponent or of the arbiter, mean something else.
    No line ends an announcement.
    """

    def __init__(
        self, session: Session, console: "ConsoleHost | None" = None, *, qr: bool = False
    ) -> None:
        self._session = session
        self._console = console
        self._qr = qr
        session.steps.has_keyboard = True
        session.steps.arbiter_has_page = console is not None
        self._by_arbiter = False  # the line says that the arbiter types it
        self._revising = Revising(session, on_page=console is not None)

    def do_all(self, keys: Iterable[str]) -> bool:
        """Do every line until one ends the table; False if the keys end before."""
        desk = self._session.desk
        speaker = desk.speaker
        for line in map(plain, keys):
            if self._leaves(line):
                if speaker is not None:
                    speaker.interrupt(announcements=False)
                return True
            try:
                if speaker is not None and self._goes_on(line.strip()):
                    speaker.interrupt(announcements=False)
                self.do(line.strip())
            except Exception as error:  # a failing listener must not end the keyboard
                log.exception("A listener failed at a typed line.")
                desk.trouble("typed_failed", error=error)
        return False

    def _leaves(self, line: str) -> bool:
        """Return whether a line means the end in a language of the table, or in English."""
        return any(key_of(pack, line) is Key.END for pack in self._session.readers.languages)

    def _goes_on(self, line: str) -> bool:
        """Return whether the player with the earphone goes on with this line, which ends what is
        read to them."""
        words, session = line.split(), self._session
        if not words or line.startswith(("{", _ARBITER)):
            return False
        if words[0] in _WORDS:
            return words[0] == "tape"  # it is played to this player, too
        side = self._named(line)[0] or session.author(line)
        return goes_to_earphone(session.table.game, side)

    def as_words_of(self, side: str, line: str) -> str:
        """``line``, typed by ``side`` elsewhere, as it is typed at the keyboard: as that side's
        words, unless it is not a player's."""
        words = line.split()
        own = words and words[0] not in _WORDS and not line.startswith(("{", _ARBITER))
        others = self._leaves(line) or words == ["start"]
        return f"{side}: {line}" if own and not others else line

    def do(self, line: str) -> None:
        """Do one line."""
        self._session.settle()  # the line before may wait for the boards
        self._by_arbiter = line.startswith(_ARBITER)
        line = line.removeprefix(_ARBITER).strip()
        if self._revising.answers(line):
            return
        words = line.split()
        setting_up = self._session.setting_up
        if (line == "start" and setting_up.begin_now()) or (not line and setting_up.entered()):
            return
        if not words:
            self._session.enter()
            return
        done = _WORDS.get(words[0])
        try:
            if self._helps(words) or self._refuses_analysis(line):
                return
            if line.startswith("{"):
                self._submit(f.loads(line, t=self._session.table.time()))
            elif (done is None or not done(self, words)) and not self._tells_form(words[0], line):
                self._say(line)
        except f.FactError as error:
            self._not_understood(error)

    def _tells_form(self, word: str, line: str) -> bool:
        """Tell how a line with ``word`` is written, if this one is wrong and means nothing else."""
        game, desk = self._session.table.game, self._session.desk
        meant = self._session.readers.of(self._session.author(line))
        said = meant.understand(line, game.board)
        if word not in _WITH_MORE or not (said.loose or said.kind is Kind.UNCLEAR):
            return False
        texts = (self._session.pack.printed(f"help_{topic}") for topic in _TOPICS)
        known = [one for text in texts for one in text.splitlines()]
        desk.tell_privately("typed_incomplete")
        self._session.transcript.show(next(one for one in known if one.startswith(f"{word} ")))
        return True

    def _refuses_analysis(self, line: str) -> bool:
        """Tell somebody who wants to analyse when that can be done (11.3.1)."""
        found = (analysis_word_of(pack, line) for pack in self._session.readers.languages)
        if (AnalysisWord.ANALYSE, "") not in found:
            return False
        self._tell("analyse_refused")
        return True

    def _helps(self, words: list[str]) -> bool:
        """Show the topic of help that a line names. Help alone is answered by what is due and by
        commands; the topics follow."""
        session = self._session
        pack = session.readers.of(session.author(words[0]))
        if not any(key_of(one, words[0]) is Key.HELP for one in (pack, session.pack)):
            return False
        topics = self._topics(pack)
        asked = fold(" ".join(words[1:]))
        found = next((name for name in topics if fold(name) == asked), None) if asked else None
        if asked and found is None:
            return False
        if found is not None:
            session.transcript.show(topics[found])
            return True
        self._say(" ".join(words))
        named = {"help": words[0], "topics": ", ".join(topics)}
        session.transcript.show(pack.printed("help_topics", **named))
        return True

    def _topics(self, pack: Language | None = None) -> dict[str, str]:
        """What can be typed at this table now, by the names of the topics; the first is needed
        first."""
        pack, session = pack or self._session.pack, self._session
        game = session.table.game
        two = not session.table.absent or session.table.shared
        opponent = session.table.opponent
        calls = opponent is not None and opponent.voices is not None
        talks = bool(session.microphones or session.desk.taping or calls)
        there = {"table": two or session.boards, "arbiter": two, "clocks": two and game.clock,
                 "talking": talks}  # fmt: skip
        letters = dict[Command, str]()
        for letter, command in pack.letters.items():
            letters.setdefault(command, f"{letter} {pack.command(command)}")
        shown = {"letters": ", ".join(letters.values())}
        texts = [
            pack.printed(f"help_{topic}", **(shown if topic == "letters" else {}))
            for topic in _TOPICS
            if there.get(topic, True)
        ]
        return {text.split(":")[0].split(",")[0]: text for text in texts}

    def _say(self, line: str) -> None:
        side, words = self._named(line)
        if side == self._session.table.absent and side is not None:
            self._tell("refused_not_their_task")
            return
        side = side or self._session.author(line)
        if words == "?":
            words = self._session.readers.of(side).command(Command.WHAT_NOW)
        self._session.typed(side, words)

    def _named(self, line: str) -> tuple[str | None, str]:
        """The side that a line names, and its words; without a name the whole line."""
        name, colon, words = line.partition(":")
        side = self._sides().get(name.strip().casefold()) if colon else None
        return side, (line if side is None else words.strip())

    def _sides(self) -> dict[str, str]:
        """The sides by what people call them: in English, and in each language of the table."""
        languages = self._session.readers.languages
        own = {one.sentence(side).casefold(): side for one in languages for side in f.SIDES}
        return {side: side for side in f.SIDES} | own

    # --- lines that are not words of a player; False if it is another kind of line ----------------

    def _submit(self, fact: f.Fact) -> bool:
        """Take a fact after what hands have done, unless it needs a yes first."""
        table, by_arbiter = self._session.table, self._by_arbiter

        def submit() -> None:
            try:
                if not self._revising.asks(fact, by_arbiter=by_arbiter):
                    table.submit(fact)
            except f.FactError as error:
                self._not_understood(error)

        table.after_hands(submit, presser=fact.by if isinstance(fact, f.Press) else None)
        return True

    def _not_understood(self, error: f.FactError) -> None:
        self._session.desk.trouble("typed_unclear", error=error)

    def _decide(self, words: list[str]) -> bool:
        if len(words) > 1 or self._is_a_players(words[0]):
            return False
        decision, game = _DECISIONS[words[0]], self._session.table.game
        unattended = not (self._by_arbiter or game.presided)
        if decision == "adjourn" and not game.presided:  # both players adjourn, or the arbiter
            side = self._session.author(words[0])
            self._session.typed(side, self._session.readers.of(side).command(Command.ADJOURN))
            return True
        if decision == "start_clocks" and game.adjourned and game.resumed_at is None:
            # The arbiter starts the clock of a player who is away (I.9.2).
            return self._open_envelope(words) if unattended else self._submit(f.Start())
        if words[0] not in _ABOUT_CLOCKS or game.clock:
            return self._submit(f.Arbiter(do=decision))
        self._tell_if_no_clock()
        submitted = self._submit(f.Arbiter(do=decision))  # the arbiter has come
        steps = self._session.steps
        steps.tell(steps.typist() if unattended else "arbiter")
        return submitted

    def _tell_if_no_clock(self) -> None:
        if not self._session.table.game.clock:
            self._tell("clock_none")

    def _tell(self, key: str) -> None:
        desk = self._session.desk
        desk.tell_typist(desk.typists_pack.sentence(key))

    def _is_a_players(self, word: str) -> bool:
        """Return whether a word of the arbiter is a player's command, too, and there is no
        arbiter."""
        game = self._session.table.game
        if self._by_arbiter or game.presided or game.pending is not None:
            return False
        pack = self._session.readers.of(self._session.author(word))
        return pack.understand(word, game.board).command is not None

    def _restore(self, words: list[str]) -> bool:
        """Take back the moves after a numbered one: Black's, or that of the side that follows."""
        number = _number(words[1]) if len(words) in (2, 3) else None
        sides = self._sides()
        side = sides.get(words[2].casefold()) if len(words) == 3 else "black"
        if number is None or side is None:
            return False
        game = self._session.table.game
        ply = ply_of(game, number + (side == "black")) - (side == "black") if number else 0
        return self._submit(f.Arbiter(do="restore", ply=ply))

    def _undo(self, words: list[str]) -> bool:
        """Undo the arbiter's last decision, for the reason that follows; if there is none, bring
        back what was taken back last."""
        game, reason = self._session.table.game, " ".join(words[1:])
        back = brought_back(game)
        decided = undoable(game) is not None
        if reason and (not decided or self._is_a_players(" ".join(words))):
            return False
        if decided or (game.presided and back is None):
            return self._submit(f.Arbiter(do="undo", reason=reason))
        if back is None:
            self._tell("nothing_taken_back")
            return True
        return self._submit(f.Arbiter(do="restore", ply=back.last))

    def _permit(self, words: list[str]) -> bool:
        if words[1:] != ["warnings"]:
            return False
        decision = f.Arbiter(do="permit_warnings")
        return self._revising.refuses(by_arbiter=self._by_arbiter) or self._submit(decision)

    def _warn(self, words: list[str]) -> bool:
        """Choose when a player is told that little of their own time is left; ``off``: never."""
        if len(words) < 3 or words[1] not in f.SIDES:
            return False
        try:
            seconds = [read_time(word) for word in words[2:] if word != "off"]
        except ValueError as error:
            self._session.transcript.trouble(str(error))
        else:
            for one in self._session.time_warnings.choose(words[1], seconds):
                self._session.desk.tell(one.to, one.words)
        return True

    def _set_clock(self, words: list[str]) -> bool:
        if len(words) != 3 or words[1] not in f.SIDES:
            return False
        try:
            left = {words[1]: read_time(words[2]) * 1000}
        except ValueError as error:
            self._session.transcript.trouble(str(error))
            return True
        self._tell_if_no_clock()
        white, black = left.get("white"), left.get("black")
        return self._submit(f.Arbiter(do="set_clock", white=white, black=black))

    def _execute(self, words: list[str]) -> bool:
        return len(words) == 3 and self._submit(f.Make(by=words[1], move=words[2]))

    def _record(self, words: list[str]) -> bool:
        ply = _number(words[2]) if len(words) >= 4 else None
        text = " ".join(words[3:])
        return ply is not None and self._submit(f.Record(by=words[1], ply=ply, text=text))

    def _tape(self, words: list[str]) -> bool:
        number = _only_number(words)
        if number is not None:
            self._session.play_tape(number)
        return number is not None or words[1:] == ["off"]  # what was being played has ended

    def _talk(self, words: list[str]) -> bool:
        talks = len(words) == 1 and bool(self._session.microphones)  # else it asks whose turn it is
        if talks:
            self._session.talk()
        return talks

    def _open_envelope(self, words: list[str]) -> bool:
        game = self._session.table.game
        if len(words) > 1 or self._is_a_players(words[0]):
            return False
        fact = f.OpenEnvelope(by="arbiter" if game.presided else OTHER[game.side])
        if game.sealed is not None and not game.adjourned:  # the move may still be changed (I.1.1)
            sure = self._session.desk.typists_pack.sentence("envelope_sure")
            return self._revising.ask(fact, sure)
        return self._submit(fact)

    def _show_keys(self, words: list[str]) -> bool:
        """Print all that can be typed."""
        if len(words) == 1:
            self._session.transcript.show("\n".join(self._topics().values()))
        return len(words) == 1

    def _fetch_model(self, words: list[str]) -> bool:
        """Fetch a better speech model, or tell how much of it is there."""
        offer = self._session.model_offer
        fetches = len(words) == 1 and offer is not None
        if fetches and offer is not None:
            offer.typed()
        return fetches

    def _switch_voice(self, words: list[str]) -> bool:
        """Let a distant opponent hear the player here no more, or again."""
        session = self._session
        opponent = session.table.opponent
        if len(words) == 1:
            voices = opponent.voices if opponent is not None else None
            session.desk.tell_all((voices and voices.switch()) or "distant_voices_none")
        return len(words) == 1

    def _links(self, words: list[str]) -> bool:
        """``links``: show who is in. ``link ROLE``: a new link for a role, in place of one that was
        lost or seen by others. ``unlink ROLE``: revoke this role."""
        host, language = self._console, self._session.pack.code
        if host is None:
            return False
        show, known = self._session.transcript.show, host.roles()
        if words == ["links"]:
            show(host.present(language))
        elif len(words) != 2 or words[1] not in known or words[0] == "links":
            said = host.sentence("link_which", language, roles=", ".join(known) or "-")
            self._session.transcript.trouble(said)
        elif words[0] == "link":
            show(host.new_links(words[1:], language, qr=self._qr))
        else:
            host.console.revoke(words[1])
            show(host.sentence("link_revoked", language, role=words[1]))
        return True


_WORDS: Mapping[str, Callable[[Keyboard, list[str]], bool]] = {
    **dict.fromkeys(_DECISIONS, Keyboard._decide),
    "restore": Keyboard._restore,
    "undo": Keyboard._undo,
    "permit": Keyboard._permit,
    "warn": Keyboard._warn,
    "clock": Keyboard._set_clock,
    "execute": Keyboard._execute,
    "record": Keyboard._record,
    "tape": Keyboard._tape,
    "t": Keyboard._talk,
    "voice": Keyboard._switch_voice,
    "model": Keyboard._fetch_model,
    "keys": Keyboard._show_keys,
    "open": Keyboard._open_envelope,
    **dict.fromkeys(("links", "link", "unlink"), Keyboard._links),
}


_TOPICS = ("moves", "questions", "letters", "game", "table", "arbiter", "clocks", "talking")
"""The topics of help, in the order of need: ``help_<topic>`` in the packs' ``[printed]``."""
_WITH_MORE = frozenset(("restore", "permit", "warn", "clock", "execute", "record", "tape"))
"""Words that need more after them. The keyboard's help shows what, a line for each."""


def _only_number(words: list[str]) -> int | None:
    return _number(words[1]) if len(words) == 2 else None


def _number(word: str) -> int | None:
    """The number that ``word`` is; None for other words, and for numbers that no game reaches."""
    return int(word) if word.isdecimal() and len(word) < 10 else None


# The ends that a position brings about: a move is not asked about.
_ON_THE_BOARD = frozenset(
    ("checkmate", "stalemate", "dead_position", "fivefold", "seventyfive_moves")
)
_SETS_CLOCKS = frozenset(("set_clock", "penalty"))


@dataclass(frozen=True)
class _Asked:
    fact: f.Fact
    words: str
    since: int


class Revising:
    """Asks at the keyboard of ``session`` before a fact that needs a yes: one that ends or adjourns
    the game, undoes moves, or sets a clock. Undoing moves is the arbiter's if there is one. Without
    an arbiter the Laws ask the other player, too, unless the game is training. ``on_page``: the
    arbiter has a page, which knows who they are; a keyboard does not."""

    def __init__(self, session: Session, *, on_page: bool) -> None:
        self._session = session
        self._on_page = on_page
        self._asked: _Asked | None = None

    def asks(self, fact: f.Fact, *, by_arbiter: bool) -> bool:
        """Ask about ``fact`` first, or refuse it, if it needs a yes. Return whether it was asked
        about or refused, and so must not be submitted now. ``by_arbiter``: the line was typed as
        the arbiter's."""
        if isinstance(fact, f.OpenEnvelope):
            return False  # what follows from it is the sealed move's secret
        table = self._session.table
        with table.lock:
            game = table.game
            alone = game.presided or game.served or table.training
            if isinstance(fact, f.Arbiter) and fact.do == "restore" and not alone:
                fact = replace(fact, player=self._session.author(""))
            words, undoes = self._needs_yes(fact)
            if undoes and isinstance(fact, f.Arbiter) and self.refuses(by_arbiter=by_arbiter):
                return True
            return bool(words) and self.ask(fact, words)

    def ask(self, fact: f.Fact, words: str) -> bool:
        """Ask with ``words`` whether ``fact`` is meant; True."""
        self._asked = _Asked(fact, words, self._session.table.time())
        return self._say(words)

    def refuses(self, *, by_arbiter: bool) -> bool:
        """Refuse the arbiter's decision if somebody else may have typed it; return whether it was
        refused."""
        if not self._session.table.game.presided or (by_arbiter and not self._on_page):
            return False
        key = "arbiter_only_page" if self._on_page else "arbiter_only"
        return self._say(self._session.desk.typists_pack.sentence(key))

    def answers(self, line: str) -> bool:
        """Take ``line`` as the answer to the open question, and return whether it was one. Another
        line means no, and is done by itself; an empty one presses no clock."""
        asked, self._asked = self._asked, None
        table, pack = self._session.table, self._session.desk.typists_pack
        if asked is None or table.time() - asked.since > ANSWER_SECONDS * 1000:
            return False
        command = pack.understand(line, table.game.board).command
        if command is Command.REPEAT:
            self._asked = replace(asked, since=table.time())
            return self._say(asked.words)
        if command is Command.YES:
            table.submit(replace(asked.fact, t=table.time()))
        else:
            self._session.desk.tell_typist(pack.sentence("cancelled"), fleeting=True)
        return not line or command in (Command.YES, Command.NO)

    def _needs_yes(self, fact: f.Fact) -> tuple[str, bool]:
        """The question about what ``fact`` would do, and whether that undoes moves; no words if it
        needs no yes."""
        pack = self._session.desk.typists_pack
        rulings = self._session.table.preview(fact)
        if (undoing := _undoing(fact, rulings)) is not None:
            if not isinstance(undoing, Undone):
                undoing = replace(undoing, status="confirmed")
            told = self._in_words(fact, undoing)
            return pack.sentence("restore_sure", what=told), True
        for one in rulings:
            if isinstance(one, GameOver) and one.reason not in _ON_THE_BOARD:
                return pack.sentence("over_sure", result=self._in_words(fact, one)), False
            if isinstance(one, ClockReading) and getattr(fact, "do", "") in _SETS_CLOCKS:
                left = {"white": one.white, "black": one.black}
                for side in f.SIDES:
                    if getattr(fact, side) == 0:
                        return pack.sentence("clock_zero_sure", player=pack.sentence(side)), False
                read = {side: pack.duration(round(left[side] * 1000)) for side in f.SIDES}
                times = pack.sentence("clocks_read", **read)
                return pack.sentence("clocks_sure", times=times), False
            if isinstance(one, ArbiterNeeded) and getattr(fact, "do", "") == "adjourn":
                player = pack.sentence(self._session.table.game.side)
                return pack.sentence("adjourn_now_sure", player=player), False
        return "", False

    def _in_words(self, fact: f.Fact, ruling: Ruling) -> str:
        pack = self._session.desk.typists_pack
        told = announcements(Taken(fact, (ruling,)), self._session.table.game, pack)
        return join(" ", [one.words for one in told], pack.code)

    def _say(self, words: str) -> bool:
        self._session.desk.tell_typist(words, fleeting=True)
        return True


def _undoing(fact: f.Fact, rulings: Iterable[Ruling]) -> TakeBack | IllegalMove | Undone | None:
    """The ruling by which ``fact`` would undo a decision, or take moves back or bring them back, at
    once or if the other player agrees; None if it would not, or if the Laws ask both players."""
    if not isinstance(fact, f.Arbiter | f.Irregular):
        return None
    for one in rulings:
        if isinstance(one, Undone):
            return one
        if isinstance(one, TakeBack | IllegalMove) and one.to_ply is not None:
            asked = one.status == "confirmed" or isinstance(fact, f.Arbiter)
            return one if asked else None
    return None
