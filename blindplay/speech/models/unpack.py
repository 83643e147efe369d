"""A zip file or a folder of somebody else's, copied without believing what it says of itself."""

from __future__ import annotations

import os
import re
import shutil
import stat
import unicodedata
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from .folders import ModelError

MOST_FILES = 1000
MOST_BYTES = 4 << 30
"""No model that can be used here is larger when unpacked."""
_SWELLS = 100  # times: models shrink to a half or a third
_SMALL = 64 << 20  # up to here it may swell as it likes: two lines of settings do, by hundreds
_BLOCK = 1 << 20
_DAMAGED: tuple[type[Exception], ...] = (
    zipfile.BadZipFile,
    zlib.error,
    EOFError,
    UnicodeDecodeError,  # of a name that says it is UTF-8
)
try:
    from lzma import LZMAError
except ImportError:  # a Python may be built without; zipfile says so then
    pass
else:
    _DAMAGED += (LZMAError,)
# What is a device on Windows, whatever is behind the dot; ¹ is a digit to it.
_RESERVED = re.compile(r"(?i)(con|conin\$|conout\$|prn|aux|nul|(com|lpt)[0-9¹²³]) *(\..*)?")
_LITTER = ("__MACOSX/", ".DS_Store", "desktop.ini", "Thumbs.db")


@dataclass(frozen=True)
class _Member:
    path: PurePosixPath
    size: int
    info: zipfile.ZipInfo


def unpack(archive: Path, folder: Path) -> None:
    """Write the model in the zip file ``archive`` into the new folder ``folder``.

    Every name is looked at before anything is written: an archive with one that leads out of it,
    is a link or a device, or could not be a file on every system, is refused as a whole.

    Raises ModelError, and OSError.
    """
    try:
        with zipfile.ZipFile(archive) as opened:
            members = _model_of(list(_members(opened, archive)), archive)
            check_space(folder, sum(member.size for member in members))
            left = MOST_BYTES
            for member in members:
                target = folder / member.path
                target.parent.mkdir(parents=True, exist_ok=True)
                with opened.open(member.info) as source:
                    left -= _copy(source, target, min(left, member.size))
    except NotImplementedError as error:
        raise ModelError(
            f"{archive} cannot be unpacked ({error}); unpack it with another program, and give "
            "the folder in its place."
        ) from None
    except _DAMAGED as error:
        raise ModelError(_damaged(archive, error)) from None
    except OSError as error:
        if error.errno is not None:
            raise
        raise ModelError(_damaged(archive, error)) from None  # so says bz2 of what it cannot read
    except RuntimeError as error:  # zipfile's word for a password
        raise ModelError(f"{archive} cannot be unpacked ({error}).") from None


def copy_folder(source: Path, folder: Path) -> None:
    """Write the model in the folder ``source``, or in the only folder in it, into ``folder``.

    Raises ModelError when it holds links or is no model's, and OSError.
    """
    source = source.resolve()
    roots = [source, *sorted(child for child in source.iterdir() if child.is_dir())]
    model = next((root for root in roots if _is_model(root)), None)
    if model is None:
        raise ModelError(f"{source} holds no speech model: there is no am/final.mdl in it.")
    files = []
    for number, path in enumerate(sorted(model.rglob("*"))):
        if number > 2 * MOST_FILES:
            raise ModelError(f"{model} holds too many files for a model.")
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise ModelError(
                f"{path.relative_to(model).as_posix()} in {model} is a link or a device; "
                "a model has files only."
            )
        if path.is_file() and not _is_litter(path.name):
            files.append(path)
    check_space(folder, sum(file.stat().st_size for file in files))
    for file in files:
        target = folder / file.relative_to(model)
        target.parent.mkdir(parents=True, exist_ok=True)
        with file.open("rb") as stream:
            _copy(stream, target, MOST_BYTES)


def _damaged(archive: Path, error: Exception) -> str:
    return (
        f"{archive} is no zip file, or is damaged ({error or 'it ends too early'}); fetch it again."
    )


