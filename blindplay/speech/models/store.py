"""Models of the user's own: fetched, checked, given our words, put in place, removed.

Everything is under `data_folder`: the models as their makers gave them in ``bases/NAME``, the same
acoustics with our words in ``adapted/LANGUAGE/NAME``, downloads that are under way in
``downloads``. A model is made beside its place and renamed into it, so that whenever this is cut
off, there is the old one or the new one, whole.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .. import adaptation
from ..adaptation import Pronunciations, Vocabulary
from . import catalogue, folders
from .catalogue import BaseModel
from .download import Patience, Progress, download, fetch_text, forget
from .folders import ASIDE, BUILT_IN, OWN, ModelError
from .unpack import check_space, copy_folder, unpack

Tell = Callable[[str], None]
"""Is told in a sentence what happens."""

_LONGEST_ARCHIVE = 2 << 30
_LONGEST_LIST = 4 << 20
_UNPACKED = 3  # times an archive's length is what its model takes, at most, in all official ones
_LEFT_BEHIND = 3600.0  # seconds after which an unfinished installation is another's no more
_WORK = ".installing-"


@dataclass(frozen=True)
class ModelWords:
    """What a language's models are to hear. ``lexicons`` are the words of every language, by which
    the phones of a base may be known."""

    vocabulary: Vocabulary
    lexicons: Sequence[Mapping[str, Pronunciations]]


@dataclass(frozen=True)
class Installed:
    """What was installed: the name, the folder of the model that listens, how many words it hears
    and by whose phones, and the licence of its acoustics, if that is known."""

    name: str
    folder: Path
    words: int
    phones: str
    licence: str | None


def bases_folder() -> Path:
    """The folder that keeps the models as their makers gave them."""
    return folders.data_folder() / "bases"


def downloads_folder() -> Path:
    """The folder of downloads that are under way."""
    return folders.data_folder() / "downloads"


def find_base(name: str, *, patience: Patience | None = None) -> BaseModel:
    """The base called ``name``: one that is known here, or else one in Vosk's own list, which is
    fetched. Raises ValueError when there is none, and DownloadError."""
    known = catalogue.load()
    if (base := known.known(name)) is not None:
        return base
    folders.check_name(name)
    text = fetch_text(known.list_address, most=_LONGEST_LIST, patience=patience or Patience())
    return known.listed(name, text)


def install(
    language: str,
    words: ModelWords,
    *,
    base: BaseModel | None = None,
    source: Path | None = None,
    name: str | None = None,
    tell: Tell,
    patience: Patience | None = None,
) -> Installed:
    """Put a model that hears ``language`` into its place.

    Its acoustics are those of ``base``, which is fetched unless it is there already, or of
    ``source``, a zip file or a folder; then ``name`` is what it is called, by default what they
    are. Where a base of that name is known, a zip file must be the very same.

    Raises ModelError, GraphError, DownloadError, each with what to do; and OSError.
    """
    folders.available(language)  # is it a language tag?
    if source is not None:
        name = name or (source.resolve().name if source.is_dir() else source.stem)
        base = base or catalogue.load().known(name)
    if base is not None:
        name = base.name
    if name is None:
        raise ModelError("Name a model, or a zip file or a folder with one.")
    folders.check_name(name)
    about = {"name": name, "licence": base.licence if base else "", "from": ""}
    with folders.writing(folders.data_folder()), _workplace() as work:
        fresh = work / "base"
        kept = _sound_base(name) if source is None else None
        if kept is not None:
            tell(f"{name} is there already.")
            about |= {k: str(v) for k, v in (folders.manifest(kept) or {}).items() if k in about}
        elif source is not None and source.is_dir():
            tell(f"Copying {source}; whether it is as it was published cannot be told of a folder.")
            copy_folder(source, fresh)
            about |= {"from": str(source.resolve())}
            folders.seal(fresh, **about)
        else:
            archive, found = _archive(name, base, source, tell, patience or Patience())
            tell(f"Unpacking {name}.")
            unpack(archive, fresh)
            origin = base.address if source is None and base else str(source)
            about |= {"from": origin, "archive_sha256": found}
            folders.seal(fresh, **about)
        tell(f"Giving it the words of {language}.")
        made = work / "adapted"
        report = adaptation.adapt(kept or fresh, made, words.vocabulary, lexicons=words.lexicons)
        place = folders.adapted_folder(language) / name
        folders.seal(made, **about, language=language)
        _carry_over(folders.folders(place.parent).get(name), made)  # unsealed, as it was
        folders.probe(made, language)
        if kept is None:
            _put(fresh, bases_folder() / name)
        _put(made, place)
    if source is None:
        forget(downloads_folder() / f"{name}.zip")
    return Installed(name, place, report.words, report.base, about["licence"] or None)


def make_own(
    language: str, words: ModelWords, base: Path, *, family: str | None = None
) -> tuple[Path, adaptation.AdaptationReport]:
    """Make the user's own model of ``language`` out of ``base``, in place of the one there was, if
    it can be heard with. ``base`` is left as it is; it may be the own one, to be given new words.
    Where it is, and what `graphs.adapt` reports.

    Raises ModelError or GraphError, each with what to do; and OSError.
    """
    folders.available(language)  # is it a language tag?
    place = folders.model_folder(language)
    with folders.writing(folders.data_folder()), _workplace() as work:
        made = work / "adapted"
        report = adaptation.adapt(
            base, made, words.vocabulary, family=family, lexicons=words.lexicons
        )
        about = {"name": OWN, "from": str(base.resolve())}
        folders.seal(made, language=language, **about)
        _carry_over(place if place.is_dir() else None, made)  # unsealed, as it was
        folders.probe(made, language)
        _put(made, place)
    return place, report


def named_base(name: str) -> Path | None:
    """The folder of the installed base of this name, whole or short, as its makers gave it."""
    known = catalogue.load().known(name)
    return folders.folders(bases_folder()).get(known.name if known else name)


def remove(name: str, language: str | None = None) -> list[str]:
    """Remove the model ``name`` from ``language``, or from all; what was removed, in sentences.

    A base goes with the last language that was heard with it. Raises ModelError when there is
    nothing to remove or it came with the program, and OSError.
    """
    if name == BUILT_IN:
        raise ModelError(
            "The built-in model is part of the program and cannot be removed; to listen without "
            "it, name others with: blindplay models use."
        )
    known = catalogue.load().known(name)
    name = known.name if known else name
    if name != OWN:
        folders.check_name(name)
    told = []
    for code in [language] if language else languages():
        folder = folders.available(code).get(name)
        if folder is None:
            continue
        if choice := folders.choice(code):
            there = folders.available(code)
            folders.choose(code, [one for one in choice if one != name and one in there])
        _discard(folder)
        told.append(f"{name} has been removed from {code}.")
    base = folders.folders(bases_folder()).get(name)
    if base is not None and not any(name in folders.available(code) for code in languages()):
        _discard(base)
        told.append(f"{name} has been removed altogether; it can be installed again.")
    if not told and forget(downloads_folder() / f"{name}.zip"):
        told.append(f"What had been fetched of {name} has been removed.")
    if not told:
        where = f" of {language}" if language else ""
        raise ModelError(
            f"There is no installed model {name}{where}; blindplay models list says which are."
        )
    return told


def languages() -> list[str]:
    """The languages for which the user has a model of his own, sorted."""
    adapted = folders.data_folder() / "adapted"
    found = {folder.name for folder in adapted.glob("*/") if folders.folders(folder)}
    found |= {folder.parent.parent.name for folder in folders.data_folder().glob("*/am/final.mdl")}
    return sorted(code for code in found if folders.is_language(code))


# ------------------------------------------------------------------ the archive


def _archive(
    name: str, base: BaseModel | None, source: Path | None, tell: Tell, patience: Patience
) -> tuple[Path, str]:
    """A checked archive of the model, and its SHA-256."""
    if source is not None:
        if not source.is_file():
            raise ModelError(f"There is no file and no folder {source}; check the name.")
        md5, found = _sums(source)
        if _checked(name, base, md5, found):
            if base is not None and base.sha256 is None:
                _pin(name, found)
            tell(f"{source.name} is the file that was published.")
        else:
            tell(f"Nobody has published what {source.name} should be; its SHA-256 is {found}.")
        return source, found
    assert base is not None
    archive = downloads_folder() / f"{name}.zip"
    check_space(archive, base.size * (1 + _UNPACKED))
    tell(
        f"Fetching {name}, {megabytes(base.size)}, from {base.address}; its licence: "
        f"{base.licence}."
    )
    for again in (False, True):
        joined = archive.is_file() or download(
            base.address, archive, size=base.size, most=_LONGEST_ARCHIVE, patience=patience,
            progress=_by_tens(tell), trouble=tell,
        )  # fmt: skip
        md5, found = _sums(archive)
        try:
            _checked(name, base, md5, found)
        except ModelError:
            forget(archive)
            # The file may have been changed on the server between two pieces of it.
            if again or not joined:
                raise
            tell("The pieces do not fit together; it is fetched once more from the beginning.")
            continue
        if base.sha256 is None:
            _pin(name, found)
        return archive, found
    raise AssertionError


def _checked(name: str, base: BaseModel | None, md5: str, sha256: str) -> bool:
    """Whether anything is known of the archive's sums; ModelError if they are others."""
    wanted = (base.sha256 if base else None) or _pins().get(name)
    if wanted is not None and sha256 != wanted:
        raise ModelError(
            f"This is not the {name} that is known: its SHA-256 is {sha256} and should be "
            f"{wanted}; it is not used and nothing has been changed."
        )
    if base is not None and base.md5 is not None and md5 != base.md5:
        raise ModelError(
            f"This is not the {name} of Vosk's list: its MD5 sum is {md5} and should be "
            f"{base.md5}; it is not used and nothing has been changed."
        )
    return wanted is not None or (base is not None and base.md5 is not None)


