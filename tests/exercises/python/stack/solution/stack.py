from typing import Generic, Optional, TypeVar

T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self._items: list[T] = []

    def push(self, item: T) -> bool:
        if len(self._items) == self._capacity:
            return False
        self._items.append(item)
        return True

    def pop(self) -> Optional[T]:
        if len(self._items) == 0:
            return None
        return self._items.pop()

    def room(self) -> int:
        return self._capacity - len(self._items)
