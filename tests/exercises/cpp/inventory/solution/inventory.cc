#include "inventory.h"

#include "money.h"

void Inventory::Add(const std::string& name, int count, int price_cents) {
  Article& article = articles_[name];
  article.price_cents = price_cents;
  article.count += count;
}

bool Inventory::Take(const std::string& name, int count) {
  const auto found = articles_.find(name);
  if (found == articles_.end() || found->second.count < count) {
    return false;
  }
  found->second.count -= count;
  return true;
}

int Inventory::Count(const std::string& name) const {
  const auto found = articles_.find(name);
  return found == articles_.end() ? 0 : found->second.count;
}

std::string Inventory::Value() const {
  int cents = 0;
  for (const auto& [name, article] : articles_) {
    cents += article.count * article.price_cents;
  }
  return FormatCents(cents);
}
