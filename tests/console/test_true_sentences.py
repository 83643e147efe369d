"""Each sentence that a page shows is true, after each fact of random games: what its parts say, and
the messages that stand there still."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

import chess
import pytest

from blindplay.console import views
from blindplay.console.messages import catalogue
from blindplay.console.pages import page_of
from blindplay.language import load
from blindplay.laws import Game, Origin, Taken
from blindplay.laws.due import due
from blindplay.laws.facts import PEOPLE, SIDES, Tick
from blindplay.wording.announcements import aspects, name_of_step, to_everybody
from blindplay.wording.readers import reader
from blindplay.wording.steps import owed_in_words, step_in_words
from tests.console.test_due_on_pages import Replayed
from tests.laws.random_games import play

# --- what is on a page ----------------------------------------------------------------------------

_BLOCKS = frozenset(("p", "li", "h2", "h3", "h4", "button", "summary", "th", "td", "div"))


class _Texts(HTMLParser):
    """The text of each block of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found = [""]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _BLOCKS:
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        self.handle_starttag(tag, [])

    def handle_data(self, data: str) -> None:
        self.found[-1] += data


@functools.cache
def texts(html: str) -> list[str]:
    """The text of each block of ``html``."""
    reading = _Texts()
    reading.feed(html)
    found = (" ".join(one.split()) for one in reading.found if one.strip())
    return [one.removesuffix(" – BlindPlay") for one in found]


# The parts that speak of the past or explain what could be done: they promise nothing of the game.
_NO_CLAIMS = frozenset(("timeline", "sheets", "sheet", "heard", "log", "keys", "signals", "after"))


@dataclass
class Messages:
    """The messages of one page, as messages.js keeps them: urgent ones, and others."""

    regions: dict[bool, list[tuple[str, dict[str, str], int]]] = field(
        default_factory=lambda: {True: [], False: []}
    )
    over: bool = False

    def take(
        self, t: int, state: dict[str, str], told: list[tuple[str, bool, dict[str, str]]]
    ) -> None:
        """Take these sentences at ``t`` ms, when the game is in this ``state``."""
        ends, self.over = bool(state["result"]) and not self.over, bool(state["result"])
        for region in self.regions.values():
            region[:] = [
                (words, rests, said)
                for words, rests, said in region
                if all(state[name] == was for name, was in rests.items() if name != "unread")
                and not (ends and "unread" not in rests)
                and not ("time" in rests and t > said + 10_000 + 60 * len(words))
            ]
        for is_urgent, region in self.regions.items():
            new = [(words, rests, t) for words, now, rests in told if now is is_urgent]
            if new:
                refuses = any("unread" in rests for _, rests, _ in new)
                keeps = [one for one in region if "unread" in one[1] and not refuses]
                result = [one for one in region if one[1].keys() == {"result"}]
                region[:] = [*new, *keeps, *result]

    def __iter__(self) -> Iterator[str]:
        for region in self.regions.values():
            yield from (words for words, *_ in region)


# --- what must hold for it ------------------------------------------------------------------------

_SAY = catalogue("en")
_PACK = load("en")
Holds = Callable[..., bool]


def _side(name: str) -> str:
    """The side with this name in a sentence."""
    return name.split(",")[-1].strip().lower()


def _differing(game: Game) -> set[str]:
    shown = [table.placement for table in game.tables.values()]
    other = shown[1] if len(shown) == 2 else game.position_pieces()
    return {chess.square_name(at) for at in range(64) if shown[0].get(at) != other.get(at)}


def _called(*reasons: str) -> Holds:
    return lambda game, **_: any(one.why in reasons for one in game.calls)


def _asks(game: Game) -> bool:
    return game.pending is not None and bool(game.pending.asked)


def _blocks(game: Game) -> bool:
    return game.pending is not None and not game.pending.claimable and not game.pending.asked


def _runs(game: Game, player: str = "", **_: str) -> bool:
    return game.clock.running == _side(player)


def _stands(game: Game, **_: str) -> bool:
    return game.clock.running is None


def _to_move(game: Game, who: str = "", **_: str) -> bool:
    return game.side == _side(who) and not game.over


