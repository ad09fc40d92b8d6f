SYMBOLS = [(1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"),
           (50, "L"), (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I")]


def to_roman(number: int) -> str:
    if number < 1 or number > 3999:
        raise ValueError(f"{number} has no Roman numeral")
    text = ""
    for value, symbol in SYMBOLS:
        text += symbol * (number // value)
        number = number % value
    return text
