#include "daemon/tape_recorder.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>

#include "base/assert.h"

namespace muster::daemon::tape {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr std::size_t kLargestWait = std::size_t{4} << 20;  // for the end of a cycle, after which another segment may begin
constexpr std::uint64_t kSegmentsAtLeast = 8;               // so much of a recording goes at once when it is full

constexpr std::string_view kSegmentBegin = "muster-", kSegmentEnd = ".recording";

std::string segment_name(std::uint64_t number) { return fmt::format("{}{:08}{}", kSegmentBegin, number, kSegmentEnd); }

// Of a segment's name; nothing: of something else.
std::optional<std::uint64_t> segment_number(const std::string& name) {
  if (!name.starts_with(kSegmentBegin) || !name.ends_with(kSegmentEnd)) return std::nullopt;
  const auto digits = std::string_view(name).substr(kSegmentBegin.size(), name.size() - kSegmentBegin.size() - kSegmentEnd.size());
  std::uint64_t number = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return read.ec == std::errc() && read.ptr == digits.data() + digits.size() ? std::optional(number) : std::nullopt;
}

}  // namespace

std::vector<std::filesystem::path> segments_in(const std::filesystem::path& folder) {
  std::map<std::uint64_t, std::filesystem::path> found;
  std::error_code error;
  for (const auto& file : std::filesystem::directory_iterator(folder, error))
    if (const auto number = segment_number(file.path().filename().string())) found[*number] = file.path();
  std::vector<std::filesystem::path> paths;
  for (auto& [number, path] : found) paths.push_back(std::move(path));
  return paths;
}

Recorder::Recorder(RecorderSettings settings, const kube::Clock& clock, Log& log)
    : settings_(std::move(settings)),
      clock_(clock),
      log_(log),
      block_(settings_.segment_bytes == 0 ? kBlock : std::min<std::uint64_t>(kBlock, settings_.segment_bytes)) {}

Result<std::unique_ptr<Recorder>> Recorder::open(RecorderSettings settings, const kube::Clock& clock, Log& log) {
  std::unique_ptr<Recorder> made(new Recorder(std::move(settings), clock, log));
  if (auto found = made->find_segments(); !found) return fail(std::move(found.error()));
  made->thread_ = std::thread([recorder = made.get()] { recorder->run(); });
  return made;
}

Recorder::~Recorder() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Result<void> Recorder::find_segments() {
  std::error_code error;
  std::filesystem::create_directories(settings_.folder, error);
  if (error) return fail(settings_.folder.string() + ": cannot be made: " + error.message());
  for (const auto& path : segments_in(settings_.folder)) {
    const auto size = std::filesystem::file_size(path, error);
    if (error) return fail(path.string() + ": " + error.message());
    sizes_[*segment_number(path.filename().string())] = size;
  }
  // What cannot be written is said before anything else happens.
  const auto probe = settings_.folder / ".muster-probe";
  std::filesystem::remove(probe, error);
  if (auto tried = SegmentWriter::open(probe, {}); !tried) return fail(std::move(tried.error()));
  std::filesystem::remove(probe, error);
  return {};
}

// ---- from any thread

void Recorder::post(Message message, std::size_t size) {
  {
    const std::lock_guard lock(mutex_);
    if (given_up_ || stopping_) return;
    waiting_bytes_ += size;
    if (waiting_bytes_ <= settings_.most_waiting) {
      waiting_.push_back(std::move(message));
    } else {
      given_up_ = true;
      log_.error("the recording has ended: what is to be written comes faster than it can be written");
    }
  }
  changed_.notify_all();
}

void Recorder::begin(Opening opening) { post(std::move(opening), sizeof(Opening)); }

void Recorder::note(Note note) {
  const auto size = note.entry.size() + sizeof(Note);
  post(std::move(note), size);
}

void Recorder::end() { post(End(), sizeof(End)); }

bool Recorder::is_running() const {
  const std::lock_guard lock(mutex_);
  return !given_up_;
}

// ---- on the writing thread

void Recorder::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || !waiting_.empty(); });
    if (waiting_.empty()) break;
    auto messages = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    lock.unlock();
    for (auto& message : messages) take(std::move(message));
    if (auto written = flush(); !written) give_up(written.error().text());
    turn_over();
    lock.lock();
  }
  lock.unlock();
  close({.goes_on = false});
}

void Recorder::take(Message message) {
  if (auto* opening = std::get_if<Opening>(&message)) return begin_life(std::move(*opening));
  if (auto* note = std::get_if<Note>(&message)) return take_note(std::move(*note));
  close({.goes_on = false});
}

