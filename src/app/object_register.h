#pragma once

#include <boost/unordered/unordered_flat_map.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/object_reader.h"

namespace muster {

// Objects of which the same is to be said.
struct Naming {
  std::string first;  // "Pod default/web-0"
  std::size_t count = 0;

  void add(std::string_view name) {
    if (count++ == 0) first = name;
  }
  void add(const Naming& more) {
    if (count == 0) first = more.first;
    count += more.count;
  }
  // "Pod default/web-0 and 3 more".
  std::string text() const { return first + (count == 1 ? "" : " and " + std::to_string(count - 1) + " more"); }
};

// Remembers which objects were there and refuses those of a name that was there before.
class ObjectRegister {
 public:
  // Whether the object is to be taken. One without a line is made up by a reader to stand in for what a file cannot hold; it gives
  // way to a real one.
  Result<bool> remember(const Object& object, const Location& location);

 private:
  struct Place {
    std::uint32_t file = 0;
    std::uint64_t line = 0;
    std::uint64_t column = 0;
  };
  std::uint32_t file_index(const std::string& file);

  std::vector<std::string> files_;
  boost::unordered_flat_map<std::string, Place> known_;  // by "Pod default/web-0"
};

// "file:line:column".
std::string place_text(const Location& location);

// What is to be said of an annotation that is nearly the one of this name; empty when there is none.
std::string mistyped_annotation(const ObjectMeta& meta, std::string_view name);

// What a queue says about its place among queues.
struct QueuePlace {
  std::string parent;
  Location location;
};
// Refuses queues that are their own ancestors. `field` is where a queue names its parent.
Result<void> refuse_queue_cycles(const std::map<std::string, QueuePlace>& queues, const std::string& field);

}  // namespace muster
