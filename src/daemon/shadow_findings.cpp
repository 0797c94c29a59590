#include "daemon/shadow_findings.h"

#include <cstdio>
#include <numeric>

#include "codec/json_writer.h"

namespace muster::daemon::shadow {
namespace {

constexpr std::size_t kMostNodes = 6;  // in a line

struct Words {
  std::string_view name;
  bool otherwise;
  Tone tone;
  std::string_view meaning;
};
constexpr Words kWords[kVerdicts] = {
    {"same", false, Tone::kGood, "the same"},
    {"tie", false, Tone::kGood, "a node that is like it in all but its name"},
    {"timing", false, Tone::kFaint, "the same from a state of a moment before or after"},
    {"other-nodes", true, Tone::kBad, "on other nodes"},
    {"waits-here", true, Tone::kBad, "started there, would wait here"},
    {"waits-there", true, Tone::kBad, "would have started here, not there"},
    {"slower", true, Tone::kWaiting, "started later there"},
    {"evicted-there", true, Tone::kBad, "evicted there, nobody would be here"},
    {"other-victims", true, Tone::kBad, "evicted there, others would be here"},
    {"evicted-here", true, Tone::kBad, "would be evicted here, not there"},
    {"by-others", false, Tone::kFaint, "deleted, perhaps by somebody else"},
    {"not-compared", false, Tone::kWaiting, "not compared, too much at once"},
};
const Words& words_of(Verdict verdict) { return kWords[static_cast<std::size_t>(verdict)]; }

std::string decimals(double number, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, number);
  return text;
}

// "n1 x2, n2".
std::string node_list(const std::map<std::string, std::string>& nodes_by_pod) {
  std::map<std::string, std::size_t> counts;
  for (const auto& [pod, node] : nodes_by_pod) ++counts[node];
  std::string text;
  std::size_t shown = 0;
  for (const auto& [node, count] : counts) {
    if (shown++ == kMostNodes) return text + " and " + std::to_string(counts.size() - kMostNodes) + " more";
    text += (text.empty() ? "" : ", ") + node + (count > 1 ? " x" + std::to_string(count) : "");
  }
  return text.empty() ? "none" : text;
}

std::string pod_count(std::size_t count) { return std::to_string(count) + (count == 1 ? " pod" : " pods"); }

std::string pod_list(const std::map<std::string, std::string>& nodes_by_pod) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& [pod, node] : nodes_by_pod) {
    if (shown++ == kMostNodes) return text + " and " + std::to_string(nodes_by_pod.size() - kMostNodes) + " more";
    text += (text.empty() ? "" : ", ") + pod;
  }
  return text.empty() ? "nobody" : text;
}

std::string sentence_of(const Finding& finding) {
  const auto there = pod_count(finding.there.size()) + " on " + node_list(finding.there);
  switch (finding.verdict) {
    case Verdict::kSame:
    case Verdict::kTiming:
    case Verdict::kByOthers:
    case Verdict::kNotCompared: return (finding.kind == MoveKind::kEvict ? "evicts " : "starts ") + there;
    case Verdict::kTie:
    case Verdict::kOtherNodes: return there + "; here on " + node_list(finding.here);
    case Verdict::kWaitsHere: return "starts with " + there + "; would wait here";
    case Verdict::kWaitsThere: return "waits; here " + pod_count(finding.here.size()) + " on " + node_list(finding.here);
    case Verdict::kSlower: return "starts " + decimals(finding.seconds, 1) + " s later than here";
    case Verdict::kEvictedThere: return "evicts " + pod_list(finding.there) + "; nobody would be evicted here";
    case Verdict::kOtherVictims: return "evicts " + pod_list(finding.there) + "; here instead " + pod_list(finding.here);
    case Verdict::kEvictedHere: return "evicts nobody; here " + pod_list(finding.here);
  }
  return {};
}

void write_nodes(JsonWriter& json, const char* key, const std::map<std::string, std::string>& nodes_by_pod) {
  json.key(key).begin_object();
  for (const auto& [pod, node] : nodes_by_pod) json.member(pod, node);
  json.end_object();
}

}  // namespace

