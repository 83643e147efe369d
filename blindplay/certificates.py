"""Certificates that BlindPlay makes (X.509, RFC 5280).

For pages: devices trust an *authority*. It certifies one or several *issuers*, and its own key is
deleted at once, so nobody can certify another one. The key of an issuer stays on one machine, which
certifies with it the certificates of its server as they are needed. Authority and issuer are
limited to names and addresses (4.2.1.10). Some systems do not look at the limits of what people
trust themselves; they look at those of the issuer.

:mod:`cryptography` is imported only where a certificate is made or read.
"""

import datetime
import hashlib
import ipaddress
import re
import ssl
import tempfile
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from cryptography import x509
    from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey

# A machine whose time of day is wrong must get in.
ALWAYS = datetime.datetime(2000, 1, 1), datetime.datetime(2100, 1, 1)
_BUILT = datetime.datetime(2026, 11, 30)  # no clock that is right shows an earlier time
AUTHORITY = datetime.timedelta(days=3650)
"""How long an authority for pages holds."""
_MARGIN = datetime.timedelta(days=400)  # Apple's systems refuse more than 825 days in all
_PRIVATE = (
    "127.0.0.0/8", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "169.254.0.0/16",
    "::1/128", "fc00::/7", "fe80::/10",
)  # fmt: skip
"""Addresses that no machine on the internet has (RFC 1918, 3927, 4193, 4291)."""
_LABEL = "[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})+")
_PART = re.compile("-----BEGIN ([A-Z ]+)-----.*?-----END \\1-----\n?", re.DOTALL)
_COMMON_NAME = 64  # characters at most


def now() -> datetime.datetime:
    """The time of day in UTC, as certificates have it. A clock that cannot be right is put
    forward."""
    return max(datetime.datetime.now(datetime.UTC).replace(tzinfo=None), _BUILT)


def clock_is_wrong() -> bool:
    """Return whether this machine's clock shows a time before this program was made."""
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None) < _BUILT


def new_key() -> "EllipticCurvePrivateKey":
    from cryptography.hazmat.primitives.asymmetric import ec

    return ec.generate_private_key(ec.SECP256R1())


def key_in_pem(key: "EllipticCurvePrivateKey") -> str:
    """A private key, without a password."""
    from cryptography.hazmat.primitives import serialization as forms

    plain = forms.NoEncryption()
    return key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, plain).decode()


def in_pem(certificate: "x509.Certificate") -> str:
    from cryptography.hazmat.primitives.serialization import Encoding

    return certificate.public_bytes(Encoding.PEM).decode()


def certify(
    subject: str,
    key: "EllipticCurvePrivateKey",
    by: "tuple[x509.Name, EllipticCurvePrivateKey] | None" = None,
    *,
    certifies: int | None = None,
    limits: "x509.NameConstraints | None" = None,
    hosts: Sequence[str] = (),
    valid: tuple[datetime.datetime, datetime.datetime] = ALWAYS,
    serves: bool = False,
) -> "x509.Certificate":
    """The certificate of ``key``, signed ``by`` another one, or by itself.

    ``certifies``: how many authorities may follow below it; None: it certifies nothing. ``limits``:
    what it may certify; None: everything. ``hosts``: the names and addresses of a server.
    ``serves``: it is for servers of pages only.
    """
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes

    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject[:_COMMON_NAME])])
    issuer, signs = by or (name, key)
    chain = x509.AuthorityKeyIdentifier.from_issuer_public_key(signs.public_key())
    made = (
        x509.CertificateBuilder(
            issuer_name=issuer,
            subject_name=name,
            public_key=key.public_key(),
            serial_number=x509.random_serial_number(),
            not_valid_before=valid[0],
            not_valid_after=valid[1],
        )
        .add_extension(
            x509.BasicConstraints(ca=certifies is not None, path_length=certifies), critical=True
        )
        .add_extension(_use(certifies=certifies is not None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(chain, critical=False)
    )
    if serves:
        use = x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH])
        made = made.add_extension(use, critical=False)
    if limits is not None:
        made = made.add_extension(limits, critical=True)
    if hosts:
        names = x509.SubjectAlternativeName(list(map(_subject_name, hosts)))
        made = made.add_extension(names, critical=False)
    return made.sign(signs, hashes.SHA256())


