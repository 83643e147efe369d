"""What is kept of a player's voice on this machine, if he wanted it: the recordings of his
enrolment, and the models that have learned his pronunciation. One folder a player, in the user's
data; :func:`forget` removes it. A player's models go with those that they were made of, the
recordings stay, and he can be learned from them anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self
from urllib.parse import quote

import platformdirs

from blindplay.speech.audio import read_audio, write_wav
from blindplay.speech.confidence import MADE_OF
from blindplay.speech.models.folders import (
    ASIDE,
    BUILT_IN,
    OWN,
    ModelError,
    adapted_folder,
    built_in,
    check_model,
    model_folder,
    probe,
    seal,
    words_file,
)

from .speaker_preferences import who

_INDEX = "index.jsonl"
_LEARN_AGAIN = "let it be learned again from what was recorded with: blindplay voice learn NAME."


@dataclass(frozen=True)
class SpeakerRecording:
    """What a player said when he was asked for ``words``, in the position ``fen`` if in any, mono
    16-bit PCM at 16 kHz. ``apart``: it is judged by, and never learned from."""

    words: str
    fen: str | None
    pcm: bytes
    apart: bool = False


def players_folder() -> Path:
    """The folder of all players."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "players"


def folder(player: str) -> Path:
    """The folder of a player, a name or "", however it is written."""
    # A name may hold anything, and file systems differ in what they take and tell apart.
    known = who(player).encode("utf-8", "surrogatepass")
    safe, mark = quote(known, safe=""), hashlib.sha256(known).hexdigest()[:8]
    return players_folder() / f"player-{safe[:60]}-{mark}"


def recordings(player: str, language: str) -> Path:
    """Where the recordings of his enrolment in this language are."""
    return folder(player) / language / "recordings"


def _model(player: str, language: str, base: Path) -> Path:
    return folder(player) / language / "models" / _name(language, base)


def _name(language: str, base: Path) -> str:
    """What a model is called; those that only a path names, by that."""
    if base == built_in(language):
        return BUILT_IN
    if base == model_folder(language):
        return OWN
    if base.parent == adapted_folder(language):
        return base.name.removeprefix(ASIDE)
    path = str(base.resolve()).encode("utf-8", "surrogatepass")
    return f"at-{hashlib.sha256(path).hexdigest()[:12]}"


def models(
    player: str,
    language: str,
    bases: Iterable[Path],
    lost: Callable[[str], None] = lambda sentence: None,
) -> tuple[Path, ...]:
    """For each of these models the player's own that was made of it, where there is one, it still
    fits, and every file of it is as it was written; else the model itself. ``lost`` is told of
    one that cannot be used, in a sentence."""
    found = []
    for base in bases:
        own = _model(player, language, base)
        if own.is_dir():
            if _fits(own, base):
                with contextlib.suppress(ModelError):
                    found.append(check_model(own))
                    continue
            lost(
                f"What was learned of this voice does not fit the model {base.name} any more, or "
                f"is damaged; {_LEARN_AGAIN}"
            )
        found.append(base)
    return tuple(found)


def _fits(own: Path, base: Path) -> bool:
    """Whether ``own`` was made of what ``base`` now is."""
    try:
        told = json.loads((own / MADE_OF).read_text("utf-8"))
        return isinstance(told, dict) and told.get("base") == _state(base)
    except (OSError, ValueError):
        return False


def _state(base: Path) -> str:
    """A digest of what a model hears with: its network and its words."""
    digest = hashlib.sha256()
    for file in (base / "am" / "final.mdl", base / "graph" / "HCLr.fst", words_file(base)):
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()


