"""Files in the encodings of older programs: which letters their names have."""

from __future__ import annotations

import pytest

from blindplay.encodings import encoded, guess

NAMES = [
    ("cp1252", "Müller, Jörg\nÅström, Zoë"),
    ("cp1252", "Šimkus, Žydrunas\nŒuvrard, Zoë\nMüller, Jörg\nÅngström, Åse"),
    ("cp1252", "Ødegård, Bjørn\nSørensen"),
    ("cp1252", "José Raúl\nJoão Conceição"),
    ("cp1252", "Þröstur Þórhallsson\nGuðmundur"),
    ("cp1252", "{schön – „gut“}"),
    ("cp1250", "Dvořák, Jiří\nNovák, Tomáš"),
    ("cp1250", "Wojtaszek, Radosław\nŚwiercz, Dariusz"),
    ("cp1250", "Szűcs, Győző"),
    ("cp1250", "Ivanišević, Ivan\nĆosić"),
    ("iso8859_2", "Šimáček, Žižka, Ľuboš"),
    ("mac_roman", "Müller, Jörg"),
    ("mac_roman", "Gröndahl, Øystein"),
    ("mac_roman", "1. e4 {schön – „gut“}"),
    ("cp1257", "Šarūnas Šulskis\nVaišvydas, Ąžuolas"),
    ("cp1254", "Yılmaz, Mustafa\nŞanal"),
    ("cp1251", "Карпов, Анатолий"),
    ("cp1251", "1. e4 e5 2. Кf3 Кc6 3. Сb5"),
    ("koi8_r", "Карпов, Анатолий"),
    ("cp1253", "Παπαϊωάννου, Ιωάννης"),
    ("cp850", "Müller, Jörg"),
    ("cp1250", "Popović, Jović, Horvat"),
    ("cp1250", "POPOVIĆ, ANA"),
    ("iso8859_2", "Popović, Ana"),
    ("mac_roman", "Sørensen, Per"),
    ("cp850", "Jørgensen"),
    ("cp1252", "Çelik"),
    ("cp1252", "{«très» bon}"),
    ("cp1257", "Ērglis"),
    ("mac_roman", "Ça va"),
]


@pytest.mark.parametrize(("encoding", "text"), NAMES, ids=lambda one: one[:12])
def test_the_letters_of_names_and_moves_tell_the_encoding(encoding: str, text: str) -> None:
    whole = f'[White "{text}"]\n[Result "1-0"]\n\n1. e4 e5 1-0\n'
    for given in (text, whole):
        found = guess(given.encode(encoding), "list.pgn")
        assert found.text == given
        assert encoded(found.lines, found.encodings) == given.encode(encoding)
        assert found.guessed.startswith("list.pgn is not in UTF-8; its letters were read as ")


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-le", "utf-16-be"]
)
def test_unicode_needs_no_guess(encoding: str) -> None:
    text = '[White "Šimkus, Žydrūnas"]\n\n1. e4 e5 2. Nf3 {schön – „gut“} Nc6 1-0\n'
    found = guess(text.encode(encoding), "x")
    assert (found.text, found.guessed) == (text, "")
    assert encoded(found.lines, found.encodings) == text.encode(encoding)


def test_a_file_of_several_encodings_is_read_line_by_line_and_written_as_it_was() -> None:
    lines = ["Müller, Jörg\r\n".encode(), "Größe\r".encode("cp1252"), b"Berg\n", "Åse".encode()]
    found = guess(b"".join(lines), "x")
    assert "".join(found.lines) == "Müller, Jörg\r\nGröße\rBerg\nÅse"
    assert encoded(found.lines, found.encodings) == b"".join(lines)
    assert "Windows-1252: Größe." in found.guessed


def test_a_byte_that_is_no_letter_is_shown_and_kept() -> None:
    data = b"Gr\xf6\xdfe, J\xf6rg \x81\n"
    found = guess(data, "x")
    assert found.text == "Größe, Jörg \ufffd\n" and encoded(found.lines, found.encodings) == data


def test_nothing_is_no_text() -> None:
    assert guess(b"", "x").text == ""
