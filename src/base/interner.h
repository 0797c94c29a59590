#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <utility>

#include "base/strong_id.h"

namespace muster {

// Gives each distinct string a dense id, in order of first appearance. Names are interned once, at the edge; behind it
// everything compares and indexes ids. Texts live as long as the interner.
template <class Id>
class Interner {
 public:
  Id intern(std::string_view text) { return try_intern(text).first; }
  // And whether the text is new.
  std::pair<Id, bool> try_intern(std::string_view text) {
    if (const auto found = ids_.find(text); found != ids_.end()) return {found->second, false};
    const Id id(texts_.size());
    ids_.emplace(texts_.emplace_back(text), id);
    return {id, true};
  }
  Id find(std::string_view text) const {
    const auto found = ids_.find(text);
    return found == ids_.end() ? Id() : found->second;
  }
  const std::string& text(Id id) const { return texts_[id.index()]; }
  std::size_t size() const { return texts_.size(); }

 private:
  std::deque<std::string> texts_;  // a deque never moves its elements, so the keys below stay valid
  boost::unordered_flat_map<std::string_view, Id> ids_;
};

}  // namespace muster
