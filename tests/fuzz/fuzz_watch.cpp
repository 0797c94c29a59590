// Arbitrary bytes as a watch, cut anywhere, as a page of a list and as a Status: nothing crashes, and where the cuts are changes
// nothing.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/assert.h"
#include "codec/kinds.h"
#include "kube/api_status.h"
#include "kube/leader_election.h"
#include "kube/list_page.h"
#include "kube/watch_stream.h"

namespace muster::kube {
namespace {

// What each line is, and whether the stream broke.
std::vector<int> read_stream(std::string_view text, std::size_t step) {
  ObjectDecoder decoder(*find_kind("v1", "Pod"));
  WatchStream stream(1000);
  std::vector<int> out;
  for (std::size_t at = 0; at < text.size(); at += step) {
    stream.append(text.substr(at, step));
    for (;;) {
      const auto next = stream.next();
      if (!next) return out.push_back(-1), out;
      if (!next->has_line) break;
      const bool read = decoder.decode(next->line.text, next->line.object).has_value();
      static_cast<void>(read_meta(next->line.object.in(next->line.text)));
      out.push_back(static_cast<int>(next->line.type) * 2 + (read ? 1 : 0));
    }
  }
  return out;
}

}  // namespace
}  // namespace muster::kube

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  using namespace muster::kube;
  if (size == 0) return 0;
  const std::size_t step = 1 + data[0] % 32;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  MUSTER_ASSERT(read_stream(text, step) == read_stream(text, text.size() + 1));
  std::string page(text);
  if (const auto list = read_list_page(page)) {
    ObjectDecoder decoder(*find_kind("v1", "Node"));
    for (const auto& item : list->items) static_cast<void>(decoder.decode(page, item));
  }
  static_cast<void>(read_status(text, 500).text());
  static_cast<void>(read_retry_after(text, Timestamp{0, 0}));
  static_cast<void>(read_lease(text));
  return 0;
}
