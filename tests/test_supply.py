"""What BlindPlay stands on: versions with their hashes, licences, and nothing fetched unseen."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests import ROOT

sys.path.insert(0, str(ROOT / "docs" / "development"))

import licences

LOCKS = sorted((ROOT / "locks").glob("*.txt"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
WANTED = [
    *PROJECT["project"]["dependencies"],
    *PROJECT["project"]["optional-dependencies"]["test"],
]


def pins(lock: Path) -> dict[str, str]:
    """For each line that names a package, that line and those of its hashes."""
    text = re.sub(r"^#.*\n", "", lock.read_text("utf-8"), flags=re.MULTILINE)
    blocks = re.split(r"^(?=[^\s])", text, flags=re.MULTILINE)
    return {block.split(" ")[0] + block.partition(";")[2]: block for block in blocks if block}


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_every_locked_package_has_a_version_and_the_hashes_of_its_files(lock: Path) -> None:
    found = pins(lock)
    assert found
    for block in found.values():
        first, *hashes = block.replace("\\\n", "\n").split("\n")
        assert re.fullmatch(r"[\w.-]+==[\w.]+( ; .+)?", first.strip())
        sums = [line.strip() for line in hashes if line.strip()]
        assert sums and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for one in sums)


@pytest.mark.parametrize("lock", LOCKS, ids=lambda path: path.stem)
def test_a_lock_names_no_place_to_fetch_from(lock: Path) -> None:
    assert not re.search(r"://|--(extra-)?index|--find-links|\bfile:", lock.read_text("utf-8"))


@pytest.mark.parametrize("system", ["linux", "win32", "darwin"])
def test_what_the_project_wants_is_locked_for_every_system(system: str) -> None:
    where = {"sys_platform": system, "extra": ""}
    blocks = pins(ROOT / "locks" / "packages.txt").values()
    every = [Requirement(block.split("\\")[0].strip()) for block in blocks]
    locked = [one for one in every if one.marker is None or one.marker.evaluate(where)]
    for wanted in map(Requirement, WANTED):
        if wanted.marker is not None and not wanted.marker.evaluate(where):
            continue
        (found,) = (one for one in locked if one.name == wanted.name.lower())
        (version,) = (one.version for one in found.specifier)
        assert wanted.specifier.contains(version), f"{wanted}: run make lock"


@pytest.mark.parametrize(
    ("lock", "lines"),
    [
        ("build", PROJECT["build-system"]["requires"]),
        ("reader", PROJECT["project"]["optional-dependencies"]["reader"]),
        ("extras", PROJECT["project"]["optional-dependencies"]["voices"]),
        ("extras", PROJECT["project"]["optional-dependencies"]["openings"]),
        ("extras", PROJECT["project"]["optional-dependencies"]["ble"]),
    ],
)
def test_what_builds_this_package_and_what_may_be_added_is_locked(
    lock: str, lines: list[str]
) -> None:
    locked = licences.locked(lock)
    for line in lines:
        wanted = Requirement(line)
        assert all(wanted.specifier.contains(one) for one in locked[wanted.name])


def test_make_installs_nothing_whose_hash_it_does_not_know() -> None:
    recipes = (ROOT / "Makefile").read_text("utf-8")
    ready = recipes.partition("$(READY): ")[2].partition("\nendif\n")[0].partition("\nelse\n")[2]
    (program,) = (line for line in ready.splitlines() if "$(PIP)" in line)
    assert "--only-binary :all: --require-hashes -r locks/uv.txt" in program
    assert "\nWHEELS = --quiet --only-binary :all: --require-hashes\n" in recipes
    (fetch,) = re.findall(r"\nFETCH = (.*?)\n\n", recipes, re.DOTALL)
    assert fetch.count("pip install") + fetch.count("$(WITH_UV)") == fetch.count("$(WHEELS)") == 3
    packages = recipes.partition("\nINSTALL = ")[2].partition("\n#")[0].split("&&")
    assert [step.split("$(1)")[1].rstrip(" \\\n\t") for step in packages] == [
        " --require-hashes -r locks/build.txt",
        # What builds a package from its source is not fetched anew behind the lock's back.
        " --require-hashes --no-build-isolation -r $(LOCK)",
        " --no-deps --no-build-isolation --editable .",
    ]


def test_an_installation_tells_at_once_what_it_does_and_little_of_it() -> None:
    """The lines are those that uv 0.9 and pip 26 print."""
    command = [sys.executable, str(ROOT / "locks" / "progress.py")]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as program:
        given, shown = program.stdin, program.stdout
        assert given is not None and shown is not None

        def told(*lines: str) -> str:
            given.write("".join(f"{line}\n" for line in lines))
            given.flush()
            return shown.readline()

        assert told("Resolved 56 packages in 698ms") == "56 packages are needed.\n"
        fetched = told("Downloading hypothesis (1.1MiB)", "Downloading playwright (51.0MiB)")
        assert fetched == "Fetching playwright, 51 megabytes.\n"
        failed = "error: Failed to fetch: the network is unreachable"
        assert told(" + anyio==4.14.1", failed) == f"{failed}\n"
        tens = [f"Collecting package{number}==1" for number in range(10)]
        assert told(*tens) == "10 packages so far.\n"
        given.close()
        assert shown.read() == ""


def test_every_locked_package_has_a_licence_that_goes_with_ours() -> None:
    for package in licences.everything():
        told = licences.licence(package)
        assert told is not None, f"{package}: write its licence into docs/development/licences.toml"
        choices = [re.split(r" AND ", choice) for choice in told.split(" OR ")]
        assert any(licences.COMPATIBLE.issuperset(choice) for choice in choices), package


def test_licences_are_those_that_the_installed_packages_declare() -> None:
    told = {
        package: said
        for package in licences.everything()
        if (said := licences.declared(package)) is not None
    }
    assert "numpy" in told
    for package, said in told.items():
        written = licences.licence(package) or ""
        assert written == said or (said == "BSD" and written.startswith("BSD-")), package


def test_the_page_of_licences_is_up_to_date() -> None:
    assert licences.PAGE.read_text("utf-8") == licences.page(), "run make docs"
    for package in licences.licences():
        known = (fnmatchcase(one, package) for one in licences.everything())
        assert any(known), (
            f"{package} is not locked any more: take it out of docs/development/licences.toml"
        )
