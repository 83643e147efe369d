"""A client of the broker. It reconnects by itself, and nothing waits for it."""

import contextlib
import logging
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from blindplay.translation import UserError

OnMessage = Callable[[str, bytes, bool], object]
"""Called with a topic, a payload, and whether the message is a retained one."""
_KEEP_ALIVE_S = 10
_RECONNECT_S = 1, 15
_CLOSING_S = 2.0
PORT = 1883

_log = logging.getLogger(__name__)
_log.addHandler(logging.NullHandler())


@dataclass(frozen=True)
class Broker:
    """An MQTT broker, and the account that connects to it."""

    host: str = "localhost"
    port: int = PORT
    account: str = ""
    """Empty: a broker that lets everybody in."""
    password: str = ""
    certificates: str = ""
    """Encrypt, and trust these authorities, in PEM; empty: do not encrypt."""
    unknown: bool = False
    """Encrypt, and trust any certificate: the messages themselves are encrypted end to end."""


class Link:
    """A client of the broker. It drops messages that are published without a connection; their
    receivers must request them again. It calls ``on_message`` and ``on_connect`` in its own thread.
    """

    def __init__(
        self,
        broker: Broker,
        subscribe: Sequence[str],
        on_message: OnMessage,
        on_connect: Callable[[], object],
        will: tuple[str, bytes] | None = None,
        name: str = "",
    ) -> None:
        """``will``: a message that the broker publishes, and keeps, when the connection is lost.
        ``name``: the name of the client; empty: the broker gives one.

        :raises ValueError: if the certificates cannot be used.
        """
        # Imported here: a table without a hall needs none of it.
        from paho.mqtt.client import Client
        from paho.mqtt.enums import CallbackAPIVersion

        self._subscribe = [(topic, 1) for topic in subscribe]
        self._unsent = 0
        self._subscribed = False  # on this connection
        self._lock = threading.Condition()  # told when nothing is unsent, or nobody takes it
        self._client = Client(CallbackAPIVersion.VERSION2, name)
        self._client.reconnect_delay_set(*_RECONNECT_S)
        self._client.max_queued_messages_set(10_000)
        if broker.account:
            self._client.username_pw_set(broker.account, broker.password)
        if broker.certificates or broker.unknown:
            self._client.tls_set_context(_encrypted(broker))
        if will is not None:
            self._client.will_set(will[0], will[1], qos=1, retain=True)
        self._set_callbacks(on_message, on_connect)
        self._client.connect_async(broker.host, broker.port, _KEEP_ALIVE_S)

    def _set_callbacks(self, on_message: OnMessage, on_connect: Callable[[], object]) -> None:
        @self._client.socket_open_callback()
        def opened(client: Any, userdata: Any, sock: Any) -> None:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # small messages go at once

        @self._client.connect_callback()
        def connected(client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
            if not reason.is_failure:
                with self._lock:
                    self._unsent = 0
                client.subscribe(self._subscribe)
                self._subscribed = True
                _guarded(on_connect)

        @self._client.disconnect_callback()
        def gone(client: Any, userdata: Any, flags: Any, reason: Any, properties: Any) -> None:
            self._subscribed = False
            with self._lock:
                self._lock.notify_all()

        @self._client.message_callback()
        def received(client: Any, userdata: Any, message: Any) -> None:
            _guarded(on_message, message.topic, message.payload, message.retain)

        @self._client.publish_callback()
        def acknowledged(
            client: Any, userdata: Any, mid: Any, reason: Any, properties: Any
        ) -> None:
            with self._lock:
                self._unsent = max(0, self._unsent - 1)
                if not self._unsent:
                    self._lock.notify_all()

    def start(self) -> None:
        """Connect, now or as soon as there is a network and a broker."""
        self._client.loop_start()

    @property
    def online(self) -> bool:
        """True if messages published now come after the subscriptions, so that they come back."""
        return self._subscribed and self._client.is_connected()

    @property
    def unsent(self) -> int:
        """Return the number of messages that the broker has not acknowledged yet."""
        return self._unsent

    def publish(self, topic: str, payload: bytes, *, retain: bool = False) -> bool:
        """Publish a message, at least once; False if there is no connection."""
        if not self.online:
            return False
        with self._lock:
            self._unsent += 1
        self._client.publish(topic, payload, qos=1, retain=retain)
        return True

    def close(self, *last: tuple[str, bytes]) -> None:
        """Publish the ``last`` messages, which the broker keeps, and disconnect when it has
        acknowledged everything. It takes two seconds at most."""
        for topic, payload in last:
            self.publish(topic, payload, retain=True)
        with self._lock:
            self._lock.wait_for(lambda: not (self._unsent and self.online), _CLOSING_S)
        if self._unsent:
            self._break()
        self._client.disconnect()
        # Without a connection the thread may hang in the search for one; it ends with the process.
        threading.Thread(target=self._client.loop_stop, daemon=True).start()

    def _break(self) -> None:
        """End the connection without a word, so that the broker publishes this client's will."""
        if isinstance(sock := self._client.socket(), socket.socket):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)


def _guarded(callback: Callable[..., object], *arguments: object) -> None:
    """Call a callback. An exception would end the client's thread, and the broker would send a
    retained message again at each start."""
    try:
        callback(*arguments)
    except Exception:
        _log.exception("a callback for the broker's messages failed on %s", arguments)


def _encrypted(broker: Broker) -> ssl.SSLContext:
    if broker.unknown:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context
    try:
        return ssl.create_default_context(cadata=broker.certificates)
    except ssl.SSLError:
        raise UserError(
            "What stands under certificates in the event's file is none; use the file that the "
            "organiser gave you."
        ) from None
