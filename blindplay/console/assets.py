"""The files that no game changes: styles, scripts and drawings of pieces.

A browser keeps them for good, for their addresses hold a digest of all of them. The digest comes
first, as a folder, so that scripts and styles name each other relative to themselves.
"""

import functools
import hashlib
from collections.abc import Mapping
from importlib import resources

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from .pieces import drawing, drawings

PIECES = "pieces.svg"
"""All drawings in one file: ``pieces.svg#white-knight`` shows one of them."""
ICON = "icon.svg"

_MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOREVER = ",".join(("public", "max-age=31536000", "immutable"))
# python-chess's drawings style their lines; nothing else may be in such a file.
_POLICIES = {"svg": "default-src 'none'; style-src 'unsafe-inline'"}


@functools.cache
def _files() -> Mapping[str, bytes]:
    folder = resources.files(__package__).joinpath("static")
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    return {**found, PIECES: drawings().encode(), ICON: drawing("white-knight").encode()}


@functools.cache
def digest() -> str:
    """The digest of all files and their names."""
    whole = hashlib.sha256()
    for name, content in sorted(_files().items()):
        whole.update(b"%s %d " % (name.encode(), len(content)) + content)
    return whole.hexdigest()[:16]


def address(name: str) -> str:
    """The address of a file.

    :raises KeyError: if there is none of that name.
    """
    if name.partition("#")[0] not in _files():
        raise KeyError(name)
    return f"/static/{digest()}/{name}"


async def serve(request: Request) -> Response:
    """A file; for the digest of another version, the way to that of this one."""
    name = request.path_params["name"]
    if name not in _files():
        return Response(status_code=404)
    if request.path_params["digest"] != digest():
        return RedirectResponse(address(name))
    kind = name.rpartition(".")[2]
    headers = {"cache-control": _FOREVER}
    if kind in _POLICIES:
        headers["content-security-policy"] = _POLICIES[kind]
    return Response(_files()[name], media_type=_MEDIA[kind], headers=headers)
