"""Load a speech model of any kind from its folder."""

from collections.abc import Iterable, Mapping
from pathlib import Path

from .ctc.recogniser import CtcRecogniser
from .models.folders import network_file
from .recogniser import Recogniser, SpeechModel


def load_model(
    folder: Path,
    language: str,
    *,
    spellings: Mapping[str, str] | None = None,
    words: Iterable[str] | None = None,
) -> SpeechModel:
    """Return the model in ``folder``, an ONNX network or a Vosk model. The other arguments are
    those of `Recogniser`. Raises ModelError."""
    if network_file(folder) is not None:
        return CtcRecogniser(folder, language, spellings=spellings, words=words or ())
    return Recogniser(folder, language, spellings=spellings, words=words)
