"""Our words on the acoustics of any Vosk model, and models that are adapted to a player."""

from .build import Pronunciations, Vocabulary
from .graph import ADAPTED, AdaptationReport, adapt, phones_of, pronounced
from .kaldi_files import GraphError

__all__ = [
    "ADAPTED",
    "AdaptationReport",
    "GraphError",
    "Pronunciations",
    "Vocabulary",
    "adapt",
    "phones_of",
    "pronounced",
]
