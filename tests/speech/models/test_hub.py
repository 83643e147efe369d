"""Networks from a hub: which files are fetched, and which are believed."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from pathlib import Path
from typing import Any

import pytest

from blindplay.speech.models import catalogue, folders, store
from blindplay.speech.models.catalogue import BaseModel, Catalogue
from blindplay.speech.models.folders import ModelError, available, chosen_models
from blindplay.speech.models.hub import HubFile, needed
from tests.speech.models.helpers import everything, install, run
from tests.speech.models.server import Served, breaks_off, honestly

pytest.importorskip("onnxruntime", reason='onnxruntime is not installed; pip install ".[test]"')
pytest.importorskip("onnx", reason='onnx is not installed; pip install ".[test]"')

from tests.speech.ctc.networks import LETTERS, echo

REPOSITORY = "people/letters-onnx"
NETWORK = BaseModel(
    "letters-onnx", "letters", "Norwegian", 10_000, f"https://x.example/{REPOSITORY}", "CC0 1.0",
    repository=REPOSITORY, language="nb",
)  # fmt: skip
NORWEGIAN = (*LETTERS[:28], "æ", "ø", "å", "ü")


def publish(server: Served, folder: Path, place: str = "") -> list[dict[str, Any]]:
    """Let the server be a hub that has the files of ``folder``, the network in ``place``."""
    entries: list[dict[str, Any]] = [{"type": "directory", "path": "tests", "oid": "0" * 40}]
    for file in sorted(folder.iterdir()):
        data, network = file.read_bytes(), file.name.startswith("model")
        path = f"{place}{file.name}" if network else file.name
        git = hashlib.sha1(b"blob %d\0%b" % (len(data), data)).hexdigest()
        entry = {"type": "file", "path": path, "size": len(data), "oid": git}
        if network:  # large files are kept apart from git
            entry["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data)}
        entries.append(entry)
        server.files[f"{REPOSITORY}/resolve/main/{path}"] = data
    server.files[f"api/models/{REPOSITORY}/tree/main?recursive=true"] = json.dumps(entries).encode()
    return entries


@pytest.fixture
def hub(server: Served, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Served:
    publish(server, echo(tmp_path / "published", letters=NORWEGIAN))
    known = Catalogue(
        "https://x.example/", "https://x.example/", {}, {"any": ()},
        {NETWORK.name: NETWORK}, server.address,
    )  # fmt: skip
    monkeypatch.setattr(catalogue, "load", lambda: known)
    return server


def test_a_network_is_fetched_checked_and_listens(hub: Served, home: Path) -> None:
    hub.files[f"{REPOSITORY}/resolve/main/README.md"] = b"not needed"
    status, told, fault = run("install", "letters", "--language", "nb")
    assert status == 0, fault
    assert "letters-onnx is installed and can spell" in told and "its licence: CC0 1.0" in told
    assert "nb: heard with letters-onnx." in told
    (folder,) = chosen_models("nb")
    assert folder == home / "adapted" / "nb" / "letters-onnx"
    kept = folders.manifest(folder)
    assert kept is not None and set(kept["files"]) == {
        "model.onnx", "vocab.txt", "preprocessor_config.json",
    }  # fmt: skip
    pinned = json.loads((home / "pinned.json").read_text("utf-8"))
    assert pinned[f"{REPOSITORY}/model.onnx"] == kept["files"]["model.onnx"]
    assert not list((home / "downloads").iterdir())
    status, told, _ = run("check", "--language", "nb")
    assert status == 0 and "it knows all" in told
    status, told, _ = run("list", "--language", "nb", "--json")
    (row,) = map(json.loads, told.splitlines())
    assert row["network"] and row["used"] and row["licence"] == "CC0 1.0"
    assert "letters-onnx has been removed from nb." in run("remove", "letters")[1]


@pytest.mark.usefixtures("unprobed")
def test_any_repository_is_fetched_by_its_name_and_goes_on_where_it_broke_off(
    hub: Served, tmp_path: Path
) -> None:
    echo(tmp_path / "onnx-folder", letters=NORWEGIAN, external="model.onnx_data")
    (tmp_path / "onnx-folder" / "weights.bin").rename(tmp_path / "onnx-folder" / "model.onnx_data")
    publish(hub, tmp_path / "onnx-folder", "onnx/")
    base = store.find_base(REPOSITORY)
    hub.does = [honestly, breaks_off(100)]
    told = install(base=base)
    assert any("It is tried again." in line for line in told)
    assert hub.ranges.count("bytes=100-") == 1
    assert {file.name for file in available("nb")["letters-onnx"].iterdir()} == {
        "model.onnx", "model.onnx_data", "vocab.txt", "preprocessor_config.json", "installed.json",
    }  # fmt: skip


@pytest.mark.usefixtures("unprobed")
@pytest.mark.parametrize("name", ["model.onnx", "vocab.txt"])
def test_a_file_that_is_not_the_listed_one_changes_nothing(
    name: str, hub: Served, home: Path
) -> None:
    path = f"{REPOSITORY}/resolve/main/{name}"
    right = hub.files[path]
    hub.files[path] = right[:-1] + b"x"
    with pytest.raises(ModelError, match=f"{name} of {REPOSITORY} is not the file that is listed"):
        install(base=NETWORK)
    assert available("nb") == {} and not list(home.rglob(name))
    hub.files[path] = right
    hub.tag = '"two"'
    install(base=NETWORK)
    assert chosen_models("nb")


@pytest.mark.usefixtures("unprobed")
def test_a_file_that_has_changed_since_its_first_download_is_refused(
    hub: Served, home: Path, tmp_path: Path
) -> None:
    install(base=NETWORK)
    store.remove(NETWORK.name)
    publish(hub, echo(tmp_path / "changed", letters=NORWEGIAN, power=2.0))
    before = everything(home)
    with pytest.raises(ModelError, match=r"model.onnx .* has changed since it first came"):
        install(base=NETWORK)
    assert everything(home) == before
    (home / "pinned.json").unlink()
    install(base=NETWORK)


def test_a_repository_without_an_onnx_network_says_how_to_convert_it(hub: Served) -> None:
    entries = [{"type": "file", "path": "pytorch_model.bin", "size": 9, "oid": "1" * 40}]
    listed = f"api/models/{REPOSITORY}/tree/main?recursive=true"
    hub.files[listed] = json.dumps(entries).encode()
    with pytest.raises(ModelError, match=r"optimum-cli export onnx --model people/letters-onnx"):
        install(base=NETWORK)
    for wrong in (b"[", b"{}[", b'[{"type": "file"}]', b'{"error": 1}', b"[1]"):
        hub.files[listed] = wrong
        with pytest.raises(ModelError, match="not a list of models"):
            install(base=NETWORK)


def test_a_network_hears_only_the_language_that_it_writes(hub: Served, tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="writes only Norwegian, so it cannot hear sv"):
        install("sv", base=NETWORK)
    cyrillic = ("<blk>", "▁", *(chr(number) for number in range(0x430, 0x44E)))
    publish(hub, echo(tmp_path / "cyrillic", letters=cyrillic))
    with pytest.raises(ModelError, match=r"cannot spell .* words of nb, such as"):
        install(base=NETWORK)
    assert not [path for path, _, _ in hub.asked if "resolve" in path and "README" in path]


def test_a_folder_that_optimum_wrote_is_installed_without_what_is_not_needed(
    home: Path, tmp_path: Path
) -> None:
    folder = echo(tmp_path / "nb-300m", letters=NORWEGIAN)
    (folder / "pytorch_model.bin").write_bytes(bytes(1000))
    (folder / "config.json").write_text("{}", "utf-8")
    told = install(source=folder)
    assert "cannot be told of a folder" in told[0]
    made = available("nb")["nb-300m"]
    assert not (made / "pytorch_model.bin").exists() and (made / "config.json").exists()
    status, _, fault = run("adapt", "nb-300m", "--language", "nb")
    assert status == 2 and "spells words and learns none" in fault
    (made / "vocab.txt").unlink()
    status, told_by_check, _ = run("check", "--language", "nb")
    assert status == 2 and "vocab.txt of the model" in told_by_check


def test_a_hostile_folder_is_refused_before_anything_is_copied(home: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(bytes(4))
    folder = echo(tmp_path / "model", letters=NORWEGIAN, external="../secret")
    with pytest.raises(ModelError, match="outside of its folder"):
        install(source=folder)
    assert not list(home.rglob("secret")) and available("nb") == {}
    bad = echo(tmp_path / "bad", letters=NORWEGIAN, rank=2)
    with pytest.raises(ModelError, match="not a CTC network of a known kind"):
        install(source=bad)
    assert available("nb") == {}


def test_without_onnxruntime_nothing_is_fetched(
    hub: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "check_onnxruntime", _absent)
    with pytest.raises(ModelError, match="not installed"):
        install(base=dataclasses.replace(NETWORK))
    assert not hub.asked


def _absent(model: str) -> None:
    raise ModelError(f"{model} needs onnxruntime, which is not installed.")


@pytest.mark.parametrize("ending", ["\\..\\..\\evil", "_data\\evil", ":evil", "/../../evil", "\0"])
def test_a_file_that_leads_out_of_the_model_is_refused_before_anything_is_fetched(
    ending: str,
) -> None:
    path = f"model.onnx{ending}"
    listed = [HubFile(one, 1, "0" * 40) for one in ("model.onnx", path)]
    with pytest.raises(ModelError, match="leads outside of the model"):
        needed(listed, REPOSITORY)
    other = HubFile(f"docs{ending}", 1, "0" * 40)  # nobody fetches it
    assert needed([listed[0], other], REPOSITORY) == [listed[0]]
