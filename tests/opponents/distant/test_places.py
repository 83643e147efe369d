"""A door at a TCP port, and the way to it."""

from __future__ import annotations

import socket
import threading

import pytest

from blindplay.opponents.distant.places import PortDoor, PortWay, Venue
from tests.waiting import PATIENCE_S


def test_a_way_leads_to_the_door_until_it_is_closed() -> None:
    door = PortDoor(0)
    way = PortWay("127.0.0.1", door.place.port)
    assert door.place == Venue(way.place.port) and not door.room
    near, far = way.connect(), door.accept()
    for one in (near, far):
        assert one.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
        one.close()
    errors: list[OSError] = []

    def wait() -> None:
        try:
            door.accept()
        except OSError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    door.close()
    thread.join(PATIENCE_S)
    assert errors
    with pytest.raises(ConnectionRefusedError):
        way.connect()
