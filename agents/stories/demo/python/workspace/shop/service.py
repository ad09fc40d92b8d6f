"""The orders of one day."""


class OrderService:
    """Keeps orders as amounts in cents."""

    def __init__(self) -> None:
        self._orders: list[int] = []

    def add(self, cents: int) -> "OrderService":
        if cents <= 0:
            raise ValueError(f"amount {cents} is not positive")
        self._orders.append(cents)
        return self

    def total(self) -> int:
        return sum(self._orders)
