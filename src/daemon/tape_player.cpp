#include "daemon/tape_player.h"

#include <algorithm>

#include "daemon/recorded_cluster.h"

namespace muster::daemon::tape {
namespace {

constexpr std::size_t kMostDifferences = 20;

const kube::ResourceKind* kind_named(const std::string& group, const std::string& kind) {
  for (const auto& one : kube::resource_kinds())
    if (one.group == group && one.kind == kind) return &one;
  return nullptr;
}

// Replays the entries of segments one after the other.
class Player {
 public:
  explicit Player(const ReplayOptions& options) : options_(options) {}

  // False: the end was reached that was asked for.
  Result<bool> play(SegmentReader& reader);
  Replay take() { return std::move(result_); }

 private:
  SegmentReplay& segment() { return result_.segments.back(); }
  Result<void> check(const Label& label, const SegmentReader& reader);
  Result<void> take_entry(Entry entry);

  Result<void> take_one(Opening opening);
  Result<void> take_one(StateObject entry);
  Result<void> take_one(const StateComplete& entry);
  Result<void> take_one(Applied entry);
  Result<void> take_one(const Removed& entry);
  Result<void> take_one(const TakenBack& entry);
  Result<void> take_one(const Settled& entry);
  Result<void> take_one(Cycle entry);
  Result<void> take_one(const Skipped& entry);
  Result<void> take_one(const ToldBound& entry);
  Result<void> take_one(const ToldRefused& entry);
  Result<void> take_one(const ToldNotDeleted& entry);
  Result<void> take_one(const ToldNotCreated& entry);
  Result<void> take_one(const ToldNotWritten& entry);
  Result<void> take_one(const FailuresTaken& entry);
  Result<void> take_one(const ConfigGiven& entry);
  Result<void> take_one(const EvictionsSet& entry);
  Result<void> take_one(GivenUp entry);
  Result<void> take_one(UsageTold entry);
  Result<void> take_one(ExtenderTold entry);
  Result<void> take_one(const Closed& entry);
  void note_differences(std::vector<std::string> lines);

