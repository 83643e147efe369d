"""The certificates by which two tables know each other for the whole of a game.

Each table makes one for itself. They are exchanged with the six digits.
"""

import datetime
import ssl
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Self

from blindplay.record import files

# A table whose time of day is wrong must get in; the game bounds the use.
_FROM, _UNTIL = datetime.datetime(2000, 1, 1), datetime.datetime(2100, 1, 1)


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
        name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "blindplay")])
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
        """The TLS settings that let only the other table in. ``folder`` is for a temporary file.

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
