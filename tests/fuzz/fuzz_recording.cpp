// Arbitrary bytes as a segment of a recording, as one block of it and as a single entry: nothing crashes, nothing is read twice
// differently, and what is read is what is written again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "daemon/tape_entries.h"
#include "daemon/tape_segment.h"

namespace muster::daemon::tape {
namespace {

class FuzzSource final : public ByteSource {
 public:
  explicit FuzzSource(std::string_view text) : text_(text) {}
  Result<std::string> read(std::size_t most) override {
    const auto piece = text_.substr(0, most);
    text_.remove_prefix(piece.size());
    return std::string(piece);
  }

 private:
  std::string_view text_;
};

void take_entry(std::string_view bytes) {
  const auto entry = read_entry(bytes);
  if (!entry) return;
  const auto written = std::visit([](const auto& one) { return bytes_of(one); }, *entry);
  const auto again = read_entry(written);
  MUSTER_ASSERT(again.has_value());
  MUSTER_ASSERT(std::visit([](const auto& one) { return bytes_of(one); }, *again) == written);
}

void take_segment(std::string_view text) {
  SegmentReader reader(std::make_unique<FuzzSource>(text), "fuzz");
  if (!reader.label()) return;
  for (;;) {
    const auto next = reader.next();
    if (!next || !*next) return;
    take_entry(**next);
  }
}

}  // namespace
}  // namespace muster::daemon::tape

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  using namespace muster::daemon::tape;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  switch (data[0] % 3) {
    case 0: take_entry(text); break;
    case 1: take_segment(text); break;
    default: {  // a checksum is hard to guess: the block is made from the bytes
      std::string block;
      const auto packed = DeflateStream().pack(text);
      for (const auto word : {static_cast<std::uint32_t>(packed.size()), static_cast<std::uint32_t>(text.size()), checksum(packed)})
        for (int shift = 0; shift < 32; shift += 8) block.push_back(static_cast<char>(word >> shift));
      take_segment(label_line({1, "fuzz"}) + block + packed);
    }
  }
  return 0;
}
