"""Optional packages, and the command that installs them here.

BlindPlay may be installed in a clone, from a wheel, by pipx or uv, or in the system's Python. A
remedy names the command that works for the installation in which the program runs.
"""

import re
import sys
import sysconfig
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

_PLAIN = re.compile(r"[\w./:\\=+-]+")


def install_command(extra: str) -> str:
    """Return the command that installs the packages of ``extra`` beside this BlindPlay, for a shell
    of any system.

    :raises KeyError: the package has no such extra
    """
    packages = [
        requirement.partition(";")[0].strip()
        for requirement in metadata.requires("blindplay") or ()
        if re.search(rf"extra\s*==\s*[\"']{extra}[\"']", requirement)
    ]
    if not packages:
        raise KeyError(extra)
    return " ".join(
        part if _PLAIN.fullmatch(part) else f'"{part}"' for part in [*_installer(), *packages]
    )


def _installer() -> list[str]:
    """The command up to the names of the packages."""
    if Path(sys.prefix, "pipx_metadata.json").exists():
        return ["pipx", "inject", "blindplay"]
    if find_spec("pip") is None or Path(sys.prefix, "uv-receipt.toml").exists():
        return ["uv", "pip", "install", "--python", sys.executable]
    command = [sys.executable, "-m", "pip", "install"]
    # Such a system refuses pip without these words, and BlindPlay itself came there with them.
    marker = Path(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix == sys.base_prefix and marker.exists():
        command += ["--user", "--break-system-packages"]
    return command
