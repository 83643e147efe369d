"""Downloads from servers that stall, break off, change the file, lie, or redirect."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from blindplay.speech.models.download import (
    DownloadError,
    Patience,
    check_address,
    download,
    fetch_text,
    forget,
)
from blindplay.translation import translated
from tests.speech.models.server import (
    Served,
    answers,
    breaks_off,
    drips,
    endlessly,
    ignores_range,
    serving,
    stalls,
)

BODY = random.Random(1).randbytes(300_000)
QUICK = Patience(connect=2, stall=0.3, slowest=1000, tries=3, pause=0.01, longest_pause=0.02)


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    with serving() as served:
        served.files["m.zip"] = BODY
        yield served


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "downloads" / "m.zip"


def fetch(server: Served, target: Path, size: int | None = len(BODY), most: int = 10**6) -> bool:
    return download(
        server.url("m.zip"), target, size=size, most=most, patience=QUICK, progress=lambda *_: None
    )


def test_a_file_is_fetched_and_nothing_else_is_left(server: Served, target: Path) -> None:
    told: list[tuple[int, int | None]] = []
    download(
        server.url("m.zip"), target, size=None, most=10**6, patience=QUICK,
        progress=lambda have, total: told.append((have, total)),
    )  # fmt: skip
    assert target.read_bytes() == BODY
    assert list(target.parent.iterdir()) == [target]
    assert told[-1] == (len(BODY), len(BODY)) and told == sorted(told)


@pytest.mark.parametrize("misbehaves", [breaks_off, stalls])
def test_a_download_that_broke_off_is_continued_where_it_ended(
    misbehaves: object, server: Served, target: Path
) -> None:
    assert callable(misbehaves)
    server.does = [misbehaves(100_000), misbehaves(70_000)]
    assert fetch(server, target), "it is in pieces"
    assert target.read_bytes() == BODY
    assert server.ranges == [None, "bytes=100000-", "bytes=170000-"]
    assert {version for _, _, version in server.asked[1:]} == {'"one"'}


def test_a_server_that_nearly_stops_is_asked_again(server: Served, target: Path) -> None:
    server.does = [drips]
    assert fetch(server, target)
    assert target.read_bytes() == BODY


def test_a_server_that_knows_no_ranges_gives_it_from_the_beginning(
    server: Served, target: Path
) -> None:
    server.does = [breaks_off(100_000), ignores_range]
    fetch(server, target)
    assert target.read_bytes() == BODY


def test_a_file_that_changes_meanwhile_is_fetched_anew(server: Served, target: Path) -> None:
    fresh = BODY[::-1]

    def changes(handler: object) -> None:
        breaks_off(100_000)(handler)  # type: ignore[arg-type]
        server.files["m.zip"], server.tag = fresh, '"two"'

    server.does = [changes]
    fetch(server, target)
    assert target.read_bytes() == fresh, "no mixture of both"


@pytest.mark.parametrize("tag", [None, 'W/"one"'])
def test_without_a_version_pieces_are_joined_and_reported_as_pieces(
    tag: str | None, server: Served, target: Path
) -> None:
    server.tag = tag
    server.does = [breaks_off(100_000)]
    assert fetch(server, target) is True
    assert target.read_bytes() == BODY
    assert server.asked[1][1:] == ("bytes=100000-", None)


def test_a_download_is_continued_a_day_later_but_not_from_another_address(
    server: Served, target: Path
) -> None:
    server.does = [breaks_off(100_000)] + [answers(503)] * 3
    with pytest.raises(DownloadError, match="run the same command again"):
        fetch(server, target)
    assert not target.exists() and target.with_name("m.zip.part").stat().st_size == 100_000
    server.files["other.zip"] = BODY[::-1]
    download(
        server.url("other.zip"), target, size=len(BODY), most=10**6, patience=QUICK,
        progress=lambda *_: None,
    )  # fmt: skip
    assert target.read_bytes() == BODY[::-1] and server.ranges[-1] is None
    forget(target)
    assert list(target.parent.iterdir()) == []


def test_stopping_it_by_hand_loses_nothing(server: Served, target: Path) -> None:
    def stop(have: int, total: int | None) -> None:
        if have > 100_000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        download(server.url("m.zip"), target, size=None, most=10**6, patience=QUICK, progress=stop)
    have = target.with_name("m.zip.part").stat().st_size
    fetch(server, target)
    assert server.ranges[-1] == f"bytes={have}-" and target.read_bytes() == BODY


def test_a_whole_part_needs_no_server(server: Served, target: Path) -> None:
    server.does = [breaks_off(100_000)] + [answers(503)] * 3
    with pytest.raises(DownloadError):
        fetch(server, target)
    part = target.with_name("m.zip.part")
    part.write_bytes(BODY)
    asked = len(server.asked)
    fetch(server, target)
    assert target.read_bytes() == BODY and len(server.asked) == asked


def test_a_piece_that_was_not_asked_for_is_thrown_away(server: Served, target: Path) -> None:
    server.does = [breaks_off(100_000), answers(206, Content_Range="bytes 5-9/300000")]
    fetch(server, target)
    assert target.read_bytes() == BODY


def test_a_part_longer_than_the_file_is_thrown_away(server: Served, target: Path) -> None:
    server.does = [breaks_off(100_000)] + [answers(503)] * 3
    with pytest.raises(DownloadError):
        fetch(server, target)
    server.files["m.zip"] = BODY[:50_000]
    fetch(server, target, size=None)
    assert target.read_bytes() == BODY[:50_000]


def test_a_file_of_another_length_is_not_even_begun(server: Served, target: Path) -> None:
    with pytest.raises(DownloadError, match="300000 bytes and should have 299999"):
        fetch(server, target, size=299_999)
    assert not any(target.parent.glob("*.part"))


@pytest.mark.parametrize("size", [None, 300_000])
def test_a_file_without_an_end_is_cut_off(size: int | None, server: Served, target: Path) -> None:
    server.does = [endlessly]
    with pytest.raises(DownloadError, match="more than"):
        fetch(server, target, size=size)
    assert not target.exists() and not any(target.parent.glob("*.part"))
    server.does = [endlessly]
    with pytest.raises(DownloadError, match="more than 1000 bytes"):
        fetch_text(server.url("list"), most=1000, patience=QUICK)


def test_a_missing_file_fails_at_once_and_a_busy_server_is_asked_again(
    server: Served, target: Path
) -> None:
    server.does = [answers(404)]
    with pytest.raises(DownloadError, match="404, there is no such file"):
        fetch(server, target)
    assert len(server.asked) == 1
    server.does = [answers(503), answers(429)]
    fetch(server, target)
    assert target.read_bytes() == BODY


@pytest.mark.parametrize(
    "elsewhere",
    ["http://example.com/m.zip", "ftp://example.com/m.zip", "file:///etc/passwd", "data:,x",
     "http://[", "http://127.0.0.1.example.com/m.zip", "gopher://127.0.0.1/"],
)  # fmt: skip
def test_nothing_leads_to_an_address_that_is_not_secure(
    elsewhere: str, server: Served, target: Path
) -> None:
    server.does = [answers(302, Location=elsewhere)]
    with pytest.raises(DownloadError, match="only taken over https"):
        fetch(server, target)
    assert len(server.asked) == 1 and not target.exists()


def test_a_redirection_is_followed_but_not_for_ever(server: Served, target: Path) -> None:
    server.does = [answers(301, Location="/n.zip"), answers(302, Location=server.url("m.zip"))]
    fetch(server, target)
    assert target.read_bytes() == BODY
    assert [path for path, _, _ in server.asked] == ["/m.zip", "/n.zip", "/m.zip"]
    forget(target)
    server.does = [answers(302, Location="/m.zip")] * 20
    with pytest.raises(DownloadError, match="leads on and on"):
        fetch(server, target)


@pytest.mark.parametrize("before", [None, "https://a.example/"])
def test_an_address_that_is_not_secure_is_told_in_the_readers_language(before: str | None) -> None:
    with pytest.raises(DownloadError) as error:
        check_address("http://b.example/", before)
    assert "keine sichere Adresse; nichts wurde geholt" in translated(str(error.value), "de")


def test_secure_addresses_and_this_machine_are_allowed() -> None:
    for address in ("https://alphacephei.com/vosk/m.zip", "http://localhost:8/", "http://[::1]/"):
        assert check_address(address) == address
    assert check_address("https://b.example/", before="http://127.0.0.1/")
    for address in (
        "",
        "m.zip",
        "http://example.com/",
        "https://",
        "HTTP://example.com",
        "https:x",
    ):
        with pytest.raises(DownloadError):
            check_address(address)
    # No other server may redirect to this machine.
    with pytest.raises(DownloadError, match=r"leads to http://127\.0\.0\.1"):
        check_address("http://127.0.0.1/", before="https://example.com/")


def test_without_a_connection_it_is_one_sentence(target: Path) -> None:
    with pytest.raises(DownloadError, match="there is no connection") as failed:
        download(
            "http://127.0.0.1:9/m.zip", target, size=None, most=9, patience=QUICK,
            progress=lambda *_: None,
        )  # fmt: skip
    assert "\n" not in str(failed.value)