def _sums(file: Path) -> tuple[str, str]:
    md5, sha256 = hashlib.md5(usedforsecurity=False), hashlib.sha256()
    with file.open("rb") as stream:
        while block := stream.read(1 << 20):
            md5.update(block)
            sha256.update(block)
    return md5.hexdigest(), sha256.hexdigest()


def _pins_file() -> Path:
    return folders.data_folder() / "pinned.json"


def _pins() -> dict[str, str]:
    """The SHA-256 of archives that nobody has published, learned when they first came."""
    try:
        read = json.loads(_pins_file().read_text("utf-8"))
        return {str(name): str(value) for name, value in read.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, RecursionError):
        raise ModelError(
            f"{_pins_file()}, in which the checksums of models are kept, is damaged; delete it to "
            "trust the next download of each anew."
        ) from None


def _pin(name: str, sha256: str) -> None:
    file = _pins_file()
    fresh = file.with_suffix(".new")
    fresh.write_text(json.dumps({**_pins(), name: sha256}, indent=1) + "\n", "utf-8")
    fresh.replace(file)


def _by_tens(tell: Tell) -> Progress:
    """A line for each tenth: what a screen reader can read out while it goes on."""
    last = 0

    def progress(have: int, total: int | None) -> None:
        nonlocal last
        if not total:
            return
        tenth = 10 * have // total
        if tenth < last:
            tell("From the beginning.")
        if tenth != last and tenth:
            tell(f"{10 * tenth} percent.")
        last = tenth

    return progress


