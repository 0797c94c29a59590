// Arbitrary bytes as a body in protobuf: refused as a bad request with a reason, or an object that JSON can hold and gives back.
// The seeds are what kubectl sends.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.h"
#include "sim/protobuf.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster::sim;
  const auto object = protobuf_body(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!object) {
    MUSTER_ASSERT(object.error().code == 400 && !object.error().message.empty());
    return 0;
  }
  MUSTER_ASSERT(object->is_map() && !object->text_at("kind").empty());
  const auto again = Tree::parse(object->text());
  MUSTER_ASSERT(again.has_value() && *again == *object);
  return 0;
}
