import pytest

from roman import to_roman


@pytest.mark.parametrize("number, text", [
    (1, "I"), (4, "IV"), (9, "IX"), (48, "XLVIII"), (93, "XCIII"), (141, "CXLI"), (575, "DLXXV"),
    (911, "CMXI"), (1024, "MXXIV"), (1444, "MCDXLIV"), (3999, "MMMCMXCIX")])
def test_writes_numerals(number: int, text: str) -> None:
    assert to_roman(number) == text


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_refuses_others(number: int) -> None:
    with pytest.raises(ValueError):
        to_roman(number)