def megabytes(size: int) -> str:
    """A size in words that can be read out."""
    if size < 1_500_000:
        return f"{max(1, round(size / 1000))} kilobytes"
    return f"{round(size / 1_000_000)} megabytes"


# ------------------------------------------------------------------ folders


def _sound_base(name: str) -> Path | None:
    """The folder of the base if it is there and as it was when it came."""
    folder = folders.folders(bases_folder()).get(name)
    if folder is None:
        return None
    try:
        return folder if folders.verify(folder) else None
    except ModelError:
        return None


@contextlib.contextmanager
def _workplace() -> Iterator[Path]:
    """A new folder beside all places, gone in the end; those of earlier attempts go, too."""
    home = folders.data_folder()
    home.mkdir(parents=True, exist_ok=True)
    for left in home.glob(f"{_WORK}*"):
        if time.time() - left.stat().st_mtime > _LEFT_BEHIND:
            shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=home, prefix=_WORK, ignore_cleanup_errors=True) as made:
        yield Path(made)


def _carry_over(old: Path | None, made: Path) -> None:
    """Keep what was added to the model that is replaced: how far it may be believed, say."""
    if old is None:
        return
    try:
        known = (folders.manifest(old) or {"files": {}})["files"]
    except ModelError:
        return
    for file in old.iterdir():
        if file.is_file() and file.name not in {*known, folders.MANIFEST}:
            shutil.copyfile(file, made / file.name)


def _put(made: Path, place: Path) -> None:
    """Let the folder ``made`` take the place of another, which stays whole until it has."""
    place.parent.mkdir(parents=True, exist_ok=True)
    aside = place.with_name(ASIDE + place.name)
    try:
        if place.exists():
            if aside.exists():
                shutil.rmtree(aside)
            place.rename(aside)
        made.rename(place)
    except PermissionError:
        raise ModelError(
            f"{place} cannot be replaced while it is used: end every other blindplay and run the "
            "same command again."
        ) from None
    shutil.rmtree(aside, ignore_errors=True)


def _discard(folder: Path) -> None:
    """Remove a model's folder: at once as far as anybody can see, then its files."""
    name = folder.name.removeprefix(ASIDE)
    if folder.name == name:
        shutil.rmtree(folder.with_name(ASIDE + name), ignore_errors=True)
    with tempfile.TemporaryDirectory(
        dir=folders.data_folder(), prefix=_WORK, ignore_cleanup_errors=True
    ) as made:
        try:
            folder.rename(Path(made) / "removed")
        except PermissionError:
            raise ModelError(
                f"{folder} cannot be removed while it is used: end every other blindplay first."
            ) from None
