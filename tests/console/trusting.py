"""A browser that trusts one authority besides those of the world: as Chromium on Linux keeps it, in
the database of NSS, whose library comes with Chromium.

``python tests/console/trusting.py FOLDER FILE`` makes the database, in a process of its own.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser


class _Trust(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint) for name in ("ssl", "email", "signing")]


def library() -> str | None:
    """The name of NSS's library, which brings the others; None where there is none."""
    return ctypes.util.find_library("smime3") if sys.platform == "linux" else None


def make_home(folder: Path, authority: bytes) -> Path:
    """Make a home whose user trusts this certificate, in DER, for servers. Return the home."""
    database, file = folder / ".pki" / "nssdb", folder / "authority.der"
    database.mkdir(parents=True)
    file.write_bytes(authority)
    subprocess.run([sys.executable, __file__, str(database), str(file)], check=True)
    return folder


@contextmanager
def trusting(browser: Browser, authority: bytes, home: Path, *more: str) -> Iterator[Browser]:
    """A Chromium that trusts this certificate, in DER, as after the steps of the page about trust,
    with a microphone. It finds example.org and every name of a local network at this machine.
    ``more``: further arguments."""
    import pytest

    from tests.programs import PROGRAMS

    if library() is None:
        pytest.skip("The library of NSS is missing; Debian has it in: libnss3")
    (path,) = PROGRAMS["Chromium"].places()
    names = "--host-resolver-rules=MAP *.local 127.0.0.1, MAP example.org 127.0.0.1"
    microphone = "--use-fake-ui-for-media-stream", "--use-fake-device-for-media-stream"
    own = browser.browser_type.launch(
        executable_path=path,
        args=["--no-sandbox", "--disable-dev-shm-usage", names, *microphone, *more],
        env={**os.environ, "HOME": str(make_home(home, authority))},
    )
    try:
        yield own
    finally:
        own.close()


def _main(folder: str, file: str) -> None:
    nss = ctypes.CDLL(library())
    for name in ("PK11_GetInternalKeySlot", "CERT_DecodeCertFromPackage", "CERT_GetDefaultCertDB"):
        getattr(nss, name).restype = ctypes.c_void_p
    content, trust = Path(file).read_bytes(), _Trust()
    assert nss.NSS_InitReadWrite(f"sql:{folder}".encode()) == 0
    slot = ctypes.c_void_p(nss.PK11_GetInternalKeySlot())
    assert nss.PK11_InitPin(slot, None, None) == 0
    certificate = ctypes.c_void_p(nss.CERT_DecodeCertFromPackage(content, len(content)))
    assert certificate
    assert nss.PK11_ImportCert(slot, certificate, 0, b"authority", 0) == 0
    assert nss.CERT_DecodeTrustString(ctypes.byref(trust), b"C,,") == 0
    known = ctypes.c_void_p(nss.CERT_GetDefaultCertDB())
    assert nss.CERT_ChangeCertTrust(known, certificate, ctypes.byref(trust)) == 0


if __name__ == "__main__":
    _main(*sys.argv[1:])