_PAGES: dict[str, Holds] = {
    "status_over": lambda game, result: game.result == result,
    "status_adjourned": lambda game: game.adjourned and not game.over,
    "status_arbiter": lambda game: _blocks(game),
    "status_players": lambda game: _asks(game),
    "status_owners": lambda game: not game.owners_known,
    "status_not_started": lambda game: not game.started,
    "status_paused": _stands,
    "status_sealing": lambda game, side: game.adjourning and game.side == _side(side),
    "status_to_move": lambda game, number, side: (
        game.side == _side(side) and game.turn.made is None
        and game.board.fullmove_number == int(number)
    ),
    "status_made": lambda game, number, side: (
        game.side == _side(side) and game.turn.made is not None
    ),
    "on_move": lambda game, side: game.side == _side(side) and not game.over,
    "arb_same": lambda game: not _differing(game),
    "arb_same_one": lambda game: not _differing(game),
    "arb_moving": lambda game: not game.over and bool(_differing(game)),
    "arb_correcting": lambda game, side: due(game, _side(side)).do == "correct",
    "arb_may_stop": lambda game: game.clock.running is not None,
    "arb_offer": lambda game, side: _side(side) in game.offers,
    "arb_pending": lambda game: game.pending is not None,
    "arb_needed": lambda game: bool(game.calls),
    "arb_presides": lambda game: game.presided,
    "arb_not_presiding": lambda game: not game.presided,
    "arb_claimable": lambda game: game.pending is not None and game.pending.claimable,
    "arb_no_clock": lambda game: not game.clock,
    "arb_stop": lambda game: game.clock.running is not None,
    "arb_go_on": _stands,
    "arb_correct_hint": lambda game, result: game.result == result,
    "arb_illegal": lambda game, white, black: game.illegal_moves == {
        "white": int(white), "black": int(black),
    },
    "arb_has_assistant": lambda game, side: bool(game.assistants[_side(side)]),
    "arb_no_assistant": lambda game, side: game.assistants[_side(side)] is False,
    "arb_assistant_unsaid": lambda game, side: game.assistants[_side(side)] is None,
    "draw_is_offered": lambda game, side: _side(side) in game.offers and not game.over,
    "again_draw_offered": lambda game: bool(game.offers),
    "adjournment_is_wanted": lambda game, side: game.wants_to_adjourn == _side(side),
    "again_adjournment": lambda game: bool(game.wants_to_adjourn),
    "over_actions": lambda game: game.over,
    "nothing_announced": lambda game: not game.history and game.turn.announced is None,
    "clock_fell": lambda game: bool(game.clock.flags),
}  # fmt: skip
_SPOKEN: dict[str, Holds] = {
    "to_move": lambda game, player: game.side == _side(player) and not game.over,
    "clock_started": _runs,
    "clock_stopped": _stands,
    "boards_differ": lambda game, squares: bool(_differing(game)),
    "boards_equal": lambda game: all(table.wanted is None for table in game.tables.values()),
    "draw_offered": lambda game, player: _side(player) in game.offers and not game.over,
    "consent_due": lambda game, player: (
        game.pending is not None and _side(player) in game.pending.asked
    ),
    "consent_asked": lambda game, what: _asks(game),
    "adjourn_wanted": lambda game, player: (
        game.wants_to_adjourn == _side(player) or _called("adjournment")(game)
    ),
    "seal_asked": lambda game, player: game.adjourning,
    "sealed": lambda game, player: game.sealed is not None or game.adjourned,
    "seal_press": lambda game: game.sealed is not None and not game.adjourned,
    "adjourned": lambda game: game.adjourned,
    "owners_asked": lambda game: not game.owners_known,
    "owners_known": lambda game: game.owners_known,
    "correct_board": lambda game, player: bool(game.tables) and not game.over,
    "assistant_present": lambda game, player: bool(game.assistants[_side(player)]),
    "assistant_gone": lambda game, player: not game.assistants[_side(player)],
    "arbiter_presides": lambda game: game.presided,
    "arbiter_withdrew": lambda game: not game.presided,
    "arbiter_needed": lambda game, why: bool(game.calls) or game.pending is not None,
    "needed_set_clock": _called("set_clock"),
    "needed_both_flags": lambda game: bool(game.calls) or game.pending is not None,
    "needed_wrong_clock": _called("wrong_clock"),
    "needed_start_clocks": lambda game: _stands(game) and _called("start_clocks")(game),
    "needed_called": _called("called"),
    "needed_seal": _called("seal"),
    "needed_displaced": _called("displaced"),
    "needed_disturbance": _called("disturbance"),
    "needed_flag": lambda game, player: game.pending is not None,
    "needed_extra_time": lambda game, player: game.pending is not None,
    "game_over_white_wins": lambda game, reason: game.result == "1-0",
    "game_over_black_wins": lambda game, reason: game.result == "0-1",
    "game_over_draw": lambda game, reason: game.result == "1/2-1/2",
}


def _pattern(template: str) -> re.Pattern[str]:
    """What finds a sentence of this ``template`` in a text, with its fields as groups."""

    def group(found: re.Match[str]) -> str:
        any_words = r".*?" if found[1] in ("why", "reason", "what", "step") else r"[^.:]*?"
        return f"(?P<{found[1]}>{any_words})"

    escaped = re.escape(template).replace(r"\{", "{").replace(r"\}", "}")
    seen = re.sub(r"\{(\w+)\}(?=.*\{\1\})", "[^.:]*?", escaped)  # a field that comes twice
    return re.compile(
        r"(?:^|(?<=[.?!] ))" + re.sub(r"\{(\w+)\}", group, seen) + r"(?:(?<=[.?!])(?= )|$)"
    )


