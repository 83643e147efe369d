"""``blindplay play --console``: what it prints, and what it says where it cannot be served."""

from __future__ import annotations

import re
import socket
from pathlib import Path

from typer.testing import CliRunner

from blindplay.cli import app

PLAY = ["play", "--silent", "--microphone", "none", "--console"]
LINK = re.compile(r"http://127\.0\.0\.1:\d+/#[A-Za-z0-9_-]{43}\n")


def test_one_link_a_role_is_printed_with_its_code(tmp_path: Path) -> None:
    arguments = [*PLAY, "--console-port", "0", "--journal", str(tmp_path / "game.db")]
    said = CliRunner().invoke(app, arguments, input="link assistant:white\nlink nobody\nquit\n")
    assert said.exit_code == 0, said.output
    links = LINK.findall(said.output)
    assert len(links) == len(set(links)) == 2  # White's assistant's, and his new one
    assert said.output.count("The page of the assistant of white: ") == 2
    assert "█" in said.output
    assert "Name whose link is to be new: assistant:white." in said.output


def test_a_port_that_is_taken_is_one_sentence(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        arguments = [*PLAY, "--console-port", port, "--journal", str(tmp_path / "game.db")]
        said = CliRunner().invoke(app, arguments, input="quit\n")
    assert f"The console cannot be served at 127.0.0.1, port {port}" in str(said.exception)
    assert "--console-port" in str(said.exception)


def test_where_to_serve_needs_something_to_serve(tmp_path: Path) -> None:
    arguments = [word for word in PLAY if word != "--console"]
    said = CliRunner().invoke(app, [*arguments, "--host", "0.0.0.0"], input="quit\n")
    assert "need --console" in str(said.exception)
