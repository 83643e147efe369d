"""The plain page that gives the certificate of an authority, with the steps for each device.

It is all that a plain call gets from a server with an issuer, and needs neither a script nor a
link. The page is not encrypted. Somebody who changes the certificate on its way could change a
fingerprint, too, so only the computer at the table tells it.
"""

import plistlib
import uuid
from collections.abc import Collection

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from . import assets, views
from .encryption import IssuedCertificate
from .limits import PLAIN_TOO
from .messages import LANGUAGES, catalogue
from .public import ReaderLimits
from .sign_in import guarded

PATH = "/certificate"
_PROFILE, _FILE = f"{PATH}/blindplay.mobileconfig", f"{PATH}/blindplay.crt"
_ANDROID = f"{PATH}/android/blindplay.crt"


class TrustPages:
    """The application ``app`` for encrypted calls, and the page for plain ones. The page is also at
    ``/certificate`` of encrypted ones."""

    def __init__(self, app: ASGIApp, issued: IssuedCertificate, hosts: Collection[str]) -> None:
        self._app, self._issued = app, issued
        limits = ReaderLimits()
        routes = [
            Route(_PROFILE, limits.limited(self._profile)),
            Route(_FILE, limits.limited(self._file)),
            Route(_ANDROID, limits.limited(self._for_android)),
            Route("/static/{digest}/{name}", assets.serve),
            Route("/{rest:path}", limits.limited(self._page)),
        ]
        self._pages: Starlette = guarded(routes, hosts, lambda request: True)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope[PLAIN_TOO] = True
        encrypted = scope.get("scheme") in ("https", "wss")
        own = f"{scope.get('path', '')}/".startswith(f"{PATH}/")
        await (self._app if encrypted and not own else self._pages)(scope, receive, send)

    def _page(self, request: Request, language: str) -> Response:
        issuer, language = self._issued.issuer, _chosen(request, language)
        page = views.render(
            "trust.html",
            language,
            name=issuer.title,
            names=", ".join(issuer.hosts()),
            command=f"blindplay certificate{'' if self._issued.kept else ' --hall table-1.toml'}",
            encrypted=f"https://{request.headers.get('host', '')}/",
            profile=f"{_PROFILE}?language={language}",
            file=_FILE,
            for_android=_ANDROID,
        )
        known = request.url.path in ("/", PATH, f"{PATH}/")
        return HTMLResponse(page, 200 if known else 404)

    def _profile(self, request: Request, language: str) -> Response:
        """The profile for Apple's devices, in a language: they show its words."""
        issuer, say = self._issued.issuer, catalogue(_chosen(request, language))
        # A profile with the same names takes the place of the one before.
        of_machine = f"blindplay.{issuer.title.rpartition(' ')[0].encode().hex()}"

        def part(kind: str, name: str, **more: object) -> dict[str, object]:
            identifier = f"{of_machine}.{kind.rpartition('.')[2]}"
            return {
                "PayloadType": kind,
                "PayloadVersion": 1,
                "PayloadIdentifier": identifier,
                "PayloadUUID": str(uuid.uuid5(uuid.NAMESPACE_OID, identifier)).upper(),
                "PayloadDisplayName": name,
                "PayloadDescription": say["trust_profile"],
                **more,
            }

        root = part(
            "com.apple.security.root", issuer.title,
            PayloadCertificateFileName="blindplay.crt", PayloadContent=issuer.der,
        )  # fmt: skip
        whole = part(
            "Configuration", issuer.title, PayloadOrganization="BlindPlay",
            PayloadRemovalDisallowed=False, PayloadContent=[root],
        )  # fmt: skip
        return Response(plistlib.dumps(whole), media_type="application/x-apple-aspen-config")

    def _file(self, request: Request, language: str) -> Response:
        """The file for computers. Of this kind, Firefox asks at once whether to trust it."""
        return Response(self._issued.issuer.der, media_type="application/x-x509-ca-cert")

    def _for_android(self, request: Request, language: str) -> Response:
        """The file for Android: its browsers hand one of the kind above to a part of the system
        that refuses it, and keep nothing. The settings read it from the downloads."""
        headers = {"content-disposition": 'attachment; filename="blindplay.crt"'}
        return Response(self._issued.issuer.der, 200, headers, "application/octet-stream")


def _chosen(request: Request, language: str) -> str:
    """The language that a link of the page names, else that of the browser."""
    wanted = request.query_params.get("language", "")
    return wanted if wanted in LANGUAGES else language
