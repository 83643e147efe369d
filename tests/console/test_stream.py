"""The stream of a page's changes, for pages that were away."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping

from hypothesis import given
from hypothesis import strategies as st

from blindplay.console.stream import Edit, EventStream, Stream, edit_of
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


def test_whoever_goes_while_something_is_sent_to_them_is_gone_at_once() -> None:
    """A phone that has left the building takes nothing, and in the end its connection is closed."""
    stream = Stream()

    async def events() -> AsyncGenerator[str]:
        with stream.changed():
            yield "event: time\ndata: 0\n\n"

    async def send(_message: object) -> None:
        await asyncio.sleep(0)
        if stream.is_watched:
            going.set()
            await asyncio.Event().wait()

    async def receive() -> dict[str, str]:
        await going.wait()
        return {"type": "http.disconnect"}

    async def leave() -> bool:
        await EventStream(events())({"type": "http"}, receive, send)
        return stream.is_watched

    going = asyncio.Event()
    assert not finished(leave()) and going.is_set()


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


@given(st.text("ab\n", max_size=30), st.text("ab\n", max_size=30))
def test_an_edit_makes_the_new_part_of_the_old_one(before: str, after: str) -> None:
    assert edited(before, edit_of(before, after)) == after


def edited(before: str, edit: Edit) -> str:
    """What a page makes of a part with this edit."""
    lines = before.split("\n")
    for at, count, *put in edit:
        assert isinstance(at, int) and isinstance(count, int)
        lines[at : at + count] = map(str, put)
    return "\n".join(lines)


def test_an_edit_of_a_board_has_the_squares_that_change_alone() -> None:
    squares = [f"<button>{at}</button>" for at in range(64)]
    moved = [*squares]
    moved[12], moved[28] = "<button></button>", "<button>pawn</button>"
    edit = edit_of("\n".join(squares), "\n".join(moved))
    assert [*edit] == [(28, 1, moved[28]), (12, 1, moved[12])]


def test_many_lines_at_once_are_one_edit() -> None:
    before, after = (["1", *[str(at) for at in range(start, start + 600)]] for start in (5, 9))
    assert [*edit_of("\n".join(before), "\n".join(after))] == [(1, 600, *after[1:])]


def test_a_part_comes_whole_before_it_comes_as_edits() -> None:
    """To each connection by itself, and whole again to one that has missed a change."""
    stream = Stream()
    stream.update({"sheet": "a\nb"}, "0")
    places, known = [stream.now().place] * 2, [set[str](), set[str]()]

    def got(reader: int) -> object:
        missed = stream.since(places[reader], known[reader])
        assert missed is not None
        places[reader] = missed[0]
        return json.loads(missed[1])["parts"]["sheet"]

    stream.update({"sheet": "a\nb\nc"}, "1")
    assert got(0) == "a\nb\nc"
    stream.update({"sheet": "a\nb\nc\nd"}, "2")
    assert got(0) == [[3, 0, "d"]]
    assert got(1) == "a\nb\nc\nd"
    for number in range(3, 5):
        stream.update({"sheet": f"{number}"}, str(number))
    assert got(1) == "4"


def test_a_part_that_was_away_comes_whole_again() -> None:
    """A page's reader has its old lines still, also those that are no part of it now."""
    stream, got = Stream(), set[str]()
    stream.update({"board": "8", "next": "a"}, "0")
    place, shown = stream.now().place, dict(stream.now().parts)
    for number, parts in enumerate(
        [{"board": "8", "next": "a\nb"}, {"board": "7"}, {"board": "7", "next": "c\nd"}]
    ):
        stream.update(parts, str(number))
        missed = stream.since(place, got)
        assert missed is not None
        place = missed[0]
        for name, part in json.loads(missed[1])["parts"].items():
            shown[name] = part if isinstance(part, str) else edited(shown[name], part)
    assert shown == {"board": "7", "next": "c\nd"}
