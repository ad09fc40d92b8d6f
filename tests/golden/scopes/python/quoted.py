import collections.abc
import enum
import typing as t
from collections import namedtuple
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple, NewType, TypedDict, TypeVar, cast

if TYPE_CHECKING:
    from shop.carts import Cart
    import shop.orders

__all__ = ["Order", "Cart"] + ["shop"]
__all__ += ("T",)
__all__.append('Line')
__all__: list[str] = ["carts"]

T = TypeVar("T", bound="Order")
K = TypeVar("K", "Order", "list[Cart]")
Id = NewType("Id", "Order")
Line = NamedTuple("Line", [("Order", "Order")])
Shape = TypedDict("Shape", {"Order": "Order"})
Point = namedtuple("Point", "x y")
Color = enum.Enum("Color", "Order")
Alias: t.TypeAlias = "Order"
Maybe = t.Optional["Order"]
Names = list["Order"]


class Order:
    """Order: a docstring."""

    def add(self, other: "Order", *more: "t.Sequence[Order | None]") -> "dict[str, 'Order']":
        kind: Literal["Order"] = "Order"
        mark: Annotated["Order", "Order"] = self
        copy = cast("Order", other)
        both = t.cast(list["Order"], [copy])
        print("Order", kind, {"Order": 1}["Order"])
        return {"Order": both[0]}

    def old(self, a, *b):
        # type: (Order, *Order) -> shop.orders.Order
        c = []  # type: t.List[Order]
        d = c  # type: ignore[assignment]
        return c[0]

    def hidden(self, Order: type) -> "Order":
        x: "Order" = Order()
        return x


class Repository(t.Generic[T]):
    pass


class Orders(Repository["Order"]):
    last: """
        Order
        | None
    """ = None
    bad: "Order |" = None
    odd: "Or" "der" = None
    raw: b"Order" = None
    put: f"{Order}" = None
    call: collections.abc.Callable[["Order"], "Cart"]
