from typing import Generic, TypeVar

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self, capacity: int) -> None:
        raise NotImplementedError
