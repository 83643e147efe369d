"""``blindplay help`` and ``version``."""

from __future__ import annotations

import pytest

from blindplay import __version__
from blindplay.commands.guides import folder
from blindplay.commands.help import ROLES
from tests.command_line import run


@pytest.mark.parametrize("role", ROLES)
def test_the_short_guide_of_a_role_is_printed(role: str) -> None:
    done = run("help", role, "--language", "en", "--silent")
    assert (done.status, done.stderr) == (0, "")
    assert done.stdout.endswith(f"The whole guide is here:\n{folder() / f'{role}.en.md'}\n")


def test_without_a_role_the_guides_are_listed() -> None:
    done = run("help", "--language", "en", "--silent")
    assert all(f"blindplay help {role}" in done.stdout for role in ROLES)


def test_an_unknown_role_and_an_unknown_language_are_one_sentence_each() -> None:
    for arguments in (("spectator",), ("player", "--language", "fo")):
        done = run("help", *arguments, "--silent")
        assert (done.status, done.stdout, done.stderr.count("\n")) == (2, "", 1)


def test_without_a_loudspeaker_the_guide_is_printed(monkeypatch: pytest.MonkeyPatch) -> None:
    from blindplay.speech import audio, audio_devices

    def missing(*_: object) -> None:
        raise audio.AudioError("There is no loudspeaker.")

    monkeypatch.setattr(audio_devices, "DeviceSink", missing)
    lines = run("help", "player", "--language", "en").stdout.splitlines()
    assert lines[0] == "trouble: There is no loudspeaker. Until then the guide is printed."
    assert lines[1:] == run("help", "player", "--language", "en", "--silent").stdout.splitlines()


def test_the_version_is_printed() -> None:
    assert run("version").stdout == run("--version").stdout == f"{__version__}\n"
