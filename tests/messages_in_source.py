"""All messages that the source of BlindPlay writes in English, as templates."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests import ROOT

PACKAGE = ROOT / "blindplay"
NOT_FOR_READERS = (
    "hearing/scoring.py", "hearing/script.py",  # names of figures
    "lazy.py", "boards/livechess/service.py",  # for programs
    # The record of what happened, for programs and for other countries, too.
    "table/board_seat.py", "table/microphone_seat.py", "table/session.py", "table/desk.py",
    "table/whose_boards.py",
    "hearing/decision.py", "hearing/meanings.py", "record/score.py", "console/actions.py",
    "console/app.py", "console/stream.py",
    "speech/confusions.py", "speech/endpointing.py",
)  # fmt: skip
"""Files whose texts nobody meets at a table or on the command line."""
# Two words at least, or a sentence of one.
_PROSE = re.compile(r"[A-Za-z']{2,}[,;:.]? (\S+ )*[A-Za-z'{]|^[A-Z][a-z]+\.$")
_NO_PROSE = re.compile(
    r"^[rnbqkp1-8]+/| \| None$|\(\?|<span|^<svg|^<view|^import |^default-src |^public, |^inline; "
    r"|^attachment; |^text/"
)


@cache
def messages() -> dict[str, str]:
    """Each template, with the place of one of its uses."""
    found: dict[str, str] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not any(part in name for part in NOT_FOR_READERS):
            for template, line in _of_file(path):
                found.setdefault(template, f"{name}:{line}")
    return found


def _of_file(path: Path) -> Iterator[tuple[str, int]]:
    tree = ast.parse(path.read_text("utf-8"))
    passed_over = set(_passed_over(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef) and _is_command(node):
            for paragraph in (ast.get_docstring(node) or "").split("\n\n"):
                yield _escaped(" ".join(paragraph.split())), node.lineno
        if isinstance(node, ast.JoinedStr | ast.Constant) and node not in passed_over:
            for template in _templates(node):
                text = template.strip()
                if _PROSE.search(re.sub(r"\{\w+\}", "", text)) and not _NO_PROSE.search(text):
                    yield text, node.lineno


def _passed_over(tree: ast.Module) -> Iterator[ast.AST]:
    """Nodes that are not messages of their own: docstrings, logs, names, parts of others."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            yield node.value
        elif isinstance(node, ast.JoinedStr):
            yield from (part for part in ast.walk(node) if part is not node)
        elif isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called.startswith(("log.", "re.")) or called in ("AttributeError", "random.Random"):
                yield from itertools.chain.from_iterable(map(ast.walk, node.args))
            yield from (one.value for one in node.keywords if one.arg in ("name", "prefix"))
        elif isinstance(node, ast.Assert) and node.msg is not None:
            yield node.msg


def _is_command(node: ast.FunctionDef) -> bool:
    called = (ast.unparse(one).partition("(")[0] for one in node.decorator_list)
    return any(one.endswith((".command", ".group")) for one in called)


def _templates(node: ast.expr) -> list[str]:
    """The texts that an expression can be, with ``{}`` for what is not known here."""
    match node:
        case ast.Constant(value=str(text)):
            return [_escaped(text)]
        case ast.JoinedStr(values=values):
            parts = [
                _templates(one.value if isinstance(one, ast.FormattedValue) else one)
                for one in values
            ]
            return ["".join(chosen) for chosen in itertools.product(*parts)]
        case ast.IfExp(body=body, orelse=orelse):
            return list(dict.fromkeys([*_templates(body), *_templates(orelse)]))
        case ast.BoolOp(op=ast.Or(), values=values):
            return list(dict.fromkeys(text for one in values for text in _templates(one)))
        case ast.BoolOp(op=ast.And(), values=values):
            return ["", *_templates(values[-1])]
    return ["{}"]


def _escaped(text: str) -> str:
    """``text`` as a template; ``{}`` in it is filled by :meth:`str.format`."""
    parts = (part.replace("{", "{{").replace("}", "}}") for part in text.split("{}"))
    return "{}".join(parts)


def _headings() -> tuple[str, ...]:
    from blindplay.commands.play_options import OPTIONS

    headings = dict.fromkeys(option.heading for option in OPTIONS.values())
    return (*headings, "Help", "Options", "Commands", "Positional arguments")


HEADINGS = _headings()
"""The headings of the help."""
