"""How a table that knows six digits gets its file from the hall: SPAKE2, both sides.

Somebody who records an ordinary exchange could try all six digits on the recording. Here a listener
learns nothing about them, and an impostor can try one guess in each exchange. The file travels
encrypted with the key that both sides have agreed on; it holds the certificate by which the table
knows the broker. So the exchange needs no certificate.
"""

import hmac
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

OPEN, BEGIN, FILE = "/ticket/open", "/ticket/begin", "/ticket/file"
"""Addresses of the three steps; docs/hall-protocol.md describes them."""
_TABLE, _HALL = b"blindplay table 1", b"blindplay hall 1 "
_NONCE = bytes(12)  # the key encrypts this one message
_KEY_BYTES = 32
_MESSAGE_BYTES = 33


class WrongTicketError(ValueError):
    """The other side does not know the ticket."""


class _Side:
    """One side of one exchange. It can be used once."""

    def __init__(self, spake: Any, table: str) -> None:
        self._spake = spake
        self.table = table
        self.message: bytes = spake.start()
        """What the other side needs first."""
        self._keys: tuple[bytes, AESGCM] | None = None

    def agree(self, message: bytes) -> None:
        """Take the first message of the other side.

        :raises WrongTicketError: if it is none.
        """
        # Imported here: only who uses a ticket needs it.
        from cryptography.hazmat.primitives.ciphers.aead import AESGCM
        from cryptography.hazmat.primitives.hashes import SHA256
        from cryptography.hazmat.primitives.kdf.hkdf import HKDF
        from spake2 import SPAKEError
        from spake2.ed25519_basic import NotOnCurve

        try:
            if len(message) != _MESSAGE_BYTES:
                raise ValueError
            shared = self._spake.finish(message)
        except (SPAKEError, NotOnCurve, ValueError, AssertionError):
            raise WrongTicketError from None
        both = HKDF(SHA256(), 2 * _KEY_BYTES, None, _TABLE + _HALL).derive(shared)
        self._keys = both[:_KEY_BYTES], AESGCM(both[_KEY_BYTES:])

    @property
    def proof(self) -> bytes:
        """What shows the hall that the table knows the ticket. It helps nobody to guess it."""
        assert self._keys is not None
        return hmac.digest(self._keys[0], _TABLE + self.table.encode(), "sha256")


class TableSide(_Side):
    """The side of ``table``, which knows the ``digits``."""

    def __init__(self, digits: str, table: str) -> None:
        from spake2 import SPAKE2_A

        super().__init__(SPAKE2_A(digits.encode(), _TABLE, _HALL + table.encode()), table)

    def opened(self, sealed: bytes) -> bytes:
        """What the hall has sealed.

        :raises WrongTicketError: if it was not the hall that showed the ticket.
        """
        from cryptography.exceptions import InvalidTag

        assert self._keys is not None
        try:
            return self._keys[1].decrypt(_NONCE, sealed, self.table.encode())
        except InvalidTag:
            raise WrongTicketError from None


class HallSide(_Side):
    """The side of the hall that has shown the ``digits`` for ``table``."""

    def __init__(self, digits: str, table: str) -> None:
        from spake2 import SPAKE2_B

        super().__init__(SPAKE2_B(digits.encode(), _TABLE, _HALL + table.encode()), table)

    def sealed(self, proof: bytes, content: bytes) -> bytes:
        """``content`` for the table that has given this ``proof``, and for nobody else.

        :raises WrongTicketError: if it does not know the ticket.
        """
        assert self._keys is not None
        if not hmac.compare_digest(proof, self.proof):
            raise WrongTicketError
        return self._keys[1].encrypt(_NONCE, content, self.table.encode())
