#include <filesystem>

#include "cli/cluster_options.h"
#include "cli/command.h"
#include "cli/value_checks.h"
#include "daemon/replay_report.h"
#include "daemon/tape_recorder.h"

namespace muster::cli {
namespace {

struct ReplayCommand {
  std::string path;
  std::string output = "table";
  std::string dialect;
  std::uint64_t until = 0;
};

// A folder stands for the segments in it.
Result<std::vector<std::filesystem::path>> segments_of(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) return std::vector<std::filesystem::path>{path};
  auto found = daemon::tape::segments_in(path);
  if (found.empty()) return fail(path + ": there is no recording in this folder");
  return found;
}

ExitCode run_replay(const ReplayCommand& command) {
  const auto segments = segments_of(command.path);
  if (!segments) return complain(segments.error().text());
  const bool has_end = command.until != 0;
  const auto replay = daemon::tape::replay(
      *segments,
      {.until = has_end ? std::optional(command.until) : std::nullopt, .dialect = command.dialect, .version = MUSTER_VERSION});
  for (const auto& sentence : replay.notes) note(sentence);
  const bool is_table = command.output != "json";
  if (replay.broken && replay.cycles() == 0 && is_table) return complain(replay.broken->text());  // there is nothing to show
  if (has_end && !replay.broken && replay.last_cycle < command.until)
    note("the recording ends with cycle " + std::to_string(replay.last_cycle));
  write_output(is_table ? daemon::tape::replay_text(replay, has_end, output_paint()) : daemon::tape::replay_json(replay, has_end));
  if (replay.broken) {
    complain(replay.broken->text() + "\nuntil there " + daemon::tape::replay_summary(replay));
    return finish_output(ExitCode::kBadInput);
  }
  return finish_output(replay.different() == 0 ? ExitCode::kOk : ExitCode::kDiffers);
}

}  // namespace

void add_replay(CLI::App& program, Action& chosen) {
  auto command = std::make_shared<ReplayCommand>();
  auto* app = program.add_subcommand("replay", "Replay what a scheduler recorded, and compare every decision");
  app->add_option("RECORDING", command->path, "the folder of a recording, or one of its files")->required();
  app->add_option("-o,--output", command->output, "table for people, json for programs")
      ->check(one_of({"table", "json"}))
      ->capture_default_str();
  app->add_option("--until", command->until, "the number of the last cycle to replay, which is then shown")->check(whole_number(1));
  add_dialect(*app, command->dialect, "refuse recordings of the other dialect");
  app->footer(
      "Example:\n"
      "  muster replay /var/lib/muster/recording\n"
      "  muster replay muster-00000001.recording --until 17\n\n"
      "docs/replay.md says how to take a recording and what is in it.\n\n"
      "Exit status: 0 every decision is the same; 1 a file that cannot be read, or not to its end; 2 wrong usage; 4 a cycle was\n"
      "decided otherwise.");
  app->callback([command, &chosen] { chosen = [command] { return run_replay(*command); }; });
}

}  // namespace muster::cli
