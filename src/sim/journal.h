#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "base/result.h"
#include "sim/store.h"

namespace muster::sim {

// Keeps a store in a file: one record per change, each with its length and checksum, appended and forced to the disk before the
// change counts. So what was answered survives a crash, and a record that was cut off by one is left out when the file is read.
//
// A record is: its length and the CRC-32 of what follows (four bytes each, least significant first), then JSON, {"revision": …,
// "object": …} or {"revision": …, "gone": {"apiVersion", "kind", "namespace", "name"}}. When most of the file is history, it is
// written anew beside and put in its place.
class Journal {
 public:
  // Opens or makes the file and restores what is in it. Fails when it cannot be read or written, when another process has it, and
  // when something else than its last record is damaged.
  static Result<std::unique_ptr<Journal>> open(const std::filesystem::path& path, Store& store);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  Result<void> append(const Kind& kind, const Change& change);

 private:
  Journal(std::filesystem::path path, Store& store) : path_(std::move(path)), store_(store) {}
  Result<void> open_file();
  Result<void> restore();
  Result<void> restore_record(std::string_view text);
  Result<void> compact();
  Result<void> broken(const std::string& doing);

  static constexpr std::uint64_t kSmallFile = std::uint64_t{8} << 20;

  std::filesystem::path path_;
  Store& store_;
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
  std::uint64_t compact_above_ = kSmallFile;
  std::string failure_;  // after it nothing is taken any more: what is on the disk is unknown
};

}  // namespace muster::sim
