#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "codec/input.h"
#include "model/objects.h"

namespace muster {

// Takes one object and where it begins. An error stops the reading and is handed on as it is.
using ObjectSink = std::function<Result<void>(Object&&, const Location&)>;

struct ReadStats {
  std::uint64_t objects = 0;                     // handed to the sink
  std::map<std::string, std::uint64_t> skipped;  // kinds that muster does not read, as "apps/v1 Deployment", and how many of each

  std::vector<std::string> notes;  // what a reader had to assume, for the user to see

  // Fields that their kind does not have, and what to say of each; only kinds of which all fields are known tell.
  struct Unknown {
    Location first;
    std::string object;  // the first that has it
    std::uint64_t count = 0;
  };
  std::map<std::string, Unknown> unknown_fields = {};  // by "spec.resorces is no field of a Queue; did you mean \"resources\"?"

  void add(const ReadStats& other);
};

// Reads Kubernetes objects in whatever form people have them: one object, concatenated or one per line, JSON arrays, Lists of any
// kind, several YAML documents, the snapshot that Volcano's scheduler writes on SIGUSR1, and the one that KAI's gives out. The
// objects reach the sink one by one, in file order.
//
// Unknown fields are passed over, and noted where they look mistyped; null counts as absent. A field of a wrong type, an impossible
// quantity or time, an unknown selector operator and any syntax error is an Error that names file, line, column, object and field.
Result<ReadStats> read_objects(const Input& input, const ObjectSink& sink);

// The same for a path as users give it: a file, a directory (all its files) or "-".
Result<ReadStats> read_objects_at(const std::string& path, const ObjectSink& sink);

// The same for a text in memory, named `file` in errors.
Result<ReadStats> read_objects_text(std::string_view text, const std::string& file, const ObjectSink& sink);

// "Pod default/web-0", "Node n1": how messages name an object.
std::string object_name(std::string_view kind, const ObjectMeta& meta);
std::string object_name(const Object& object);

const ObjectMeta& meta_of(const Object& object);

}  // namespace muster
