"""The files that no game changes: styles, scripts and drawings of pieces.

A browser keeps them for good, for their addresses hold a digest of all of them. The digest comes
first, as a folder, so that scripts and styles name each other relative to themselves.
"""

import base64
import functools
import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from blindplay.speech.audio import wav

from .pieces import drawing, drawings

PIECES = "pieces.svg"
"""All drawings in one file: ``pieces.svg#white-knight`` shows one of them."""
ICON = "icon.svg"
SILENCE = "silence.wav"
"""A second of silence. While a page plays it, a headset's button is the page's."""
SILENT_RATE = 8000

_MEDIA = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml", "wav": "audio/wav"}
# The forms of the lines by which the scripts share their names.
_IMPORT = re.compile(r'(import|export) (?:\{([^}]*)\} from )?"\./([a-z_]+)\.js";')
_EXPORT = re.compile(r"export (async function|function|const) (\w+)")
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_FOREVER = ",".join(("public", "max-age=31536000", "immutable"))
# python-chess's drawings style their lines; nothing else may be in such a file.
_POLICIES = {"svg": "default-src 'none'; style-src 'unsafe-inline'"}


@functools.cache
def _files() -> Mapping[str, bytes]:
    folder = resources.files(__package__).joinpath("static")
    found = {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}
    made = {PIECES: drawings().encode(), ICON: drawing("white-knight").encode()}
    return {**found, **made, SILENCE: wav(bytes(2 * SILENT_RATE), SILENT_RATE)}


@functools.cache
def digest() -> str:
    """The digest of all files and their names."""
    whole = hashlib.sha256()
    for name, content in sorted(_files().items()):
        whole.update(b"%s %d " % (name.encode(), len(content)) + content)
    return whole.hexdigest()[:16]


def address(*names: str) -> str:
    """The address of a file, or of several styles or scripts in one.

    :raises KeyError: if there is none of a name.
    """
    for name in names:
        if name.partition("#")[0] not in _files():
            raise KeyError(name)
    *others, last = names
    joined = "".join(f"{name.rpartition('.')[0]}+" for name in others)
    return f"/static/{digest()}/{joined}{last}"


@functools.cache
def inline(name: str) -> tuple[str, str]:
    """A script that stands in its page, and the digest by which the page's policy allows it: on a
    slow line the page need not wait for it."""
    lines = map(str.strip, _files()[name].decode().splitlines())
    text = "\n".join(line for line in lines if line and not line.startswith("//"))
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest())
    return text, f"sha256-{digest.decode()}"


@functools.lru_cache(maxsize=64)
def _content(name: str) -> bytes | None:
    """The content at an address; None if there is nothing. ``a+b.css`` are two files in one: on a
    slow line each request costs more than a small file."""
    if "+" not in name:
        return _files().get(name)
    stems, _, kind = name.rpartition(".")
    names = [f"{stem}.{kind}" for stem in stems.split("+")]
    if kind not in ("css", "js") or len({*names} & _files().keys()) < len(names):
        return None
    return "\n".join(_styles(names) if kind == "css" else _scripts(names)).encode()


def _styles(names: Sequence[str]) -> Iterator[str]:
    for name in names:
        text = _COMMENT.sub("", _files()[name].decode())
        text = "\n".join(filter(None, map(str.strip, text.splitlines())))
        yield f"@media print {{\n{text}\n}}" if name == "print.css" else text


def _scripts(names: Sequence[str]) -> Iterator[str]:
    """Modules, each after those that it imports. Each becomes a function that gives its exports."""
    done = set[str]()

    def put(name: str) -> Iterator[str]:
        if name in done:
            return
        done.add(name)
        body, exports = list[str](), list[str]()
        for line in map(str.strip, _files()[name].decode().splitlines()):
            if found := _IMPORT.fullmatch(line):
                does, taken, other = found.groups()
                yield from put(f"{other}.js")
                if does == "export":
                    exports += (
                        f"{one.strip()}: ${other}.{one.strip()}" for one in taken.split(",")
                    )
                elif taken:
                    body.append(f"const {{{taken}}} = ${other};")
            elif found := _EXPORT.match(line):
                exports.append(found[2])
                body.append(line.removeprefix("export "))
            elif line and not line.startswith("//"):
                body.append(line)
        body.append(f"return {{ {', '.join(exports)} }};")
        yield f"const ${name.removesuffix('.js')} = (() => {{"
        yield from body
        yield "})();"

    for name in names:
        yield from put(name)


async def serve(request: Request) -> Response:
    """A file; for the digest of another version, the way to that of this one."""
    name = request.path_params["name"]
    content = _content(name)
    if content is None:
        return Response(status_code=404)
    if request.path_params["digest"] != digest():
        return RedirectResponse(f"/static/{digest()}/{name}")
    kind = name.rpartition(".")[2]
    headers = {"cache-control": _FOREVER}
    if kind in _POLICIES:
        headers["content-security-policy"] = _POLICIES[kind]
    return Response(content, media_type=_MEDIA[kind], headers=headers)
