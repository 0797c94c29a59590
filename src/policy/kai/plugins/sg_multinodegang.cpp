#include "policy/kai/plugins/sg_multinodegang.h"

#include <algorithm>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cmath>
#include <limits>
#include <optional>

#include "policy/kai/actions/slot_odds.h"
#include "policy/kai/actions/victim_accumulator.h"
#include "policy/kai/gpu_rooms.h"

namespace muster::kai {
namespace {

double quota_of(const Session& session, PodId pod) { return session.cluster().task(pod).gpu.quota(); }
double freed_by(const Session& session, PodId pod) { return session.cluster().task(pod).accepted[Share::kGpu]; }

class MultiNodeGangGenerator final : public ScenarioGenerator {
 public:
  MultiNodeGangGenerator(Session& session, const SearchTask& search) : session_(session), victims_(session, search) {
    scenario_ = {search.preemptor, search.pending, *search.recorded, {}};
    free_ = session.gpu_rooms().all();
    for (const auto& batch : scenario_.recorded)
      for (const auto pod : batch.tasks) free_[session.cluster().task(pod).node] += freed_by(session, pod);
    room_of_.assign(free_.size(), kNoRoom);
    in_reach_.assign(free_.size(), 0);
    for (const auto node : *search.feasible) {
      in_reach_[node] = 1;
      elsewhere_ += free_[node];
      is_whole_ = is_whole_ && std::floor(free_[node]) == free_[node];
    }
    for (const auto pod : search.pending) {
      demand_ += quota_of(session, pod);
      smallest_ = std::min(smallest_, quota_of(session, pod));
    }
  }

