#include "daemon/state_keeper.h"

#include <algorithm>

#include "base/assert.h"
#include "daemon/held_pods.h"
#include "daemon/queue_defaults.h"

namespace muster::daemon {
namespace {

// A pod that is held would find no place in any copy: questions are about room, not about what the server answered last.
Object completed(Object object) {
  if (auto* queue = std::get_if<Queue>(&object)) complete(*queue);
  if (auto* pod = std::get_if<Pod>(&object)) unmark_held(*pod);
  return object;
}

}  // namespace

StateKeeper::StateKeeper(Log& log, std::uint64_t most_waiting)
    : log_(log), most_waiting_(most_waiting), thread_([this] { run(); }) {}

StateKeeper::~StateKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

// ---- from any thread

void StateKeeper::begin(tape::Opening opening) {
  {
    const std::lock_guard lock(mutex_);
    given_up_ = false;
  }
  post(std::move(opening), sizeof(tape::Opening));
}

void StateKeeper::note(tape::Note note) {
  const auto size = note.entry.size() + sizeof(tape::Note);
  post(std::move(note), size);
}

void StateKeeper::end() { post(End(), sizeof(End)); }

void StateKeeper::ask(std::function<void(Result<SharedState>)> tell) { post(Question(std::move(tell)), sizeof(Question)); }

void StateKeeper::post(Message message, std::size_t size) {
  std::vector<Question> unanswered;
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || (given_up_ && std::holds_alternative<tape::Note>(message))) return;
    waiting_bytes_ += size;
    if (waiting_bytes_ > most_waiting_ && !given_up_) {
      unanswered = give_up(message);
      message = End();
    }
    is_wanted_ =
        is_wanted_ || waiting_bytes_ > std::min(kWorthWaking, most_waiting_ / 2) || !std::holds_alternative<tape::Note>(message);
    waiting_.push_back(std::move(message));
    if (!is_wanted_) return;
  }
  changed_.notify_all();
  for (const auto& tell : unanswered) tell(fail("what the cluster is told comes faster than it can be kept: try again later"));
}

// Who asked and is to be told so, without the mutex.
std::vector<StateKeeper::Question> StateKeeper::give_up(Message& last) {
  log_.error("what-if has no answers until everything is listed anew: what is told comes faster than it can be kept");
  given_up_ = true;
  waiting_.push_back(std::move(last));
  waiting_bytes_ = 0;
  std::vector<Question> asked;
  for (auto& message : std::exchange(waiting_, {}))
    if (auto* question = std::get_if<Question>(&message)) asked.push_back(std::move(*question));
  return asked;
}

// ---- on its own thread

void StateKeeper::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || is_wanted_; });
    if (stopping_) return;
    is_wanted_ = false;
    auto messages = std::exchange(waiting_, {});
    waiting_bytes_ = 0;
    lock.unlock();
    for (auto& message : messages) take(std::move(message));
    lock.lock();
  }
}

void StateKeeper::take(Message message) {
  if (const auto* tell = std::get_if<Question>(&message)) return (*tell)(state());
  made_.reset();
  if (auto* opening = std::get_if<tape::Opening>(&message)) {
    mirror_.begin(*opening);
    life_ = std::move(opening->life);
    lives_ = true;
  } else if (auto* note = std::get_if<tape::Note>(&message)) {
    if (!lives_) return;
    mirror_.take(note->entry, note->key);
    for (const auto& one : note->assumed) mirror_.assume(one);
  } else {
    mirror_ = tape::Mirror();
    lives_ = false;
  }
}

Result<SharedState> StateKeeper::state() {
  if (!lives_ || !mirror_.settled()) return fail("the cluster is being read: try again");
  if (auto known = made_.lock()) return known;
  auto made = std::make_shared<KeptState>();
  made->life = life_;
  made->config = mirror_.config();
  made->config_file = mirror_.config_file();
  mirror_.for_each_entry([&](std::string_view bytes) {
    auto entry = tape::read_entry(bytes);
    MUSTER_ASSERT(entry.has_value());  // we have written it ourselves
    if (auto* object = std::get_if<tape::StateObject>(&*entry))
      made->objects.push_back(completed(std::move(object->object)));
    else if (const auto* evictions = std::get_if<tape::EvictionsSet>(&*entry))
      made->may_evict = evictions->allowed;
    else if (auto* told = std::get_if<tape::UsageTold>(&*entry))
      made->usage = std::move(told->usage);
  });
  made_ = made;
  return SharedState(std::move(made));
}

}  // namespace muster::daemon