void Recorder::take_note(Note note) {
  if (!segment_) return;
  add_entry(entries_, note.entry);
  mirror_.take(note.entry, note.key);
  for (const auto& one : note.assumed) mirror_.assume(one);
  is_between_ = ends_a_turn(note.entry);
  if (entries_.size() < (is_between_ ? block_ : kLargestWait)) return;
  if (auto written = flush(); !written) return give_up(written.error().text());
  turn_over();
}

void Recorder::begin_life(Opening opening) {
  if (!is_running()) return;
  close({.goes_on = false});
  opening_ = std::move(opening);
  opening_.part = 0;
  mirror_.begin(opening_);
  grown_ = 0;
  is_between_ = false;
  if (auto opened = open_segment(); !opened) give_up(opened.error().text());
}

void Recorder::close(Closed how) {
  if (!segment_) return;
  add_entry(entries_, bytes_of(how));
  if (auto written = flush(); !written) return give_up(written.error().text());
  segment_.reset();
}

Result<void> Recorder::open_segment() {
  const auto number = sizes_.empty() ? 1 : sizes_.rbegin()->first + 1;
  const Label label{shape(), settings_.version};
  if (auto room = make_room(label_line(label).size()); !room) return room;
  auto segment = SegmentWriter::open(settings_.folder / segment_name(number), label);
  if (!segment) return fail(std::move(segment.error()));
  segment_.emplace(std::move(*segment));
  sizes_[number] = segment_->size();
  opening_.begun = clock_.wall();
  add_entry(entries_, bytes_of(opening_));
  log_.info("recording", {{"file", segment_->path().string()}});
  return flush();
}

// The segment that has grown enough ends, and one that begins with the state follows.
void Recorder::turn_over() {
  if (!segment_ || !is_between_ || !mirror_.settled()) return;
  if (grown_ == 0) grown_ = enough();  // of the first segment, the state is what came before this
  if (segment_->size() < grown_) return;
  close({.goes_on = true});
  if (!is_running()) return;
  ++opening_.part;
  opening_.cycles = mirror_.cycles();
  opening_.config = mirror_.config();
  opening_.config_file = mirror_.config_file();
  auto done = open_segment();
  if (done) done = write_state();
  if (!done) return give_up(done.error().text());
  grown_ = enough();
}

// For a segment that holds the state and nothing else so far.
std::uint64_t Recorder::enough() const {
  if (settings_.segment_bytes != 0) return settings_.segment_bytes;
  return std::max(settings_.most_bytes / kSegmentsAtLeast, 2 * segment_->size());
}

Result<void> Recorder::write_state() {
  Result<void> done;
  mirror_.for_each_entry([&](std::string_view entry) {
    if (!done) return;
    add_entry(entries_, entry);
    if (entries_.size() >= kBlock) done = flush();
  });
  return done ? flush() : done;
}

Result<void> Recorder::flush() {
  if (entries_.empty() || !segment_) return {};
  auto written = write_block();
  entries_.clear();
  return written;
}

Result<void> Recorder::write_block() {
  const auto block = segment_->pack(entries_);
  if (auto room = make_room(block.size()); !room) return room;
  if (auto written = segment_->write(block); !written) return written;
  sizes_.rbegin()->second = segment_->size();
  return {};
}

// The oldest segments go until so much can be written. The one that is being written stays.
Result<void> Recorder::make_room(std::uint64_t bytes) {
  std::uint64_t all = bytes;
  for (const auto& [number, size] : sizes_) all += size;
  while (all > settings_.most_bytes && sizes_.size() > (segment_ ? 1u : 0u)) {
    const auto oldest = sizes_.begin();
    std::error_code error;
    const auto path = settings_.folder / segment_name(oldest->first);
    std::filesystem::remove(path, error);
    if (error) return fail(path.string() + ": cannot be removed: " + error.message());
    all -= oldest->second;
    sizes_.erase(oldest);
  }
  if (all <= settings_.most_bytes) return {};
  return fail("the state of the cluster needs more than the " + std::to_string(settings_.most_bytes) +
              " bytes that a recording may have");
}

void Recorder::give_up(const std::string& why) {
  log_.error("the recording has ended", {{"problem", why}});
  segment_.reset();
  entries_.clear();
  mirror_ = Mirror();
  const std::lock_guard lock(mutex_);
  given_up_ = true;
  waiting_.clear();
}

}  // namespace muster::daemon::tape
