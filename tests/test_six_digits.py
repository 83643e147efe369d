"""Two sides that know the same six digits, for any use; a hall's tickets test the rest."""

from __future__ import annotations

import pytest

from blindplay.six_digits import DigitsSide, WrongDigitsError, six_digits

NAMES = b"one", b"other"


def agreed(first: str, second: str, purpose: bytes = b"test") -> tuple[DigitsSide, DigitsSide]:
    one = DigitsSide(first, NAMES, b"test", first=True)
    other = DigitsSide(second, NAMES, purpose, first=False)
    one.agree(other.message)
    other.agree(one.message)
    return one, other


def test_both_can_seal_and_each_message_has_its_number() -> None:
    one, other = agreed("482915", "482915")
    there, back = one.seal(b"to you", b"a", 1), other.seal(b"to me", b"b", 2)
    assert (other.unseal(there, b"a", 1), one.unseal(back, b"b", 2)) == (b"to you", b"to me")
    for wrong in ((there, b"b", 1), (there, b"a", 2), (b"", b"a", 1)):
        with pytest.raises(WrongDigitsError):
            other.unseal(*wrong)


def test_other_digits_and_another_use_have_other_keys() -> None:
    for one, other in (agreed("482915", "482916"), agreed("482915", "482915", b"another")):
        assert one.shows(b"it") != other.shows(b"it")
        with pytest.raises(WrongDigitsError):
            other.unseal(one.seal(b"to you", b""), b"")


def test_digits_are_six_and_by_chance() -> None:
    assert all(len(one) == 6 and one.isdecimal() for one in {six_digits() for _ in range(50)})
