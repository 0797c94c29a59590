#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "sim/store.h"

namespace muster::sim {

// Keeps a store in a file: one record per change, each with its length and checksum, appended and forced to the disk before the
// change counts. So what was answered survives a crash, and a record that was cut off by one is left out when the file is read.
//
// The file begins with sixteen bytes that say what it is. A record is: the CRC-32 of all of it that follows, the length of its
// content (four bytes each, least significant first), then JSON, {"revision": …, "object": …} or {"revision": …, "gone":
// {"apiVersion", "kind", "namespace", "name"}}. When most of the file is history, it is written anew beside and put in its place.
class Journal {
 public:
  using Log = std::function<void(std::string_view)>;

  // Opens or makes the file and restores what is in it. Fails when it cannot be read or written, when it is something else, when
  // another process has it, and when a record is damaged that others follow.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& path, Store& store, Log log = {});
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  Result<void> append(const Kind& kind, const Change& change);

 private:
  Journal(std::filesystem::path path, Store& store, Log log) : path_(std::move(path)), store_(store), log_(std::move(log)) {}
  Result<void> open_file();
  Result<void> restore();
  Result<void> begin_file();
  Result<void> cut_at(std::uint64_t size);
  Result<void> restore_record(std::string_view text);
  Result<void> compact();
  Result<void> broken(const std::string& doing);

  static constexpr std::uint64_t kSmallFile = std::uint64_t{8} << 20;

  std::filesystem::path path_;
  Store& store_;
  Log log_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t compact_above_ = kSmallFile;
  std::string failure_;  // after it nothing is taken any more: what is on the disk is unknown
};

}  // namespace muster::sim
