"""What strangers may do at a broker for distant tables; test_relay.py tries it with Mosquitto."""

from __future__ import annotations

from blindplay.hall.meetings import configuration_files


def test_strangers_may_use_inboxes_and_rooms_only_and_everything_is_bounded() -> None:
    files = configuration_files(8884)
    access = files["access"].splitlines()
    assert access[0] == "topic write blindplay/meeting/1/to/+"
    rooms = [f"topic readwrite blindplay/meeting/1/room/{room}" for room in range(10, 100)]
    assert access[1:-1] == rooms
    assert access[-1] == "pattern read blindplay/meeting/1/to/table-%c-in"
    settings = {line.split()[0] for line in files["mosquitto.conf"].splitlines()}
    assert settings >= {
        "max_connections", "max_packet_size", "max_queued_bytes", "memory_limit", "certfile",
    }  # fmt: skip
