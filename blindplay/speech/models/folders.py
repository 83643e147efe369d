"""The folders of speech models: where they are, which of them listen, whether they are whole."""

import contextlib
import errno
import hashlib
import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from blindplay import own_files
from blindplay.shipped import shipped
from blindplay.translation import UserError, _, unpacked

from . import catalogue

FST_MAGIC = bytes((0xD6, 0xFD, 0xB2, 0x7E))  # OpenFst's header, little-endian 2125659606

BUILT_IN = "built-in"
"""The name of the model that comes with the program."""
MADE_OF = "player.json"
"""The file in a player's own speech model that names the model it was made from."""
OWN = "own"
"""The name of a model of the user's own making, in ``model_folder``."""
MOST_PEOPLE = 2
"""Number of models trained on people that listen at once, unless the user chooses otherwise."""

ASIDE = ".old-"
"""Prefix of a model's folder while another takes its place."""
MANIFEST = "installed.json"
"""The file in an installed or built-in model that has its origin and the SHA-256 of its files."""
_LOADED = ("am", "conf", "graph")  # the folders that the recogniser loads; others may change

_CHOSEN = "chosen.json"
_SAID = "blindplay-model-error:"  # marks the sentence of a process that tried a model


class ModelError(UserError):
    """There is no usable speech model. The message names the remedy."""


def data_folder() -> Path:
    """Return the folder of all models in the user's data."""
    return own_files.data_folder() / "models"


def model_folder(language: str) -> Path:
    """Return the folder of the user's own model of ``language``."""
    return data_folder() / language


def adapted_folder(language: str) -> Path:
    """Return the folder of the installed models of ``language``; each has a folder in it."""
    return data_folder() / "adapted" / language


def built_in(language: str) -> Path | None:
    """Return the folder of the model of ``language`` that comes with the program, if there is
    one."""
    folder = shipped(f"models/{language}")
    return folder if (folder / "am").is_dir() else None


def is_language(text: str) -> bool:
    """Return whether ``text`` has the form of a language tag, and so can be a folder's name."""
    return re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", text) is not None


def available(language: str) -> dict[str, Path]:
    """Return the folders of all models of ``language`` by their names, the preferred one first:
    "own", the installed ones by the names of their bases, "built-in".

    :raises ModelError: if ``language`` is not a language tag.
    """
    if not is_language(language):
        raise ModelError(
            "{language} is not a language tag; write for example de or nb.", language=repr(language)
        )
    own = model_folder(language)
    models = {OWN: own} if own.is_dir() else {}
    adapted = models_in(adapted_folder(language))
    models |= {name: adapted[name] for name in catalogue.load().order(language, adapted)}
    if (built := built_in(language)) is not None:
        models[BUILT_IN] = built
    return models


def models_in(parent: Path) -> dict[str, Path]:
    """Return the folders of the models in ``parent`` by their names.

    If the program ended while a model was being replaced, the old one, which was set aside, counts.
    """
    if not parent.is_dir():
        return {}
    folders = sorted(folder for folder in parent.iterdir() if folder.is_dir())
    aside = {f.name.removeprefix(ASIDE): f for f in folders if f.name.startswith(ASIDE)}
    return aside | {folder.name: folder for folder in folders if not folder.name.startswith(".")}


def check_name(name: str) -> str:
    """Return ``name`` if a model's folder may be called so on every system.

    :raises ModelError:
    """
    reserved = re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", name)
    fitting = re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,98}[A-Za-z0-9]", name)
    if not fitting or reserved or name in (OWN, BUILT_IN):
        raise ModelError(
            "A model cannot be called {name}; use letters, digits, hyphens and dots, "
            "and neither {own} nor {built_in}.",
            name=repr(name),
            own=OWN,
            built_in=BUILT_IN,
        )
    return name


