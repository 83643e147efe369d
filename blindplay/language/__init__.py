"""Words for moves, out and in, and everything else a table says.

The words themselves are data: one TOML file a language in ``packs``.
"""

from .language import Language, LanguageError, languages, load
from .lexicon import Lexicon, lexicon
from .pack import look_in
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
