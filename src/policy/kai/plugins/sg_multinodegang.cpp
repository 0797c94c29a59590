#include "policy/kai/plugins/sg_multinodegang.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <limits>
#include <optional>

#include "policy/kai/actions/victim_accumulator.h"
#include "policy/kai/gpu_rooms.h"

namespace muster::kai {
namespace {

double quota_of(const Session& session, PodId pod) { return session.cluster().task(pod).gpu.quota(); }
double freed_by(const Session& session, PodId pod) { return session.cluster().task(pod).accepted[Share::kGpu]; }

class Generator final : public ScenarioGenerator {
 public:
  Generator(Session& session, const SearchTask& search) : session_(session), victims_(session, search) {
    scenario_ = {search.preemptor, search.pending, *search.recorded, {}};
    free_ = session.gpu_rooms().all();
    for (const auto& batch : scenario_.recorded)
      for (const auto pod : batch.tasks) free_[session.cluster().task(pod).node] += freed_by(session, pod);
    room_at_.assign(free_.size(), kNoRoom);
    for (const auto pod : search.pending) {
      demand_ += quota_of(session, pod);
      smallest_ = std::min(smallest_, quota_of(session, pod));
    }
  }

  const Scenario* next() override {
    for (;;) {
      if (chosen_) return emit();
      if (!started_) {
        started_ = true;
        if (!scenario_.recorded.empty() && victims_.is_conceivable()) return &scenario_;
      }
      if (!victims_.advance()) return nullptr;
      line_up_nodes();
    }
  }

 private:
  struct Room {
    NodeId node;
    double gpus;
  };

  // The nodes of those collected, least room first, and how many of them are needed at least.
  void line_up_nodes() {
    const auto& cluster = session_.cluster();
    rooms_.clear();
    chosen_.reset();
    for (const auto& batch : victims_.potential())
      for (const auto pod : batch.tasks) {
        const auto node = cluster.task(pod).node;
        if (!node) continue;
        if (room_at_[node] == kNoRoom) {
          room_at_[node] = rooms_.size();
          rooms_.push_back({node, free_[node]});
        }
        rooms_[room_at_[node]].gpus += freed_by(session_, pod);
      }
    double without = 0;
    for (const auto node : *victims_.search().feasible)
      if (room_at_[node] == kNoRoom) without += free_[node];
    for (const auto& room : rooms_) room_at_[room.node] = kNoRoom;
    if (smallest_ > 0) std::erase_if(rooms_, [&](const Room& room) { return room.gpus < smallest_; });
    std::stable_sort(rooms_.begin(), rooms_.end(), [](const Room& l, const Room& r) { return l.gpus < r.gpus; });
    auto missing = demand_ - without;
    for (std::size_t count = 0; count <= rooms_.size(); ++count) {
      if (missing <= 0) {
        chosen_ = count;
        break;
      }
      if (count < rooms_.size()) missing -= rooms_[count].gpus;
    }
    step_ = 1;
  }

  bool is_chosen(NodeId node) const { return node && room_at_[node] != kNoRoom; }

  const Scenario* emit() {
    const auto count = *chosen_;
    for (std::size_t i = 0; i < count; ++i) room_at_[rooms_[i].node] = i;
    scenario_.potential.clear();
    const auto& collected = victims_.potential();
    boost::unordered_flat_set<GroupId> jobs;
    for (auto batch = collected.rbegin(); batch != collected.rend(); ++batch) {
      // What a job can do without is collected before the rest, and does not stay without it.
      if (!jobs.contains(batch->job) && std::none_of(batch->tasks.begin(), batch->tasks.end(),
                                                     [&](PodId pod) { return is_chosen(session_.cluster().task(pod).node); }))
        continue;
      scenario_.potential.push_back(*batch);
      if (!session_.keeps(Quirk::kHalfGangs)) jobs.insert(batch->job);
    }
    std::reverse(scenario_.potential.begin(), scenario_.potential.end());
    for (std::size_t i = 0; i < count; ++i) room_at_[rooms_[i].node] = kNoRoom;
    if (count >= rooms_.size()) {
      chosen_.reset();
    } else {
      chosen_ = std::min(count + step_, rooms_.size());
      step_ *= 2;
    }
    return &scenario_;
  }

  static constexpr std::size_t kNoRoom = std::numeric_limits<std::size_t>::max();

  Session& session_;
  VictimAccumulator victims_;
  Scenario scenario_;
  double demand_ = 0;
  double smallest_ = std::numeric_limits<double>::max();
  bool started_ = false;
  IdVector<NodeId, double> free_;  // without the attempt's victims
  IdVector<NodeId, std::size_t> room_at_;
  std::vector<Room> rooms_;
  std::optional<std::size_t> chosen_;  // how many of them are taken next
  std::size_t step_ = 1;
};

}  // namespace

std::unique_ptr<ScenarioGenerator> MultiNodeGang::make_generator(const SearchTask& search) {
  return std::make_unique<Generator>(session(), search);
}

}  // namespace muster::kai
