"""The certificates of an event's broker: an authority of its own, and its certificates.

The authority's key is deleted at once, so that no second broker of this event can be certified.
"""

import datetime
import ipaddress
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

# A table whose time of day is wrong must get in. The event's end bounds the use of a certificate.
_FROM, _UNTIL = datetime.datetime(2000, 1, 1), datetime.datetime(2100, 1, 1)


class BrokerCertificates(NamedTuple):
    """All in PEM."""

    authority: str
    """The tables and the hall trust it."""
    server: str
    key: str
    """The server's private key, without a password."""


def make_certificates(event: str, hosts: Sequence[str]) -> BrokerCertificates:
    """Certificates for a broker that is reached under ``hosts``, each a name or an address."""
    # Imported here: only the set-up of an event needs it.
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    own, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    ours = x509.SubjectKeyIdentifier.from_public_key(own.public_key())
    issuer = x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(ours)
    authority = (
        _begun(f"Authority of {event}", own, f"Authority of {event}")
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_use(certifies=True), critical=True)
        .add_extension(ours, critical=False)
        .add_extension(issuer, critical=False)
    )
    server = (
        _begun(f"Broker of {event}", key, f"Authority of {event}")
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_use(certifies=False), critical=True)
        .add_extension(issuer, critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.SubjectAlternativeName(list(map(_name, hosts))), critical=False)
    )
    pem = serialization.Encoding.PEM
    private = key.private_bytes(
        pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    signed = [
        one.sign(own, hashes.SHA256()).public_bytes(pem).decode() for one in (authority, server)
    ]
    return BrokerCertificates(signed[0], signed[1], private.decode())


def _begun(subject: str, key: "EllipticCurvePrivateKey", issuer: str) -> "x509.CertificateBuilder":
    from cryptography import x509

    def named(name: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])

    return x509.CertificateBuilder(
        issuer_name=named(issuer),
        subject_name=named(subject),
        public_key=key.public_key(),
        serial_number=x509.random_serial_number(),
        not_valid_before=_FROM,
        not_valid_after=_UNTIL,
    )


def _use(*, certifies: bool) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not certifies, key_cert_sign=certifies, crl_sign=certifies,
        content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _name(host: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
