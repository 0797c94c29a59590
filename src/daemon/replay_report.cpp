#include "daemon/replay_report.h"

#include "codec/json_writer.h"

namespace muster::daemon::tape {
namespace {

constexpr std::size_t kMostLines = 10;  // of one cycle

TextTable::Cell number_cell(std::uint64_t number, Tone tone = Tone::kPlain) { return {std::to_string(number), tone, true}; }

TextTable::Cell heading_cell(const char* text, bool to_the_right = true) { return {text, Tone::kHeading, to_the_right}; }

std::string segment_table(const Replay& replay, Paint paint) {
  TextTable table;
  table.add({heading_cell("CYCLES"), heading_cell("SKIPPED"), heading_cell("OBJECTS"), heading_cell("BINDS"),
             heading_cell("EVICTIONS"), heading_cell("DIFFERENT"), heading_cell("SEGMENT", false)});
  for (const auto& one : replay.segments)
    table.add({number_cell(one.cycles), number_cell(one.skipped), number_cell(one.objects), number_cell(one.binds),
               number_cell(one.evictions), number_cell(one.different, one.different == 0 ? Tone::kGood : Tone::kBad),
               TextTable::Cell(one.file)});
  return table.text(paint);
}

std::string decisions_text(const Replay& replay) {
  std::string out = "\ncycle " + std::to_string(replay.last_cycle) + " decided:\n";
  for (const auto& one : replay.decisions->binds) out += "  bind " + one.pod + " to " + one.node + "\n";
  for (const auto& one : replay.decisions->evictions) out += "  evict " + one.pod + "\n";
  for (const auto& one : replay.decisions->others) out += "  " + one.what + "\n";
  return out;
}

void write_placements(JsonWriter& json, const char* key, const std::vector<Placement>& placements) {
  json.key(key).begin_array();
  for (const auto& one : placements) {
    json.begin_object().member("pod", one.pod);
    if (!one.node.empty()) json.member("node", one.node);
    json.end_object();
  }
  json.end_array();
}

void write_decisions(JsonWriter& json, const Replay& replay) {
  json.key("last_cycle").begin_object().member("cycle", replay.last_cycle);
  write_placements(json, "binds", replay.decisions->binds);
  write_placements(json, "evictions", replay.decisions->evictions);
  json.key("others").begin_array();
  for (const auto& one : replay.decisions->others) json.value(one.what);
  json.end_array().end_object();
}

void write_segments(JsonWriter& json, const Replay& replay) {
  json.key("segments").begin_array();
  for (const auto& one : replay.segments) {
    json.begin_object().member("file", one.file).member("version", one.version).member("dialect", one.dialect);
    json.member("from_the_start", one.from_the_start).member("closed", one.closed).member("objects", one.objects);
    json.member("cycles", one.cycles).member("skipped", one.skipped).member("binds", one.binds);
    json.member("evictions", one.evictions).member("different", one.different).end_object();
  }
  json.end_array();
}

}  // namespace

std::string replay_summary(const Replay& replay) {
  const auto cycles = replay.cycles(), different = replay.different();
  const auto all = std::to_string(cycles) + (cycles == 1 ? " cycle was replayed" : " cycles were replayed");
  if (cycles == 0) return all;
  if (different == 0) return all + ", with the same decisions";
  return all + ", " + std::to_string(different) + " with other decisions";
}

std::string replay_text(const Replay& replay, bool with_last_cycle, Paint paint) {
  auto out = segment_table(replay, paint);
  for (const auto& one : replay.differences) {
    out += "\ncycle " + std::to_string(one.cycle) + " of " + one.file + ":\n";
    for (std::size_t i = 0; i < std::min(kMostLines, one.lines.size()); ++i) out += "  " + one.lines[i] + "\n";
    if (one.lines.size() > kMostLines) out += "  and " + std::to_string(one.lines.size() - kMostLines) + " more\n";
  }
  if (replay.different() > replay.differences.size())
    out += "\nand " + std::to_string(replay.different() - replay.differences.size()) + " more cycles\n";
  if (with_last_cycle && replay.decisions) out += decisions_text(replay);
  return out + "\n" + replay_summary(replay) + "\n";
}

std::string replay_json(const Replay& replay, bool with_last_cycle) {
  std::string out;
  JsonWriter json(out);
  json.begin_object().member("cycles", replay.cycles()).member("different", replay.different());
  json.member("complete", !replay.broken.has_value());
  write_segments(json, replay);
  json.key("differences").begin_array();
  for (const auto& one : replay.differences) {
    json.begin_object().member("file", one.file).member("cycle", one.cycle).key("lines").begin_array();
    for (const auto& line : one.lines) json.value(line);
    json.end_array().end_object();
  }
  json.end_array();
  if (with_last_cycle && replay.decisions) write_decisions(json, replay);
  json.end_object();
  return out + "\n";
}

}  // namespace muster::daemon::tape
