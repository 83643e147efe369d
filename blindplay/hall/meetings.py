"""A broker at which two tables meet that cannot reach each other.

It is another process than the broker of an event: strangers may come, and can take nothing from the
tables of a tournament. It keeps nothing.
"""

import tempfile
from pathlib import Path

from blindplay.opponents.distant.relay import INBOX_TOPIC, INBOXES, ROOM_TOPIC, ROOMS

from . import local_broker
from .broker_files import CONFIGURATION, owner
from .certificates import make_certificates

MOST_TABLES = 100
"""Limit of the tables that are connected at the same time."""
_ACCESS, _CERTIFICATE, _KEY = "access", "broker.pem", "broker.key"
# These limits hold for malicious clients, too.
_CONFIGURATION = f"""\
listener {{port}}
certfile {_CERTIFICATE}
keyfile {_KEY}
tls_version tlsv1.2
allow_anonymous true
acl_file {_ACCESS}
max_connections {MOST_TABLES}
max_packet_size 20000
max_queued_messages 500
max_queued_bytes 2000000
memory_limit 300000000
max_keepalive 60
set_tcp_nodelay true
persistence false
"""


def configuration_files(port: int) -> dict[str, str]:
    """The files of the broker by name. Any client may connect, and has only these rights: to read
    its own inbox, to write to every inbox, and to read and publish the owners of rooms."""
    access = [f"topic write {INBOXES}\n"]
    access += [f"topic readwrite {ROOM_TOPIC.format(room)}\n" for room in ROOMS]
    access.append(f"pattern read {INBOX_TOPIC.format('%c')}\n")
    _, server, key = make_certificates("meetings", ["localhost"])
    return {
        CONFIGURATION: _CONFIGURATION.format(port=port) + owner(),
        _ACCESS: "".join(access),
        _CERTIFICATE: server,
        _KEY: key,
    }


def run_meetings(port: int) -> None:
    """Run the broker until it ends.

    :raises BrokerMissingError: if Mosquitto is not installed.
    :raises ValueError: if Mosquitto ends by itself.
    """
    with tempfile.TemporaryDirectory(prefix="blindplay-meetings-") as name:
        for file, text in configuration_files(port).items():
            (Path(name) / file).write_text(text, "utf-8")
        local_broker.run_broker(Path(name))