def _members(opened: zipfile.ZipFile, archive: Path) -> Iterator[_Member]:
    """The files in it, each checked."""
    infos = opened.infolist()
    if len(infos) > MOST_FILES:
        raise ModelError(f"{archive} holds {len(infos)} files; no model has so many.")
    seen: set[str] = set()
    total = 0
    for info in infos:
        # Some programs of Windows write its own separators.
        name = info.orig_filename.replace("\\", "/")
        path = _safe(name, archive)
        kind = stat.S_IFMT(info.external_attr >> 16)
        folder = name.endswith("/")
        if kind not in (0, stat.S_IFDIR if folder else stat.S_IFREG):
            raise ModelError(
                f"{name!r} in {archive} is a link or a device, so nothing was unpacked."
            )
        if info.flag_bits & 1:
            raise ModelError(f"{archive} has a password, so nothing was unpacked.")
        if folder or _is_litter(name):
            continue
        # Some systems take an é of one letter and one of two for the same.
        if (plain := unicodedata.normalize("NFC", str(path).casefold())) in seen:
            raise ModelError(f"{name!r} is twice in {archive}, so nothing was unpacked.")
        seen.add(plain)
        total += info.file_size
        if total > MOST_BYTES or (
            total > _SMALL and total > _SWELLS * max(1, archive.stat().st_size)
        ):
            raise ModelError(
                f"{archive} swells to more than {total >> 20} megabytes, so it was not unpacked."
            )
        yield _Member(path, info.file_size, info)
    folders = {str(parent) for plain in seen for parent in PurePosixPath(plain).parents}
    if both := seen & folders:
        raise ModelError(f"{min(both)!r} in {archive} is a file and a folder at once.")


def _safe(name: str, archive: Path) -> PurePosixPath:
    """The path, if it stays where it is unpacked on every system."""
    parts = name.removesuffix("/").split("/")
    bad = (
        not name
        or name.startswith("/")
        or any(part in ("", ".", "..") for part in parts)
        or any(ord(c) < 32 or c in '<>:"|?*' for c in name)
        or any(part.endswith((" ", ".")) or _RESERVED.fullmatch(part) for part in parts)
        or len(name) > 240
    )
    if bad:
        raise ModelError(
            f"{name!r} in {archive} leads outside of the model or is no name for a file, "
            "so nothing was unpacked; do not use this archive."
        )
    return PurePosixPath(*parts)


def _model_of(members: list[_Member], archive: Path) -> list[_Member]:
    """Those of the model, their paths beginning in its folder."""
    roots = [
        member.path.parents[1]
        for member in members
        if member.path.name == "final.mdl" and member.path.parent.name == "am"
    ] or [member.path.parent for member in members if member.path.name == "final.mdl"]
    if not roots:
        raise ModelError(f"{archive} holds no speech model: there is no am/final.mdl in it.")
    root = min(roots, key=lambda path: (len(path.parts), path))
    return [
        _Member(member.path.relative_to(root), member.size, member.info)
        for member in members
        if member.path.is_relative_to(root)
    ]


def _is_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in ("am/final.mdl", "final.mdl"))


def _is_litter(name: str) -> bool:
    return name.startswith(_LITTER[0]) or name.rsplit("/", 1)[-1] in _LITTER[1:]


def check_space(folder: Path, needed: int) -> None:
    """Raise ModelError if the disk of ``folder``, which need not exist, has not so many bytes."""
    there = next(parent for parent in (folder, *folder.parents) if parent.exists())
    free = shutil.disk_usage(there).free
    if free < needed:
        raise ModelError(
            f"The disk with {there} has {free >> 20} megabytes left and {(needed >> 20) + 1} are "
            "needed; make room and run the same command again."
        )


def _copy(source: IO[bytes], target: Path, most: int) -> int:
    """Copy and put it on the disk; how many bytes. More than ``most`` are refused."""
    count = 0
    with target.open("xb") as stream:
        while block := source.read(_BLOCK):
            count += len(block)
            if count > most:
                raise ModelError(f"{target.name} is longer than its archive says; it is damaged.")
            stream.write(block)
        stream.flush()
        os.fsync(stream.fileno())
    return count
