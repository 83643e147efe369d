"""``blindplay settings``, and what the settings do for each command."""

from typing import Any

import click

from blindplay.translation import Message, UserError, _, join_texts

from . import options, settings_file
from .settings_file import SettingsError, in_toml, settings_path

# Options of other commands that mean the same there, and take the setting for their default.
_SHARED = ("language", "announce-in", "edition", "microphone")
# Without these options, a command takes what the game, the facts or the Laws say.
_OF_ITS_OWN = {
    "score": ("language",),
    "replay": ("edition",),
    # Their language is that of announced moves, which the Laws choose (D.2.1).
    **dict.fromkeys(("announce", "understand"), ("language",)),
}
_SWITCH = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


def defaults_of(command: click.Command) -> dict[str, Any]:
    """The settings that a command takes, by the names of its parameters.

    :raises SettingsError: one sentence with the file and the key, for the first one that is wrong.
    """
    own = {options.name_of(p): str(p.name) for p in command.params if isinstance(p, click.Option)}
    if command.name != "play":
        without = _OF_ITS_OWN.get(str(command.name), ())
        own = {name: own[name] for name in _SHARED if name in own and name not in without}
    defaults = {}
    for name, value in settings_file.contents().items() if own else ():
        if command.name == "play" or name in own:
            _check_setting(name, value)
            defaults[own[name]] = value
    return defaults


def _check_setting(name: str, value: Any) -> None:
    from .play_options import setting

    try:
        setting(name).stored(value)
    except ValueError as error:
        raise SettingsError(join_texts(": ", (settings_path(), error))) from None


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@options.as_json(help=_("Print JSON instead of plain lines."))
@click.pass_context
def settings(context: click.Context, as_json: bool) -> int | None:
    """Print, check and change what holds for every table: language, boards, voice and more.

    Each option of blindplay play is a setting with the same name. The command line comes before
    the settings. The exit status is 2 if a setting is wrong.
    """
    if context.invoked_subcommand is not None:
        return None
    values = settings_file.contents()
    if as_json:
        options.show({"file": str(settings_path()), "settings": values})
    else:
        options.show(
            _("The settings are in {path}.", path=settings_path()) if values else _nothing_set()
        )
        options.show_all(f"{name} = {in_toml(value)}" for name, value in values.items())
    return _check()


@settings.command()
def check() -> int:
    """Check every setting. The exit status is 2 if one is wrong."""
    status = _check()
    if not status:
        values = settings_file.contents()
        options.show(_("Every setting can be used.") if values else _nothing_set())
    return status


@settings.command("set")
@click.argument("name", help=_("Name an option of blindplay play, such as language."))
@click.argument(
    "values", nargs=-1, required=True, help=_("This is its value; a switch is true or false.")
)
def set_(name: str, values: tuple[str, ...]) -> None:
    """Change one setting."""
    name = name.removeprefix("--")
    value = _value(name, values)
    path = settings_file.change(name, value)
    options.show(_("{path} has now: {name} = {value}", path=path, name=name, value=in_toml(value)))


def _value(name: str, texts: tuple[str, ...]) -> Any:
    """The value of a setting that was typed as ``texts``.

    :raises ValueError: one sentence, if there is no such setting, or if it cannot have this value.
    """
    from .play_options import setting

    option = setting(name)
    value: Any = list(texts) if option.multiple else texts[0]
    if option.is_flag:
        value = _SWITCH.get(texts[0].lower(), texts[0])
    if len(texts) == 1 or option.multiple:
        option.stored(value)
        return value
    raise UserError(
        "{name} takes one value; put quotes around words that belong together.", name=name
    )


@settings.command()
@click.argument("name", help=_("Remove this setting."))
def remove(name: str) -> None:
    """Remove one setting, so that the default holds again."""
    from .play_options import setting

    name = name.removeprefix("--")
    if name not in settings_file.contents():
        try:
            setting(name)
        except ValueError as error:
            raise UserError(
                "{name} is not set, so it is not removed. Note: {error}", name=name, error=error
            ) from None
        raise UserError("{name} is not set, so it is not removed.", name=name)
    options.show(
        _("{name} is removed from {change}.", name=name, change=settings_file.change(name, None))
    )


@settings.command("names")
def list_names() -> None:
    """List every setting with its meaning."""
    from .play_options import SETTINGS

    for name, option in SETTINGS.items():
        options.show(join_texts(": ", (name, Message(option.help or ""))))


def _nothing_set() -> str:
    return _(
        "Nothing is set. To set the language: blindplay settings set language en. The "
        "file will be {path}.",
        path=settings_path(),
    )


def _check() -> int:
    """Print what is wrong with each setting; 2 if anything is, else 0."""
    status = 0
    for name, value in settings_file.contents().items():
        try:
            _check_setting(name, value)
        except SettingsError as error:
            options.warn(str(error))
            status = 2
    return status
