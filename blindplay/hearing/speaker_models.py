"""The stored voices of players: the recordings of an enrolment, and the models learned from it.

It is kept only if the player wanted it, in one folder per player in the user's data; ``forget``
removes it. A player's model goes with the model that it was made of. The recordings stay, and can
be learned from again.
"""

import contextlib
import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Self
from urllib.parse import quote

from blindplay.own_files import data_folder, read_object, write_json
from blindplay.speech.confidence import CONFIDENCE_FILE
from blindplay.speech.models.folders import (
    ASIDE,
    BUILT_IN,
    MADE_OF,
    OWN,
    ModelError,
    adapted_folder,
    built_in,
    check_model,
    checksum,
    model_folder,
    probe,
    seal,
    words_file,
)
from blindplay.translation import _

from . import kept_recordings
from .kept_recordings import SpeakerRecording
from .speaker_preferences import who

_LEARN_AGAIN = _("let it be learned again from what was recorded with: blindplay voice learn NAME.")


def players_folder() -> Path:
    """Return the folder of all players."""
    return data_folder() / "players"


def folder(player: str) -> Path:
    """Return the folder of a player: a name in any spelling, or ""."""
    # A name may have any character, and file systems differ in what they allow and distinguish.
    known = who(player).encode("utf-8", "surrogatepass")
    safe, mark = quote(known, safe=""), hashlib.sha256(known).hexdigest()[:8]
    return players_folder() / f"player-{safe[:60]}-{mark}"


def recordings(player: str, language: str) -> Path:
    """Return where the recordings of the enrolment in this language are."""
    return folder(player) / language / "recordings"


def _model(player: str, language: str, base: Path) -> Path:
    return folder(player) / language / "models" / _name(language, base)


def _name(language: str, base: Path) -> str:
    """Return what a model is called; one outside of the models' folders gets its path's digest."""
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
    """Return for each of these models the player's own one that was made of it, if it is there,
    fits and is undamaged; otherwise the model itself. ``lost`` gets a sentence about one that
    cannot be used."""
    folders = []
    for base in bases:
        own = _model(player, language, base)
        if own.is_dir():
            if _fits(own, base):
                _follow(own, base)
                with contextlib.suppress(ModelError):
                    folders.append(check_model(own))
                    continue
            lost(
                _(
                    "What was learned of this voice does not fit the model {name} any "
                    "more, or is damaged; {learn_again}",
                    name=base.name,
                    learn_again=_LEARN_AGAIN,
                )
            )
        folders.append(base)
    return tuple(folders)


def _fits(own: Path, base: Path) -> bool:
    """Return whether ``own`` was made of what ``base`` now is."""
    with contextlib.suppress(OSError):
        return bool(read_object(own / MADE_OF).get("base") == _state(base))
    return False


def _follow(own: Path, base: Path) -> None:
    """Note the present folder of the base, whose odds ``own`` uses: another installation of the
    program may have moved it."""
    with contextlib.suppress(OSError):  # it may be somebody else's folder
        made_of = read_object(own / MADE_OF)
        if made_of.get("of") != str(base):
            write_json(own / MADE_OF, {**made_of, "of": str(base)})


def _state(base: Path) -> str:
    """Return a digest of a model's network and words."""
    digest = hashlib.sha256()
    for file in (base / "am" / "final.mdl", base / "graph" / "HCLr.fst", words_file(base)):
        digest.update(bytes.fromhex(checksum(file)))
    return digest.hexdigest()


def install(
    player: str, language: str, base: Path, made: Path, about: Mapping[str, object]
) -> Path:
    """Put a copy of the model in the folder ``made`` in place of the player's model of ``base``.

    The new model takes the place of the old one only if it is whole and works. ``about`` is kept
    beside it.

    :raises OSError, ModelError:
    """
    place = _model(player, language, base)
    _make(place.parent)
    with tempfile.TemporaryDirectory(dir=place.parent, prefix=".new-") as temporary:
        fresh = Path(temporary) / "model"
        shutil.copytree(made, fresh)
        if (base / CONFIDENCE_FILE).is_file():
            shutil.copyfile(base / CONFIDENCE_FILE, fresh / CONFIDENCE_FILE)
        write_json(fresh / MADE_OF, {**about, "base": _state(base), "of": str(base)})
        seal(fresh, among=("am", "conf", "graph"))
        probe(fresh, language)
        if place.exists():
            place.rename(Path(temporary) / "old")
        fresh.rename(place)
    return place


def _make(place: Path) -> None:
    """Make a folder in the players' one, which nobody else may read because it shows names."""
    for folder in (players_folder(), place):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)


def drop(player: str, language: str, base: Path) -> None:
    """Remove the player's model of ``base``, if there is one.

    :raises OSError:
    """
    place = _model(player, language, base)
    if place.is_dir():
        shutil.rmtree(place)


def drop_all(model: str, language: str) -> int:
    """Remove the models of all players that were made from the removed model of this name. Return
    their number. The recordings stay.

    :raises OSError:
    """
    places = list(players_folder().glob(f"player-*/{language}/models/{model}"))
    for place in places:
        shutil.rmtree(place)
    return len(places)


class Keeper:
    """Keeps recordings in the form that ``python -m benchmarks voice --recordings`` reads.

    Each is on the disk before the next prompt. At the end they replace the earlier recordings,
    unless those were more. After a power cut this happens at the next enrolment. All methods raise
    OSError.
    """

    def __init__(self, player: str, language: str) -> None:
        self._player, self._language = player, language
        _finish(player, language)
        self._place = _unfinished(player, language)
        _make(self._place)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        _finish(self._player, self._language)

    def add(self, recording: SpeakerRecording) -> None:
        """Keep this recording."""
        kept_recordings.add(self._place, recording, speaker=self._player, language=self._language)


def _unfinished(player: str, language: str) -> Path:
    return folder(player) / language / "recordings.unfinished"


def _finish(player: str, language: str) -> None:
    """Let the last recordings replace those that are kept, unless these are more."""
    fresh, place = _unfinished(player, language), recordings(player, language)
    if not fresh.is_dir():
        return
    if _count(fresh) < max(1, _count(place)):
        shutil.rmtree(fresh)
        return
    if place.exists():
        shutil.rmtree(place)  # after an interruption here, the fresh ones are still more
    fresh.rename(place)


def _count(place: Path) -> int:
    return len(kept_recordings.lines(place))


def kept(player: str, language: str) -> list[SpeakerRecording]:
    """Return what a ``Keeper`` kept, even if it was interrupted, without what cannot be read."""
    places = (_unfinished(player, language), recordings(player, language))
    return list(kept_recordings.read(max(places, key=_count)))


def forget(player: str) -> bool:
    """Remove all of a player's voice; False if there was nothing.

    :raises OSError:
    """
    place = folder(player)
    if not place.is_dir():
        return False
    shutil.rmtree(place)
    return True
