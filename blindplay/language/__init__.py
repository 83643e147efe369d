"""The words that a table says and understands.

The words are data: one TOML file for each language in ``packs``.
"""

from .language import AnalysisWord as AnalysisWord
from .language import Key as Key
from .language import Language as Language
from .language import analysis_word_of as analysis_word_of
from .language import key_of as key_of
from .language import load as load
from .language import word_of as word_of
from .lexicon import Lexicon as Lexicon
from .lexicon import lexicon as lexicon
from .mixed_text import MixedText as MixedText
from .mixed_text import Part as Part
from .mixed_text import fill as fill
from .mixed_text import in_language as in_language
from .mixed_text import join as join
from .mixed_text import parts_of as parts_of
from .pack import LanguageError as LanguageError
from .pack import languages as languages
from .reader_language import ReaderLanguage as ReaderLanguage
from .understanding import CHANGES_NOTHING as CHANGES_NOTHING
from .understanding import NEVER_OPENED as NEVER_OPENED
from .understanding import ON_A_SCREEN as ON_A_SCREEN
from .understanding import PLAYS_AGAIN as PLAYS_AGAIN
from .understanding import QUESTIONS as QUESTIONS
from .understanding import TYPED_ONLY as TYPED_ONLY
from .understanding import About as About
from .understanding import Command as Command
from .understanding import IllegalReason as IllegalReason
from .understanding import Kind as Kind
from .understanding import Understanding as Understanding
