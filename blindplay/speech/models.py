"""Where speech models live, and whether a folder is one."""

import re
import subprocess
import sys
from pathlib import Path

import platformdirs

FST_MAGIC = bytes((0xD6, 0xFD, 0xB2, 0x7E))  # OpenFst's header, little-endian 2125659606


class ModelError(ValueError):
    """There is no usable speech model; the sentence says what to do."""


def model_folder(language: str) -> Path:
    """Return the folder in which the user's own model of `language` is looked for."""
    return Path(platformdirs.user_data_path("blindplay", appauthor=False)) / "models" / language


def find_model(language: str, path: Path | None = None) -> Path:
    """Return the folder of a checked Vosk model for `language` (a tag such as "de").

    The first of these that exists: `path`; the user's own model (see `model_folder`); the one
    built into the installed package; the one in the source repository. A folder that exists but
    is no model is an error, never passed over in silence.

    Raises ModelError when there is none or the one found cannot be used.
    """
    if path is not None:
        return check_model(path)
    if not re.fullmatch(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", language):
        raise ModelError(f"{language!r} is not a language tag; write for example de or nb.")
    package = Path(__file__).resolve().parent.parent
    own = model_folder(language)
    for folder in (own, package / "models" / language, package.parent / "models" / language):
        if folder.is_dir():
            return check_model(folder)
    raise ModelError(
        f"There is no speech model for {language!r}, so nothing can be heard in that language; "
        "take a small Vosk model of any language and run: blindplay models adapt ITS_FOLDER "
        f"--language {language}; or type what is said."
    )


def words_file(model: Path) -> Path:
    """Return the path of the model's word list, in the newer layout or the flat older one."""
    newer = model / "graph" / "words.txt"
    return newer if newer.is_file() else model / "words.txt"


def check_model(path: Path) -> Path:
    """Return `path` if it is a Vosk model whose grammar can be set at run time.

    Vosk answers a broken folder with a bare exception or by ending the process, so its files are
    looked at first. Both of Vosk's layouts are known: `am/ conf/ graph/` and the older flat one.

    Raises ModelError otherwise.
    """
    if not path.is_dir():
        raise ModelError(f"{path} is not a folder; name the folder of an unpacked Vosk model.")
    if (path / "am" / "final.mdl").is_file():
        acoustic, conf, graph = path / "am" / "final.mdl", path / "conf" / "mfcc.conf", "graph/"
    else:
        acoustic, conf, graph = path / "final.mdl", path / "mfcc.conf", ""
    needed = [acoustic, conf, path / f"{graph}words.txt"]
    fsts = [path / f"{graph}HCLr.fst", path / f"{graph}Gr.fst"]
    if (path / f"{graph}HCLG.fst").is_file() and not fsts[0].is_file():
        raise ModelError(
            f"The model in {path} has a fixed vocabulary; take a small model, "
            "whose words can be chosen while it runs."
        )
    for file in needed + fsts:
        if not file.is_file() or file.stat().st_size == 0:
            raise ModelError(
                f"{path} is not a Vosk model: {file.relative_to(path).as_posix()} is missing "
                "or empty; unpack the model again."
            )
    for file in fsts:
        with file.open("rb") as stream:
            if stream.read(4) != FST_MAGIC:
                raise ModelError(
                    f"{file.relative_to(path).as_posix()} in {path} is damaged; "
                    "unpack the model again."
                )
    with acoustic.open("rb") as stream:
        head = stream.read(64)
    if b"<TransitionModel>" not in head:
        raise ModelError(
            f"{acoustic.relative_to(path).as_posix()} in {path} is damaged; unpack the model again."
        )
    return path


def vocabulary(model: Path) -> frozenset[str]:
    """Return every word the model can hear, without Kaldi's symbols such as ``<eps>`` and ``#0``.

    Raises ModelError when the word list is not UTF-8 text of "word number" lines.
    """
    try:
        lines = words_file(model).read_text(encoding="utf-8").splitlines()
        words = [line.rsplit(maxsplit=1)[0] for line in lines if line.strip()]
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError(f"The word list of the model in {model} cannot be read.") from error
    return frozenset(word for word in words if not word.startswith(("<", "#")))


def probe(model: Path, language: str, timeout: float = 60.0) -> None:
    """Load the model and hear a second of silence in a process of its own.

    A graph cut short passes `check_model` and then ends the process in Vosk; here that process is
    another. Takes about half a second. Raises ModelError when it does not work.
    """
    check_model(model)
    program = (
        "import sys; from pathlib import Path; from blindplay.speech.recogniser import Recogniser;"
        "r = Recogniser(Path(sys.argv[1]), sys.argv[2]);"
        "w = min(w for w in r.vocabulary if w.isalpha()); r.recognise(bytes(32000), [w])"
    )
    command = [sys.executable, "-c", program, str(model), language]
    try:
        done = subprocess.run(command, capture_output=True, timeout=timeout, check=False)
    except subprocess.TimeoutExpired:
        raise ModelError(f"The model in {model} hangs; unpack the model again.") from None
    # OpenFst goes on without a graph it could not read, and says so only here.
    if done.returncode != 0 or b"Read failed" in done.stderr:
        raise ModelError(f"The model in {model} is damaged; unpack the model again.")
