"""The vocabularies of networks: NeMo's, Hugging Face's, sherpa-onnx's, and damaged ones."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from blindplay.speech.ctc.alphabet import GAP, known_words, read_alphabet
from blindplay.speech.models.folders import ModelError

HUGE = b"<blk> 0\n" + b"".join(b"x%d %d\n" % (n, n) for n in range(1, 65_537))


def test_the_pieces_of_nemo_have_their_blank_last(tmp_path: Path) -> None:
    (tmp_path / "vocab.txt").write_text("<unk> 0\n▁spring 1\ner 2\n▁e 3\n▁ 4\n<blk> 5\n", "utf-8")
    alphabet = read_alphabet(tmp_path)
    assert alphabet.texts == ("", "▁spring", "er", "▁e", GAP, "")
    assert alphabet.blank == 5
    assert alphabet.spellings("Springer") == ("springer",)
    assert alphabet.spellings("sprin") == (), "no pieces make it"
    assert known_words(alphabet, ["e", "springer", "turm"]) == ["e", "springer"]


def test_the_letters_of_hugging_face_pad_with_the_blank(tmp_path: Path) -> None:
    letters = {"<pad>": 0, "<s>": 1, "</s>": 2, "<unk>": 3, "|": 4, "E": 5, "Ø": 6, "[PAD]": 7}
    (tmp_path / "vocab.json").write_text(json.dumps(letters), "utf-8")
    (tmp_path / "config.json").write_text('{"pad_token_id": 7}', "utf-8")
    alphabet = read_alphabet(tmp_path)
    assert alphabet.blank == 7
    assert alphabet.texts == ("", "", "", "", GAP, "e", "ø", "")
    (tmp_path / "config.json").unlink()
    assert read_alphabet(tmp_path).blank == 0


def test_fairseq2_means_blank_by_the_beginning_of_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "tokens.txt").write_text("<s> 0\n<pad> 1\na 2\n  3\n", "utf-8")
    alphabet = read_alphabet(tmp_path)
    assert (alphabet.blank, alphabet.texts) == (0, ("", "", "a", GAP))


def test_a_word_is_spelled_without_accents_that_the_network_does_not_know(tmp_path: Path) -> None:
    text = "".join(f"{letter} {number}\n" for number, letter in enumerate("abcdefghiklmnoprstu"))
    (tmp_path / "vocab.txt").write_text(text + "<blk> 19\n", "utf-8")
    alphabet = read_alphabet(tmp_path)
    assert alphabet.spellings("läufer") == ("laufer",)
    assert alphabet.spellings("groß", "gross") == ("gross",)
    assert alphabet.spellings("remis", "remie") == ("remis", "remie")
    assert alphabet.spellings("b's") == ("bs",)
    assert alphabet.spellings("e4") == () and alphabet.spellings("wasser") == ()


def test_a_lexicon_spells_for_a_network_of_phones(tmp_path: Path) -> None:
    (tmp_path / "tokens.txt").write_text("<blk> 0\nd 1\ni: 2\nIP 3\n", "utf-8")
    (tmp_path / "lexicon.txt").write_text("die d i:\ndip d IP\nDie d IP\n", "utf-8")
    alphabet = read_alphabet(tmp_path)
    first, second = alphabet.spellings("die")
    outputs = [[alphabet.texts.index(letter) for letter in one] for one in (first, second)]
    assert outputs == [[1, 2], [1, 3]]
    assert alphabet.spellings("da") == ()
    (tmp_path / "lexicon.txt").write_text("die d y\n", "utf-8")
    with pytest.raises(ModelError, match=r"lexicon.txt is damaged"):
        read_alphabet(tmp_path)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("vocab.txt", b""),
        ("vocab.txt", b"a 0\na 1\n<blk> 2\n"),
        ("vocab.txt", b"a 0\nb x\n<blk> 1\n"),
        ("vocab.txt", b"a 0\nb 2\n<blk> 3\n"),
        ("vocab.txt", b"a 0\nb 1\n"),  # no blank
        ("vocab.txt", b"<blk> 0\n<unk> 1\n"),  # no letters
        ("vocab.txt", b"\xff\xfe 0\n<blk> 1\n"),
        ("vocab.txt", HUGE),
        ("vocab.txt", bytes(9 << 20)),
        ("vocab.json", b"[1]"),
        ("vocab.json", b"[" * 100_000),
        ("vocab.json", b'{"<pad>": 0, "a": "1"}'),
        ("vocab.json", b'{"<pad>": 0, "a": 99999999999}'),
    ],
)
def test_a_damaged_vocabulary_is_one_sentence(name: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ModelError, match=f"{name} is damaged, or is of no network") as raised:
        read_alphabet(tmp_path)
    assert "\n" not in str(raised.value) and "fetch the model again" in str(raised.value)


def test_a_network_without_a_vocabulary_says_which_file_is_missing(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"put vocab.txt, tokens.txt or vocab.json"):
        read_alphabet(tmp_path)
