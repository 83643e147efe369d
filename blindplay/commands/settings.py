"""``blindplay settings``: print, check and change the settings of the table."""

import click

from . import options, settings_file
from .settings_file import SettingsError, in_toml


@click.group(cls=options.CommandGroup, invoke_without_command=True)
@options.as_json(help="Print JSON instead of plain lines.")
@click.pass_context
def settings(context: click.Context, as_json: bool) -> int | None:
    """Print, check and change what holds for every table: language, boards, voice and more.

    Each option of blindplay play is a setting with the same name. The command line comes before
    the settings. The exit status is 2 if a setting is wrong.
    """
    if context.invoked_subcommand is not None:
        return None
    path = settings_file.settings_path()
    found = settings_file.contents(path)
    if as_json:
        options.show({"file": str(path), "settings": found})
    else:
        options.show(f"The settings are in {path}." if found else _nothing_set())
        options.show_all(f"{name} = {in_toml(value)}" for name, value in found.items())
    return _check()


@settings.command()
def check() -> int:
    """Check every setting. The exit status is 2 if one is wrong."""
    status = _check()
    if not status:
        options.show("Every setting can be used." if settings_file.read() else _nothing_set())
    return status


@settings.command("set")
@click.argument("name", help="Name an option of blindplay play, such as language.")
@click.argument(
    "values", nargs=-1, required=True, help="This is its value; a switch is true or false."
)
def set_(name: str, values: tuple[str, ...]) -> None:
    """Change one setting."""
    name = name.removeprefix("--")
    value = settings_file.value_of(name, values)
    path = settings_file.change(name, value)
    options.show(f"{path} has now: {name} = {in_toml(value)}")


@settings.command()
@click.argument("name", help="Remove this setting.")
def remove(name: str) -> None:
    """Remove one setting, so that the default holds again."""
    name = name.removeprefix("--")
    if name not in settings_file.contents(settings_file.settings_path()):
        known = settings_file.fault(name, None) if name not in settings_file.names() else ""
        raise ValueError(f"{name} is not set, so it is not removed.{known and f' Note: {known}'}")
    options.show(f"{name} is removed from {settings_file.change(name, None)}.")


@settings.command("names")
def list_names() -> None:
    """List every setting with its meaning."""
    for name, option in settings_file.names().items():
        options.show(f"{name}: {option.help}")


def _nothing_set() -> str:
    return (
        "Nothing is set. To set the language: blindplay settings set language en. The file will be "
        f"{settings_file.settings_path()}."
    )


def _check() -> int:
    """Print what is wrong with each setting; 2 if anything is, else 0."""
    path = settings_file.settings_path()
    wrong = [
        found
        for name, value in settings_file.contents(path).items()
        if (found := settings_file.fault(name, value))
    ]
    for sentence in wrong:
        options.warn(str(SettingsError(f"{path}: {sentence}")))
    return 2 if wrong else 0
