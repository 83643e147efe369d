"""An ear: hears recorded announcements of one language."""

from collections.abc import Callable, Sequence
from pathlib import Path

import chess

from blindplay.language import Language
from blindplay.speech.audio import read_audio
from blindplay.speech.confidence import confidence_of

from .decision import Decision, decide
from .expectation import expect
from .recognisers import listening_models, open_recogniser


class Ear:
    """Hears in the language of ``pack``, with the models in the folders ``models`` or, if there are
    none, with those chosen for the language. ``lost`` is called with a sentence for each model that
    cannot listen while the others do. Raises ModelError if no model can listen.
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

        ``sound`` is a file, or 16-bit mono samples at 16 kHz. Raises AudioError if the file cannot
        be read.
        """
        pcm = sound if isinstance(sound, bytes) else read_audio(Path(sound))
        expected = expect(self._recogniser, self._pack, [board])
        recognition = self._recogniser.recognise(pcm, list(expected.phrases))
        return decide(recognition, expected, self._pack, self._confidence)
