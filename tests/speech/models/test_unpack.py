"""Archives that lead elsewhere, swell, or are damaged."""

from __future__ import annotations

import shutil
import stat
import struct
import zipfile
from collections import namedtuple
from collections.abc import Mapping
from pathlib import Path

import pytest

from blindplay.speech.models import unpack as unpacking
from blindplay.speech.models.folders import ModelError
from blindplay.speech.models.unpack import copy_folder, unpack

FILES = {"m/am/final.mdl": b"sound", "m/conf/mfcc.conf": b"--x=1\n", "m/README": b"read me"}
WITHOUT_ROOT = {name.removeprefix("m/"): data for name, data in FILES.items()}


def pack(path: Path, files: Mapping[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in files.items():
            info = zipfile.ZipInfo("x")
            # ZipInfo would make this name harmless.
            info.filename = info.orig_filename = name
            info.compress_type = zipfile.ZIP_DEFLATED
            info.external_attr = (stat.S_IFREG | 0o644) << 16
            packed.writestr(info, data)
    return path


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("packed_by", ["zlib", "bz2", "lzma"])
def test_a_damaged_archive_says_what_to_do_however_it_was_packed(
    packed_by: str, tmp_path: Path
) -> None:
    pytest.importorskip(packed_by)
    how = {
        "zlib": zipfile.ZIP_DEFLATED,
        "bz2": zipfile.ZIP_BZIP2,
        "lzma": zipfile.ZIP_LZMA,
    }[packed_by]
    archive = tmp_path / "m.zip"
    with zipfile.ZipFile(archive, "w", how) as packed:
        packed.writestr("m/am/final.mdl", bytes(range(256)) * 40)
    data = bytearray(archive.read_bytes())
    begins = 30 + len("m/am/final.mdl") + (9 if packed_by == "lzma" else 0)
    for at in range(begins, begins + 40):
        data[at] ^= 0xFF
    archive.write_bytes(data)
    with pytest.raises(ModelError, match=r"is damaged \(.+\); fetch it again\.$"):
        unpack(archive, tmp_path / "m")


@pytest.mark.parametrize("prefix", ["", "m/", "a/b/"])
def test_a_model_is_found_wherever_it_is_in_the_archive(prefix: str, tmp_path: Path) -> None:
    archive = pack(
        tmp_path / "m.zip",
        {prefix + name: data for name, data in WITHOUT_ROOT.items()}
        | {"__MACOSX/._m": b"x", prefix + ".DS_Store": b"x"},
    )
    unpack(archive, tmp_path / "m")
    assert content(tmp_path / "m") == WITHOUT_ROOT


def test_names_with_the_separators_of_windows_are_names_of_folders(tmp_path: Path) -> None:
    archive = pack(
        tmp_path / "m.zip", {name.replace("/", "\\"): data for name, data in FILES.items()}
    )
    unpack(archive, tmp_path / "m")
    assert content(tmp_path / "m") == WITHOUT_ROOT


@pytest.mark.parametrize(
    "name",
    ["../evil", "m/../../evil", "/evil", "//host/share/evil", "\\\\host\\share\\evil", "..\\evil",
     "m\\..\\..\\evil", "C:\\evil", "C:evil", "c:/evil", "m/x:stream", "m/.."],
)  # fmt: skip
def test_a_name_that_leads_out_refuses_the_whole_archive(name: str, tmp_path: Path) -> None:
    inside = tmp_path / "deep" / "er"
    inside.mkdir(parents=True)
    archive = pack(tmp_path / "m.zip", {**FILES, name: b"evil"})
    with pytest.raises(ModelError, match="do not use this archive") as refused:
        unpack(archive, inside / "m")
    assert "\n" not in str(refused.value)
    assert sorted(tmp_path.rglob("*")) == [inside.parent, inside, archive]


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO, stat.S_IFSOCK])
def test_links_and_devices_are_refused(kind: int, tmp_path: Path) -> None:
    with zipfile.ZipFile(pack(tmp_path / "m.zip", FILES), "a") as packed:
        info = zipfile.ZipInfo("m/graph")
        info.external_attr = (kind | 0o777) << 16
        packed.writestr(info, "/etc")
    with pytest.raises(ModelError, match="a link or a device"):
        unpack(tmp_path / "m.zip", tmp_path / "m")
    assert not (tmp_path / "m").exists()


@pytest.mark.parametrize("twice", ["m/README/x", "m/am/final.mdl/x"])
def test_what_is_a_file_and_a_folder_is_a_damaged_archive(twice: str, tmp_path: Path) -> None:
    archive = pack(tmp_path / "m.zip", {**FILES, twice: b""})
    with pytest.raises(ModelError, match="is damaged"):
        unpack(archive, tmp_path / "m")


