"""The words that a table says and understands.

The words are data: one TOML file for each language in ``packs``.
"""

from .language import Language, load
from .lexicon import Lexicon, lexicon
from .pack import LanguageError, languages, look_in
from .understanding import (
    NEVER_OPENED,
    QUESTIONS,
    About,
    Command,
    IllegalReason,
    Kind,
    Understanding,
)

__all__ = [
    "NEVER_OPENED",
    "QUESTIONS",
    "About",
    "Command",
    "IllegalReason",
    "Kind",
    "Language",
    "LanguageError",
    "Lexicon",
    "Understanding",
    "languages",
    "lexicon",
    "load",
    "look_in",
]
