"""The remedy for a missing package works in the installation that names it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

from blindplay.extras import install_command
from tests import ROOT

_UV = shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def _installed(folder: Path, *, pip: bool, marker: str = "") -> Path:
    """Put BlindPlay into an environment of its own, and return its Python."""
    venv.create(folder, with_pip=pip)
    windows = os.name == "nt"
    python = folder / ("Scripts/python.exe" if windows else "bin/python")
    (library,) = folder.glob("Lib/site-packages" if windows else "lib/*/site-packages")
    (library / "clone.pth").write_text(f"{ROOT}\n", "utf-8")
    about = library / f"blindplay-{metadata.version('blindplay')}.dist-info"
    about.mkdir()
    text = metadata.distribution("blindplay").read_text("METADATA")
    assert text is not None
    (about / "METADATA").write_text(text, "utf-8")
    if marker:
        (folder / marker).touch()
    return python


def _remedy(python: Path, extra: str) -> str:
    program = f"from blindplay.extras import install_command; print(install_command({extra!r}))"
    ran = subprocess.run([python, "-c", program], capture_output=True, text=True, check=True)
    return ran.stdout.strip()


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    """A folder of packages with one of the extra ``voices``, which holds nothing."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    about = "av-18.0.0.dist-info"
    with zipfile.ZipFile(folder / "av-18.0.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("av.py", "")
        wheel.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: av\nVersion: 18.0.0\n")
        wheel.writestr(
            f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        wheel.writestr(f"{about}/RECORD", "")
    return folder


@pytest.mark.parametrize("kind", ["pip", "uv", "uv tool"])
def test_the_command_installs_the_package_where_blindplay_is(
    tmp_path: Path, wheels: Path, kind: str
) -> None:
    if kind != "pip" and _UV is None:
        pytest.skip("uv is not installed; run: pip install uv")
    # A space in the path is usual on Windows and macOS.
    python = _installed(
        tmp_path / "my games",
        pip=kind == "pip",
        marker="uv-receipt.toml" if kind == "uv tool" else "",
    )
    command = _remedy(python, "voices")
    uv = {"UV_NO_INDEX": "1", "UV_FIND_LINKS": str(wheels), "UV_CACHE_DIR": str(tmp_path / "uv")}
    pip = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(wheels), "PIP_CONFIG_FILE": os.devnull}
    path = os.pathsep.join([str(Path(_UV).parent) if _UV else "", os.environ["PATH"]])
    subprocess.run(command, shell=True, check=True, env={**os.environ, **uv, **pip, "PATH": path})
    subprocess.run([python, "-c", "import av"], check=True)


def test_pipx_puts_the_package_into_its_own_environment_of_blindplay(tmp_path: Path) -> None:
    python = _installed(tmp_path / "blindplay", pip=False, marker="pipx_metadata.json")
    assert _remedy(python, "ble") == 'pipx inject blindplay "bleak<4,>=2"'


def test_a_system_that_guards_its_packages_lets_the_command_pass(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "EXTERNALLY-MANAGED").touch()
    monkeypatch.setattr("sys.base_prefix", sys.prefix)
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path))
    command = install_command("hid")
    assert command.endswith(' -m pip install --user --break-system-packages "hidapi<1,>=0.14"')


def test_every_extra_has_its_command() -> None:
    for extra in ("enrol", "ble", "hid", "reader", "voices"):
        assert " install " in install_command(extra)
