"""``play --resume``: the game's own settings come back, and others are refused."""

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from blindplay.laws.clock import TimeControl
from blindplay.laws.facts import SIDES, Setup

from .user_language import user_language

KEPT = (
    "board", "sighted_board", "talk_levers", "microphone", "push_to_talk", "shared_microphone",
    "opening_word", "model", "language", "private_output", "public_output", "silent", "print",
    "voice", "reader_rate", "braille", "press_answer", "tape", "training", "hall", "await_pairing",
    "against", "level", "engine", "lag_limit", "voices",
)  # fmt: skip
"""The options of ``play`` that say how a table talks and what it reads. The journal holds the
others."""


def kept_values(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of a new game that are kept, by name."""
    kept = {name: plain_value(given[name]) for name in KEPT}
    language, engine = given["language"] or user_language(), given["engine"]
    found = None if engine is None else shutil.which(engine)
    return {**kept, "language": language, "engine": plain_value(Path(found) if found else engine)}


def plain_value(value: Any) -> Any:
    """A value as JSON holds it, and as it could be typed in any folder."""
    if isinstance(value, tuple):
        return [plain_value(one) for one in value]
    if isinstance(value, Path):
        return str(value.absolute())
    return value if value is None or isinstance(value, bool) else str(value)


def typed(given: Mapping[str, Any]) -> set[str]:
    """The options that are on the command line itself, and not from the settings file."""
    context = click.get_current_context()
    source = context.get_parameter_source
    return {name for name in given if source(name) is ParameterSource.COMMANDLINE}


def with_kept_options(journal: Path, given: Mapping[str, Any]) -> dict[str, Any]:
    """``given``, in which what was not typed is as it was when the game began.

    :raises ValueError: if something was typed that contradicts the game.
    :raises JournalError: if the journal cannot be read.
    """
    from blindplay.record import games, read_journal

    context = click.get_current_context()
    chosen = typed(given)
    (setup, *_) = [*read_journal(journal).facts, None]
    if not isinstance(setup, Setup):
        return dict(given)  # the table says what is wrong with it
    _check(journal, setup, {name: given[name] for name in chosen})
    kept = {"language": _language(setup), **games.kept_options(journal)}
    parameters = {option.name: option for option in context.command.params}
    before = kept.get("typed")
    values = {**given, "typed": before if isinstance(before, dict) else {}}
    for name in KEPT:
        if name in kept and kept[name] is not None and name not in chosen:
            values[name] = parameters[name].process_value(context, kept[name])
    return values


def _language(setup: Setup) -> str:
    """The language of the impaired player, for whom the table speaks."""
    impaired = next((side for side in SIDES if setup.player(side).impaired), "white")
    return setup.player(impaired).language


def _check(journal: Path, setup: Setup, typed: Mapping[str, Any]) -> None:
    """Raise ValueError if one of the ``typed`` options is not as the game has it."""
    for name, own in _as_options(setup).items():
        if name not in typed or _same(name, typed[name], own):
            continue
        option = f"--{name.replace('_', '-')}"
        has = f"{option} {own}" if not isinstance(own, bool) else _switch(option, own)
        raise ValueError(
            f"The game in {journal} was begun with {has if own != '' else f'no {option}'}; leave "
            "yours out to continue it, or begin another game without --resume."
        )


def _switch(option: str, on: bool) -> str:
    return option if on else option.replace("--", "--no-", 1)


def _same(name: str, typed: Any, own: Any) -> bool:
    if name == "time_control":
        return TimeControl.parse(typed) == TimeControl.parse(own)
    return bool(typed == own)


def _as_options(setup: Setup) -> dict[str, Any]:
    """Return the options of ``play`` that would give this game, by name."""
    impaired = [side for side in SIDES if setup.player(side).impaired]
    options: dict[str, Any] = {
        name: getattr(setup, name)
        for name in ("edition", "time_control", "mode", "supervised", "quickplay_finish", "fen",
                     "event", "site", "round", "announce_in")
    }  # fmt: skip
    options["check"] = setup.announce_check
    options["chess960"] = setup.variant == "chess960"
    options["arbiter"] = setup.arbiter == "present"
    options["impaired"] = impaired[0] if len(impaired) == 1 else "both" if impaired else "none"
    for side in SIDES:
        player = setup.player(side)
        options[side] = player.name
        options[f"{side}_language"] = player.language
        options[f"{side}_hearing_impaired"] = player.hearing_impaired
        options[f"{side}_assistant"] = player.assistant
    return options
