"""The settings that an event's file brings to ``blindplay play``."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from .play_options import OPTIONS
from .resuming import KEPT, plain_value, typed
from .settings_file import fault, name_of

if TYPE_CHECKING:
    from blindplay.hall.event_file import EventFile

_OF_THE_EVENT = {name_of(option) for part in ("Rules", "Record") for option in OPTIONS[part]}
"""The user's settings file does not replace these, for they must be the same at all tables."""


_OF_EACH_GAME = {
    str(option.name) for part in ("Rules", "Players") for option in OPTIONS[part]
} | {"event", "site"}  # fmt: skip
"""The options that a table which plays several games takes for each of them."""


def with_event_settings(given: Mapping[str, Any], joined: "EventFile | None") -> dict[str, Any]:
    """``given``, the options of ``play``, with the settings of the event's file for what was not
    typed. Language and devices are those of the user, if the settings file says them.

    :raises ValueError: one sentence, if a setting is wrong.
    """
    found = dict(given)
    if joined is None:
        return found
    context = click.get_current_context()
    options = {name_of(one): one for part in OPTIONS.values() for one in part}
    for name, value in joined.play.items():
        if wrong := fault(name, value):
            raise ValueError(f"The event's file: {wrong}")
        option = options[name]
        stronger = {ParameterSource.COMMANDLINE}
        if name not in _OF_THE_EVENT:
            stronger.add(ParameterSource.DEFAULT_MAP)
        if context.get_parameter_source(str(option.name)) not in stronger:
            found[str(option.name)] = option.process_value(context, value)
    return found


def typed_for_each_game(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were typed here, or when the table was started that is resumed, and that
    hold for each game which it plays."""
    here = {name: plain_value(given[name]) for name in typed(given) if name in _OF_EACH_GAME}
    return {**given.get("typed", {}), **here}


def with_settings_of_later_games(
    given: Mapping[str, Any], joined: "EventFile | None"
) -> dict[str, Any]:
    """``given``, the options of a resumed game, as the games after it have them: the event's file
    rules them, but for what was typed and for how the table talks.

    :raises ValueError: one sentence, if a setting of the file is wrong.
    """
    context = click.get_current_context()
    options = {str(one.name): one for part in OPTIONS.values() for one in part}
    found = with_event_settings(given, joined)
    found.update({name: given[name] for name in KEPT if name not in _OF_EACH_GAME})
    for name, value in typed_for_each_game(given).items():
        if name in _OF_EACH_GAME:
            found[name] = options[name].process_value(context, value)
    return found
