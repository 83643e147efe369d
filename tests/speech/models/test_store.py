"""Installing and removing models: whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import dataclasses
import errno
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import zipfile
from pathlib import Path
from typing import Any

import pytest

from blindplay import language
from blindplay.commands import options
from blindplay.hearing.recognisers import model_words
from blindplay.language import pack
from blindplay.speech import adaptation
from blindplay.speech.models import folders, store
from blindplay.speech.models.folders import (
    ModelError,
    available,
    check_model,
    chosen_models,
    verify,
)
from blindplay.speech.recogniser import Recogniser
from tests import command_line
from tests.speech.models.helpers import (
    NAME,
    QUICK,
    WORDS,
    base_of,
    everything,
    install,
    known,
    run,
)
from tests.speech.models.server import Served, answers, breaks_off, stalls
from tests.waiting import PATIENCE_S, until


def test_a_model_is_fetched_checked_adapted_and_used(
    archive: Path, server: Served, home: Path
) -> None:
    server.does = [breaks_off(1_000_000)]
    told = install(base=base_of(archive, server.url(f"{NAME}.zip")))
    assert told[0].endswith("its licence: Apache 2.0.")
    tens = [line for line in told if line.endswith("percent.")]
    assert tens == [f"{ten} percent." for ten in range(10, 101, 10)], "once each, in order"
    assert sum("It is tried again." in line for line in told) == 1
    assert all("\n" not in line and "\r" not in line for line in told)
    (folder,) = chosen_models("nb")
    assert folder == home / "adapted" / "nb" / NAME
    recogniser = Recogniser(folder, "nb")
    assert not recogniser.unknown_words(language.load("nb").grammar_words())
    kept = folders.manifest(folder)
    assert kept is not None and kept["licence"] == "Apache 2.0"
    assert kept["archive_sha256"] == hashlib.sha256(archive.read_bytes()).hexdigest()
    # Another language needs no second download.
    asked = len(server.asked)
    assert "is there already" in install("sv", base=base_of(archive, server.url("gone.zip")))[0]
    assert len(server.asked) == asked and chosen_models("sv")
    assert not list((home / "downloads").iterdir())
    assert not list(home.glob(".*")) and not list(home.glob("*/.*"))


@pytest.mark.parametrize("sums", [{"md5": 32 * "0", "sha256": None}, {"sha256": 64 * "0"}])
def test_a_server_that_lies_about_the_checksum_changes_nothing(
    sums: dict[str, Any], archive: Path, server: Served, home: Path
) -> None:
    with pytest.raises(ModelError, match=r"This is not the .* nothing has been changed"):
        install(base=base_of(archive, server.url(f"{NAME}.zip"), **sums))
    assert len(server.asked) == 1, "it was whole, so it is not asked again"
    assert everything(home) == {} and available("nb") == {}


@pytest.mark.usefixtures("unprobed")
def test_pieces_of_two_versions_are_noticed_and_fetched_anew(archive: Path, server: Served) -> None:
    data = server.files[f"{NAME}.zip"]

    def changes(handler: Any) -> None:
        server.files[f"{NAME}.zip"] = bytes(len(data))
        breaks_off(1_000_000)(handler)
        server.files[f"{NAME}.zip"] = data

    server.tag = None  # the server cannot say whether it is the same version
    server.does = [changes]
    told = install(base=base_of(archive, server.url(f"{NAME}.zip")))
    assert any("do not fit together" in line for line in told)
    assert server.ranges == [None, "bytes=1000000-", None]
    assert chosen_models("nb")


@pytest.mark.usefixtures("unprobed")
def test_an_unpublished_checksum_is_pinned_at_the_first_download(
    archive: Path, server: Served, home: Path
) -> None:
    base = base_of(archive, server.url(f"{NAME}.zip"), sha256=None)
    install(base=base)
    assert json.loads((home / "pinned.json").read_text()) == {
        NAME: hashlib.sha256(archive.read_bytes()).hexdigest()
    }
    store.remove(NAME)
    # Later both the file and the list's checksum have changed.
    data = archive.read_bytes() + b"!"
    server.files[f"{NAME}.zip"] = data
    later = dataclasses.replace(base, md5=hashlib.md5(data).hexdigest(), size=len(data))
    with pytest.raises(ModelError, match="its SHA-256 is"):
        install(base=later)
    assert available("nb") == {}
    (home / "pinned.json").write_text("{")
    with pytest.raises(ModelError, match="delete it to trust the next download"):
        install(base=later)


@pytest.mark.usefixtures("unprobed")
def test_a_full_disk_is_told_before_the_download(
    archive: Path, server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage("/")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage._replace(free=5_000_000))
    with pytest.raises(ModelError, match="4 megabytes left and"):
        install(base=base_of(archive, server.url(f"{NAME}.zip")))
    assert not server.asked


@pytest.mark.usefixtures("unprobed")
def test_a_model_is_installed_from_a_zip_file_or_a_folder_without_the_internet(
    archive: Path, tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    known(monkeypatch, base_of(archive, "https://x.example/m.zip"))
    assert any("is the file that was published" in line for line in install(source=archive))
    with zipfile.ZipFile(archive) as packed:
        packed.extractall(tmp_path)
    given = tmp_path / NAME
    given.rename(tmp_path / "my model")
    with pytest.raises(ModelError, match="cannot be called 'my model'"):
        install(source=tmp_path / "my model")
    told = install(source=tmp_path / "my model", name="mine.1")
    assert any("cannot be told of a folder" in line for line in told)
    assert set(available("nb")) == {NAME, "mine.1"}
    other = shutil.copyfile(archive, tmp_path / "unheard-of.zip")
    assert any("Nobody has published" in line for line in install(source=other))
    # A file with the name of a known model must be that model.
    false = tmp_path / "false" / f"{NAME}.zip"
    false.parent.mkdir()
    with zipfile.ZipFile(shutil.copyfile(archive, false), "a") as packed:
        packed.writestr("more", b"more")
    before = everything(home)
    with pytest.raises(ModelError, match="This is not the"):
        install(source=false)
    with pytest.raises(ModelError, match="no file and no folder"):
        install(source=tmp_path / "nothing")
    assert false.exists() and everything(home) == before


@pytest.mark.parametrize("name", ["own", "built-in", "..", "a/b", "con", "x", "", "a" * 200, "ä-1"])
def test_a_name_that_is_no_folder_everywhere_is_refused(name: str, archive: Path) -> None:
    with pytest.raises(ModelError, match=r"cannot be called|Name a model"):
        install(source=archive, name=name or "-")


@pytest.mark.usefixtures("unprobed")
def test_a_base_that_was_damaged_is_fetched_again(
    archive: Path, server: Served, home: Path
) -> None:
    base = base_of(archive, server.url(f"{NAME}.zip"))
    install(base=base)
    damaged = home / "bases" / NAME / "graph" / "words.txt"
    damaged.write_bytes(damaged.read_bytes() + b"more 99999\n")
    install(base=base)
    assert len(server.asked) == 2 and verify(home / "bases" / NAME)
    assert not list(home.glob("*/.*"))


@pytest.mark.usefixtures("unprobed")
def test_the_measured_confidence_stays_when_a_models_words_are_renewed(
    archive: Path, home: Path
) -> None:
    install(source=archive)
    confidence = home / "adapted" / "nb" / NAME / "confidence.json"
    confidence.write_text("{}")
    assert check_model(confidence.parent) == confidence.parent, (
        "a file that came later is not damage"
    )
    for number in range(2):
        install(source=archive)
        assert confidence.read_text() == ("measured again" if number else "{}")
        confidence.write_text("measured again")
        assert check_model(confidence.parent) == confidence.parent


def test_a_model_that_cannot_be_used_is_not_put_in_place(
    archive: Path, tmp_path: Path, home: Path
) -> None:
    bad = tmp_path / "bad-1.zip"
    with zipfile.ZipFile(archive) as given, zipfile.ZipFile(bad, "w") as packed:
        for name in given.namelist():
            data = given.read(name)
            packed.writestr(name, data[:20_000] if name.endswith("final.mdl") else data)
    with pytest.raises(ValueError):
        install(source=bad)
    assert everything(home) == {}


class Cut(BaseException):
    """The program ends here."""


@pytest.mark.usefixtures("unprobed")
def test_after_an_interruption_there_is_the_old_model_or_the_new_one(
    archive: Path, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(source=archive)
    place = home / "adapted" / "nb" / NAME
    (place / "old").write_text("")
    monkeypatch.setattr(store, "_carry_over", lambda old, made: None)  # so that they differ
    ready = shutil.copytree(place, tmp_path / "ready")
    (ready / folders.MANIFEST).unlink()
    (ready / "old").unlink()
    report = adaptation.AdaptationReport("ours", 1, 1, 1)

    def adapt(base: Path, output: Path, *_: object, **__: object) -> adaptation.AdaptationReport:
        shutil.copytree(ready, output, copy_function=os.link)
        return report

    monkeypatch.setattr(adaptation, "adapt", adapt)
    real = {name: getattr(Path, name) for name in ("rename", "replace", "write_text")}
    real_rmtree = shutil.rmtree
    left = 0

    def counted(function: Any) -> Any:
        def step(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                raise Cut
            if left < 0:
                return None  # a dead process does not tidy up
            return function(*arguments, **options)

        return step

    for name, function in real.items():
        monkeypatch.setattr(Path, name, counted(function))
    monkeypatch.setattr(shutil, "rmtree", counted(real_rmtree))
    olds = news = 0
    for number in range(1, 40):
        left = number
        try:
            install(source=archive)
            whole = True
        except Cut:
            whole = False
        left = 10**9
        (found,) = chosen_models("nb")
        verify(found)
        check_model(found)
        assert verify(folders.models_in(home / "bases")[NAME])
        old = (found / "old").exists()
        olds, news = olds + old, news + (not old)
        if whole:
            break
        if not old:
            real["write_text"](found / "old", "")
    else:
        pytest.fail("it never came to an end")
    assert olds > 5 and news >= 1, "it was cut off before and after"


@pytest.mark.skipif(sys.platform == "win32", reason="the data folder is named by a variable here")
@pytest.mark.usefixtures("unprobed", "home")
def test_another_program_that_installs_is_waited_for(
    archive: Path, server: Served, tmp_path: Path
) -> None:
    """Both would write the same file of what they fetch."""
    base, told = base_of(archive, server.url(f"{NAME}.zip")), list[str]()

    def installs() -> None:
        with store.workplace(told.append) as work:
            store.install(work, "nb", WORDS, base=base, tell=told.append, patience=QUICK)

    program = (
        "import sys; from blindplay.speech.models import store\n"
        "with store.workplace(print): print('mine', flush=True); sys.stdin.read()"
    )
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    here, pipe = threading.Thread(target=installs), subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", program], env=env, stdin=pipe, stdout=pipe) as it:
        assert it.stdout is not None and it.stdout.readline() == b"mine\n"
        here.start()
        assert until(lambda: told)
        assert "Another BlindPlay is installing" in told[0] and not server.asked
        it.kill()
    here.join()
    assert server.ranges == [None] and available("nb").keys() == {NAME}


@pytest.mark.skipif(sys.platform == "win32", reason="the data folder is named by a variable here")
def test_a_killed_installation_is_completed_by_the_next_one(
    archive: Path, server: Served, tmp_path: Path, home: Path
) -> None:
    base = base_of(archive, server.url(f"{NAME}.zip"))
    program = (
        "import sys, json; from pathlib import Path; from blindplay.hearing import recognisers;"
        "from blindplay.speech.models import store;"
        "from blindplay.speech.models.catalogue import BaseModel;"
        "base = BaseModel(**json.loads(sys.argv[1]));"
        "words = recognisers.model_words('nb', print);"
        "work = store.workplace(print).__enter__();"
        "store.install(work, 'nb', words, base=base, tell=lambda line: print(line, flush=True))"
    )
    command = [sys.executable, "-c", program, json.dumps(dataclasses.asdict(base))]
    env = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    server.does = [stalls(1_000_000)]
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as killed:
        part = home / "downloads" / f"{NAME}.zip.part"
        assert until(lambda: part.is_file() and part.stat().st_size)
        killed.kill()
    have = part.stat().st_size
    assert available("nb") == {}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, text=True) as killed:
        assert killed.stdout is not None
        for line in killed.stdout:
            if "words of nb" in line:
                killed.kill()
    assert server.ranges == [None, f"bytes={have}-"]
    assert available("nb") == {}
    server.does = [answers(500)] * 9
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.returncode == 0, "what was fetched is there, so nothing is asked for"
    assert check_model(chosen_models("nb")[0])


@pytest.mark.usefixtures("unprobed")
def test_a_file_that_has_changed_since_the_installation_is_noticed_before_it_is_loaded(
    archive: Path, home: Path
) -> None:
    install(source=archive)
    (folder,) = chosen_models("nb")
    words = folder / "graph" / "words.txt"
    was = words.read_bytes()
    words.write_bytes(was.replace(b"bonde", b"bande"))
    with pytest.raises(ModelError, match=r"words\.txt .* is not as it was .* install the model"):
        Recogniser(folder, "nb")
    words.unlink()
    with pytest.raises(ModelError, match=r"words\.txt"):
        check_model(folder)
    words.write_bytes(was)
    assert check_model(folder) == folder
    (folder / folders.MANIFEST).write_text("[]")
    with pytest.raises(ModelError, match="is damaged; install the model again"):
        check_model(folder)
    (folder / folders.MANIFEST).unlink()
    assert verify(folder) == 0, "of a model made by hand nothing was written down"


def test_a_broken_language_pack_of_the_users_own_spoils_no_other_language(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    own = tmp_path / "languages"
    (own / "zz.toml").mkdir(parents=True)
    (own / "aa.toml").write_text("name = ")
    monkeypatch.setattr(pack, "own_packs", lambda: own)
    monkeypatch.setenv("LC_MESSAGES", "en")
    assert model_words("de", options.warn).lexicons == WORDS.lexicons
    assert capsys.readouterr().err.count("gives no pronunciations") == 2
    status, told, fault = run("list")
    assert status == 2 and "de, Deutsch: heard with" in told and "aa: cannot be used. Corr" in fault
    assert "zz.toml is a folder" in fault
    assert fault.count("\n") == 3 and "2 languages cannot be used" in fault
    assert run("list", "--language", "de")[0] == 0
    listed = command_line.run("language", "list")
    assert listed.status == 0 and "zz: cannot be used. " in listed.stdout


@pytest.mark.parametrize(
    ("number", "says"), [(errno.ENOSPC, "is full; make room"), (errno.EROFS, "write to ")]
)
def test_a_folder_that_cannot_be_written_is_a_sentence_with_the_remedy(
    number: int, says: str, home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    def fails(*_: Any, **__: Any) -> None:
        raise OSError(number, os.strerror(number))

    base = folders.built_in("de")
    with monkeypatch.context() as there:
        there.setattr(Path, "mkdir", fails)
        for command in (
            ("use", "built-in"),
            ("adapt", str(base), "--language", "de"),
            ("install", "xx", "--from", str(base), "--language", "de"),
        ):
            status, _told, fault = run(*command)
            assert status == 2 and says in fault and str(home) in fault
            assert "Errno" not in fault and fault.count("\n") == 1


def test_the_users_own_model_is_made_again_in_place(
    home: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    base = folders.built_in("de")
    assert base is not None
    (home / "bases").mkdir(parents=True)
    shutil.copytree(base, home / "bases" / "vosk-model-small-de-0.15")
    own = home / "de"
    for number, given in enumerate(("german", str(own))):
        status, told, fault = run("adapt", given, "--language", "de")
        assert (status, fault) == (0, "")
        assert told.startswith(f"{own}: ") and "de: heard with own and built-in" in told
        assert verify(own)
        if number:
            assert (own / "confidence.json").read_text() == "measured", "what was measured stays"
        (own / "confidence.json").write_text("measured")
    # A model that does not work is not put in place.
    before = everything(own)
    broken = Path(shutil.copytree(base, tmp_path / "broken"))
    (broken / "am" / "final.mdl").write_bytes((base / "am" / "final.mdl").read_bytes()[:20_000])
    assert run("adapt", str(broken), "--language", "de")[0] == 2
    assert everything(own) == before and not list(home.glob(".*"))


@pytest.mark.usefixtures("unprobed")
def test_removing_a_model_leaves_nothing_of_it_and_the_others_listen(
    archive: Path, home: Path
) -> None:
    install("nb", source=archive)
    install("sv", source=archive)
    install("sv", source=archive, name="second")
    folders.choose("sv", ["second", NAME])
    assert store.languages() == ["nb", "sv"]
    assert store.remove("second") == [
        "second has been removed from sv.",
        "second has been removed altogether; it can be installed again.",
    ]
    assert folders.chosen_names("sv") == (NAME,)
    assert store.remove(NAME, "sv") == [f"{NAME} has been removed from sv."]
    assert (home / "bases" / NAME).is_dir() and folders.chosen_names("sv") == ()
    store.remove(NAME)
    assert everything(home).keys() == {"chosen.json"}
    (home / "downloads").mkdir(exist_ok=True)
    (home / "downloads" / f"{NAME}.zip.part").write_bytes(b"half of it")
    assert store.remove(NAME) == [f"What had been fetched of {NAME} has been removed."]
    outside = home / "outside.zip"
    outside.write_bytes(b"mine")
    for name, wrong in (
        (NAME, "no installed model"),
        ("built-in", "cannot be removed"),
        ("../outside", "cannot be called"),
    ):
        with pytest.raises(ModelError, match=wrong):
            store.remove(name)
    assert outside.exists()


@pytest.mark.usefixtures("unprobed")
def test_the_commands_say_what_they_did_in_sentences(
    archive: Path, server: Served, home: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    known(monkeypatch, base_of(archive, server.url(f"{NAME}.zip")))

    def models_(*arguments: str, wrong: str = "") -> str:
        status, told, fault = run(*arguments)
        assert status == (2 if wrong else 0), fault
        assert wrong in fault
        assert not wrong or fault.count("\n") == 1
        return told

    assert "no model is installed, so nothing can be heard" in models_("list", "--language", "nb")
    told = models_("install", "--language", "nb")
    assert f"{NAME} is installed" in told and f"nb: heard with {NAME}." in told
    told = models_("list", "--language", "nb")
    row = f"{NAME}: installed, trained on Xish, in use, recommended, [0-9]+ megabytes, licence"
    assert re.search(row, told), told
    rows = [json.loads(line) for line in models_("list", "--json").splitlines()]
    assert {(r["language"], r["model"]) for r in rows if r["used"]} == {
        ("de", "built-in"),
        ("nb", NAME),
        *((("en", "built-in"),) if folders.built_in("en") else ()),
    }
    assert all(row["licence"] for row in rows)
    assert "knows all" in models_("check", "--language", "nb")
    (checked,) = map(json.loads, models_("check", "--language", "nb", "--json").splitlines())
    assert checked["ok"] and checked["missing"] == [] and checked["files"] > 5
    models_("install", "xx", "--language", "de")
    assert models_("use", "xx") == f"de: heard with {NAME} and built-in, together.\n"
    assert models_("use", "built-in", "xx") == f"de: heard with built-in and {NAME}, together.\n"
    models_("use", "yy", wrong="There is no model yy for de")
    (home / "adapted" / "nb" / NAME / "confidence.json").write_text("[")
    assert "confidence.json is damaged or of another version" in models_(
        "check", "--language", "nb", wrong="1 of 1"
    )
    (home / "adapted" / "nb" / NAME / "confidence.json").unlink()
    (home / "adapted" / "nb" / NAME / "graph" / "words.txt").write_text("bonde 1\n")
    assert "bad" in models_("check", "--language", "nb", wrong="1 of 1 models cannot be relied")
    assert f"{NAME} has been removed from nb." in models_("remove", "xx")
    models_("remove", "xx", wrong="There is no installed model")
    models_("remove", "built-in", wrong="cannot be removed")
    models_("install", "--from", str(home), "--language", "nb", wrong="holds no speech model")
    models_("install", "--language", "zz", wrong="zz")
    server.does = [answers(404)]
    models_("install", "--language", "nb", wrong="there is no such file")
