#include "cli/view_commands.h"

#include <algorithm>
#include <functional>
#include <memory>

#include "app/job_states.h"
#include "app/kai_reason.h"
#include "app/offline_views.h"
#include "app/pending_reason.h"
#include "app/yaml_text.h"
#include "cli/cluster_options.h"
#include "cli/server_options.h"
#include "cli/terminal_width.h"
#include "cli/usage_error.h"
#include "cli/value_checks.h"

namespace muster::cli {
namespace {

struct View {
  ViewKind kind = ViewKind::kJobs;
  ClusterOptions cluster;
  ServerOptions server;
  ViewChoice choice;
  std::string output = "table";
  std::size_t most = 0;
};

// A list as it is told, be it by a scheduler or by a run of files.
using Told = std::function<Result<std::string>(ViewKind)>;

// A scheduler tells the latest decisions where it is not asked for more. What is chosen may be older: it is looked for among all
// that are kept, which are fewer than this.
std::string path_of_decisions(const ViewChoice& choice) {
  constexpr std::size_t kAll = 1'000'000'000;
  const std::string path = "/api/v1/decisions";
  const bool chooses = !choice.names.empty() || !choice.kinds.empty() || !choice.jobs.empty() || !choice.nodes.empty();
  if (!chooses && !choice.most) return path;
  return path + "?limit=" + std::to_string(chooses ? kAll : *choice.most);
}

Result<Told> told_by_server(const View& command) {
  auto client = command.server.client();
  if (!client) return fail(std::move(client.error()));
  return Told([client = std::make_shared<SchedulerClient>(std::move(*client)),
               decisions = path_of_decisions(command.choice)](ViewKind kind) {
    return client->get(kind == ViewKind::kDecisions ? decisions : "/api/v1/" + std::string(name_of(kind)));
  });
}

Result<Told> told_by_files(const View& command, const OfflineOptions& options) {
  std::vector<ViewKind> kinds = {command.kind};
  for (const auto& named : named_elsewhere(command.choice)) kinds.push_back(named.kind);
  ProgressLine line;
  auto told = offline_views(kinds, command.cluster.dialect(), options, line.listener());
  if (!told) return fail(std::move(told.error()));
  for (const auto& sentence : told->notes) note(sentence);
  return Told([json = std::move(told->json)](ViewKind kind) -> Result<std::string> { return json.at(kind); });
}

// The queue, job or node that things of the list are chosen by: without any here it may exist or be mistyped. Jobs have names that
// only their own list knows. What is then to be chosen.
Result<ViewChoice> look_elsewhere(const ViewList& list, ViewChoice choice, const Told& told) {
  for (const auto& named : named_elsewhere(choice)) {
    auto names = list.not_here(named);
    if (names.empty() && named.kind != ViewKind::kJobs) continue;
    auto json = told(named.kind);
    if (!json) {
      // What is in the list needs no other one: a scheduler that does not lead tells its decisions and not its jobs.
      if (names.empty()) continue;
      return fail(std::move(json.error()));
    }
    const auto there = ViewList::read(named.kind, std::move(*json), {.names = std::move(names)});
    if (!there) return fail(there.error());
    if (named.kind == ViewKind::kJobs) choice.called = there->jobs_called(named.names);
  }
  return choice;
}

Result<ViewList> chosen_list(const View& command, const Told& told) {
  const auto json = told(command.kind);
  if (!json) return fail(json.error());
  auto list = ViewList::read(command.kind, *json, command.choice);
  if (!list) return list;
  auto choice = look_elsewhere(*list, command.choice, told);
  if (!choice) return fail(std::move(choice.error()));
  if (choice->called.empty()) return list;
  return ViewList::read(command.kind, *json, std::move(*choice));
}

ExitCode show(const View& command, const Result<Told>& told) {
  if (!told) return complain(told.error().text());
  const auto list = chosen_list(command, *told);
  if (!list) return complain(list.error().text());
  if (command.output == "table")
    write_output(list->table({.paint = output_paint(), .width = output_width()}));
  else
    write_output(command.output == "yaml" ? yaml_of_json(list->json()) : list->json() + "\n");
  return finish_output(ExitCode::kOk);
}

// Values with commas between them, and no more: what follows is a NAME.
CLI::Option* add_list(CLI::App& app, const std::string& option, std::vector<std::string>& values, const std::string& meaning) {
  return app.add_option(option, values, meaning)->delimiter(',')->allow_extra_args(false);
}

void add_resources(CLI::App& app, ViewChoice& choice) {
  add_list(app, "--resource", choice.resources, "resources that the table shows, * and ? as in a shell");
}

// A code of either dialect: a running scheduler's is not known before it is asked.
std::string check_reason(const std::string& code) {
  std::vector<std::string> known;
  for (const auto& reason : pending_reasons()) known.emplace_back(reason.code);
  for (const auto& reason : kai_reasons()) known.emplace_back(reason.code);
  if (std::ranges::find(known, code) != known.end()) return {};
  return "\"" + code + "\" is none of the codes of docs/why-pending.md" + did_you_mean(code, known);
}

void add_choices_of_jobs(CLI::App& app, ViewChoice& choice) {
  std::vector<std::string> states;
  for (const auto state : kJobStates) states.emplace_back(name_of(state));
  add_list(app, "--queue", choice.queues, "jobs of these queues, * and ? as in a shell");
  add_list(app, "--state", choice.states, "jobs in these states")->check(one_of(states));
  add_list(app, "--reason", choice.reasons, "jobs that wait for these reasons: codes of docs/why-pending.md")->check(check_reason);
}

void add_choices_of_decisions(CLI::App& app, ViewChoice& choice) {
  add_list(app, "--kind", choice.kinds, "binds or evictions")->check(one_of({"bind", "evict"}));
  add_list(app, "--job", choice.jobs, "of pods of these jobs, or for these jobs: names as of muster jobs");
  add_list(app, "--node", choice.nodes, "to or from these nodes, * and ? as in a shell");
}

void add_choices(CLI::App& app, ViewKind kind, ViewChoice& choice) {
  switch (kind) {
    case ViewKind::kQueues:
    case ViewKind::kNodes: return add_resources(app, choice);
    case ViewKind::kJobs: return add_choices_of_jobs(app, choice);
    case ViewKind::kDecisions: return add_choices_of_decisions(app, choice);
  }
}

// What is different from one list to the next.
struct Description {
  ViewKind kind;
  const char* summary;
  const char* names;
  const char* examples;
};

void add_view(CLI::App& program, Action& chosen, const Description& description) {
  auto command = std::make_shared<View>();
  command->kind = description.kind;
  auto* app = program.add_subcommand(std::string(name_of(description.kind)), description.summary);
  app->add_option("NAME", command->choice.names, description.names)->type_name("PATTERN");
  add_choices(*app, description.kind, command->choice);
  auto* most = app->add_option("--limit", command->most, "so many at most")->check(whole_number(1));
  app->add_option("-o,--output", command->output, "table for people; json and yaml with the keys of docs/api.md")
      ->check(one_of({"table", "json", "yaml"}))
      ->capture_default_str();
  command->server.add_to(*app, command->cluster);
  app->footer(std::string("Example:\n") + description.examples +
              "\nExit status: 0 listed, be it nothing; 1 bad input, no answer, or nothing of that name; 2 wrong usage.");
  app->callback([command, most, &chosen] {
    if (most->count() != 0) command->choice.most = command->most;
    if (command->server.asks())
      chosen = [command] { return show(*command, told_by_server(*command)); };
    else
      chosen = [command, options = command->cluster.read()] { return show(*command, told_by_files(*command, options)); };
  });
}

}  // namespace

void add_views(CLI::App& program, Action& chosen) {
  add_view(program, chosen,
           {ViewKind::kQueues, "List queues: what they deserve, hold and ask for", "queues: names, * and ? as in a shell",
            "  muster queues -f examples/first-cluster --config examples/first-cluster.conf\n"
            "  muster queues --server http://127.0.0.1:8080 --resource 'nvidia.com/*'\n"});
  add_view(program, chosen,
           {ViewKind::kJobs, "List jobs: where they stand and why they wait",
            "jobs, or what they were made for: name, namespace/name, kind/name or namespace/kind/name, * and ? as in a shell",
            "  muster jobs --state waiting -f examples/first-cluster --config examples/first-cluster.conf\n"
            "  muster jobs --queue research 'team-a/*'\n"});
  add_view(program, chosen,
           {ViewKind::kNodes, "List nodes: what is used and what is free", "nodes: names, * and ? as in a shell",
            "  muster nodes -f examples/first-cluster --config examples/first-cluster.conf\n"
            "  muster nodes 'gpu-*' --resource '*/gpu,cpu'\n"});
  add_view(program, chosen,
           {ViewKind::kDecisions, "List binds and evictions, the latest first: for whom, under which rule, and why",
            "pods: name or namespace/name, * and ? as in a shell",
            "  muster decisions -f examples/first-cluster --config examples/first-cluster.conf\n"
            "  muster decisions --kind evict --job research/train-large\n"});
}

}  // namespace muster::cli
