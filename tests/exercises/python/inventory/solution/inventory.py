from dataclasses import dataclass

from money import format_cents


@dataclass
class Article:
    price_cents: int
    count: int = 0


class Inventory:
    def __init__(self) -> None:
        self._articles: dict[str, Article] = {}

    def add(self, name: str, count: int, price_cents: int) -> None:
        article = self._articles.setdefault(name, Article(price_cents))
        article.price_cents = price_cents
        article.count += count

    def take(self, name: str, count: int) -> bool:
        article = self._articles.get(name)
        if article is None or article.count < count:
            return False
        article.count -= count
        return True

    def count(self, name: str) -> int:
        article = self._articles.get(name)
        return article.count if article is not None else 0

    def value(self) -> str:
        cents = sum(a.count * a.price_cents for a in self._articles.values())
        return format_cents(cents)
