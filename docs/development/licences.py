"""Write licences.md here: each locked package, its licence, and what it contains of others.

    python docs/development/licences.py

The licences are in ``licences.toml``; :func:`declared` is what an installed package states.
"""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from fnmatch import fnmatchcase
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "docs" / "development" / "licences.toml"
PAGE = ROOT / "docs" / "development" / "licences.md"

INTRODUCTION = """\
# Licences of all packages

`make docs` writes this page from `docs/development/licences.toml`. BlindPlay is GPL-3.0-or-later,
like python-chess. The licences of all other packages allow this: they are permissive, or MPL-2.0 or
LGPL. BlindPlay contains no file of these packages; pip downloads them, in the versions and with the
SHA-256 sums in `locks`.

The built-in speech models belong to BlindPlay ([models/README.md](../../models/README.md)). The
models that `blindplay models install` downloads have licences of their own. The command
shows them before it downloads.
"""

COMPATIBLE = frozenset(
    {
        "0BSD", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "GPL-3.0-or-later", "ISC",
        "MIT", "MIT-0", "MPL-2.0", "PSF-2.0", "Zlib",
    }
)  # fmt: skip
"""The licences that allow distribution with a program under GPL-3.0-or-later."""

_SAID = {
    "MIT License": "MIT",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Apache Software License": "Apache-2.0",
    "GNU General Public License v3 or later (GPLv3+)": "GPL-3.0-or-later",
    "Python Software Foundation License": "PSF-2.0",
    "BSD License": "BSD",
}


def locked(name: str) -> dict[str, tuple[str, ...]]:
    """The versions that ``locks/NAME.txt`` names, by package."""
    text = (ROOT / "locks" / f"{name}.txt").read_text("utf-8")
    found: defaultdict[str, list[str]] = defaultdict(list)
    for package, version in re.findall(r"^([\w.-]+)==([^\s;]+)", text, re.MULTILINE):
        if version not in found[package]:
            found[package].append(version)
    return {package: tuple(versions) for package, versions in found.items()}


def everything() -> dict[str, tuple[str, ...]]:
    """The versions of all locked packages."""
    locks = ("build", "extras", "packages", "reader", "uv")
    return dict(sorted({name: at for lock in locks for name, at in locked(lock).items()}.items()))


def licences() -> dict[str, str]:
    """Licences by package; a * in a name matches anything."""
    return dict(tomllib.loads(DATA.read_text("utf-8"))["licences"])


def licence(package: str) -> str | None:
    """The licence of a package. None if ``docs/development/licences.toml`` has none."""
    fitting = (said for name, said in licences().items() if fnmatchcase(package, name))
    return next(fitting, None)


def declared(package: str) -> str | None:
    """The licence that an installed package states, in SPDX. "BSD" if it does not say which BSD
    licence; None if the package is not installed or states nothing clear."""
    try:
        about = metadata.metadata(package)
    except metadata.PackageNotFoundError:
        return None
    if "License-Expression" in about:
        return str(about["License-Expression"])
    classes = [line.split(" :: ")[-1] for line in about.get_all("Classifier") or ()]
    return next((_SAID[name] for name in classes if name in _SAID), None)


def page() -> str:
    """The page."""
    brings: dict[str, str] = tomllib.loads(DATA.read_text("utf-8"))["brings"]
    rows = []
    families: set[str] = set()
    for package, versions in everything().items():
        name = package
        if package.startswith("pyobjc-framework-"):
            name = "pyobjc-framework-*"
            if name in families:
                continue
            families.add(name)
        said = licence(package) or "unknown"
        rows.append(f"| {name} | {', '.join(versions)} | {said} | {brings.get(package, '')} |")
    head = ["| package | versions | licence | contains |", "|---|---|---|---|"]
    return "\n".join([INTRODUCTION, *head, *rows, ""])


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8", newline="\n")
    for missing in (name for name in everything() if licence(name) is None):
        print(f"{missing}: write its licence into {DATA}; it says {declared(missing)}.")