std::string_view name_of(Verdict verdict) { return words_of(verdict).name; }

bool is_otherwise(Verdict verdict) { return words_of(verdict).otherwise; }

std::uint64_t Summary::compared() const {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) - of(Verdict::kByOthers) - of(Verdict::kNotCompared);
}

std::uint64_t Summary::otherwise() const {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < kVerdicts; ++at)
    if (kWords[at].otherwise) sum += counts[at];
  return sum;
}

std::string finding_text(const Finding& finding, Paint paint) {
  const auto& words = words_of(finding.verdict);
  std::string name(words.name);
  name.resize(std::max(name.size(), std::size_t{14}), ' ');
  auto text = finding.at.rfc3339() + " " + paint(name, words.tone) + finding.group + ": " + sentence_of(finding);
  if (!finding.why.empty()) text += " (" + finding.why + ")";
  return text + "\n";
}

std::string finding_json(const Finding& finding) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().member("time", finding.at.rfc3339()).member("verdict", name_of(finding.verdict));
  json.member("otherwise", is_otherwise(finding.verdict)).member("what", finding.kind == MoveKind::kBind ? "start" : "evict");
  json.member("group", finding.group);
  write_nodes(json, "there", finding.there);
  write_nodes(json, "here", finding.here);
  json.member("why", finding.why).member("seconds", finding.seconds).end_object();
  return text + "\n";
}

std::string summary_text(const Summary& summary, Paint paint) {
  std::string text = "\n" + std::to_string(summary.compared()) + " decisions compared in " + decimals(summary.watched, 0) +
                     " s: " + std::to_string(summary.otherwise()) + " otherwise\n";
  TextTable table("  ");
  for (std::size_t at = 0; at < kVerdicts; ++at)
    if (summary.counts[at] != 0 || at == 0)
      table.add({{std::to_string(summary.counts[at]), kWords[at].tone, true},
                 {std::string(kWords[at].name)},
                 {std::string(kWords[at].meaning), Tone::kFaint}});
  text += table.text(paint);
  text += pod_count(summary.binds) + " got a node there; " + std::to_string(summary.evictions) + " evicted, of which " +
          std::to_string(summary.avoided) + " would have stayed here\n";
  if (summary.started != 0)
    text += "waited there: " + std::to_string(summary.started) + " gangs for " + decimals(summary.waited, 1) + " s together\n";
  if (summary.earlier != 0)
    text += "would have started earlier here: " + std::to_string(summary.earlier) + " gangs by " + decimals(summary.earlier_by, 1) +
            " s together, one by " + decimals(summary.most_earlier_by, 1) + " s\n";
  text += "wait with both: " + std::to_string(summary.waiting) + " gangs\n";
  if (summary.plans != 0)
    text += "decided here " + std::to_string(summary.plans) + " times, from all objects each time, in " +
            decimals(1000 * summary.planning / static_cast<double>(summary.plans), 1) + " ms on average and " +
            decimals(1000 * summary.longest_plan, 1) + " ms at most\n";
  return text;
}

std::string summary_json(const Summary& summary) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("summary").begin_object().member("seconds", summary.watched).member("compared", summary.compared());
  json.member("otherwise", summary.otherwise()).key("verdicts").begin_object();
  for (std::size_t at = 0; at < kVerdicts; ++at) json.member(kWords[at].name, summary.counts[at]);
  json.end_object().member("pods_started", summary.binds).member("pods_evicted", summary.evictions);
  json.member("evictions_avoided", summary.avoided).key("waits").begin_object();
  json.member("gangs", summary.started).member("seconds", summary.waited).member("gangs_earlier_here", summary.earlier);
  json.member("seconds_earlier_here", summary.earlier_by).member("most_seconds_earlier_here", summary.most_earlier_by);
  json.member("gangs_waiting_with_both", summary.waiting).end_object().key("plans").begin_object().member("count", summary.plans);
  json.member("seconds", summary.planning).member("longest_seconds", summary.longest_plan).end_object().end_object().end_object();
  return text + "\n";
}

}  // namespace muster::daemon::shadow
