"""Tests, in the rooms of ``blindplay``."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
"""The repository."""
