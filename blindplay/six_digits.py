"""Two sides that know the same six digits agree on keys: SPAKE2.

Somebody who records an ordinary exchange could try all six digits on the recording. Here a listener
learns nothing about them, and an impostor can try one guess in each exchange.
"""

import hmac
import secrets
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

_NONCE_BYTES = 12
_KEY_BYTES = 32
_MESSAGE_BYTES = 33


class WrongDigitsError(ValueError):
    """The other side does not know the six digits."""


def six_digits() -> str:
    """New digits by chance."""
    return f"{secrets.randbelow(1_000_000):06}"


class DigitsSide:
    """One side of one exchange. It can be used once.

    ``names`` are those of both sides, the same at both; ``first``: this is the side with the first
    name. ``purpose`` keeps the keys of different uses apart.
    """

    def __init__(
        self, digits: str, names: tuple[bytes, bytes], purpose: bytes, *, first: bool
    ) -> None:
        # Imported here: only users of digits need it.
        from spake2 import SPAKE2_A, SPAKE2_B

        self._spake = (SPAKE2_A if first else SPAKE2_B)(digits.encode(), *names)
        self._purpose = purpose
        self.message: bytes = self._spake.start()
        """The message that the other side needs first."""
        self._keys: tuple[bytes, AESGCM] | None = None

    def agree(self, message: bytes) -> None:
        """Take ``message``, the first one of the other side.

        :raises WrongDigitsError: if ``message`` is invalid.
        """
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
            raise WrongDigitsError from None
        both = HKDF(SHA256(), 2 * _KEY_BYTES, None, self._purpose).derive(shared)
        self._keys = both[:_KEY_BYTES], AESGCM(both[_KEY_BYTES:])

    def shows(self, what: bytes) -> bytes:
        """The proof for the other side that this one knows the digits. It helps nobody to guess."""
        assert self._keys is not None
        return hmac.digest(self._keys[0], what, "sha256")

    def seal(self, content: bytes, about: bytes, number: int = 0) -> bytes:
        """``content`` for the other side only. Each message of an exchange has a ``number``."""
        assert self._keys is not None
        return self._keys[1].encrypt(number.to_bytes(_NONCE_BYTES), content, about)

    def unseal(self, sealed: bytes, about: bytes, number: int = 0) -> bytes:
        """Return the content that the other side has sealed.

        :raises WrongDigitsError: if it does not know the digits.
        """
        from cryptography.exceptions import InvalidTag

        assert self._keys is not None
        try:
            return self._keys[1].decrypt(number.to_bytes(_NONCE_BYTES), sealed, about)
        except (InvalidTag, ValueError):
            raise WrongDigitsError from None