def chosen_names(language: str) -> tuple[str, ...]:
    """Return the names of the models that the user chose for ``language`` (``blindplay models
    use``), the most trusted first; none without a choice."""
    return tuple(dict.fromkeys(_choices()[0].get(language, [])))


def unread_choices() -> str | None:
    """Return a sentence if the user's choices cannot be read, wholly or in part, so that the usual
    models listen and the user must learn of it; None if all is well."""
    return _choices()[1]


def choose(language: str, names: Iterable[str]) -> Path | None:
    """Keep the names of the models that are to listen to ``language``; no names: the usual ones.

    A damaged file of choices is kept beside the new one, because a person may still read the
    choices of other languages in it. Return its new path, None if there was none.

    :raises ModelError: for a name that is not in ``available``, or if nothing can be written.
    """
    installed, wanted = available(language), list(dict.fromkeys(names))
    if unknown := [name for name in wanted if name not in installed]:
        raise _absent(language, unknown[0], installed)
    before, unread = _choices()
    file = data_folder() / _CHOSEN
    with writing(data_folder()):
        aside = own_files.set_aside(file) if unread else None
        kept = {code: kept for code, kept in {**before, language: wanted}.items() if kept}
        own_files.write_json(file, kept)
    return aside


@contextlib.contextmanager
def writing(folder: Path) -> Iterator[None]:
    """Turn errors of a full disk and missing permissions into a ModelError with the remedy."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ModelError(
                "The disk with {folder} is full; make room and run the same command again.",
                folder=folder,
            ) from error
        if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            raise ModelError(
                "The system does not let you use {filename}; see that you may read it, "
                "and write to {folder}, and run the same command again.",
                filename=error.filename or folder,
                folder=folder,
            ) from error
        raise


def _choices() -> tuple[dict[str, list[str]], str | None]:
    """Return the readable choices, and a sentence if something is not readable."""
    file = data_folder() / _CHOSEN
    read: Any = None
    try:
        read = json.loads(file.read_text("utf-8"))
    except FileNotFoundError:
        return {}, None
    except (OSError, ValueError, RecursionError):
        pass
    entries = read.items() if isinstance(read, dict) else ()
    whole = {
        code: names
        for code, names in entries
        if isinstance(names, list) and all(isinstance(name, str) for name in names)
    }
    if isinstance(read, dict) and len(whole) == len(read):
        return whole, None
    return whole, (
        _(
            "{file}, which keeps the models that you chose, is damaged, so the usual ones "
            "listen; choose again, for each language, with: blindplay models use.",
            file=file,
        )
    )


def check_installed(language: str, name: str) -> None:
    """Raise ModelError, with the remedy, if there is no model ``name`` of ``language``."""
    if name not in (installed := available(language)):
        raise _absent(language, name, installed)


def _absent(language: str, name: str, installed: Iterable[str]) -> ModelError:
    if listed := ", ".join(installed):
        return ModelError(
            "There is no model {name} for {language}; there are: {listed}; install it with: "
            "blindplay models install {name} --language {language}, or choose another with: "
            "blindplay models use --language {language}.",
            name=name,
            language=language,
            listed=listed,
        )
    return ModelError(
        "There is no model {name} for {language}; install it with: blindplay models install "
        "{name} --language {language}.",
        name=name,
        language=language,
    )


def listening_names(language: str) -> tuple[str, ...]:
    """Return the names of the models that are to listen to ``language`` together, the most trusted
    first, whether they are there or not.

    These are the ones that the user chose (``blindplay models use NAME … --language LANGUAGE``), or
    else the user's own model and the installed ones, two at most. The built-in one always listens:
    it is good in noise and knows other talk, and where it listens, the others seldom mislead.
    """
    installed = available(language)
    people = [name for name in installed if name != BUILT_IN][:MOST_PEOPLE]
    names = chosen_names(language) or tuple(people)
    return names if BUILT_IN in names or BUILT_IN not in installed else (*names, BUILT_IN)


def chosen_models(language: str) -> tuple[Path, ...]:
    """Return the folders of ``listening_names``. They look like models; ``check_model``, which the
    recogniser calls, compares their files with the installed ones.

    :raises ModelError: if there is none, if a chosen one is gone, or if one is not a model.
    """
    installed, names = available(language), listening_names(language)
    if missing := [name for name in names if name not in installed]:
        raise _absent(language, missing[0], installed)
    if not names:
        raise ModelError(
            "There is no speech model for {language}, so nothing can be heard in that "
            "language; run: blindplay models install --language {code} (without the "
            "internet with --from and the file of a small Vosk model of any language), "
            "or type what is said.",
            language=repr(language),
            code=language,
        )
    for name in names:
        _check_files(installed[name])
    return tuple(installed[name] for name in names)


def find_model(language: str) -> Path:
    """Return the first of ``chosen_models``.

    :raises ModelError: if there is none.
    """
    return chosen_models(language)[0]


def words_file(model: Path) -> Path:
    """Return the path of the model's word list, in the newer layout or the older, flat one."""
    newer = model / "graph" / "words.txt"
    return newer if newer.is_file() else model / "words.txt"


