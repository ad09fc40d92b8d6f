"""Module."""
import os
from typing import Generic, TypeVar

T = TypeVar("T")
LIMIT: int = 10
a, b = 1, 2
first = second = None
counter = 0
counter = counter + 1
declared: str


# Base of all.
class Base:
    pass


@dataclass(frozen=True)
class Server(Base, abc.ABC, Generic[T], metaclass=Meta):
    """A server.

    More.
    """

    port: int = 80
    name: str
    _cache = {}

    def __init__(self, name):
        """Makes one."""
        self.name = name
        self.items, self.size = [], 0
        if name:
            self.extra: int = 1
        local = 2

    @property
    def address(self) -> str:
        return self._address

    @address.setter
    def address(self, value):
        self._address = value

    # Runs it.
    @staticmethod
    async def run(
        count: int,
        *args,
    ) -> None:
        def inner(x):
            y = x
            return y

        self_like = inner

    class Nested:
        depth = 1

        def act(self):
            self.depth = 2


def function(x, y=1):
    'Short.'
    value = x

    class Local:
        z = 1

    return lambda q: q


@decorator
# In between.
@other
def decorated():
    pass


if os.name == "nt":
    PLATFORM = "windows"

    def platform():
        pass
else:
    PLATFORM = "posix"

type Vector = list[float]
type Pair[A] = tuple[A, A]

for i in range(3):
    looped = i
