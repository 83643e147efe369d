"""Links, sessions, allowances, languages and streams, without a server."""

from __future__ import annotations

import json
import string

from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.access import AccessLinks, RateLimiter
from blindplay.console.messages import LANGUAGES, catalogue, negotiate
from blindplay.console.stream import Stream


def test_a_token_has_256_bits_and_is_kept_nowhere() -> None:
    doors = AccessLinks()
    tokens = {doors.issue(f"role {n}") for n in range(50)}
    assert len(tokens) == 50
    assert all(len(token) == 43 for token in tokens)  # 32 bytes, six bits a letter
    kept = repr(vars(doors))
    assert not any(token in kept for token in tokens)


def test_a_token_opens_its_own_role_only_and_only_whole() -> None:
    doors = AccessLinks()
    token = doors.issue("arbiter")
    assert doors.enter(token[:-1], "en") is None
    assert doors.enter(token + "x", "en") is None
    assert doors.enter("", "en") is None
    entered = doors.enter(token, "en")
    assert entered is not None
    session, secret = entered
    assert session.role == "arbiter"
    assert doors.session("arbiter", secret) is session
    assert doors.session("white", secret) is None
    assert doors.session("arbiter", token) is None  # the link's secret is not the cookie's


def test_a_role_has_a_handful_of_sessions_and_the_oldest_gives_way() -> None:
    doors = AccessLinks()
    token, other = doors.issue("arbiter"), doors.issue("white")
    mine = doors.enter(other, "en")
    secrets = [entered[1] for _ in range(17) if (entered := doors.enter(token, "en"))]
    assert doors.session("arbiter", secrets[0]) is None
    assert all(doors.session("arbiter", secret) for secret in secrets[1:])
    assert mine is not None and doors.session("white", mine[1]) is not None


@given(st.text())
def test_no_text_of_a_client_breaks_a_door(text: str) -> None:
    doors = AccessLinks()
    doors.issue("arbiter")
    assert doors.enter(text, "en") is None
    assert doors.session("arbiter", text) is None


def test_an_allowance_fills_up_again_with_time_and_is_everybodys_own() -> None:
    now = [0.0]
    allowance = RateLimiter(a_second=2, at_once=3, now=lambda: now[0])
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]
    assert allowance.take("b")
    now[0] = 0.5  # two a second: one more
    assert [allowance.take("a") for _ in range(2)] == [True, False]
    now[0] = 1000  # never more than three at once
    assert [allowance.take("a") for _ in range(4)] == [True, True, True, False]


def test_every_language_says_everything_with_the_same_fields() -> None:
    def fields(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    english = catalogue("en")
    for language in LANGUAGES:
        found = catalogue(language)
        assert found.keys() == english.keys(), language
        assert all(found.values()), language
        for key, text in english.items():
            # What is wrong with a fact is told in English; other pages tell only that it is.
            told = fields(text) if key != "no_fact" or language == "en" else set()
            assert fields(found[key]) == told, (language, key)


@given(st.text())
def test_whatever_a_browser_accepts_it_gets_a_language(accepts: str) -> None:
    assert negotiate(accepts) in LANGUAGES


# --- streams ------------------------------------------------------------------------------------

changes = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["now", "board"]), st.sampled_from("abc"), max_size=2),
        st.lists(st.tuples(st.sampled_from(["one", "two"]), st.booleans()), max_size=2),
    ),
    max_size=30,
)


@given(changes, st.integers(0, 30))
def test_a_page_that_missed_changes_ends_where_a_page_is_that_saw_them_all(
    made: list[tuple[dict[str, str], list[tuple[str, bool]]]], cut: int
) -> None:
    """The parts are the last ones, and everything said is said once, in order, what cannot wait as
    well."""
    stream = Stream()
    stream.update({"now": "", "board": ""}, "0")
    place, shown, _ = stream.now()
    said: list[tuple[str, bool]] = []
    state = dict(shown)
    for number, (parts, told) in enumerate(made):
        state |= parts
        stream.update(state, str(number), told)
        if number < cut:
            place, shown, said = _taken(stream, place, shown, said)
    place, shown, said = _taken(stream, place, shown, said)
    assert shown == state
    assert said == [one for _, told in made for one in told]
    assert stream.since(place) is None


def _taken(
    stream: Stream, place: str, shown: dict[str, str], said: list[tuple[str, bool]]
) -> tuple[str, dict[str, str], list[tuple[str, bool]]]:
    missed = stream.since(place)
    if missed is None:
        return place, shown, said
    here, data = missed
    change = json.loads(data)
    told = [(sentence, urgent) for sentence, urgent in change["told"]]
    return here, {**shown, **change["parts"]}, [*said, *told]


def test_who_missed_too_much_gets_the_whole_page_in_silence() -> None:
    stream = Stream()
    stream.update({"now": "", "board": "8"}, "0")
    place = stream.now()[0]
    for number in range(300):
        stream.update({"now": str(number), "board": "8"}, str(number), [("said", False)])
    missed = stream.since(place)
    assert missed is not None
    assert json.loads(missed[1]) == {
        "parts": {"now": "299", "board": "8"}, "seen": "299", "told": [],
        "whole": True,
    }  # fmt: skip


def test_what_changes_nothing_is_no_change() -> None:
    stream = Stream()
    stream.update({"now": "a"}, "1")
    calls: list[int] = []
    leave = stream.listen(lambda: calls.append(1))
    stream.update({"now": "a"}, "1")
    assert calls == []
    stream.update({"now": "a"}, "1", [("said", False)])
    leave()
    stream.update({"now": "b"}, "2")
    assert calls == [1]


@given(st.text())
def test_no_place_that_a_client_names_breaks_a_stream(place: str) -> None:
    stream = Stream()
    stream.update({"now": "a"}, "1")
    for named in (place, stream.now()[0].partition(".")[0] + "." + place):
        missed = stream.since(named)
        assert missed is None or json.loads(missed[1])["parts"] in ({"now": "a"}, {})