def check_model(path: Path) -> Path:
    """Return ``path`` if it is a Vosk model whose grammar can be set at run time. Raises
    ModelError.

    Vosk answers a broken folder with a bare exception, or ends the process. So its files are looked
    at first, in both of Vosk's layouts: ``am/ conf/ graph/`` and the older, flat one. The files of
    an installed or built-in model must not have changed (see ``verify``).
    """
    _check_files(path)
    verify(path)
    return path


def seal(folder: Path, *, among: Iterable[str] = ("",), **about: str) -> None:
    """Write the manifest of a model: the SHA-256 of every file in its folder, or in the folders
    ``among`` it, and what else is known ``about`` it."""
    every = (file for part in among for file in (folder / part).rglob("*"))
    files = sorted(file for file in every if file.is_file() and file.name != MANIFEST)
    sums = {file.relative_to(folder).as_posix(): checksum(file) for file in files}
    own_files.write_json(folder / MANIFEST, {**about, "files": sums})


def seal_built_in(folder: Path) -> None:
    """Write the manifest of a model of our own: the SHA-256 of the files that the recogniser loads.

    Other files, such as the model's card and its measured confidence, may change."""
    seal(folder, among=_LOADED, name=BUILT_IN)


def manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a model; None if it has none.

    :raises ModelError: if it is damaged.
    """
    file = folder / MANIFEST
    try:
        read = json.loads(file.read_text("utf-8"))
        if not all(isinstance(s, str) for pair in read["files"].items() for s in pair):
            raise ValueError
    except FileNotFoundError:
        return None
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise ModelError("{file} is damaged; install the model again.", file=file) from None
    return dict(read)


def origin(model: Path) -> Path:
    """Return the model that a player's own was made from, because that was measured."""
    with contextlib.suppress(OSError, ValueError, KeyError, TypeError):
        made_of = Path(json.loads((model / MADE_OF).read_text("utf-8"))["of"])
        if made_of.is_dir():
            return made_of
    return model


def is_built_in(model: Path) -> bool:
    """Return whether this is the model that comes with the program, or a player's own of it."""
    with contextlib.suppress(ModelError):  # loading the model reports a damaged manifest
        return bool((manifest(origin(model)) or {}).get("name") == BUILT_IN)
    return False


def verify(folder: Path) -> int:
    """Compare the files of a model with its manifest, in about a tenth of a second.

    Return the number of files, 0 for a model without a manifest.

    :raises ModelError: if a file is missing or has changed.
    """
    kept = manifest(folder)
    if kept is None:
        return 0
    for name, expected in kept["files"].items():
        try:
            digest = checksum(folder / name)
        except OSError:
            digest = ""
        if digest != expected:
            raise ModelError(
                _(
                    "{name} of the model in {folder} is not as it was when it was installed, so it "
                    "is not used; install BlindPlay again.",
                    name=name,
                    folder=folder,
                )
                if kept.get("name") == BUILT_IN
                else _(
                    "{name} of the model in {folder} is not as it was when it was installed, so it "
                    "is not used; install the model again.",
                    name=name,
                    folder=folder,
                )
            )
    return len(kept["files"])


