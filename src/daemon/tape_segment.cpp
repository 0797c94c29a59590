#include "daemon/tape_segment.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "codec/plain_bytes.h"

namespace muster::daemon::tape {
namespace {

constexpr std::string_view kMagic = "muster recording ";
constexpr std::size_t kLongestLabel = 256;
constexpr std::size_t kBlockHead = 12;

void put_word(std::string& out, std::uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) out.push_back(static_cast<char>(value >> shift));
}

std::uint32_t word_at(std::string_view bytes, std::size_t at) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value |= std::uint32_t{static_cast<std::uint8_t>(bytes[at + i])} << (8 * i);
  return value;
}

std::string system_problem(const std::filesystem::path& path, const char* what) {
  return path.string() + ": " + what + ": " + std::strerror(errno);
}

class FileSource final : public ByteSource {
 public:
  explicit FileSource(std::FILE* file, std::string name) : file_(file), name_(std::move(name)) {}
  Result<std::string> read(std::size_t most) override {
    std::string bytes(most, '\0');
    bytes.resize(std::fread(bytes.data(), 1, most, file_.get()));
    if (std::ferror(file_.get()) != 0) return fail(system_problem(name_, "cannot be read"));
    return bytes;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  std::unique_ptr<std::FILE, Close> file_;
  std::string name_;
};

// "key=value" at the beginning of the text, up to a blank or the end.
std::optional<std::string_view> take_field(std::string_view& text, std::string_view key) {
  if (!text.starts_with(key)) return std::nullopt;
  text.remove_prefix(key.size());
  const auto end = std::min(text.find(' '), text.size());
  const auto value = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return value;
}

std::optional<Label> read_label(std::string_view rest) {
  const auto shape = take_field(rest, "shape=");
  if (!shape) return std::nullopt;
  Label label;
  const auto* end = shape->data() + shape->size();
  const auto read = std::from_chars(shape->data(), end, label.shape, 16);
  const auto version = take_field(rest, "version=");
  if (read.ec != std::errc() || read.ptr != end || !version) return std::nullopt;
  label.version = *version;
  return label;
}

}  // namespace

std::string label_line(const Label& label) {
  return fmt::format("{}{} shape={:016x} version={}\n", kMagic, kFormat, label.shape, label.version);
}

// Nobody else is to read what is in it: objects of the whole cluster.
Result<SegmentWriter> SegmentWriter::open(const std::filesystem::path& path, const Label& label) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (descriptor < 0) return fail(system_problem(path, "cannot be made"));
  auto* file = ::fdopen(descriptor, "wb");
  if (file == nullptr) return ::close(descriptor), fail(system_problem(path, "cannot be made"));
  std::setvbuf(file, nullptr, _IONBF, 0);  // blocks are whole: what cannot be written is not kept to be tried again
  SegmentWriter writer(path, file);
  if (auto written = writer.write(label_line(label)); !written) return fail(std::move(written.error()));
  return writer;
}

std::string SegmentWriter::pack(std::string_view entries) {
  const auto packed = deflate_->pack(entries);
  std::string block;
  put_word(block, static_cast<std::uint32_t>(packed.size()));
  put_word(block, static_cast<std::uint32_t>(entries.size()));
  put_word(block, checksum(packed));
  return block + packed;
}

Result<void> SegmentWriter::write(std::string_view block) {
  const auto written = std::fwrite(block.data(), 1, block.size(), file_.get());
  if (written == block.size() && std::fflush(file_.get()) == 0) {
    size_ += block.size();
    return {};
  }
  auto problem = system_problem(path_, "cannot be written");
  std::error_code ignored;
  std::filesystem::resize_file(path_, size_, ignored);  // half a block would look like damage
  return fail(std::move(problem));
}

void add_entry(std::string& entries, std::string_view entry) { ByteWriter(entries).text(entry); }

Result<std::unique_ptr<ByteSource>> open_file(const std::filesystem::path& path) {
  auto* file = std::fopen(path.c_str(), "rbe");
  if (file == nullptr) return fail(system_problem(path, "cannot be read"));
  return std::make_unique<FileSource>(file, path.string());
}

Error SegmentReader::error(std::string message) const {
  return Error(name_ + ": at offset " + std::to_string(block_at_) + ": " + std::move(message));
}

Result<Label> SegmentReader::label() {
  std::string line;
  while (line.size() < kLongestLabel && !line.ends_with('\n')) {
    const auto next = source_->read(1);
    if (!next) return fail(next.error());
    if (next->empty()) break;
    line += *next;
  }
  read_ = line.size();
  if (!line.starts_with(kMagic)) return fail(error("is no recording of muster"));
  if (!line.ends_with('\n')) return fail(error("breaks off in the first line"));
  std::string_view rest(line);
  rest.remove_prefix(kMagic.size());
  rest.remove_suffix(1);
  const auto format = take_field(rest, "");
  if (!format || *format != std::to_string(kFormat))
    return fail(error("is a recording of format " + std::string(format.value_or("")) + ", and this muster reads format " +
                      std::to_string(kFormat)));
  auto label = read_label(rest);
  if (!label) return fail(error("its first line does not say what is in it"));
  return std::move(*label);
}

Result<bool> SegmentReader::read_block() {
  block_at_ = read_;
  const auto head = source_->read(kBlockHead);
  if (!head) return fail(head.error());
  if (head->empty()) return false;
  if (head->size() < kBlockHead) return fail(error("breaks off in the head of a block"));
  const auto packed_size = word_at(*head, 0), size = word_at(*head, 4);
  if (packed_size > kLargestBlock || size > kLargestBlock || size == 0) return fail(error("is damaged: no block has such a size"));
  const auto packed = source_->read(packed_size);
  if (!packed) return fail(packed.error());
  if (packed->size() < packed_size)
    return fail(
        error("breaks off: a block of " + std::to_string(packed_size) + " bytes has only " + std::to_string(packed->size())));
  if (checksum(*packed) != word_at(*head, 8)) return fail(error("is damaged: the checksum of a block is wrong"));
  auto block = inflate_.unpack(*packed, size);
  if (!block) return fail(error("is damaged: a block " + block.error().message));
  read_ += kBlockHead + packed_size;
  block_ = std::move(*block);
  at_ = 0;
  return true;
}

Result<std::optional<std::string_view>> SegmentReader::next() {
  if (at_ == block_.size()) {
    const auto more = read_block();
    if (!more) return fail(more.error());
    if (!*more) return std::nullopt;
  }
  ByteReader reader(std::string_view(block_).substr(at_));
  const auto size = reader.number();
  if (!reader.good() || size > reader.left()) return fail(error("is damaged: an entry is longer than its block"));
  const auto begin = block_.size() - reader.left();
  at_ = begin + size;
  return std::string_view(block_).substr(begin, size);
}

}  // namespace muster::daemon::tape
