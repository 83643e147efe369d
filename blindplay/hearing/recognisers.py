"""The speech models that listen at a table or to recordings, and the memory that they need."""

import contextlib
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

import chess

from blindplay.given import UTTERANCE
from blindplay.language import Language, LanguageError, languages, lexicon, load
from blindplay.speech.adaptation import Vocabulary
from blindplay.speech.audio import read_audio
from blindplay.speech.confidence import confidence_of
from blindplay.speech.endpointing import Silero, prepare_detectors
from blindplay.speech.ensemble import AnyRecogniser, Ensemble
from blindplay.speech.models import folders as model_folders
from blindplay.speech.models.store import ModelWords
from blindplay.speech.recogniser import Recogniser, keep_model
from blindplay.translation import _

from .decision import Decision, decide
from .expectation import expect

Lost: TypeAlias = Callable[[str], None]
"""Called with a sentence when a model cannot listen and the others go on without it."""


def listening_models(language: str, lost: Lost) -> tuple[Path, ...]:
    """The folders of the chosen models that listen together, as far as they are there; the usual
    ones if the choice cannot be read.

    :raises ModelError: if there is none.
    """
    if unread := model_folders.unread_choices():
        lost(unread)
    try:
        return model_folders.chosen_models(language)
    except model_folders.ModelError as error:
        installed = model_folders.available(language)
        names = model_folders.listening_names(language)
        left = tuple(installed[name] for name in names if name in installed)
        if not left:
            raise
        lost(str(error))
        return left


def open_recogniser(pack: Language, *folders: Path, lost: Lost | None = None) -> AnyRecogniser:
    """A recogniser for the words of ``pack`` and for other words that are known not to be its.

    A large model's own words would be too many to listen for. The models of several folders listen
    together. ``lost`` learns which of several cannot be loaded.

    :raises ModelError: if the model cannot be loaded; of several, if none can be, or if one cannot
        be and ``lost`` is not given.
    """
    return open_recognisers([(pack, folder) for folder in folders], lost=lost)


def open_recognisers(
    models: Sequence[tuple[Language, Path]], *, lost: Lost | None = None
) -> AnyRecogniser:
    """A recogniser of the models in folders, each with the language that it is to hear.

    :raises ModelError: as :func:`open_recogniser`.
    """
    packs = dict.fromkeys(pack for pack, _ in models)
    words = {word for pack in packs for word in _words(pack)}
    loaded: list[Recogniser] = []
    for number, (pack, folder) in enumerate(models, 1):
        try:
            loaded.append(Recogniser(folder, pack.code, spellings=pack.spoken, words=words))
        except model_folders.ModelError as error:
            if lost is None or (number == len(models) and not loaded):
                raise
            lost(_("{error} The others listen without it.", error=error))
    return loaded[0] if len(loaded) == 1 else Ensemble(loaded)


def share(models: Sequence[Path], detectors: int) -> None:
    """Load these models, and the networks of so many voice detectors, for all processes that are
    forked from this one. A model that cannot be loaded is left out."""
    for folder in models:
        with contextlib.suppress(model_folders.ModelError):  # the table that opens it tells why
            keep_model(folder)
    prepare_detectors(detectors)


def model_words(code: str, lost: Lost) -> ModelWords:
    """Return the words that a model of this language learns, and how other languages pronounce
    theirs. A pack of the user's own that is damaged is left out, and ``lost`` learns of it."""
    known = lexicon(code)
    vocabulary = Vocabulary({**known.words, **known.fillers}, known.squares)
    lexicons = []
    for tag in languages():
        try:
            lexicons.append(lexicon(tag).words)
        except LanguageError as error:
            lost(_("{one} gives no pronunciations. {error}", one=tag, error=error))
    return ModelWords(vocabulary, lexicons)


def _words(pack: Language) -> set[str]:
    known = lexicon(pack.code)
    return {*pack.grammar_words(), *known.words, *known.fillers}


class Ear:
    """Hears in the language of ``pack``, with the models in the folders ``models`` or, if there are
    none, with those chosen for the language. ``lost`` is called with a sentence for each model that
    cannot listen while the others do.

    :raises ModelError: if no model can listen.
    """

    def __init__(
        self,
        pack: Language,
        models: Sequence[Path] = (),
        *,
        lost: Callable[[str], None] = lambda sentence: None,
    ) -> None:
        self._pack = pack
        folders = tuple(models) or listening_models(pack.code, lost)
        self._recogniser = open_recogniser(pack, *folders, lost=lost)
        self._confidence = confidence_of(*self._recogniser.folders, lost=lost)

    def hear(self, sound: Path | str | bytes, board: chess.Board) -> Decision:
        """Decide what one utterance means on ``board``, with no other evidence.

        ``sound`` is a file, or 16-bit mono samples at 16 kHz.

        :raises AudioError: if the file cannot be read.
        """
        pcm = sound if isinstance(sound, bytes) else read_audio(Path(sound), limit=UTTERANCE)
        expected = expect(self._recogniser, self._pack, [board])
        recognition = self._recogniser.recognise(pcm, list(expected.phrases))
        return decide(recognition, expected, self._pack, self._confidence)


_LOADED_S = 120.0
"""Seconds that a process may take to load the models and to recognise once."""


def memory(models: Sequence[Path], language: str) -> tuple[float, float] | None:
    """Return the megabytes of a process with everything but the models, and with the models and the
    voice detector at work; None where the system does not tell, or needs minutes for it."""
    command = [sys.executable, "-m", __name__, language, *map(str, models)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_LOADED_S)
        before, after = map(float, done.stdout.split())
    except (subprocess.TimeoutExpired, ValueError):
        return None
    return before, after


def _print_memory(language: str, *models: str) -> None:
    pack = load(language)
    import vosk  # noqa: F401  a part of "everything but the models"

    _print_resident_megabytes()
    recogniser = open_recogniser(pack, *map(Path, models))
    Silero().likelihood(bytes(32_000))
    expected = expect(recogniser, pack, [chess.Board()])
    recogniser.recognise(bytes(64_000), list(expected.phrases))
    _print_resident_megabytes()


def _print_resident_megabytes() -> None:
    """Print the memory of this process, or the most that it ever had; nothing on Windows."""
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text("utf-8").splitlines()
        print(next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")))
    elif sys.platform != "win32":
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        print(most / (1 << 20 if sys.platform == "darwin" else 1024))


if __name__ == "__main__":
    _print_memory(*sys.argv[1:])
