import os.path
import numpy as np
from .base import Base, helper as h

limit = 1


def outer(value, *args, key=limit, **rest):
    print(value)
    limit = 2

    def inner():
        nonlocal value
        global limit
        limit = value
        return limit

    result = [x for x in args if x != value]
    x = lambda x: x + limit
    return inner(key=key)


class Server(Base):
    limit = 3
    copy = limit

    def run(self, limit: int = limit):
        self.limit = limit
        return helper, h.run(limit=limit), self.run()

    def other(self):
        return limit, copy


limit += 1
