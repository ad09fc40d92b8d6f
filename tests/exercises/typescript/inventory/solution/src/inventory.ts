import { formatCents } from "./money.js";

interface Article {
  priceCents: number;
  count: number;
}

export class Inventory {
  private articles = new Map<string, Article>();

  add(name: string, count: number, priceCents: number): void {
    const before = this.articles.get(name)?.count ?? 0;
    this.articles.set(name, { priceCents, count: before + count });
  }

  take(name: string, count: number): boolean {
    const article = this.articles.get(name);
    if (article === undefined || article.count < count) {
      return false;
    }
    article.count -= count;
    return true;
  }

  count(name: string): number {
    return this.articles.get(name)?.count ?? 0;
  }

  value(): string {
    let cents = 0;
    for (const article of this.articles.values()) {
      cents += article.count * article.priceCents;
    }
    return formatCents(cents);
  }
}
