"""The speech models that listen at a table."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeAlias

from blindplay.language import Language, lexicon
from blindplay.speech.ensemble import AnyRecogniser, Ensemble
from blindplay.speech.models import folders as model_folders
from blindplay.speech.recogniser import Recogniser

Lost: TypeAlias = Callable[[str], None]
"""Called with a sentence when a model cannot listen and the others go on without it."""


def listening_models(language: str, lost: Lost) -> tuple[Path, ...]:
    """The folders of the chosen models that listen together, as far as they are there; the usual
    ones if the choice cannot be read. Raises ModelError if there is none."""
    if unread := model_folders.unread_choices():
        lost(unread)
    try:
        return model_folders.chosen_models(language)
    except model_folders.ModelError as error:
        there = model_folders.available(language)
        names = model_folders.listening_names(language)
        left = tuple(there[name] for name in names if name in there)
        if not left:
            raise
        lost(str(error))
        return left


def open_recogniser(pack: Language, *folders: Path, lost: Lost | None = None) -> AnyRecogniser:
    """A recogniser for the words of ``pack`` and for other words that are known not to be its.

    A large model's own words would be too many to listen for. The models of several folders listen
    together. ``lost`` learns which of several cannot be loaded.

    Raises ModelError if the model cannot be loaded; of several, if none can be, or if one cannot be
    and ``lost`` is not given.
    """
    return open_recognisers([(pack, folder) for folder in folders], lost=lost)


def open_recognisers(
    models: Sequence[tuple[Language, Path]], *, lost: Lost | None = None
) -> AnyRecogniser:
    """A recogniser of the models in folders, each with the language that it is to hear.

    Raises ModelError as :func:`open_recogniser`.
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
            lost(f"{error} The others listen without it.")
    return loaded[0] if len(loaded) == 1 else Ensemble(loaded)


def _words(pack: Language) -> set[str]:
    known = lexicon(pack.code)
    return {*pack.grammar_words(), *known.words, *known.fillers}
