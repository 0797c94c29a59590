#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kube/object_decoder.h"

namespace muster::kube {

// Which objects of a kind the consumer has been told of, and in which state: what makes a second list tell only what is new.
class SeenObjects {
 public:
  enum class News { kNone, kAdded, kModified };
  struct Noted {
    News news = News::kNone;
    std::optional<Identity> replaced;  // an object of the same name that is gone, to be told before
  };

  // There is an object in this state.
  Noted note(const Identity& id);
  // There is one that cannot be read: whatever was told of it stays.
  void touch(const Identity& id);
  // It is gone. What was known of it; nothing when nothing was.
  std::optional<Identity> remove(const Identity& id);

  // Between begin and end of a list, all that exists is noted; the end gives what was known and was not noted, by name, and forgets
  // it. A list that is begun again starts over.
  void begin_list() { ++round_; }
  std::vector<Identity> end_list();
  // How many lists have begun.
  std::uint64_t lists() const { return round_; }

  std::size_t size() const { return objects_.size(); }
  // What was told of the object of this name; nothing when nothing was.
  std::optional<Identity> find(const Identity& id) const;
  // What was told of all objects whose "namespace/name" is behind `after` and, unless it is empty, not behind `last`.
  std::vector<Identity> between(const std::string& after, const std::string& last) const;

  // From here to the end, the names of all that is noted or removed are kept: whoever compares must not trust those.
  void begin_tracking();
  void end_tracking();
  bool touched(const Identity& id) const { return touched_.contains(key_of(id)); }

  static std::string key_of(const Identity& id) { return id.ns + "/" + id.name; }

 private:
  struct Entry {
    std::string uid;
    std::string resource_version;
    std::uint64_t round = 0;
  };
  static Identity identity(const std::string& key, const Entry& entry);

  boost::unordered_flat_map<std::string, Entry> objects_;  // by "namespace/name"
  std::uint64_t round_ = 0;
  bool tracks_ = false;
  boost::unordered_flat_set<std::string> touched_;
};

}  // namespace muster::kube
