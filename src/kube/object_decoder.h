#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/json_decoder.h"
#include "codec/kinds.h"
#include "kube/json_span.h"
#include "model/objects.h"

namespace muster::kube {

// Enough to tell one object of a kind from another, and one state of it from the next.
struct Identity {
  std::string ns;
  std::string name;
  std::string uid;
  std::string resource_version;

  bool operator==(const Identity&) const = default;
};
Identity identity_of(const ObjectMeta& meta);

// What the metadata of any object or list says, whether or not the rest of it can be read.
struct MetaFields {
  Identity id;
  std::string next_page;             // metadata.continue
  bool ends_initial_events = false;  // annotation k8s.io/initial-events-end of a bookmark
};
MetaFields read_meta(std::string_view text);
// The same for the metadata alone.
MetaFields read_meta_fields(std::string_view metadata);

// Decodes objects of one kind through codec's reader. Unknown fields are passed over without a word.
class ObjectDecoder {
 public:
  explicit ObjectDecoder(const KindReader& reader) : reader_(reader) {}

  // The text must be UTF-8, the span checked, and followed by the padding that the JSON parser wants.
  Result<Object> decode(std::string_view text, JsonSpan object);
  // A text that is the object and nothing else, as it came.
  Result<Object> decode_whole(std::string text);

 private:
  const KindReader& reader_;
  JsonDecoder json_;
};

}  // namespace muster::kube