def _use(*, certifies: bool) -> "x509.KeyUsage":
    from cryptography import x509

    return x509.KeyUsage(
        digital_signature=not certifies, key_cert_sign=certifies, crl_sign=certifies,
        content_commitment=False, key_encipherment=False, data_encipherment=False,
        key_agreement=False, encipher_only=False, decipher_only=False,
    )  # fmt: skip


def _subject_name(host: str) -> "x509.GeneralName":
    from cryptography import x509

    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)


def address_in(host: str) -> str:
    """The address that ``host`` is, in its usual form; empty if it is none. An IPv4 address in an
    IPv6 one is that IPv4 address."""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return ""
    return str(getattr(address, "ipv4_mapped", None) or address)


def name_in(host: str) -> str:
    """The name in the internet or in a network that ``host`` is, in small letters; empty if it is
    none. It has a dot: a limit to a word holds for all names that end with it."""
    try:
        name = host.strip().rstrip(".").lower().encode("idna").decode()
    except UnicodeError:
        return ""
    fits = len(name) <= 253 and _NAME.fullmatch(name) and not name.rpartition(".")[2].isdigit()
    return name if fits and host.isprintable() else ""


def new_issuers(
    title: str,
    names: Iterable[str],
    addresses: Iterable[str] = (),
    count: int = 1,
    lasts: datetime.timedelta = AUTHORITY,
) -> "list[Issuer]":
    """A new authority's issuers, for ``names`` and all names below them, for private addresses and
    for these ``addresses``. ``title`` is what people read in their device's list.

    :raises ValueError: if one of ``addresses`` is none.
    """
    from cryptography import x509

    private = [ipaddress.ip_network(one) for one in _PRIVATE]
    hosts = map(ipaddress.ip_address, dict.fromkeys(addresses))
    others = [ipaddress.ip_network(one) for one in hosts if not any(one in net for net in private)]
    limits = x509.NameConstraints(
        permitted_subtrees=[
            *map(x509.DNSName, dict.fromkeys(("localhost", *names))),
            *map(x509.IPAddress, [*private, *others]),
        ],
        excluded_subtrees=None,
    )
    valid = ALWAYS[0], now() + lasts
    own = new_key()
    authority = certify(title, own, certifies=1, limits=limits, valid=valid, serves=True)
    issuers = []
    for number in range(1, count + 1):
        key = new_key()
        issued = certify(
            f"{title[: _COMMON_NAME - 10]}, pages {number}",
            key,
            (authority.subject, own),
            certifies=0,
            limits=limits,
            valid=valid,
            serves=True,
        )
        issuers.append(Issuer(in_pem(authority), in_pem(issued), key_in_pem(key)))
    return issuers


