#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <functional>
#include <string>
#include <string_view>

namespace muster {

// The ids of things that come and go, by name. Unlike with an Interner, a name may be forgotten and get another id later.
template <class Id>
class NameTable {
 public:
  // None: there is no such name.
  Id find(std::string_view name) const {
    const auto found = ids_.find(name);
    return found == ids_.end() ? Id() : found->second;
  }
  void set(std::string_view name, Id id) { ids_.insert_or_assign(std::string(name), id); }
  void erase(std::string_view name) { ids_.erase(name); }
  std::size_t size() const { return ids_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>()(name); }
  };
  boost::unordered_flat_map<std::string, Id, Hash, std::equal_to<>> ids_;
};

}  // namespace muster
