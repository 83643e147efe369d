"""The certificates by which two tables know each other for the whole of a game.

Each table makes one for itself. They are exchanged with the six digits, and kept beside the
journal, so a game that goes on needs no digits.
"""

import datetime
import json
import ssl
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Self

from blindplay.record import files

ENDING = ".distant"
"""Of the file beside the journal."""
# A table whose time of day is wrong must get in; the game bounds the use.
_FROM, _UNTIL = datetime.datetime(2000, 1, 1), datetime.datetime(2100, 1, 1)


class NoKeysError(ValueError):
    """Nothing is kept by which the other table of a game would know this one."""


@dataclass(frozen=True)
class Keys:
    """This table's certificate with its key, and the other table's certificate; all in PEM."""

    own: str
    key: str
    other: str = ""

    @classmethod
    def new(cls) -> Self:
        """A certificate that certifies itself, and is known to nobody yet."""
        # Imported here: only a distant table needs it.
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec

        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "BlindPlay table")])
        certificate = x509.CertificateBuilder(
            issuer_name=name,
            subject_name=name,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=_FROM,
            not_valid_after=_UNTIL,
        ).sign(key, hashes.SHA256())
        pem = serialization.Encoding.PEM
        private = key.private_bytes(
            pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        return cls(certificate.public_bytes(pem).decode(), private.decode())

    def knowing(self, other: str) -> Self:
        """These keys with the certificate of the other table."""
        return replace(self, other=other)

    def context(self, folder: Path, *, server: bool) -> ssl.SSLContext:
        """What lets only the other table in. ``folder`` is for a file that is read at once.

        :raises ssl.SSLError: if the other's certificate is none.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER if server else ssl.PROTOCOL_TLS_CLIENT)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.check_hostname = False  # the certificate is the other table's, wherever it is
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(cadata=self.other)
        path = folder / "own.pem"
        files.write_new(path, (self.own + self.key).encode())
        try:
            context.load_cert_chain(path)
        finally:
            path.unlink()
        return context


def keep(journal: Path, keys: Keys) -> None:
    """Keep ``keys`` beside ``journal``, for its user only.

    :raises OSError: if they cannot be written.
    """
    journal.parent.mkdir(parents=True, exist_ok=True)
    files.write_new(files.beside(journal, ENDING), json.dumps(asdict(keys)).encode())


def kept(journal: Path) -> Keys:
    """The keys of the game in ``journal``.

    :raises NoKeysError: one sentence, if they cannot be read.
    """
    path = files.beside(journal, ENDING)
    try:
        return Keys(**json.loads(path.read_text("utf-8")))
    except (OSError, ValueError, TypeError):
        raise NoKeysError(
            f"{path} cannot be read, so the other table would not know this one; put the file "
            "back, or begin another game without --resume."
        ) from None
