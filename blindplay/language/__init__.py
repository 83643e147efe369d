"""Words for moves, out and in, and everything else a table says.

The words themselves are data: one TOML file a language in ``packs``.
"""

from .language import Language, LanguageError, languages, load, words_only
from .understanding import Command, IllegalReason, Kind, Understanding

__all__ = [
    "Command",
    "IllegalReason",
    "Kind",
    "Language",
    "LanguageError",
    "Understanding",
    "languages",
    "load",
    "words_only",
]
