"""Tests mirror the files of ``blindplay``: ``table/dialogue.py`` is tested in
``table/test_dialogue.py``, its further aspects in ``table/test_dialogue_*.py``."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""
