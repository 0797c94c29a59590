// Arbitrary bytes, as an archive or as what is in one, never crash the reader of KAI's snapshots.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.h"
#include "codec/kai_snapshot.h"
#include "codec/zip_archive.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace muster;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kRoom = 1 << 20;
  if (const auto member = find_zip_member(bytes, "snapshot.json"); member && member->size <= kRoom) {
    std::string room(member->size, '\0');
    static_cast<void>(unpack(*member, room));
  }
  const auto input = Input::of_text(bytes, "fuzz");
  if (!input || !is_kai_snapshot(*input)) return 0;
  const auto read = read_kai_snapshot(*input, [](Object&&, const Location&) { return Result<void>(); });
  if (!read) MUSTER_ASSERT(!read.error().message.empty());
  static_cast<void>(read_kai_snapshot_settings(*input));
  return 0;
}
