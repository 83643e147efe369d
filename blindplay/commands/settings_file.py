"""The settings file: values of the options of ``play`` that hold until the command line says else.

It is TOML: a line for each option, called as on the command line, such as ``language = "en"``.
"""

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from blindplay.given import SETTINGS, plain, read_bytes, read_text, read_toml, sentence_of
from blindplay.translation import UserError


class SettingsError(UserError):
    """A settings file that cannot be read, or a setting in it that is wrong."""


def settings_path() -> Path:
    """The settings file in the user's folder of configurations. It need not exist."""
    from blindplay.own_files import config_folder

    return config_folder() / "settings.toml"


def contents() -> dict[str, Any]:
    """The unchecked contents of the file; nothing if there is no file.

    :raises SettingsError: if it cannot be read.
    """
    path = settings_path()
    try:
        return read_toml(read_bytes(path, SETTINGS), str(path)) if path.exists() else {}
    except (OSError, ValueError) as error:  # a folder without permissions does not tell
        raise SettingsError(sentence_of(error)) from None


def in_toml(value: Any) -> str:
    """A value as the file holds it."""
    return json.dumps(value, ensure_ascii=False)


def change(name: str, value: Any) -> Path:
    """Write one setting, or remove it if ``value`` is None, and return the file.

    All other lines stay as they are, comments too.

    :raises SettingsError: if the file is not TOML, or if the value stands on several lines in it.
    :raises OSError: if the file cannot be written.
    """
    path = settings_path()
    wanted = {**contents(), name: value}
    lines = read_text(path, SETTINGS).splitlines() if path.exists() else []
    new = [] if value is None else [f"{name} = {in_toml(value)}"]
    at = next((n for n, line in enumerate(lines) if name in _on_line(line)), None)
    if at is None:
        lines += new
    else:
        lines[at : at + 1] = new
    text = "".join(f"{plain(line)}\n" for line in lines)
    if _parsed(text) != {key: item for key, item in wanted.items() if item is not None}:
        raise SettingsError(
            "{path}: {name} stands on several lines; change it in the file itself.",
            path=path,
            name=name,
        )
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(".settings.new")
    unfinished.write_text(text, "utf-8")
    unfinished.replace(path)
    return path


def _on_line(line: str) -> Mapping[str, Any]:
    return _parsed(line) or {}


def _parsed(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(text)
    except ValueError:
        return None
