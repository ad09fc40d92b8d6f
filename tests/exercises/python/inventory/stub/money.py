def format_cents(cents: int) -> str:
    raise NotImplementedError
