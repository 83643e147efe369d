"""Values and helpers that commands share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import chess
import click
import pytest

from blindplay.commands import options
from blindplay.language import load, pack
from blindplay.table.choices import Printed


def parsed(option: click.Option, *arguments: str) -> object:
    """The value of the only option of a command."""
    command = click.Command("x", params=[option], callback=lambda **given: given)
    with command.make_context("x", list(arguments)) as context:
        (value,) = context.params.values()
    return value


def test_start_is_the_initial_position() -> None:
    assert options.START == chess.STARTING_FEN


def test_castling_is_written_as_usual_unless_only_chess960_has_the_position() -> None:
    usual = options.position("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1")
    assert chess.Move.from_uci("e1g1") in usual.legal_moves
    other = options.position("4k3/8/8/8/8/8/8/5K1R w H - 0 1")
    assert other.chess960


@pytest.mark.parametrize("fen", ["", "nonsense", "8/8/8/8/8/8/8/8 w - - 0 1"])
def test_a_wrong_position_is_a_sentence(fen: str) -> None:
    with pytest.raises(ValueError, match=r"is not a position of a game in FEN; check it\.$"):
        options.position(fen)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("knight", "is not a move; write it like Nf3"),
        ("e2e5", "is not a legal move"),
        ("Nf6", "is not a legal move"),
        ("", "is not a move"),
    ],
)
def test_a_wrong_move_is_a_sentence(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        options.legal_move(chess.Board(), text, load("en"))


@pytest.mark.parametrize(
    ("language", "text"),
    [("en", "Nf3"), ("de", "Sf3"), ("de", "Nf3"), ("en", "Sf3"), ("en", "g1f3")],
)
def test_a_move_is_read_in_the_letters_of_its_language_or_of_another(
    language: str, text: str
) -> None:
    assert options.legal_move(chess.Board(), text, load(language)) == chess.Move.from_uci("g1f3")


def test_a_move_with_two_meanings_is_refused_with_both() -> None:
    board = chess.Board("4k3/8/8/8/8/5N2/8/1N2K3 w - - 0 1")
    with pytest.raises(ValueError, match=r"has several meanings here; write .*b1d2"):
        options.legal_move(board, "Nd2", load("en"))


def test_a_member_of_an_enumeration_is_chosen_by_its_value() -> None:
    option = click.Option(["--print"], type=options.MemberChoice(Printed), default="unspoken")
    assert parsed(option, "--print", "all") is Printed.ALL
    assert parsed(option) is Printed.UNSPOKEN
    with pytest.raises(click.BadParameter, match="'unspoken', 'words', 'all'"):
        parsed(option, "--print", "ALL")


def test_the_editions_are_listed_by_help_only() -> None:
    def choices() -> tuple[str, ...]:
        raise AssertionError

    option = click.Option(["--edition"], type=options.ParsedValue("edition", str.upper, choices))
    assert parsed(option, "--edition", "new") == "NEW"
    with pytest.raises(AssertionError):
        option.get_help_record(click.Context(click.Command("x")))


def test_a_pack_in_the_users_folder_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pack, "own_packs", lambda: tmp_path)
    (tmp_path / "zz.toml").write_text("name = ")
    with pytest.raises(ValueError, match=r"zz\.toml"):
        options.load_language("zz")


def test_text_is_read_with_and_without_a_byte_order_mark(tmp_path: Path) -> None:
    for encoding in ("utf-8", "utf-8-sig"):
        (tmp_path / encoding).write_text("Größe\n", encoding)
        with options.open_text(str(tmp_path / encoding)) as lines:
            assert list(lines) == ["Größe\n"]
    with pytest.raises(ValueError, match="There is no file"), options.open_text("no-such-file"):
        pass


def test_printed_commands_call_the_program_as_the_user_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = tmp_path / ".venv" / "bin" / "blindplay"
    script.parent.mkdir(parents=True)
    script.touch(mode=0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [str(script)])
    monkeypatch.setenv("PATH", os.devnull)
    assert Path(options.called()) == Path(".venv", "bin", "blindplay")
    if sys.platform != "win32":
        monkeypatch.setenv("PATH", str(script.parent))
        assert options.called() == "blindplay"
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "__main__.py")])
    assert options.called().endswith(" -m blindplay")
