"""The user's models: fetch, check, adapt, put in place, remove.

All is under ``data_folder``: models as their makers published them in ``bases/NAME``, the same
acoustics with our words in ``adapted/LANGUAGE/NAME``, unfinished downloads in ``downloads``. A
model is made beside its place and renamed into it. So after an interruption there is the old model
or the new one, whole.
"""

import contextlib
import json
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from blindplay.own_files import lock, write_json
from blindplay.translation import _

from .. import adaptation
from ..adaptation import Pronunciations, Vocabulary
from . import catalogue, folders
from .catalogue import BaseModel
from .download import Patience, Progress, download, fetch_text, forget, megabytes
from .folders import ASIDE, BUILT_IN, OWN, ModelError
from .unpack import check_space, copy_folder, unpack

Tell = Callable[[str], None]
"""Gets each step in a sentence."""

_LONGEST_ARCHIVE = 2 << 30
_LONGEST_LIST = 4 << 20
_UNPACKED = 3  # times the archive's size is the most that an official model takes when unpacked
_ABANDONED_S = 3600.0  # an unfinished installation of this age is removed
_WORK = ".installing-"
_GUARD = "installing.lock"
_AGAIN_S = 0.5  # between two looks whether nobody else installs any more
_PINS = "pinned.json"  # SHA-256 of files for which nobody has published one, by their names


@dataclass(frozen=True)
class ModelWords:
    """The words for a language's models. ``lexicons`` are the words of every language; they may
    show what the phones of a base are called."""

    vocabulary: Vocabulary
    lexicons: Sequence[Mapping[str, Pronunciations]]


@dataclass(frozen=True)
class Installed:
    """An installed model: its name, its folder for the language, its number of words, the family of
    its phones, and its licence, None if unknown."""

    name: str
    folder: Path
    words: int
    phones: str
    licence: str | None


def bases_folder() -> Path:
    """Return the folder of the models as their makers published them."""
    return folders.data_folder() / "bases"


def find_base(name: str, *, patience: Patience) -> BaseModel:
    """Return the base called ``name`` from the catalogue, or else from Vosk's own list, which is
    fetched.

    :raises BaseModelError: if there is none.
    :raises DownloadError:
    """
    known = catalogue.load()
    if (base := known.known(name)) is not None:
        return base
    folders.check_name(name)
    text = fetch_text(known.list_address, most=_LONGEST_LIST, patience=patience)
    return known.listed(name, text)


@contextlib.contextmanager
def workplace(tell: Tell) -> Iterator[Path]:
    """Yield a new folder to install models in, beside all places. Only one program of this user
    has one: wait until no other does, and ``tell`` so. Those of earlier attempts are removed.

    :raises ModelError: with the remedy, if the folder of the models cannot be written.
    """
    home = folders.data_folder()
    with contextlib.ExitStack() as stack:
        stack.enter_context(folders.writing(home))
        home.mkdir(parents=True, exist_ok=True)
        guard = stack.enter_context((home / _GUARD).open("ab"))
        told = False
        while _is_others(guard.fileno()):
            if not told:
                tell(_("Another BlindPlay is installing a model; this goes on after that."))
            told = True
            time.sleep(_AGAIN_S)
        for left in home.glob(f"{_WORK}*"):
            if time.time() - left.stat().st_mtime > _ABANDONED_S:
                shutil.rmtree(left, ignore_errors=True)
        made = tempfile.TemporaryDirectory(dir=home, prefix=_WORK, ignore_cleanup_errors=True)
        yield Path(stack.enter_context(made))


