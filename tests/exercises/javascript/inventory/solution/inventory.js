import { formatCents } from "./money.js";

export class Inventory {
  #articles = new Map();

  add(name, count, priceCents) {
    const before = this.#articles.get(name)?.count ?? 0;
    this.#articles.set(name, { priceCents, count: before + count });
  }

  take(name, count) {
    const article = this.#articles.get(name);
    if (article === undefined || article.count < count) {
      return false;
    }
    article.count -= count;
    return true;
  }

  count(name) {
    return this.#articles.get(name)?.count ?? 0;
  }

  value() {
    let cents = 0;
    for (const article of this.#articles.values()) {
      cents += article.count * article.priceCents;
    }
    return formatCents(cents);
  }
}
