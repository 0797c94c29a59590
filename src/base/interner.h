#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/strong_id.h"

namespace muster {

// Gives each distinct string a dense id, in order of first appearance. Names are interned once, at the edge; behind it
// everything compares and indexes ids. Texts live as long as the interner, unless they are erased: then their ids are given out
// again, the last one first.
template <class Id>
class Interner {
 public:
  Id intern(std::string_view text) { return try_intern(text).first; }
  // And whether the text is new.
  std::pair<Id, bool> try_intern(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return {found->second, false};
    if (!free_.empty()) {
      const auto id = free_.back();
      free_.pop_back();
      ids_.emplace(texts_[id.index()] = text, id);
      return {id, true};
    }
    const Id id(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return {id, true};
  }
  // Nobody uses the id any more. False: it was erased before.
  bool erase(Id id) {
    const auto found = ids_.find(texts_[id.index()]);
    if (found == ids_.end() || found->second != id) return false;
    ids_.erase(found);
    texts_[id.index()] = std::string();
    free_.push_back(id);
    return true;
  }
  Id find(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? Id() : found->second;
  }
  const std::string& text(Id id) const { return texts_[id.index()]; }
  std::size_t size() const { return texts_.size(); }  // with those that were erased

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements, so the keys below stay valid
  boost::unordered_flat_map<std::string_view, Id> ids_;
  std::vector<Id> free_;
};

}  // namespace muster
