#include "daemon/tape_player.h"

namespace muster::daemon::tape {
namespace {

class TapedExtender final : public volcano::ExtenderClient {
 public:
  explicit TapedExtender(std::shared_ptr<TapeAnswers> answers) : answers_(std::move(answers)) {}
  tl::expected<volcano::ExtenderAnswer, volcano::ExtenderFailure> ask(const volcano::Session&,
                                                                      const volcano::ExtenderQuestion& question) override {
    auto& told = answers_->extender;
    if (told.empty() || told.front().url != question.url) {
      answers_->problems.push_back("the extender is asked at " + question.url + ", as it was not then");
      return tl::unexpected(volcano::ExtenderFailure{"the recording has no answer", true});
    }
    auto next = std::move(told.front());
    told.pop_front();
    if (next.answered) return std::move(next.answer);
    return tl::unexpected(std::move(next.failure));
  }

 private:
  const std::shared_ptr<TapeAnswers> answers_;
};

class TapedUsage final : public KaiUsageTeller {
 public:
  explicit TapedUsage(std::shared_ptr<TapeAnswers> answers) : answers_(std::move(answers)) {}
  void start() override {}
  bool is_awaited() const override { return answers_->usage.awaited; }
  kai::QueueUsage usage(std::vector<std::string>& notes) const override {
    const auto& told = answers_->usage;
    notes.insert(notes.end(), told.notes.begin(), told.notes.end());
    kai::QueueUsage usage;
    for (const auto& [queue, parts] : told.usage)
      std::copy_n(parts.begin(), std::min(parts.size(), usage[queue].amounts.size()), usage[queue].amounts.begin());
    return usage;
  }

 private:
  const std::shared_ptr<TapeAnswers> answers_;
};

}  // namespace

Outside taped_outside(std::shared_ptr<TapeAnswers> answers, std::string gpu_groups) {
  return {.extender = [answers] { return std::make_shared<TapedExtender>(answers); },
          .usage = [answers](const std::optional<kai::UsageParams>& params, const kai::Behaviour&, const kube::Clock&,
                             std::vector<std::string>&) -> std::unique_ptr<KaiUsageTeller> {
            return params ? std::make_unique<TapedUsage>(answers) : nullptr;
          },
          .gpu_groups = std::move(gpu_groups)};
}

}  // namespace muster::daemon::tape
