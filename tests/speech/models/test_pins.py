"""The checksums of first downloads."""

from pathlib import Path

import pytest

from blindplay.speech.models.folders import ModelError
from blindplay.speech.models.pins import pin, pins


def test_checksums_are_kept_beside_those_before(home: Path) -> None:
    home.mkdir(parents=True)
    assert pins() == {}
    pin({"a": "1"})
    pin({"b": "2", "a": "3"})
    assert pins() == {"a": "3", "b": "2"}


@pytest.mark.parametrize("damaged", ["", "[1]", "{", '"x"'])
def test_a_damaged_file_is_never_forgotten_silently(damaged: str, home: Path) -> None:
    home.mkdir(parents=True)
    (home / "pinned.json").write_text(damaged)
    with pytest.raises(ModelError, match="delete it to trust the next download"):
        pins()