def checksum(file: Path, kind: str = "sha256") -> str:
    """Return the checksum of a file in lower-case hexadecimal digits."""
    with file.open("rb") as stream:
        digest = hashlib.file_digest(stream, lambda: hashlib.new(kind, usedforsecurity=False))
    return digest.hexdigest()


def _check_files(path: Path) -> None:
    if not path.is_dir():
        raise ModelError("{path} is not a folder; name the folder of an unpacked model.", path=path)
    names = ["am/final.mdl", "conf/mfcc.conf", "graph/words.txt", "graph/HCLr.fst", "graph/Gr.fst"]
    if not (path / names[0]).is_file():
        names = [name.rpartition("/")[2] for name in names]
    graph = path / names[3]
    if graph.with_name("HCLG.fst").is_file() and not graph.is_file():
        raise ModelError(
            "The model in {path} has a fixed vocabulary; take a small model, whose "
            "words can be chosen while it runs.",
            path=path,
        )
    for name in names:
        file = path / name
        if not file.is_file() or file.stat().st_size == 0:
            raise ModelError(
                "{path} is not a Vosk model: {name} is missing or empty; unpack the model again.",
                path=path,
                name=name,
            )
        with file.open("rb") as stream:
            head = stream.read(64)
        damaged_graph = name.endswith(".fst") and not head.startswith(FST_MAGIC)
        if damaged_graph or (name.endswith(".mdl") and b"<TransitionModel>" not in head):
            raise ModelError(
                "{name} in {path} is damaged; unpack the model again.", name=name, path=path
            )


def vocabulary(model: Path) -> frozenset[str]:
    """Return every word that the model knows, without Kaldi's symbols such as ``<eps>`` and ``#0``.

    :raises ModelError: if the word list is not UTF-8 text of "word number" lines.
    """
    try:
        lines = words_file(model).read_text(encoding="utf-8").splitlines()
        words = [line.rsplit(maxsplit=1)[0] for line in lines if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(
            "The word list of the model in {model} cannot be read.", model=model
        ) from error
    return frozenset(word for word in words if not word.startswith(("<", "#")))


def probe(model: Path, language: str) -> None:
    """Load the model and recognise a second of silence in a process of its own.

    A truncated graph passes ``check_model``, and then Vosk ends the process. Takes about half a
    second.

    :raises ModelError: if the model does not work.
    """
    check_model(model)
    program = (
        "import json, sys; from pathlib import Path\n"
        "from blindplay.speech.recogniser import Recogniser\n"
        "from blindplay.translation import packed\n"
        "try: r = Recogniser(Path(sys.argv[1]), sys.argv[2])\n"
        f"except ValueError as error: sys.exit({_SAID!r} + json.dumps(packed(str(error))))\n"
        "r.recognise(bytes(32000), sorted(filter(str.isalpha, r.vocabulary))[:1])"
    )
    command = [sys.executable, "-c", program, str(model), language]
    try:
        done = subprocess.run(command, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        raise ModelError(
            "The model in {model} hangs; unpack the model again.", model=model
        ) from None
    _rest, said, sentence = done.stderr.decode("utf-8", "replace").rpartition(_SAID)
    if said:
        raise ModelError(unpacked(json.loads(sentence)))
    # OpenFst goes on without a graph that it cannot read, and only prints that.
    if done.returncode != 0 or b"Read failed" in done.stderr:
        raise ModelError("The model in {model} is damaged; unpack the model again.", model=model)
