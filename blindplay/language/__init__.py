"""Words for moves, out and in, and everything else a table says.

The words themselves are data: one TOML file a language in ``packs``.
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
