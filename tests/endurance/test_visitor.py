"""A person with a page of the console open."""

from pathlib import Path

import pytest

from tests.console.hall import Hall
from tests.endurance.visitor import OpenedPage, Visitor
from tests.waiting import until


def test_a_visitor_sends_forms_and_reads_changes(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    try:
        visitor = Visitor(hall.link("arbiter"), {"act": "query", "about": "moves"}, every=0.01)
        hall.start()
        assert until(lambda: visitor.sent and visitor.changes)
        visitor.leave()
    finally:
        hall.close()
    visitor.close()


def test_a_wrong_link_is_refused(tmp_path: Path) -> None:
    hall = Hall(tmp_path)
    try:
        with pytest.raises(ConnectionError, match="refused the link"):
            OpenedPage(hall.link("arbiter")[:-3] + "xyz")
    finally:
        hall.close()
