"""The exchange that gives a table with six digits its file (:mod:`blindplay.six_digits`).

The file travels encrypted with the key that both sides have agreed on; it holds the certificate by
which the table knows the broker. So the exchange needs no certificate.
"""

import hmac

from blindplay.six_digits import DigitsSide, WrongDigitsError

OPEN, BEGIN, FILE = "/ticket/open", "/ticket/begin", "/ticket/file"
"""Addresses of the three steps; docs/hall-protocol.md describes them."""
_TABLE, _HALL = b"blindplay table 1", b"blindplay hall 1 "


class _TicketSide(DigitsSide):
    def __init__(self, digits: str, table: str, *, first: bool) -> None:
        names = _TABLE, _HALL + table.encode()
        super().__init__(digits, names, _TABLE + _HALL, first=first)
        self.table = table

    @property
    def proof(self) -> bytes:
        """The proof for the hall that the table knows the ticket."""
        return self.shows(_TABLE + self.table.encode())


class TableSide(_TicketSide):
    """The side of ``table``, which knows the ``digits``."""

    def __init__(self, digits: str, table: str) -> None:
        super().__init__(digits, table, first=True)

    def opened(self, sealed: bytes) -> bytes:
        """Return the content that the hall has sealed.

        :raises WrongDigitsError: if another hall than that of the ticket has sealed it.
        """
        return self.unseal(sealed, self.table.encode())


class HallSide(_TicketSide):
    """The side of the hall that has shown the ``digits`` for ``table``."""

    def __init__(self, digits: str, table: str) -> None:
        super().__init__(digits, table, first=False)

    def sealed(self, proof: bytes, content: bytes) -> bytes:
        """Return ``content``, readable only for the table that has given this ``proof``.

        :raises WrongDigitsError: if it does not know the ticket.
        """
        if not hmac.compare_digest(proof, self.proof):
            raise WrongDigitsError
        return self.seal(content, self.table.encode())
