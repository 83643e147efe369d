"""Files that come with BlindPlay besides its modules: models, guides, tested versions."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(installed: str, source: str | None = None) -> Path:
    """Return the path of a file or folder that comes with BlindPlay.

    A wheel holds it inside the package, at ``installed``. A source tree holds it beside the
    package, at ``source``, or at ``installed`` if ``source`` is not given. If neither is there,
    the path returned does not exist.
    """
    inside = _PACKAGE / installed
    return inside if inside.exists() else _PACKAGE.parent / (source or installed)
