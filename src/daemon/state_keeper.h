#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <variant>
#include <vector>

#include "app/whatif.h"
#include "daemon/log.h"
#include "daemon/tape_listener.h"

namespace muster::daemon {

// What a scheduler knows at a moment: how it was made, and what it was told, with what it has decided since.
struct KeptState {
  tape::Life life;
  std::string config;  // its text
  std::string config_file;
  std::vector<Object> objects;  // in the order in which they first came
  bool may_evict = true;
  std::map<std::string, std::vector<double>> usage;  // kai: of queues in the past
};
using SharedState = std::shared_ptr<const KeptState>;

// Keeps a scheduler's state on a thread of its own, so that copies can be made of it while the scheduler goes on: the deciding
// thread writes down what it is told and does nothing else for it. When that comes faster than it can be kept, the keeping ends
// until the scheduler makes its cluster anew; the scheduler never waits.
class StateKeeper final : public tape::Listener {
 public:
  static constexpr std::uint64_t kMostWaiting = std::uint64_t{256} << 20;
  // Notes that nobody asks about wait until there are so many bytes of them: they come by the thousand, and each would wake it.
  static constexpr std::uint64_t kWorthWaking = std::uint64_t{1} << 20;

  explicit StateKeeper(Log& log, std::uint64_t most_waiting = kMostWaiting);
  ~StateKeeper() override;
  StateKeeper(const StateKeeper&) = delete;
  StateKeeper& operator=(const StateKeeper&) = delete;

  void begin(tape::Opening opening) override;
  void note(tape::Note note) override;
  void end() override;

  // The state after all that was told before this, on the keeper's thread; the same one for all who ask while nothing changes and
  // somebody has it. An error: not everything is known yet.
  void ask(std::function<void(Result<SharedState>)> tell);

 private:
  struct End {};
  using Question = std::function<void(Result<SharedState>)>;
  using Message = std::variant<tape::Opening, tape::Note, End, Question>;

  void post(Message message, std::size_t size);
  std::vector<Question> give_up(Message& last);
  void run();
  void take(Message message);
  Result<SharedState> state();

  Log& log_;
  const std::uint64_t most_waiting_;  // bytes

  // On its own thread only.
  tape::Mirror mirror_;
  tape::Life life_;
  bool lives_ = false;
  std::weak_ptr<const KeptState> made_;  // as long as somebody uses it and nothing has changed since

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Message> waiting_;  // this and what follows are guarded by the mutex
  std::uint64_t waiting_bytes_ = 0;
  bool is_wanted_ = false;  // somebody wants what waits to be taken in
  bool given_up_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::daemon
