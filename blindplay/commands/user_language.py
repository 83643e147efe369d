"""The language that a user reads, as the system knows it."""

import locale
import os
import sys
from collections.abc import Mapping

_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def user_language(environment: Mapping[str, str] = os.environ) -> str:
    """The code of the language that LC_ALL, LC_MESSAGES or LANG names, the first of them that is
    set; on Windows without them, that of its windows. English if there is no pack for it."""
    from blindplay.wording.pack_words import code_of

    return code_of(named_language(environment).partition(".")[0]) or "en"


def named_language(environment: Mapping[str, str] = os.environ) -> str:
    """The language as the system names it, such as "de_DE.UTF-8"; "" if it names none."""
    return next(filter(None, map(environment.get, _VARIABLES)), "") or _of_windows()


def _of_windows() -> str:
    if sys.platform == "win32":
        import ctypes

        number = ctypes.windll.kernel32.GetUserDefaultUILanguage()
        return locale.windows_locale.get(number, "")
    return ""
