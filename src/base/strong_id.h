#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

namespace muster {

// A 32-bit index into a table, typed by what it names, so that a node can never be used where a pod is meant.
// A default-constructed id names nothing; it converts to false and must not be used as an index.
template <class Tag>
class StrongId {
 public:
  constexpr StrongId() = default;
  explicit constexpr StrongId(std::size_t index) : value_(static_cast<std::uint32_t>(index)) {}

  constexpr explicit operator bool() const { return value_ != kNothing; }
  constexpr std::uint32_t index() const { return value_; }
  constexpr auto operator<=>(const StrongId&) const = default;
  friend std::size_t hash_value(StrongId id) { return std::hash<std::uint32_t>()(id.value_); }

 private:
  static constexpr std::uint32_t kNothing = std::numeric_limits<std::uint32_t>::max();
  std::uint32_t value_ = kNothing;
};

// A vector indexed by a strong id.
template <class Id, class T>
class IdVector {
 public:
  IdVector() = default;
  explicit IdVector(std::size_t size, const T& value = T()) : items_(size, value) {}

  decltype(auto) operator[](Id id) { return items_[id.index()]; }
  decltype(auto) operator[](Id id) const { return items_[id.index()]; }

  Id push_back(T value) {
    items_.push_back(std::move(value));
    return Id(items_.size() - 1);
  }
  void resize(std::size_t size) { items_.resize(size); }
  void assign(std::size_t size, T value) { items_.assign(size, std::move(value)); }
  void clear() { items_.clear(); }
  void reserve(std::size_t size) { items_.reserve(size); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  bool contains(Id id) const { return id && id.index() < items_.size(); }
  auto begin() { return items_.begin(); }
  auto end() { return items_.end(); }
  auto begin() const { return items_.begin(); }
  auto end() const { return items_.end(); }
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }

 private:
  std::vector<T> items_;
};

// All ids of a dense table, for range-for loops.
template <class Id>
class IdRange {
 public:
  explicit IdRange(std::size_t size) : size_(size) {}
  class Iterator {
   public:
    explicit Iterator(std::size_t at) : at_(at) {}
    Id operator*() const { return Id(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at_ != other.at_; }

   private:
    std::size_t at_;
  };
  Iterator begin() const { return Iterator(0); }
  Iterator end() const { return Iterator(size_); }

 private:
  std::size_t size_;
};

}  // namespace muster

template <class Tag>
struct std::hash<muster::StrongId<Tag>> {
  std::size_t operator()(muster::StrongId<Tag> id) const noexcept { return std::hash<std::uint32_t>()(id.index()); }
};
