#include "cli/server_options.h"

#include <cstdlib>

namespace muster::cli {
namespace {

constexpr auto kUsualServer = "http://127.0.0.1:8080";

// What an option says, or else what the environment does.
std::string chosen_or(const std::string& option, const char* variable, const char* otherwise) {
  if (!option.empty()) return option;
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0' ? value : otherwise;
}

// "-f", or "--cluster" for what has no letter.
std::string short_name(const CLI::Option& option) {
  return option.get_snames().empty() ? option.get_name() : "-" + option.get_snames().front();
}

}  // namespace

void ServerOptions::add_to(CLI::App& command, ClusterOptions& cluster, const std::string& files,
                           const std::vector<std::string>& without) {
  const auto others = static_cast<std::ptrdiff_t>(command.get_options().size());
  cluster.add_to(command, files);
  for (const auto& name : without) command.remove_option(command.get_option(name));
  const std::vector<CLI::Option*> all = command.get_options();
  about_files_.assign(all.begin() + others, all.end());
  const auto given = short_name(*about_files_.front());
  const auto group = "A running scheduler, which is asked where no " + given + " is given";
  own_.push_back(command.add_option("--server", server_, "where its API is (MUSTER_SERVER, or " + std::string(kUsualServer) + ")")
                     ->type_name("URL")
                     ->group(group));
  own_.push_back(command.add_option("--token-file", token_file_, "file with the token that it asks for (MUSTER_TOKEN_FILE)")
                     ->type_name("FILE")
                     ->group(group));
}

bool ServerOptions::asks() const {
  const bool from_files = about_files_.front()->count() != 0;
  const auto given = short_name(*about_files_.front());
  for (const auto* option : from_files ? own_ : about_files_)
    if (option->count() != 0)
      throw CLI::ValidationError(option->get_name(), from_files ? "is about a running scheduler, and " + given + " about files"
                                                                : "is about a cluster from files: give them with " + given);
  return !from_files;
}

Result<SchedulerClient> ServerOptions::client() const {
  auto client = SchedulerClient::with_token_file(chosen_or(server_, "MUSTER_SERVER", kUsualServer),
                                                 chosen_or(token_file_, "MUSTER_TOKEN_FILE", ""));
  if (client) client->files_are_given_by(short_name(*about_files_.front()));
  return client;
}

}  // namespace muster::cli
