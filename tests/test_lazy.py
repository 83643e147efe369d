"""Packages that import the modules of their names when a name is first used."""

import subprocess
import sys

import pytest

from blindplay import lazy


def test_a_package_loads_only_the_module_of_the_name_that_is_used() -> None:
    program = (
        "import sys, blindplay.laws as laws; laws.Taken; "
        "print('blindplay.laws.game' in sys.modules); laws.Game; "
        "print('blindplay.laws.game' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        lazy.attributes("blindplay.laws", {})("nothing")