  const Scenario* next() override {
    for (;;) {
      if (chosen_ && pass_over()) return emit();
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

  // The nodes of those collected, least room first, and how many of them are needed at least. Without anything new there it would
  // lead to what was handed out before, so nothing is.
  void line_up_nodes() {
    const bool changed = take_in();
    chosen_.reset();
    if (changed) {
      rooms_.clear();
      std::copy_if(all_rooms_.begin(), all_rooms_.end(), std::back_inserter(rooms_),
                   [&](const Room& room) { return counts(room); });
      std::stable_sort(rooms_.begin(), rooms_.end(), [](const Room& l, const Room& r) { return l.gpus < r.gpus; });
      sum_gains();
    }
    const auto least = least_count();
    if (changed || least != least_) chosen_ = least;
    least_ = least;
    step_ = 1;
  }

  // Whether any of those that were collected since leaves a node that counts.
  bool take_in() {
    const auto& cluster = session_.cluster();
    const auto& batches = victims_.potential();
    may_pass_over_ = may_pass_over_ && is_telling(known_);
    bool changed = false;
    bool sum_again = false;
    for (; known_ < batches.size(); ++known_)
      for (const auto pod : batches[known_].tasks) {
        const auto node = cluster.task(pod).node;
        if (!node) continue;
        if (room_of_[node] == kNoRoom) {
          room_of_[node] = all_rooms_.size();
          all_rooms_.push_back({node, free_[node]});
          batches_on_.emplace_back();
          if (in_reach_[node] != 0 && is_whole_) elsewhere_ -= free_[node];
          sum_again = sum_again || !is_whole_;
        }
        auto& room = all_rooms_[room_of_[node]];
        room.gpus += freed_by(session_, pod);
        changed = changed || counts(room);
        auto& here = batches_on_[room_of_[node]];
        if (here.empty() || here.back() != known_) here.push_back(known_);
      }
    if (sum_again) sum_elsewhere();
    return changed;
  }

  // In the order of the names: sums of parts of GPUs depend on it.
  void sum_elsewhere() {
    double sum = 0;
    for (const auto node : *victims_.search().feasible)
      if (room_of_[node] == kNoRoom) sum += free_[node];
    elsewhere_ = sum;
  }

  // Whether the smallest task would have room there.
  bool counts(const Room& room) const { return smallest_ <= 0 || room.gpus >= smallest_; }

  std::optional<std::size_t> least_count() const {
    auto missing = demand_ - elsewhere_;
    for (std::size_t count = 0; count <= rooms_.size(); ++count) {
      if (missing <= 0) return count;
      if (count < rooms_.size()) missing -= rooms_[count].gpus;
    }
    return std::nullopt;
  }

  // Whether all batches from this one on are of jobs that leave one node each, so that a scenario frees what its nodes have. Where
  // jobs leave whole, one of several batches frees more than that.
  bool is_telling(std::size_t from) {
    const auto& odds = *victims_.search().odds;
    const auto& batches = victims_.potential();
    return odds.is_telling() && std::all_of(batches.begin() + static_cast<std::ptrdiff_t>(from), batches.end(), [&](const auto& b) {
             return odds.is_telling(b) && odds.only_node(b) && (session_.keeps(Quirk::kHalfGangs) || leaving_.insert(b.job).second);
           });
  }

  // The places that the first node gives, the first two, and so on.
  void sum_gains() {
    gains_.assign(1, 0);
    if (!may_pass_over_) return;
    const auto& odds = *victims_.search().odds;
    for (const auto& room : rooms_) gains_.push_back(gains_.back() + odds.slots_in(room.gpus) - odds.slots_on(room.node));
  }

  // Goes on to the first number of nodes that might do; false: no number would.
  bool pass_over() {
    if (!may_pass_over_) return true;
    while (chosen_ && gains_[*chosen_] < victims_.search().odds->missing()) next_count();
    return chosen_.has_value();
  }

  void next_count() {
    if (*chosen_ >= rooms_.size()) {
      chosen_.reset();
    } else {
      chosen_ = std::min(*chosen_ + step_, rooms_.size());
      step_ *= 2;
    }
  }

  // What a job can do without is collected before the rest, and does not stay without it: adds the earlier batches of every job.
  void add_the_rest(std::vector<std::size_t>& taken) const {
    const auto& batches = victims_.potential();
    boost::unordered_flat_set<GroupId> jobs;
    std::vector<std::size_t> all;
    for (auto at = batches.size(); at-- > 0;) {
      const bool chosen = std::binary_search(taken.begin(), taken.end(), at);
      if (chosen) jobs.insert(batches[at].job);
      if (chosen || jobs.contains(batches[at].job)) all.push_back(at);
    }
    std::reverse(all.begin(), all.end());
    taken = std::move(all);
  }

  // Batches with somebody on the chosen nodes, in the order in which they were collected.
  const Scenario* emit() {
    std::vector<std::size_t> taken;
    for (std::size_t i = 0; i < *chosen_; ++i) {
      const auto& here = batches_on_[room_of_[rooms_[i].node]];
      taken.insert(taken.end(), here.begin(), here.end());
    }
    std::sort(taken.begin(), taken.end());
    taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
    scenario_.potential.clear();
    if (!session_.keeps(Quirk::kHalfGangs)) add_the_rest(taken);
    for (const auto at : taken) scenario_.potential.push_back(victims_.potential()[at]);
    next_count();
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
  IdVector<NodeId, char> in_reach_;
  double elsewhere_ = 0;                              // on nodes in reach that none of them leaves
  bool is_whole_ = true;                              // whole numbers, which add up to the same in every order
  boost::unordered_flat_set<GroupId> leaving_;        // jobs with a batch, where they leave whole
  std::vector<Room> all_rooms_;                       // of nodes that somebody leaves, in the order in which they were collected
  std::vector<std::vector<std::size_t>> batches_on_;  // by the place there, which batches leave it
  IdVector<NodeId, std::size_t> room_of_;
  std::vector<Room> rooms_;            // those that count, least room first
  std::optional<std::size_t> least_;   // how many were needed at least when last asked
  std::optional<std::size_t> chosen_;  // how many of them are taken next
  std::size_t step_ = 1;
  bool may_pass_over_ = true;        // as far as those that were collected go
  std::size_t known_ = 0;            // how many of those
  std::vector<double> gains_ = {0};  // places by the number of nodes
};

}  // namespace

std::unique_ptr<ScenarioGenerator> MultiNodeGang::make_generator(const SearchTask& search) {
  return std::make_unique<MultiNodeGangGenerator>(session(), search);
}

}  // namespace muster::kai