def test_an_archive_that_swells_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = pack(tmp_path / "m.zip", {**FILES, "m/zeros": bytes(1_000_000)})
    monkeypatch.setattr(unpacking, "MOST_BYTES", 900_000)
    with pytest.raises(ModelError, match="swells"):
        unpack(archive, tmp_path / "m")
    many = pack(tmp_path / "n.zip", {**FILES, **{f"m/{n}": b"" for n in range(1000)}})
    with pytest.raises(ModelError, match="1003 files"):
        unpack(many, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_file_longer_than_its_archive_says_is_refused(tmp_path: Path) -> None:
    data = bytes(range(256)) * 100
    archive = pack(tmp_path / "m.zip", {**FILES, "m/long": data})
    told = archive.read_bytes().replace(struct.pack("<I", len(data)), struct.pack("<I", 100))
    archive.write_bytes(told)
    with pytest.raises(ModelError):
        unpack(archive, tmp_path / "m")


@pytest.mark.parametrize("damage", ["nothing", "text", "cut", "byte", "password", "method"])
def test_a_damaged_archive_is_a_sentence(damage: str, tmp_path: Path) -> None:
    archive = pack(tmp_path / "m.zip", {**FILES, "m/graph/HCLr.fst": bytes(range(256)) * 40})
    data = bytearray(archive.read_bytes())
    if damage == "nothing":
        data.clear()
    elif damage == "text":
        data[:] = b"<html>Not found</html>"
    elif damage == "cut":
        del data[len(data) // 2 :]
    elif damage == "byte":
        data[data.index(b"m/graph/HCLr.fst") + 60] ^= 0xFF
    else:  # in the central directory: flags at 8, method at 10
        at = data.index(b"PK\1\2")
        data[at + 8] |= damage == "password"
        if damage == "method":
            data[at + 10] = 99
    archive.write_bytes(data)
    with pytest.raises(ModelError) as refused:
        unpack(archive, tmp_path / "m")
    assert str(archive) in str(refused.value) and "\n" not in str(refused.value)


def test_an_archive_without_a_model_is_told(tmp_path: Path) -> None:
    archive = pack(tmp_path / "m.zip", {"photo.jpg": b"x"})
    with pytest.raises(ModelError, match="holds no speech model"):
        unpack(archive, tmp_path / "m")
    (tmp_path / "folder").mkdir()
    with pytest.raises(ModelError, match="holds no speech model"):
        copy_folder(tmp_path / "folder", tmp_path / "m")


@pytest.mark.parametrize("zipped", [False, True])
def test_of_several_models_the_named_one_is_taken_and_none_silently(
    zipped: bool, tmp_path: Path
) -> None:
    files = {f"all/{name}": data for name, data in FILES.items()}
    # A file of the acoustics inside of a model is not an other model.
    files |= {"all/m/old/final.mdl": b"", "all/second/final.mdl": b"two", "all/notes/x": b""}
    given = pack(tmp_path / "all.zip", files)
    if not zipped:
        with zipfile.ZipFile(given) as packed:
            packed.extractall(tmp_path)
        given = tmp_path / "all"

    def take(name: str) -> None:
        (unpack if zipped else copy_folder)(given, tmp_path / "made", name)

    for name in ("", "third", "old"):
        with pytest.raises(ModelError, match=r"holds 2 models: m, second; put the name of one"):
            take(name)
    assert not (tmp_path / "made").exists()
    take("second")
    assert content(tmp_path / "made") == {"final.mdl": b"two"}


def test_a_full_disk_is_told_before_anything_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = pack(tmp_path / "m.zip", {**FILES, "m/big": bytes(10_000_000)})
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(10**9, 10**9, 3 << 20))
    with pytest.raises(ModelError, match="3 megabytes left and 10 are needed"):
        unpack(archive, tmp_path / "m")
    assert not (tmp_path / "m").exists()


def test_a_folder_is_copied_without_its_links(tmp_path: Path) -> None:
    for name, data in FILES.items():
        path = tmp_path / "given" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    copy_folder(tmp_path / "given", tmp_path / "copy")
    assert content(tmp_path / "copy") == WITHOUT_ROOT
    try:
        (tmp_path / "given" / "m" / "graph").symlink_to("/etc")
    except OSError:
        pytest.skip("no links can be made here")
    with pytest.raises(ModelError, match=r"graph in .* is a link"):
        copy_folder(tmp_path / "given", tmp_path / "second")
    assert not (tmp_path / "second").exists()
