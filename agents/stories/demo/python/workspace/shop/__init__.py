"""Takes orders."""

from shop.service import OrderService

__all__ = ["OrderService"]
