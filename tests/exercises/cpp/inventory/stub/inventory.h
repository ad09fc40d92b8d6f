#pragma once

#include <map>
#include <string>

class Inventory {
 public:
  void Add(const std::string& name, int count, int price_cents);
  bool Take(const std::string& name, int count);
  int Count(const std::string& name) const;
  std::string Value() const;

 private:
  struct Article {
    int price_cents = 0;
    int count = 0;
  };
  std::map<std::string, Article> articles_;
};
