#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
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

  std::size_t size() const { return objects_.size(); }

 private:
  struct Entry {
    std::string uid;
    std::string resource_version;
    std::uint64_t round = 0;
  };
  static std::string key_of(const Identity& id) { return id.ns + "/" + id.name; }
  static Identity identity(const std::string& key, const Entry& entry);

  boost::unordered_flat_map<std::string, Entry> objects_;  // by "namespace/name"
  std::uint64_t round_ = 0;
};

}  // namespace muster::kube