def install(
    work: Path,
    language: str,
    words: ModelWords,
    *,
    base: BaseModel | None = None,
    source: Path | None = None,
    name: str | None = None,
    tell: Tell,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> Installed:
    """Install a model that knows the words of ``language``; ``work`` is a :func:`workplace`.

    Its acoustics are those of ``base``, which is fetched unless it is there already, or of
    ``source``, a zip file or a folder. A source is called ``name``, by default after its file; if
    it holds several models, this one is taken. A zip file with the name of a known base must be
    identical with it. ``tell`` gets each tenth of a download, too, unless ``progress`` follows it.

    :raises ModelError, GraphError, DownloadError: each with the remedy; and OSError.
    """
    folders.available(language)  # is it a language tag?
    if source is not None:
        name = name or (source.resolve().name if source.is_dir() else source.stem)
        base = base or catalogue.load().known(name)
        base = base or BaseModel(name, name, heard="", size=0, address="", licence="")
    if base is None:
        raise ModelError("Name a model, or a zip file or a folder with one.")
    name = folders.check_name(base.name)
    kept = _sound_base(name) if source is None else None
    if kept is not None:
        tell(_("{name} is there already.", name=name))
        about = folders.manifest(kept) or {}
    else:
        about = _put_base(
            work / "base", base, source, tell, progress or _by_tens(tell),
            patience or Patience(),
        )  # fmt: skip
    origin = {key: str(value) for key, value in about.items() if key != "files"}
    tell(_("Giving it the words of {language}.", language=language))
    place = folders.adapted_folder(language) / name
    made, report = _adapted(kept or work / "base", work, place, language, words, origin)
    if kept is None:
        _put(work / "base", bases_folder() / name)
    _put(made, place)
    if source is None:
        forget(_download_of(name))
    return Installed(name, place, report.words, report.base, origin["licence"] or None)


def _adapted(
    base: Path,
    work: Path,
    place: Path,
    language: str,
    words: ModelWords,
    origin: Mapping[str, str],
    family: str | None = None,
) -> tuple[Path, adaptation.AdaptationReport]:
    """Return an adapted model in the folder ``work`` that works and can be put into ``place``."""
    made = work / "adapted"
    report = adaptation.adapt(base, made, words.vocabulary, family=family, lexicons=words.lexicons)
    folders.seal(made, language=language, **origin)
    _carry_over(folders.models_in(place.parent).get(place.name), made)
    folders.probe(made, language)
    return made, report


def _put_base(
    fresh: Path, base: BaseModel, source: Path | None, tell: Tell, progress: Progress,
    patience: Patience,
) -> dict[str, str]:  # fmt: skip
    """Copy or fetch a base model into ``fresh``, and return what its manifest says about it."""
    about = {"name": base.name, "licence": base.licence}
    if source is not None and source.is_dir():
        tell(
            _(
                "Copying {source}; whether it is as it was published cannot be told of a folder.",
                source=source,
            )
        )
        copy_folder(source, fresh, base.name)
        about |= {"from": str(source.resolve())}
    else:
        if source is None:
            archive, sha256 = _fetch(base, tell, progress, patience)
        else:
            archive, sha256 = source, _check_given(base, source, tell)
        tell(_("Unpacking {name}.", name=base.name))
        unpack(archive, fresh, base.name)
        about |= {"from": str(source or base.address), "archive_sha256": sha256}
    folders.seal(fresh, **about)
    return about


def make_own(
    work: Path, language: str, words: ModelWords, base: Path, *, family: str | None
) -> tuple[Path, adaptation.AdaptationReport]:
    """Make the user's own model of ``language`` out of ``base``, and put it in place of the one
    before if it works. ``base`` is left as it is; it may be the own model, to get new words.
    ``work`` is a :func:`workplace`.

    Return its folder and the report of ``adapt``.

    :raises ModelError, GraphError: each with the remedy; and OSError.
    """
    folders.available(language)  # is it a language tag?
    place = folders.model_folder(language)
    origin = {"name": OWN, "from": str(base.resolve()), "base": base_of(base) or ""}
    made, report = _adapted(base, work, place, language, words, origin, family)
    _put(made, place)
    return place, report


def base_of(folder: Path) -> str | None:
    """Return the name of the catalogue's model whose acoustics a model has; None if unknown."""
    bases = catalogue.load().bases
    with contextlib.suppress(ModelError):
        about = folders.manifest(folder) or {}
        for name in (about.get("base"), about.get("name")):
            if name in bases:
                return str(name)
    acoustics = folder / "am" / "final.mdl"
    digest = folders.checksum(acoustics) if acoustics.is_file() else ""
    return next((name for name, base in bases.items() if base.acoustics == digest), None)


def installed_base(name: str) -> Path | None:
    """Return the folder of the installed base of this name or short name."""
    known = catalogue.load().known(name)
    return folders.models_in(bases_folder()).get(known.name if known else name)


def remove(name: str, language: str | None = None) -> list[str]:
    """Remove the model ``name`` from ``language``, or from all. Return sentences that say what was
    removed.

    A base goes with the last language that uses it.

    :raises ModelError: if there is nothing to remove or the model came with the program.
    :raises OSError:
    """
    if name == BUILT_IN:
        raise ModelError(
            "The built-in model is part of the program and always listens, so it cannot be removed."
        )
    known = catalogue.load().known(name)
    name = known.name if known else name
    if name != OWN:
        folders.check_name(name)
    removed = []
    for code in [language] if language else languages():
        folder = folders.available(code).get(name)
        if folder is None:
            continue
        if chosen := folders.chosen_names(code):
            others = folders.available(code).keys() - {name}
            folders.choose(code, [other for other in chosen if other in others])
        _discard(folder)
        removed.append(_("{name} has been removed from {code}.", name=name, code=code))
    base = folders.models_in(bases_folder()).get(name)
    if base is not None and not any(name in folders.available(code) for code in languages()):
        _discard(base)
        removed.append(
            _("{name} has been removed altogether; it can be installed again.", name=name)
        )
    fetched = forget(_download_of(name))
    if not removed and fetched:
        removed.append(_("What had been fetched of {name} has been removed.", name=name))
    if not removed:
        raise ModelError(
            _(
                "There is no installed model {name} of {language}; blindplay models list says "
                "which are.",
                name=name,
                language=language,
            )
            if language
            else _(
                "There is no installed model {name}; blindplay models list says which are.",
                name=name,
            )
        )
    return removed


def languages() -> list[str]:
    """Return the languages for which the user has installed or made a model, sorted."""
    adapted = folders.data_folder() / "adapted"
    codes = {folder.name for folder in adapted.glob("*/") if folders.models_in(folder)}
    codes |= {folder.parent.parent.name for folder in folders.data_folder().glob("*/am/final.mdl")}
    return sorted(code for code in codes if folders.is_language(code))


def _download_of(name: str) -> Path:
    return folders.data_folder() / "downloads" / f"{name}.zip"


def _check_given(base: BaseModel, archive: Path, tell: Tell) -> str:
    if not archive.is_file():
        raise ModelError(
            "There is no file and no folder {archive}; check the name.", archive=archive
        )
    sha256, published = _checked(base, archive)
    if published:
        tell(_("{name} is the file that was published.", name=archive.name))
    else:
        tell(
            _(
                "Nobody has published what {name} should be; its SHA-256 is {sha256}.",
                name=archive.name,
                sha256=sha256,
            )
        )
    return sha256


def _fetch(base: BaseModel, tell: Tell, progress: Progress, patience: Patience) -> tuple[Path, str]:
    """Fetch the archive of the model unless it is there, and return it with its SHA-256."""
    archive = _download_of(base.name)
    check_space(archive, base.size * (1 + _UNPACKED))
    tell(
        _(
            "Fetching {name}, {megabytes}, from {address}; its licence: {licence}.",
            name=base.name,
            megabytes=megabytes(base.size),
            address=base.address,
            licence=base.licence,
        )
    )
    again = False
    while True:
        joined = archive.is_file() or download(
            base.address, archive, size=base.size, most=_LONGEST_ARCHIVE, patience=patience,
            progress=progress, trouble=tell,
        )  # fmt: skip
        try:
            return archive, _checked(base, archive)[0]
        except ModelError:
            forget(archive)
            # The file on the server may have changed between two pieces.
            if again or not joined:
                raise
        again = True
        tell(_("The pieces do not fit together; it is fetched once more from the beginning."))


def _checked(base: BaseModel, archive: Path) -> tuple[str, bool]:
    """Return the SHA-256 of an archive of the model, and whether any checksum of it is known.

    If only its MD5 sum is published, its SHA-256 is kept: a later archive must have the same.

    :raises ModelError: if the archive is another.
    """
    sha256 = folders.checksum(archive)
    expected = base.sha256 or _pins().get(base.name)
    if expected is not None and sha256 != expected:
        raise ModelError(
            "This is not the {name} that is known: its SHA-256 is {sha256} and should "
            "be {wanted}; it is not used and nothing has been changed.",
            name=base.name,
            sha256=sha256,
            wanted=expected,
        )
    if base.md5 is not None and (md5 := folders.checksum(archive, "md5")) != base.md5:
        raise ModelError(
            "This is not the {name} of Vosk's list: its MD5 sum is {md5} and should be "
            "{known_md5}; it is not used and nothing has been changed.",
            name=base.name,
            md5=md5,
            known_md5=base.md5,
        )
    if base.sha256 is None and base.md5 is not None:
        _pin(base.name, sha256)
    return sha256, expected is not None or base.md5 is not None


def _pins() -> dict[str, str]:
    """Return the SHA-256 that archives had when they first came, by the names of their models.

    :raises ModelError:
    """
    file = folders.data_folder() / _PINS
    try:
        read = json.loads(file.read_text("utf-8"))
        return {str(name): str(value) for name, value in read.items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, AttributeError, RecursionError):
        raise ModelError(
            "{file}, in which the checksums of models are kept, is damaged; delete it "
            "to trust the next download of each anew.",
            file=file,
        ) from None


def _pin(name: str, sha256: str) -> None:
    """Keep the SHA-256 of a model's archive: later downloads must have the same."""
    write_json(folders.data_folder() / _PINS, {**_pins(), name: sha256})


def _by_tens(tell: Tell) -> Progress:
    """Return a progress that tells each tenth in a line, which a screen reader can read."""
    last = 0

    def progress(have: int, total: int | None) -> None:
        nonlocal last
        if not total:
            return
        tenth = 10 * have // total
        if tenth < last:
            tell(_("From the beginning."))
        if tenth != last and tenth:
            tell(_("{count} percent.", count=10 * tenth))
        last = tenth

    return progress


def _sound_base(name: str) -> Path | None:
    """Return the folder of the base if it is there and unchanged."""
    folder = folders.models_in(bases_folder()).get(name)
    if folder is None:
        return None
    try:
        return folder if folders.verify(folder) else None
    except ModelError:
        return None


def _is_others(guard: int) -> bool:
    """Return whether another program holds the lock; no if the file system has no locks."""
    with contextlib.suppress(OSError):
        return not lock(guard)
    return False


def _carry_over(old: Path | None, made: Path) -> None:
    """Copy the files that are in no manifest, such as the measured confidence."""
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
    """Put the folder ``made`` in place of another, which stays whole until then."""
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
            "{place} cannot be replaced while it is used: end every other blindplay "
            "and run the same command again.",
            place=place,
        ) from None
    shutil.rmtree(aside, ignore_errors=True)


def _discard(folder: Path) -> None:
    """Remove a model's folder: rename it first, so that it is gone at once, then delete it."""
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
                "{folder} cannot be removed while it is used: end every other blindplay first.",
                folder=folder,
            ) from None
