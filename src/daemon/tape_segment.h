#pragma once

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "codec/deflate.h"

namespace muster::daemon::tape {

// A segment is a line of text, by which anybody can tell what it is:
//
//   muster recording 1 shape=0123456789abcdef version=0.1.0
//
// and blocks: the packed size, the size and the checksum of the packed bytes, four bytes each, least significant first, then the
// packed bytes. Unpacked, a block is entries, each after its length. A block is whole or it is nothing: whatever breaks off can be
// read up to the last whole block.
inline constexpr int kFormat = 1;
inline constexpr std::size_t kLargestBlock = std::size_t{64} << 20;

// What the first line says.
struct Label {
  std::uint64_t shape = 0;
  std::string version;  // of the muster that wrote it
};
std::string label_line(const Label& label);

// Writes one segment. On an error the file ends with the last whole block.
class SegmentWriter {
 public:
  static Result<SegmentWriter> open(const std::filesystem::path& path, const Label& label);

  // Packs a block of entries for write(): its size is then known.
  std::string pack(std::string_view entries);
  Result<void> write(std::string_view block);
  std::uint64_t size() const { return size_; }
  const std::filesystem::path& path() const { return path_; }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  SegmentWriter(std::filesystem::path path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  std::unique_ptr<DeflateStream> deflate_ = std::make_unique<DeflateStream>();
  std::uint64_t size_ = 0;
};

// Adds an entry to what is to become a block.
void add_entry(std::string& entries, std::string_view entry);

// Where the bytes of a segment come from.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  // So many, or as many as are left.
  virtual Result<std::string> read(std::size_t most) = 0;
};
Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path);

// Reads one segment entry by entry. Errors name the file and the offset in it.
class SegmentReader {
 public:
  SegmentReader(std::unique_ptr<ByteSource> source, std::string name) : source_(std::move(source)), name_(std::move(name)) {}

  // First. What is no recording, or of another format, is an error; who compares the shape is the caller.
  Result<Label> label();
  // The next entry; nothing: the segment ends here, after a whole block.
  Result<std::optional<std::string_view>> next();
  // Of the block that the last entry was in, or where an error is.
  std::uint64_t offset() const { return block_at_; }
  const std::string& name() const { return name_; }
  Error error(std::string message) const;

 private:
  Result<bool> read_block();

  std::unique_ptr<ByteSource> source_;
  std::string name_;
  InflateStream inflate_;
  std::string block_;
  std::size_t at_ = 0;  // in the block
  std::uint64_t block_at_ = 0;
  std::uint64_t read_ = 0;  // so far
};

}  // namespace muster::daemon::tape
