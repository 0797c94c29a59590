#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/text_table.h"
#include "base/result.h"
#include "model/json.h"

namespace muster {

// The lists that a cluster can be seen as, from files or by asking a running scheduler: the same JSON, with one member.
enum class ViewKind { kQueues, kJobs, kNodes, kDecisions };
// "queues": the member, and the last part of its path in the API of a running scheduler.
std::string_view name_of(ViewKind kind);

// Which part of a list is wanted; what is empty chooses everything. Patterns are those of a NameFilter.
struct ViewChoice {
  std::vector<std::string> names = {};      // patterns: of queues, jobs, nodes, or of the pods of decisions
  std::vector<std::string> queues = {};     // patterns: of jobs
  std::vector<std::string> states = {};     // of jobs
  std::vector<std::string> reasons = {};    // of jobs: codes
  std::vector<std::string> resources = {};  // patterns: which resources a table of queues or nodes has
  std::vector<std::string> kinds = {};      // of decisions: "bind", "evict"
  std::vector<std::string> jobs = {};       // patterns: of decisions, whose pod it is or for whom it was evicted
  std::set<std::string> called = {};        // jobs, "namespace/name", that their own list has under the same patterns
  std::vector<std::string> nodes = {};      // patterns: of decisions
  std::optional<std::size_t> most = {};     // how many at most, from the beginning
};

// What a choice names that another list knows: queues where jobs are chosen, jobs and nodes where decisions are.
struct NamedElsewhere {
  ViewKind kind;
  std::vector<std::string> names;  // patterns
};
std::vector<NamedElsewhere> named_elsewhere(const ViewChoice& choice);

// How wide a table may be and whether it has colours.
struct Page {
  Paint paint = Paint::none();
  std::optional<std::size_t> width = {};  // columns of the terminal; none: as wide as it has to be
};

// A list of which a part was chosen.
class ViewList {
 public:
  // An error: the text is not such a list, or something was asked for by its very name, a resource included, and is not in it.
  static Result<ViewList> read(ViewKind kind, std::string json, ViewChoice choice);

  // Of these, the very names that nothing in the list has: whether they exist, the other list tells.
  std::vector<std::string> not_here(const NamedElsewhere& named) const;
  // Of a list of jobs: those that patterns choose by any of their names, as "namespace/name".
  std::set<std::string> jobs_called(const std::vector<std::string>& patterns) const;

  // The chosen part as it was told, in the form of the whole.
  std::string json() const;
  // For people. Where it does not fit, bars become shorter and then go, and sentences end with "…"; numbers and names stay.
  std::string table(Page page) const;

  using Items = std::vector<const Json*>;
  const Items& items() const { return chosen_; }
  const Items& all() const { return all_; }

 private:
  ViewList() = default;
  bool chooses(const Json& item) const;
  Result<void> check_names() const;
  Result<void> check_resources() const;

  ViewKind kind_ = ViewKind::kJobs;
  ViewChoice choice_;
  std::unique_ptr<const std::string> text_;  // what the values point into
  std::unique_ptr<const Json> document_;
  Items all_;
  Items chosen_;
};

}  // namespace muster
