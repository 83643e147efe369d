"""The browser's data in a request, and the answers to browsers without a session."""

from urllib.parse import parse_qs

from starlette.middleware.gzip import DEFAULT_EXCLUDED_CONTENT_TYPES
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from . import assets, views
from .actions import Form
from .limits import MOST_BYTES, POLICY
from .messages import catalogue, negotiate

_MOST_FIELDS = 40
# Changes of a page repeat most of the page, so they become much smaller, too.
INCOMPRESSIBLE = tuple({*DEFAULT_EXCLUDED_CONTENT_TYPES} - {"text/event-stream"})


def root_of(request: HTTPConnection) -> str:
    """The path under which a server in front of this one offers its pages; empty if none does."""
    return str(request.scope.get("app_root_path", request.scope.get("root_path", "")))


def path_of(request: HTTPConnection) -> str:
    """The path that is asked for, as this server knows it."""
    return request.url.path.removeprefix(root_of(request))


def address_of(request: HTTPConnection) -> str:
    """The address that a request comes from; empty if it is unknown."""
    return request.client.host if request.client else ""


def accepted(request: Request) -> str:
    """The language that the browser asks for."""
    return negotiate(request.headers.get("accept-language", ""))


def wants_json(request: Request) -> bool:
    return "application/json" in request.headers.get("accept", "")


def asks_for_link(
    request: Request, key: str = "", status: int = 200, words: str = "enter"
) -> Response:
    """The page that asks for a link; ``key`` is that of the reason. ``words`` is the
    beginning of the keys of its sentences."""
    language = accepted(request)
    why = catalogue(language)[key] if key else ""
    script, digest = assets.inline("enter.js")
    root = root_of(request)
    page = views.render("enter.html", language, why=why, words=words, script=script, root=root)
    policy = POLICY.replace("script-src 'self'", f"script-src 'self' '{digest}'")
    return HTMLResponse(page, status, {"content-security-policy": policy})


def trouble_page(request: Request, key: str, status: int, language: str = "") -> Response:
    """A refusal in words: a page, or JSON for a script."""
    if path_of(request) == "/":
        return asks_for_link(request, key, status)  # a right link opens the page even then
    language = language or accepted(request)
    why = catalogue(language)[key]
    if wants_json(request):
        return JSONResponse({"refused": True, "said": [why]}, status_code=status)
    return HTMLResponse(views.render("trouble.html", language, why=why), status_code=status)


async def form_of(request: Request) -> Form:
    """The fields of a posted form; none if there are too many."""
    return fields_of((await request.body()).decode("utf-8", "replace"), blank=True) or {}


def fields_of(text: str, *, blank: bool = False) -> dict[str, list[str]] | None:
    """The fields of an encoded form; None if there are more than any page has."""
    try:
        return parse_qs(text[:MOST_BYTES], keep_blank_values=blank, max_num_fields=_MOST_FIELDS)
    except ValueError:
        return None
