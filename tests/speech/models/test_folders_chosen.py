"""Which models listen to a language."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from blindplay.speech.models import folders
from blindplay.speech.models.folders import (
    ModelError,
    chosen_models,
)
from tests.speech.models.helpers import (
    NAME,
    OTHER,
    base_of,
    install,
    known,
    run,
)


@pytest.mark.usefixtures("unprobed")
def test_two_peoples_models_and_the_built_in_one_listen_unless_others_are_chosen(
    archive: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = folders.built_in("de")
    assert built is not None and chosen_models("de") == (built,)
    known(
        monkeypatch,
        base_of(archive, "https://x.example/y.zip", OTHER, sha256=None, md5=None),
        base_of(archive, "https://x.example/x.zip", sha256=None, md5=None),
    )
    for name in (NAME, OTHER, "aaa"):
        install("de", source=archive, name=name)
    adapted = home / "adapted" / "de"
    assert chosen_models("de") == (adapted / OTHER, adapted / NAME, built), (
        "as they are recommended"
    )
    folders.choose("de", ["built-in", "aaa", "built-in"])
    assert chosen_models("de") == (built, adapted / "aaa")
    assert folders.find_model("de") == built
    folders.choose("de", ["aaa"])
    assert chosen_models("de") == (adapted / "aaa", built), "the built-in one listens always"
    folders.choose("de", ["built-in", "aaa"])
    with pytest.raises(ModelError, match=r"There is no model zzz for de; there are: .*aaa"):
        folders.choose("de", ["zzz"])
    assert folders.chosen_names("de") == ("built-in", "aaa"), "what was chosen stays"
    shutil.rmtree(adapted / "aaa")
    with pytest.raises(ModelError, match="no model aaa"):
        chosen_models("de")
    folders.choose("de", [])
    assert chosen_models("de")[0] == adapted / OTHER
    (home / "chosen.json").write_text("[")
    assert len(chosen_models("de")) == 3, "a choice that cannot be read is none"
    shutil.copytree(adapted / NAME, home / "de")
    assert chosen_models("de") == (home / "de", adapted / OTHER, built), (
        "what he made himself first"
    )


def test_damaged_choices_are_reported_and_kept_beside_the_new_ones(home: Path) -> None:
    assert folders.unread_choices() is None
    home.mkdir(parents=True)
    kept = home / "chosen.json"
    for number, text in enumerate(('{"en": ["built-in"], "nb": ["xx"]', '{"nb": 5}', "[]"), 1):
        kept.write_text(text)
        unread = folders.unread_choices()
        assert unread is not None and str(kept) in unread and "blindplay models use" in unread
        assert unread in run("list", "--language", "de")[2]
        assert kept.read_text() == text, "who only asks changes nothing"
        status, _told, fault = run("use", "built-in", "--language", "de")
        aside = home / f"chosen.damaged-{number}"
        assert status == 0 and str(aside) in fault and fault.count("\n") == 1
        assert aside.read_text() == text
        assert folders.unread_choices() is None and folders.chosen_names("de") == ("built-in",)


def test_a_language_without_a_model_says_how_to_get_one() -> None:
    with pytest.raises(ModelError, match="blindplay models install --language nb"):
        chosen_models("nb")