@dataclass(frozen=True)
class Issuer:
    """What certifies a machine's pages, in PEM: the ``authority`` that devices trust, its
    ``certificate`` for this issuer, and this issuer's private ``key``."""

    authority: str
    certificate: str
    key: str = field(repr=False)

    @classmethod
    def read(cls, text: str) -> Self:
        """The issuer that :meth:`text` has written.

        :raises ValueError: if it is damaged, or its parts do not belong together.
        """
        found = {kind: list[str]() for kind in ("PRIVATE KEY", "CERTIFICATE")}
        for part in _PART.finditer(text):
            found.setdefault(part[1], []).append(part[0].rstrip("\n") + "\n")
        (key,), (certificate, authority) = found["PRIVATE KEY"], found["CERTIFICATE"]
        issuer = cls(authority, certificate, key)
        issuer._check()
        return issuer

    @property
    def text(self) -> str:
        return self.key + self.certificate + self.authority

    def _check(self) -> None:
        from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
        from cryptography.x509 import ExtensionNotFound

        try:
            self._authority.verify_directly_issued_by(self._authority)
            self._issued.verify_directly_issued_by(self._authority)
            whole = self._key.public_key() == self._issued.public_key() and self._limits
        except (InvalidSignature, ExtensionNotFound, UnsupportedAlgorithm, TypeError):
            whole = False
        if not whole:
            raise ValueError("its parts do not belong together")

    @cached_property
    def _authority(self) -> "x509.Certificate":
        from cryptography import x509

        return x509.load_pem_x509_certificate(self.authority.encode())

    @cached_property
    def _issued(self) -> "x509.Certificate":
        from cryptography import x509

        return x509.load_pem_x509_certificate(self.certificate.encode())

    @cached_property
    def _key(self) -> "EllipticCurvePrivateKey":
        from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
        from cryptography.hazmat.primitives.serialization import load_pem_private_key

        key = load_pem_private_key(self.key.encode(), None)
        if not isinstance(key, EllipticCurvePrivateKey):
            raise ValueError("the key is of another kind")
        return key

    @property
    def title(self) -> str:
        """The authority's name in the lists of devices."""
        return str(next(iter(self._authority.subject)).value)

    @property
    def der(self) -> bytes:
        """The authority's certificate in DER, as devices read it."""
        return ssl.PEM_cert_to_DER_cert(self.authority)

    @property
    def fingerprint(self) -> str:
        """The SHA-256 of the authority's certificate, in pairs of digits, as devices show it."""
        return hashlib.sha256(self.der).digest().hex(" ").upper()

    @property
    def until(self) -> datetime.datetime:
        """The end of the authority and of this issuer, in UTC."""
        ends = (one.not_valid_after_utc for one in (self._authority, self._issued))
        return min(ends).replace(tzinfo=None)

    @property
    def is_over(self) -> bool:
        return now() > self.until

    @cached_property
    def _limits(self) -> "list[x509.GeneralName]":
        from cryptography import x509

        found = self._issued.extensions.get_extension_for_class(x509.NameConstraints)
        return list(found.value.permitted_subtrees or ())

    def names(self) -> list[str]:
        """The names for which it can certify, and with each all names below it."""
        from cryptography import x509

        return [one.value for one in self._limits if isinstance(one, x509.DNSName)]

    def hosts(self) -> list[str]:
        """These names, and the addresses for which it can certify besides the private ones."""
        networks = [str(one.value) for one in self._limits if str(one.value) not in self.names()]
        usual = [str(ipaddress.ip_network(one)) for one in _PRIVATE]
        return self.names() + [one.partition("/")[0] for one in networks if one not in usual]

    def permits(self, host: str) -> bool:
        """Return whether devices accept a certificate of this issuer for a name or an address."""
        from cryptography import x509

        if address := address_in(host):
            networks = (one.value for one in self._limits if isinstance(one, x509.IPAddress))
            found = ipaddress.ip_address(address)
            return any(
                isinstance(one, ipaddress.IPv4Network | ipaddress.IPv6Network) and found in one
                for one in networks
            )
        host = host.lower()
        return any(host == name or host.endswith(f".{name}") for name in self.names())

    def certified(self, hosts: Collection[str]) -> "list[str]":
        """Of names and addresses, those for which it certifies, in their usual form."""
        usual = dict.fromkeys(address_in(host) or host.lower() for host in hosts)
        return [host for host in usual if self.permits(host)]

    def context(self, hosts: Collection[str]) -> ssl.SSLContext:
        """The TLS settings of a server with a new certificate for ``hosts``, as far as this issuer
        certifies for them. It holds from 400 days ago until in 400 days, because this machine's
        clock may be wrong.

        :raises OSError: if no temporary file can be written: Python's TLS reads only files.
        """
        key, time = new_key(), now()
        own = certify(
            "BlindPlay",
            key,
            (self._issued.subject, self._key),
            hosts=self.certified(hosts),
            valid=(time - _MARGIN, time + _MARGIN),
            serves=True,
        )
        return server_context(in_pem(own) + self.certificate, key_in_pem(key))


def server_context(chain: str, key: str) -> ssl.SSLContext:
    """The TLS settings of a server with this certificate, followed by those above it, and its key,
    all in PEM.

    :raises OSError: if no temporary file can be written: Python's TLS reads only files.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    with tempfile.TemporaryDirectory(prefix="blindplay-") as folder:
        file = Path(folder, "own.pem")  # nobody else can read the folder
        file.write_text(chain + key, "ascii")
        context.load_cert_chain(file)
    return context