  const ReplayOptions& options_;
  const kube::SystemClock clock_;
  Log silent_{{}, clock_, [](std::string_view) {}};
  Replay result_;
  std::shared_ptr<TapeAnswers> answers_;
  std::unique_ptr<LiveCluster> cluster_;
  Opening opening_;                 // of the latest segment
  bool has_state_ = false;          // it follows the one before it, and its state is known
  bool is_opened_ = false;          // the segment
  std::optional<Strictly> how_;     // nothing before a life began
  std::vector<std::string> found_;  // differences since the last cycle
  bool is_over_ = false;
};

Result<bool> Player::play(SegmentReader& reader) {
  const auto label = reader.label();
  if (!label) return fail(label.error());
  result_.segments.push_back({.file = reader.name(), .version = label->version, .dialect = {}});
  if (auto good = check(*label, reader); !good) return fail(std::move(good.error()));
  is_opened_ = false;
  while (!is_over_) {
    const auto bytes = reader.next();
    if (!bytes) return fail(bytes.error());
    if (!*bytes) {
      result_.notes.push_back(reader.name() + " was not closed: it is still being written, or its scheduler ended suddenly");
      return true;
    }
    auto entry = read_entry(**bytes);
    if (!entry) return fail(reader.error("an entry " + entry.error().message));
    if (auto taken = take_entry(std::move(*entry)); !taken) return fail(reader.error(taken.error().message));
    if (segment().closed) return true;
  }
  return false;
}

Result<void> Player::check(const Label& label, const SegmentReader& reader) {
  if (label.shape != shape())
    return fail(reader.error("was written by muster " + label.version + ", which lays out objects otherwise than this one, " +
                             options_.version + ": replay it with that version"));
  if (label.version != options_.version)
    result_.notes.push_back(reader.name() + " was written by muster " + label.version + ", and this is " + options_.version +
                            ": what differs may be a change of its rules");
  return {};
}

Result<void> Player::take_entry(Entry entry) {
  if (is_opened_ == std::holds_alternative<Opening>(entry)) return fail("an entry is not where it should be");
  return std::visit([&](auto& one) { return take_one(std::move(one)); }, entry);
}

Result<void> Player::take_one(Opening opening) {
  if (!options_.dialect.empty() && opening.life.dialect != options_.dialect)
    return fail("is a recording of the dialect " + opening.life.dialect + ", not of " + options_.dialect);
  if (opening.life.dialect != "volcano" && opening.life.dialect != "kai") return fail("is a recording of an unknown dialect");
  is_opened_ = true;
  const bool same_life = cluster_ && opening.life_id == opening_.life_id;
  has_state_ = same_life && opening.part == opening_.part + 1;
  if (same_life && !has_state_) result_.notes.push_back("segments before " + segment().file + " are missing");
  segment().dialect = opening.life.dialect;
  segment().from_the_start = opening.part == 0;
  opening_ = std::move(opening);
  if (has_state_) return {};
  answers_ = std::make_shared<TapeAnswers>();
  how_ = opening_.part == 0 ? Strictly::kEverything : Strictly::kPlaces;
  if (opening_.part != 0)
    result_.notes.push_back(segment().file +
                            " begins in the middle of its scheduler's life: what that remembered and no object "
                            "tells is not known, and only binds and evictions are compared");
  // Names that were given out before it begins are not known either.
  auto outside = taped_outside(answers_, opening_.part == 0 ? opening_.gpu_groups : "replayed-");
  auto made = clusters_of(opening_.life, std::move(outside), {}, silent_)(opening_.config, opening_.config_file);
  if (!made) return fail("its configuration is no good for this muster: " + made.error().text());
  cluster_ = std::move(*made);
  return {};
}

Result<void> Player::take_one(StateObject entry) {
  if (has_state_) return {};
  ++segment().objects;
  cluster_->apply(std::move(entry.object));
  return {};
}

Result<void> Player::take_one(const StateComplete& entry) {
  if (!has_state_ && entry.settled) cluster_->settle();
  has_state_ = false;
  return {};
}

Result<void> Player::take_one(Applied entry) {
  ++segment().objects;
  cluster_->apply(std::move(entry.object));
  return {};
}

Result<void> Player::take_one(const Removed& entry) {
  const auto* kind = kind_named(entry.group, entry.kind);
  if (kind == nullptr) return fail("names a kind of objects that this muster does not follow: " + entry.kind);
  cluster_->remove(*kind, entry.id);
  return {};
}

Result<void> Player::take_one(const TakenBack& entry) {
  cluster_->take_back(entry.pod);
  return {};
}

Result<void> Player::take_one(const Settled& entry) {
  note_differences(differences_of(entry.decisions, decisions_of(cluster_->settle()), *how_));
  return {};
}

Result<void> Player::take_one(Cycle entry) {
  auto decisions = decisions_of(cluster_->run_cycle(entry.now).effects);
  note_differences(differences_of(entry.decisions, decisions, *how_));
  if (!answers_->extender.empty()) note_differences({"the extender was asked more than now"});
  answers_->extender.clear();
  note_differences(std::exchange(answers_->problems, {}));
  ++segment().cycles;
  segment().binds += decisions.binds.size();
  segment().evictions += decisions.evictions.size();
  if (!found_.empty()) {
    ++segment().different;
    if (result_.differences.size() < kMostDifferences)
      result_.differences.push_back({segment().file, entry.number, std::exchange(found_, {})});
    found_.clear();
  }
  result_.last_cycle = entry.number;
  result_.decisions = std::move(decisions);
  is_over_ = options_.until && entry.number >= *options_.until;
  return {};
}

Result<void> Player::take_one(const Skipped& entry) {
  ++segment().skipped;
  cluster_->skip_cycle(entry.now);
  return {};
}

Result<void> Player::take_one(const ToldBound& entry) {
  Effects effects;
  cluster_->on_bound(entry.bind, effects);
  return {};
}

Result<void> Player::take_one(const ToldRefused& entry) {
  Effects effects;
  cluster_->on_refused(entry.bind, entry.answer, entry.now, effects);
  return {};
}

Result<void> Player::take_one(const ToldNotDeleted& entry) {
  cluster_->on_not_deleted(entry.deletion);
  return {};
}

Result<void> Player::take_one(const ToldNotCreated& entry) {
  cluster_->on_not_created(entry.creation);
  return {};
}

Result<void> Player::take_one(const ToldNotWritten& entry) {
  cluster_->on_not_written(entry.object);
  return {};
}

Result<void> Player::take_one(const FailuresTaken& entry) {
  if (placements_of(cluster_->take_failed_binds()) != entry.binds && how_ == Strictly::kEverything)
    note_differences({"other binds failed than then"});
  return {};
}

Result<void> Player::take_one(const ConfigGiven& entry) {
  const auto done = cluster_->reconfigure(entry.text, entry.file);
  if (done.has_value() != entry.good)
    note_differences({entry.good ? "the new configuration was good, and is not now: " + done.error().text()
                                 : "the new configuration was no good, and is now"});
  return {};
}

Result<void> Player::take_one(const EvictionsSet& entry) {
  cluster_->set_evictions(entry.allowed ? Evictions::kAllowed : Evictions::kStopped);
  return {};
}

Result<void> Player::take_one(GivenUp entry) {
  cluster_->give_up({std::move(entry.gang), std::move(entry.pods), std::move(entry.why)});
  return {};
}

Result<void> Player::take_one(UsageTold entry) {
  if (!has_state_) answers_->usage = std::move(entry);
  return {};
}

Result<void> Player::take_one(ExtenderTold entry) {
  answers_->extender.push_back(std::move(entry));
  return {};
}

Result<void> Player::take_one(const Closed&) {
  segment().closed = true;
  return {};
}

void Player::note_differences(std::vector<std::string> lines) {
  found_.insert(found_.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

}  // namespace

std::uint64_t Replay::cycles() const {
  std::uint64_t all = 0;
  for (const auto& segment : segments) all += segment.cycles;
  return all;
}

std::uint64_t Replay::different() const {
  std::uint64_t all = 0;
  for (const auto& segment : segments) all += segment.different;
  return all;
}

Replay replay(const std::vector<std::string>& names, const OpenSegment& open, const ReplayOptions& options) {
  Player player(options);
  std::optional<Error> broken;
  for (std::size_t i = 0; i < names.size(); ++i) {
    auto source = open(i);
    if (!source) {
      broken = std::move(source.error());
      break;
    }
    SegmentReader reader(std::move(*source), names[i]);
    const auto more = player.play(reader);
    if (!more) broken = more.error();
    if (!more || !*more) break;
  }
  auto result = player.take();
  result.broken = std::move(broken);
  return result;
}

Replay replay(const std::vector<std::filesystem::path>& segments, const ReplayOptions& options) {
  std::vector<std::string> names;
  for (const auto& path : segments) names.push_back(path.string());
  return replay(names, [&](std::size_t index) { return open_file(segments[index]); }, options);
}

}  // namespace muster::daemon::tape
