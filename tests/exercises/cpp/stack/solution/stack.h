#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

template <typename T>
class Stack {
 public:
  explicit Stack(std::size_t capacity) : capacity_(capacity) {}

  bool Push(T item) {
    if (items_.size() == capacity_) {
      return false;
    }
    items_.push_back(std::move(item));
    return true;
  }

  std::optional<T> Pop() {
    std::optional<T> item;
    if (items_.size() > 0) {
      item = std::move(items_.back());
      items_.pop_back();
    }
    return item;
  }

  std::size_t Room() const { return capacity_ - items_.size(); }

 private:
  std::size_t capacity_;
  std::vector<T> items_;
};