def _known(holds: dict[str, Holds], words: Callable[[str], str]) -> dict[str, Any]:
    return {name: (_pattern(words(name)), test) for name, test in holds.items()}


_SENTENCES = _PACK._pack.table("sentences")
ORACLE = {
    **_known(_PAGES, _SAY.__getitem__),
    **{f"spoken {name}": one for name, one in _known(_SPOKEN, _SENTENCES.__getitem__).items()},
}
# What tells a person what to do, or for whom they wait.
STEPS = {
    name: _pattern(text)
    for name, text in _SENTENCES.items()
    if name == "due_wait" or re.fullmatch(r"due_(?!enter|arbiter|assistant_of|wait).*", name)
}


@functools.cache
def claims_of(text: str) -> list[tuple[str, str, dict[str, str]]]:
    """The sentences of a text that claim something: their names, words and fields."""
    found = ((name, known[0].search(text)) for name, known in ORACLE.items())
    steps = ((name, pattern.search(text)) for name, pattern in STEPS.items())
    claims = ((name, one[0].strip(), one.groupdict()) for name, one in (*found, *steps) if one)
    people = ("side", "player")
    return [
        one for one in claims if all(_side(one[2].get(who, "White")) in SIDES for who in people)
    ]


def lies(game: Game, role: str, shown: list[str]) -> Iterator[str]:
    """Those of the sentences ``shown`` to ``role`` that contradict the game or what is due."""
    said = {" ".join(step_in_words(_PACK, game, due(game, role)).split())}
    owed = due(game, game.side).owed
    if owed:
        said.add(owed_in_words(_PACK, game, owed))
    for text in shown:
        for name, words, fields in claims_of(text):
            if name in STEPS and not any(words in one for one in said):
                yield f"{role} reads {text!r} ({name}), but is due: {said}"
            elif name in ORACLE and not ORACLE[name][1](game, **fields):
                yield f"{role} reads {text!r} ({name}), which is not so"


def test_the_oracle_knows_a_lie() -> None:
    *_, (_fact, _rulings, game) = play(3, 2)
    side = "White" if game.side == "white" else "Black"
    other = "Black" if game.side == "white" else "White"
    assert list(lies(game, "arbiter", [f"{side} to move."])) == []
    assert len(list(lies(game, "arbiter", [f"{other} to move.", "The game is adjourned."]))) == 4


# --- the games ------------------------------------------------------------------------------------


def _watch(seed: int, facts: int) -> None:
    """Assert it after each fact of a game."""
    table, pages = Replayed(Game), {role: Messages() for role in PEOPLE}  # type: ignore[arg-type]
    rendered = {role: views.RenderedParts("en") for role in PEOPLE}
    for fact, rulings, playing in play(seed, facts):
        game = table.game = playing.fork()  # as pages get it
        taken = Taken(fact, tuple(rulings), Origin("a hand"))
        if not (isinstance(fact, Tick) and not rulings):
            table.log.append(taken)
        for role, messages in pages.items():
            state = {**aspects(game), "step": name_of_step(game, role)}
            messages.take(fact.t, state, _told(game, role, taken))
            page = page_of(game, role)
            values = {**page.values(table, game, role, "en"), "of_table": ""}
            parts = rendered[role].of(page, values)
            claims = [html for name, html in parts.items() if name not in _NO_CLAIMS]
            shown = [*(text for html in claims for text in texts(html)), *messages]
            step = " ".join(step_in_words(_PACK, game, due(game, role)).split())
            phone = [text for name in views.ON_PHONE for text in texts(parts.get(name, ""))]
            read = [shown] if role == "arbiter" else [shown, phone]
            told = game.over or all(any(step in text for text in one) for one in read)
            wrong = list(lies(game, role, shown))
            assert told and not wrong, (wrong or step, role, seed, len(table.log), fact)


def _told(game: Game, role: str, taken: Taken) -> list[tuple[str, bool, dict[str, str]]]:
    """The sentences about a fact that the console sends to a page."""
    now = {**aspects(game), **views.unread()}
    said = to_everybody(taken, game, reader(load("en"), game))
    told = (views.told_by(one, game, role, now) for one in said)
    words = (str(one.words) for one in said)
    public = [(one, urgent, rests) for one, (_, urgent, rests) in zip(words, told, strict=True)]
    own = views.told_to(game, role, "en", taken)
    return [(str(one), urgent, dict(rests)) for one, urgent, rests in (*public, *own)]


@pytest.mark.parametrize("seed", range(6))
def test_every_sentence_of_every_page_is_true(seed: int) -> None:
    _watch(seed, 30)


@pytest.mark.long
@pytest.mark.parametrize("start", range(0, 200, 20))
def test_every_sentence_of_every_page_is_true_in_200_games(start: int) -> None:
    for seed in range(1000 + start, 1000 + start + 20):
        _watch(seed, 45)
