"""The stream of a page's changes, for pages that were away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.stream import Stream
from tests.coroutines import finished

Told = tuple[str, bool, Mapping[str, str]]
RESTS: Mapping[str, str] = {"turn": "0"}

changes = st.lists(
    st.tuples(
        st.dictionaries(st.sampled_from(["now", "board"]), st.sampled_from("abc"), max_size=2),
        st.lists(
            st.tuples(st.sampled_from(["one", "two"]), st.booleans(), st.just(RESTS)), max_size=2
        ),
    ),
    max_size=30,
)


@given(changes, st.integers(0, 30))
def test_a_page_that_missed_changes_ends_where_a_page_is_that_saw_them_all(
    made: list[tuple[dict[str, str], list[Told]]], cut: int
) -> None:
    """The parts are the last ones, and everything said is said once, in order, what cannot wait as
    well."""
    stream = Stream()
    stream.update({"now": "", "board": ""}, "0")
    place, shown = stream.now().place, dict(stream.now().parts)
    said: list[Told] = []
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
    stream: Stream,
    place: str,
    shown: dict[str, str],
    said: list[Told],
) -> tuple[str, dict[str, str], list[Told]]:
    missed = stream.since(place)
    if missed is None:
        return place, shown, said
    here, data = missed
    change = json.loads(data)
    told = [(sentence, urgent, rests) for sentence, urgent, rests in change["told"]]
    return here, {**shown, **change["parts"]}, [*said, *told]


def test_who_missed_too_much_gets_the_whole_page_in_silence() -> None:
    stream = Stream()
    stream.update({"now": "", "board": "8"}, "0")
    place = stream.now()[0]
    for number in range(300):
        stream.update({"now": str(number), "board": "8"}, str(number), [("said", False, {})])
    missed = stream.since(place)
    assert missed is not None
    assert json.loads(missed[1]) == {
        "parts": {"now": "299", "board": "8"}, "seen": "299", "state": {}, "told": [],
        "whole": True,
    }  # fmt: skip


def test_what_changes_nothing_is_no_change() -> None:
    stream = Stream()
    stream.update({"now": "a"}, "1")

    async def watch() -> None:
        with stream.changed() as changed:
            stream.update({"now": "a"}, "1")
            await asyncio.sleep(0)
            assert not changed.is_set()
            stream.update({"now": "a"}, "1", [("said", False, {})])
            await asyncio.wait_for(changed.wait(), 60)

    finished(watch())
    assert not stream.is_watched


@given(st.text())
def test_no_place_that_a_client_names_breaks_a_stream(place: str) -> None:
    stream = Stream()
    stream.update({"now": "a"}, "1")
    for named in (place, stream.now()[0].partition(".")[0] + "." + place):
        missed = stream.since(named)
        assert missed is None or json.loads(missed[1])["parts"] in ({"now": "a"}, {})


def test_a_page_learns_what_holds_also_if_nothing_else_is_new() -> None:
    stream = Stream()
    stream.update({"now": "a"}, "1", (), {"offers": "white"})
    place = stream.now().place
    stream.update({"now": "a"}, "1", (), {"offers": ""})
    missed = stream.since(place)
    assert missed is not None and json.loads(missed[1])["state"] == {"offers": ""}
