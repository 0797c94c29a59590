#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace muster {

// A binary heap whose comparator is asked at every step and may change its mind between steps, as shares change while a cycle goes
// on. Nothing is put in order again behind the caller's back; the exact steps are part of the behaviour that the dialects
// reproduce.
template <class T, class Less>
class Heap {
 public:
  explicit Heap(Less less) : less_(std::move(less)) {}

  bool empty() const { return items_.empty(); }
  std::size_t size() const { return items_.size(); }
  void reserve(std::size_t size) { items_.reserve(size); }
  const std::vector<T>& items() const { return items_; }  // in no order that means anything

  void push(T item) {
    items_.push_back(std::move(item));
    sift_up(items_.size() - 1);
  }

  T pop() {
    std::swap(items_.front(), items_.back());
    sift_down(items_.size() - 1);
    T item = std::move(items_.back());
    items_.pop_back();
    return item;
  }

  const T& front() const { return items_.front(); }
  // Puts the first item where it belongs by now.
  void fix_front() { sift_down(items_.size()); }
  // Takes out the item at a place of the array.
  void remove(std::size_t at) {
    const auto last = items_.size() - 1;
    if (at != last) {
      std::swap(items_[at], items_[last]);
      if (!sift_down(last, at)) sift_up(at);
    }
    items_.pop_back();
  }

 private:
  void sift_up(std::size_t at) {
    while (at > 0) {
      const auto parent = (at - 1) / 2;
      if (!less_(items_[at], items_[parent])) return;
      std::swap(items_[at], items_[parent]);
      at = parent;
    }
  }
  // Whether anything moved.
  bool sift_down(std::size_t size, std::size_t from = 0) {
    std::size_t at = from;
    for (;;) {
      auto child = 2 * at + 1;
      if (child >= size) return at != from;
      if (child + 1 < size && less_(items_[child + 1], items_[child])) ++child;
      if (!less_(items_[child], items_[at])) return at != from;
      std::swap(items_[at], items_[child]);
      at = child;
    }
  }

  Less less_;
  std::vector<T> items_;
};

}  // namespace muster
