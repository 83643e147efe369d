"""Lines that are typed, for one reader after the other."""

from __future__ import annotations

from blindplay.table.typed_lines import TypedLines


def test_each_line_goes_to_one_reader() -> None:
    lines = TypedLines(["a\n", "b\n", "c\n"])
    assert lines.within(60) == "a\n"
    assert next(iter(lines)) == "b\n"
    assert list(lines) == ["c\n"]
    assert lines.within(60) is None and list(lines) == []


def test_a_keyboard_that_is_gone_ends_the_lines() -> None:
    class Gone:
        def __iter__(self) -> Gone:
            return self

        def __next__(self) -> str:
            raise OSError

    assert list(TypedLines(Gone())) == []
