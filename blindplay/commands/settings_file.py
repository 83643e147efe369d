"""The settings file: values of the options of ``play`` that hold until the command line says else.

It is TOML: a line for each option, called as on the command line, such as ``language = "en"``.
"""

import difflib
import json
import tomllib
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

import click

from blindplay.given import plain, read_bytes, read_toml, sentence_of, shown

from . import options

_MOST_BYTES = 50_000
# Options of other commands that mean the same there, and take the setting for their default.
_SHARED = ("language", "announce-in", "edition", "microphone")
# Without these options, a command takes what the game, the facts or the Laws say.
_OF_ITS_OWN = {
    "score": ("language",),
    "replay": ("edition",),
    # Their language is that of announced moves, which the Laws choose (D.2.1).
    **dict.fromkeys(("announce", "understand"), ("language",)),
}


class SettingsError(ValueError):
    """A settings file that cannot be read, or a setting in it that is wrong."""


def settings_path() -> Path:
    """The settings file in the user's folder of configurations. It need not exist."""
    import platformdirs

    return Path(platformdirs.user_config_path("blindplay", appauthor=False)) / "settings.toml"


def names() -> dict[str, click.Option]:
    """Every setting, by its name, with the option of ``play`` that it stands for."""
    from .play_options import OPTIONS

    return {name_of(option): option for group in OPTIONS.values() for option in group}


def name_of(option: click.Option) -> str:
    """The name of an option as it is typed, without the hyphens before it."""
    return option.opts[0].removeprefix("--")


def read(wanted: Container[str] | None = None) -> dict[str, Any]:
    """The settings by name, or only those ``wanted``. Nothing is set if there is no file.

    :raises SettingsError: one sentence with the file and the key, for the first one that is wrong.
    """
    path = settings_path()
    found = {
        name: value for name, value in contents(path).items() if wanted is None or name in wanted
    }
    for name, value in found.items():
        if wrong := fault(name, value):
            raise SettingsError(f"{path}: {wrong}")
    return found


def contents(path: Path) -> dict[str, Any]:
    """Return the unchecked contents of the file; nothing if there is no file. Raises SettingsError
    if it cannot be read."""
    try:
        return read_toml(read_bytes(path, _MOST_BYTES), str(path)) if path.exists() else {}
    except (OSError, ValueError) as error:  # a folder without permissions does not tell
        raise SettingsError(sentence_of(error)) from None


def fault(name: str, value: Any) -> str:
    """Return what is wrong with one setting, in one sentence that names it; "" if nothing is."""
    known = names()
    option = known.get(name)
    if option is None:
        close = difflib.get_close_matches(name[:100].replace("_", "-"), known, 1)
        meant = f"perhaps {close[0]} is meant." if close else "blindplay settings names lists all."
        return f"there is no setting {shown(name)}; {meant}"
    if option.is_flag:
        return "" if isinstance(value, bool) else f"{name} must be true or false, without quotes."
    if option.multiple:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            return f'{name} must be a list of texts, such as ["one", "two"].'
    elif isinstance(value, bool) or not isinstance(value, str | int):
        return f"{name} must be one text in quotes, or one number."
    for one in value if option.multiple else [value]:
        try:
            if name.endswith("language") or name == "announce-in":
                options.load_language(str(one))
            option.type.convert(str(one), option, None)
        except click.UsageError as error:
            return f"{name} is wrong: {error.message}"
        except ValueError as error:
            return f"{name} is wrong: {error}"
    return ""


def defaults_of(command: click.Command) -> dict[str, Any]:
    """The settings that a command takes, by the names of its parameters."""
    given = {name_of(p): str(p.name) for p in command.params if isinstance(p, click.Option)}
    if command.name == "play":
        return {given[name]: value for name, value in read().items()}
    own = _OF_ITS_OWN.get(str(command.name), ())
    wanted = {name: given[name] for name in _SHARED if name in given and name not in own}
    return {wanted[name]: value for name, value in read(wanted).items()} if wanted else {}


def value_of(name: str, texts: tuple[str, ...]) -> Any:
    """The value of a setting that was typed as ``texts``.

    :raises ValueError: one sentence, if there is no such setting, or if it cannot have this value.
    """
    option = names().get(name)
    value: Any = texts[0] if len(texts) == 1 else list(texts)
    if option is not None and option.multiple:
        value = list(texts)
    elif option is not None and len(texts) > 1:
        raise ValueError(f"{name} takes one value; put quotes around words that belong together.")
    elif option is not None and option.is_flag:
        value = {
            "true": True,
            "yes": True,
            "on": True,
            "false": False,
            "no": False,
            "off": False,
        }.get(texts[0].lower(), texts[0])
    if wrong := fault(name, value):
        raise ValueError(f"{wrong[0].upper()}{wrong[1:]}")
    return value


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
    wanted = {**contents(path), name: value}
    lines = path.read_text("utf-8-sig").splitlines() if path.exists() else []
    new = [] if value is None else [f"{name} = {in_toml(value)}"]
    at = next((n for n, line in enumerate(lines) if name in _on_line(line)), None)
    if at is None:
        lines += new
    else:
        lines[at : at + 1] = new
    text = "".join(f"{plain(line)}\n" for line in lines)
    if _parsed(text) != {key: one for key, one in wanted.items() if one is not None}:
        raise SettingsError(
            f"{path}: {name} stands on several lines; change it in the file itself."
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
