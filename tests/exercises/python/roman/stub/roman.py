def to_roman(number: int) -> str:
    raise NotImplementedError
