"""Turns a basket into an order."""

from typing import TYPE_CHECKING, TypeVar, cast

if TYPE_CHECKING:
    from shop.service import OrderService

Service = TypeVar("Service", bound="OrderService")


def opened(service: Service, cents: int) -> Service:
    service.add(cents)
    return service


def checkout(service: "OrderService", basket: dict[str, int]) -> int:
    return opened(service, sum(basket.values())).total()


def service_of(desk: dict[str, object]) -> "OrderService":
    return cast("OrderService", desk["service"])
