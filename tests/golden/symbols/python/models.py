import enum


class Color(enum.Enum):
    """Colours."""

    RED = 1
    GREEN = 2

    @classmethod
    def parse(cls, text): ...


class Empty: ...


class Config(dict[str, int], mixins.Loader):
    x = y = 0
    handler = lambda self: None

    async def load(self):
        async with open("x") as f:
            self.data = f
        (self.left, self.right) = 1, 2


def outer():
    def middle():
        def inner():
            global shared
            shared = 1

        return inner

    return middle


try:
    import json
except ImportError:
    json = None

with open("x") as handle:
    content = handle.read()

Config.default = Config()