def install(
    player: str, language: str, base: Path, made: Callable[[Path], None], told: dict[str, Any]
) -> Path:
    """Let ``made`` write the player's model of ``base`` into a new folder, and put that in place
    of the one there was, whole or not at all, and only if it hears. ``told`` is kept beside it.
    Raises OSError, ModelError, and what ``made`` raises."""
    place = _model(player, language, base)
    players_folder().mkdir(mode=0o700, parents=True, exist_ok=True)  # their names are names
    place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as temporary:
        fresh = Path(temporary) / "model"
        made(fresh)
        (fresh / MADE_OF).write_text(
            json.dumps({**told, "base": _state(base), "of": str(base)}, ensure_ascii=False) + "\n",
            "utf-8",
        )
        seal(fresh, among=("am", "conf", "graph"))
        probe(fresh, language)
        if place.exists():
            place.rename(Path(temporary) / "old")
        fresh.rename(place)
    return place


def drop(player: str, language: str, base: Path) -> None:
    """Remove the player's model of ``base``, if there is one. Raises OSError."""
    place = _model(player, language, base)
    if place.is_dir():
        shutil.rmtree(place)


def drop_all(model: str, language: str) -> int:
    """Remove what every player has of the model of this name, for it is gone; of how many. Their
    recordings stay. Raises OSError."""
    found = list(players_folder().glob(f"player-*/{language}/models/{model}"))
    for place in found:
        shutil.rmtree(place)
    return len(found)


class Keeper:
    """Keeps what a player says while he says it, in the form that ``blindplay bench voice
    --recordings`` reads: each recording is on the disk before the next is asked for. At the end
    they replace what was kept before, unless that was more; if the end never comes, when he
    is recorded again. All methods raise OSError."""

    def __init__(self, player: str, language: str) -> None:
        self._player, self._language = player, language
        self._count = 0
        _finish(player, language)
        self._place = _unfinished(player, language)
        players_folder().mkdir(mode=0o700, parents=True, exist_ok=True)  # their names are names
        self._place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._place.mkdir(mode=0o700)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        _finish(self._player, self._language)

    def add(self, one: SpeakerRecording) -> None:
        """Keep this recording."""
        self._count += 1
        name = f"{self._count:03}.wav"
        write_wav(self._place / name, one.pcm)
        _to_disk(self._place / name)
        entry = {"file": name, "speaker": self._player, "words": one.words, "apart": one.apart}
        with (self._place / _INDEX).open("a", encoding="utf-8") as index:
            index.write(json.dumps(entry if one.fen is None else {**entry, "fen": one.fen}) + "\n")
        _to_disk(self._place / _INDEX)


def _unfinished(player: str, language: str) -> Path:
    return folder(player) / language / "recordings.unfinished"


def _finish(player: str, language: str) -> None:
    """What was recorded last, if that is not done yet, is what is kept, unless there is more."""
    fresh, place = _unfinished(player, language), recordings(player, language)
    if not fresh.is_dir():
        return
    if _length(fresh) < max(1, _length(place)):
        shutil.rmtree(fresh)
        return
    if place.exists():
        shutil.rmtree(place)  # that it is longer is seen again if we get no further
    fresh.rename(place)


def _length(place: Path) -> int:
    """How many recordings are listed there, 0 if that cannot be read."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return len((place / _INDEX).read_text("utf-8").splitlines())
    return 0


def _to_disk(file: Path) -> None:
    with file.open("rb+") as stream:
        os.fsync(stream.fileno())


def kept(player: str, language: str) -> list[SpeakerRecording]:
    """What a :class:`Keeper` kept, also of a session that was cut off; nothing if nothing was, and
    without what cannot be read."""
    place = max(_unfinished(player, language), recordings(player, language), key=_length)
    try:
        lines = (place / _INDEX).read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    found = []
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, AttributeError, RecursionError):
            entry = json.loads(line)
            words, fen = str(entry["words"]), entry.get("fen")
            sound = read_audio(place / Path(str(entry["file"])).name)
            apart = bool(entry.get("apart"))
            found.append(SpeakerRecording(words, None if fen is None else str(fen), sound, apart))
    return found


def forget(player: str) -> bool:
    """Remove all of a player's voice; False if there was nothing. Raises OSError."""
    place = folder(player)
    if not place.is_dir():
        return False
    shutil.rmtree(place)
    return True
