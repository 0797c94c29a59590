#include "policy/kai/actions/spare_victims.h"

#include <algorithm>

namespace muster::kai {
namespace {

class Sparing {
 public:
  Sparing(std::vector<VictimBatch> victims, const Suffices& suffices)
      : victims_(std::move(victims)), goes_(victims_.size(), 1), suffices_(suffices) {}

  std::vector<VictimBatch> find() {
    try_range(0, victims_.size());
    return going(goes_);
  }

 private:
  // Tries to spare all of them at once, else first the later half of them and then the earlier.
  void try_range(std::size_t from, std::size_t to) {
    if (from == to || trials_left_ == 0) return;
    if (spare_range(from, to) || to - from == 1) return;
    const auto middle = from + (to - from) / 2;
    try_range(middle, to);
    try_range(from, middle);
  }

  bool spare_range(std::size_t from, std::size_t to) {
    auto goes = goes_;
    std::fill(goes.begin() + static_cast<std::ptrdiff_t>(from), goes.begin() + static_cast<std::ptrdiff_t>(to), 0);
    const auto answer = suffices_(going(goes));
    trials_left_ -= std::min(trials_left_, answer == Answer::kObviouslyNot ? std::size_t{1} : kTrial);
    if (answer != Answer::kYes) return false;
    goes_ = std::move(goes);
    return true;
  }

  std::vector<VictimBatch> going(const std::vector<char>& goes) const {
    std::vector<VictimBatch> batches;
    for (std::size_t i = 0; i < goes.size(); ++i)
      if (goes[i] != 0) batches.push_back(victims_[i]);
    return batches;
  }

  const std::vector<VictimBatch> victims_;
  std::vector<char> goes_;
  const Suffices& suffices_;
  // A plan so large is not worth the time to perfect it; what is obvious takes little.
  static constexpr std::size_t kTrial = 16;
  std::size_t trials_left_ = 256 * kTrial;
};

}  // namespace

std::vector<VictimBatch> spare_victims(std::vector<VictimBatch> victims, const Suffices& suffices) {
  return Sparing(std::move(victims), suffices).find();
}

}  // namespace muster::kai
