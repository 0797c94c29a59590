#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "daemon/log.h"
#include "daemon/tape_listener.h"
#include "daemon/tape_segment.h"

namespace muster::daemon::tape {

struct RecorderSettings {
  std::filesystem::path folder;
  std::uint64_t most_bytes = std::uint64_t{1} << 30;  // of all segments together
  std::uint64_t segment_bytes = 0;  // after which another one begins; 0: an eighth of all, or twice the state if that is more
  std::uint64_t most_waiting = std::uint64_t{256} << 20;
  std::string version;  // of this program
};
inline constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 20;

// Writes a recording on a thread of its own: "muster-00000001.recording" and so on in a folder, beginning after those that are
// there. A segment that has grown enough is followed by another, which begins with the state; the oldest go when all of them
// together would need more than they may. Whoever is recorded never waits: when the disk does not follow, or cannot be written, the
// recording ends, which the log says, and the scheduler goes on.
class Recorder final : public Listener {
 public:
  // A folder that cannot be made or written is an error.
  static Result<std::unique_ptr<Recorder>> open(RecorderSettings settings, const kube::Clock& clock, Log& log);
  ~Recorder() override;  // what was noted is written
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  void begin(Opening opening) override;
  void note(Note note) override;
  void end() override;
  // Whether anything is still written.
  bool is_running() const;

 private:
  struct End {};
  using Message = std::variant<Opening, Note, End>;
  Recorder(RecorderSettings settings, const kube::Clock& clock, Log& log);

  void post(Message message, std::size_t size);
  void run();
  void take(Message message);
  void take_note(Note note);
  void begin_life(Opening opening);
  void close(Closed how);
  Result<void> open_segment();
  Result<void> write_state();
  Result<void> flush();
  Result<void> write_block();
  Result<void> make_room(std::uint64_t bytes);
  Result<void> find_segments();
  void turn_over();
  std::uint64_t enough() const;
  void give_up(const std::string& why);

  const RecorderSettings settings_;
  const kube::Clock& clock_;
  Log& log_;
  const std::size_t block_;  // of so many bytes, before they are packed

  // On the writing thread only.
  std::map<std::uint64_t, std::uint64_t> sizes_;  // of segments, by number
  std::optional<SegmentWriter> segment_;
  Opening opening_;          // of the segment
  std::uint64_t grown_ = 0;  // the size at which it is followed by another
  bool is_between_ = false;  // cycles: another segment may begin
  Mirror mirror_;
  std::string entries_;  // of the next block

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> waiting_;  // this and what follows are guarded by the mutex
  std::uint64_t waiting_bytes_ = 0;
  bool stopping_ = false;
  bool given_up_ = false;
  std::thread thread_;
};

// Segments of a folder, in their order.
std::vector<std::filesystem::path> segments_in(const std::filesystem::path& folder);

}  // namespace muster::daemon::tape
